package mermaid

import (
	"errors"
	"fmt"
	"strings"

	"github.com/pi-go/pi/tui/text"
)

var (
	// ErrUnknown says that a source has something that this package does not
	// understand: a kind of diagram, or a statement in it.
	ErrUnknown = errors.New("not understood")
	// ErrTooWide says that a diagram has no form that fits the width.
	ErrTooWide = errors.New("wider than there is room")
	// ErrTooLarge says that a diagram has more parts, or is more tangled, than is
	// laid out.
	ErrTooLarge = errors.New("too large to be drawn")
	// ErrEmpty says that a source has nothing to draw (yet).
	ErrEmpty = errors.New("nothing to draw")
)

// Options are how a diagram is drawn. The zero value has no width, so it fits
// nothing.
type Options struct {
	// Width is how many columns a line may take.
	Width int
	// ASCII draws lines and boxes with ASCII characters. Texts stay as they are.
	ASCII bool
	// Partial says that the source is the beginning of one that is still
	// arriving, as whole lines: what is open at its end is taken as closed.
	Partial bool
	// Ruler measures text.
	Ruler *text.Ruler
}

// Role is what a part of a line belongs to, for whoever gives it a colour.
type Role uint8

const (
	// Blank is the room between things.
	Blank Role = iota
	// Frame is the outline of a box or of a subgraph.
	Frame
	// Label is the text in a box.
	Label
	// Edge is a connection with its arrows, or a bar.
	Edge
	// EdgeLabel is the text at a connection, and what is said beside things.
	EdgeLabel
	// Title is the name of the diagram or of a subgraph.
	Title
)

// Span is a part of a line that is of one role.
type Span struct {
	Text string
	Role Role
}

// Diagram is what was drawn, line by line. No line is wider than was asked for,
// and none ends in blanks.
type Diagram [][]Span

// String returns the lines without roles.
func (d Diagram) String() string { return strings.Join(d.Lines(), "\n") }

// Lines returns the lines without roles.
func (d Diagram) Lines() []string {
	lines := make([]string, len(d))
	for i, spans := range d {
		for _, s := range spans {
			lines[i] += s.Text
		}
	}
	return lines
}

// Styles are how the parts of a diagram look, by their role.
type Styles [Title + 1]text.Style

// Paint returns the lines in colours.
func (d Diagram) Paint(st *Styles) []string {
	lines := make([]string, len(d))
	for i, spans := range d {
		for _, s := range spans {
			lines[i] += st[s.Role].Render(s.Text)
		}
	}
	return lines
}

// The most that is read of a source.
const (
	maxSource = 64 << 10
	maxLines  = 2000
)

// drawing is a diagram that has been read. draw gives its picture for a room; it
// is called with what there is to try, best first, until one fits.
type drawing interface {
	draw(t try) (*canvas, error)
}

// try is one form in which a diagram is drawn.
type try struct {
	o     Options
	wrap  int  // columns of a text before it is broken
	tight bool // little room between things
	turn  bool // in the other direction
	work  *int // steps that were needed so far, for all forms together
}

var tries = [...]try{{wrap: 30}, {wrap: 20}, {wrap: 20, tight: true}, {wrap: 30, turn: true}, {wrap: 20, tight: true, turn: true}, {wrap: 12, tight: true}, {wrap: 12, tight: true, turn: true}}

// kinds are the readers of all kinds of diagrams, by the first word of a source.
func kinds(word string) func(s *source) (drawing, error) {
	switch word {
	case "flowchart", "graph", "flowchart-elk":
		return readFlowchart
	case "stateDiagram", "stateDiagram-v2":
		return readState
	case "classDiagram", "classDiagram-v2":
		return readClass
	case "erDiagram":
		return readER
	case "sequenceDiagram":
		return readSequence
	case "pie":
		return readPie
	case "gantt":
		return readGantt
	case "timeline":
		return readTimeline
	case "mindmap":
		return readMindmap
	case "gitGraph":
		return readGit
	}
	return nil
}

// Render draws the diagram that a source describes. The error wraps one of
// [ErrUnknown], [ErrTooWide], [ErrTooLarge] and [ErrEmpty]; the diagram is nil then.
func Render(src string, o Options) (Diagram, error) {
	if len(src) > maxSource {
		return nil, fmt.Errorf("a source of %d bytes: %w", len(src), ErrTooLarge)
	}
	s := newSource(src, o.Partial)
	if len(s.lines) == 0 {
		return nil, fmt.Errorf("a source without a statement: %w", ErrEmpty)
	}
	if len(s.lines) > maxLines {
		return nil, fmt.Errorf("a source of %d lines: %w", len(s.lines), ErrTooLarge)
	}
	word, _, _ := strings.Cut(strings.TrimSpace(s.lines[0].text), " ")
	word = strings.TrimRight(word, ":;")
	read := kinds(word)
	if read == nil {
		return nil, fmt.Errorf("a diagram of the kind %q: %w", text.Truncate(text.Sanitize(word), 30, "…"), ErrUnknown)
	}
	d, err := read(s)
	if err != nil {
		return nil, fmt.Errorf("read a %s: %w", word, err)
	}
	err = ErrTooWide
	work := 0
	for _, t := range tries {
		t.o, t.work = o, &work
		var c *canvas
		if c, err = d.draw(t); err != nil {
			if errors.Is(err, ErrTooWide) {
				continue
			}
			break
		}
		c = s.titled(c, o)
		if c.cut && len(c.rows) >= maxRows {
			err = ErrTooLarge
			break
		}
		if !c.cut && c.width() <= o.Width {
			return c.diagram(o.ASCII), nil
		}
		err = ErrTooWide
	}
	return nil, fmt.Errorf("draw a %s in %d columns: %w", word, o.Width, err)
}
