package guest

import (
	"fmt"
	"reflect"
	"slices"
	"strings"
	"sync"

	"github.com/pi-go/pi/codingagent/extension"
	"github.com/pi-go/pi/tui"
	"github.com/pi-go/pi/tui/input"
	"github.com/pi-go/pi/tui/text"
)

// Component is a component of an extension as one of the screen. It takes keys
// and the focus if what it shows does; also components of the terminal library
// may be shown in it.
type Component struct {
	calls *Calls
	inner extension.Component
	host  *Host
	what  string

	lines []string // as they were shown last
	width int

	mu     sync.Mutex
	drawn  bool // there is a drawing that was not shown yet
	fresh  []string
	freshW int
	failed bool // the last drawing panicked
	told   bool // about lines that are too wide
}

// Component makes a component of one of an extension; what names it in messages.
func (h *Host) Component(what string, c extension.Component) *Component {
	return &Component{calls: h.Calls(what), inner: c, host: h, what: what}
}

// ComponentOn is Component with calls that other code of the guest knows.
func (h *Host) ComponentOn(calls *Calls, what string, c extension.Component) *Component {
	return &Component{calls: calls, inner: c, host: h, what: what}
}

// Shows reports whether it shows a component; such as can not be compared are none.
func (c *Component) Shows(inner extension.Component) bool {
	return inner != nil && reflect.TypeOf(inner).Comparable() && reflect.TypeOf(c.inner).Comparable() && c.inner == inner
}

// Inner is what it shows.
func (c *Component) Inner() extension.Component { return c.inner }

// Render gives the lines, cut at the edge; those of before while it is still
// drawing.
func (c *Component) Render(width int) []string {
	width = max(width, 1)
	if c.take(width) {
		return c.lines
	}
	done := c.calls.Do(func() { c.draw(width) })
	if done && c.take(width) {
		return c.lines
	}
	if c.width == width && c.lines != nil {
		return c.lines
	}
	if c.lines == nil {
		return []string{text.Truncate(fmt.Sprintf("[%s is not drawn yet]", c.what), width, "…")}
	}
	return clip(slices.Clone(c.lines), width)
}

// draw has the lines drawn, on the goroutine of the component.
func (c *Component) draw(width int) {
	var lines []string
	err := Contained(func() { lines = c.inner.Render(width) })
	widest := 0
	if err == nil {
		lines, widest = harmless(lines, width)
	} else {
		lines = []string{text.Truncate(fmt.Sprintf("[%s could not be drawn]", c.what), width, "…")}
	}
	c.mu.Lock()
	c.fresh, c.freshW, c.drawn = lines, width, true
	tell := err != nil && !c.failed
	c.failed = err != nil
	if widest > width && !c.told {
		c.told, tell = true, true
		err = fmt.Errorf("it drew a line of %d columns where there are %d; it was cut", widest, width)
	}
	c.mu.Unlock()
	if tell {
		c.host.Fault(c.what, err)
	}
}

// take shows a drawing for a width, if there is one.
func (c *Component) take(width int) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	if !c.drawn || c.freshW != width {
		return false
	}
	c.drawn = false
	if c.width != width || !slices.Equal(c.lines, c.fresh) {
		c.lines, c.width = c.fresh, width // else the same slice says that nothing changed
	}
	if c.lines == nil {
		c.lines = []string{}
	}
	return true
}

// HandleInput passes a key on.
func (c *Component) HandleInput(ev input.Event) (used bool) {
	var handle func() bool
	switch inner := c.inner.(type) {
	case extension.KeyHandler:
		k, ok := KeyOf(ev)
		if !ok {
			return false
		}
		handle = func() bool { return inner.HandleKey(k) }
	case tui.Handler:
		handle = func() bool { return inner.HandleInput(ev) }
	default:
		return false
	}
	if c.calls.Stuck() {
		return false // others may use it
	}
	answer := make(chan bool, 1)
	if !c.calls.Do(func() { answer <- handle() }) {
		return true // it still works on it
	}
	select {
	case used = <-answer:
	default: // it panicked
	}
	return used
}

// HandleMouse passes on what the mouse did over the component.
func (c *Component) HandleMouse(m extension.Mouse) (used bool) {
	h, ok := c.inner.(extension.MouseHandler)
	if !ok || c.calls.Stuck() {
		return false
	}
	answer := make(chan bool, 1)
	if !c.calls.Do(func() { answer <- h.HandleMouse(m) }) {
		return true // it still works on it
	}
	select {
	case used = <-answer:
	default: // it panicked
	}
	return used
}

// Calls gives what runs the component's code.
func (c *Component) Calls() *Calls { return c.calls }

// CapturesScrolling tells that the keys are for the component first.
func (c *Component) CapturesScrolling() bool {
	switch c.inner.(type) {
	case extension.KeyHandler, tui.Handler:
		return true
	}
	return false
}

// WantsKeyRelease asks the component.
func (c *Component) WantsKeyRelease() bool {
	w, ok := c.inner.(tui.ReleaseWanter)
	return ok && w.WantsKeyRelease()
}

// SetFocused tells the component, and does not wait for it.
func (c *Component) SetFocused(on bool) {
	if f, ok := c.inner.(tui.Focusable); ok {
		c.calls.Post(func() { f.SetFocused(on) })
	}
}

// Invalidate tells the component, and does not wait for it.
func (c *Component) Invalidate() {
	if i, ok := c.inner.(tui.Invalidator); ok {
		c.calls.Post(i.Invalidate)
	}
}

// Close ends what the component has running, and does not wait for it.
func (c *Component) Close() {
	switch inner := c.inner.(type) {
	case interface{ Close() }:
		c.calls.Post(inner.Close)
	case interface{ Close() error }:
		c.calls.Post(func() {
			if err := inner.Close(); err != nil {
				c.host.Fault(c.what, err)
			}
		})
	}
}

// Stuck reports whether the component has not come back from a call.
func (c *Component) Stuck() bool { return c.calls.Stuck() }

// Failed reports whether it panicked when it was drawn last.
func (c *Component) Failed() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.failed
}

// harmless makes lines of what somebody drew: nothing in them moves the cursor,
// each is one line, ends in the default style, and is no wider than width. It
// also tells how wide the widest was.
func harmless(lines []string, width int) (out []string, widest int) {
	out = make([]string, 0, len(lines))
	for _, l := range lines {
		for part := range strings.SplitSeq(Styled(l), "\n") {
			part = ended(part)
			widest = max(widest, text.Width(part))
			out = append(out, part)
		}
	}
	return clip(out, width), widest
}

func clip(lines []string, width int) []string {
	for i, l := range lines {
		if text.Width(l) > width {
			lines[i] = text.Truncate(l, width, "")
		}
	}
	return lines
}

// Styled cleans a text from elsewhere but for its colours, and the mark of the
// cursor; it ends in the default style.
func Styled(s string) string {
	parts := strings.SplitN(s, tui.CursorMarker, 2)
	for i, p := range parts {
		parts[i] = text.SanitizeWith(p, text.SanitizeOptions{KeepStyles: true})
	}
	return ended(strings.ReplaceAll(strings.Join(parts, tui.CursorMarker), "\t", "    "))
}

// ended ends a line in the default style.
func ended(s string) string {
	if strings.Contains(s, "\x1b[") && !strings.HasSuffix(s, "\x1b[0m") {
		s += "\x1b[0m"
	}
	return s
}
