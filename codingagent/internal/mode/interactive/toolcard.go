package interactive

import (
	"encoding/json"
	"slices"
	"time"

	"github.com/pi-go/pi/agentcore"
	"github.com/pi-go/pi/ai"
	"github.com/pi-go/pi/tui"
	"github.com/pi-go/pi/tui/text"
)

// cardState is how far a call has come.
type cardState uint8

const (
	cardWriting cardState = iota // the model writes the arguments
	cardWaiting                  // they are there, the tool has not begun
	cardRunning
	cardDone
	cardFailed
	cardDropped // will not be run
)

// toolCard shows a call of a tool: what it is to do, how it gets on, and what
// came of it. What is shown is worked out when it is drawn, and only then.
type toolCard struct {
	ui   *ui
	item *tui.Item
	id   string
	name string

	state   cardState
	partial string          // arguments as far as they were written
	args    json.RawMessage // whole ones
	result  agentcore.ToolResult
	began   time.Time
	took    time.Duration
	dropped string
	images  *gallery // of the result
	guest   guestCard

	// What was parsed of the arguments, and of how much text.
	fields   map[string]json.RawMessage
	parsed   int
	complete bool

	lines []string
	width int
	open  bool
	tick  int // the second that is shown of a running one
}

func newToolCard(u *ui, id, name string) *toolCard { return &toolCard{ui: u, id: id, name: name} }

func (c *toolCard) touch() {
	c.lines = nil
	if c.item != nil {
		c.item.Touch()
	}
}

// call takes the call from an answer.
func (c *toolCard) call(b *ai.ToolCall, done bool) {
	c.id, c.name = b.ID, b.Name
	if done {
		if c.state == cardWriting {
			c.state = cardWaiting
		}
		c.setArguments(b.Arguments)
	} else {
		c.partial = b.Partial
	}
	c.touch()
}

func (c *toolCard) setArguments(args json.RawMessage) {
	c.args, c.complete, c.partial = args, true, ""
	c.fields, c.parsed = nil, -1
}

func (c *toolCard) start(args json.RawMessage) {
	c.setArguments(args)
	c.state, c.began = cardRunning, time.Now()
	if c.item != nil {
		c.item.SetLive(true)
	}
	c.touch()
}

func (c *toolCard) progress(r agentcore.ToolResult) {
	if c.state == cardRunning {
		c.result = r
		c.touch()
	}
}

func (c *toolCard) end(r agentcore.ToolResult, took time.Duration) {
	c.result, c.took, c.state = r, took, cardDone
	c.images = newGallery(c.ui, r.Content)
	if r.IsError {
		c.state = cardFailed
	}
	if c.item != nil {
		c.item.SetLive(false)
	}
	c.touch()
}

// drop marks a call that will not be run.
func (c *toolCard) drop(why string) {
	if c.state == cardWriting || c.state == cardWaiting {
		c.state, c.dropped = cardDropped, why
		c.touch()
	}
}

// arguments gives the fields of the arguments. While they are being written a
// long text is read again only when it has grown by a part, so that the work
// stays in proportion.
func (c *toolCard) arguments() map[string]json.RawMessage {
	switch {
	case c.complete && c.parsed >= 0, !c.complete && c.fields != nil && len(c.partial) < c.parsed+c.parsed/8:
		return c.fields
	}
	raw := c.args
	if !c.complete {
		raw = ai.CompleteJSON(c.partial)
	}
	c.parsed, c.fields = len(c.partial), map[string]json.RawMessage{}
	_ = json.Unmarshal(raw, &c.fields) // what can not be read is not shown
	return c.fields
}

// text gives an argument that is a text.
func (c *toolCard) text(key string) string {
	var s string
	_ = json.Unmarshal(c.arguments()[key], &s)
	return s
}

// number gives an argument that is a number, 0 if it is not there.
func (c *toolCard) number(key string) int {
	var n float64
	_ = json.Unmarshal(c.arguments()[key], &n)
	return int(n)
}

// output is the text of the result.
func (c *toolCard) output() string { return ai.TextOf(c.result.Content, "\n") }

// Render gives the lines.
func (c *toolCard) Render(width int) []string {
	tick := 0
	if c.state == cardRunning {
		tick = int(time.Since(c.began).Seconds())
	}
	if c.lines != nil && c.width == width && c.open == c.ui.expanded && c.tick == tick {
		return c.lines
	}
	c.width, c.open, c.tick = width, c.ui.expanded, tick
	v := viewOf(c)
	lines := make([]string, 0, 2+len(v.title)+len(v.body))
	lines = append(lines, "")
	if v.bare {
		c.lines = append(fit(slices.Concat(lines, v.title, v.body), width), c.images.lines(width)...)
		return c.lines
	}
	for i, t := range v.title {
		lead := "   "
		if i == 0 {
			lead = " " + c.marker() + " "
		}
		lines = append(lines, lead+t)
	}
	for _, b := range v.body {
		lines = append(lines, "   "+b)
	}
	c.lines = append(fit(lines, width), c.images.lines(width)...)
	return c.lines
}

// marker shows the state in front of the title.
func (c *toolCard) marker() string {
	l := c.ui.look
	switch c.state {
	case cardRunning:
		return l.fg("accent", "●")
	case cardDone:
		return l.fg("success", "●")
	case cardFailed:
		return l.fg("error", "✗")
	case cardDropped:
		return l.fg("dim", "○")
	}
	return l.fg("muted", "○")
}

// Invalidate makes it be drawn anew.
func (c *toolCard) Invalidate() {
	c.lines = nil
	c.images.invalidate()
}

// inner is the width of a card's body.
func (c *toolCard) inner() int { return max(c.width-4, 1) }

// block shows lines of a text in a colour: all of them, wrapped, when output is
// unfolded, else n from one end, cut at the edge.
func (c *toolCard) block(token, s string, n int, tail bool) []string {
	if s == "" {
		return nil
	}
	s = lastStates(s)
	st := c.ui.look.theme.Fg(token)
	if c.open {
		var out []string
		for _, l := range text.Wrap(Clean(s), c.inner()) {
			out = append(out, st.Render(l))
		}
		return out
	}
	var part string
	var left int
	if tail {
		part, left = lastLines(s, n)
	} else {
		part, left = firstLines(s, n)
	}
	var out []string
	for _, l := range splitLines(Clean(clipLines(part, 4*c.inner()))) {
		out = append(out, st.Render(text.Truncate(l, c.inner(), "…")))
	}
	if left > 0 {
		more := c.ui.look.fg("dim", c.ui.more(left))
		if tail {
			return append([]string{more}, out...)
		}
		out = append(out, more)
	}
	return out
}
