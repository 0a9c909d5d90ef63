package session

import (
	"context"
	"errors"
	"sync"
)

// syncer makes a storage durable on a goroutine of its own, one sync at a
// time: requests that come while one runs are served by a single further one.
// The goroutine ends when there is nothing left to do.
type syncer struct {
	mu      sync.Mutex
	running bool
	wanted  uint64        // number of the latest request
	done    uint64        // requests up to here were served
	change  chan struct{} // closed when done grows
	err     error         // of syncs since the last wait
}

// start asks for a sync and gives the number of the request.
func (y *syncer) start(st Storage) uint64 {
	y.mu.Lock()
	defer y.mu.Unlock()
	y.wanted++
	if !y.running {
		y.running = true
		if y.change == nil {
			y.change = make(chan struct{})
		}
		go y.run(st)
	}
	return y.wanted
}

func (y *syncer) run(st Storage) {
	for {
		y.mu.Lock()
		if y.done == y.wanted {
			y.running = false
			y.mu.Unlock()
			return
		}
		serving := y.wanted
		y.mu.Unlock()

		err := st.Sync(context.Background())

		y.mu.Lock()
		y.done = serving
		y.err = errors.Join(y.err, err)
		close(y.change)
		y.change = make(chan struct{})
		y.mu.Unlock()
	}
}

// wait asks for a sync and returns when it is done.
func (y *syncer) wait(ctx context.Context, st Storage) error {
	n := y.start(st)
	for {
		y.mu.Lock()
		change := y.change
		if y.done >= n {
			err := y.err
			y.err = nil
			y.mu.Unlock()
			return err
		}
		y.mu.Unlock()
		select {
		case <-change:
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
}
