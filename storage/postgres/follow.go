package postgres

import (
	"context"
	"fmt"
	"iter"
	"strconv"
	"strings"

	"github.com/jackc/pgx/v5"
)

// channel is where writers tell of new entries: "KEY NUMBER".
const channel = "pi_session_entries"

// Follow yields each time a session has grown, by whatever program, until ctx
// ends or the connection breaks; the value is the number of entries it has
// then. Several entries that come at once may be told once. A session that was
// opened for reading catches up with [session.Session.Refresh].
func (r *Repo) Follow(ctx context.Context, ref string) iter.Seq2[int64, error] {
	return func(yield func(int64, error) bool) {
		row, err := r.find(ctx, ref)
		if err != nil {
			yield(0, err)
			return
		}
		conn, err := r.pool.Acquire(ctx)
		if err != nil {
			yield(0, fmt.Errorf("follow session %s: %w", row.id, err))
			return
		}
		// A connection that listens must not go back to the pool.
		c := conn.Hijack()
		defer c.Close(context.WithoutCancel(ctx))
		if _, err := c.Exec(ctx, "LISTEN "+pgx.Identifier{channel}.Sanitize()); err != nil {
			yield(0, fmt.Errorf("follow session %s: %w", row.id, err))
			return
		}
		// What came between the look and the listening is told at once.
		if now, err := r.exact(ctx, row.id); err == nil && now.entries != row.entries && !yield(now.entries, nil) {
			return
		}
		for {
			n, err := c.WaitForNotification(ctx)
			if err != nil {
				if ctx.Err() == nil {
					yield(0, fmt.Errorf("follow session %s: %w", row.id, err))
				}
				return
			}
			key, number, _ := strings.Cut(n.Payload, " ")
			if key != strconv.FormatInt(row.key, 10) {
				continue
			}
			entries, err := strconv.ParseInt(number, 10, 64)
			if err == nil && !yield(entries, nil) {
				return
			}
		}
	}
}
