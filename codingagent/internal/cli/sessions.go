package cli

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"iter"
	"path/filepath"
	"strings"
	"time"

	"github.com/pi-go/pi/agentcore/session"
	"github.com/pi-go/pi/ai"
	"github.com/pi-go/pi/codingagent"
	"github.com/pi-go/pi/codingagent/internal/export"
	"github.com/pi-go/pi/codingagent/internal/mode/interactive"
)

// sessionActions are what pi sessions can do.
func sessionActions() []string {
	return []string{"list", "show", "search", "check", "export", "delete"}
}

// runSessions is pi sessions.
func (p *program) runSessions(ctx context.Context, words []string) error {
	action, err := oneOf("sessions", words, sessionActions())
	if err != nil {
		return err
	}
	rest := words[1:]
	one := func(what string) error {
		if len(rest) < 1 {
			return fmt.Errorf("pi sessions %s needs %s", action, what)
		}
		return nil
	}
	switch action {
	case "list":
		return p.listSessions(ctx, strings.Join(rest, " "))
	case "search":
		if err := one("something to look for"); err != nil {
			return err
		}
		return p.searchSessions(ctx, strings.Join(rest, " "))
	case "check":
		return p.checkSessions(ctx, rest)
	case "show", "delete":
		if err := one("a session: an id, the beginning of one, or a file"); err != nil {
			return err
		}
	case "export":
		if err := one("a session, and may be given a file"); err != nil {
			return err
		}
		if len(rest) > 2 {
			return fmt.Errorf("pi sessions export takes a session and a file, not %d words", len(rest))
		}
		return p.exportSession(ctx, rest[0], strings.Join(rest[1:], ""))
	}
	for _, ref := range rest {
		var err error
		if action == "show" {
			err = p.showSession(ctx, ref)
		} else if err = p.sessionDir().Delete(ctx, p.sessionRef(ref)); err == nil {
			_, err = fmt.Fprintf(p.sys.Out, "Deleted %s\n", ref)
		}
		if err != nil {
			return p.sessionError(ctx, ref, err)
		}
	}
	return nil
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

func (p *program) listSessions(ctx context.Context, search string) error {
	var list []session.Info
	for info, err := range p.sessionDir().List(ctx, session.ListOptions{Cwd: p.sys.Dir, Text: search != ""}) {
		if err != nil {
			p.warn("%s", err)
			continue
		}
		if search == "" || strings.Contains(strings.ToLower(info.Name+" "+info.ID+" "+info.Text), strings.ToLower(search)) {
			list = append(list, info)
		}
	}
	session.SortByTime(list)
	for _, i := range list {
		title := i.Name
		if title == "" {
			title = i.First
		}
		title = cut(p.clean(title), 60)
		if _, err := fmt.Fprintf(p.sys.Out, "%s  %s  %5d  %s\n", i.ID, i.Modified.Local().Format("2006-01-02 15:04"), i.Messages, title); err != nil {
			return err
		}
	}
	if len(list) == 0 {
		fmt.Fprintln(p.sys.Err, "There is no such session of this directory.")
	}
	return nil
}

// cut makes one line of a text, of at most a number of characters.
func cut(s string, most int) string {
	s = strings.Join(strings.Fields(s), " ")
	if r := []rune(s); len(r) > most {
		s = string(r[:most]) + "…"
	}
	return s
}

// openForReading opens a session that may be in use elsewhere.
func (p *program) openForReading(ctx context.Context, ref string) (*session.Session, error) {
	st, err := p.sessionDir().Open(ctx, p.sessionRef(ref), session.ReadOnly)
	if err != nil {
		return nil, err
	}
	return session.Load(ctx, st, p.sessionOptions())
}

// showSession prints what was said on the current branch.
func (p *program) showSession(ctx context.Context, ref string) (err error) {
	s, err := p.openForReading(ctx, ref)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, s.Close()) }()
	entries, err := s.Branch(ctx, "")
	if err != nil {
		return err
	}
	h := s.Header()
	fmt.Fprintf(p.sys.Out, "Session %s\nOf %s, begun %s\n", h.ID, p.clean(h.Cwd), h.Time.Local().Format(time.DateTime))
	for _, e := range entries {
		said := session.Said(e)
		if said == "" {
			continue
		}
		who := string(e.Type())
		if m, ok := e.(*session.MessageEntry); ok {
			who = string(m.Message.Role())
			if m.Message.Role() == ai.RoleSystem {
				continue
			}
		}
		if _, err := fmt.Fprintf(p.sys.Out, "\n── %s %s %s\n%s\n", who, e.Head().ID, e.Head().Time.Local().Format(time.TimeOnly), strings.TrimSpace(p.clean(said))); err != nil {
			return err
		}
	}
	return nil
}

func (p *program) searchSessions(ctx context.Context, text string) error {
	found := 0
	for info, err := range p.sessionDir().List(ctx, session.ListOptions{Cwd: p.sys.Dir}) {
		if err != nil {
			p.warn("%s", err)
			continue
		}
		s, err := p.openForReading(ctx, info.Ref)
		if err != nil {
			p.warn("%s", err)
			continue
		}
		for m, err := range s.Search(ctx, session.Query{Text: text}) {
			if err != nil {
				p.warn("%s: %s", info.Ref, err)
				break
			}
			found++
			if _, err := fmt.Fprintf(p.sys.Out, "%s %s: %s\n", info.ID, m.ID, p.clean(around(m))); err != nil {
				return errors.Join(err, s.Close())
			}
		}
		if err := s.Close(); err != nil {
			return err
		}
	}
	if found == 0 {
		fmt.Fprintln(p.sys.Err, "Nothing was found in the sessions of this directory.")
	}
	return ctx.Err()
}

// around gives a match with some text on both sides, on one line.
func around(m session.Match) string {
	const room = 50
	from, to := max(m.Offset-room, 0), min(m.Offset+m.Len+room, len(m.Text))
	return strings.Join(strings.Fields(strings.ToValidUTF8(m.Text[from:to], "")), " ")
}

// checkSessions explains what is wrong with session files; without refs with
// all of this directory.
func (p *program) checkSessions(ctx context.Context, refs []string) error {
	var paths []string
	for _, ref := range refs {
		path, err := p.sessionDir().Find(ctx, p.sessionRef(ref))
		if err != nil {
			return p.sessionError(ctx, ref, err)
		}
		paths = append(paths, path)
	}
	if len(refs) == 0 {
		for info, err := range p.sessionDir().List(ctx, session.ListOptions{}) {
			if err != nil {
				p.warn("%s", err)
				continue
			}
			paths = append(paths, info.Ref)
		}
	}
	bad := 0
	for _, path := range paths {
		r, err := session.Check(ctx, path, sessionCodec())
		if err != nil {
			return err
		}
		if !r.OK() {
			bad++
		}
		if _, err := fmt.Fprint(p.sys.Out, p.clean(r.String())); err != nil {
			return err
		}
	}
	if bad > 0 {
		return fmt.Errorf("%d of %d sessions have faults; what can be read is still used", bad, len(paths))
	}
	return nil
}

// exportSession writes a session as a page, or as a session file when the name
// ends in .jsonl.
func (p *program) exportSession(ctx context.Context, ref, to string) (err error) {
	s, err := p.openForReading(ctx, ref)
	if err != nil {
		return p.sessionError(ctx, ref, err)
	}
	defer func() { err = errors.Join(err, s.Close()) }()
	path, err := p.export(ctx, s, p.sys.Dir, to)
	if err == nil {
		_, err = fmt.Fprintf(p.sys.Out, "Exported to: %s\n", path)
	}
	return err
}

// export writes a session to a file, whose name is meant within dir; "" makes one
// up.
func (p *program) export(ctx context.Context, s *session.Session, dir, to string) (string, error) {
	if to == "" {
		base := s.ID()
		if path := s.Path(); path != "" {
			base = strings.TrimSuffix(filepath.Base(path), ".jsonl")
		}
		to = "pi-session-" + base + ".html"
	}
	path := expandHome(to, p.sys.Home)
	if !filepath.IsAbs(path) {
		path = filepath.Join(dir, path)
	}
	var b strings.Builder
	var err error
	if strings.HasSuffix(path, ".jsonl") {
		if path == s.Path() {
			return "", fmt.Errorf("%s is the session itself", path)
		}
		err = s.Export(ctx, &b)
	} else {
		err = export.HTML(ctx, &b, s, export.Options{Highlight: interactive.Highlight})
	}
	if err != nil {
		return "", err
	}
	const private = fs.FileMode(0o600) // conversations hold what files hold
	if err := p.files.WriteFile(ctx, path, []byte(b.String()), private); err != nil {
		return "", fmt.Errorf("export session: %w", err)
	}
	return path, nil
}

// exportCurrent is for sessions that are in use.
func (p *program) exportCurrent(ctx context.Context, s *codingagent.AgentSession, to string) (string, error) {
	return p.export(ctx, s.Session(), s.Dir(), to)
}

// everywhere lists the sessions of all directories.
func (p *program) everywhere(ctx context.Context, o session.ListOptions) iter.Seq2[session.Info, error] {
	return func(yield func(session.Info, error) bool) {
		here := p.sessionDir()
		for info, err := range here.List(ctx, o) {
			if !yield(info, err) {
				return
			}
		}
		root := filepath.Join(p.agentDir, "sessions")
		entries, err := p.files.ReadDir(ctx, root)
		if err != nil {
			if !errors.Is(err, fs.ErrNotExist) {
				yield(session.Info{}, fmt.Errorf("list sessions: %w", err))
			}
			return
		}
		for _, e := range entries {
			dir := filepath.Join(root, e.Name())
			if !e.IsDir() || dir == here.Path() {
				continue
			}
			for info, err := range session.NewDir(dir).List(ctx, o) {
				if !yield(info, err) {
					return
				}
			}
		}
	}
}
