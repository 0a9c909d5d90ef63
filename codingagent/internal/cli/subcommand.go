package cli

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/pi-go/pi/ai"
)

// subcommand is a word that comes first on the command line.
type subcommand struct {
	name, usage, help string
	run               func(p *program, ctx context.Context, words []string) error
}

// subcommands are all, in the order of the help.
func subcommands() []subcommand {
	return []subcommand{
		{"config", "config explain [KEY]", "show settings, where each comes from, and what it is used instead of", (*program).runConfig},
		{"sessions", "sessions list|show|search|check|export|delete", "look at sessions, and look after them", (*program).runSessions},
	}
}

// runSubcommand runs the subcommand that argv begins with; ok is false when it
// begins with none.
func runSubcommand(ctx context.Context, argv []string, sys *System) (ok bool, err error) {
	if len(argv) == 0 {
		return false, nil
	}
	list := subcommands()
	i := slices.IndexFunc(list, func(c subcommand) bool { return c.name == argv[0] })
	if i < 0 {
		return false, nil
	}
	if slices.Contains(argv[1:], "--help") || slices.Contains(argv[1:], "-h") {
		_, err := fmt.Fprintf(sys.Out, "pi %s\n\n  %s\n", list[i].usage, list[i].help)
		return true, err
	}
	// The subcommand has words of its own, options are the program's.
	var words, options []string
	for _, a := range argv[1:] {
		if strings.HasPrefix(a, "-") && len(a) > 1 {
			options = append(options, a)
			continue
		}
		words = append(words, a)
	}
	args, err := Parse(options)
	if err != nil {
		return true, err
	}
	p, err := newProgram(ctx, args, sys)
	if err != nil {
		return true, err
	}
	p.screen = false
	return true, list[i].run(p, ctx, words)
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
	switch len(words) {
	case 1:
		return p.loaded.WriteExplanation(p.sys.Out, "")
	case 2:
		return p.loaded.WriteExplanation(p.sys.Out, words[1])
	}
	return fmt.Errorf("pi config explain takes one key, not %d", len(words)-1)
}
