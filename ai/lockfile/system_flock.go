//go:build darwin || dragonfly || freebsd || linux || netbsd || openbsd

package lockfile

import (
	"errors"
	"io/fs"
	"os"
	"syscall"
	"time"
)

// takeOver takes a stale lock over by refreshing it. Who wants to do so locks the
// directory itself first, which the kernel undoes if they die, so that of several
// only one can: to remove and make it anew would let a slow one remove the lock of
// a fast one.
func takeOver(dir string, stale func(fs.FileInfo) bool, now time.Time) (bool, error) {
	f, err := os.Open(dir)
	if err != nil {
		if errors.Is(err, fs.ErrNotExist) {
			return false, nil
		}
		return false, err
	}
	defer f.Close()
	switch err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB); err {
	case nil:
	case syscall.EWOULDBLOCK, syscall.EINTR:
		return false, nil
	default: // some network file systems
		return takeOverByName(dir, stale)
	}
	if here, err := current(f, dir); !here || err != nil {
		return false, err
	}
	info, err := f.Stat()
	if err != nil {
		return false, err
	}
	if !stale(info) {
		return false, nil
	}
	tv := syscall.NsecToTimeval(now.UnixNano())
	if err := syscall.Futimes(int(f.Fd()), []syscall.Timeval{tv, tv}); err != nil {
		return false, os.NewSyscallError("futimes", err)
	}
	return current(f, dir) // or a program that does not lock it was faster
}

// current reports whether f is what stands at dir.
func current(f *os.File, dir string) (bool, error) {
	open, err := f.Stat()
	if err != nil {
		return false, err
	}
	there, err := os.Stat(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	return err == nil && os.SameFile(open, there), err
}
