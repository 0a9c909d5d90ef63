package lockfile

import (
	"errors"
	"io/fs"
	"os"
	"syscall"
	"time"
)

// What Windows says while others (readers, virus scanners) have a file open, or
// while a directory is on its way out.
const (
	errSharingViolation syscall.Errno = 32
	errLockViolation    syscall.Errno = 33
)

func sharing(err error) bool {
	return errors.Is(err, syscall.ERROR_ACCESS_DENIED) || errors.Is(err, errSharingViolation) || errors.Is(err, errLockViolation)
}

// retry repeats an operation that others are in the way of, for about a second.
func retry(op func() error) error {
	var err error
	for pause := time.Millisecond; pause < time.Second; pause *= 2 {
		if err = op(); err == nil || !sharing(err) {
			return err
		}
		time.Sleep(pause)
	}
	return err
}

func keepOwner(*os.File, fs.FileInfo) {}

func syncDir(string) {}
