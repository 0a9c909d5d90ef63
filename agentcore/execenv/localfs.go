package execenv

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// LocalFS is the file system of this machine.
type LocalFS struct {
	temp string
}

var (
	_ FileSystem   = LocalFS{}
	_ NativePather = LocalFS{}
)

// NativePath returns name: it is one already.
func (LocalFS) NativePath(name string) (string, bool) { return name, true }

// ReadFile reads a whole file.
func (LocalFS) ReadFile(ctx context.Context, name string) ([]byte, error) {
	f, err := openLocal(ctx, name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	data, err := readAll(ctx, f, name)
	if err != nil {
		return nil, err
	}
	return data, nil
}

// Open opens a file for reading.
func (LocalFS) Open(ctx context.Context, name string) (fs.File, error) {
	f, err := openLocal(ctx, name)
	if err != nil {
		return nil, err
	}
	return f, nil
}

// WriteFile replaces the content of a file. It writes a neighbour and renames
// it, except where that would change more than the content: a file with several
// hard links or a foreign owner, a device or a pipe, and a directory in which no
// file can be made, are written in place.
func (l LocalFS) WriteFile(ctx context.Context, name string, data []byte, perm fs.FileMode) error {
	if err := live(ctx, "write", name); err != nil {
		return err
	}
	target, err := linkTarget(name)
	if err != nil {
		return err
	}
	info, err := os.Lstat(target)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return replace(target, data, perm, nil)
	case err != nil:
		return err
	case info.IsDir():
		return &fs.PathError{Op: "write", Path: name, Err: errIsDir}
	case !info.Mode().IsRegular() || sharedInode(info):
		return overwrite(target, data)
	}
	// Renaming needs no right to the file itself, so ask for that right first.
	f, err := os.OpenFile(target, os.O_WRONLY, 0)
	if err != nil {
		return err
	}
	if err := f.Close(); err != nil {
		return err
	}
	err = replace(target, data, info.Mode(), info)
	if errors.Is(err, errInPlace) {
		return overwrite(target, data)
	}
	return err
}

// errInPlace says that a neighbour file can not stand in for the original.
var errInPlace = errors.New("write in place")

// replace writes data to a new file beside target and renames it over target.
// old describes the file that is there, nil if there is none.
func replace(target string, data []byte, perm fs.FileMode, old fs.FileInfo) (err error) {
	f, err := createBeside(target, perm.Perm())
	if old != nil && errors.Is(err, fs.ErrPermission) {
		return errInPlace
	}
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			f.Close()
			os.Remove(f.Name())
		}
	}()
	if old != nil {
		if err := likeFile(f, old); err != nil {
			return errInPlace
		}
	}
	if _, err := f.Write(data); err != nil {
		return renamed(err, target)
	}
	if old != nil {
		// Some file systems write the new name before the new data; without this a
		// power failure could leave an empty file where there was a full one.
		if err := f.Sync(); err != nil {
			return renamed(err, target)
		}
	}
	if err := f.Close(); err != nil {
		return renamed(err, target)
	}
	if err := renameOver(f.Name(), target); err != nil {
		return renamed(err, target)
	}
	return nil
}

// createBeside makes a new file in the directory of target.
func createBeside(target string, perm fs.FileMode) (*os.File, error) {
	dir, base := filepath.Split(target)
	// A long name is cut, so that the neighbour is not refused for its length.
	base = base[:min(len(base), 100)]
	for range 100 {
		name := filepath.Join(dir, "."+base+"."+randomName()+".tmp")
		f, err := os.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, perm)
		if errors.Is(err, fs.ErrExist) {
			continue
		}
		return f, renamed(err, target)
	}
	return nil, &fs.PathError{Op: "write", Path: target, Err: errors.New("no free name for a temporary file beside it")}
}

// renamed makes err speak of the file the caller knows, not of the neighbour.
func renamed(err error, target string) error {
	var pe *fs.PathError
	if errors.As(err, &pe) {
		return &fs.PathError{Op: "write", Path: target, Err: pe.Err}
	}
	var le *os.LinkError
	if errors.As(err, &le) {
		return &fs.PathError{Op: "write", Path: target, Err: le.Err}
	}
	return err
}

// overwrite writes data over the content of target. It shortens the file only
// after writing, so that space that the file had can not be lost to others meanwhile.
func overwrite(target string, data []byte) error {
	// A pipe that nobody reads is an error, nothing to wait for.
	f, err := os.OpenFile(target, os.O_WRONLY|openNonblocking, 0)
	if err != nil {
		return err
	}
	_, err = f.Write(data)
	if info, serr := f.Stat(); err == nil && serr == nil && info.Mode().IsRegular() {
		err = f.Truncate(int64(len(data)))
	}
	return errors.Join(err, f.Close())
}

// linkTarget follows the links in the last element of name, also to a file that
// does not exist yet.
func linkTarget(name string) (string, error) {
	first := name
	for range 40 {
		info, err := os.Lstat(name)
		if err != nil || info.Mode()&fs.ModeSymlink == 0 {
			return name, nil
		}
		to, err := os.Readlink(name)
		if err != nil {
			return "", err
		}
		if !filepath.IsAbs(to) {
			// Links in the directory must be resolved before ".." may be joined.
			dir, err := filepath.EvalSymlinks(filepath.Dir(name))
			if err != nil {
				return "", err
			}
			to = filepath.Join(dir, to)
		}
		name = to
	}
	return "", &fs.PathError{Op: "write", Path: first, Err: errLoop}
}

// CreateTemp makes a temporary file.
func (l LocalFS) CreateTemp(ctx context.Context, dir, pattern string) (TempFile, error) {
	if dir == "" {
		dir = l.temp
	}
	if err := live(ctx, "createtemp", dir); err != nil {
		return nil, err
	}
	prefix, suffix := splitPattern(pattern)
	for range 100 {
		name := filepath.Join(dir, prefix+randomName()+suffix)
		f, err := os.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL|os.O_APPEND, 0o600)
		if errors.Is(err, fs.ErrExist) {
			continue
		}
		if err != nil {
			return nil, err
		}
		return f, nil
	}
	return nil, &fs.PathError{Op: "createtemp", Path: filepath.Join(dir, pattern), Err: fs.ErrExist}
}

func splitPattern(pattern string) (prefix, suffix string) {
	if i := strings.LastIndexByte(pattern, '*'); i >= 0 {
		return pattern[:i], pattern[i+1:]
	}
	return pattern, ""
}

// randomName is 16 hexadecimal digits.
func randomName() string {
	var b [8]byte
	rand.Read(b[:])
	return fmt.Sprintf("%x", b)
}

// Stat describes a file.
func (LocalFS) Stat(ctx context.Context, name string) (fs.FileInfo, error) {
	if err := live(ctx, "stat", name); err != nil {
		return nil, err
	}
	return os.Stat(name)
}

// Lstat describes a name.
func (LocalFS) Lstat(ctx context.Context, name string) (fs.FileInfo, error) {
	if err := live(ctx, "lstat", name); err != nil {
		return nil, err
	}
	return os.Lstat(name)
}

// RealPath resolves links.
func (LocalFS) RealPath(ctx context.Context, name string) (string, error) {
	if err := live(ctx, "realpath", name); err != nil {
		return "", err
	}
	return filepath.EvalSymlinks(name)
}

// ReadDir lists a directory.
func (LocalFS) ReadDir(ctx context.Context, name string) ([]fs.DirEntry, error) {
	if err := live(ctx, "readdir", name); err != nil {
		return nil, err
	}
	return os.ReadDir(name)
}

// MkdirAll makes directories.
func (LocalFS) MkdirAll(ctx context.Context, name string, perm fs.FileMode) error {
	if err := live(ctx, "mkdir", name); err != nil {
		return err
	}
	return os.MkdirAll(name, perm)
}

// Rename moves a file.
func (LocalFS) Rename(ctx context.Context, from, to string) error {
	if err := live(ctx, "rename", from); err != nil {
		return err
	}
	return renameOver(from, to)
}

// Remove removes a name.
func (LocalFS) Remove(ctx context.Context, name string) error {
	if err := live(ctx, "remove", name); err != nil {
		return err
	}
	return os.Remove(name)
}

// live returns an error if ctx has ended.
func live(ctx context.Context, op, name string) error {
	if ctx.Err() != nil {
		return &fs.PathError{Op: op, Path: name, Err: context.Cause(ctx)}
	}
	return nil
}
