package mermaid

import (
	"strings"
)

// leaf is a node of a mind map.
type leaf struct {
	text   []string
	indent int
	leaves []*leaf
}

// tree is a mind map.
type tree struct{ root *leaf }

func readMindmap(s *source) (drawing, error) {
	var open []*leaf
	m := &tree{}
	for _, l := range s.lines[1:] {
		if strings.HasPrefix(l.text, "::icon(") || strings.HasPrefix(l.text, ":::") {
			continue
		}
		n, ok := readLeaf(l)
		if !ok {
			return nil, unknown(l)
		}
		for len(open) > 0 && open[len(open)-1].indent >= n.indent {
			open = open[:len(open)-1]
		}
		switch {
		case len(open) > 0:
			top := open[len(open)-1]
			top.leaves = append(top.leaves, n)
		case m.root == nil:
			m.root = n
		default:
			return nil, unknown(l) // a second root
		}
		open = append(open, n)
	}
	if m.root == nil {
		return nil, ErrEmpty
	}
	return m, nil
}

// readLeaf reads a node: a text, or an id with a text in brackets.
func readLeaf(l line) (*leaf, bool) {
	s := dropStyle(l.text)
	n := &leaf{indent: l.indent}
	for _, pair := range [...][2]string{{"))", "(("}, {")", "("}} {
		// A bang and a cloud are written with brackets turned around.
		if at := strings.Index(s, pair[0]); at >= 0 && strings.HasSuffix(s, pair[1]) && !strings.ContainsAny(s[:at], "([{") {
			n.text = clean(s[at+len(pair[0]) : len(s)-len(pair[1])])
			return n, true
		}
	}
	at := strings.IndexAny(s, "([{")
	if at < 0 {
		n.text = clean(s)
		return n, true
	}
	if strings.ContainsAny(s[:at], " ") {
		n.text = clean(s) // brackets within a sentence
		return n, true
	}
	text, _, rest, ok := readShape(s[at:])
	n.text = text
	return n, ok && text != nil && strings.TrimSpace(rest) == ""
}

func dropStyle(s string) string {
	if at := strings.Index(s, ":::"); at > 0 {
		return strings.TrimSpace(s[:at])
	}
	return s
}

func (m *tree) draw(t try) (*canvas, error) {
	c := newCanvas(t.o.Ruler)
	lines := fold(t.o.Ruler, m.root.text, t.wrap)
	w := widest(t.o.Ruler, lines) + 4
	c.frame(0, 0, w, len(lines)+2, light, true, Frame)
	for i, l := range lines {
		c.write(2, 1+i, l, Title)
	}
	y := len(lines) + 2
	m.root.draw(c, t, 2, &y, 1)
	return c, nil
}

// draw puts what hangs on a leaf below it.
func (n *leaf) draw(c *canvas, t try, x int, y *int, net int) {
	if len(n.leaves) == 0 || x > t.o.Width {
		if len(n.leaves) > 0 {
			c.at(t.o.Width+1, *y)
		}
		return
	}
	top := *y
	for _, k := range n.leaves {
		lines := fold(t.o.Ruler, k.text, max(2*t.wrap, 20))
		c.line([]point{{x, top - 1}, {x, *y}, {x + 2, *y}}, light, net, true, false)
		for i, l := range lines {
			c.write(x+4, *y+i, l, Label)
		}

		*y += len(lines)
		k.draw(c, t, x+4, y, net)
	}
}

// period is a time and what happened in it.
type period struct {
	section string
	name    string
	events  []string
}

// timeline is periods in their order.
type timeline struct{ periods []period }

func readTimeline(s *source) (drawing, error) {
	t := &timeline{}
	section := ""
	for _, l := range s.lines[1:] {
		if rest, ok := cutWord(l.text, "title"); ok {
			s.title = oneLine(rest)
			continue
		}
		if rest, ok := cutWord(l.text, "section"); ok {
			section = oneLine(rest)
			continue
		}
		name, rest, _ := strings.Cut(l.text, ":")
		name = strings.TrimSpace(name)
		if name != "" {
			t.periods = append(t.periods, period{section: section, name: oneLine(name)})
		} else if len(t.periods) == 0 {
			return nil, unknown(l)
		}
		p := &t.periods[len(t.periods)-1]
		for _, e := range strings.Split(rest, " :") {
			if e = strings.TrimSpace(e); e != "" {
				p.events = append(p.events, oneLine(e))
			}
		}
	}
	if len(t.periods) == 0 {
		return nil, ErrEmpty
	}
	return t, nil
}

func (l *timeline) draw(t try) (*canvas, error) {
	r := t.o.Ruler
	c := newCanvas(r)
	first := 0
	for _, p := range l.periods {
		first = max(first, min(r.Width(p.name), t.wrap))
	}
	y, section := 0, ""
	for i, p := range l.periods {
		if p.section != section {
			if section = p.section; i > 0 {
				y++
			}
			c.write(0, y, section, Title)
			y++
		}
		names := fold(r, []string{p.name}, t.wrap)
		for j, n := range names {
			c.write(0, y+j, n, Label)
		}
		top, rows := y, 0
		for j, e := range p.events {
			lines := fold(r, []string{e}, max(t.o.Width-first-5, 10))
			c.line([]point{{first + 1, top}, {first + 1, y + rows}, {first + 3, y + rows}}, light, i+1, false, false)
			if j == 0 {
				c.arm(first+1, top, left, light, i+1, false)
			}
			for k, s := range lines {
				c.write(first+5, y+rows+k, s, EdgeLabel)
			}
			rows += len(lines)
		}
		y += max(rows, len(names), 1)
	}
	return c, nil
}
