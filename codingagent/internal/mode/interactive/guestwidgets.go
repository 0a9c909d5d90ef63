package interactive

import (
	"maps"
	"slices"
	"strings"

	"github.com/pi-go/pi/codingagent/extension"
	"github.com/pi-go/pi/codingagent/internal/mode/interactive/guest"
	"github.com/pi-go/pi/tui"
	"github.com/pi-go/pi/tui/text"
)

// widgetLines is how many lines a widget of lines has at most.
const widgetLines = 10

// widget is something beside the editor: lines, or a component.
type widget struct {
	key   string
	lines []string
	c     *guest.Component
	below bool
	ui    *ui
	last  []string
	width int
}

func (w *widget) empty() bool { return w.c == nil && len(w.lines) == 0 }

func (w *widget) close() {
	if w.c != nil {
		w.c.Close()
	}
}

// Render gives the lines; of a component as many as leave room for the rest.
func (w *widget) Render(width int) []string {
	if w.c != nil {
		lines := w.c.Render(width)
		if _, height := w.ui.p.Size(); len(lines) > max(height/2, 3) {
			return lines[:max(height/2, 3)]
		}
		return lines
	}
	if w.last != nil && w.width == width {
		return w.last
	}
	w.width = width
	w.last = make([]string, 0, widgetLines+1)
	for i, l := range w.lines {
		if i == widgetLines {
			w.last = append(w.last, " "+w.ui.look.fg("dim", "… "+count(len(w.lines)-i, "more line")))
			break
		}
		w.last = append(w.last, strings.ReplaceAll(guest.Styled(l), "\n", " "))
	}
	fit(w.last, width)
	return w.last
}

// Invalidate makes it be drawn anew.
func (w *widget) Invalidate() {
	w.last = nil
	if w.c != nil {
		w.c.Invalidate()
	}
}

// setWidget puts a widget in the place of the one of that key, or takes it away.
func (g *guests) setWidget(w *widget) {
	w.ui = g.ui
	i := slices.IndexFunc(g.widgets, func(o *widget) bool { return o.key == w.key })
	switch {
	case i < 0 && w.empty():
		return
	case i < 0:
		g.widgets = append(g.widgets, w)
	default:
		g.widgets[i].close()
		if w.empty() {
			g.widgets = slices.Delete(g.widgets, i, i+1)
		} else {
			g.widgets[i] = w
		}
	}
	g.arrangeWidgets()
}

func (g *guests) arrangeWidgets() {
	g.above.Clear()
	g.below.Clear()
	for _, w := range g.widgets {
		if w.below {
			g.below.Add(w)
		} else {
			g.above.Add(w)
		}
	}
}

// statusLine shows the statuses below the footer.
type statusLine struct {
	g     *guests
	texts map[string]string
	lines []string
	width int
}

func (s *statusLine) set(key, t string) {
	if s.texts == nil {
		s.texts = map[string]string{}
	}
	if t = strings.TrimSpace(strings.ReplaceAll(guest.Styled(t), "\n", " ")); t == "" {
		delete(s.texts, key)
	} else {
		s.texts[key] = t
	}
	s.lines = nil
}

func (s *statusLine) clear() {
	for key := range s.texts {
		s.g.facts.status(key, "")
	}
	s.texts, s.lines = nil, nil
}

// Render gives a line, or none; a footer of an extension shows them itself.
func (s *statusLine) Render(width int) []string {
	if len(s.texts) == 0 || s.g.footer != nil {
		return nil
	}
	if s.lines == nil || s.width != width {
		var parts []string
		for _, key := range slices.Sorted(maps.Keys(s.texts)) {
			parts = append(parts, s.g.ui.look.theme.Fg("dim").Paint(s.texts[key]))
		}
		s.width, s.lines = width, []string{text.Truncate(" "+strings.Join(parts, "  "), width, "…")}
	}
	return s.lines
}

// Invalidate makes it be drawn anew.
func (s *statusLine) Invalidate() { s.lines = nil }

// header is at the top of the conversation, in the place of the greeting.
type header struct {
	g     *guests
	c     *guest.Component
	item  *tui.Item
	own   []tui.Component // the greeting, while it is not shown
	items []*tui.Item     // where it was
}

func (h *header) touch() {
	if h.item != nil {
		h.item.Touch()
	}
}

// set shows a component of an extension, or the greeting with nil.
func (h *header) set(c *guest.Component) {
	if h.c != nil {
		h.c.Close()
	}
	h.c = c
	if h.item != nil {
		h.item.Remove()
		h.item = nil
	}
	for i, it := range h.items {
		it.Replace(h.own[i])
	}
	h.items, h.own = nil, nil
	if c == nil {
		return
	}
	t := h.g.ui.p.Transcript
	for i := range t.Len() {
		if it := t.Item(i); isGreeting(it.Component()) {
			h.items, h.own = append(h.items, it), append(h.own, it.Component())
			it.Replace(tui.Spacer(0))
		}
	}
	h.item = t.Insert(0, c)
}

// again shows the header in a transcript that begins anew.
func (h *header) again() {
	h.item, h.items, h.own = nil, nil, nil
	if h.c != nil {
		h.item = h.g.ui.p.Transcript.Insert(0, h.c)
	}
}

func isGreeting(c tui.Component) bool {
	_, ok := c.(*greeting)
	return ok
}

// setFooter shows a component of an extension as the footer, or our own with nil.
func (g *guests) setFooter(c *guest.Component) {
	if g.footer != nil {
		g.footer.Close()
	}
	g.footer = c
	g.footing.Clear()
	if c != nil {
		g.footing.Add(c)
	} else {
		g.footing.Add(g.ui.foot)
	}
}

// dress has the indicator look as an extension wants it.
func (s *status) dress(w extension.Working) {
	running := s.doing != ""
	s.loader.Stop()
	own := newStatus(s.ui).loader
	s.loader.Frames, s.loader.Interval = own.Frames, own.Interval
	if w.Frames != nil {
		s.loader.Frames = nil
		for _, f := range w.Frames {
			s.loader.Frames = append(s.loader.Frames, oneLine(f))
		}
	}
	if w.Interval > 0 {
		s.loader.Interval = w.Interval
	}
	if running {
		s.loader.Start()
	}
}

// activity is what the agent is doing, in the words of an extension if it has
// some.
func (s *status) activity() string {
	if w := s.ui.guests.working; w.Message != "" {
		return oneLine(w.Message)
	}
	return s.doing + "…"
}
