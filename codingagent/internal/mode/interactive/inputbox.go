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

// Render gives the editor's lines.
func (b *inputBox) Render(width int) []string { return b.ui.editor.Render(width) }

// SetFocused shows or hides the cursor.
func (b *inputBox) SetFocused(on bool) { b.ui.editor.SetFocused(on) }

// CapturesScrolling tells that an open list wants the keys that scroll.
func (b *inputBox) CapturesScrolling() bool { return b.ui.editor.CapturesScrolling() }

// Invalidate draws with the styles of now.
func (b *inputBox) Invalidate() { b.ui.restyle() }

// HandleInput does what a key is for.
func (b *inputBox) HandleInput(ev input.Event) bool {
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
	if act := u.keyAction(k); act != nil {
		act()
		return true
	}
	if u.keys.Is(k, "tui.editor.deleteCharBackward") && u.takeMarker() {
		return true
	}
	return u.editor.HandleInput(ev)
}

// keyAction gives what a key of the program does, nil if it is none.
func (u *ui) keyAction(k input.Key) func() {
	empty := u.editor.Text() == ""
	switch u.keys.First(k,
		"tui.editor.historyPrevious", "tui.editor.historyNext",
		"app.interrupt", "app.clear", "app.exit", "app.suspend", "app.editor.external", "app.clipboard.pasteImage",
		"app.session.new", "app.session.tree", "app.session.fork", "app.session.resume",
		"app.model.select", "app.model.cycleForward", "app.model.cycleBackward",
		"app.thinking.cycle", "app.thinking.toggle", "app.tools.expand", "app.message.copy", "app.message.followUp", "app.message.dequeue") {
	case "app.interrupt":
		return u.escape
	case "app.clear":
		return u.clear
	case "app.exit":
		if empty {
			return func() { u.quit(nil) }
		}
	case "app.suspend":
		return u.suspend
	case "app.editor.external":
		return u.externalEditor
	case "app.clipboard.pasteImage":
		return func() { u.pasteFromClipboard(false) }
	case "app.session.new":
		return func() { u.command("/new") }
	case "app.session.tree":
		return func() { u.command("/tree") }
	case "app.session.fork":
		return func() { u.command("/fork") }
	case "app.session.resume":
		return func() { u.command("/resume") }
	case "app.model.select":
		return func() { u.command("/model") }
	case "app.model.cycleForward":
		return func() { u.cycleModel(1) }
	case "app.model.cycleBackward":
		return func() { u.cycleModel(-1) }
	case "app.thinking.cycle":
		return u.cycleThinking
	case "app.thinking.toggle":
		return u.toggleThinking
	case "app.tools.expand":
		return u.toggleExpanded
	case "app.message.copy":
		if u.p.Selected() != "" {
			return func() { u.copy(u.p.Selected(), "Copied the selection.") }
		}
		return func() { u.command("/copy") }
	case "app.message.followUp":
		return func() {
			s := u.editor.Text()
			u.editor.AddHistory(s)
			u.editor.SetText("")
			u.submit(s, true)
		}
	case "app.message.dequeue":
		return func() {
			if !u.takeBack() {
				u.hint("Nothing is queued.")
			}
		}
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

// interrupts takes SIGINT for the key.
func (u *ui) interrupts(ctx context.Context) {
	for {
		select {
		case <-u.cfg.Interrupts:
			u.p.Do(u.clear)
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
	u.unsent.sent(s)
	switch {
	case strings.HasPrefix(trimmed, "!"):
		u.runShell(trimmed)
		return
	case strings.HasPrefix(trimmed, "/") && u.command(trimmed):
		return
	}
	if u.session().Model() == nil {
		u.firstRun()
		u.editor.SetText(s)
		return
	}
	u.send(codingagent.Prompt{Text: s, Images: u.attached.images(s)}, later)
}
