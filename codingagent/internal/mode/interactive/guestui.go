package interactive

import (
	"github.com/pi-go/pi/codingagent/extension"
	"github.com/pi-go/pi/codingagent/internal/mode/interactive/guest"
)

// guestUI is the screen as one extension sees it.
type guestUI struct {
	g       *guests
	who     origin
	session int64 // which one it belongs to, -1 for any
}

var (
	_ extension.UI         = (*guestUI)(nil)
	_ extension.Attributed = (*guestUI)(nil)
)

// For gives the screen to an extension.
func (s *guestUI) For(name string, o extension.Origin) extension.UI {
	return &guestUI{s.g, origin{name, o.Path}, s.g.sessions.Load()}
}

// do runs f on the program's goroutine, later, unless the session has ended.
func (s *guestUI) do(f func(u *ui)) {
	s.g.ui.p.Do(func() {
		if s.live() {
			f(s.g.ui)
		}
	})
}

func (s *guestUI) live() bool { return s.session < 0 || s.session == s.g.sessions.Load() }

// Notify says something in the transcript.
func (s *guestUI) Notify(message string, level extension.Level) {
	token := "muted"
	switch level {
	case extension.Warning:
		token = "warning"
	case extension.Error:
		token = "error"
	}
	s.do(func(u *ui) { u.note(token, message) })
}

// SetStatus shows a text below the footer.
func (s *guestUI) SetStatus(key, text string) {
	s.do(func(u *ui) {
		u.guests.facts.status(key, text)
		u.guests.statuses.set(key, text)
	})
}

// SetWidget shows something beside the editor.
func (s *guestUI) SetWidget(key string, w extension.Widget) {
	made := &widget{key: key, lines: w.Lines, below: w.Placement == extension.BelowEditor}
	if w.Component != nil {
		if c := w.Component(s.g.theme()); c != nil {
			made.c = s.g.hostOf(s.who).Component(nameOf("widget", key), c)
		}
	}
	s.do(func(u *ui) { u.guests.setWidget(made) })
}

// SetTitle changes the window's title.
func (s *guestUI) SetTitle(title string) {
	s.do(func(u *ui) {
		u.guests.titled = true
		u.fail(u.p.Terminal().SetTitle(oneLine(title)))
	})
}

// SetEditorText replaces what is written.
func (s *guestUI) SetEditorText(text string) { s.do(func(u *ui) { u.editor.SetText(text) }) }

// PasteToEditor adds to what is written.
func (s *guestUI) PasteToEditor(text string) { s.do(func(u *ui) { u.editor.Paste(text) }) }

// EditorText gives what is written.
func (s *guestUI) EditorText() string {
	if p := s.g.text.Load(); p != nil {
		return *p
	}
	return ""
}

// Screen gives what only a screen can do.
func (s *guestUI) Screen() extension.Screen { return s }

// component shows a component of the extension.
func (s *guestUI) component(what string, c extension.Component) *guest.Component {
	return s.g.hostOf(s.who).Component(what, c)
}
