package tui

import (
	"context"
	"sync"

	"github.com/pi-go/pi/tui/input"
)

// Ask shows a component over the others and waits, on another goroutine than the
// program's, until it is answered or the context is done. show makes the
// component; it gets the function to answer with.
//
//	name, ok := tui.Ask(ctx, p, opts, func(answer func(string, bool)) tui.Component {
//		in := tui.NewInput(p.Bindings())
//		in.OnSubmit = func(s string) { answer(s, true) }
//		in.OnCancel = func() { answer("", false) }
//		return &tui.Frame{Child: in, Title: "Your name"}
//	})
//
// ok is what was answered, false if the context ended first or the program has.
// Called on the program's goroutine, as in a handler, it would wait for ever: there
// start it with [Program.Go].
func Ask[T any](ctx context.Context, p *Program, opts OverlayOptions, show func(answer func(value T, ok bool)) Component) (value T, ok bool) {
	type result struct {
		value T
		ok    bool
	}
	done := make(chan result, 1)
	var once sync.Once
	var overlay *Overlay // it and answered belong to the program's goroutine
	answered := false
	answer := func(v T, ok bool) {
		once.Do(func() {
			answered = true
			done <- result{v, ok}
			if overlay != nil {
				overlay.Hide()
			}
		})
	}
	if !p.Do(func() {
		if ctx.Err() == nil {
			overlay = p.ShowOverlay(show(answer), opts)
			if answered {
				overlay.Hide() // answered before it was seen
			}
		}
	}) {
		return value, false
	}
	select {
	case r := <-done:
		return r.value, r.ok
	case <-ctx.Done():
	case <-p.over:
	}
	p.Do(func() {
		var zero T
		answer(zero, false)
	})
	return value, false
}

// Confirm asks a question that is answered with yes or no.
func Confirm(ctx context.Context, p *Program, title, message string, style ListStyle) bool {
	it, ok := Choose(ctx, p, title, message, style, ListItem{Value: "yes", Label: "Yes"}, ListItem{Value: "no", Label: "No"})
	return ok && it.Value == "yes"
}

// Choose asks which of some items it shall be. The message, which may be empty, is
// above them. Like [Ask] it waits on another goroutine than the program's; ok is
// false if nothing was chosen.
func Choose(ctx context.Context, p *Program, title, message string, style ListStyle, items ...ListItem) (chosen ListItem, ok bool) {
	return Ask(ctx, p, OverlayOptions{}, func(answer func(ListItem, bool)) Component {
		l := NewSelectList(p.Bindings(), items...)
		l.Style = style
		l.OnSelect = func(it ListItem) { answer(it, true) }
		l.OnCancel = func() { answer(ListItem{}, false) }
		if message == "" {
			return &Frame{Title: title, Child: l}
		}
		return &Frame{Title: title, Child: &stack{Container: NewContainer(NewText(message), Spacer(1), l), focus: l}}
	})
}

// stack is a container that passes input on to one of its components.
type stack struct {
	*Container
	focus Component
}

// HandleInput passes input on.
func (s *stack) HandleInput(ev input.Event) bool {
	h, ok := s.focus.(Handler)
	return ok && h.HandleInput(ev)
}

// SetFocused passes the focus on.
func (s *stack) SetFocused(on bool) {
	if f, ok := s.focus.(Focusable); ok {
		f.SetFocused(on)
	}
}

// CapturesScrolling asks the component that gets the input.
func (s *stack) CapturesScrolling() bool {
	c, ok := s.focus.(Capturer)
	return ok && c.CapturesScrolling()
}
