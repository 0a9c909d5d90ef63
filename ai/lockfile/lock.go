package lockfile

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"sync"
	"time"
)

// ErrLost says that a lock was taken over by somebody else, or removed, while it
// was held: this program was stopped for longer than the lock lasts.
var ErrLost = errors.New("the lock was lost to another program")

// BusyError says that somebody else held a lock for as long as was waited for it.
type BusyError struct {
	Path   string        // the file
	Dir    string        // its lock
	Age    time.Duration // since the holder refreshed it
	Waited time.Duration
}

func (e *BusyError) Error() string {
	return fmt.Sprintf("%s is locked by another program, refreshed %v ago; waited %v. If no such program runs, remove the directory %s",
		e.Path, e.Age.Round(time.Millisecond), e.Waited.Round(time.Millisecond), e.Dir)
}

// Lock is a lock that is held. Release it. Its methods may be called from several
// goroutines.
type Lock struct {
	path string
	dir  string
	opt  Options

	inherited bool // its holder died

	mu       sync.Mutex
	timer    *time.Timer // the next refresh
	info     fs.FileInfo // of dir, as we left it
	err      error       // ErrLost, or that it was released
	released bool
}

// Acquire locks the file at path, which need not exist, but its directory must. It
// waits as long as opt.Wait says and ctx lasts; the error is then a *BusyError or
// the cause of ctx's end.
func Acquire(ctx context.Context, path string, opt Options) (*Lock, error) {
	opt = opt.withDefaults()
	locked := path
	if !opt.KeepLink {
		var err error
		if locked, err = resolve(path); err != nil {
			return nil, fmt.Errorf("lock %s: %w", path, err)
		}
	}
	l := &Lock{path: path, dir: locked + ".lock", opt: opt}
	start := opt.Now()
	for n := 0; ; n++ {
		if err := ctx.Err(); err != nil {
			return nil, fmt.Errorf("lock %s: %w", path, context.Cause(ctx))
		}
		age, err := l.try()
		if err != nil {
			return nil, fmt.Errorf("lock %s: %w", path, err)
		}
		if l.info != nil {
			l.mu.Lock()
			l.schedule()
			l.mu.Unlock()
			return l, nil
		}
		waited := opt.Now().Sub(start)
		if waited >= opt.Wait {
			return nil, &BusyError{Path: path, Dir: l.dir, Age: age, Waited: waited}
		}
		if err := opt.Sleep(ctx, min(opt.pause(n), opt.Wait-waited)); err != nil {
			return nil, fmt.Errorf("lock %s: %w", path, err)
		}
	}
}

// try tries once to get the lock and sets info if it did. Otherwise it returns how
// long ago the holder refreshed it.
func (l *Lock) try() (age time.Duration, err error) {
	for range 3 { // a lock that vanishes between two looks is not one to wait for
		err := os.Mkdir(l.dir, 0o755)
		if err == nil {
			return 0, l.claim()
		}
		if !errors.Is(err, fs.ErrExist) && !sharing(err) {
			return 0, err
		}
		info, err := os.Stat(l.dir)
		switch {
		case errors.Is(err, fs.ErrNotExist):
			continue
		case err != nil && !sharing(err):
			return 0, err
		case err != nil:
			return 0, nil
		case !info.IsDir():
			return 0, fmt.Errorf("%s is in the way: it is no directory; remove it", l.dir)
		}
		age = max(l.opt.Now().Sub(info.ModTime()), 0)
		if age <= l.opt.Stale {
			return age, nil
		}
		taken, err := takeOver(l.dir, l.stale, l.opt.Now())
		if err != nil || !taken {
			return age, err
		}
		l.inherited = true
		return 0, l.claim()
	}
	return age, nil
}

func (l *Lock) stale(info fs.FileInfo) bool {
	return l.opt.Now().Sub(info.ModTime()) > l.opt.Stale
}

// claim marks the lock, which was just got, with our time: the file system's own
// clock may be another one, and not every file system keeps all digits.
func (l *Lock) claim() error {
	info, err := l.touch()
	if err != nil {
		return errors.Join(err, os.Remove(l.dir))
	}
	l.info = info
	return nil
}

func (l *Lock) touch() (fs.FileInfo, error) {
	now := l.opt.Now()
	if err := os.Chtimes(l.dir, now, now); err != nil {
		return nil, err
	}
	return os.Stat(l.dir)
}

// schedule plans the next refresh. l.mu is held.
func (l *Lock) schedule() {
	l.timer = time.AfterFunc(l.opt.Stale/3, func() {
		l.mu.Lock()
		defer l.mu.Unlock()
		if l.err == nil && l.refresh() == nil {
			l.schedule()
		}
	})
}

// refresh shows that the holder lives. l.mu is held.
func (l *Lock) refresh() error {
	if err := l.check(); err != nil {
		return err
	}
	info, err := l.touch()
	if err != nil {
		l.err = fmt.Errorf("%w: %w", ErrLost, err)
		return l.err
	}
	l.info = info
	return nil
}

// check compares the lock with how we left it. l.mu is held.
func (l *Lock) check() error {
	if l.err != nil {
		return l.err
	}
	info, err := os.Stat(l.dir)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		l.err = ErrLost
	case err != nil:
		return fmt.Errorf("look at the lock %s: %w", l.dir, err)
	case !os.SameFile(info, l.info) || !info.ModTime().Equal(l.info.ModTime()):
		l.err = ErrLost
	}
	return l.err
}

// Check returns nil if the lock is still held, and an error that matches ErrLost if
// it is not. Call it before doing what must not be done by two.
func (l *Lock) Check() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.check()
}

// Release gives the lock back. The error matches ErrLost when it was no longer
// held; a second Release does nothing.
func (l *Lock) Release() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.released {
		return nil
	}
	l.released = true
	l.timer.Stop()
	if err := l.check(); err != nil {
		return fmt.Errorf("unlock %s: %w", l.path, err)
	}
	l.err = errors.New("the lock was released")
	if err := retry(func() error { return os.Remove(l.dir) }); err != nil {
		return fmt.Errorf("unlock %s: %w", l.path, err)
	}
	return nil
}

// maxLinks is how many symbolic links are followed in a row.
const maxLinks = 40

// resolve follows symbolic links, also to a file that does not exist yet.
func resolve(path string) (string, error) {
	path, err := filepath.Abs(path)
	if err != nil {
		return "", err
	}
	for range maxLinks {
		target, err := os.Readlink(path)
		if err != nil { // no link, or nothing there
			dir, err := filepath.EvalSymlinks(filepath.Dir(path))
			if err != nil {
				return path, nil // the directory has to be made yet
			}
			return filepath.Join(dir, filepath.Base(path)), nil
		}
		if !filepath.IsAbs(target) {
			target = filepath.Join(filepath.Dir(path), target)
		}
		path = target
	}
	return "", fmt.Errorf("more than %d symbolic links in a row", maxLinks)
}
