package cli

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strings"
	"time"

	"github.com/pi-go/pi/agentcore/session"
	"github.com/pi-go/pi/codingagent/internal/trash"
)

// deleteSessions moves sessions to the trash. Where there is none, a person is asked
// whether to delete them for good; a script has to say so with --force.
func (p *program) deleteSessions(ctx context.Context, refs []string) error {
	var in *bufio.Reader
	for _, ref := range refs {
		path, err := p.sessionDir().Find(ctx, p.sessionRef(ref))
		if err == nil {
			_, err = os.Lstat(path)
			if errors.Is(err, fs.ErrNotExist) {
				err = fmt.Errorf("session %q: %w", ref, session.ErrNotFound)
			}
		}
		if err != nil {
			return p.sessionError(ctx, ref, err)
		}
		to := ""
		if !p.args.Sessions.Force {
			to, err = p.discard(path)
			if errors.Is(err, trash.ErrNone) && p.sys.InTerminal && p.sys.OutTerminal {
				if in == nil {
					in = bufio.NewReader(p.sys.In)
				}
				if !p.confirm(in, fmt.Sprintf("There is no trash for %s. Delete it for good?", ref)) {
					continue
				}
				err = nil
			} else if errors.Is(err, trash.ErrNone) {
				return fmt.Errorf("%w; --force deletes it for good", err)
			}
		}
		if err == nil && to == "" {
			err = p.sessionDir().Delete(ctx, path)
		}
		if err != nil {
			return err
		}
		if err := p.saidDeleted(ref, path, to); err != nil {
			return err
		}
	}
	return nil
}

// discard moves a session's file to the trash, unless somebody writes it.
func (p *program) discard(path string) (to string, err error) {
	lock, err := session.LockFile(path, path)
	if err != nil {
		return "", err
	}
	defer func() { err = errors.Join(err, lock.Release()) }()
	can := trash.Can{Home: p.sys.Home, Data: p.sys.Env.Lookup("XDG_DATA_HOME"), Now: time.Now}
	return can.Put(path)
}

func (p *program) saidDeleted(ref, path, to string) error {
	if p.args.JSON {
		return p.writeJSONLine(map[string]string{"path": path, "trash": to})
	}
	text := "Deleted " + ref
	if to != "" {
		text = "Moved " + ref + " to the trash: " + to
	}
	_, err := fmt.Fprintln(p.sys.Out, p.clean(text))
	return err
}

// confirm asks a person; the end of the input is a no.
func (p *program) confirm(in *bufio.Reader, question string) bool {
	fmt.Fprintf(p.sys.Err, "%s [y/N] ", question)
	line, _ := in.ReadString('\n') // what came before an error counts
	line = strings.ToLower(strings.TrimSpace(line))
	return line == "y" || line == "yes"
}
