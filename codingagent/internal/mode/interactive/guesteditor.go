package interactive

import (
	"errors"
	"fmt"
	"slices"

	"github.com/pi-go/pi/codingagent/extension"
	"github.com/pi-go/pi/codingagent/internal/mode/interactive/guest"
	"github.com/pi-go/pi/tui"
	"github.com/pi-go/pi/tui/input"
)

// ownEditor is the editor of the program as the component sees it that stands in its
// place. What it does is done on the goroutine of the program.
type ownEditor struct {
	ui    *ui
	calls *guest.Calls
}

var _ extension.Editor = (*ownEditor)(nil)

// Lines are as it would be drawn.
func (e *ownEditor) Lines(width int) (lines []string) {
	e.calls.Ask(func() { lines = slices.Clone(e.ui.editor.Render(max(width, 1))) })
	return lines
}

// Text is what is written.
func (e *ownEditor) Text() (s string) {
	e.calls.Ask(func() { s = e.ui.editor.Text() })
	return s
}

// SetText replaces it.
func (e *ownEditor) SetText(s string) { e.calls.Ask(func() { e.ui.editor.SetText(s) }) }

// Insert puts a text at the cursor.
func (e *ownEditor) Insert(s string) { e.calls.Ask(func() { e.ui.editor.Insert(s) }) }

// Press does what a key would do.
func (e *ownEditor) Press(key string) error {
	if key == "" {
		return errors.New("press a key in the editor: it has no name")
	}
	ev, err := guest.EventOf(extension.Key{ID: key})
	if err != nil {
		return fmt.Errorf("press a key in the editor: %w", err)
	}
	e.calls.Ask(func() { e.ui.box.handle(ev) })
	return nil
}

// Submit sends what is written.
func (e *ownEditor) Submit() {
	e.calls.Ask(func() {
		s := e.ui.editor.Text()
		e.ui.editor.AddHistory(s)
		e.ui.editor.SetText("")
		e.ui.submit(s, false)
	})
}

// setEditor shows a component in the place of the editor; nil shows the editor.
func (g *guests) setEditor(c *guest.Component) {
	if old := g.editor; old != nil {
		old.Close()
	}
	g.editor = c
	if c != nil {
		c.SetFocused(g.ui.editor.Focused())
	}
	g.ui.p.Update()
}

// editorTakes lets the component in the editor's place have an event first.
func (g *guests) editorTakes(ev input.Event) bool {
	if g.editor == nil {
		return false
	}
	u := g.ui
	switch ev := ev.(type) {
	case input.Key:
		if u.keys.First(ev, "app.clear", "app.exit", "app.suspend") != "" {
			return false // these always are the program's
		}
	case input.Mouse:
		at := u.areaBounds(tui.Component(g.editor))
		inside := ev.X >= at.X && ev.X < at.X+at.Width && ev.Y >= at.Y && ev.Y < at.Y+at.Height
		return inside && g.editor.HandleMouse(guest.MouseOf(ev, at.X, at.Y))
	}
	return g.editor.HandleInput(ev)
}
