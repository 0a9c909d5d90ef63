package cli

import (
	"context"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/pi-go/pi/ai"
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
	// most is how many words may follow; 0 is any number.
	most int
	run  func(p *program, ctx context.Context, words []string) error
}

// subcommands are all, in the order of the help.
func subcommands() []subcommand {
	return []subcommand{
		{
			name: "config", usage: "explain [KEY]", actions: []string{"explain"}, most: 2, options: sharedOptions("approve", "no-approve"),
			help: "show settings, where each comes from, and what it is used instead of", run: (*program).runConfig,
		},
		{
			name: "prompt", usage: "show", actions: []string{"show"}, most: 1, options: promptOptions(),
			help: "show the system prompt and the tools that would be sent, and where each part comes from", run: (*program).runPrompt,
		},
		{
			name: "sessions", usage: "list|show|search|check|export|delete", actions: sessionActions(), options: sharedOptions("session-dir", "approve", "no-approve"),
			help: "look at sessions, and look after them", run: (*program).runSessions,
		},
	}
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
	case err != nil:
		return true, fmt.Errorf("pi %s: %w", c.name, err)
	case c.most > 0 && len(words) > c.most:
		return true, fmt.Errorf("pi %s: unexpected argument %q; the usage is pi %s %s", c.name, words[c.most], c.name, c.usage)
	}
	if err := args.check(); err != nil {
		return true, err
	}
	p, err := newProgram(ctx, args, sys, false)
	if err != nil {
		return true, err
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

// runConfig is pi config explain.
func (p *program) runConfig(ctx context.Context, words []string) error {
	if _, err := oneOf("config", words, []string{"explain"}); err != nil {
		return err
	}
	return p.loaded.WriteExplanation(p.sys.Out, strings.Join(words[1:], ""))
}
