package tools

import "slices"

// Guidelines collects the rules of the tools that are active, in their order and
// each once. Where bash has to stand in for the tools that look at files, it says
// so.
func Guidelines(active []Definition) []string {
	var rules []string
	add := func(rule string) {
		if !slices.Contains(rules, rule) {
			rules = append(rules, rule)
		}
	}
	has := func(names ...string) bool {
		return slices.ContainsFunc(active, func(d Definition) bool { return slices.Contains(names, d.Name) })
	}
	if has("bash") && !has("grep", "find", "ls") {
		add("List and search files with bash commands such as ls, rg and find.")
	}
	for _, d := range active {
		for _, rule := range d.Guidelines {
			add(rule)
		}
	}
	return rules
}
