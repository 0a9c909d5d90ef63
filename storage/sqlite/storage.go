package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io/fs"
	"iter"
	"os"
	"runtime"
	"slices"
	"sync"

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
	lock   *session.FileLock
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

// Count is the number of entries there are at least.
func (st *storage) Count() int {
	st.mu.Lock()
	defer st.mu.Unlock()
	return int(st.last)
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

// store puts a held session into the database.
func (st *storage) store(ctx context.Context) error {
	lock, err := st.repo.lock(st.header.ID)
	if err != nil {
		return err
	}
	var key int64
	err = st.repo.inTx(ctx, func(tx *sql.Tx) error {
		res, err := tx.ExecContext(ctx, "INSERT INTO sessions (id, header, size) VALUES (?, ?, 0) ON CONFLICT (id) DO NOTHING", st.header.ID, st.header.AppendJSON(nil))
		if err != nil {
			return err
		}
		if n, err := res.RowsAffected(); err != nil || n == 0 {
			return errors.Join(err, session.ErrTaken)
		}
		if key, err = res.LastInsertId(); err != nil {
			return err
		}
		for _, p := range st.pending {
			if err := insert(ctx, tx, key, p.stub, p.text); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return errors.Join(err, lock.Release())
	}
	st.key, st.lock, st.held, st.pending = key, lock, false, nil
	return nil
}

// inTx runs a function in a transaction.
func (r *Repo) inTx(ctx context.Context, fn func(*sql.Tx) error) error {
	tx, err := r.write.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	if err := fn(tx); err != nil {
		return errors.Join(err, tx.Rollback())
	}
	return tx.Commit()
}

// insert stores an entry and what a list shows of it.
func insert(ctx context.Context, tx *sql.Tx, key int64, s session.Stub, text []byte) error {
	res, err := tx.ExecContext(ctx,
		"INSERT INTO entries (session, number, type, role, custom, id, parent, at, size, body) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
		key, s.Pos, string(s.Type), string(s.Role), s.CustomType, s.ID, s.Parent, s.At, s.Size, text)
	if err != nil {
		return err
	}
	d := listing.Describe(s, text)
	_, err = tx.ExecContext(ctx, `UPDATE sessions SET entries = ?, size = size + ?, messages = messages + ?, modified = max(modified, ?),
		first = CASE WHEN first = '' THEN ? ELSE first END, name = CASE WHEN ? THEN ? ELSE name END WHERE key = ?`,
		s.Pos, s.Size+1, d.Messages, d.Modified, d.First, d.Named, d.Name, key)
	if err != nil || d.Searchable == "" {
		return err
	}
	entry, err := res.LastInsertId()
	if err == nil {
		_, err = tx.ExecContext(ctx, "INSERT INTO said (rowid, text) VALUES (?, ?)", entry, d.Searchable)
	}
	return err
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

func (st *storage) scan(ctx context.Context, after int64, yield func(session.Stub, error) bool) (err error) {
	rows, err := st.repo.read.QueryContext(ctx,
		"SELECT number, type, role, custom, id, parent, at, size FROM entries WHERE session = ? AND number >= ? ORDER BY number", st.key, after)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, rows.Close()) }()
	known := make(map[string]string) // the names that nearly every row has
	intern := func(b []byte) string {
		if s, ok := known[string(b)]; ok {
			return s
		}
		s := string(b)
		known[s] = s
		return s
	}
	previous := ""
	for rows.Next() {
		var s session.Stub
		var kind, role, custom, parent sql.RawBytes
		if err := rows.Scan(&s.Pos, &kind, &role, &custom, &s.ID, &parent, &s.At, &s.Size); err != nil {
			return err
		}
		s.Next = s.Pos + 1
		s.Type, s.Role, s.CustomType = session.Type(intern(kind)), ai.Role(intern(role)), intern(custom)
		if string(parent) == previous {
			s.Parent = previous
		} else {
			s.Parent = string(parent)
		}
		previous = s.ID
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
	err := st.repo.read.QueryRowContext(ctx, "SELECT body FROM entries WHERE session = ? AND number = ?", st.key, at.Pos).Scan(&body)
	if errors.Is(err, sql.ErrNoRows) {
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
		err = st.repo.inTx(ctx, func(tx *sql.Tx) error { return insert(ctx, tx, st.key, s, text) })
		if err == nil {
			st.last++
		}
	}
	if err != nil && !errors.Is(err, session.ErrLocked) {
		err = fmt.Errorf("append to session %s: %w", st.header.ID, err)
	}
	return s, err
}

// Sync implements [session.Storage]. Commits go to the write-ahead log, so
// that is what must reach the disk; when SQLite moves them to the database it
// syncs that itself. The database file must not be opened here: closing it
// would free SQLite's own locks on it (POSIX file locks belong to the
// process).
func (st *storage) Sync(context.Context) error {
	st.mu.Lock()
	held := st.held
	st.mu.Unlock()
	if held {
		return nil
	}
	log, err := os.OpenFile(st.repo.path+"-wal", os.O_RDWR, 0)
	if errors.Is(err, fs.ErrNotExist) { // all is in the database, synced
		return nil
	}
	if err == nil {
		err = errors.Join(log.Sync(), log.Close())
	}
	if err == nil && runtime.GOOS != "windows" {
		err = syncDir(st.repo.path)
	}
	if err != nil {
		return fmt.Errorf("sync session %s: %w", st.header.ID, err)
	}
	return nil
}

// Close implements [session.Storage].
func (st *storage) Close() error {
	st.mu.Lock()
	defer st.mu.Unlock()
	if st.closed {
		return nil
	}
	st.closed = true
	st.pending = nil
	if err := st.lock.Release(); err != nil {
		return fmt.Errorf("close session %s: %w", st.header.ID, err)
	}
	return nil
}
