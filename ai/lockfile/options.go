package lockfile

import (
	"context"
	"io/fs"
	"math/rand/v2"
	"time"
)

// Options say how to lock and how to write. The zero value is right for files that
// other programs may hold for seconds; see Brief for the opposite.
type Options struct {
	// Perm is the mode the file has afterwards. 0 keeps the mode of the file that
	// is there; a new one gets 0o666 less the umask.
	Perm fs.FileMode
	// DirPerm is the mode of directories that have to be made; 0 means 0o700.
	DirPerm fs.FileMode

	// Stale is how long a lock may go without being refreshed before it is taken
	// over; 0 means 30 s. All programs that share a file should agree on it.
	Stale time.Duration
	// Wait is how long to wait for the lock; 0 means 30 s, negative not at all.
	Wait time.Duration
	// MinDelay and MaxDelay bound the pauses between tries, which double and are
	// randomised; 0 means 10 ms and 2 s.
	MinDelay, MaxDelay time.Duration
	// KeepLink locks the path as it is given. Otherwise symbolic links are
	// resolved first, so that all paths to a file lead to one lock.
	KeepLink bool

	// Now, Sleep and Random replace the clock, the pause between tries and the
	// source of randomness, a number in [0,1).
	Now    func() time.Time
	Sleep  func(ctx context.Context, d time.Duration) error
	Random func() float64
}

// Brief returns options for files that are only held for a moment, such as
// settings: a lock is stale after 10 s and waited for in ten pauses of 20 ms.
func Brief() Options {
	return Options{Stale: 10 * time.Second, Wait: 200 * time.Millisecond, MinDelay: 20 * time.Millisecond, MaxDelay: 20 * time.Millisecond}
}

func (o Options) withDefaults() Options {
	setDuration(&o.Stale, 30*time.Second)
	setDuration(&o.Wait, 30*time.Second)
	setDuration(&o.MinDelay, 10*time.Millisecond)
	setDuration(&o.MaxDelay, 2*time.Second)
	if o.DirPerm == 0 {
		o.DirPerm = 0o700
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.Sleep == nil {
		o.Sleep = sleep
	}
	if o.Random == nil {
		o.Random = rand.Float64
	}
	return o
}

func setDuration(d *time.Duration, standard time.Duration) {
	if *d == 0 {
		*d = standard
	}
}

// pause returns the n-th pause, counted from 0: between half of it and all of it,
// so that waiting programs do not move in step. A fixed pause stays as it is.
func (o Options) pause(n int) time.Duration {
	if o.MinDelay >= o.MaxDelay {
		return o.MaxDelay
	}
	d := min(o.MinDelay<<min(n, 20), o.MaxDelay)
	return d/2 + time.Duration(o.Random()*float64(d/2))
}

func sleep(ctx context.Context, d time.Duration) error {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}
