package house

// This file is the rules as data. Paths are without the common prefix of the
// modules; "p/..." stands for p and everything below it.

// maxLines is the length over which a file gets a warning: it probably holds
// more than one idea.
const maxLines = 600

// maxMapEntries is the size over which a package-level map literal is too much
// to fill at every start of a program that never looks at it.
const maxMapEntries = 32

// badNames say nothing about what a package provides.
var badNames = []string{
	"util", "utils", "helper", "helpers", "common", "types", "manager", "managers", "misc", "base", "shared",
}

// callRule forbids calls of functions of the standard library. Taking the value
// (now: time.Now, as the default of something injected) is not a call.
type callRule struct {
	// calls are "package.Function"; an empty package stands for builtins.
	calls []string
	// in are the packages that the rule is about.
	in []string
	// why completes "not allowed here, because ...".
	why string
	// except are packages that may, each with the reason.
	except map[string]string
}

// Main packages and test files are free of all call rules, and so are modules
// that are not published.
var callRules = []callRule{
	{
		calls: []string{"fmt.Print", "fmt.Printf", "fmt.Println", ".print", ".println"},
		in:    []string{"..."},
		why:   "output belongs to whoever handed in a writer; only a command owns the standard output",
	},
	{
		calls: []string{"os.Getwd"},
		in:    []string{"..."},
		why:   "many sessions with different directories live in one process; take the directory as an argument",
		except: map[string]string{
			"codingagent/program": "is the pi command as a function: it owns its process",
		},
	},
	{
		calls: []string{"time.Now", "time.Since", "time.Until"},
		in:    []string{"ai/...", "agentcore/..."},
		why:   "time is injected, so that tests control it; take a func() time.Time whose default is time.Now",
		except: map[string]string{
			"ai/aitest/...":     "servers and suites for tests stamp what really arrived",
			"ai/lockfile":       "compares the modification time of a lock on disk with the clock of this machine",
			"agentcore/execenv": "is the outside world: files and processes have the machine's time",
		},
	},
	{
		calls: []string{"os.Getenv", "os.LookupEnv", "os.Environ", "os.ExpandEnv"},
		in:    []string{"ai/...", "agentcore/..."},
		why:   "a library does not read the environment behind its caller's back; take a lookup function or a value",
		except: map[string]string{
			"ai/auth":           "the process environment is where its default lookup finds keys",
			"ai/aws/...":        "AWS profiles are chosen by environment variables",
			"agentcore/execenv": "a child process inherits the environment",
		},
	},
}

// wellKnownMethods implement interfaces that every reader knows, and need no comment.
var wellKnownMethods = []string{
	"Close", "Error", "Format", "GoString", "Is", "As", "Len", "Less", "Swap", "LogValue",
	"MarshalJSON", "MarshalText", "MarshalYAML", "Read", "ServeHTTP", "String", "UnmarshalJSON",
	"UnmarshalText", "UnmarshalYAML", "Unwrap", "Write",
}
