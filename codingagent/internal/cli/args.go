package cli

import (
	"fmt"
	"slices"
	"strings"
	"unicode"

	"github.com/pi-go/pi/ai"
)

// Args is a parsed command line.
type Args struct {
	Provider, Model, APIKey string
	Thinking                string
	Models                  []string // patterns; nil: those of the settings
	ListModels              bool
	ListSearch              string
	SystemPrompt            string
	AppendSystemPrompt      []string
	Mode                    string // "", "text", "json" or "rpc"
	Print                   bool
	Continue                bool
	Session, SessionID      string
	SessionDir              string
	NoSession               bool
	Name                    string
	Tools, ExcludeTools     []string
	NoTools, NoBuiltinTools bool
	NoContextFiles          bool
	Skills, PromptTemplates []string
	NoSkills                bool
	NoMCP                   bool
	NoPromptTemplates       bool
	Approve                 *bool // nil: nothing is said about trust
	Export                  string
	Fork                    string
	Resume                  bool
	Offline, Verbose        bool
	TUIMode                 string // "", "fullscreen", "regular" or "line"
	Theme                   string
	Extensions              []string          // of --extension
	NoExtensions            bool              // but those of --extension
	ExtensionFlags          map[string]string // options that extensions have, by name
	Help, Version           bool
	Auth                    authArgs
	Sessions                sessionArgs
	WriteDocs               bool // of docs: make files of the manual
	Completing              bool // nothing is to be changed or said
	JSON                    bool // of a subcommand: output for programs
	Packages                packageArgs
	MCP                     mcpArgs
	Files                   []string // @path arguments, without the @
	Messages                []string
}

// option describes one option. Exactly one of flag, value and list is set.
type option struct {
	long, short string
	arg         string // name of the value in the help
	help        string
	flag        func(a *Args)
	value       func(a *Args, v string) error
	optional    bool // the value may be missing: with value("")
}

// options lists all options in the order of the help.
func options() []option {
	str := func(p func(a *Args) *string) func(*Args, string) error {
		return func(a *Args, v string) error { *p(a) = v; return nil }
	}
	flag := func(p func(a *Args) *bool) func(*Args) {
		return func(a *Args) { *p(a) = true }
	}
	return []option{
		{long: "model", arg: "MODEL", help: "model to use: PROVIDER/ID, an id, or a part of one; :LEVEL sets thinking", value: str(func(a *Args) *string { return &a.Model })},
		{long: "provider", arg: "NAME", help: "look for --model in this provider only", value: str(func(a *Args) *string { return &a.Provider })},
		{long: "api-key", arg: "KEY", help: "key for the model's provider, for this run only", value: str(func(a *Args) *string { return &a.APIKey })},
		{long: "models", arg: "LIST", help: "models to begin with and cycle through: a,b*,p/c:LEVEL", value: list(func(a *Args) *[]string { return &a.Models })},
		{long: "thinking", arg: "LEVEL", help: "off, minimal, low, medium, high, xhigh or max", value: parseThinking},
		{long: "list-models", arg: "[SEARCH]", help: "list the models that can be used, and exit", optional: true, value: func(a *Args, v string) error {
			a.ListModels, a.ListSearch = true, v
			return nil
		}},
		{long: "print", short: "p", help: "answer once and exit; takes the prompt as next argument", flag: flag(func(a *Args) *bool { return &a.Print })},
		{long: "mode", arg: "MODE", help: "text, json for one event a line, or rpc for commands from a program", value: parseMode},
		{long: "continue", short: "c", help: "go on with the newest session of this directory", flag: flag(func(a *Args) *bool { return &a.Continue })},
		{long: "session", arg: "FILE|ID", help: "go on with this session", value: chosen("--session", func(a *Args) *string { return &a.Session })},
		{long: "session-id", arg: "ID", help: "open the session with exactly this id, or create it", value: chosen("--session-id", func(a *Args) *string { return &a.SessionID })},
		{long: "session-dir", arg: "DIR", help: "where sessions are kept", value: str(func(a *Args) *string { return &a.SessionDir })},
		{long: "no-session", help: "keep nothing on disk", flag: flag(func(a *Args) *bool { return &a.NoSession })},
		{long: "name", short: "n", arg: "NAME", help: "name of the session", value: parseName},
		{long: "tools", short: "t", arg: "LIST", help: "tools to offer: a,b* allows only these; +a,-b changes the default", value: list(func(a *Args) *[]string { return &a.Tools })},
		{long: "exclude-tools", short: "xt", arg: "LIST", help: "tools to leave out", value: list(func(a *Args) *[]string { return &a.ExcludeTools })},
		{long: "no-tools", short: "nt", help: "no tools at all", flag: flag(func(a *Args) *bool { return &a.NoTools })},
		{long: "no-builtin-tools", short: "nbt", help: "no built-in tools", flag: flag(func(a *Args) *bool { return &a.NoBuiltinTools })},
		{long: "system-prompt", arg: "TEXT|FILE", help: "replace the system prompt", value: str(func(a *Args) *string { return &a.SystemPrompt })},
		{long: "append-system-prompt", arg: "TEXT|FILE", help: "add to the system prompt; may be repeated", value: func(a *Args, v string) error {
			a.AppendSystemPrompt = append(a.AppendSystemPrompt, v)
			return nil
		}},
		{long: "no-context-files", short: "nc", help: "do not read AGENTS.md and CLAUDE.md", flag: flag(func(a *Args) *bool { return &a.NoContextFiles })},
		{long: "tui-mode", arg: "MODE", help: "fullscreen, regular (the terminal's own scrollback), or line (plain lines)", value: parseTUIMode},
		{long: "use-theme", arg: "NAME", help: "colours for this run", value: str(func(a *Args) *string { return &a.Theme })},
		{long: "skill", arg: "PATH", help: "a skill, or a directory of skills; may be repeated", value: more(func(a *Args) *[]string { return &a.Skills })},
		{long: "no-skills", short: "ns", help: "no skills but those of --skill", flag: flag(func(a *Args) *bool { return &a.NoSkills })},
		{long: "prompt-template", arg: "PATH", help: "a prompt template, or a directory of them; may be repeated", value: more(func(a *Args) *[]string { return &a.PromptTemplates })},
		{long: "no-prompt-templates", short: "np", help: "no prompt templates but those of --prompt-template", flag: flag(func(a *Args) *bool { return &a.NoPromptTemplates })},
		{long: "extension", short: "e", arg: "FILE", help: "an extension; may be repeated", value: func(a *Args, v string) error {
			a.Extensions = append(a.Extensions, v)
			return nil
		}},
		{long: "no-extensions", short: "ne", help: "no extensions but those of --extension", flag: flag(func(a *Args) *bool { return &a.NoExtensions })},
		{long: "no-mcp", help: "do not connect MCP servers", flag: flag(func(a *Args) *bool { return &a.NoMCP })},
		{long: "approve", short: "a", help: "trust the files of this project for this run", flag: func(a *Args) { a.Approve = new(true) }},
		{long: "no-approve", short: "na", help: "do not use the files of this project in this run", flag: func(a *Args) { a.Approve = new(false) }},
		{long: "fork", arg: "FILE|ID", help: "go on with a copy of a session, in this directory", value: chosen("--fork", func(a *Args) *string { return &a.Fork })},
		{long: "resume", short: "r", help: "choose a session to go on with", flag: flag(func(a *Args) *bool { return &a.Resume })},
		{long: "export", arg: "SESSION", help: "write a session as a page, to the file named next, and exit", value: chosen("--export", func(a *Args) *string { return &a.Export })},
		{long: "verbose", help: "say more at the start: a greeting in any case, and settings that pi does not know", flag: flag(func(a *Args) *bool { return &a.Verbose })},
		{long: "offline", help: "use no network but for the model itself", flag: flag(func(a *Args) *bool { return &a.Offline })},
		{long: "help", short: "h", help: "show this text, and exit", flag: flag(func(a *Args) *bool { return &a.Help })},
		{long: "version", short: "v", help: "show the version, and exit", flag: flag(func(a *Args) *bool { return &a.Version })},
	}
}

// chosen takes the name of a session. An empty one, often a variable of a script that
// is not set, would quietly begin another session than was meant.
func chosen(name string, p func(a *Args) *string) func(*Args, string) error {
	return func(a *Args, v string) error {
		if strings.TrimSpace(v) == "" {
			return fmt.Errorf("%s: the name of the session is empty", name)
		}
		*p(a) = v
		return nil
	}
}

// more adds a value to a list.
func more(p func(a *Args) *[]string) func(*Args, string) error {
	return func(a *Args, v string) error { *p(a) = append(*p(a), v); return nil }
}

func list(p func(a *Args) *[]string) func(*Args, string) error {
	return func(a *Args, v string) error {
		items := []string{}
		for item := range strings.SplitSeq(v, ",") {
			if item = strings.TrimSpace(item); item != "" {
				items = append(items, item)
			}
		}
		*p(a) = items
		return nil
	}
}

func parseMode(a *Args, v string) error {
	if !slices.Contains(modes(), v) {
		return fmt.Errorf("--mode: %q is not a mode%s; the modes are text, json and rpc", v, hint(v, modes()))
	}
	a.Mode = v
	return nil
}

func parseTUIMode(a *Args, v string) error {
	known := tuiModes()
	if !slices.Contains(known, v) {
		return fmt.Errorf("--tui-mode: %q is not a mode%s; the modes are %s", v, hint(v, known), strings.Join(known, ", "))
	}
	a.TUIMode = v
	return nil
}

func parseThinking(a *Args, v string) error {
	known := levels()
	if !slices.Contains(known, v) {
		return fmt.Errorf("--thinking: %q is not a level%s; the levels are %s", v, hint(v, known), strings.Join(known, ", "))
	}
	a.Thinking = v
	return nil
}

func modes() []string    { return []string{"text", "json", "rpc"} }
func tuiModes() []string { return []string{"fullscreen", "regular", "line"} }

func levels() []string {
	var names []string
	for _, l := range ai.ThinkingLevels() {
		names = append(names, string(l))
	}
	return names
}

func parseName(a *Args, v string) error {
	v = strings.ToValidUTF8(strings.NewReplacer("\r\n", " ", "\n", " ", "\r", " ", "\t", " ").Replace(v), "\uFFFD")
	v = strings.TrimSpace(strings.Map(func(r rune) rune {
		if unicode.IsControl(r) {
			return -1 // lists of sessions are shown in terminals, also by other programs
		}
		return r
	}, v))
	if v == "" {
		return fmt.Errorf("--name: the name is empty")
	}
	a.Name = v
	return nil
}

// hint suggests a near name, or nothing.
func hint(name string, known []string) string {
	if near := ai.Nearest(name, known, 1); len(near) > 0 {
		return fmt.Sprintf(" (did you mean %s?)", near[0])
	}
	return ""
}

// Parse reads a command line without the program's name. Errors say which
// argument is wrong and name the nearest option.
func Parse(argv []string) (*Args, error) { return parse(argv, options()) }

func parse(argv []string, opts []option) (*Args, error) {
	a := &Args{}
	if err := a.read(argv, opts, a.positional); err != nil {
		return nil, err
	}
	return a, a.check()
}

// read sets what the options among argv say and hands on all other arguments.
func (a *Args) read(argv []string, opts []option, positional func(string)) error {
	for i := 0; i < len(argv); i++ {
		arg := argv[i]
		switch {
		case arg == "--":
			for _, rest := range argv[i+1:] {
				positional(rest)
			}
			return nil
		case len(arg) < 2 || arg[0] != '-' || strings.HasPrefix(arg, "---"):
			positional(arg)
			continue
		}
		name, inline, hasInline := strings.Cut(arg, "=")
		o := lookup(opts, name)
		if o == nil {
			return unknownOption(name, opts)
		}
		switch {
		case o.flag != nil && hasInline:
			return fmt.Errorf("option %s takes no value", name)
		case o.flag != nil:
			o.flag(a)
			if o.long == "print" && i+1 < len(argv) && isMessage(argv[i+1]) {
				i++
				positional(argv[i])
			}
			continue
		}
		v := inline
		if !hasInline {
			next := i+1 < len(argv)
			switch {
			case next && (!o.optional || isMessage(argv[i+1])):
				i++
				v = argv[i]
			case !o.optional:
				return fmt.Errorf("option %s needs a value: %s %s", name, name, o.arg)
			}
		}
		if err := o.value(a, v); err != nil {
			return err
		}
	}
	return nil
}

// isMessage reports whether an argument can be the text behind -p.
func isMessage(s string) bool {
	return !strings.HasPrefix(s, "@") && (!strings.HasPrefix(s, "-") || strings.HasPrefix(s, "---"))
}

func (a *Args) positional(s string) {
	if path, ok := strings.CutPrefix(s, "@"); ok {
		a.Files = append(a.Files, path)
		return
	}
	a.Messages = append(a.Messages, s)
}

// check finds options that do not go together.
func (a *Args) check() error {
	clash := func(first string, set bool, others ...string) error {
		if !set {
			return nil
		}
		for _, o := range others {
			if a.given(o) {
				return fmt.Errorf("%s and %s do not go together: each chooses a session", first, o)
			}
		}
		return nil
	}
	if err := clash("--session", a.Session != "", "--continue", "--session-id", "--no-session"); err != nil {
		return err
	}
	if err := clash("--session-id", a.SessionID != "", "--continue"); err != nil {
		return err
	}
	if err := clash("--continue", a.Continue, "--no-session"); err != nil {
		return err
	}
	if err := clash("--fork", a.Fork != "", "--session", "--continue", "--resume", "--no-session"); err != nil {
		return err
	}
	if err := clash("--resume", a.Resume, "--session", "--continue", "--session-id", "--no-session"); err != nil {
		return err
	}
	if a.Mode == "rpc" && len(a.Files) > 0 {
		return fmt.Errorf("--mode rpc takes no @files: send their text in a prompt")
	}
	if a.Mode == "rpc" && len(a.Messages) > 0 {
		return fmt.Errorf("--mode rpc takes no messages on the command line: send them as prompt commands")
	}
	if a.Provider != "" && a.Model == "" {
		return fmt.Errorf("--provider needs --model")
	}
	return nil
}

func (a *Args) given(option string) bool {
	switch option {
	case "--continue":
		return a.Continue
	case "--session-id":
		return a.SessionID != ""
	case "--no-session":
		return a.NoSession
	case "--session":
		return a.Session != ""
	case "--resume":
		return a.Resume
	}
	return false
}

func lookup(opts []option, name string) *option {
	for i, o := range opts {
		if name == "--"+o.long || (o.short != "" && name == "-"+o.short) {
			return &opts[i]
		}
	}
	return nil
}

func unknownOption(name string, opts []option) error {
	var known []string
	long := strings.HasPrefix(name, "--")
	for _, o := range opts {
		known = append(known, "--"+o.long)
		if o.short != "" && !long {
			known = append(known, "-"+o.short)
		}
	}
	return fmt.Errorf("unknown option %s%s; --help lists the options", name, hint(name, known))
}
