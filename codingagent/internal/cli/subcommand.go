package cli

import (
	"context"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/pi-go/pi/ai"
	"github.com/pi-go/pi/codingagent/sessiondir"
)

// subcommand is a word that comes first on the command line.
type subcommand struct {
	name    string
	aliases []string // other names, which the help does not show
	usage   string   // what may follow the name, such as "explain [KEY]"
	help    string
	// actions are the words that may come first behind the name, where it is one
	// of a few.
	actions []string
	// options are those of the subcommand; --help is always one.
	options []option
	// alone says that it needs no settings, models and directories.
	alone bool
	// most is how many words may follow; 0 is any number, unless none says that
	// there are none.
	most int
	none bool
	// complete gives what may follow said, the words behind the name; nil leaves
	// it to the shell.
	complete func(c *completer, said []string) candidates
	run      func(p *program, ctx context.Context, words []string) error
}

// subcommands are all, in the order of the help.
func subcommands() []subcommand {
	return append(packageCommands(), []subcommand{
		configCommand(),
		{
			name: "auth", usage: "login|logout|list|check|print-api-key|print-bearer-token [PROVIDER]", actions: authActions(), most: 2, options: authOptions(),
			help: "sign in to providers, and see what is connected", run: (*program).runAuth, complete: (*completer).authWords,
		},
		{
			name: "completion", usage: "bash|zsh|fish|powershell", actions: shells(), alone: true,
			help: "print a script that completes command lines of pi in a shell", run: (*program).runCompletion,
		},
		{
			name: "docs", usage: "[TOPIC]", most: 1, alone: true, options: docsOptions(),
			help: "print the manual: its topics, a page, or where it is", run: (*program).runDocs,
			complete: func(_ *completer, said []string) candidates { return wordList(topicNames()...) },
		},
		{
			name: "import", usage: "FILE", options: append(sharedOptions("session-dir", "approve", "no-approve"), jsonOption()),
			help: "take a session file in; the same as pi sessions import", run: (*program).runImport,
		},
		{
			name: "mcp", usage: "add|remove|list|login|logout [SERVER] [-- COMMAND ...]", actions: mcpActions(), options: mcpOptionList(),
			help: "add MCP servers, look whether they work, and sign in to them", run: (*program).runMCP, complete: (*completer).mcpWords,
		},
		{
			name: "prompt", usage: "show", actions: []string{"show"}, most: 1, options: promptOptions(),
			help: "show the system prompt and the tools that would be sent, and where each part comes from", run: (*program).runPrompt,
		},
		{
			name: "models", usage: "list|local|add [WORDS]", actions: modelActions(), options: []option{jsonOption()},
			help: "list the models that can be used, find model servers of this machine, and add them to models.json", run: (*program).runModels,
			complete: (*completer).modelWords,
		},
		{
			name: "sessions", usage: "list|show|search|check|export|import|delete", actions: sessionActions(), options: sessionOptions(),
			help: "look at sessions, and look after them", run: (*program).runSessions,
			complete: (*completer).sessionWords,
		},
	}...)
}

// sharedOptions gives options of the program that a subcommand has too.
func sharedOptions(long ...string) []option {
	return slices.DeleteFunc(options(), func(o option) bool { return !slices.Contains(long, o.long) })
}

// jsonOption makes a subcommand print what programs read.
func jsonOption() option {
	return option{long: "json", help: "print JSON", flag: func(a *Args) { a.JSON = true }}
}

// all gives the options of a subcommand with those that every one has.
func (c subcommand) all() []option {
	return append(slices.Clone(c.options), sharedOptions("offline", "help")...)
}

// called finds the subcommand that argv begins with, if it begins with one.
// Options that every subcommand has may stand before the name.
func called(argv []string) (c subcommand, rest []string, ok bool) {
	first := sharedOptions("offline", "approve", "no-approve")
	i := 0
	for i < len(argv) && lookup(first, argv[i]) != nil {
		i++
	}
	if i == len(argv) {
		return c, nil, false
	}
	for _, c := range subcommands() {
		if c.name == argv[i] || slices.Contains(c.aliases, argv[i]) {
			return c, slices.Concat(argv[:i], argv[i+1:]), true
		}
	}
	return c, nil, false
}

// mistyped finds a subcommand that was meant by a line of a few plain words, such
// as "instal npm:x", which would begin a chat about it otherwise. A line with a
// quoted text, or with options of a conversation, is one.
func mistyped(argv []string) error {
	const most = 3
	plain := func(w string) bool {
		return w != "" && !strings.ContainsFunc(w, func(r rune) bool { return (r < 'a' || r > 'z') && r != '-' })
	}
	if len(argv) == 0 || len(argv) > most || !plain(argv[0]) || argv[0][0] == '-' {
		return nil
	}
	for _, w := range argv[1:] {
		if strings.ContainsAny(w, " \t\n") || strings.HasPrefix(w, "-") || strings.HasPrefix(w, "@") {
			return nil
		}
	}
	word := argv[0]
	var names []string
	for _, c := range subcommands() {
		names = append(names, append(c.aliases, c.name)...)
	}
	at := slices.IndexFunc(names, func(n string) bool { return oneEdit(word, n) })
	if at < 0 {
		return nil
	}
	return fmt.Errorf("there is no subcommand %q; did you mean pi %s? (pi -- %s says it to the model)",
		word, strings.Join(append([]string{names[at]}, argv[1:]...), " "), strings.Join(argv, " "))
}

// oneEdit reports whether two words differ in one letter that is wrong, missing
// or too many, or in two that changed places.
func oneEdit(a, b string) bool {
	for a != "" && b != "" && a[0] == b[0] {
		a, b = a[1:], b[1:]
	}
	for a != "" && b != "" && a[len(a)-1] == b[len(b)-1] {
		a, b = a[:len(a)-1], b[:len(b)-1]
	}
	return len(a) <= 1 && len(b) <= 1 || len(a) == 2 && len(b) == 2 && a[0] == b[1] && a[1] == b[0]
}

// runSubcommand runs the subcommand that argv begins with; ok is false when it
// begins with none.
func runSubcommand(ctx context.Context, argv []string, sys *System) (ok bool, err error) {
	c, rest, ok := called(argv)
	if !ok {
		return false, nil
	}
	args, words := &Args{}, []string(nil)
	err = args.read(rest, c.all(), func(word string) { words = append(words, word) })
	switch {
	case args.Help:
		return true, c.writeHelp(sys.Out)
	case err != nil && c.name == "auth" && slices.Contains(words, "check"):
		return true, coded{exitInvalid, fmt.Errorf("pi auth check: %w", err)} // 1 means that it is not ready
	case err != nil:
		return true, fmt.Errorf("pi %s: %w", c.name, err)
	case (c.most > 0 || c.none) && len(words) > c.most:
		return true, fmt.Errorf("pi %s: unexpected argument %q; the usage is pi %s %s", c.name, words[c.most], c.name, c.usage)
	}
	if err := args.check(); err != nil {
		return true, err
	}
	p := &program{args: args, sys: sys, agentDir: sessiondir.AgentDir(sys.Env, sys.Home)}
	if !c.alone {
		if p, err = newProgram(ctx, args, sys, false); err != nil {
			return true, err
		}
	}
	p.screen = false
	return true, c.run(p, ctx, words)
}

// writeHelp writes what a subcommand does, and its options.
func (c subcommand) writeHelp(w io.Writer) error {
	var b strings.Builder
	fmt.Fprintf(&b, "pi %s [options] %s\n\n  %s\n", c.name, c.usage, c.help)
	if len(c.aliases) > 0 {
		fmt.Fprintf(&b, "  The same as pi %s.\n", strings.Join(c.aliases, ", pi "))
	}
	b.WriteString("\nOptions:\n")
	writeOptions(&b, c.all())
	_, err := io.WriteString(w, b.String())
	return err
}

// oneOf picks an action by its name.
func oneOf(command string, words, known []string) (string, error) {
	if len(words) == 0 {
		return "", fmt.Errorf("pi %s what? %s", command, strings.Join(known, ", "))
	}
	if slices.Contains(known, words[0]) {
		return words[0], nil
	}
	hint := ""
	if near := ai.Nearest(words[0], known, 1); len(near) > 0 {
		hint = " (did you mean " + near[0] + "?)"
	}
	return "", fmt.Errorf("pi %s has no %q%s; there is %s", command, words[0], hint, strings.Join(known, ", "))
}
