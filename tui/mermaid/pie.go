package mermaid

import (
	"fmt"
	"math"
	"regexp"
	"strconv"
	"strings"
	"sync"
)

// pie is shares of a whole, shown as bars.
type pie struct {
	labels   []string
	values   []float64
	showData bool
}

var shares = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^("[^"]*"|'[^']*')\s*:\s*([0-9]+(?:\.[0-9]+)?)$`)
})

func readPie(s *source) (drawing, error) {
	p := &pie{}
	head := strings.TrimSpace(strings.TrimPrefix(s.lines[0].text, "pie"))
	if rest, ok := cutWord(head, "showData"); ok {
		p.showData, head = true, rest
	}
	lines := s.lines[1:]
	if head != "" {
		lines = append([]line{{text: head}}, lines...)
	}
	for _, l := range lines {
		if t, ok := cutWord(l.text, "title"); ok {
			s.title = oneLine(t)
			continue
		}
		if l.text == "showData" {
			p.showData = true
			continue
		}
		m := shares().FindStringSubmatch(l.text)
		if m == nil {
			return nil, unknown(l)
		}
		v, err := strconv.ParseFloat(m[2], 64)
		if err != nil || math.IsInf(v, 0) {
			return nil, unknown(l)
		}
		p.labels, p.values = append(p.labels, oneLine(m[1])), append(p.values, v)
	}
	if len(p.labels) == 0 {
		return nil, ErrEmpty
	}
	return p, nil
}

func (p *pie) draw(t try) (*canvas, error) {
	r := t.o.Ruler
	total, most := 0.0, 0.0
	labels := make([]string, len(p.labels))
	for i, v := range p.values {
		total, most = total+v, max(most, v)
		labels[i] = r.Truncate(p.labels[i], t.wrap, "…")
	}
	first := widest(r, labels) + 1
	numbers := make([]string, len(labels))
	for i, v := range p.values {
		share := 0.0
		if total > 0 {
			share = 100 * v / total
		}
		numbers[i] = fmt.Sprintf("%5.1f %%", share)
		if p.showData {
			numbers[i] += "  [" + strconv.FormatFloat(v, 'f', -1, 64) + "]"
		}
	}
	room := min(40, t.o.Width-first-1-widest(r, numbers))
	if room < 8 {
		return nil, ErrTooWide
	}
	c := newCanvas(r)
	for i, l := range labels {
		c.write(0, i, l, Label)
		n := 0
		if most > 0 {
			n = int(math.Round(float64(room) * p.values[i] / most))
		}
		c.signs(first, i, strings.Repeat("█", max(n, choose(p.values[i] > 0, 1, 0))), Edge)
		c.write(first+max(n, 1)+1, i, numbers[i], EdgeLabel)
	}
	return c, nil
}
