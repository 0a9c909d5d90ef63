package session

import (
	"bufio"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"runtime"
	"strconv"
	"syscall"
	"time"

	"github.com/gofrs/flock"
)

// lockSuffix makes the name of the sidecar file that carries a session's
// lock. It does not end in .jsonl, so no program takes it for a session.
const lockSuffix = ".lock"

// FileLock is the right to write a session. The kernel takes it back when the
// process ends, however it ends; a file left behind means nothing.
type FileLock struct {
	l *flock.Flock
}

// LockFile takes a lock whose file is at the path with ".lock" behind it, for
// the session that ref stands for, or says in a [LockedError] who has it. On a
// file system that can not lock it gives nil: there is nothing to hold, and
// nobody is kept out. Storages use it; programs need not.
func LockFile(path, ref string) (*FileLock, error) {
	name := path + lockSuffix
	var held error
	for range 100 {
		l := flock.New(name, flock.SetFlag(os.O_CREATE|os.O_RDWR), flock.SetPermissions(0o600))
		ok, err := l.TryLock()
		switch {
		case errors.Is(err, errors.ErrUnsupported) || errors.Is(err, syscall.ENOLCK):
			return nil, errors.Join(l.Close())
		case err != nil:
			return nil, fmt.Errorf("lock session %s: %w", ref, err)
		case !ok:
			holder := &LockedError{Ref: ref}
			holder.PID, holder.Host = readHolder(name)
			if err := l.Close(); err != nil || !holder.gone() {
				return nil, errors.Join(holder, err)
			}
			held = holder
			time.Sleep(letGo)
			continue
		}
		// The former holder may have removed the file between our opening and
		// locking it; then others would lock another file of that name.
		mine, err := l.Stat()
		if err == nil {
			var there fs.FileInfo
			if there, err = os.Stat(name); err == nil && os.SameFile(mine, there) {
				writeHolder(name)
				return &FileLock{l}, nil
			}
		}
		if cerr := l.Close(); cerr != nil {
			return nil, fmt.Errorf("lock session %s: %w", ref, cerr)
		}
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return nil, fmt.Errorf("lock session %s: %w", ref, err)
		}
	}
	if held != nil {
		return nil, held
	}
	return nil, fmt.Errorf("lock session %s: %s is removed again and again by someone else", ref, name)
}

// letGo is the pause before the lock of a process that is gone is tried again: a
// command that it was about to start has the lock, too, until it really runs.
const letGo = 10 * time.Millisecond

// gone reports whether the process that holds a lock ended on this machine.
func (e *LockedError) gone() bool {
	if host, err := os.Hostname(); err != nil || host != e.Host || e.PID <= 0 {
		return false
	}
	p, err := os.FindProcess(e.PID)
	if err != nil {
		return false
	}
	return errors.Is(p.Signal(syscall.Signal(0)), os.ErrProcessDone)
}

// Release gives the lock back and removes its file. On nil it does nothing.
func (l *FileLock) Release() error {
	if l == nil {
		return nil
	}
	name := l.l.Path()
	if runtime.GOOS == "windows" { // where an open file can not be removed
		err := l.l.Close()
		_ = os.Remove(name) // another program may have it open by now
		return err
	}
	err := os.Remove(name)
	if errors.Is(err, fs.ErrNotExist) {
		err = nil
	}
	return errors.Join(err, l.l.Close())
}

// writeHolder notes who holds the lock, for the message to others. Nothing
// depends on it, so a failure does not matter.
func writeHolder(name string) {
	host, _ := os.Hostname()
	_ = os.WriteFile(name, []byte(strconv.Itoa(os.Getpid())+"\n"+host+"\n"), 0o600)
}

func readHolder(name string) (pid int, host string) {
	f, err := os.Open(name)
	if err != nil {
		return 0, ""
	}
	defer f.Close()
	lines := bufio.NewScanner(f)
	if lines.Scan() {
		pid, _ = strconv.Atoi(lines.Text())
	}
	if lines.Scan() {
		host = lines.Text()
	}
	return pid, host
}
