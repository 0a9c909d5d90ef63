package interactive

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"runtime"
	"runtime/pprof"
	"strings"
	"time"

	"github.com/pi-go/pi/ai"
)

// bugCommand writes a report that a person can look at and send. Nothing is sent
// by itself.
func (u *ui) bugCommand(what string) {
	if what == "" {
		u.ask("What is wrong?", "", false, func(s string) {
			if strings.TrimSpace(s) == "" {
				u.hint("Nothing was written.")
				return
			}
			u.bugCommand(s)
		}, nil)
		return
	}
	name := "bug-" + time.Now().UTC().Format("20060102-150405") + ".md"
	text := "# " + firstLine(what, 200) + "\n\n" + strings.TrimSpace(Clean(what)) + "\n\n## What to look at\n\n" +
		"Say how to see it again: what you did, what happened, what should have happened.\n\n## The program\n\n" + indent(u.facts())
	u.writeReport(name, text, func(path string) {
		u.note("success", "A report is in "+u.homePath(path)+".\nIt holds what you wrote and facts about this program, but no conversation and no keys. "+
			"Nothing was sent: look it over, add to it, and send it to the authors.")
	})
}

// debugCommand writes what is known of the program's state.
func (u *ui) debugCommand(string) {
	var stacks strings.Builder
	if err := pprof.Lookup("goroutine").WriteTo(&stacks, 1); err != nil {
		u.fail(err)
		return
	}
	u.writeReport("pi-debug.log", u.facts()+"\ngoroutines:\n"+Clean(stacks.String()), func(path string) {
		u.note("success", "Written to "+u.homePath(path)+": facts about this program, no conversation and no keys.")
	})
}

func (u *ui) writeReport(name, text string, done func(path string)) {
	path := filepath.Join(u.cfg.AgentDir, name)
	u.later(func(ctx context.Context) error {
		if err := u.cfg.Env.FS.MkdirAll(ctx, u.cfg.AgentDir, fs.FileMode(0o700)); err != nil {
			return fmt.Errorf("write report: %w", err)
		}
		if err := u.cfg.Env.FS.WriteFile(ctx, path, []byte(text), fs.FileMode(0o600)); err != nil {
			return fmt.Errorf("write report: %w", err)
		}
		return nil
	}, func() { done(path) })
}

// facts describes the program without what was said, without names of files, and
// without anything that could hold a key: settings and variables are left out but
// for those that say how the terminal is used.
func (u *ui) facts() string {
	var b strings.Builder
	line := func(key, format string, args ...any) {
		fmt.Fprintf(&b, "%s: %s\n", key, oneLine(fmt.Sprintf(format, args...)))
	}
	s := u.session()
	line("pi", "%s, %s %s/%s", u.cfg.Version, runtime.Version(), runtime.GOOS, runtime.GOARCH)
	width, height := u.p.Size()
	line("terminal", "%d x %d, full screen %v", width, height, u.p.Terminal().FullScreen())
	line("facts", "%+v", u.p.Terminal().Facts())
	line("capabilities", "%+v", u.p.Capabilities())
	line("look", "theme %s, colours %v", u.look.theme.Name(), u.look.depth)
	line("screen settings", "%+v", withoutCommands(u))
	if m := s.Model(); m != nil {
		line("model", "%s, protocol %s, thinking %s", m.Ref(), m.API, s.Thinking())
	} else {
		line("model", "none")
	}
	set := s.Settings()
	line("retry", "%+v", set.Retry)
	line("compaction", "%+v", set.Compaction.Enabled)
	line("queues", "%s, %s", set.SteeringMode, set.FollowUpMode)
	line("session", "%d entries, kept %v, phase %v, damaged lines %d", s.Session().Len(), s.File() != "", s.Harness().Phase(), s.Session().Skipped())
	for _, c := range u.keys.Conflicts() {
		line("keys", "%s", conflictText(u.keys, c))
	}
	counts := map[ai.Role]int{}
	var order []ai.Role
	failed := ""
	for _, m := range s.State().Messages {
		if counts[m.Role()] == 0 {
			order = append(order, m.Role())
		}
		counts[m.Role()]++
		if a, ok := m.(*ai.AssistantMessage); ok && a.StopReason == ai.StopError {
			failed = failureKind(a)
		}
	}
	for _, r := range order {
		line("messages", "%s: %d", r, counts[r])
	}
	if failed != "" {
		line("last failure", "%s", failed)
	}
	b.WriteString(u.guestFacts())
	return b.String()
}

// withoutCommands are the settings of the screen without what a person wrote in
// them: a command can hold anything.
func withoutCommands(u *ui) any {
	set := u.settings
	set.ExternalEditor = ""
	return set
}

// failureKind says what kind of failure an answer ended with; its text can quote
// what was sent.
func failureKind(a *ai.AssistantMessage) string {
	var e *ai.APIError
	if errors.As(a.Err(), &e) {
		return fmt.Sprintf("%v, status %d", e.Kind, e.Status)
	}
	return "unknown"
}

func indent(s string) string {
	return "    " + strings.ReplaceAll(strings.TrimRight(s, "\n"), "\n", "\n    ") + "\n"
}
