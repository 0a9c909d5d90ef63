// Package layering checks that imports point only the way the architecture
// allows: between modules, and between packages inside a module. What is allowed
// is data in rules.go.
//
//	violations, err := layering.Check(w)
//
// Imports are read from the source of all platforms, not from one build, so a
// forbidden import behind a build constraint is found too.
package layering

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/pi-go/pi/internal/tools/workspace"
)

// Violation is one import or requirement that the rules forbid.
type Violation struct {
	// Where is a file and line below the root: "ai/models.go:12".
	Where string
	// What says what stands there and why it may not.
	What string
}

func (v Violation) String() string { return v.Where + ": " + v.What }

// edge is one import statement with its target as the rules name it: without
// the prefix where it is one of ours.
type edge struct {
	workspace.Import
	target string
}

func (e edge) where() string { return e.File.Path + ":" + strconv.Itoa(e.Line) }

// Check returns every violation in the workspace, in order of file and line.
func Check(w *workspace.Workspace) ([]Violation, error) {
	edges, err := edges(w)
	if err != nil {
		return nil, err
	}
	var found []Violation
	found = append(found, checkModules(w, edges)...)
	found = append(found, checkPackages(edges)...)
	found = append(found, checkSoleImporters(edges)...)
	found = append(found, checkIsolation(edges)...)
	found = append(found, checkLayers(edges)...)
	found = append(found, checkRequirements(w, edges)...)
	slices.SortStableFunc(found, func(a, b Violation) int { return cmp.Compare(a.Where, b.Where) })
	return found, nil
}

func edges(w *workspace.Workspace) ([]edge, error) {
	imports, err := w.Imports()
	if err != nil {
		return nil, err
	}
	edges := make([]edge, len(imports))
	for i, im := range imports {
		edges[i] = edge{Import: im, target: im.Path}
		if im.Ours {
			edges[i].target = im.Rel
		}
	}
	return edges, nil
}

// checkModules holds every import, in tests too, against the arrows between modules.
func checkModules(w *workspace.Workspace, edges []edge) []Violation {
	var found []Violation
	for _, m := range w.Modules {
		if _, known := moduleArrows[m.Dir]; m.Published() && !known {
			found = append(found, Violation{m.Dir + "/go.mod", "module is not in the layering rules; add it to moduleArrows in internal/tools/layering/rules.go"})
		}
	}
	for _, e := range edges {
		from := e.File.Module
		if !e.Ours || !from.Published() {
			continue
		}
		to, member := w.Owner(e.target)
		switch allowed := moduleArrows[from.Dir]; {
		case !member:
			found = append(found, Violation{e.where(), fmt.Sprintf("imports %s, which belongs to no module in go.work", e.target)})
		case to.Dir == from.Dir || slices.Contains(allowed, to.Dir):
		case len(allowed) == 0:
			found = append(found, Violation{e.where(), fmt.Sprintf("module %s imports %s; it may import no other module of ours", from.Dir, e.target)})
		default:
			found = append(found, Violation{e.where(), fmt.Sprintf("module %s imports %s; of ours it may import %s only", from.Dir, e.target, strings.Join(allowed, ", "))})
		}
	}
	return found
}

func checkPackages(edges []edge) []Violation {
	var found []Violation
	for _, e := range edges {
		for _, r := range packageRules {
			if e.File.Test && !r.tests || !matches(r.from, e.File.Package) || matches(r.unless, e.File.Package) {
				continue
			}
			if matches(r.forbid, e.target) && !matches(r.allow, e.target) {
				found = append(found, Violation{e.where(), fmt.Sprintf("%s imports %s: not allowed, because %s", e.File.Package, e.target, r.why)})
			}
		}
	}
	return found
}

func checkSoleImporters(edges []edge) []Violation {
	var found []Violation
	for _, sole := range soleImporters {
		owner := ""
		for _, e := range edges {
			if e.File.Test || !e.File.Module.Published() || !match(sole.imported, e.target) {
				continue
			}
			switch {
			case !match(sole.within, e.File.Package):
				found = append(found, Violation{e.where(), fmt.Sprintf("%s imports %s: only a package of %s may, because %s", e.File.Package, e.target, sole.within, sole.why)})
			case owner == "":
				owner = e.File.Package
			case owner != e.File.Package:
				found = append(found, Violation{e.where(), fmt.Sprintf("%s imports %s, and so does %s: only one may, because %s", e.File.Package, e.target, owner, sole.why)})
			}
		}
	}
	return found
}

func checkIsolation(edges []edge) []Violation {
	var found []Violation
	for _, group := range isolated {
		for _, e := range edges {
			from, inside := childOf(group.dir, e.File.Package)
			to, hit := childOf(group.dir, e.target)
			if e.File.Test || !inside || !hit || from == to || matches(isolationExempt, e.File.Package) {
				continue
			}
			found = append(found, Violation{e.where(), fmt.Sprintf("%s imports its neighbour %s: not allowed, because %s", e.File.Package, e.target, group.why)})
		}
	}
	return found
}

// childOf returns the direct child of dir that pkg is or is below of.
func childOf(dir, pkg string) (string, bool) {
	rest, ok := strings.CutPrefix(pkg, dir+"/")
	child, _, _ := strings.Cut(rest, "/")
	return child, ok
}

func matches(patterns []string, pkg string) bool {
	return slices.ContainsFunc(patterns, func(p string) bool { return match(p, pkg) })
}

// match reports whether pkg is what pattern says: the same path, or for "p/..."
// p itself or something below it.
func match(pattern, pkg string) bool {
	base, tree := strings.CutSuffix(pattern, "/...")
	return pkg == base || tree && strings.HasPrefix(pkg, base+"/")
}
