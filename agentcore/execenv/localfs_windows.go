//go:build windows

package execenv

import (
	"errors"
	"io/fs"
	"os"
	"syscall"
	"time"
)

var (
	errIsDir  error = syscall.EISDIR
	errNotDir error = syscall.ENOTDIR
	errLoop   error = syscall.ELOOP
	errInUse  error = syscall.ENOTEMPTY
)

// openNonblocking means nothing here: opening a pipe of Windows does not wait.
const openNonblocking = 0

// sharedInode is always false: os.FileInfo does not tell the number of links
// without opening the file, and hard links are rare on Windows.
func sharedInode(fs.FileInfo) bool { return false }

// likeFile has nothing to do: a new file inherits the access list of its
// directory, and the read-only bit was refused before.
func likeFile(*os.File, fs.FileInfo) error { return nil }

// renameOver renames, and tries again for a short while when another program
// (an indexer, a virus scanner) has the target open without sharing it.
func renameOver(from, to string) error {
	const (
		sharingViolation = syscall.Errno(32)
		accessDenied     = syscall.Errno(5)
	)
	var err error
	for wait := time.Millisecond; wait < 500*time.Millisecond; wait *= 2 {
		err = os.Rename(from, to)
		if !errors.Is(err, sharingViolation) && !errors.Is(err, accessDenied) {
			return err
		}
		time.Sleep(wait)
	}
	return err
}
