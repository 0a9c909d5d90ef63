package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path/filepath"
	"strings"

	"github.com/pi-go/pi/agentcore/session"
	"github.com/pi-go/pi/codingagent"
	"github.com/pi-go/pi/codingagent/internal/export"
	"github.com/pi-go/pi/codingagent/internal/mode/interactive"
)

// exportSession writes a session as a page, or as a session file when the name
// ends in .jsonl.
func (p *program) exportSession(ctx context.Context, ref, to string) (err error) {
	s, err := p.openForReading(ctx, ref)
	if err != nil {
		return p.sessionError(ctx, ref, err)
	}
	defer func() { err = errors.Join(err, s.Close()) }()
	path, err := p.export(ctx, s, p.sys.Dir, to)
	if err == nil && p.args.JSON {
		return p.writeJSONLine(map[string]string{"id": s.ID(), "path": path})
	}
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
		if p.args.Sessions.Whole {
			err = exportWhole(ctx, &b, s)
		} else {
			err = s.Export(ctx, &b)
		}
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

// exportWhole writes all entries as they are stored, with all branches.
func exportWhole(ctx context.Context, w io.Writer, s *session.Session) error {
	if _, err := w.Write(append(s.Header().AppendJSON(nil), '\n')); err != nil {
		return err
	}
	for _, stub := range s.Stubs() {
		raw, err := s.Raw(ctx, stub.ID)
		if err != nil {
			return fmt.Errorf("export session %s: %w", s.ID(), err)
		}
		if _, err := w.Write(append(raw, '\n')); err != nil {
			return err
		}
	}
	return nil
}

// runImport is pi import.
func (p *program) runImport(ctx context.Context, words []string) error {
	if len(words) == 0 {
		return errors.New("pi import needs a session file")
	}
	return p.importSessions(ctx, words)
}

// importSessions copies session files to those of the directory.
func (p *program) importSessions(ctx context.Context, files []string) error {
	for _, file := range files {
		path := expandHome(file, p.sys.Home)
		if !filepath.IsAbs(path) {
			path = filepath.Join(p.sys.Dir, path)
		}
		in, err := p.sessionDir().Import(ctx, path, p.otherDirs(ctx)...)
		to := in.Path
		switch {
		case errors.Is(err, fs.ErrNotExist):
			return fmt.Errorf("file not found: %s", path)
		case errors.Is(err, session.ErrNotSession):
			return fmt.Errorf("%s is no session file: its first line is no header", path)
		case err != nil:
			return err
		}
		s, err := p.openForReading(ctx, to)
		if err != nil {
			return err
		}
		id, skipped, dir := s.ID(), s.Skipped(), s.Header().Cwd
		if err := s.Close(); err != nil {
			return err
		}
		if skipped > 0 {
			p.warn("%s has %d damaged lines; they were copied as they are", path, skipped)
		}
		if p.args.JSON {
			err = p.writeJSONLine(map[string]string{"id": id, "path": to})
		} else {
			said := "Imported " + id
			switch {
			case in.Known:
				said = id + " is here already"
			case in.Was != "":
				said += ", which was " + in.Was + ": another session here has that id"
			}
			_, err = fmt.Fprintf(p.sys.Out, "%s (pi --session %s goes on with it)\n", p.clean(said), p.clean(to))
			if dir != p.sys.Dir && err == nil {
				p.warn("it is a session of %s; here pi sessions list shows it with --all, and pi --fork %s goes on with it in this directory", p.clean(dir), p.clean(to))
			}
		}
		if err != nil {
			return err
		}
	}
	return nil
}
