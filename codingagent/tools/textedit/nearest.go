package textedit

import (
	"fmt"
	"strings"

	"github.com/pi-go/pi/codingagent/tools/truncate"
)

// nearest describes where the text comes closest to old, or returns "" when it
// nowhere does. It is only asked after a failure, and bounds its own work.
func nearest(s *source, old string) string {
	const most = 50_000 // lines looked at
	have, want := splitLines(string(s.lf)), splitLines(old)
	have = have[:min(len(have), most)]
	if at, ok := bestAlignment(have, want); ok {
		return firstDifference(have, want, at)
	}
	line, ok := mostSimilar(have, longest(want))
	if !ok {
		return ""
	}
	return fmt.Sprintf("The most similar line is line %d: %s", line+1, quote(have[line]))
}

// squeezed is a line without differences in white space.
func squeezed(line string) string { return strings.Join(strings.Fields(line), " ") }

// bestAlignment finds where most lines of want agree with have but for white
// space, and returns the line of have that the first line of want falls on.
func bestAlignment(have, want []string) (at int, ok bool) {
	where := map[string][]int{}
	for j, line := range want {
		// A lone brace says nothing, and neither does a line that is all over the place.
		if key := squeezed(line); len(key) > 2 && len(where[key]) < 4 {
			where[key] = append(where[key], j)
		}
	}
	votes, best := map[int]int{}, 0
	for i, line := range have {
		for _, j := range where[squeezed(line)] {
			votes[i-j]++
			if v := votes[i-j]; v > best {
				at, best = i-j, v
			}
		}
	}
	return at, best > 0
}

// firstDifference describes the first line in which want, laid over have from
// line at, is not what have has.
func firstDifference(have, want []string, at int) string {
	for j, line := range want {
		i := at + j
		if i < 0 {
			return fmt.Sprintf("From its line %d on it is like line 1 of the file, which has nothing before that", 1-at)
		}
		if i >= len(have) {
			return fmt.Sprintf("It goes on where the file ends, after line %d", len(have))
		}
		a, b := strings.TrimSuffix(have[i], "\n"), strings.TrimSuffix(line, "\n")
		if a == b || j == 0 && strings.HasSuffix(a, b) || j == len(want)-1 && strings.HasPrefix(a, b) {
			continue
		}
		what := "Line %d of the file is %s, oldText has %s"
		if squeezed(a) == squeezed(b) {
			what = "Line %d of the file differs in white space: the file has %s, oldText has %s"
		}
		return fmt.Sprintf(what, i+1, quote(a), quote(b))
	}
	return ""
}

// longest is the longest line, the one that says most.
func longest(lines []string) (line string) {
	for _, l := range lines {
		if l = squeezed(l); len(l) > len(line) {
			line = l
		}
	}
	return line
}

// mostSimilar finds the line of have that shares most pairs of characters with
// want, if that is at least half of them.
func mostSimilar(have []string, want string) (at int, ok bool) {
	want = want[:min(len(want), 1000)]
	if len(want) < 3 {
		return 0, false
	}
	pairs := map[[2]byte]int{}
	for i := 1; i < len(want); i++ {
		pairs[[2]byte{want[i-1], want[i]}]++
	}
	left := map[[2]byte]int{}
	best := 0.5
	for n, line := range have {
		line = squeezed(line)
		// A line much longer or shorter can not reach one half.
		if len(line) < len(want)/3 || len(line) > 3*len(want) {
			continue
		}
		clear(left)
		shared := 0
		for i := 1; i < len(line); i++ {
			p := [2]byte{line[i-1], line[i]}
			if left[p] < pairs[p] {
				left[p]++
				shared++
			}
		}
		if score := 2 * float64(shared) / float64(len(line)+len(want)-2); score > best {
			at, best, ok = n, score, true
		}
	}
	return at, ok
}

// quote shows a line with its white space visible.
func quote(line string) string {
	line, _ = truncate.Line(strings.TrimSuffix(line, "\n"), 200)
	return fmt.Sprintf("%q", line)
}
