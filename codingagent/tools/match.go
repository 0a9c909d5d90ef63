package tools

import (
	"path"
	"strings"
)

// MatchName reports whether a pattern fits the whole name of a tool; * stands for
// any characters, everything else for itself.
func MatchName(pattern, name string) bool {
	quoted := strings.NewReplacer(`\`, `\\`, "[", `\[`, "?", `\?`).Replace(pattern)
	ok, err := path.Match(quoted, name)
	return ok && err == nil
}
