package layering

import (
	"fmt"
	"slices"
	"strconv"

	"github.com/pi-go/pi/internal/tools/workspace"
)

// checkRequirements holds the siblings that each published go.mod names against
// the arrows and against what the module's packages import.
func checkRequirements(w *workspace.Workspace, edges []edge) []Violation {
	imported := map[string]map[string]bool{} // module dir -> module dirs that its files import
	hasCode := map[string]bool{}
	for _, e := range edges {
		from := e.File.Module.Dir
		hasCode[from] = true
		if to, ok := w.Owner(e.target); e.Ours && ok {
			if imported[from] == nil {
				imported[from] = map[string]bool{}
			}
			imported[from][to.Dir] = true
		}
	}
	var found []Violation
	for _, m := range w.Modules {
		if !m.Published() {
			continue
		}
		for _, r := range w.Siblings(m) {
			sibling, _ := w.Rel(r.Mod.Path)
			where := m.Dir + "/go.mod:" + strconv.Itoa(r.Syntax.Start.Line)
			switch {
			case !reachable(m.Dir, sibling):
				found = append(found, Violation{where, fmt.Sprintf("requires %s, which is not below %s", sibling, m.Dir)})
			case !r.Indirect && hasCode[m.Dir] && !imported[m.Dir][sibling]:
				// A module that imports nothing at all holds no code yet, so
				// nothing can be said about what it needs.
				found = append(found, Violation{where, fmt.Sprintf("requires %s, which no package of %s imports; run make tidy", sibling, m.Dir)})
			}
		}
	}
	return found
}

// reachable reports whether the arrows lead from module to sibling, directly or
// through others: go.mod also lists what siblings need ("// indirect").
func reachable(module, sibling string) bool {
	return slices.ContainsFunc(moduleArrows[module], func(next string) bool {
		return next == sibling || reachable(next, sibling)
	})
}
