package tui

import (
	"strings"
	"unicode"

	"github.com/pi-go/pi/tui/input"
	"github.com/pi-go/pi/tui/text"
)

// search is a search in a full-screen transcript.
type search struct {
	query   string // in lower case
	at      match
	found   bool
	bar     *searchBar
	restore Component // what had the focus
}

// match is a place where the query stands.
type match struct {
	place
	from, to int // columns
}

// searchBar is the line in which the query is typed.
type searchBar struct {
	p  *Program
	in *Input
}

// Render returns the line.
func (b *searchBar) Render(width int) []string {
	b.in.Prompt = "Search: "
	if b.in.Value() != "" && !b.p.search.found {
		b.in.Prompt = "Not found: "
	}
	return b.in.Render(width)
}

// SetFocused shows or hides the cursor.
func (b *searchBar) SetFocused(on bool) { b.in.SetFocused(on) }

// HandleInput goes to other matches, ends the search, or edits the query.
func (b *searchBar) HandleInput(ev input.Event) bool {
	if k, ok := ev.(input.Key); ok {
		switch b.p.opts.Bindings.First(k, "tui.altScreen.searchPrevious", "tui.altScreen.searchNext", "tui.altScreen.searchClose") {
		case "tui.altScreen.searchNext":
			b.p.SearchNext(1)
			return true
		case "tui.altScreen.searchPrevious":
			b.p.SearchNext(-1)
			return true
		case "tui.altScreen.searchClose":
			b.p.CloseSearch()
			return true
		}
	}
	return b.in.HandleInput(ev)
}

// OpenSearch shows a line to search a full-screen transcript with, and gives it the
// focus. There, enter goes to the next match, shift+enter to the previous one, and
// escape ends the search; these and ctrl+shift+f, which opens the line, are the
// tui.altScreen.search… actions of [StandardBindings]. In regular mode it does
// nothing. It must be called on the program's goroutine, as all that searches.
func (p *Program) OpenSearch() {
	if p.full == nil || p.search.bar != nil {
		return
	}
	bar := &searchBar{p: p, in: NewInput(p.opts.Bindings)}
	bar.in.OnChange = p.Search
	p.search = search{bar: bar, restore: p.focus}
	p.Bottom.Insert(0, bar)
	p.SetFocus(bar)
}

// CloseSearch ends the search: nothing is marked any more, and there is no next
// match. The view stays where it is.
func (p *Program) CloseSearch() {
	s := p.search
	p.search = search{}
	if s.bar != nil {
		p.Bottom.Remove(s.bar)
		p.SetFocus(s.restore)
	}
	p.dirty = true
}

// Search marks all places of a text in the transcript, upper and lower case
// alike, and brings the last one that is not below the window into view. An
// empty query marks nothing.
func (p *Program) Search(query string) {
	s := &p.search
	s.query, s.found = strings.ToLower(query), false
	p.dirty = true
	if s.query == "" {
		return
	}
	from := place{}
	if n := len(p.view.shown); n > 0 {
		from = p.view.shown[n-1]
	}
	if m, ok := p.find(from, 1<<30, -1); ok {
		p.goTo(m)
	} else if m, ok := p.find(from, 1<<30, 1); ok {
		p.goTo(m)
	}
}

// SearchNext goes to the next match (1) or the previous one (-1), around the
// ends of the transcript.
func (p *Program) SearchNext(direction int) {
	s := &p.search
	if s.query == "" {
		return
	}
	if s.found && s.at.item.t != p.Transcript {
		s.found = false
	}
	from, col := place{}, -1
	if s.found {
		from, col = s.at.place, s.at.from
	}
	if m, ok := p.find(from, col, direction); ok {
		p.goTo(m)
		return
	}
	// Around the end.
	edge, col := place{}, -1
	if direction < 0 && len(p.Transcript.items) > 0 {
		last := p.Transcript.items[len(p.Transcript.items)-1]
		p.Transcript.layOut(last)
		edge, col = place{last, len(last.lines) - 1}, 1<<30
	}
	if m, ok := p.find(edge, col, direction); ok {
		p.goTo(m)
	} else {
		s.found = false
		p.dirty = true
	}
}

// find returns the first match after a column of a line, in a direction. A zero
// place is before the first line. Items that were not drawn yet have no lines to
// search, so they are on the way.
func (p *Program) find(from place, col, direction int) (match, bool) {
	items := p.Transcript.items
	i, line := 0, 0
	if from.item != nil {
		i, line = from.item.index, from.line
	}
	first := true
	for i >= 0 && i < len(items) {
		p.Transcript.layOut(items[i])
		lines := items[i].lines
		if direction < 0 && !first {
			line = len(lines) - 1
		}
		for ; line >= 0 && line < len(lines); line += direction {
			all := p.matches(lines[line])
			if direction < 0 {
				for k := len(all) - 1; k >= 0; k-- {
					if !first || all[k].from < col {
						all[k].place = place{items[i], line}
						return all[k], true
					}
				}
			} else {
				for _, m := range all {
					if !first || m.from > col {
						m.place = place{items[i], line}
						return m, true
					}
				}
			}
			first = false
		}
		first = false
		i += direction
		line = 0
	}
	return match{}, false
}

// matches returns the columns of a line at which the query stands.
func (p *Program) matches(line string) []match {
	q := p.search.query
	if q == "" {
		return nil
	}
	plain := text.Strip(line)
	lower := strings.ToLower(plain)
	if !strings.Contains(lower, q) {
		return nil
	}
	if len(lower) != len(plain) {
		// A letter whose small form has another length: compare rune by rune.
		lower = strings.Map(func(r rune) rune {
			if l := unicode.ToLower(r); len(string(l)) == len(string(r)) {
				return l
			}
			return r
		}, plain)
	}
	var out []match
	for at := 0; ; {
		i := strings.Index(lower[at:], q)
		if i < 0 {
			return out
		}
		from := p.opts.Ruler.Width(plain[:at+i])
		out = append(out, match{from: from, to: from + p.opts.Ruler.Width(plain[at+i:at+i+len(q)])})
		at += i + len(q)
	}
}

// goTo brings a match into view.
func (p *Program) goTo(m match) {
	p.search.at, p.search.found = m, true
	p.dirty = true
	for _, at := range p.view.shown {
		if at == m.place {
			return
		}
	}
	p.view.follow = false
	p.view.item, p.view.line = m.item.index, m.line
	p.Scroll(-p.view.rows / 3)
}

func (p *Program) drawMatches(rows []string, width int) {
	s := &p.search
	if s.query == "" {
		return
	}
	for y, at := range p.view.shown {
		if y >= len(rows) {
			break
		}
		for _, m := range p.matches(rows[y]) {
			st := p.opts.Match
			if s.found && at == s.at.place && m.from == s.at.from {
				if st = p.opts.CurrentMatch; st == (text.Style{}) {
					st = text.Style{Attr: text.Inverse | text.Bold}
				}
			}
			rows[y] = p.highlight(rows[y], m.from, min(m.to, width), st)
		}
	}
}
