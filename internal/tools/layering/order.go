package layering

import (
	"fmt"
	"slices"
	"strings"
)

// checkLayers follows imports (of non-test files) from every package that is in
// a layer, through packages that are in none, and reports each way that leads to
// a higher layer. The place reported is the first import of that way.
func checkLayers(edges []edge) []Violation {
	next := map[string][]edge{}
	for _, e := range edges {
		if e.Ours && !e.File.Test {
			next[e.File.Package] = append(next[e.File.Package], e)
		}
	}
	var found []Violation
	for pkg := range next {
		if level := layerOf(pkg); level >= 0 {
			found = append(found, climb(pkg, level, next)...)
		}
	}
	return found
}

// climb walks breadth first, so that the way it reports is a shortest one.
func climb(start string, level int, next map[string][]edge) []Violation {
	type step struct {
		pkg   string
		first edge     // the import with which the way leaves start
		way   []string // packages after start
	}
	var found []Violation
	seen := map[string]bool{start: true}
	queue := []step{{pkg: start}}
	for len(queue) > 0 {
		at := queue[0]
		queue = queue[1:]
		for _, e := range next[at.pkg] {
			if seen[e.target] {
				continue
			}
			seen[e.target] = true
			to := step{pkg: e.target, first: at.first, way: append(slices.Clone(at.way), e.target)}
			if at.pkg == start {
				to.first = e
			}
			switch target := layerOf(e.target); {
			case target > level:
				found = append(found, Violation{to.first.where(), fmt.Sprintf(
					"%s reaches %s, which is above it (%s); imports in codingagent go down only: %s",
					start, e.target, strings.Join(append([]string{start}, to.way...), " -> "), order())})
			case target < 0:
				queue = append(queue, to)
			}
			// A package in an equal or lower layer is checked on its own.
		}
	}
	return found
}

// layerOf returns the index of the layer that pkg is in, or -1.
func layerOf(pkg string) int {
	return slices.IndexFunc(layers, func(patterns []string) bool { return matches(patterns, pkg) })
}

func order() string {
	var names []string
	for _, patterns := range layers {
		names = append(names, strings.ReplaceAll(strings.Join(patterns, ", "), "/...", ""))
	}
	return strings.Join(names, " <- ")
}
