package postgres

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"os"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/pi-go/pi/agentcore/session"
	"github.com/pi-go/pi/storage/internal/listing"
)

// Options say how to use a database. The zero value is ready to use.
type Options struct {
	// Lease is how long a session stays reserved for a writer that is not
	// heard of any more; 0 means 15 seconds. It is renewed every third of it.
	Lease time.Duration
	// Holder names this program in the errors of others; empty means the
	// machine's name and the number of the process.
	Holder string
	// Now is the clock for new sessions; nil means [time.Now]. Leases go by
	// the clock of the server.
	Now func() time.Time
}

// Repo is a [session.Repo] in a database. It is safe for concurrent use.
// Close its sessions before it.
type Repo struct {
	pool *pgxpool.Pool
	o    Options
	ids  session.IDs
}

var _ session.Repo = (*Repo)(nil)

// Open connects to a database, named by a URL or a connection string as
// libpq takes them, and makes or updates its tables. Keep passwords out of
// the string where others may read it: PGPASSWORD and a password file work.
func Open(ctx context.Context, database string, o Options) (*Repo, error) {
	if o.Lease == 0 {
		o.Lease = 15 * time.Second
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.Holder == "" {
		host, err := os.Hostname()
		if err != nil {
			host = "an unnamed machine"
		}
		o.Holder = fmt.Sprintf("process %d on %s", os.Getpid(), host)
	}
	pool, err := pgxpool.New(ctx, database)
	if err != nil {
		return nil, fmt.Errorf("open database of sessions: %w", err)
	}
	r := &Repo{pool: pool, o: o}
	if err := r.inTx(ctx, func(tx pgx.Tx) error { return migrate(ctx, tx) }); err != nil {
		pool.Close()
		return nil, fmt.Errorf("open database of sessions: %w", err)
	}
	return r, nil
}

// Close closes the connections. Sessions that are still open can not be used
// any more; their leases run out.
func (r *Repo) Close() { r.pool.Close() }

// inTx runs a function in a transaction.
func (r *Repo) inTx(ctx context.Context, fn func(pgx.Tx) error) error {
	return pgx.BeginFunc(ctx, r.pool, fn)
}

// Create implements [session.Repo]. The session is stored with its first user
// or assistant message.
func (r *Repo) Create(ctx context.Context, h session.Header, lines iter.Seq2[[]byte, error]) (session.Storage, error) {
	given := h.ID != ""
	h, err := h.Complete(&r.ids, r.o.Now())
	if err != nil {
		return nil, err
	}
	if given {
		switch _, err := r.exact(ctx, h.ID); {
		case err == nil:
			return nil, fmt.Errorf("create session %s: %w", h.ID, session.ErrTaken)
		case !errors.Is(err, session.ErrNotFound):
			return nil, fmt.Errorf("create session %s: %w", h.ID, err)
		}
	}
	st := &storage{repo: r, header: h, held: true}
	if err := st.fill(ctx, lines); err != nil {
		return nil, errors.Join(fmt.Errorf("create session %s: %w", h.ID, err), st.Close())
	}
	return st, nil
}

// Open implements [session.Repo]. A ref is an id.
func (r *Repo) Open(ctx context.Context, ref string, mode session.Mode) (session.Storage, error) {
	row, err := r.find(ctx, ref)
	if err != nil {
		return nil, err
	}
	st := &storage{repo: r, mode: mode, key: row.key}
	if mode == session.ReadWrite {
		if st.lease, err = r.acquire(ctx, row.key, row.id); err != nil {
			return nil, err
		}
		// It may have been written to until we had the lease.
		if row, err = r.exact(ctx, row.id); err != nil {
			return nil, errors.Join(fmt.Errorf("session %q: %w", ref, err), st.Close())
		}
	}
	st.last = row.entries
	if st.header, err = session.ParseHeader(row.header); err != nil {
		return nil, errors.Join(fmt.Errorf("open session %s: %w", row.id, err), st.Close())
	}
	return st, nil
}

// Delete implements [session.Repo].
func (r *Repo) Delete(ctx context.Context, ref string) error {
	row, err := r.find(ctx, ref)
	if err != nil {
		return err
	}
	l, err := r.acquire(ctx, row.key, row.id)
	if err != nil {
		return err
	}
	_, err = r.pool.Exec(ctx, "DELETE FROM pi_sessions WHERE key = $1 AND lease = $2", row.key, l.token)
	l.stop()
	if err != nil {
		return fmt.Errorf("delete session %s: %w", row.id, err)
	}
	return nil
}

// sessionRow is a session as it is stored.
type sessionRow struct {
	key     int64
	id      string
	header  []byte
	entries int64
}

const selectSession = "SELECT key, id, header, entries FROM pi_sessions "

func (r *Repo) row(ctx context.Context, where string, args ...any) (s sessionRow, err error) {
	err = r.pool.QueryRow(ctx, selectSession+where, args...).Scan(&s.key, &s.id, &s.header, &s.entries)
	if errors.Is(err, pgx.ErrNoRows) {
		err = session.ErrNotFound
	}
	return s, err
}

func (r *Repo) exact(ctx context.Context, id string) (sessionRow, error) {
	return r.row(ctx, "WHERE id = $1", id)
}

// find finds a session by its id or the beginning of it.
func (r *Repo) find(ctx context.Context, ref string) (sessionRow, error) {
	if strings.IndexByte(ref, 0) >= 0 { // the server takes no such text
		return sessionRow{}, fmt.Errorf("session %q: %w", ref, session.ErrNotFound)
	}
	row, err := r.exact(ctx, ref)
	if errors.Is(err, session.ErrNotFound) && ref != "" {
		row, err = r.row(ctx, `WHERE starts_with(id, $1) ORDER BY modified DESC LIMIT 1`, ref)
	}
	if err != nil {
		return row, fmt.Errorf("session %q: %w", ref, err)
	}
	return row, nil
}

// List implements [session.Repo], the newest message first.
func (r *Repo) List(ctx context.Context, o session.ListOptions) iter.Seq2[session.Info, error] {
	return listing.Sessions(ctx, o, r.rows, r.text)
}

func (r *Repo) rows(ctx context.Context) ([]listing.Row, error) {
	rows, err := r.pool.Query(ctx, "SELECT key, id, header, name, first, modified, messages, size FROM pi_sessions ORDER BY modified DESC, key DESC")
	if err != nil {
		return nil, err
	}
	return pgx.CollectRows(rows, pgx.RowToStructByPos[listing.Row])
}

// text joins what was said in a session.
func (r *Repo) text(ctx context.Context, key int64) (string, error) {
	rows, err := r.pool.Query(ctx, "SELECT body FROM pi_entries WHERE session = $1 AND type = 'message' AND role IN ('user', 'assistant') ORDER BY number", key)
	if err != nil {
		return "", err
	}
	bodies, err := pgx.CollectRows(rows, pgx.RowTo[[]byte])
	if err != nil {
		return "", err
	}
	var said listing.Said
	for _, body := range bodies {
		said.Add(body)
	}
	return said.Text(), nil
}

// Hit is an entry that was found.
type Hit struct {
	// Session is the session's id, Name its name.
	Session, Name string
	// Entry is the id of the entry that was found, Body the entry as stored.
	Entry string
	Body  []byte
}

// Search looks for words in all that was said in all sessions, by users,
// models, tools and programs, the best matches first; limit bounds their
// number, 0 meaning 100. Words are taken as web searches take them: all must
// occur, "quoted words" follow each other, or and - work.
func (r *Repo) Search(ctx context.Context, words string, limit int) iter.Seq2[Hit, error] {
	return func(yield func(Hit, error) bool) {
		if limit <= 0 {
			limit = 100
		}
		rows, err := r.pool.Query(ctx, `SELECT s.id, s.name, e.id, e.body FROM pi_entries e JOIN pi_sessions s ON s.key = e.session,
			websearch_to_tsquery('simple', $1) q WHERE e.said @@ q ORDER BY ts_rank(e.said, q) DESC, e.at DESC LIMIT $2`, words, limit)
		var hits []Hit
		if err == nil {
			hits, err = pgx.CollectRows(rows, pgx.RowToStructByPos[Hit])
		}
		if err != nil {
			yield(Hit{}, fmt.Errorf("search sessions: %w", err))
			return
		}
		for _, h := range hits {
			if !yield(h, nil) {
				return
			}
		}
	}
}
