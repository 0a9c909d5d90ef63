package interactive

import (
	"github.com/pi-go/pi/tui"
	"github.com/pi-go/pi/tui/input"
	"github.com/pi-go/pi/tui/text"
)

// picker takes the editor's place to let the person choose something.
type picker struct {
	ui    *ui
	title string
	hint  string
	list  *tui.SelectList
	// keys may take a key before the list does.
	keys func(k input.Key) bool
}

// pick lets the person choose from a list. chosen is called with what was
// chosen, after the editor is back.
func (u *ui) pick(title string, items []tui.ListItem, chosen func(tui.ListItem)) *picker {
	p := &picker{ui: u, title: title, hint: "type to filter · enter chooses · escape cancels"}
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
	u.area.Clear()
	u.area.Add(c)
	u.p.SetFocus(c)
}

// back brings the editor back.
func (u *ui) back() { u.show(u.box) }

// Render gives the lines.
func (p *picker) Render(width int) []string {
	l := p.ui.look
	p.list.Style = l.list
	rule := tui.Rule{Style: l.theme.Fg("borderAccent"), Title: l.bold("accent", p.title)}
	lines := rule.Render(width)
	out := append([]string(nil), lines...)
	if f := p.list.Filter(); f != "" {
		out = append(out, text.Truncate(" "+l.fg("muted", "filter: ")+f, width, "…"))
	}
	out = append(out, p.list.Render(width)...)
	return append(out, text.Truncate(" "+l.fg("dim", p.hint), width, "…"))
}

// HandleInput passes keys on.
func (p *picker) HandleInput(ev input.Event) bool {
	if k, ok := ev.(input.Key); ok && k.Action != input.Release && p.keys != nil && p.keys(k) {
		return true
	}
	return p.list.HandleInput(ev)
}

// CapturesScrolling tells that the keys that scroll are for the list.
func (p *picker) CapturesScrolling() bool { return true }

// question asks for a line of text.
type question struct {
	ui    *ui
	title string
	hint  string
	line  *tui.Input
}

// ask lets the person write a line. masked hides what is typed. cancelled may
// be nil.
func (u *ui) ask(title, value string, masked bool, answered func(string), cancelled func()) *question {
	q := &question{ui: u, title: title, hint: "enter takes it · escape cancels", line: tui.NewInput(u.keys)}
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
	return append(out, text.Truncate(" "+l.fg("dim", q.hint), width, "…"))
}

// HandleInput passes keys on.
func (q *question) HandleInput(ev input.Event) bool { return q.line.HandleInput(ev) }

// SetFocused shows or hides the cursor.
func (q *question) SetFocused(on bool) { q.line.SetFocused(on) }
