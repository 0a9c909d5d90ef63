package session

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"iter"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// Dir is a [Repo] that keeps each session in a file of a directory. A ref is
// a path (anything with a separator in it, or that ends in .jsonl; relative
// ones are meant within the directory) or an id. Files elsewhere can be opened
// by their paths too.
type Dir struct {
	path string
	ids  IDs
	now  func() time.Time
}

// NewDir makes a repo of the directory at path, which need not be there: it is
// made with the first file in it.
func NewDir(path string) *Dir { return &Dir{path: path, now: time.Now} }

// Path is the path of the directory.
func (d *Dir) Path() string { return d.path }

// Create implements [Repo]. The file appears with the first user or assistant
// message.
func (d *Dir) Create(ctx context.Context, h Header, lines iter.Seq2[[]byte, error]) (Storage, error) {
	given := h.ID != "" // an id of our own making is free
	h, err := h.Complete(&d.ids, d.now())
	if err != nil {
		return nil, err
	}
	path := filepath.Join(d.path, h.FileName())
	if !given {
		return CreateFile(ctx, path, h, lines)
	}
	if err := d.free(ctx, h.ID); err != nil {
		return nil, err
	}
	// Another process may take the id before the file appears.
	return createFile(ctx, path, h, lines, d.now, func() (*FileLock, error) {
		lock, err := LockFile(filepath.Join(d.path, h.ID), h.ID)
		if errors.Is(err, ErrLocked) {
			return nil, fmt.Errorf("create session %s: %w", h.ID, ErrTaken)
		}
		if err != nil {
			return nil, err
		}
		if err := d.free(context.WithoutCancel(ctx), h.ID); err != nil {
			return nil, errors.Join(err, lock.Release())
		}
		return lock, nil
	})
}

// free reports an id that is taken.
func (d *Dir) free(ctx context.Context, id string) error {
	_, err := d.find(ctx, id, true)
	switch {
	case err == nil:
		return fmt.Errorf("create session %s: %w", id, ErrTaken)
	case errors.Is(err, ErrNotFound):
		return nil
	}
	return err
}

// Open implements [Repo].
func (d *Dir) Open(ctx context.Context, ref string, mode Mode) (Storage, error) {
	path, err := d.Find(ctx, ref)
	if err != nil {
		return nil, err
	}
	f, err := OpenFile(ctx, path, mode, Header{})
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("session %q: %w", ref, ErrNotFound)
	}
	if err != nil {
		return nil, err
	}
	return f, nil
}

// Delete implements [Repo]. It removes the file; copies that were kept beside
// it stay.
func (d *Dir) Delete(ctx context.Context, ref string) error {
	path, err := d.Find(ctx, ref)
	if err != nil {
		return err
	}
	if _, err := os.Lstat(path); errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("session %q: %w", ref, ErrNotFound)
	}
	lock, err := LockFile(path, path)
	if err != nil {
		return err
	}
	if err := errors.Join(os.Remove(path), lock.Release()); err != nil {
		return fmt.Errorf("delete session %q: %w", ref, err)
	}
	return nil
}

// Find gives the path of the session's file for a ref: see [Dir] and
// [Repo].Open. A path is given back without looking whether it is there.
func (d *Dir) Find(ctx context.Context, ref string) (string, error) { return d.find(ctx, ref, false) }

func (d *Dir) find(ctx context.Context, ref string, exact bool) (string, error) {
	if !exact && (strings.ContainsAny(ref, `/\`) || strings.HasSuffix(ref, fileSuffix)) {
		if filepath.IsAbs(ref) {
			return ref, nil
		}
		return filepath.Join(d.path, ref), nil
	}
	files, err := d.files()
	if err != nil {
		return "", err
	}
	// A file is named for its session as a rule, so those whose names match
	// are looked at first; but only the header says for sure.
	slices.SortStableFunc(files, func(a, b sessionFile) int {
		am, bm := strings.Contains(a.path, ref), strings.Contains(b.path, ref)
		switch {
		case am == bm:
			return 0
		case am:
			return -1
		}
		return 1
	})
	best := ""
	for _, f := range files {
		if err := ctx.Err(); err != nil {
			return "", context.Cause(ctx)
		}
		h, err := readHeader(ctx, f.path)
		switch {
		case err != nil: // not a session
		case h.ID == ref:
			return f.path, nil
		case !exact && best == "" && ref != "" && strings.HasPrefix(h.ID, ref):
			best = f.path
		}
	}
	if best == "" {
		return "", fmt.Errorf("session %q in %s: %w", ref, d.path, ErrNotFound)
	}
	return best, nil
}

// sessionFile is a file that may hold a session.
type sessionFile struct {
	path     string
	modified time.Time
	size     int64
}

// files lists the session files of the directory, the latest written first.
func (d *Dir) files() ([]sessionFile, error) {
	entries, err := os.ReadDir(d.path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("list sessions: %w", err)
	}
	var paths []string
	for _, e := range entries {
		if strings.HasSuffix(e.Name(), fileSuffix) {
			paths = append(paths, filepath.Join(d.path, e.Name()))
		}
	}
	return statFiles(paths), nil
}

// statFiles gives the regular files among the paths, the latest written first.
func statFiles(paths []string) []sessionFile {
	files := make([]sessionFile, 0, len(paths))
	for _, p := range paths {
		if info, err := os.Stat(p); err == nil && info.Mode().IsRegular() {
			files = append(files, sessionFile{p, info.ModTime(), info.Size()})
		}
	}
	slices.SortStableFunc(files, func(a, b sessionFile) int { return b.modified.Compare(a.modified) })
	return files
}

// maxPreamble is how much text that is no JSON may stand before the header of
// a file that is looked for by its header.
const maxPreamble = 1 << 20

// readHeader reads the header of a session file.
func readHeader(ctx context.Context, path string) (Header, error) {
	f, err := os.Open(path)
	if err != nil {
		return Header{}, err
	}
	defer f.Close()
	var h Header
	lr := lineReader{r: f, buf: make([]byte, 4<<10)}
	err = lr.session(ctx, func(found Header) bool {
		h = found
		return false
	}, func(l *line) bool { return l.Next < maxPreamble })
	return h, err
}
