package postgres

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/pi-go/pi/agentcore/session"
	"github.com/pi-go/pi/ai"
	"github.com/pi-go/pi/storage/internal/listing"
)

// storage is a session of a database while it is open. The position of an
// entry is its number.
type storage struct {
	repo   *Repo
	header session.Header
	mode   session.Mode

	mu     sync.Mutex
	closed bool
	lease  *lease
	key    int64 // of the session's row, 0 while it is held
	last   int64 // number of the last entry
	// held says that the session is not stored yet; pending has its entries.
	held    bool
	pending []pendingEntry
}

type pendingEntry struct {
	stub session.Stub
	text []byte
}

// Header implements [session.Storage].
func (st *storage) Header() session.Header { return st.header }

// Ref is what the repo opens the session by; "" while it is not stored.
func (st *storage) Ref() string {
	st.mu.Lock()
	defer st.mu.Unlock()
	if st.held {
		return ""
	}
	return st.header.ID
}

// fill takes in the entries of a copy.
func (st *storage) fill(ctx context.Context, lines iter.Seq2[[]byte, error]) error {
	if lines == nil {
		return nil
	}
	talk := false
	for text, err := range lines {
		if err != nil {
			return err
		}
		s := session.StubOf(text)
		st.hold(s, text)
		talk = talk || listing.Conversational(s)
	}
	if !talk {
		return nil
	}
	return st.store(ctx)
}

// hold keeps an entry in memory.
func (st *storage) hold(s session.Stub, text []byte) session.Stub {
	st.last++
	s.Pos, s.Next, s.Size = st.last, st.last+1, len(text)
	st.pending = append(st.pending, pendingEntry{s, slices.Clone(text)})
	return s
}

// store puts a held session into the database, leased to us.
func (st *storage) store(ctx context.Context) error {
	token := ""
	var key int64
	err := st.repo.inTx(ctx, func(tx pgx.Tx) error {
		token = newToken()
		err := tx.QueryRow(ctx, `INSERT INTO pi_sessions (id, header, lease, holder, until) VALUES ($1, $2, $3, $4, now() + $5)
			ON CONFLICT (id) DO NOTHING RETURNING key`, st.header.ID, st.header.AppendJSON(nil), token, st.repo.o.Holder, st.repo.o.Lease).Scan(&key)
		if errors.Is(err, pgx.ErrNoRows) {
			return session.ErrTaken
		}
		if err != nil {
			return err
		}
		for _, p := range st.pending {
			if err := insert(ctx, tx, key, token, p.stub, p.text); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return err
	}
	st.key, st.held, st.pending = key, false, nil
	st.lease = st.repo.keep(key, token)
	return nil
}

// insert stores an entry, and what a list shows of it, if the lease is ours.
func insert(ctx context.Context, tx pgx.Tx, key int64, token string, s session.Stub, text []byte) error {
	d := listing.Describe(s, text)
	// The row stays locked until the end of the transaction, so that nobody
	// can take the lease between the check and the entry.
	tag, err := tx.Exec(ctx, `UPDATE pi_sessions SET entries = $3, size = size + $4, messages = messages + $5, modified = greatest(modified, $6),
		first = CASE WHEN first = '' THEN $7 ELSE first END, name = CASE WHEN $8 THEN $9 ELSE name END WHERE key = $1 AND lease = $2`,
		key, token, s.Pos, int64(s.Size)+1, d.Messages, d.Modified, plain(d.First), d.Named, plain(d.Name))
	if err != nil {
		return err
	}
	if tag.RowsAffected() == 0 {
		return ErrLeaseLost
	}
	_, err = tx.Exec(ctx, `INSERT INTO pi_entries (session, number, type, role, custom, id, parent, at, size, body, said)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, to_tsvector('simple', $11))`,
		key, s.Pos, plain(string(s.Type)), plain(string(s.Role)), plain(s.CustomType), plain(s.ID), plain(s.Parent), s.At, int64(s.Size), text, searchable(d.Searchable))
	if err != nil {
		return err
	}
	_, err = tx.Exec(ctx, "SELECT pg_notify($1, $2)", channel, fmt.Sprintf("%d %d", key, s.Pos))
	return err
}

// plain drops NUL, which the server's texts can not hold; bodies keep it.
func plain(s string) string { return strings.ReplaceAll(strings.ToValidUTF8(s, "\uFFFD"), "\x00", "") }

// maxSearchable is how much of one entry is searched, in bytes: the server's
// limit for a search vector is 1 MiB.
const maxSearchable = 256 << 10

func searchable(s string) string {
	s = plain(s)
	if len(s) > maxSearchable {
		s = strings.ToValidUTF8(s[:maxSearchable], "")
	}
	return s
}

// Scan implements [session.Storage].
func (st *storage) Scan(ctx context.Context, after int64) iter.Seq2[session.Stub, error] {
	return func(yield func(session.Stub, error) bool) {
		st.mu.Lock()
		defer st.mu.Unlock()
		if st.closed {
			yield(session.Stub{}, session.ErrClosed)
			return
		}
		if st.held {
			for _, p := range st.pending {
				if p.stub.Pos >= after && !yield(p.stub, nil) {
					return
				}
			}
			return
		}
		if err := st.scan(ctx, after, yield); err != nil {
			yield(session.Stub{}, fmt.Errorf("read session %s: %w", st.header.ID, err))
		}
	}
}

func (st *storage) scan(ctx context.Context, after int64, yield func(session.Stub, error) bool) error {
	rows, err := st.repo.pool.Query(ctx,
		"SELECT number, type, role, custom, id, parent, at, size FROM pi_entries WHERE session = $1 AND number >= $2 ORDER BY number", st.key, after)
	if err != nil {
		return err
	}
	defer rows.Close()
	for rows.Next() {
		var s session.Stub
		var kind, role string
		if err := rows.Scan(&s.Pos, &kind, &role, &s.CustomType, &s.ID, &s.Parent, &s.At, &s.Size); err != nil {
			return err
		}
		s.Next, s.Type, s.Role = s.Pos+1, session.Type(kind), ai.Role(role)
		if s.ID == "" || s.Type == "" {
			s.Fault = "the stored text is no entry"
		}
		if !yield(s, nil) {
			return nil
		}
	}
	return rows.Err()
}

// Read implements [session.Storage].
func (st *storage) Read(ctx context.Context, at session.Stub, dst []byte) ([]byte, error) {
	st.mu.Lock()
	defer st.mu.Unlock()
	switch {
	case st.closed:
		return dst, session.ErrClosed
	case st.held:
		for _, p := range st.pending {
			if p.stub.Pos == at.Pos {
				return append(dst, p.text...), nil
			}
		}
		return dst, st.readError(at, session.ErrNotFound)
	}
	var body []byte
	err := st.repo.pool.QueryRow(ctx, "SELECT body FROM pi_entries WHERE session = $1 AND number = $2", st.key, at.Pos).Scan(&body)
	if errors.Is(err, pgx.ErrNoRows) {
		err = session.ErrNotFound
	}
	if err != nil {
		return dst, st.readError(at, err)
	}
	return append(dst, body...), nil
}

func (st *storage) readError(at session.Stub, err error) error {
	return fmt.Errorf("read entry %d of session %s: %w", at.Pos, st.header.ID, err)
}

// Append implements [session.Storage].
func (st *storage) Append(ctx context.Context, s session.Stub, text []byte) (session.Stub, error) {
	st.mu.Lock()
	defer st.mu.Unlock()
	switch {
	case st.closed:
		return s, session.ErrClosed
	case st.mode == session.ReadOnly:
		return s, session.ErrReadOnly
	}
	var err error
	if st.held {
		s = st.hold(s, text)
		if listing.Conversational(s) {
			if err = st.store(ctx); err != nil {
				st.pending = st.pending[:len(st.pending)-1]
				st.last--
			}
		}
	} else {
		s.Pos, s.Next, s.Size = st.last+1, st.last+2, len(text)
		err = st.repo.inTx(ctx, func(tx pgx.Tx) error { return insert(ctx, tx, st.key, st.lease.token, s, text) })
		if err == nil {
			st.last++
		}
	}
	if err != nil {
		err = fmt.Errorf("append to session %s: %w", st.header.ID, err)
	}
	return s, err
}

// Sync implements [session.Storage]. A commit is on the server's disk when it
// is confirmed, so there is nothing left to wait for.
func (*storage) Sync(context.Context) error { return nil }

// closeTime bounds how long closing waits for a server that does not answer;
// the lease runs out by itself.
const closeTime = 5 * time.Second

// Close implements [session.Storage].
func (st *storage) Close() error {
	st.mu.Lock()
	defer st.mu.Unlock()
	if st.closed {
		return nil
	}
	st.closed = true
	st.pending = nil
	if st.lease == nil {
		return nil
	}
	ctx, cancel := context.WithTimeout(context.Background(), closeTime)
	defer cancel()
	if err := st.lease.release(ctx); err != nil {
		return fmt.Errorf("close session %s: %w", st.header.ID, err)
	}
	return nil
}
