package cli

import (
	"slices"
	"strings"

	"github.com/pi-go/pi/ai"
	"github.com/pi-go/pi/codingagent/tools"
)

// checkToolNames warns of tools that do not exist. It is no error: scripts name
// tools that other versions have.
func (p *program) checkToolNames() {
	var known []string
	for _, d := range tools.New(tools.Options{}) {
		known = append(known, d.Name)
	}
	for _, name := range slices.Concat(p.args.Tools, p.args.ExcludeTools) {
		name = strings.TrimLeft(name, "+-")
		if strings.Contains(name, "*") || slices.Contains(known, name) {
			continue
		}
		advice := "the tools are " + strings.Join(known, ", ")
		if near := ai.Nearest(name, known, 1); len(near) > 0 {
			advice = "did you mean " + near[0] + "?"
		}
		p.warn("there is no tool %q; %s", name, advice)
	}
}
