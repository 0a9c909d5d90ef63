package interactive

import (
	"context"
	"errors"
	"path/filepath"
	"slices"
	"strings"

	"github.com/pi-go/pi/agentcore/session"
	"github.com/pi-go/pi/codingagent"
	"github.com/pi-go/pi/tui"
)

// importer is a place of sessions that takes files from elsewhere.
type importer interface {
	Import(ctx context.Context, path string, others ...*session.Dir) (session.Imported, error)
}

// importCommand goes on with a session file from elsewhere: a copy of it is kept
// with the others.
func (u *ui) importCommand(name string) {
	repo, ok := u.cfg.Repo.(importer)
	if !ok {
		u.hint("Sessions are not kept here, so none can be taken in.")
		return
	}
	if !u.idle("go on with another session") {
		return
	}
	path := u.typedPath(name)
	items := []tui.ListItem{
		{Value: "yes", Label: "Go on with it", Description: "a copy is kept with your sessions"},
		{Value: "no", Label: "Leave it"},
	}
	u.pick("Import "+u.shortPath(path)+"?", items, func(it tui.ListItem) {
		if it.Value == "no" {
			return
		}
		var in session.Imported
		u.later(func(ctx context.Context) (err error) {
			var others []*session.Dir
			if u.cfg.OtherDirs != nil {
				others = u.cfg.OtherDirs(ctx)
			}
			in, err = repo.Import(ctx, path, others...)
			return err
		}, func() {
			said := "Imported."
			switch {
			case in.Known:
				said = "It was here already."
			case in.Was != "":
				said = "Imported with a new id: another session here has the one it had."
			}
			u.openSession(in.Path, said)
		})
	})
}

// typedPath makes an absolute path of what a person typed, which may have quotes.
func (u *ui) typedPath(name string) string {
	if len(name) > 1 && (name[0] == '"' || name[0] == '\'') && name[len(name)-1] == name[0] {
		name = name[1 : len(name)-1]
	}
	if rest, ok := strings.CutPrefix(name, "~/"); ok && u.cfg.Home != "" {
		name = filepath.Join(u.cfg.Home, rest)
	}
	if !filepath.IsAbs(name) {
		name = filepath.Join(u.cfg.Dir, name)
	}
	return filepath.Clean(name)
}

// sessionFiles lists the files below the directory that may be sessions.
func sessionFiles(ctx context.Context, u *ui) []tui.ListItem {
	names, err := u.fileList.all(ctx, u.cfg.Env, u.spawn)
	if err != nil {
		return nil
	}
	var items []tui.ListItem
	for _, n := range names {
		if strings.HasSuffix(n, ".jsonl") {
			items = append(items, tui.ListItem{Value: n, Label: oneLine(n)})
		}
	}
	return items
}

// openSession goes on with a kept session. When its directory is gone, or another
// program has it, the person says how to go on.
func (u *ui) openSession(ref, said string) {
	open := func(ctx context.Context) (string, error) { return "", u.cfg.Runtime.Open(ctx, ref) }
	u.replacedOr(open, said, func(err error) bool {
		here := u.cfg.Dir
		var taken *codingagent.InUseError
		if errors.As(err, &taken) {
			u.openCopy(ref, taken)
			return true
		}
		var missing *codingagent.MissingDirError
		if !errors.As(err, &missing) {
			return false
		}
		items := []tui.ListItem{
			{Value: "here", Label: "Go on here", Description: "in this directory"},
			{Value: "copy", Label: "Go on with a copy", Description: "for this directory; the session stays as it is"},
			{Value: "no", Label: "Cancel"},
		}
		p := u.pick("Its directory is gone", items, func(it tui.ListItem) {
			switch it.Value {
			case "here":
				u.replaced(func(ctx context.Context) (string, error) { return "", u.cfg.Runtime.OpenIn(ctx, ref, here) }, said)
			case "copy":
				u.replaced(func(ctx context.Context) (string, error) { return "", u.cfg.Runtime.CopyTo(ctx, ref, here) }, "This is a copy, for this directory.")
			}
		})
		p.below = func(width int) []string {
			return []string{" " + u.look.fg("muted", shorten(oneLine(u.homePath(missing.Dir)), width-1))}
		}
		return true
	})
}

// openCopy offers a copy of a session that another program has.
func (u *ui) openCopy(ref string, taken *codingagent.InUseError) {
	items := []tui.ListItem{
		{Value: "copy", Label: "Go on with a copy", Description: "of what was said so far, in this directory"},
		{Value: "no", Label: "Cancel"},
	}
	here := u.cfg.Dir
	p := u.pick("Another program has this session", items, func(it tui.ListItem) {
		if it.Value == "copy" {
			u.replaced(func(ctx context.Context) (string, error) { return "", u.cfg.Runtime.CopyTo(ctx, ref, here) }, "This is a copy; the session stays as it is.")
		}
	})
	p.below = func(width int) []string {
		t := tui.NewText(u.look.fg("muted", "In a shell: "+oneLine(taken.Fork)))
		t.PadX = 1
		return t.Render(width)
	}
}

// sameItems reports whether two lists show the same.
func sameItems(a, b []tui.ListItem) bool {
	return slices.EqualFunc(a, b, func(x, y tui.ListItem) bool {
		return x.Value == y.Value && x.Label == y.Label && x.Description == y.Description
	})
}
