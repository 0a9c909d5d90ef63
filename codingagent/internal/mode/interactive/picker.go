package interactive

import (
	"strings"

	"github.com/pi-go/pi/tui"
	"github.com/pi-go/pi/tui/input"
	"github.com/pi-go/pi/tui/text"
)

// picker takes the editor's place to let the person choose something.
type picker struct {
	ui    *ui
	title string
	hint  []string
	list  *tui.SelectList
	// filter, if not nil, is what was typed where the list does not filter itself.
	filter func() string
	// below, if not nil, gives lines that come below the list.
	below func(width int) []string
	// keys may take a key before the list does.
	keys func(k input.Key) bool
	// paste takes pastes in the place of the list, if it is not nil.
	paste func(p input.Paste)
}

// pick lets the person choose from a list. chosen is called with what was
// chosen, after the editor is back.
func (u *ui) pick(title string, items []tui.ListItem, chosen func(tui.ListItem)) *picker {
	p := &picker{ui: u, title: title, hint: []string{"type to filter", "enter chooses", "escape cancels"}}
	p.list = tui.NewSelectList(u.keys, items...)
	p.list.Typing, p.list.Style, p.list.MaxRows = true, u.look.list, u.pickerRows()
	p.list.OnCancel = u.back
	p.list.OnSelect = func(it tui.ListItem) {
		u.back()
		chosen(it)
	}
	u.show(p)
	return p
}

// pickerRows is how many entries a picker shows.
func (u *ui) pickerRows() int {
	_, height := u.p.Size()
	return min(max(height-8, 3), 12)
}

// show puts a component in the editor's place.
func (u *ui) show(c tui.Component) {
	u.shown = c
	if u.guests != nil && len(u.guests.prompts) > 0 {
		u.guests.arrange() // what extensions ask comes first
		return
	}
	u.area.Clear()
	u.area.Add(c)
	u.p.SetFocus(c)
}

// back brings the editor back.
func (u *ui) back() { u.show(u.box) }

// Render gives the lines.
func (p *picker) Render(width int) []string {
	l := p.ui.look
	p.list.Style, p.list.MaxRows = l.list, p.ui.pickerRows()
	rule := tui.Rule{Style: l.theme.Fg("borderAccent"), Title: l.bold("accent", p.title)}
	lines := rule.Render(width)
	out := append([]string(nil), lines...)
	f := p.list.Filter()
	if p.filter != nil {
		f = p.filter()
	}
	if f != "" {
		out = append(out, text.Truncate(" "+l.fg("muted", "filter: ")+f, width, "…"))
	}
	out = append(out, p.list.Render(width)...)
	if p.below != nil {
		out = append(out, p.below(width)...)
	}
	return append(out, l.hints(p.hint, width)...)
}

// hints joins short hints in as many lines as they need.
func (l *look) hints(parts []string, width int) []string {
	lines := wrapJoined(parts, " · ", " ", width)
	for i, line := range lines {
		lines[i] = l.fg("dim", line)
	}
	return fit(lines, width)
}

// HandleInput passes keys on.
func (p *picker) HandleInput(ev input.Event) bool {
	if k, ok := ev.(input.Key); ok && k.Action != input.Release && p.keys != nil && p.keys(k) {
		return true
	}
	if e, ok := ev.(input.Paste); ok && p.paste != nil {
		p.paste(e)
		return true
	}
	before, marked := p.list.Filter(), ""
	if it, ok := p.list.Selected(); ok {
		marked = it.Value
	}
	used := p.list.HandleInput(ev)
	if now := p.list.Filter(); now != before && strings.HasPrefix(before, now) {
		p.list.Select(marked) // what was found stays marked among more
	}
	return used
}

// CapturesScrolling tells that the keys that scroll are for the list.
func (p *picker) CapturesScrolling() bool { return true }

// question asks for a line of text.
type question struct {
	ui    *ui
	title string
	hint  []string
	line  *tui.Input
	// keys may take a key before the line does.
	keys func(k input.Key) bool
}

// ask lets the person write a line. masked hides what is typed. cancelled may
// be nil.
func (u *ui) ask(title, value string, masked bool, answered func(string), cancelled func()) *question {
	q := &question{ui: u, title: title, hint: []string{"enter takes it", "escape cancels"}, line: tui.NewInput(u.keys)}
	q.line.Masked = masked
	q.line.SetValue(value)
	q.line.OnSubmit = func(s string) {
		u.back()
		answered(s)
	}
	q.line.OnCancel = func() {
		u.back()
		if cancelled != nil {
			cancelled()
		}
	}
	u.show(q)
	return q
}

// Render gives the lines.
func (q *question) Render(width int) []string {
	l := q.ui.look
	rule := tui.Rule{Style: l.theme.Fg("borderAccent"), Title: l.bold("accent", q.title)}
	out := append([]string(nil), rule.Render(width)...)
	out = append(out, q.line.Render(width)...)
	return append(out, l.hints(q.hint, width)...)
}

// HandleInput passes keys on.
func (q *question) HandleInput(ev input.Event) bool {
	if k, ok := ev.(input.Key); ok && k.Action != input.Release && q.keys != nil && q.keys(k) {
		return true
	}
	return q.line.HandleInput(ev)
}

// SetFocused shows or hides the cursor.
func (q *question) SetFocused(on bool) { q.line.SetFocused(on) }
