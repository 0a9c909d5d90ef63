package interactive

import (
	"context"
	"fmt"
	"slices"

	"github.com/pi-go/pi/codingagent/extension"
	"github.com/pi-go/pi/codingagent/internal/mode/interactive/guest"
	"github.com/pi-go/pi/tui"
	"github.com/pi-go/pi/tui/input"
)

var _ extension.Screen = (*guestUI)(nil)

// overlayOptions reads where something custom lies.
func overlayOptions(o extension.CustomOptions) (tui.OverlayOptions, error) {
	out := tui.OverlayOptions{NonCapturing: true, Margin: 1, OffsetX: o.OffsetX, OffsetY: o.OffsetY, Visible: o.Visible}
	if o.Margin != 0 {
		out.Margin = max(o.Margin, 0)
	}
	var err error
	if out.Anchor, err = tui.ParseAnchor(o.Anchor); err != nil {
		return out, err
	}
	for _, s := range []struct {
		given string
		size  *tui.Size
	}{{o.Width, &out.Width}, {o.Height, &out.MaxHeight}, {o.MinWidth, &out.MinWidth}, {o.Row, &out.Row}, {o.Column, &out.Col}} {
		if s.given == "" {
			continue
		}
		if *s.size, err = tui.ParseSize(s.given); err != nil {
			return out, err
		}
	}
	return out, nil
}

// Custom shows a component until it is done.
func (s *guestUI) Custom(ctx context.Context, show func(extension.Surface, func(any)) extension.Component, o extension.CustomOptions) (any, error) {
	options, err := overlayOptions(o)
	if err != nil {
		return nil, fmt.Errorf("show custom component: %w", err)
	}
	// It may be done before it is shown.
	early := make(chan any, 1)
	finished := make(chan func(any), 1)
	done := func(v any) {
		select {
		case early <- v:
		default:
			return // only the first counts
		}
		select {
		case f := <-finished:
			f(v)
		default:
		}
	}
	var handle *overlayHandle
	if o.Overlay && o.OnHandle != nil {
		handle = &overlayHandle{}
		o.OnHandle(handle)
	}
	made := show(surface{s.g, s.g.ui.p.Update}, done)
	if made == nil {
		return nil, fmt.Errorf("show custom component: there is none")
	}
	type result struct {
		value any
		err   error
	}
	u := s.g.ui
	r, ok := ask(ctx, s, func(p *prompt, answer func(result, bool)) {
		c := s.component(nameOf("custom component", o.Title), made)
		box := &custom{Component: c, g: s.g, dismiss: func() { answer(result{nil, extension.ErrDismissed}, true) }}
		p.c, p.closed, p.blocks = box, c.Close, o.Blocked != nil
		if o.Overlay {
			if handle != nil {
				options.OnPlaced = handle.place
			}
			p.overlay, p.aside = u.p.ShowOverlay(box, options), o.NonCapturing
			box.bounds = p.overlay.Bounds
			if p.handle = handle; handle != nil {
				handle.bind(s, p)
			}
		} else {
			box.bounds = func() tui.Rect { return u.areaBounds(box) }
		}
		finish := func(v any) { u.p.Do(func() { answer(result{v, nil}, true) }) }
		finished <- finish
		select {
		case v := <-early: // already
			finish(v)
		default:
		}
	})
	switch {
	case ok:
		return r.value, r.err
	case ctx.Err() != nil:
		return nil, context.Cause(ctx)
	}
	return nil, extension.ErrNoScreen
}

// custom is a component that takes keys, with a way out of it.
type custom struct {
	*guest.Component
	g       *guests
	dismiss func()
	bounds  func() tui.Rect
}

// HandleInput passes keys on, and the mouse when it is over the component; a key that
// cancels and is not used sends it away.
func (c *custom) HandleInput(ev input.Event) bool {
	if m, ok := ev.(input.Mouse); ok {
		at := c.bounds()
		inside := m.X >= at.X && m.X < at.X+at.Width && m.Y >= at.Y && m.Y < at.Y+at.Height
		if inside && c.Component.HandleMouse(guest.MouseOf(m, at.X, at.Y)) {
			return true
		}
	}
	if c.Component.HandleInput(ev) {
		return true
	}
	if c.g.cancels(ev) {
		c.dismiss()
		return true
	}
	return false
}

// SetEditor shows a component in the place of the editor.
func (s *guestUI) SetEditor(show func(extension.Surface, extension.Editor) extension.Component) {
	var c *guest.Component
	s.g.shown.Store(&editorShown{s.session, show})
	if show != nil {
		h := s.g.hostOf(s.who)
		h.Run = s.g.ui.p.Do
		own := &ownEditor{ui: s.g.ui, calls: h.Calls("editor")}
		if made := show(surface{s.g, s.g.ui.p.Update}, own); made != nil {
			c = h.ComponentOn(own.calls, "editor", made)
		}
	}
	s.do(func(u *ui) { u.guests.setEditor(c) })
}

// EditorShown gives what SetEditor was given last.
func (s *guestUI) EditorShown() func(extension.Surface, extension.Editor) extension.Component {
	if e := s.g.shown.Load(); e != nil && e.session == s.session && s.live() {
		return e.show
	}
	return nil
}

// SetHeader replaces what is at the top of the conversation.
func (s *guestUI) SetHeader(show func(extension.Surface) extension.Component) {
	var c *guest.Component
	if show != nil {
		if made := show(surface{s.g, func() { s.do(func(u *ui) { u.guests.header.touch() }) }}); made != nil {
			h := s.g.hostOf(s.who)
			h.Late = func() { s.do(func(u *ui) { u.guests.header.touch() }) }
			c = h.Component("header", made)
		}
	}
	s.do(func(u *ui) { u.guests.header.set(c) })
}

// SetFooter replaces the footer.
func (s *guestUI) SetFooter(show func(extension.Surface, extension.FooterFacts) extension.Component) {
	var c *guest.Component
	facts := &branchFacts{footerFacts: &s.g.facts}
	if show != nil {
		facts.calls = s.g.hostOf(s.who).Calls("footer")
		if made := show(surface{s.g, s.g.ui.p.Update}, facts); made != nil {
			c = s.g.hostOf(s.who).ComponentOn(facts.calls, "footer", made)
		}
	}
	s.do(func(u *ui) {
		u.guests.setFooter(c)
		u.guests.facts.watchers(facts)
	})
}

// SetWorking changes what is shown while the agent works.
func (s *guestUI) SetWorking(w extension.Working) {
	w.Frames = slices.Clone(w.Frames)
	s.do(func(u *ui) {
		u.guests.working = w
		u.status.dress(w)
	})
}

// SetHiddenThinkingLabel changes what stands for hidden thinking.
func (s *guestUI) SetHiddenThinkingLabel(label string) {
	s.do(func(u *ui) {
		u.guests.thinking = oneLine(label)
		u.p.Restyle()
	})
}

// AddCompletion adds suggestions.
func (s *guestUI) AddCompletion(c extension.Completion) (remove func()) {
	own := &completion{Completion: c, calls: s.g.hostOf(s.who).Calls("completion")}
	s.g.completions.add(own)
	s.do((*ui).setCompletion)
	return func() {
		s.g.completions.remove(own)
		s.do((*ui).setCompletion)
	}
}

// ToolsExpanded reports whether output is unfolded.
func (s *guestUI) ToolsExpanded() bool { return s.g.expanded.Load() }

// SetToolsExpanded unfolds or folds output.
func (s *guestUI) SetToolsExpanded(on bool) {
	s.do(func(u *ui) {
		if u.expanded != on {
			u.toggleExpanded()
		}
	})
}
