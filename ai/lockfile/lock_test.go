package lockfile

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"
)

// later is a clock that is ahead of the others: to it, a lock that was just
// refreshed is old.
func later(d time.Duration) func() time.Time {
	return func() time.Time { return time.Now().Add(d) }
}

func mustAcquire(t *testing.T, path string, opt Options) *Lock {
	t.Helper()
	l, err := Acquire(t.Context(), path, opt)
	if err != nil {
		t.Fatal(err)
	}
	return l
}

func exists(path string) bool {
	_, err := os.Lstat(path)
	return err == nil
}

func TestLockIsADirectory(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "auth.json")
	l := mustAcquire(t, path, Options{})
	info, err := os.Stat(path + ".lock")
	if err != nil || !info.IsDir() {
		t.Fatalf("the lock is %v, %v", info, err)
	}
	if age := time.Since(info.ModTime()); age > time.Minute || age < -time.Minute {
		t.Errorf("its time is %v ago", age)
	}
	if err := l.Check(); err != nil {
		t.Error(err)
	}
	for range 2 {
		if err := l.Release(); err != nil {
			t.Error(err)
		}
	}
	if exists(path + ".lock") {
		t.Error("the lock is still there")
	}
	if l.Check() == nil {
		t.Error("a released lock claims to be held")
	}
	if exists(path) {
		t.Error("locking made the file")
	}
}

func TestBusy(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "auth.json")
	if err := os.Mkdir(path+".lock", 0o755); err != nil { // another program
		t.Fatal(err)
	}
	_, err := Acquire(t.Context(), path, Options{Wait: -1})
	var busy *BusyError
	if !errors.As(err, &busy) || busy.Path != path || !strings.HasSuffix(busy.Dir, "auth.json.lock") || busy.Waited < 0 {
		t.Fatalf("error %v", err)
	}
	if msg := err.Error(); !strings.Contains(msg, "remove the directory "+busy.Dir) {
		t.Errorf("%q does not say what to do", msg)
	}
	if !exists(path + ".lock") {
		t.Error("somebody else's lock was removed")
	}
}

func TestWaiting(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		path := filepath.Join(t.TempDir(), "auth.json")
		held := mustAcquire(t, path, Options{})
		start := time.Now()
		time.AfterFunc(3*time.Second, func() {
			if err := held.Release(); err != nil {
				t.Error(err)
			}
		})
		l := mustAcquire(t, path, Options{})
		if took := time.Since(start); took < 3*time.Second || took > 5*time.Second {
			t.Errorf("it waited %v for a lock that was held for 3 s", took)
		}

		// Refreshed all the time, the lock is not taken over, however long.
		start = time.Now()
		var busy *BusyError
		if _, err := Acquire(t.Context(), path, Options{Wait: time.Hour}); !errors.As(err, &busy) {
			t.Fatalf("error %v", err)
		}
		if took := time.Since(start); took != time.Hour || busy.Waited != time.Hour || busy.Age > 10*time.Second {
			t.Errorf("waited %v, says %v, refreshed %v ago", took, busy.Waited, busy.Age)
		}

		ctx, cancel := context.WithCancelCause(t.Context())
		gone := errors.New("user left")
		time.AfterFunc(time.Second, func() { cancel(gone) })
		start = time.Now()
		if _, err := Acquire(ctx, path, Options{}); !errors.Is(err, gone) || !strings.Contains(err.Error(), path) {
			t.Errorf("error %v", err)
		}
		if took := time.Since(start); took != time.Second {
			t.Errorf("the wait ended %v after the cancellation", took-time.Second)
		}
		if _, err := Acquire(ctx, filepath.Join(t.TempDir(), "free"), Options{}); !errors.Is(err, gone) {
			t.Errorf("a cancelled context got a lock: %v", err)
		}
		if err := l.Release(); err != nil {
			t.Error(err)
		}
	})
}

func TestPauses(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "f")
	if err := os.Mkdir(path+".lock", 0o755); err != nil {
		t.Fatal(err)
	}
	run := func(opt Options) []time.Duration {
		now := time.Now()
		var pauses []time.Duration
		opt.Now = func() time.Time { return now }
		opt.Sleep = func(_ context.Context, d time.Duration) error {
			pauses = append(pauses, d)
			now = now.Add(d)
			return nil
		}
		var busy *BusyError
		if _, err := Acquire(t.Context(), path, opt); !errors.As(err, &busy) {
			t.Fatalf("error %v", err)
		}
		return pauses
	}
	const ms = time.Millisecond
	brief := run(Brief())
	if len(brief) != 10 || brief[0] != 20*ms || brief[9] != 20*ms {
		t.Errorf("brief pauses %v", brief)
	}
	patient := run(Options{Random: func() float64 { return 1 }, Stale: time.Hour})
	for i, want := range []time.Duration{10 * ms, 20 * ms, 40 * ms, 80 * ms, 160 * ms, 320 * ms, 640 * ms, 1280 * ms, 2000 * ms, 2000 * ms} {
		if patient[i] != want {
			t.Errorf("pause %d is %v, want %v", i, patient[i], want)
		}
	}
	sum := time.Duration(0)
	for _, d := range patient {
		sum += d
	}
	if sum != 30*time.Second {
		t.Errorf("waited %v in all", sum)
	}
	if d := run(Options{Random: func() float64 { return 0 }, Stale: time.Hour})[3]; d != 40*ms {
		t.Errorf("without luck the fourth pause is %v", d)
	}
}

func TestStaleLockIsTakenOver(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "auth.json")
	if err := os.Mkdir(path+".lock", 0o755); err != nil { // its holder is dead
		t.Fatal(err)
	}
	opt := Options{Wait: -1, Stale: 30 * time.Second}
	opt.Now = later(29 * time.Second)
	if _, err := Acquire(t.Context(), path, opt); err == nil {
		t.Fatal("a lock of 29 s was taken over")
	}
	opt.Now = later(31 * time.Second)
	l := mustAcquire(t, path, opt)
	if err := l.Check(); err != nil {
		t.Error(err)
	}
	if err := l.Release(); err != nil || exists(path+".lock") {
		t.Errorf("release: %v, still there: %v", err, exists(path+".lock"))
	}
}

// Of many that see a stale lock, one gets it at a time.
func TestOneTakesOver(t *testing.T) {
	t.Parallel()
	for name, take := range map[string]func(string, func(fs.FileInfo) bool) (bool, error){
		"of this system": func(dir string, stale func(fs.FileInfo) bool) (bool, error) {
			return takeOver(dir, stale, time.Now().Add(time.Hour))
		},
		"by name": takeOverByName,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			for range 50 {
				dir := filepath.Join(t.TempDir(), "f.lock")
				if err := os.Mkdir(dir, 0o755); err != nil {
					t.Fatal(err)
				}
				old := time.Now().Add(-time.Hour)
				if err := os.Chtimes(dir, old, old); err != nil {
					t.Fatal(err)
				}
				stale := func(info fs.FileInfo) bool { return time.Since(info.ModTime()) > time.Minute }
				var (
					wg    sync.WaitGroup
					mu    sync.Mutex
					taken int
				)
				begin := make(chan struct{})
				for range 8 {
					wg.Go(func() {
						<-begin
						ok, err := take(dir, stale)
						if err != nil {
							t.Error(err)
						}
						if ok {
							mu.Lock()
							taken++
							mu.Unlock()
						}
					})
				}
				close(begin)
				wg.Wait()
				if taken != 1 || !exists(dir) {
					t.Fatalf("%d took the lock over; it is there: %v", taken, exists(dir))
				}
			}
		})
	}
}

func TestGoroutinesExcludeEachOther(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "f")
	var wg sync.WaitGroup
	var inside atomic.Int32
	for range 4 {
		wg.Go(func() {
			for range 10 {
				l, err := Acquire(t.Context(), path, Options{MaxDelay: 11 * time.Millisecond})
				if err != nil {
					t.Error(err)
					return
				}
				if n := inside.Add(1); n != 1 {
					t.Errorf("%d hold the lock", n)
				}
				runtime.Gosched()
				inside.Add(-1)
				if err := l.Release(); err != nil {
					t.Error(err)
				}
			}
		})
	}
	wg.Wait()
}

func TestLostLock(t *testing.T) {
	t.Parallel()
	for name, steal := range map[string]func(dir string) error{
		"removed":    os.Remove,
		"taken over": func(dir string) error { now := time.Now().Add(time.Minute); return os.Chtimes(dir, now, now) },
		"made anew": func(dir string) error {
			info, err := os.Stat(dir)
			return errors.Join(err, os.Rename(dir, dir+"2"), os.Mkdir(dir, 0o755), os.Chtimes(dir, info.ModTime(), info.ModTime()))
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				path := filepath.Join(t.TempDir(), "f")
				l := mustAcquire(t, path, Options{})
				if err := steal(path + ".lock"); err != nil {
					t.Fatal(err)
				}
				was, _ := os.Stat(path + ".lock")
				time.Sleep(5 * time.Minute) // refreshing must not claim it back
				if is, _ := os.Stat(path + ".lock"); was != nil && !is.ModTime().Equal(was.ModTime()) {
					t.Error("somebody else's lock was refreshed")
				}
				if err := l.Check(); !errors.Is(err, ErrLost) {
					t.Errorf("Check: %v", err)
				}
				if err := l.Release(); !errors.Is(err, ErrLost) || !strings.Contains(err.Error(), path) {
					t.Errorf("Release: %v", err)
				}
				if exists(path+".lock") != (was != nil) {
					t.Error("somebody else's lock was removed")
				}
			})
		})
	}
}

func TestSomethingInTheWay(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	path := filepath.Join(dir, "f")
	if err := os.WriteFile(path+".lock", nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := Acquire(t.Context(), path, Options{}); err == nil || !strings.Contains(err.Error(), "f.lock is in the way") {
		t.Errorf("a file as lock: %v", err)
	}
	if _, err := Acquire(t.Context(), filepath.Join(dir, "no", "f"), Options{}); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("no directory: %v", err)
	}
}

func TestLinksLeadToOneLock(t *testing.T) {
	t.Parallel()
	if runtime.GOOS == "windows" {
		t.Skip("making a link needs a privilege on Windows")
	}
	dir := t.TempDir()
	real := filepath.Join(dir, "real")
	if err := os.Mkdir(real, 0o700); err != nil {
		t.Fatal(err)
	}
	link := func(target, name string) {
		if err := os.Symlink(target, filepath.Join(dir, name)); err != nil {
			t.Fatal(err)
		}
	}
	link("real", "dir")
	link("real/f", "f1") // the file does not exist yet
	link("f1", "f2")
	link(filepath.Join(dir, "dir", "f"), "f3")
	link("loop", "loop")

	l := mustAcquire(t, filepath.Join(real, "f"), Options{})
	for _, name := range []string{"dir/f", "f1", "f2", "f3"} {
		var busy *BusyError
		if _, err := Acquire(t.Context(), filepath.Join(dir, name), Options{Wait: -1}); !errors.As(err, &busy) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if err := mustAcquire(t, filepath.Join(dir, "f2"), Options{Wait: -1, KeepLink: true}).Release(); err != nil {
		t.Error(err)
	}
	if err := l.Release(); err != nil {
		t.Error(err)
	}
	if _, err := Acquire(t.Context(), filepath.Join(dir, "loop"), Options{}); err == nil || !strings.Contains(err.Error(), "symbolic links") {
		t.Errorf("a loop: %v", err)
	}
}
