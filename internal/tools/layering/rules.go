package layering

// This file is the architecture as data. Paths are without the common prefix of
// the modules; "p/..." stands for p and everything below it. Paths of other
// people's packages are written in full.

// moduleArrows says which modules of ours the packages of a module may import,
// tests included. Modules that are not published (examples, internal/...) may
// import anything. A published module that is missing here is reported.
var moduleArrows = map[string][]string{
	"ai":          {},
	"tui":         {},
	"agentcore":   {"ai"},
	"storage":     {"ai", "agentcore"},
	"codingagent": {"ai", "agentcore", "tui"},
	"server":      {"ai", "agentcore", "codingagent", "storage"},
	"evals":       {"ai", "agentcore", "codingagent"},
}

// rule forbids packages to import other packages directly.
type rule struct {
	// from are the packages that the rule is about, except those in unless.
	from, unless []string
	// forbid are the packages they must not import, except those in allow.
	forbid, allow []string
	// tests says that test files have to obey too.
	tests bool
	// why completes the sentence "not allowed, because ...".
	why string
}

// packageRules hold inside the modules.
var packageRules = []rule{
	{
		from: []string{"codingagent/...", "server/...", "evals/..."}, unless: []string{"codingagent/internal/mode/interactive/..."},
		forbid: []string{"tui/..."},
		why:    "only the interactive mode draws; every other user of the agent must link no terminal",
	},
	{
		from: []string{"codingagent/...", "server/...", "evals/..."}, unless: []string{"codingagent/cmd/pi/...", "codingagent/extension/js/..."},
		forbid: []string{"codingagent/extension/js/..."},
		why:    "only the pi command links the TypeScript host, so that an embedder pays for it only by choice",
	},
	{
		from:   []string{"ai"},
		forbid: []string{"ai/api/...", "ai/provider/...", "ai/catalog/..."},
		why:    "the client core links no protocol, vendor or catalog: what a program does not name is not in its binary",
	},
	{
		from:   []string{"ai/internal/..."},
		forbid: []string{"ai/api/...", "ai/provider/...", "ai/catalog/..."},
		why:    "what protocols share must not know them",
	},
	{
		from:   []string{"ai/api/..."},
		forbid: []string{"ai/provider/...", "ai/catalog/..."},
		why:    "a protocol serves many vendors; their quirks reach it as data on the model",
	},
	{
		from:   []string{"ai/...", "agentcore/...", "tui/...", "storage/...", "codingagent/...", "server/...", "evals/..."},
		forbid: []string{"github.com/alecthomas/chroma/v2/lexers/..."}, tests: true,
		why: "it costs 6 ms and 5 MiB at every start; highlighting is by line tokenizers of ours",
	},
	{
		from:   []string{"ai/..."},
		forbid: []string{"github.com/santhosh-tekuri/jsonschema/..."}, tests: true,
		why: "the client passes schemas on and validates nothing",
	},
}

// soleImporters names packages that only one package of a set may import, so
// that a dependency has one owner. Which package that is, is its module's choice.
var soleImporters = []struct {
	imported string
	within   string
	why      string
}{
	{
		imported: "github.com/santhosh-tekuri/jsonschema/...", within: "agentcore/...",
		why: "it initialises in 2 to 4 ms; one package of agentcore owns validation and the rest call it",
	},
}

// isolated are directories whose direct children are independent of each other.
var isolated = []struct {
	dir string
	why string
}{
	{dir: "ai/api", why: "one protocol must not link another; what they share lives in ai/internal"},
	{dir: "ai/provider", why: "one vendor must not link another"},
}

// isolationExempt are packages that exist to bring isolated ones together.
var isolationExempt = []string{"ai/provider/all/..."}

// layers of codingagent, lowest first. A package may reach (also through
// packages that are in no layer) its own layer and lower ones only.
var layers = [][]string{
	{"codingagent/settings/..."},
	{"codingagent/trust/..."},
	{"codingagent/resource/...", "codingagent/models/..."},
	{"codingagent/extension/..."},
	{"codingagent"},
	{"codingagent/rpc/...", "codingagent/internal/mode/...", "codingagent/internal/cli/..."},
	{"codingagent/program/..."}, // the command as a function, for commands with extensions of their own
	{"codingagent/cmd/..."},
}
