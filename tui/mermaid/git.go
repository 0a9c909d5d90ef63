package mermaid

import (
	"regexp"
	"strings"
	"sync"
)

// commit is a row of a git graph: a commit, or the beginning of a branch.
type commit struct {
	lane   int
	from   int // the lane that is merged in, or left; -1 is none
	branch bool
	sign   string
	text   string
}

// gitGraph is commits on branches, one below the other.
type gitGraph struct {
	rows    []commit
	lanes   map[string]int
	names   []string
	current int
	known   map[string]bool
}

const maxLanes = 20

var gitFacts = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(id|tag|type|msg|order|parent)\s*:\s*("[^"]*"|[A-Z]+|\d+)`)
})

func readGit(s *source) (drawing, error) {
	g := &gitGraph{lanes: map[string]int{"main": 0}, names: []string{"main"}, known: map[string]bool{}}
	for _, l := range s.lines[1:] {
		if !g.statement(strings.TrimRight(l.text, "; ")) {
			return nil, unknown(l)
		}
	}
	switch {
	case len(g.rows) == 0:
		return nil, ErrEmpty
	case len(g.names) > maxLanes:
		return nil, ErrTooLarge
	}
	return g, nil
}

func (g *gitGraph) statement(s string) bool {
	word, rest, _ := strings.Cut(s, " ")
	rest = strings.TrimSpace(rest)
	facts := map[string]string{}
	for _, m := range gitFacts().FindAllStringSubmatch(rest, -1) {
		facts[m[1]] = oneLine(m[2])
	}
	bare := strings.TrimSpace(gitFacts().ReplaceAllString(rest, ""))
	name := strings.Trim(bare, `"`)
	switch word {
	case "":
		return true
	case "commit":
		text := facts["id"]
		if m := joinWith(" ", facts["msg"], name); m != "" {
			text = joinWith(": ", text, m)
		}
		g.commit(g.current, -1, text, facts)
		return true
	case "branch":
		if _, ok := g.lanes[name]; ok || name == "" {
			return false
		}
		g.lanes[name] = len(g.names)
		g.names = append(g.names, oneLine(name))
		g.rows = append(g.rows, commit{lane: g.lanes[name], from: g.current, branch: true, text: oneLine(name)})
		g.current = g.lanes[name]
		return true
	case "checkout", "switch":
		lane, ok := g.lanes[name]
		g.current = lane
		return ok
	case "merge":
		lane, ok := g.lanes[name]
		if !ok || lane == g.current {
			return false
		}
		g.commit(g.current, lane, joinWith(" ", facts["id"], "(merge of "+oneLine(name)+")"), facts)
		return true
	case "cherry-pick":
		g.commit(g.current, -1, "cherry-pick of "+facts["id"], map[string]string{"tag": facts["tag"]})
		return facts["id"] != ""
	}
	return false
}

func (g *gitGraph) commit(lane, from int, text string, facts map[string]string) {
	sign := "●"
	switch facts["type"] {
	case "REVERSE":
		sign = "×"
	case "HIGHLIGHT":
		sign = "◆"
	}
	if facts["tag"] != "" {
		text = joinWith("  ", text, "["+facts["tag"]+"]")
	}
	g.rows = append(g.rows, commit{lane: lane, from: from, sign: sign, text: text})
}

func (g *gitGraph) draw(t try) (*canvas, error) {
	c := newCanvas(t.o.Ruler)
	texts := 2*len(g.names) + 1
	begin, last := make([]int, len(g.names)), make([]int, len(g.names))
	for i := range begin {
		begin[i], last[i] = -1, -1
	}
	for y, r := range g.rows {
		if begin[r.lane] < 0 {
			begin[r.lane] = y
		}
		last[r.lane] = y
		if r.from >= 0 {
			last[r.from] = y
			if begin[r.from] < 0 {
				begin[r.from] = y
			}
		}
	}
	for i := range begin {
		for y := max(begin[i], 0); y <= last[i]; y++ {
			a := up | down
			r := g.rows[y]
			switch {
			case y == begin[i] && y == last[i]:
				a = 0
			case y == begin[i]:
				a = down
			case y == last[i]:
				a = up
			}
			if r.from == i || r.branch && r.lane == i {
				a |= choose((r.from == i) == (r.lane > r.from), right, left)
			}
			cell := c.at(2*i, y)
			cell.arms, cell.round, cell.role, cell.net = a, true, Edge, i+1
		}
	}
	for y, r := range g.rows {
		if r.from >= 0 {
			for x := 2*min(r.lane, r.from) + 1; x < 2*max(r.lane, r.from); x++ {
				c.arm(x, y, left|right, light, 100, false)
			}
		}
		if !r.branch {
			c.sign(2*r.lane, y, r.sign, Edge)
		}
		role := Label
		text := r.text
		if r.branch {
			role = Title
		} else if y == 0 || y == begin[0] && r.lane == 0 {
			text = joinWith("  ", text, "(main)")
		}
		for j, s := range fold(t.o.Ruler, []string{text}, max(t.o.Width-texts, 8)) {
			if j > 0 {
				return nil, ErrTooWide
			}
			c.write(texts, y, s, role)
		}
	}
	return c, nil
}
