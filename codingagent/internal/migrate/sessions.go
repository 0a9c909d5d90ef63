package migrate

import (
	"context"
	"errors"
	"path/filepath"
	"strings"

	"github.com/pi-go/pi/agentcore/session"
	"github.com/pi-go/pi/codingagent/sessiondir"
)

// sessions moves session files that lie in the agent directory itself to those of
// their working directories.
func (m *migration) sessions(ctx context.Context) {
	files, err := filepath.Glob(filepath.Join(escape(m.dir), "*.jsonl"))
	if err != nil || len(files) == 0 {
		return
	}
	moved := 0
	for info, err := range session.ListFiles(ctx, files, session.ListOptions{}) {
		if err != nil || info.Cwd == "" {
			continue // no session, or one that belongs nowhere
		}
		// Whoever writes it holds its lock.
		f, err := session.OpenFile(ctx, info.Ref, session.ReadWrite, session.Header{})
		if err == nil {
			err = f.Close()
		}
		var locked *session.LockedError
		if errors.As(err, &locked) {
			continue // at the next start
		}
		if err == nil {
			err = moveNew(info.Ref, filepath.Join(m.dir, "sessions", sessiondir.Name(info.Cwd), filepath.Base(info.Ref)))
		}
		if err != nil {
			m.failed("the session %s stays where it is: %v", info.Ref, err)
			continue
		}
		moved++
	}
	if moved > 0 {
		m.done("%d sessions are in %s now", moved, filepath.Join(m.dir, "sessions"))
	}
}

// escape keeps a directory's name from being taken for a pattern.
func escape(dir string) string {
	return strings.NewReplacer(`*`, `\*`, `?`, `\?`, `[`, `\[`).Replace(dir)
}
