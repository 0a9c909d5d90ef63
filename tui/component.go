package tui

import (
	"fmt"
	"slices"

	"github.com/pi-go/pi/tui/input"
	"github.com/pi-go/pi/tui/text"
)

// Component is something that can be drawn. It knows nothing of where it stands
// or of what is drawn around it.
type Component interface {
	// Render returns the component's lines for a width in columns: text with
	// styles and links, each line ending in the default style, none wider than
	// width. The caller does not change the slice, and neither does the component
	// after it has returned it; it may return the same slice again as long as
	// nothing has changed, which makes drawing cheap.
	Render(width int) []string
}

// Handler is a component that takes input while it has the focus. HandleInput
// reports whether it has used the event; one that is not used goes on to the
// program's own keys, such as those that scroll.
type Handler interface {
	HandleInput(ev input.Event) (used bool)
}

// Focusable is a component that looks different while it has the focus.
type Focusable interface {
	SetFocused(focused bool)
}

// Invalidator is a component that keeps what it has drawn. Invalidate makes it
// draw anew, as after a change of the theme.
type Invalidator interface {
	Invalidate()
}

// Capturer is a component that wants the keys that scroll a full-screen
// transcript for itself, as lists do.
type Capturer interface {
	CapturesScrolling() bool
}

// ReleaseWanter is a component that wants to know when keys are released. Only
// some terminals tell.
type ReleaseWanter interface {
	WantsKeyRelease() bool
}

// CursorMarker marks, in a line, the place of the terminal's cursor: in front of
// the cell under it. Input methods open their windows there. The marker takes no
// column and never reaches the terminal.
const CursorMarker = "\x1b_pi:c\a"

// Func makes a Component of a function.
type Func func(width int) []string

// Render calls f.
func (f Func) Render(width int) []string { return f(width) }

// Lines is a Component of lines that are drawn as they are, cut at the edge.
type Lines []string

// Render returns the lines, cut to width.
func (l Lines) Render(width int) []string {
	for i, line := range l {
		if text.Width(line) > width {
			cut := slices.Clone(l)
			for j := i; j < len(cut); j++ {
				cut[j] = text.Truncate(cut[j], width, "")
			}
			return cut
		}
	}
	return l
}

// Spacer is a Component of a number of empty lines.
type Spacer int

// Render returns the empty lines.
func (s Spacer) Render(int) []string { return make([]string, max(int(s), 0)) }

// Container stacks components. The zero Container is empty and ready to use.
type Container struct {
	children []Component
	report   func(error)
	lines    []string
	last     []rendered
}

// rendered is what a child returned the last time.
type rendered struct {
	lines []string
	width int
}

// NewContainer returns a container of components.
func NewContainer(children ...Component) *Container {
	return &Container{children: children}
}

// Add adds components at the end.
func (c *Container) Add(children ...Component) { c.children = append(c.children, children...) }

// Insert adds a component at an index, 0 ≤ at ≤ Len.
func (c *Container) Insert(at int, child Component) {
	c.children = slices.Insert(c.children, at, child)
}

// Remove removes a component, if it is there. A [Func] or [Lines] can not be told
// from another one, so it is not found.
func (c *Container) Remove(child Component) {
	c.children = slices.DeleteFunc(c.children, func(x Component) bool { return same(x, child) })
}

// same compares components, of which some types can not be compared.
func same(a, b Component) (equal bool) {
	defer func() { _ = recover() }() // two slices or functions: not the same
	return a == b
}

// Clear removes all components.
func (c *Container) Clear() { c.children = nil }

// Len returns the number of components.
func (c *Container) Len() int { return len(c.children) }

// Children returns the components, in order.
func (c *Container) Children() []Component { return slices.Clone(c.children) }

// Render returns the lines of all components, one below the other. The same
// slice is returned as long as all components return the same.
func (c *Container) Render(width int) []string {
	changed := len(c.last) != len(c.children)
	c.last = slices.Grow(c.last[:min(len(c.last), len(c.children))], len(c.children))[:len(c.children)]
	total := 0
	for i, child := range c.children {
		lines := draw(child, width, c.report)
		if c.last[i].width != width || !sameLines(c.last[i].lines, lines) {
			c.last[i] = rendered{lines, width}
			changed = true
		}
		total += len(lines)
	}
	if !changed {
		return c.lines
	}
	c.lines = make([]string, 0, total)
	for _, r := range c.last {
		c.lines = append(c.lines, r.lines...)
	}
	return c.lines
}

// sameLines reports whether two slices are the same memory.
func sameLines(a, b []string) bool {
	return len(a) == len(b) && (len(a) == 0 || &a[0] == &b[0])
}

// Invalidate makes all components draw anew.
func (c *Container) Invalidate() {
	c.last, c.lines = nil, nil // also when no child is left that would differ
	for _, child := range c.children {
		Invalidate(child)
	}
}

// Invalidate makes a component draw anew, if it keeps what it has drawn.
func Invalidate(c Component) {
	if i, ok := c.(Invalidator); ok {
		i.Invalidate()
	}
}

// draw renders a component. One that panics is shown as a notice, so that the
// rest of the program goes on.
func draw(c Component, width int, report func(error)) (lines []string) {
	defer func() {
		if r := recover(); r != nil {
			err := fmt.Errorf("draw %T: panic: %v", c, r)
			if report != nil {
				report(err)
			}
			lines = []string{text.Truncate(fmt.Sprintf("[%T could not be drawn]", c), width, "…")}
		}
	}()
	return c.Render(width)
}
