package tui

import (
	"fmt"
	"math"
	"strings"

	"github.com/pi-go/pi/tui/edit"
	"github.com/pi-go/pi/tui/input"
	"github.com/pi-go/pi/tui/text"
)

// A paste of more lines or bytes than these is shown as a marker.
const (
	maxPasteLines = 10
	maxPasteBytes = 1000
)

// EditorStyle is how an [Editor] looks.
type EditorStyle struct {
	Border, Paste, Placeholder text.Style
	List                       ListStyle
}

// Editor edits text of several lines. It wraps long lines, keeps a history of
// what was submitted, undoes, completes, and shows large pastes as markers.
type Editor struct {
	Style EditorStyle
	// PadX is how many columns are left free on both sides.
	PadX int
	// MaxRows is how many rows of text are seen at a time, 10 if 0.
	MaxRows int
	// Borderless leaves out the lines above and below.
	Borderless bool
	// Title and Footer stand in the lines above and below, where those do not tell
	// how many rows are out of view. They may have styles.
	Title, Footer string
	// Placeholder is shown while there is no text.
	Placeholder string
	// OnSubmit gets the text, as it was typed, when it is sent. The editor is then empty, and the
	// text is in the history.
	OnSubmit func(string)
	// OnChange is called after the text has changed. It does not get the text, as
	// that of an Input does: putting it together takes time if there is much of it.
	// Text returns it.
	OnChange func()
	// OnPaste sees a paste, whole, before it is inserted; true says that nothing is
	// left to insert.
	OnPaste func(string) bool
	// Ruler measures text.
	Ruler *text.Ruler

	bindings *input.Bindings
	buf      edit.Buffer
	focused  bool
	layout   layout
	rules    [2]Rule // the borders, which keep what they have drawn
	top      int     // first row in view
	want     int     // column that up and down try to keep, -1 if none
	jump     int     // 1 or -1 while a character to jump to is waited for
	paste    *strings.Builder
	history  history
	complete completion
	vi       *edit.Vi // nil without the keys of vi
}

// NewEditor returns an empty editor. A nil bindings stands for the standard keys.
func NewEditor(bindings *input.Bindings) *Editor {
	if bindings == nil {
		bindings = input.NewBindings(StandardBindings())
	}
	e := &Editor{bindings: bindings, want: -1}
	e.history.at = -1
	return e
}

// Text returns the text, with all pastes in full.
func (e *Editor) Text() string { return e.buf.Text() }

// SetText replaces the text; it can be undone.
func (e *Editor) SetText(s string) {
	e.closeCompletion()
	e.buf.SetText(s)
	e.history.at = -1
	e.changed()
}

// Insert inserts text at the cursor, as if it were typed.
func (e *Editor) Insert(s string) {
	e.buf.Insert(s)
	e.changed()
}

// Paste inserts text as a paste does: large text becomes a marker.
func (e *Editor) Paste(s string) {
	s = edit.Clean(s)
	if len(s) > maxPasteBytes || strings.Count(s, "\n") >= maxPasteLines {
		e.buf.InsertPaste(s)
	} else if s != "" {
		e.buf.Insert(s)
	}
	e.changed()
}

// SetVi turns the keys of vi on or off; see [edit.Vi]. With them escape goes from
// inserting to commands, where keys that type nothing, such as enter and the arrows,
// do what they always do. j and k go through the rows as they are seen, and on to
// the history. The line below the editor tells the mode, unless Footer is set.
func (e *Editor) SetVi(on bool) {
	switch {
	case !on:
		e.vi = nil
	case e.vi == nil:
		e.vi = &edit.Vi{}
	}
}

// ViTakes reports whether the keys of vi have a use for a key, so that a program
// that has its own, escape above all, can let the editor have it first.
func (e *Editor) ViTakes(k input.Key) bool {
	if e.vi == nil || k.Action == input.Release {
		return false
	}
	if viKey(k) == "escape" {
		return !e.vi.Normal() || e.vi.Pending() != ""
	}
	return e.vi.Normal() && viKey(k) != ""
}

// viKey is what a key is called by the keys of vi, "" if they have none for it.
func viKey(k input.Key) string {
	switch {
	case k.Is(input.ID{Name: "escape"}):
		return "escape"
	case k.Is(input.ID{Name: "backspace"}):
		return "backspace"
	case k.Is(input.ID{Name: "r", Mods: input.Ctrl}):
		return "ctrl+r"
	case k.Mods&^input.Shift == 0:
		return k.Text
	}
	return ""
}

// viDo lets the keys of vi have a key.
func (e *Editor) viDo(k input.Key) {
	before, revision := e.buf.Cursor(), e.buf.Revision()
	key := viKey(k)
	switch {
	case e.vi.Pending() == "" && e.vi.Normal() && key == "j":
		e.down()
	case e.vi.Pending() == "" && e.vi.Normal() && key == "k":
		e.up()
	default:
		e.want = -1
		e.vi.Key(&e.buf, key)
	}
	e.vi.Settle(&e.buf)
	if e.buf.Revision() != revision {
		e.changed()
	}
	if e.buf.Cursor() != before || e.buf.Revision() != revision {
		e.closeCompletion()
	}
}

// viFooter tells the mode.
func (e *Editor) viFooter() string {
	switch {
	case e.vi == nil || e.Footer != "":
		return e.Footer
	case e.vi.Normal():
		return e.Style.Border.Render(strings.TrimSpace("NORMAL " + e.vi.Pending()))
	}
	return e.Style.Border.Render("INSERT")
}

// Buffer returns the text as it is being edited.
func (e *Editor) Buffer() *edit.Buffer { return &e.buf }

// SetFocused shows or hides the cursor.
func (e *Editor) SetFocused(on bool) { e.focused = on }

// Focused reports whether the editor has the focus.
func (e *Editor) Focused() bool { return e.focused }

// CapturesScrolling tells that an open completion list wants the keys that scroll.
func (e *Editor) CapturesScrolling() bool { return e.complete.list != nil }

func (e *Editor) changed() {
	e.want = -1
	if e.OnChange != nil {
		e.OnChange()
	}
}

// HandleInput edits.
func (e *Editor) HandleInput(ev input.Event) bool {
	switch ev := ev.(type) {
	case input.Paste:
		e.takePaste(ev)
		return true
	case input.Key:
		if ev.Action == input.Release {
			return false
		}
		return e.key(ev)
	}
	return false
}

func (e *Editor) takePaste(p input.Paste) {
	if e.paste == nil || p.First {
		e.paste = &strings.Builder{}
	}
	e.paste.WriteString(p.Text)
	if p.Last {
		s := e.paste.String()
		e.paste = nil
		e.closeCompletion()
		if e.OnPaste == nil || !e.OnPaste(s) {
			e.Paste(s)
		}
	}
}

func (e *Editor) key(k input.Key) bool {
	if e.jump != 0 {
		back := e.jump < 0
		e.jump = 0
		if k.Text != "" {
			e.buf.Find(k.Text, back)
			e.want = -1
			return true
		}
	}
	if e.complete.list != nil && e.completionKey(k) {
		return true
	}
	if e.ViTakes(k) {
		e.viDo(k)
		return true
	}
	if act, ok := e.action(k); ok {
		before, revision := e.buf.Cursor(), e.buf.Revision()
		used := act()
		if e.vi != nil {
			e.vi.Settle(&e.buf)
		}
		if e.buf.Revision() != revision {
			e.changed()
			e.afterEdit()
		} else if e.buf.Cursor() != before {
			e.closeCompletion()
		}
		return used
	}
	if k.Text != "" && k.Mods&^input.Shift == 0 {
		e.buf.Insert(k.Text)
		e.changed()
		e.typed(k.Text)
		return true
	}
	return false
}

// action returns what a key does.
func (e *Editor) action(k input.Key) (func() bool, bool) {
	b := &e.buf
	done := func(f func() bool) (func() bool, bool) {
		return func() bool {
			e.want = -1
			f()
			return true
		}, true
	}
	switch e.bindings.First(k,
		"tui.input.newLine", "tui.input.submit", "tui.input.tab",
		"tui.editor.historyPrevious", "tui.editor.historyNext",
		"tui.editor.cursorUp", "tui.editor.cursorDown", "tui.editor.cursorLeft", "tui.editor.cursorRight",
		"tui.editor.cursorWordLeft", "tui.editor.cursorWordRight", "tui.editor.cursorLineStart", "tui.editor.cursorLineEnd",
		"tui.editor.jumpForward", "tui.editor.jumpBackward", "tui.editor.pageUp", "tui.editor.pageDown",
		"tui.editor.deleteCharBackward", "tui.editor.deleteCharForward", "tui.editor.deleteWordBackward", "tui.editor.deleteWordForward",
		"tui.editor.deleteToLineStart", "tui.editor.deleteToLineEnd", "tui.editor.yank", "tui.editor.yankPop",
		"tui.editor.undo", "tui.editor.redo") {
	case "tui.input.newLine":
		return done(func() bool { b.Insert("\n"); return true })
	case "tui.input.submit":
		return func() bool { e.submit(); return true }, true
	case "tui.input.tab":
		return func() bool { return e.forceCompletion() }, true
	case "tui.editor.historyPrevious":
		return func() bool { return e.historyGo(-1) }, true
	case "tui.editor.historyNext":
		return func() bool { return e.historyGo(1) }, true
	case "tui.editor.cursorUp":
		return func() bool { e.up(); return true }, true
	case "tui.editor.cursorDown":
		return func() bool { e.down(); return true }, true
	case "tui.editor.cursorLeft":
		return done(b.Left)
	case "tui.editor.cursorRight":
		return done(b.Right)
	case "tui.editor.cursorWordLeft":
		return done(b.WordLeft)
	case "tui.editor.cursorWordRight":
		return done(b.WordRight)
	case "tui.editor.cursorLineStart":
		return done(b.LineStart)
	case "tui.editor.cursorLineEnd":
		return done(b.LineEnd)
	case "tui.editor.jumpForward":
		return func() bool { e.jump = 1; return true }, true
	case "tui.editor.jumpBackward":
		return func() bool { e.jump = -1; return true }, true
	case "tui.editor.pageUp":
		return func() bool { e.vertical(-max(e.rows()-1, 1)); return true }, true
	case "tui.editor.pageDown":
		return func() bool { e.vertical(max(e.rows()-1, 1)); return true }, true
	case "tui.editor.deleteCharBackward":
		return done(b.DeleteLeft)
	case "tui.editor.deleteCharForward":
		if b.Empty() {
			return nil, false // the program may exit with this key
		}
		return done(b.DeleteRight)
	case "tui.editor.deleteWordBackward":
		return done(b.KillWordBackward)
	case "tui.editor.deleteWordForward":
		return done(b.KillWordForward)
	case "tui.editor.deleteToLineStart":
		return done(b.KillToLineStart)
	case "tui.editor.deleteToLineEnd":
		return done(b.KillToLineEnd)
	case "tui.editor.yank":
		return done(b.Yank)
	case "tui.editor.yankPop":
		return done(b.YankPop)
	case "tui.editor.undo":
		return done(b.Undo)
	case "tui.editor.redo":
		return done(b.Redo)
	}
	return nil, false
}

// submit sends the text. A backslash in front of the cursor makes a new line
// instead, for terminals that can not tell shift+enter from enter.
func (e *Editor) submit() {
	p := e.buf.Cursor()
	if line := e.buf.Lines()[p.Row]; p.Col > 0 && line[p.Col-1] == '\\' {
		e.buf.Replace(edit.Pos{Row: p.Row, Col: p.Col - 1}, p, "\n")
		return
	}
	e.closeCompletion()
	s := e.buf.Text()
	e.AddHistory(s)
	e.buf.Reset("")
	if e.vi != nil {
		e.vi.Reset()
	}
	e.changed()
	if e.OnSubmit != nil {
		e.OnSubmit(s)
	}
}

func (e *Editor) rows() int {
	if e.MaxRows <= 0 {
		return 10
	}
	return e.MaxRows
}

// up goes a row up; from the first one to the history, or to its beginning.
func (e *Editor) up() {
	e.laidOut()
	row, _ := e.layout.find(e.buf.Cursor())
	switch {
	case row > 0:
		e.vertical(-1)
	case e.history.at >= 0 || e.buf.Empty() || e.buf.Cursor() == (edit.Pos{}):
		e.historyGo(-1)
	default:
		e.buf.Start()
	}
}

func (e *Editor) down() {
	e.laidOut()
	row, _ := e.layout.find(e.buf.Cursor())
	switch {
	case row < e.layout.total-1:
		e.vertical(1)
	case e.history.at >= 0:
		e.historyGo(1)
	default:
		e.buf.End()
	}
}

// laidOut divides the text into rows as it was drawn last: keys can come faster
// than frames, and rows of text that was never drawn are as wide as they like.
func (e *Editor) laidOut() {
	width := e.layout.width
	if width == 0 {
		width = math.MaxInt
	}
	e.layout.update(&e.buf, e.Ruler, width)
}

// vertical moves by rows as they are seen, and keeps to a column.
func (e *Editor) vertical(by int) {
	e.laidOut()
	row, col := e.layout.find(e.buf.Cursor())
	if e.want < 0 {
		e.want = col
	}
	e.buf.MoveTo(e.layout.pos(min(max(row+by, 0), e.layout.total-1), e.want))
}

// Render returns the rows in view, the borders, and the completion list if one
// is open.
func (e *Editor) Render(width int) []string {
	padX := min(max(e.PadX, 0), max((width-2)/2, 0))
	inner := max(width-2*padX-1, 1) // a column is left for the cursor at the end of a row
	e.layout.update(&e.buf, e.Ruler, inner)
	cursorRow, cursorCol := e.layout.find(e.buf.Cursor())
	rows := min(e.rows(), e.layout.total)
	if cursorRow < e.top {
		e.top = cursorRow
	}
	if cursorRow >= e.top+rows {
		e.top = cursorRow - rows + 1
	}
	e.top = min(max(e.top, 0), e.layout.total-rows)

	out := make([]string, 0, rows+2)
	if !e.Borderless {
		out = append(out, e.border(&e.rules[0], width, "↑", e.top, e.Title))
	}
	margin := text.Blanks(padX)
	for i := e.top; i < e.top+rows; i++ {
		col := -1
		if i == cursorRow && e.focused {
			col = cursorCol
		}
		out = append(out, margin+e.row(i, col, inner))
	}
	if !e.Borderless {
		out = append(out, e.border(&e.rules[1], width, "↓", e.layout.total-e.top-rows, e.viFooter()))
	}
	if e.complete.list != nil {
		out = append(out, e.complete.list.Render(width)...)
	}
	return out
}

func (e *Editor) border(r *Rule, width int, arrow string, hidden int, title string) string {
	r.Style, r.Title = e.Style.Border, oneLine(title)
	if hidden > 0 {
		r.Title = e.Style.Border.Render(fmt.Sprintf("%s %d more", arrow, hidden))
	}
	return r.Render(width)[0]
}

// row draws a row, with the cursor at a column if that is not negative.
func (e *Editor) row(i, cursor, width int) string {
	if e.Placeholder != "" && e.buf.Empty() {
		p := e.Style.Placeholder.Render(text.Truncate(oneLine(e.Placeholder), width, "…"))
		if cursor < 0 {
			return p
		}
		return underCursor(p, width)
	}
	units := e.layout.units(i)
	var b strings.Builder
	col, drawn := 0, false
	for _, u := range units {
		shown := u.shown
		if u.paste {
			shown = e.Style.Paste.Render(shown)
		}
		if col == cursor && !drawn {
			b.WriteString(CursorMarker)
			if u.paste {
				n, _ := text.Cluster(u.shown)
				shown = cursorCell(u.shown[:n]) + e.Style.Paste.Render(u.shown[n:])
			} else {
				shown = cursorCell(shown)
			}
			drawn = true
		}
		b.WriteString(shown)
		col += u.width
	}
	if cursor >= 0 && !drawn {
		b.WriteString(CursorMarker + cursorCell(" "))
	}
	return b.String()
}

// underCursor draws a text with the cursor on its first character.
func underCursor(s string, width int) string {
	n, w := text.Cluster(text.Strip(s))
	return CursorMarker + cursorCell(text.Strip(s)[:n]) + text.Slice(s, w, width)
}

// cursorCell draws what is under the cursor.
func cursorCell(s string) string { return "\x1b[7m" + s + "\x1b[27m" }
