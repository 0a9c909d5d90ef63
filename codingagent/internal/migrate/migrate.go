// Package migrate brings files of older versions to where they are looked for now,
// at the start of a program. It loses nothing: what is put elsewhere stays beside
// its old place or is moved whole, and what is there already is never written over.
// Files that other programs may use at the same time are changed under their locks.
//
//	for _, n := range migrate.Agent(ctx, dir) {
//		fmt.Fprintln(os.Stderr, n)
//	}
package migrate

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// Note says what was done, or what could not be done.
type Note struct {
	Text string
	// Failed says that it could not be done; everything is as it was.
	Failed bool
}

// String gives the text.
func (n Note) String() string { return n.Text }

// Agent looks after an agent directory. When there is nothing to do, which is
// nearly always, it costs a look at a handful of names. Old names in
// keybindings.json are read as they are.
func Agent(ctx context.Context, dir string) []Note {
	m := &migration{dir: dir}
	m.credentials(ctx)
	m.sessions(ctx)
	m.commands(dir)
	m.leftovers(dir)
	return m.notes
}

// Project looks after the .pi directory of a project that is trusted.
func Project(dir string) []Note {
	m := &migration{dir: dir}
	m.commands(dir)
	m.leftovers(dir)
	return m.notes
}

type migration struct {
	dir   string
	notes []Note
}

func (m *migration) path(name string) string { return filepath.Join(m.dir, name) }

func (m *migration) done(format string, args ...any) {
	m.notes = append(m.notes, Note{Text: fmt.Sprintf(format, args...)})
}

func (m *migration) failed(format string, args ...any) {
	m.notes = append(m.notes, Note{fmt.Sprintf(format, args...), true})
}

// commands moves a directory of templates to the name it has now.
func (m *migration) commands(dir string) {
	from, to := filepath.Join(dir, "commands"), filepath.Join(dir, "prompts")
	if info, err := os.Stat(from); err != nil || !info.IsDir() {
		return
	}
	if _, err := os.Lstat(to); !errors.Is(err, fs.ErrNotExist) {
		return // both are there: the person has begun with the new one
	}
	if err := os.Rename(from, to); err != nil {
		m.failed("%s holds templates, which are looked for in %s now; it could not be renamed: %v", from, to, err)
		return
	}
	m.done("%s is %s now", from, to)
}

// leftovers tells of what has no successor of the same kind.
func (m *migration) leftovers(dir string) {
	if entries, err := os.ReadDir(filepath.Join(dir, "hooks")); err == nil && len(entries) > 0 {
		m.failed("%s is not used: hooks have become extensions (pi docs extensions)", filepath.Join(dir, "hooks"))
	}
	entries, err := os.ReadDir(filepath.Join(dir, "tools"))
	if err != nil {
		return
	}
	for _, e := range entries {
		// fd and rg were downloaded by versions that needed them.
		switch e.Name() {
		case "fd", "rg", "fd.exe", "rg.exe":
			continue
		}
		m.failed("%s is not used: tools of one's own have become extensions (pi docs extensions)", filepath.Join(dir, "tools"))
		return
	}
}

// moveNew moves a file to a name that nothing has; it never replaces a file.
func moveNew(from, to string) error {
	if err := os.MkdirAll(filepath.Dir(to), 0o700); err != nil {
		return err
	}
	// A second name fails where the name is taken, which a rename does not.
	err := os.Link(from, to)
	switch {
	case err == nil:
		return os.Remove(from)
	case errors.Is(err, fs.ErrExist):
		return err
	}
	// File systems without second names.
	if _, statErr := os.Lstat(to); !errors.Is(statErr, fs.ErrNotExist) {
		return errors.Join(&fs.PathError{Op: "move", Path: to, Err: fs.ErrExist}, statErr)
	}
	return os.Rename(from, to)
}
