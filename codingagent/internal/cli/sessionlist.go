package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"iter"
	"path/filepath"
	"strings"
	"time"

	"github.com/pi-go/pi/agentcore/session"
)

// sessionInfo is what pi sessions list says of a session, in the form of --json.
type sessionInfo struct {
	ID       string    `json:"id"`
	Path     string    `json:"path"`
	Cwd      string    `json:"cwd"`
	Parent   string    `json:"parent,omitempty"`
	Name     string    `json:"name,omitempty"`
	First    string    `json:"firstMessage,omitempty"`
	Created  time.Time `json:"created"`
	Modified time.Time `json:"modified"`
	Messages int       `json:"messages"`
	Size     int64     `json:"size"`
	Damaged  int       `json:"damagedLines,omitempty"`
}

func (p *program) listSessions(ctx context.Context, search string) error {
	list := []session.Info{}
	for info := range p.wanted(ctx, session.ListOptions{Text: search != ""}) {
		if search == "" || strings.Contains(strings.ToLower(info.Name+" "+info.ID+" "+info.Text), strings.ToLower(search)) {
			list = append(list, info)
		}
	}
	session.SortByTime(list)
	if p.args.JSON {
		out := make([]sessionInfo, len(list))
		for i, s := range list {
			out[i] = sessionInfo{s.ID, s.Ref, s.Cwd, s.Parent, s.Name, s.First, s.Created, s.Modified, s.Messages, s.Size, s.Skipped}
		}
		return errors.Join(ctx.Err(), p.writeJSON(out))
	}
	for _, i := range list {
		title := cut(p.clean(cmp.Or(i.Name, i.First)), 60)
		if p.args.Sessions.All {
			title += "  (" + p.clean(i.Cwd) + ")"
		}
		if _, err := fmt.Fprintf(p.sys.Out, "%s  %s  %5d  %s\n", i.ID, i.Modified.Local().Format("2006-01-02 15:04"), i.Messages, title); err != nil {
			return err
		}
	}
	if len(list) == 0 {
		which := "no session"
		if search != "" {
			which = "no such session"
		}
		hint := ""
		if !p.args.Sessions.All {
			hint = "; --all lists those of all directories"
		}
		fmt.Fprintf(p.sys.Err, "There is %s %s%s.\n", which, p.where(), hint)
	}
	return ctx.Err()
}

// otherDirs are where the sessions of other directories are kept.
func (p *program) otherDirs(ctx context.Context) []*session.Dir {
	root := filepath.Join(p.agentDir, "sessions")
	entries, err := p.files.ReadDir(ctx, root)
	if err != nil {
		return nil // there are none
	}
	var list []*session.Dir
	for _, e := range entries {
		if dir := filepath.Join(root, e.Name()); e.IsDir() && dir != p.sessionDir().Path() {
			list = append(list, session.NewDir(dir))
		}
	}
	return list
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
