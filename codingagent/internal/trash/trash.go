// Package trash puts files where a person can get them back: the trash of the
// desktop, as file managers have it.
package trash

import (
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"time"
)

// ErrNone says that there is no trash for a file: the system has none that we
// know, or it is on another file system.
var ErrNone = errors.New("there is no trash for it")

// Can is a person's trash.
type Can struct {
	// Home is the home directory, Data the value of XDG_DATA_HOME, "" if it is not
	// set.
	Home, Data string
	Now        func() time.Time
	// System is that of the machine, as runtime.GOOS has it; "" is this one.
	System string
}

// Put moves a file into the trash and gives its new path. The error is [ErrNone],
// or wraps it, where that can not be done; the file is where it was then.
func (c Can) Put(path string) (string, error) {
	path, err := filepath.Abs(path)
	if err != nil {
		return "", fmt.Errorf("move %s to the trash: %w", path, err)
	}
	system := c.System
	if system == "" {
		system = runtime.GOOS
	}
	if c.Home == "" {
		return "", ErrNone
	}
	var to string
	switch system {
	case "darwin":
		to, err = c.putPlain(path)
	case "windows":
		return "", ErrNone // its trash takes files through its shell only
	default:
		to, err = c.putRecorded(path)
	}
	if err != nil {
		return "", fmt.Errorf("move %s to the trash: %w", path, errors.Join(ErrNone, err))
	}
	return to, nil
}

// putPlain moves a file into a directory of files, which is all that macOS needs.
func (c Can) putPlain(path string) (string, error) {
	dir := filepath.Join(c.Home, ".Trash")
	if _, err := os.Stat(dir); err != nil {
		return "", err
	}
	for n := 1; ; n++ {
		to := filepath.Join(dir, numbered(filepath.Base(path), n))
		switch err := moveNew(path, to); {
		case err == nil:
			return to, nil
		case !errors.Is(err, fs.ErrExist):
			return "", err
		}
	}
}

// putRecorded moves a file into the trash of the freedesktop.org specification: a
// record of where it was, then the file itself.
// https://specifications.freedesktop.org/trash-spec/latest/
func (c Can) putRecorded(path string) (string, error) {
	data := c.Data
	if data == "" || !filepath.IsAbs(data) {
		data = filepath.Join(c.Home, ".local", "share")
	}
	files, info := filepath.Join(data, "Trash", "files"), filepath.Join(data, "Trash", "info")
	if err := errors.Join(os.MkdirAll(files, 0o700), os.MkdirAll(info, 0o700)); err != nil {
		return "", err
	}
	record := "[Trash Info]\nPath=" + (&url.URL{Path: path}).EscapedPath() + "\nDeletionDate=" + c.Now().Format("2006-01-02T15:04:05") + "\n"
	for n := 1; ; n++ {
		name := numbered(filepath.Base(path), n)
		note := filepath.Join(info, name+".trashinfo")
		// The record reserves the name.
		f, err := os.OpenFile(note, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
		if errors.Is(err, fs.ErrExist) {
			continue
		}
		if err != nil {
			return "", err
		}
		_, err = f.WriteString(record)
		if err = errors.Join(err, f.Close()); err == nil {
			to := filepath.Join(files, name)
			if err = moveNew(path, to); err == nil {
				return to, nil
			}
		}
		err = errors.Join(err, os.Remove(note))
		if !errors.Is(err, fs.ErrExist) {
			return "", err
		}
	}
}

// numbered puts a number into a name, before its extension; 1 is none.
func numbered(name string, n int) string {
	if n == 1 {
		return name
	}
	ext := filepath.Ext(name)
	return strings.TrimSuffix(name, ext) + "." + strconv.Itoa(n) + ext
}

// moveNew moves a file to a name that nothing has.
func moveNew(from, to string) error {
	if _, err := os.Lstat(to); !errors.Is(err, fs.ErrNotExist) {
		return errors.Join(&fs.PathError{Op: "move", Path: to, Err: fs.ErrExist}, err)
	}
	return os.Rename(from, to)
}
