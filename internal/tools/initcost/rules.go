package initcost

import "time"

// What package initialisation may cost. Bytes are the same in every run; times
// are medians over many runs, because a busy machine slows single ones.
const (
	// maxTotal is for all packages together.
	maxTotal = 8 * time.Millisecond
	// maxTime and maxBytes are for one package that is not in allowed.
	maxTime  = 500 * time.Microsecond
	maxBytes = 256 << 10
)

// allowed are packages that may cost more than one package should, each with the
// reason. "p/..." stands for p and everything below it.
var allowed = map[string]string{
	"github.com/santhosh-tekuri/jsonschema/...": "compiles its meta schemas, 2 to 4 ms; the validator of tool arguments",
	"github.com/yuin/goldmark/extension":        "compiles the patterns of its link finder, 0.3 to 0.5 ms; tables and struck-out text of the terminal's Markdown",
}
