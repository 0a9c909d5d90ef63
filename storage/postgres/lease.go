package postgres

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/pi-go/pi/agentcore/session"
)

// ErrLeaseLost says that a session went to another writer, because this one
// was not heard of for too long. Open the session again.
var ErrLeaseLost = errors.New("the session has gone to another writer")

// lease is the right to write a session. A goroutine renews it until stop.
type lease struct {
	repo   *Repo
	key    int64
	token  string
	cancel context.CancelFunc
	done   chan struct{}
}

// acquire takes the lease of a session, or gives a [session.LockedError] that
// names the holder.
func (r *Repo) acquire(ctx context.Context, key int64, id string) (*lease, error) {
	token := newToken()
	tag, err := r.pool.Exec(ctx, "UPDATE pi_sessions SET lease = $2, holder = $3, until = now() + $4 WHERE key = $1 AND (lease = '' OR until < now())",
		key, token, r.o.Holder, r.o.Lease)
	if err != nil {
		return nil, fmt.Errorf("reserve session %s: %w", id, err)
	}
	if tag.RowsAffected() == 0 {
		return nil, r.locked(ctx, key, id)
	}
	return r.keep(key, token), nil
}

// locked tells who holds a session.
func (r *Repo) locked(ctx context.Context, key int64, id string) error {
	var holder string
	err := r.pool.QueryRow(ctx, "SELECT holder FROM pi_sessions WHERE key = $1", key).Scan(&holder)
	switch {
	case errors.Is(err, pgx.ErrNoRows):
		return fmt.Errorf("session %q: %w", id, session.ErrNotFound)
	case err != nil:
		return fmt.Errorf("reserve session %s: %w", id, err)
	}
	return fmt.Errorf("%w (held by %s)", &session.LockedError{Ref: id}, holder)
}

// keep renews a lease in the background.
func (r *Repo) keep(key int64, token string) *lease {
	ctx, cancel := context.WithCancel(context.Background())
	l := &lease{repo: r, key: key, token: token, cancel: cancel, done: make(chan struct{})}
	go func() {
		defer close(l.done)
		t := time.NewTicker(r.o.Lease / 3)
		defer t.Stop()
		for {
			select {
			case <-t.C:
				// A failure is no loss yet: each write checks the lease itself.
				_, _ = r.pool.Exec(ctx, "UPDATE pi_sessions SET until = now() + $3 WHERE key = $1 AND lease = $2", key, token, r.o.Lease)
			case <-ctx.Done():
				return
			}
		}
	}()
	return l
}

// stop ends the renewing.
func (l *lease) stop() {
	l.cancel()
	<-l.done
}

// release gives the session free.
func (l *lease) release(ctx context.Context) error {
	l.stop()
	_, err := l.repo.pool.Exec(ctx, "UPDATE pi_sessions SET lease = '', until = '-infinity' WHERE key = $1 AND lease = $2", l.key, l.token)
	return err
}

// newToken makes the secret name of a lease.
func newToken() string { return rand.Text() }
