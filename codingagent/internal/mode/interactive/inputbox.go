package interactive

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/pi-go/pi/codingagent"
	"github.com/pi-go/pi/tui/input"
)

// doubleTime is within how much time a key counts as pressed twice.
const doubleTime = 500 * time.Millisecond

// inputBox is the editor with the keys of the program in front of it.
type inputBox struct{ ui *ui }

// Render gives the editor's lines, or those of what stands in its place.
func (b *inputBox) Render(width int) []string {
	if c := b.ui.guests.editor; c != nil && !c.Failed() {
		return c.Render(width)
	}
	return b.ui.editor.Render(width)
}

// SetFocused shows or hides the cursor.
func (b *inputBox) SetFocused(on bool) {
	b.ui.editor.SetFocused(on)
	if c := b.ui.guests.editor; c != nil {
		c.SetFocused(on)
	}
}

// CapturesScrolling tells that an open list wants the keys that scroll.
func (b *inputBox) CapturesScrolling() bool { return b.ui.editor.CapturesScrolling() }

// Invalidate draws with the styles of now.
func (b *inputBox) Invalidate() {
	b.ui.restyle()
	if c := b.ui.guests.editor; c != nil {
		c.Invalidate()
	}
}

// HandleInput does what a key is for.
func (b *inputBox) HandleInput(ev input.Event) bool {
	return b.ui.guests.editorTakes(ev) || b.handle(ev)
}

// handle does what a key is for in the program's own editor.
func (b *inputBox) handle(ev input.Event) bool {
	u := b.ui
	k, ok := ev.(input.Key)
	if !ok || k.Action == input.Release {
		return u.editor.HandleInput(ev)
	}
	if u.editor.Completing() && u.keys.Is(k, "tui.select.cancel") && !u.keys.Is(k, "app.clear") {
		return u.editor.HandleInput(ev)
	}
	if u.editor.ViTakes(k) {
		return u.editor.HandleInput(ev) // an escape that leaves the insert mode is not one for the agent
	}
	if run := u.guests.shortcut(k); run != nil {
		run()
		return true
	}
	if u.keys.Is(k, "tui.input.copy") && !u.keys.Is(k, "app.clear") && u.p.Selected() != "" {
		u.copyKey()
		return true
	}
	if act := u.keyAction(k); act != nil {
		act()
		return true
	}
	if u.keys.Is(k, "tui.editor.deleteCharBackward") && u.takeMarker() || u.unsent.tooEarly(k) {
		return true
	}
	return u.editor.HandleInput(ev)
}

// keyAction gives what a key of the program does, nil if it is none.
func (u *ui) keyAction(k input.Key) func() {
	if u.keys.First(k, "tui.editor.historyPrevious", "tui.editor.historyNext") != "" {
		return nil // these beat the program's
	}
	for _, a := range keyActions() {
		if !u.keys.Is(k, a.action) {
			continue
		}
		if a.action == "app.exit" && u.editor.Text() != "" {
			return nil
		}
		return func() { a.run(u) }
	}
	return nil
}

// escape stops what is under way; twice with nothing to stop it opens the tree.
func (u *ui) escape() {
	now := time.Now()
	double := now.Sub(u.lastEscape) < doubleTime
	u.lastEscape = now
	switch {
	case u.p.Selected() != "":
		u.p.ClearSelection()
	case u.stop():
		u.lastEscape = time.Time{}
	case double && u.editor.Text() == "":
		u.lastEscape = time.Time{}
		switch u.settings.DoubleEscape {
		case "tree":
			u.command("/tree")
		case "fork":
			u.command("/fork")
		}
	}
}

// stop stops what is under way, if anything is.
func (u *ui) stop() bool {
	switch {
	case u.shell != nil:
		u.shell.cancel()
	case u.session().Busy():
		u.abort()
	default:
		return false
	}
	return true
}

// clear empties the editor; with nothing in it, it stops what is under way, and
// pressed twice it ends the program.
func (u *ui) clear() {
	now := time.Now()
	double := now.Sub(u.lastClear) < doubleTime
	u.lastClear = now
	switch {
	case u.p.Selected() != "" && !double:
		u.copy(u.p.Selected(), "Copied the selection.")
		u.p.ClearSelection()
	case double && u.editor.Text() == "":
		u.quit(nil)
	case u.editor.Text() != "":
		u.editor.AddHistory(u.editor.Text())
		u.editor.SetText("")
		u.foot.touch()
	case u.stop():
	default:
		u.hint(fmt.Sprintf("Press %s again to exit.", u.keys.Text("app.clear")))
	}
}

// foreignTime is how long after another program has had the terminal a SIGINT is taken
// to be the ctrl+c that was meant for it: it goes to all programs in front.
const foreignTime = time.Second

// interrupts takes SIGINT for the key.
func (u *ui) interrupts(ctx context.Context) {
	for {
		select {
		case <-u.cfg.Interrupts:
			u.p.Do(func() {
				if time.Since(u.handedBack) > foreignTime {
					u.clear()
				}
			})
		case <-ctx.Done():
			return
		}
	}
}

// submit takes what was written: a command, a line for the shell, or a message.
func (u *ui) submit(s string, later bool) {
	trimmed := strings.TrimSpace(s)
	if trimmed == "" {
		return
	}
	if u.opening.under > 0 {
		u.opening.typed = append(u.opening.typed, submitted{s, later})
		return
	}
	u.unsent.sent(s)
	u.status.forgetHint()
	switch {
	case strings.HasPrefix(trimmed, "!"):
		u.runShell(trimmed)
		return
	case strings.HasPrefix(trimmed, "/") && u.command(trimmed):
		return
	}
	if u.session().Model() == nil && !u.ofExtension(trimmed) {
		u.firstRun()
		u.editor.SetText(s)
		return
	}
	u.send(codingagent.Prompt{Text: s, Images: u.attached.images(s)}, later)
}
