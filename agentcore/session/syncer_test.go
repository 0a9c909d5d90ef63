package session

import (
	"context"
	"errors"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"
)

// slowSync is a storage of which only Sync is used.
type slowSync struct {
	Storage
	started, done atomic.Int32
	takes         time.Duration
	err           error
}

func (s *slowSync) Sync(context.Context) error {
	s.started.Add(1)
	time.Sleep(s.takes)
	s.done.Add(1)
	return s.err
}

func TestSyncsAreGathered(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		st := &slowSync{takes: time.Second}
		var y syncer
		for range 10 {
			y.start(st)
		}
		synctest.Wait()
		if n := st.started.Load(); n != 1 {
			t.Errorf("%d at once", n)
		}
		for range 10 {
			y.start(st)
		}
		if err := y.wait(t.Context(), st); err != nil {
			t.Fatal(err)
		}
		if n := st.done.Load(); n != 2 {
			t.Errorf("%d syncs for 21 requests, want 2: one that ran and one for all that came meanwhile", n)
		}
	})
}

// A sync that was running when an entry was stored may have missed it: the
// wait is for the next one.
func TestSyncWaitsForOneThatBeganLater(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		st := &slowSync{takes: time.Second}
		var y syncer
		y.start(st)
		time.Sleep(time.Second / 2)
		begin := time.Now()
		if err := y.wait(t.Context(), st); err != nil {
			t.Fatal(err)
		}
		if waited := time.Since(begin); waited != 3*time.Second/2 {
			t.Errorf("waited %v", waited)
		}
	})
}

func TestSyncErrorsAreToldOnce(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		full := errors.New("disk full")
		st := &slowSync{err: full}
		var y syncer
		y.start(st)
		synctest.Wait()
		st.err = nil
		if err := y.wait(t.Context(), st); !errors.Is(err, full) {
			t.Errorf("the error of a sync that nobody waited for: %v", err)
		}
		if err := y.wait(t.Context(), st); err != nil {
			t.Errorf("told again: %v", err)
		}
	})
}

func TestSyncWaitCanBeCancelled(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		st := &slowSync{takes: time.Hour}
		var y syncer
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		if err := y.wait(ctx, st); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("%v", err)
		}
		time.Sleep(st.takes) // it goes on all the same
		if st.done.Load() != 1 {
			t.Error("the sync was given up")
		}
	})
}
