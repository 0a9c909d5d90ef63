package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io/fs"
	"iter"
	"net/url"
	"os"
	"path/filepath"
	"time"

	_ "modernc.org/sqlite" // the driver "sqlite"

	"github.com/pi-go/pi/agentcore/session"
	"github.com/pi-go/pi/storage/internal/listing"
)

// Options say how to open a database. The zero value is ready to use.
type Options struct {
	// Busy is how long to wait for another process that is writing; 0 means
	// ten seconds.
	Busy time.Duration
	// Now is the clock; nil means [time.Now].
	Now func() time.Time
}

// Repo is a [session.Repo] in a database. It is safe for concurrent use.
// Close its sessions before it.
type Repo struct {
	path string
	now  func() time.Time
	ids  session.IDs
	// write has one connection, whose transactions take the write lock at
	// once; read has several, which never wait for it.
	write, read *sql.DB
}

var _ session.Repo = (*Repo)(nil)

// Open opens the database in the file at path and makes it, with the
// directories to it, if it is not there. A database of an older version is
// brought up to date.
func Open(ctx context.Context, path string, o Options) (*Repo, error) {
	if o.Busy == 0 {
		o.Busy = 10 * time.Second
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	r, err := open(ctx, path, o)
	if err != nil {
		return nil, fmt.Errorf("open sessions %s: %w", path, err)
	}
	return r, nil
}

func open(ctx context.Context, path string, o Options) (*Repo, error) {
	path, err := filepath.Abs(path)
	if err != nil {
		return nil, err
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return nil, err
	}
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o600) // SQLite would make it readable for all
	switch {
	case err == nil:
		err = f.Close()
	case errors.Is(err, fs.ErrExist):
		err = nil
	}
	if err != nil {
		return nil, err
	}
	r := &Repo{path: path, now: o.Now}
	if r.write, err = connect(path, o.Busy, "&_txlock=immediate"); err != nil {
		return nil, err
	}
	r.write.SetMaxOpenConns(1)
	if r.read, err = connect(path, o.Busy, "&_pragma=query_only(1)"); err == nil {
		r.read.SetMaxOpenConns(4)
		err = migrate(ctx, r.write)
	}
	if err != nil {
		return nil, errors.Join(err, r.Close())
	}
	return r, nil
}

func connect(path string, busy time.Duration, more string) (*sql.DB, error) {
	name := &url.URL{Scheme: "file", Opaque: (&url.URL{Path: filepath.ToSlash(path)}).EscapedPath()}
	// With synchronous=NORMAL a commit is handed to the system without waiting
	// for the disk: a killed process loses nothing, and Sync does the waiting.
	return sql.Open("sqlite", name.String()+fmt.Sprintf(
		"?_pragma=busy_timeout(%d)&_pragma=journal_mode(WAL)&_pragma=synchronous(NORMAL)&_pragma=foreign_keys(1)&_pragma=recursive_triggers(1)",
		busy.Milliseconds())+more)
}

// Close closes the database. Sessions that are still open can not be used any
// more, but must be closed all the same.
func (r *Repo) Close() error {
	var err error
	if r.read != nil {
		err = r.read.Close()
	}
	// The last connection to be closed puts the log into the database.
	if err = errors.Join(err, r.write.Close()); err != nil {
		return fmt.Errorf("close sessions %s: %w", r.path, err)
	}
	return nil
}

// Path is the path of the database.
func (r *Repo) Path() string { return r.path }

// lock takes the right to write a session.
func (r *Repo) lock(id string) (*session.FileLock, error) {
	return session.LockFile(r.path+"-"+id, id)
}

// Create implements [session.Repo]. The session is stored with its first user
// or assistant message.
func (r *Repo) Create(ctx context.Context, h session.Header, lines iter.Seq2[[]byte, error]) (session.Storage, error) {
	given := h.ID != ""
	h, err := h.Complete(&r.ids, r.now())
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
	st := &storage{repo: r, mode: mode}
	if mode == session.ReadWrite {
		if st.lock, err = r.lock(row.id); err != nil {
			return nil, err
		}
		// It may have been deleted or written to until we had the lock.
		if row, err = r.exact(ctx, row.id); err != nil {
			return nil, errors.Join(fmt.Errorf("session %q: %w", ref, err), st.Close())
		}
	}
	st.key, st.last = row.key, row.entries
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
	lock, err := r.lock(row.id)
	if err != nil {
		return err
	}
	_, err = r.write.ExecContext(ctx, "DELETE FROM sessions WHERE key = ?", row.key)
	if err = errors.Join(err, lock.Release()); err != nil {
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

const selectSession = "SELECT key, id, header, entries FROM sessions "

func scanSession(row *sql.Row) (s sessionRow, err error) {
	err = row.Scan(&s.key, &s.id, &s.header, &s.entries)
	if errors.Is(err, sql.ErrNoRows) {
		err = session.ErrNotFound
	}
	return s, err
}

func (r *Repo) exact(ctx context.Context, id string) (sessionRow, error) {
	return scanSession(r.read.QueryRowContext(ctx, selectSession+"WHERE id = ?", id))
}

// find finds a session by its id or the beginning of it.
func (r *Repo) find(ctx context.Context, ref string) (sessionRow, error) {
	row, err := r.exact(ctx, ref)
	if errors.Is(err, session.ErrNotFound) && ref != "" {
		// All ids that begin with ref stand between it and what follows them.
		row, err = scanSession(r.read.QueryRowContext(ctx, selectSession+"WHERE id >= ? AND id < ? ORDER BY modified DESC LIMIT 1", ref, after(ref)))
	}
	if err != nil {
		return row, fmt.Errorf("session %q: %w", ref, err)
	}
	return row, nil
}

// after is a string behind all that begin with the prefix, and before all
// others that are behind it, in the order of bytes.
func after(prefix string) string { return prefix + "\U0010FFFF" }

// List implements [session.Repo], the newest message first.
func (r *Repo) List(ctx context.Context, o session.ListOptions) iter.Seq2[session.Info, error] {
	return listing.Sessions(ctx, o, r.rows, r.text)
}

// rows reads the list at once: the rows are small, and a reader that stopped
// half-way would keep the log from being cleared.
func (r *Repo) rows(ctx context.Context) (all []listing.Row, err error) {
	rows, err := r.read.QueryContext(ctx, "SELECT key, id, header, name, first, modified, messages, size FROM sessions ORDER BY modified DESC, key DESC")
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, rows.Close()) }()
	for rows.Next() {
		var l listing.Row
		if err := rows.Scan(&l.Key, &l.ID, &l.Header, &l.Name, &l.First, &l.Modified, &l.Messages, &l.Size); err != nil {
			return nil, err
		}
		all = append(all, l)
	}
	return all, rows.Err()
}

// text joins what was said in a session.
func (r *Repo) text(ctx context.Context, key int64) (_ string, err error) {
	rows, err := r.read.QueryContext(ctx, "SELECT body FROM entries WHERE session = ? AND type = 'message' AND role IN ('user', 'assistant') ORDER BY number", key)
	if err != nil {
		return "", err
	}
	defer func() { err = errors.Join(err, rows.Close()) }()
	var said listing.Said
	for rows.Next() {
		var body sql.RawBytes
		if err := rows.Scan(&body); err != nil {
			return "", err
		}
		said.Add(body)
	}
	return said.Text(), rows.Err()
}
