package cli

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"path/filepath"
	"strings"

	"github.com/pi-go/pi/agentcore/session"
	"github.com/pi-go/pi/codingagent/internal/mode/interactive"
)

// sessionArgs are the options of pi sessions.
type sessionArgs struct {
	All   bool // directories
	Whole bool // export: all branches
	Force bool // delete: not to the trash
}

// sessionActions are what pi sessions can do.
func sessionActions() []string {
	return []string{"list", "show", "search", "check", "export", "import", "delete"}
}

func sessionOptions() []option {
	flag := func(p func(a *sessionArgs) *bool) func(*Args) { return func(a *Args) { *p(&a.Sessions) = true } }
	return append(sharedOptions("session-dir", "approve", "no-approve"),
		option{long: "all", help: "list, search, check: those of all directories", flag: flag(func(a *sessionArgs) *bool { return &a.All })},
		option{long: "whole", help: "export to .jsonl: all branches", flag: flag(func(a *sessionArgs) *bool { return &a.Whole })},
		option{long: "force", help: "delete: for good, not to the trash", flag: flag(func(a *sessionArgs) *bool { return &a.Force })},
		jsonOption())
}

// runSessions is pi sessions.
func (p *program) runSessions(ctx context.Context, words []string) error {
	action, err := oneOf("sessions", words, sessionActions())
	if err != nil {
		return err
	}
	rest := words[1:]
	needs := map[string]string{
		"search": "something to look for", "show": "a session: an id, the beginning of one, or a file",
		"delete": "a session: an id, the beginning of one, or a file", "export": "a session, and may be given a file", "import": "a session file",
	}
	if what := needs[action]; what != "" && len(rest) == 0 {
		return fmt.Errorf("pi sessions %s needs %s", action, what)
	}
	switch action {
	case "list":
		return p.listSessions(ctx, strings.Join(rest, " "))
	case "search":
		return p.searchSessions(ctx, strings.Join(rest, " "))
	case "check":
		return p.checkSessions(ctx, rest)
	case "import":
		return p.importSessions(ctx, rest)
	case "export":
		if len(rest) > 2 {
			return fmt.Errorf("pi sessions export takes a session and a file, not %d words", len(rest))
		}
		return p.exportSession(ctx, rest[0], strings.Join(rest[1:], ""))
	case "delete":
		return p.deleteSessions(ctx, rest)
	}
	for _, ref := range rest {
		if err := p.showSession(ctx, ref); err != nil {
			return p.sessionError(ctx, ref, err)
		}
	}
	return nil
}

// wanted lists the sessions of the directory, or of all; those that can not be read
// are said and left out.
func (p *program) wanted(ctx context.Context, o session.ListOptions) iter.Seq[session.Info] {
	list := p.everywhere(ctx, o)
	if !p.args.Sessions.All {
		o.Cwd = p.sys.Dir
		list = p.sessionDir().List(ctx, o)
	}
	return func(yield func(session.Info) bool) {
		for info, err := range list {
			if err != nil {
				p.warn("%s", err)
			} else if !yield(info) {
				return
			}
		}
	}
}

// where names the place of wanted, for people.
func (p *program) where() string {
	if p.args.Sessions.All {
		return "of any directory"
	}
	return "of this directory"
}

// sessionRef makes a path of what looks like one.
func (p *program) sessionRef(ref string) string {
	if strings.ContainsAny(ref, `/\`) || strings.HasSuffix(ref, ".jsonl") {
		if ref = expandHome(ref, p.sys.Home); !filepath.IsAbs(ref) {
			ref = filepath.Join(p.sys.Dir, ref)
		}
	}
	return ref
}

// sessionError says what to do about a session that is not there.
func (p *program) sessionError(ctx context.Context, ref string, err error) error {
	if !errors.Is(err, session.ErrNotFound) {
		return err
	}
	if there := p.sessionElsewhere(ctx, ref); there.Ref != "" {
		return fmt.Errorf("session %s belongs to %s; name its file: %s", there.ID, there.Cwd, there.Ref)
	}
	return fmt.Errorf("no session matches %q; pi sessions list shows those of this directory", ref)
}

// clean makes text harmless where a terminal shows it.
func (p *program) clean(s string) string {
	if p.sys.OutTerminal {
		return interactive.Clean(s)
	}
	return s
}

// cut makes one line of a text, of at most a number of characters.
func cut(s string, most int) string {
	s = strings.Join(strings.Fields(s), " ")
	if r := []rune(s); len(r) > most {
		s = string(r[:most]) + "…"
	}
	return s
}
