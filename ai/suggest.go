package ai

import (
	"fmt"
	"slices"
	"strings"
)

// DidYouMean gives "; did you mean …?" with up to three known names that are
// near to the one given, or nothing.
func DidYouMean(name string, known []string) string {
	near := Nearest(name, known, 3)
	if len(near) == 0 {
		return ""
	}
	return fmt.Sprintf("; did you mean %s?", strings.Join(near, ", "))
}

// Nearest lists up to n of the known names that a person may have meant by
// name, nearest first: those that contain it, and those a few typing errors
// away.
func Nearest(name string, known []string, n int) []string {
	type candidate struct {
		name string
		cost int
	}
	want := strings.ToLower(name)
	allowed := max(2, len(want)/3)
	var found []candidate
	for _, k := range known {
		low := strings.ToLower(k)
		cost := allowed + 1
		if d := len(want) - len(low); max(d, -d) <= allowed { // else there are more errors than that, and name may be huge
			cost = editDistance(want, low)
		}
		if want != "" && (strings.Contains(low, want) || strings.Contains(want, low)) {
			cost = min(cost, 1)
		}
		if cost <= allowed {
			found = append(found, candidate{k, cost})
		}
	}
	slices.SortStableFunc(found, func(a, b candidate) int { return a.cost - b.cost })
	var names []string
	for _, c := range found[:min(n, len(found))] {
		names = append(names, c.name)
	}
	return names
}

// editDistance counts insertions, deletions, replacements and swaps of
// neighbours.
func editDistance(a, b string) int {
	prev2, prev, cur := make([]int, len(b)+1), make([]int, len(b)+1), make([]int, len(b)+1)
	for j := range prev {
		prev[j] = j
	}
	for i := 1; i <= len(a); i++ {
		cur[0] = i
		for j := 1; j <= len(b); j++ {
			cost := 1
			if a[i-1] == b[j-1] {
				cost = 0
			}
			cur[j] = min(prev[j]+1, cur[j-1]+1, prev[j-1]+cost)
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				cur[j] = min(cur[j], prev2[j-2]+1)
			}
		}
		prev2, prev, cur = prev, cur, prev2
	}
	return prev[len(b)]
}
