package mermaid

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"time"
)

// task is a bar of a Gantt chart.
type task struct {
	section    string
	name       string
	from, to   time.Time
	done       bool
	active     bool
	critical   bool
	milestone  bool
	identifier string
}

// gantt is tasks in time.
type gantt struct {
	tasks    []*task
	byID     map[string]*task
	layout   string // of dates, as package time writes it
	weekends bool   // are left out
	without  map[string]bool
}

func readGantt(s *source) (drawing, error) {
	g := &gantt{byID: map[string]*task{}, layout: time.DateOnly, without: map[string]bool{}}
	section := ""
	for _, l := range s.lines[1:] {
		word, rest, _ := strings.Cut(l.text, " ")
		rest = strings.TrimSpace(rest)
		switch word {
		case "title":
			s.title = oneLine(rest)
			continue
		case "dateFormat":
			g.layout = dateLayout(rest)
			if g.layout == "" {
				return nil, unknown(l)
			}
			continue
		case "section":
			section = oneLine(rest)
			continue
		case "excludes":
			for _, day := range strings.FieldsFunc(rest, func(c rune) bool { return c == ',' || c == ' ' }) {
				if _, err := time.Parse(time.DateOnly, day); err != nil && day != "weekends" {
					return nil, unknown(l)
				}
				g.weekends = g.weekends || day == "weekends"
				g.without[day] = true
			}
			continue
		case "axisFormat", "tickInterval", "todayMarker", "weekday", "weekend", "inclusiveEndDates", "topAxis", "click":
			if word == "inclusiveEndDates" {
				return nil, unknown(l)
			}
			continue
		}
		name, facts, ok := strings.Cut(l.text, ":")
		if !ok || !g.add(section, oneLine(name), facts) {
			return nil, unknown(l)
		}
	}
	if len(g.tasks) == 0 {
		return nil, ErrEmpty
	}
	return g, nil
}

// dateLayout translates a format of dates; "" if it has something unknown.
func dateLayout(s string) string {
	s = strings.NewReplacer("YYYY", "2006", "YY", "06", "MMMM", "January", "MMM", "Jan", "MM", "01", "DD", "02", "HH", "15", "mm", "04", "ss", "05").Replace(s)
	if strings.ContainsAny(s, "XxDMYHhAaQWEZ") && !strings.Contains(s, "January") {
		return ""
	}
	return s
}

var durations = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^(\d{1,5}(?:\.\d+)?)(ms|s|m|h|d|w|M|y)$`) })

// add reads what is said of a task: marks, an id, when it begins and ends.
func (g *gantt) add(section, name, facts string) bool {
	t := &task{section: section, name: name}
	var rest []string
	for _, f := range strings.Split(facts, ",") {
		switch f = strings.TrimSpace(f); f {
		case "done":
			t.done = true
		case "active":
			t.active = true
		case "crit":
			t.critical = true
		case "milestone", "vert":
			t.milestone = true
		default:
			rest = append(rest, f)
		}
	}
	begin, end := "", ""
	switch len(rest) {
	case 1:
		end = rest[0]
	case 2:
		begin, end = rest[0], rest[1]
	case 3:
		t.identifier, begin, end = rest[0], rest[1], rest[2]
	default:
		return false
	}
	var ok bool
	if t.from, ok = g.begins(begin); !ok && len(rest) == 2 {
		// The first of two may be an id.
		t.identifier = begin
		t.from, ok = g.begins("")
	}
	if !ok {
		return false
	}
	if t.to, ok = g.endsAt(t.from, end); !ok || t.to.Before(t.from) {
		return false
	}
	g.tasks = append(g.tasks, t)
	if t.identifier != "" {
		g.byID[t.identifier] = t
	}
	return true
}

func (g *gantt) begins(s string) (time.Time, bool) {
	if s == "" {
		if len(g.tasks) == 0 {
			return time.Time{}, false
		}
		return g.tasks[len(g.tasks)-1].to, true
	}
	if ids, ok := cutWord(s, "after"); ok {
		var latest time.Time
		for _, id := range strings.Fields(ids) {
			t := g.byID[id]
			if t == nil {
				return time.Time{}, false
			}
			if t.to.After(latest) {
				latest = t.to
			}
		}
		return latest, !latest.IsZero()
	}
	at, err := time.Parse(g.layout, s)
	return at, err == nil
}

func (g *gantt) endsAt(from time.Time, s string) (time.Time, bool) {
	if id, ok := cutWord(s, "until"); ok {
		t := g.byID[id]
		if t == nil {
			return time.Time{}, false
		}
		return t.from, true
	}
	if at, err := time.Parse(g.layout, s); err == nil {
		return at, true
	}
	m := durations().FindStringSubmatch(s)
	if m == nil {
		return time.Time{}, false
	}
	n, err := strconv.ParseFloat(m[1], 64)
	if err != nil {
		return time.Time{}, false
	}
	unit := map[string]time.Duration{"ms": time.Millisecond, "s": time.Second, "m": time.Minute, "h": time.Hour, "d": 24 * time.Hour, "w": 7 * 24 * time.Hour}[m[2]]
	switch m[2] {
	case "M":
		return from.AddDate(0, int(n), 0), true
	case "y":
		return from.AddDate(int(n), 0, 0), n < 200
	}
	end := from.Add(time.Duration(n * float64(unit)))
	if len(g.without) == 0 {
		return end, true
	}
	// Days that are left out make a task longer.
	for day, steps := from, 0; day.Before(end) && steps < 5000; day, steps = day.Add(24*time.Hour), steps+1 {
		weekend := day.Weekday() == time.Saturday || day.Weekday() == time.Sunday
		if weekend && g.weekends || g.without[day.Format(time.DateOnly)] {
			end = end.Add(24 * time.Hour)
		}
	}
	return end, true
}

func (g *gantt) draw(t try) (*canvas, error) {
	r := t.o.Ruler
	first, last := g.tasks[0].from, g.tasks[0].to
	names := 0
	for _, k := range g.tasks {
		if k.from.Before(first) {
			first = k.from
		}
		if k.to.After(last) {
			last = k.to
		}
		names = max(names, min(r.Width(k.name), t.wrap))
	}
	x := names + 1
	format := choose(last.Sub(first) < 48*time.Hour, "15:04", choose(strings.Contains(g.layout, "15"), "2006-01-02 15:04", time.DateOnly))
	spans := len(format)*2 + 3
	room := min(t.o.Width-x-1-spans, 60)
	if room < 12 {
		return nil, ErrTooWide
	}
	c := newCanvas(r)
	whole := float64(max(last.Sub(first), 1))
	at := func(when time.Time) int { return int(float64(when.Sub(first)) / whole * float64(room)) }
	y, section := 0, ""
	for i, k := range g.tasks {
		if k.section != section {
			if section = k.section; i > 0 {
				y++
			}
			c.write(0, y, section, Title)
			y++
		}
		c.write(0, y, r.Truncate(k.name, t.wrap, "…"), Label)
		from, to := at(k.from), at(k.to)
		c.signs(x, y, strings.Repeat("·", room), Frame)
		switch {
		case k.milestone:
			c.sign(x+min((from+to)/2, room-1), y, "◆", Edge)
		default:
			from = min(from, room-1)
			c.signs(x+from, y, strings.Repeat(k.sign(), max(to-from, 1)), Edge)
		}
		when := k.from.Format(format)
		if !k.milestone {
			when = fmt.Sprintf("%s – %s", when, k.to.Format(format))
		}
		c.write(x+room+1, y, when, EdgeLabel)
		y++
	}
	return c, nil
}

// sign is what the bar of a task is made of.
func (t *task) sign() string {
	switch {
	case t.done:
		return "░"
	case t.active:
		return "▓"
	case t.critical:
		return "━"
	}
	return "█"
}
