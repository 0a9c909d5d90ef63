package execenv

import (
	"context"
	"errors"
	"io/fs"
	"path"
	"slices"
	"strings"
	"syscall"
)

// WithMount returns a copy of e in which the files of tree can be read under a
// scheme, such as "docs:" for names like docs:/guide/start.md. They can not be
// changed, and commands do not see them.
func (e Env) WithMount(scheme string, tree fs.FS) Env {
	e.mounts = append(slices.Clone(e.mounts), scheme)
	e.FS = mountFS{e.FS, scheme, tree}
	return e
}

// mounted reports whether a name belongs to a mounted tree. Such names are always
// absolute and have the Unix style.
func (e Env) mounted(name string) bool {
	return slices.ContainsFunc(e.mounts, func(scheme string) bool {
		_, ok := inMount(scheme, name)
		return ok
	})
}

// cleanMounted returns the shortest form of a mounted name; what leads out of the
// tree leads to its top.
func (e Env) cleanMounted(name string) string {
	i := slices.IndexFunc(e.mounts, func(scheme string) bool {
		_, ok := inMount(scheme, name)
		return ok
	})
	inside, _ := inMount(e.mounts[i], name)
	return e.mounts[i] + path.Join("/", inside)
}

// inMount returns the part of a name behind the scheme, as a name for the tree.
func inMount(scheme, name string) (string, bool) {
	rest, ok := strings.CutPrefix(name, scheme)
	if !ok || rest != "" && !isSlash(rest[0]) {
		return "", false
	}
	rest = path.Join("/", strings.ReplaceAll(rest, `\`, "/"))
	if rest == "/" {
		return ".", true
	}
	return rest[1:], true
}

// mountFS is a file system with a tree mounted in it.
type mountFS struct {
	FileSystem
	scheme string
	tree   fs.FS
}

var (
	_ FileSystem   = mountFS{}
	_ NativePather = mountFS{}
)

// refuse is the error for a change of a mounted name, nil for other names.
func (m mountFS) refuse(op, name string) error {
	if _, ok := inMount(m.scheme, name); ok {
		return &fs.PathError{Op: op, Path: name, Err: syscall.EROFS}
	}
	return nil
}

// outside makes an error of the tree speak of the whole name.
func outside(err error, name string) error {
	var pe *fs.PathError
	if errors.As(err, &pe) {
		return &fs.PathError{Op: pe.Op, Path: name, Err: pe.Err}
	}
	return err
}

func (m mountFS) NativePath(name string) (string, bool) {
	if _, ok := inMount(m.scheme, name); ok {
		return "", false
	}
	if n, ok := m.FileSystem.(NativePather); ok {
		return n.NativePath(name)
	}
	return "", false
}

func (m mountFS) ReadFile(ctx context.Context, name string) ([]byte, error) {
	inside, ok := inMount(m.scheme, name)
	if !ok {
		return m.FileSystem.ReadFile(ctx, name)
	}
	if err := live(ctx, "read", name); err != nil {
		return nil, err
	}
	data, err := fs.ReadFile(m.tree, inside)
	return data, outside(err, name)
}

func (m mountFS) Open(ctx context.Context, name string) (fs.File, error) {
	inside, ok := inMount(m.scheme, name)
	if !ok {
		return m.FileSystem.Open(ctx, name)
	}
	if err := live(ctx, "open", name); err != nil {
		return nil, err
	}
	f, err := m.tree.Open(inside)
	if err != nil {
		return nil, outside(err, name)
	}
	if info, err := f.Stat(); err == nil && info.IsDir() {
		f.Close()
		return nil, &fs.PathError{Op: "open", Path: name, Err: errIsDir}
	}
	return f, nil
}

func (m mountFS) WriteFile(ctx context.Context, name string, data []byte, perm fs.FileMode) error {
	if err := m.refuse("write", name); err != nil {
		return err
	}
	return m.FileSystem.WriteFile(ctx, name, data, perm)
}

func (m mountFS) CreateTemp(ctx context.Context, dir, pattern string) (TempFile, error) {
	if err := m.refuse("createtemp", dir); err != nil {
		return nil, err
	}
	return m.FileSystem.CreateTemp(ctx, dir, pattern)
}

func (m mountFS) Stat(ctx context.Context, name string) (fs.FileInfo, error) {
	inside, ok := inMount(m.scheme, name)
	if !ok {
		return m.FileSystem.Stat(ctx, name)
	}
	if err := live(ctx, "stat", name); err != nil {
		return nil, err
	}
	info, err := fs.Stat(m.tree, inside)
	return info, outside(err, name)
}

func (m mountFS) Lstat(ctx context.Context, name string) (fs.FileInfo, error) {
	if _, ok := inMount(m.scheme, name); ok {
		return m.Stat(ctx, name)
	}
	return m.FileSystem.Lstat(ctx, name)
}

func (m mountFS) RealPath(ctx context.Context, name string) (string, error) {
	inside, ok := inMount(m.scheme, name)
	if !ok {
		return m.FileSystem.RealPath(ctx, name)
	}
	if _, err := m.Stat(ctx, name); err != nil {
		return "", err
	}
	return m.scheme + path.Join("/", inside), nil
}

func (m mountFS) ReadDir(ctx context.Context, name string) ([]fs.DirEntry, error) {
	inside, ok := inMount(m.scheme, name)
	if !ok {
		return m.FileSystem.ReadDir(ctx, name)
	}
	if err := live(ctx, "readdir", name); err != nil {
		return nil, err
	}
	entries, err := fs.ReadDir(m.tree, inside)
	return entries, outside(err, name)
}

func (m mountFS) MkdirAll(ctx context.Context, name string, perm fs.FileMode) error {
	if err := m.refuse("mkdir", name); err != nil {
		return err
	}
	return m.FileSystem.MkdirAll(ctx, name, perm)
}

func (m mountFS) Rename(ctx context.Context, from, to string) error {
	if err := errors.Join(m.refuse("rename", from), m.refuse("rename", to)); err != nil {
		return err
	}
	return m.FileSystem.Rename(ctx, from, to)
}

func (m mountFS) Remove(ctx context.Context, name string) error {
	if err := m.refuse("remove", name); err != nil {
		return err
	}
	return m.FileSystem.Remove(ctx, name)
}
