// Package diffview shows the differences between two texts.
//
//	lines := diffview.Compare(before, after, 3)
//	view := diffview.New(lines, diffview.Options{Theme: theme, File: "main.go"})
//	view.Render(100)
//
// Differences come from [Compare], or from a unified diff with [Parse]. Changed
// words within changed lines are marked, and the text is highlighted as its
// language wants. Content is cleaned: no control sequence reaches the terminal.
package diffview

import (
	"strconv"
	"strings"
)

// Kind is what a line of a diff is.
type Kind uint8

// The kinds.
const (
	Same Kind = iota
	Added
	Removed
	Gap  // lines that are left out
	Info // a line of a unified diff that is no text, such as a file name
)

// Line is a line of a diff. Old and New count from 1; 0 is none.
type Line struct {
	Kind     Kind
	Old, New int
	Text     string
}

// Compare returns the differences between two texts, with some lines of context
// around each; a negative context keeps all lines.
func Compare(before, after string, context int) []Line {
	a, b := splitLines(before), splitLines(after)
	var all []Line
	i, j := 0, 0
	for _, e := range edits(a, b) {
		for i < e.a0 {
			all = append(all, Line{Same, i + 1, j + 1, a[i]})
			i, j = i+1, j+1
		}
		for ; i < e.a1; i++ {
			all = append(all, Line{Removed, i + 1, 0, a[i]})
		}
		for ; j < e.b1; j++ {
			all = append(all, Line{Added, 0, j + 1, b[j]})
		}
	}
	for ; i < len(a); i, j = i+1, j+1 {
		all = append(all, Line{Same, i + 1, j + 1, a[i]})
	}
	if context < 0 {
		return all
	}
	return trim(all, context)
}

func splitLines(s string) []string {
	if s == "" {
		return nil
	}
	s = strings.ReplaceAll(s, "\r\n", "\n")
	return strings.Split(strings.TrimSuffix(s, "\n"), "\n")
}

// trim leaves out lines that are far from a change.
func trim(all []Line, context int) []Line {
	near := make([]bool, len(all))
	changed := false
	for i, l := range all {
		if l.Kind == Same {
			continue
		}
		changed = true
		for k := max(0, i-context); k < min(len(all), i+context+1); k++ {
			near[k] = true
		}
	}
	if !changed {
		return nil
	}
	var out []Line
	for i := 0; i < len(all); i++ {
		if near[i] {
			out = append(out, all[i])
			continue
		}
		from := i
		for i+1 < len(all) && !near[i+1] {
			i++
		}
		if from > 0 && i < len(all)-1 {
			out = append(out, Line{Kind: Gap, Text: strconv.Itoa(i - from + 1)})
		}
	}
	return out
}

// edit says that lines [a0, a1) became lines [b0, b1).
type edit struct{ a0, a1, b0, b1 int }

// maxCost limits the search for a shortest diff; texts that differ more are
// compared coarsely, so that the time stays small.
const maxCost = 2000

// edits finds a short way from a to b with the algorithm of Myers.
func edits(a, b []string) []edit {
	start := 0
	for start < len(a) && start < len(b) && a[start] == b[start] {
		start++
	}
	end := 0
	for end < len(a)-start && end < len(b)-start && a[len(a)-1-end] == b[len(b)-1-end] {
		end++
	}
	x, y := a[start:len(a)-end], b[start:len(b)-end]
	var out []edit
	add := func(a0, a1, b0, b1 int) {
		a0, a1, b0, b1 = a0+start, a1+start, b0+start, b1+start
		if n := len(out); n > 0 && out[n-1].a1 == a0 && out[n-1].b1 == b0 {
			out[n-1].a1, out[n-1].b1 = a1, b1
			return
		}
		out = append(out, edit{a0, a1, b0, b1})
	}
	if len(x) == 0 && len(y) == 0 {
		return nil
	}
	path, ok := myers(x, y)
	if !ok {
		add(0, len(x), 0, len(y))
		return out
	}
	i, j := 0, 0
	for _, p := range path { // p are the places of equal lines
		if i < p[0] || j < p[1] {
			add(i, p[0], j, p[1])
		}
		i, j = p[0]+1, p[1]+1
	}
	if i < len(x) || j < len(y) {
		add(i, len(x), j, len(y))
	}
	return out
}

// myers returns the pairs of equal elements on a shortest way.
func myers[T comparable](a, b []T) (pairs [][2]int, ok bool) {
	n, m := len(a), len(b)
	limit := min(n+m, maxCost)
	v := make([]int, 2*limit+3)
	off := limit + 1
	var trace [][]int
	for d := 0; d <= limit; d++ {
		trace = append(trace, append([]int(nil), v[off-d-1:off+d+2]...))
		for k := -d; k <= d; k += 2 {
			x := 0
			if k == -d || k != d && v[off+k-1] < v[off+k+1] {
				x = v[off+k+1]
			} else {
				x = v[off+k-1] + 1
			}
			y := x - k
			for x < n && y < m && a[x] == b[y] {
				x, y = x+1, y+1
			}
			v[off+k] = x
			if x >= n && y >= m {
				return walkBack(trace, n, m), true
			}
		}
	}
	return nil, false
}

// walkBack follows the way that myers found from its end.
func walkBack(trace [][]int, x, y int) [][2]int {
	var pairs [][2]int
	for d := len(trace) - 1; d >= 0; d-- {
		v := trace[d] // of the step before, from diagonal -d-1 to d+1
		at := func(k int) int { return v[k+d+1] }
		k := x - y
		before := k - 1
		if k == -d || k != d && at(k-1) < at(k+1) {
			before = k + 1
		}
		px := at(before)
		py := px - before
		if d == 0 {
			px, py = 0, 0
		}
		for x > px && y > py {
			x, y = x-1, y-1
			pairs = append(pairs, [2]int{x, y})
		}
		if d > 0 {
			x, y = px, py
		}
	}
	for i, j := 0, len(pairs)-1; i < j; i, j = i+1, j-1 {
		pairs[i], pairs[j] = pairs[j], pairs[i]
	}
	return pairs
}

// Parse reads a unified diff, as git and diff write it. Lines that are not part
// of it are kept as [Info].
func Parse(patch string) []Line {
	var out []Line
	oldNo, newNo := 0, 0
	oldLeft, newLeft := 0, 0
	for _, line := range splitLines(patch) {
		if strings.HasPrefix(line, "@@") {
			if o, on, n, nn, ok := hunk(line); ok {
				if len(out) > 0 && out[len(out)-1].Kind != Info {
					out = append(out, Line{Kind: Gap})
				}
				oldNo, newNo, oldLeft, newLeft = o, n, on, nn
				continue
			}
		}
		if strings.HasPrefix(line, `\ `) && oldNo+newNo > 0 {
			continue // no newline at the end of the file
		}
		if oldLeft <= 0 && newLeft <= 0 {
			out = append(out, Line{Kind: Info, Text: line})
			continue
		}
		switch {
		case strings.HasPrefix(line, "+"):
			out = append(out, Line{Added, 0, newNo, line[1:]})
			newNo, newLeft = newNo+1, newLeft-1
		case strings.HasPrefix(line, "-"):
			out = append(out, Line{Removed, oldNo, 0, line[1:]})
			oldNo, oldLeft = oldNo+1, oldLeft-1
		default:
			out = append(out, Line{Same, oldNo, newNo, strings.TrimPrefix(line, " ")})
			oldNo, newNo, oldLeft, newLeft = oldNo+1, newNo+1, oldLeft-1, newLeft-1
		}
	}
	return out
}

// hunk reads "@@ -1,2 +3,4 @@".
func hunk(line string) (oldNo, oldLines, newNo, newLines int, ok bool) {
	f := strings.Fields(line)
	if len(f) < 3 || !strings.HasPrefix(f[1], "-") || !strings.HasPrefix(f[2], "+") {
		return
	}
	read := func(s string) (no, lines int, ok bool) {
		a, b, two := strings.Cut(s[1:], ",")
		no, err := strconv.Atoi(a)
		lines = 1
		if err == nil && two {
			lines, err = strconv.Atoi(b)
		}
		return no, lines, err == nil && no >= 0 && lines >= 0
	}
	var ok1, ok2 bool
	oldNo, oldLines, ok1 = read(f[1])
	newNo, newLines, ok2 = read(f[2])
	return oldNo, oldLines, newNo, newLines, ok1 && ok2
}
