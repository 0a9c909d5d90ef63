package lockfile

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
)

// Update changes the file at path under its lock. change gets the text that is
// there, nil if there is no file, and returns the new one; nil, or the same text,
// leaves the file alone. Missing directories are made.
//
// ctx bounds the wait for the lock only: once change runs, its result is written,
// so that a token that was just paid for with another is not lost. An error of
// change is returned as it is, and nothing is written. Nor is it when the lock was
// lost meanwhile (ErrLost).
func Update(ctx context.Context, path string, opt Options, change func(old []byte) ([]byte, error)) (err error) {
	opt = opt.withDefaults()
	target, err := makeRoom(path, opt.DirPerm)
	if err != nil {
		return fmt.Errorf("update %s: %w", path, err)
	}
	l, err := Acquire(ctx, path, opt)
	if err != nil {
		return err
	}
	defer func() {
		if unlockErr := l.Release(); err == nil {
			err = unlockErr
		}
	}()
	if l.inherited {
		sweep(target, opt)
	}
	old, err := readFile(target)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("update %s: %w", path, err)
	}
	text, err := change(bytes.Clone(old))
	if err != nil {
		return err
	}
	if err := l.Check(); err != nil {
		return fmt.Errorf("update %s: %w; nothing was written", path, err)
	}
	if text == nil || old != nil && bytes.Equal(old, text) {
		err = setMode(target, opt.Perm)
	} else {
		err = replace(target, text, opt.Perm)
	}
	if err != nil {
		return fmt.Errorf("update %s: %w", path, err)
	}
	return nil
}

// makeRoom makes the directories that a file at path needs and returns what path
// leads to.
func makeRoom(path string, perm fs.FileMode) (target string, err error) {
	target, err = resolve(path)
	for _, dir := range []string{filepath.Dir(path), filepath.Dir(target)} {
		if err == nil {
			err = os.MkdirAll(dir, perm)
		}
	}
	return target, err
}

// setMode gives a file that is not written the mode it is to have.
func setMode(path string, perm fs.FileMode) error {
	info, err := os.Stat(path)
	if errors.Is(err, fs.ErrNotExist) || err == nil && (perm == 0 || info.Mode().Perm() == perm) {
		return nil
	}
	if err != nil {
		return err
	}
	return os.Chmod(path, perm)
}

// Read reads the file at path under its lock, for files that other programs write
// in place. The error matches fs.ErrNotExist if there is none; then no lock is left
// behind either.
func Read(ctx context.Context, path string, opt Options) ([]byte, error) {
	target, err := resolve(path)
	if err == nil {
		_, err = os.Stat(target)
	}
	if err != nil {
		return nil, fmt.Errorf("read %s: %w", path, err)
	}
	l, err := Acquire(ctx, path, opt)
	if err != nil {
		return nil, err
	}
	text, err := readFile(target)
	if err != nil {
		err = fmt.Errorf("read %s: %w", path, err)
	}
	return text, errors.Join(err, l.Release())
}

// WriteFile replaces the file at path, or makes it, without a lock. perm is as
// Options.Perm. The directory must exist.
func WriteFile(path string, text []byte, perm fs.FileMode) error {
	target, err := resolve(path)
	if err == nil {
		err = replace(target, text, perm)
	}
	if err != nil {
		return fmt.Errorf("write %s: %w", path, err)
	}
	return nil
}

// readFile returns text that is not nil if there is a file.
func readFile(path string) (text []byte, err error) {
	err = retry(func() error {
		text, err = ReadFile(path)
		return err
	})
	if err == nil && text == nil {
		text = []byte{}
	}
	return text, err
}

// maxSize is the size of the largest file that is read.
const maxSize = 64 << 20

// ReadFile reads a file without a lock. It must be a regular file of at most
// 64 MiB: a pipe in its place would be waited for forever, a device read without
// end.
func ReadFile(path string) ([]byte, error) {
	info, err := os.Stat(path)
	switch {
	case err != nil:
		return nil, err
	case !info.Mode().IsRegular():
		return nil, &fs.PathError{Op: "read", Path: path, Err: fmt.Errorf("it is not a regular file but has the mode %v", info.Mode())}
	case info.Size() > maxSize:
		return nil, &fs.PathError{Op: "read", Path: path, Err: fmt.Errorf("it has %d bytes, more than the %d that are read", info.Size(), maxSize)}
	}
	return os.ReadFile(path)
}

// replace writes a temporary file beside path, which is no link, and renames it.
func replace(path string, text []byte, perm fs.FileMode) (err error) {
	old, err := os.Lstat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		old = nil
	case err != nil:
		return err
	case !old.Mode().IsRegular():
		return fmt.Errorf("it is not a regular file but has the mode %v", old.Mode())
	case old.Mode().Perm()&0o222 == 0:
		return fmt.Errorf("it is read-only: %w", fs.ErrPermission) // a rename would not ask
	}
	f, err := createBeside(path, old == nil && perm == 0)
	if err != nil {
		return err
	}
	temp := f.Name()
	defer func() {
		if err != nil {
			os.Remove(temp)
		}
	}()
	if old != nil {
		keepOwner(f, old)
		if perm == 0 {
			perm = old.Mode().Perm()
		}
	}
	if perm != 0 {
		err = f.Chmod(perm)
	}
	if err == nil {
		_, err = f.Write(text)
	}
	if err == nil {
		err = f.Sync()
	}
	if err = errors.Join(err, f.Close()); err != nil {
		return err
	}
	if err = retry(func() error { return os.Rename(temp, path) }); err != nil {
		return err
	}
	syncDir(filepath.Dir(path))
	return nil
}

// tempSuffix ends the name of a temporary file.
const tempSuffix = ".tmp"

// tempPrefix begins the names of the temporary files for path.
func tempPrefix(path string) string { return "." + filepath.Base(path) + "." }

// sweep removes the temporary files that died with the holder of a lock: nobody else
// would ever. Young ones may be those of a program that writes without a lock.
func sweep(path string, opt Options) {
	dir := filepath.Dir(path)
	entries, err := os.ReadDir(dir)
	if err != nil {
		return // the file itself is what matters
	}
	for _, e := range entries {
		if !e.Type().IsRegular() || !strings.HasPrefix(e.Name(), tempPrefix(path)) || !strings.HasSuffix(e.Name(), tempSuffix) {
			continue
		}
		if info, err := e.Info(); err == nil && opt.Now().Sub(info.ModTime()) > opt.Stale/2 {
			os.Remove(filepath.Join(dir, e.Name()))
		}
	}
}

// createBeside makes a new file in the directory of path. Only its owner can read
// it until it gets its mode, unless it is to have the usual one.
func createBeside(path string, usual bool) (*os.File, error) {
	mode := fs.FileMode(0o600)
	if usual {
		mode = 0o666
	}
	for {
		name := filepath.Join(filepath.Dir(path), fmt.Sprintf("%s%08x%s", tempPrefix(path), rand.Uint32(), tempSuffix))
		f, err := os.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, mode)
		if !errors.Is(err, fs.ErrExist) {
			return f, err
		}
	}
}
