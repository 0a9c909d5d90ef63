package interactive

import (
	"slices"
	"sync"

	"github.com/pi-go/pi/codingagent/extension"
	"github.com/pi-go/pi/tui"
)

// overlayHandle is a hold on an overlay of an extension.
type overlayHandle struct {
	mu     sync.Mutex
	screen *guestUI // nil before it is shown
	prompt *prompt
	early  []func(*guests, *prompt) // what was asked for before

	hidden, focused bool
	bounds          tui.Rect
}

var _ extension.Overlay = (*overlayHandle)(nil)

// bind says what the handle is of. It is called on the program's goroutine.
func (h *overlayHandle) bind(s *guestUI, p *prompt) {
	h.mu.Lock()
	early := h.early
	h.screen, h.prompt, h.early = s, p, nil
	h.mu.Unlock()
	for _, f := range early {
		s.do(func(u *ui) { f(u.guests, p) })
	}
}

// place keeps where it is drawn.
func (h *overlayHandle) place(at tui.Rect) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.bounds = at
}

// change does something to the overlay, on the program's goroutine.
func (h *overlayHandle) change(f func(g *guests, p *prompt)) {
	h.mu.Lock()
	s, p := h.screen, h.prompt
	if s == nil {
		h.early = append(h.early, f)
	}
	h.mu.Unlock()
	if s == nil {
		return
	}
	s.do(func(u *ui) {
		if slices.Contains(u.guests.prompts, p) {
			f(u.guests, p)
		}
	})
}

// tell keeps what the extension may ask for.
func (h *overlayHandle) tell(focused bool) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.focused, h.hidden = focused, h.prompt.hidden
}

// SetHidden hides it for a time.
func (h *overlayHandle) SetHidden(hidden bool) {
	h.change(func(g *guests, p *prompt) {
		p.hidden = hidden
		g.arrange()
	})
}

// Hidden reports whether it is hidden.
func (h *overlayHandle) Hidden() bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.hidden
}

// Focus gives it the keys, above the others.
func (h *overlayHandle) Focus() {
	h.change(func(g *guests, p *prompt) {
		p.aside, p.hidden = false, false
		i := slices.Index(g.prompts, p)
		g.prompts = append(slices.Delete(g.prompts, i, i+1), p)
		p.overlay.Focus()
		g.arrange()
	})
}

// Unfocus gives the keys back.
func (h *overlayHandle) Unfocus() {
	h.change(func(g *guests, p *prompt) {
		p.aside = true
		g.arrange()
	})
}

// Focused reports whether it has the keys.
func (h *overlayHandle) Focused() bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.focused
}

// Bounds is where it was drawn.
func (h *overlayHandle) Bounds() extension.Rect {
	h.mu.Lock()
	defer h.mu.Unlock()
	return extension.Rect(h.bounds)
}

// Close sends it away.
func (h *overlayHandle) Close() {
	h.change(func(_ *guests, p *prompt) {
		if c, ok := p.c.(*custom); ok {
			c.dismiss()
		}
	})
}

// areaBounds is where a component in the editor's place is drawn; empty where that is
// not known.
func (u *ui) areaBounds(c tui.Component) tui.Rect {
	if !u.p.Terminal().FullScreen() {
		return tui.Rect{} // and there is no mouse
	}
	width, height := u.p.Size()
	below := 0
	for _, other := range []tui.Component{u.guests.below, u.guests.footing, u.guests.statuses} {
		below += len(other.Render(width))
	}
	rows := len(c.Render(width))
	return tui.Rect{X: 0, Y: height - below - rows, Width: width, Height: rows}
}
