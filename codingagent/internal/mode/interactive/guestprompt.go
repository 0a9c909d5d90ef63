package interactive

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/pi-go/pi/codingagent/extension"
	"github.com/pi-go/pi/tui"
	"github.com/pi-go/pi/tui/input"
	"github.com/pi-go/pi/tui/text"
)

// prompt is something an extension asks: the newest takes the editor's place, or
// lies over everything, and all wait for their answers.
type prompt struct {
	c       tui.Component
	overlay *tui.Overlay // nil in the editor's place
	hidden  bool         // an overlay that its extension has hidden
	aside   bool         // and one that has not the keys
	blocks  bool         // the program waits for the person while it asks
	handle  *overlayHandle
	cancel  func() // answers with the default
	closed  func() // what is left to do, may be nil
}

// push shows a prompt over those there are.
func (g *guests) push(p *prompt) {
	g.prompts = append(g.prompts, p)
	g.arrange()
}

// remove takes a prompt away.
func (g *guests) remove(p *prompt) {
	i := slices.Index(g.prompts, p)
	if i < 0 {
		return
	}
	g.prompts = slices.Delete(g.prompts, i, i+1)
	if p.overlay != nil {
		p.overlay.Hide()
	}
	if p.closed != nil {
		p.closed()
	}
	g.arrange()
}

// arrange shows the newest prompt, and gives it the keys. What lies over the
// editor's place is hidden while something newer asks there.
func (g *guests) arrange() {
	u := g.ui
	shown, covered := u.shown, false
	for _, p := range slices.Backward(g.prompts) {
		switch {
		case p.overlay != nil:
			p.overlay.SetHidden(covered || p.hidden)
		case !covered:
			shown, covered = p.c, true
		}
	}
	u.area.Clear()
	u.area.Add(shown)
	blocked := slices.ContainsFunc(g.prompts, func(p *prompt) bool { return p.blocks && (p.overlay != nil || p.c == shown) })
	u.status.block(blocked)
	focus := shown
	for _, p := range slices.Backward(g.prompts) {
		if p.overlay == nil || !p.hidden && !p.aside {
			focus = p.c
			break
		}
	}
	u.p.SetFocus(focus)
	for _, p := range g.prompts {
		if p.handle != nil {
			p.handle.tell(p.c == focus)
		}
	}
}

// ask shows a prompt and waits for its answer. It must not be called on the
// program's goroutine. build makes the prompt, there; it gets the function to
// answer with. ok is false when nobody answered.
func ask[T any](ctx context.Context, s *guestUI, build func(p *prompt, answer func(v T, ok bool))) (value T, ok bool) {
	g := s.g
	type result struct {
		value T
		ok    bool
	}
	done := make(chan result, 1)
	var once sync.Once
	p := &prompt{}
	answer := func(v T, ok bool) {
		once.Do(func() { done <- result{v, ok} })
	}
	var zero T
	p.cancel = func() {
		answer(zero, false)
		g.remove(p)
	}
	if ctx.Err() != nil || !g.ui.p.Do(func() {
		switch {
		case ctx.Err() != nil:
			return
		case !s.live():
			answer(zero, false)
			return
		}
		build(p, func(v T, ok bool) {
			answer(v, ok)
			g.remove(p)
		})
		g.push(p)
	}) {
		return zero, false
	}
	select {
	case r := <-done:
		return r.value, r.ok
	case <-ctx.Done():
	case <-g.ui.ctx.Done():
	}
	g.ui.p.Do(p.cancel)
	return zero, false
}

// limited ends a question with its time.
func limited(ctx context.Context, o extension.DialogOptions) (_ context.Context, end func(), deadline time.Time) {
	if o.Timeout <= 0 {
		return ctx, func() {}, time.Time{}
	}
	ctx, cancel := context.WithTimeout(ctx, o.Timeout)
	deadline, _ = ctx.Deadline()
	return ctx, cancel, deadline
}

// dialog is a question in the editor's place.
type dialog struct {
	ui       *ui
	title    string
	message  string
	hint     []string
	body     tui.Component
	deadline time.Time // zero: it waits for ever
	keys     func(k input.Key) bool
}

// dialog makes the prompt of a question; time that runs out is seen to do so.
func (g *guests) dialog(p *prompt, d *dialog) {
	d.ui, p.c = g.ui, d
	if !d.deadline.IsZero() {
		p.closed = g.ui.p.Every(time.Second, func() {})
	}
}

// Render gives the lines.
func (d *dialog) Render(width int) []string {
	l := d.ui.look
	_, height := d.ui.p.Size()
	if list, ok := d.body.(*tui.SelectList); ok {
		list.Style, list.MaxRows = l.list, d.ui.pickerRows()
	}
	if e, ok := d.body.(*tui.Editor); ok {
		e.Title, e.Style = "", tui.EditorStyle{Border: l.theme.Fg("borderAccent"), Paste: l.theme.Fg("accent"), Placeholder: l.theme.Fg("dim"), List: l.list}
		e.MaxRows = max(height/2-4, 3)
	}
	title := oneLine(d.title)
	rule := tui.Rule{Style: l.theme.Fg("borderAccent")}
	var above []string
	e, writes := d.body.(*tui.Editor)
	if text.Width(title)+6 <= width {
		rule.Title = l.bold("accent", title)
	} else {
		above = paragraph(l.bold("accent", Clean(strings.TrimSpace(d.title))), width)
	}
	var out []string
	if writes && above == nil { // it has a line above
		e.Title = rule.Title
	} else {
		out = append(out, rule.Render(width)...)
	}
	if d.message != "" {
		above = append(above, paragraph(Clean(strings.TrimSpace(d.message)), width)...)
	}
	if most := max(height/3, 3); len(above) > most {
		above = append(above[:most-1], " "+l.fg("dim", "…"))
	}
	out = append(out, above...)
	out = append(out, d.body.Render(width)...)
	hint := d.hint
	if !d.deadline.IsZero() {
		left := max(time.Until(d.deadline), 0)
		hint = append(slices.Clone(hint), fmt.Sprintf("%d s left", int((left+time.Second-1)/time.Second)))
	}
	return append(out, l.hints(hint, width)...)
}

// paragraph wraps a text with a column free on both sides.
func paragraph(s string, width int) []string {
	t := tui.NewText(s)
	t.PadX = 1
	return slices.Clone(t.Render(width))
}

// HandleInput passes keys on.
func (d *dialog) HandleInput(ev input.Event) bool {
	if k, ok := ev.(input.Key); ok && k.Action != input.Release && d.keys != nil && d.keys(k) {
		return true
	}
	h, ok := d.body.(tui.Handler)
	return ok && h.HandleInput(ev)
}

// SetFocused shows or hides the cursor.
func (d *dialog) SetFocused(on bool) {
	if f, ok := d.body.(tui.Focusable); ok {
		f.SetFocused(on)
	}
}

// CapturesScrolling tells that the keys that scroll are for what asks.
func (d *dialog) CapturesScrolling() bool {
	_, list := d.body.(*tui.SelectList)
	return list
}

// Invalidate makes it be drawn anew.
func (d *dialog) Invalidate() { tui.Invalidate(d.body) }

// choose asks for one of some options.
func (s *guestUI) choose(ctx context.Context, title, message string, items []tui.ListItem, o extension.DialogOptions) (string, bool) {
	ctx, end, deadline := limited(ctx, o)
	defer end()
	return ask(ctx, s, func(p *prompt, answer func(string, bool)) {
		list := tui.NewSelectList(s.g.ui.keys, items...)
		list.OnSelect = func(it tui.ListItem) { answer(it.Value, true) }
		list.OnCancel = func() { answer("", false) }
		d := &dialog{title: title, message: message, body: list, deadline: deadline, hint: []string{"enter chooses", "escape cancels"}}
		if len(items) > 8 {
			list.Typing = true
			d.hint = append([]string{"type to filter"}, d.hint...)
		}
		s.g.dialog(p, d)
	})
}

// Select asks for one of some options.
func (s *guestUI) Select(ctx context.Context, title string, options []string, o extension.DialogOptions) (string, bool) {
	items := make([]tui.ListItem, len(options))
	for i, opt := range options {
		items[i] = tui.ListItem{Value: opt, Label: oneLine(opt)}
	}
	if len(items) == 0 {
		return "", false
	}
	return s.choose(ctx, title, "", items, o)
}

// Confirm asks a question that is answered by yes or no.
func (s *guestUI) Confirm(ctx context.Context, title, message string, o extension.DialogOptions) bool {
	answer, _ := s.choose(ctx, title, message, []tui.ListItem{{Value: "yes", Label: "Yes"}, {Value: "no", Label: "No"}}, o)
	return answer == "yes"
}

// Input asks for a line.
func (s *guestUI) Input(ctx context.Context, title, placeholder string, o extension.DialogOptions) (string, bool) {
	ctx, end, deadline := limited(ctx, o)
	defer end()
	return ask(ctx, s, func(p *prompt, answer func(string, bool)) {
		in := tui.NewInput(s.g.ui.keys)
		in.Placeholder = oneLine(placeholder)
		in.OnSubmit = func(v string) { answer(v, true) }
		in.OnCancel = func() { answer("", false) }
		s.g.dialog(p, &dialog{title: title, body: in, deadline: deadline, hint: []string{"enter takes it", "escape cancels"}})
	})
}

// Editor asks for a text.
func (s *guestUI) Editor(ctx context.Context, title, prefill string) (string, bool) {
	return ask(ctx, s, func(p *prompt, answer func(string, bool)) {
		u := s.g.ui
		e := tui.NewEditor(u.keys)
		e.SetVi(u.settings.ViKeys)
		e.SetText(prefill)
		e.OnSubmit = func(v string) { answer(v, true) }
		d := &dialog{title: title, body: e, hint: []string{"enter takes it", "escape cancels"}}
		for _, h := range []struct{ action, does string }{{"tui.input.newLine", "new line"}, {"app.editor.external", "your own editor"}} {
			if k := u.keys.Text(h.action); k != "" {
				d.hint = append(d.hint, k+" "+h.does)
			}
		}
		d.keys = func(k input.Key) bool {
			switch {
			case e.ViTakes(k):
			case u.keys.Is(k, "tui.select.cancel"):
				answer("", false)
				return true
			case u.keys.Is(k, "app.editor.external"):
				e.SetText(u.editExternally(e.Text()))
				return true
			}
			return false
		}
		s.g.dialog(p, d)
	})
}
