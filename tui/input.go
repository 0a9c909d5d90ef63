package tui

import (
	"strings"

	"github.com/pi-go/pi/tui/edit"
	"github.com/pi-go/pi/tui/input"
	"github.com/pi-go/pi/tui/text"
)

// Input edits one line. Long text scrolls sideways.
type Input struct {
	// Prompt stands in front of the text, "> " if empty.
	Prompt string
	// Placeholder is shown while there is no text.
	Placeholder      string
	PlaceholderStyle text.Style
	// Masked shows dots instead of the text, as for passwords.
	Masked bool
	// OnSubmit gets the text at enter, OnCancel is called at escape, OnChange
	// after each change.
	OnSubmit func(string)
	OnCancel func()
	OnChange func(string)
	Ruler    *text.Ruler

	bindings *input.Bindings
	buf      edit.Buffer
	focused  bool
	paste    *strings.Builder
	scroll   int // columns that have gone out of view on the left
}

// NewInput returns an empty input. A nil bindings stands for the standard keys.
func NewInput(bindings *input.Bindings) *Input {
	if bindings == nil {
		bindings = input.NewBindings(StandardBindings())
	}
	return &Input{bindings: bindings}
}

// Value returns the text.
func (in *Input) Value() string { return in.buf.Text() }

// SetValue replaces the text and puts the cursor at its end.
func (in *Input) SetValue(s string) { in.buf.Reset(single(s)) }

// single makes one line of text.
func single(s string) string {
	return strings.ReplaceAll(strings.TrimRight(edit.Clean(s), "\n"), "\n", " ")
}

// SetFocused shows or hides the cursor.
func (in *Input) SetFocused(on bool) { in.focused = on }

// HandleInput edits.
func (in *Input) HandleInput(ev input.Event) bool {
	switch e := ev.(type) {
	case input.Paste:
		if in.paste == nil || e.First {
			in.paste = &strings.Builder{}
		}
		in.paste.WriteString(e.Text)
		if e.Last {
			in.buf.Insert(single(in.paste.String()))
			in.paste = nil
			in.changed()
		}
		return true
	case input.Key:
		if e.Action == input.Release {
			return false
		}
		return in.key(e)
	}
	return false
}

func (in *Input) changed() {
	if in.OnChange != nil {
		in.OnChange(in.Value())
	}
}

func (in *Input) key(k input.Key) bool {
	b := &in.buf
	before := b.Revision()
	defer func() {
		if b.Revision() != before {
			in.changed()
		}
	}()
	switch in.bindings.First(k,
		"tui.input.submit", "tui.select.cancel",
		"tui.editor.cursorLeft", "tui.editor.cursorRight", "tui.editor.cursorWordLeft", "tui.editor.cursorWordRight",
		"tui.editor.cursorLineStart", "tui.editor.cursorLineEnd",
		"tui.editor.deleteCharBackward", "tui.editor.deleteCharForward", "tui.editor.deleteWordBackward", "tui.editor.deleteWordForward",
		"tui.editor.deleteToLineStart", "tui.editor.deleteToLineEnd", "tui.editor.yank", "tui.editor.yankPop",
		"tui.editor.undo", "tui.editor.redo") {
	case "tui.input.submit":
		if in.OnSubmit == nil {
			return false
		}
		in.OnSubmit(b.Text())
	case "tui.select.cancel":
		if in.OnCancel == nil {
			return false
		}
		in.OnCancel()
	case "tui.editor.cursorLeft":
		b.Left()
	case "tui.editor.cursorRight":
		b.Right()
	case "tui.editor.cursorWordLeft":
		b.WordLeft()
	case "tui.editor.cursorWordRight":
		b.WordRight()
	case "tui.editor.cursorLineStart":
		b.LineStart()
	case "tui.editor.cursorLineEnd":
		b.LineEnd()
	case "tui.editor.deleteCharBackward":
		b.DeleteLeft()
	case "tui.editor.deleteCharForward":
		b.DeleteRight()
	case "tui.editor.deleteWordBackward":
		b.KillWordBackward()
	case "tui.editor.deleteWordForward":
		b.KillWordForward()
	case "tui.editor.deleteToLineStart":
		b.KillToLineStart()
	case "tui.editor.deleteToLineEnd":
		b.KillToLineEnd()
	case "tui.editor.yank":
		b.Yank()
	case "tui.editor.yankPop":
		b.YankPop()
	case "tui.editor.undo":
		b.Undo()
	case "tui.editor.redo":
		b.Redo()
	default:
		if k.Text == "" || k.Mods&^input.Shift != 0 {
			return false
		}
		b.Insert(k.Text)
	}
	return true
}

// Render returns one line: the part of the text around the cursor.
func (in *Input) Render(width int) []string {
	prompt := oneLine(in.Prompt)
	if prompt == "" {
		prompt = "> "
	}
	promptWidth := in.Ruler.Width(prompt)
	if promptWidth >= width {
		prompt, promptWidth = "", 0
	}
	room := max(width-promptWidth, 1)
	if in.buf.Empty() && in.Placeholder != "" {
		p := in.PlaceholderStyle.Render(in.Ruler.Truncate(oneLine(in.Placeholder), room, "…"))
		if in.focused {
			p = underCursor(p, room)
		}
		return []string{prompt + p}
	}
	l := layout{ruler: in.Ruler, buf: &in.buf}
	line, cur := in.buf.Lines()[0], in.buf.Cursor().Col
	var units []unit
	at, total := 0, 0
	for s, i := line, 0; s != ""; {
		u := l.next(s)
		if in.Masked {
			u.shown, u.width = "•", 1
		}
		if i == cur {
			at = total
		}
		units = append(units, u)
		i += u.size
		total += u.width
		s = s[u.size:]
	}
	if cur >= len(line) {
		at = total
	}
	// Keep the cursor in view, with a column for it at the end.
	in.scroll = min(in.scroll, max(total+1-room, 0))
	if at < in.scroll {
		in.scroll = at
	}
	if at >= in.scroll+room {
		in.scroll = at - room + 1
	}
	var b strings.Builder
	b.WriteString(prompt)
	col, drawn := 0, false
	for _, u := range units {
		from := col
		col += u.width
		if from < in.scroll {
			for range min(col, in.scroll+room) - in.scroll {
				b.WriteByte(' ') // the half of a wide one that is in view
			}
			continue
		}
		if col > in.scroll+room {
			break
		}
		if from == at && in.focused {
			b.WriteString(CursorMarker + cursorCell(u.shown))
			drawn = true
			continue
		}
		b.WriteString(u.shown)
	}
	if in.focused && !drawn {
		b.WriteString(CursorMarker + cursorCell(" "))
	}
	return []string{b.String()}
}
