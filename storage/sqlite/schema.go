package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
)

// applicationID marks a database as one of ours ("pise" in ASCII).
const applicationID = 0x70697365

// migrations bring a database from one version to the next; the version is
// their number. They are never changed once released, only added to.
var migrations = [...]string{
	// An entry's number counts from 1 within its session. The body stands last
	// in its row: listing a session then never reads the pages it fills.
	`CREATE TABLE sessions (
		key      INTEGER PRIMARY KEY,
		id       TEXT NOT NULL UNIQUE,
		header   BLOB NOT NULL,
		name     TEXT NOT NULL DEFAULT '',
		first    TEXT NOT NULL DEFAULT '',
		modified INTEGER NOT NULL DEFAULT 0,
		messages INTEGER NOT NULL DEFAULT 0,
		entries  INTEGER NOT NULL DEFAULT 0,
		size     INTEGER NOT NULL DEFAULT 0
	) STRICT;
	CREATE INDEX sessions_modified ON sessions (modified DESC, key DESC);
	CREATE TABLE entries (
		key     INTEGER PRIMARY KEY,
		session INTEGER NOT NULL REFERENCES sessions (key) ON DELETE CASCADE,
		number  INTEGER NOT NULL,
		type    TEXT NOT NULL,
		role    TEXT NOT NULL,
		custom  TEXT NOT NULL,
		id      TEXT NOT NULL,
		parent  TEXT NOT NULL,
		at      INTEGER NOT NULL,
		size    INTEGER NOT NULL,
		body    BLOB NOT NULL,
		UNIQUE (session, number)
	) STRICT;`,
	// What was said, for searching; the text itself is in the entries.
	`CREATE VIRTUAL TABLE said USING fts5 (text, content='', contentless_delete=1, tokenize='unicode61 remove_diacritics 2');
	CREATE TRIGGER entries_deleted AFTER DELETE ON entries BEGIN
		DELETE FROM said WHERE rowid = old.key;
	END;`,
}

// migrate brings the database up to date, one process at a time.
func migrate(ctx context.Context, db *sql.DB) (err error) {
	var version, app int
	read := func(q interface {
		QueryRowContext(context.Context, string, ...any) *sql.Row
	},
	) error {
		if err := q.QueryRowContext(ctx, "PRAGMA user_version").Scan(&version); err != nil {
			return err
		}
		return q.QueryRowContext(ctx, "PRAGMA application_id").Scan(&app)
	}
	if err := read(db); err != nil {
		return err
	}
	if version == len(migrations) && app == applicationID {
		return nil
	}
	tx, err := db.BeginTx(ctx, nil) // takes the write lock at once
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, tx.Rollback())
		}
	}()
	if err := read(tx); err != nil { // another process may have been faster
		return err
	}
	var tables int
	if err := tx.QueryRowContext(ctx, "SELECT count(*) FROM sqlite_schema").Scan(&tables); err != nil {
		return err
	}
	switch {
	case app != applicationID && (tables > 0 || version > 0):
		return errors.New("it is a database of another program")
	case version > len(migrations):
		return fmt.Errorf("it was made by a newer version of this program (format %d; this one knows %d)", version, len(migrations))
	}
	for i, m := range migrations[min(version, len(migrations)):] {
		if _, err := tx.ExecContext(ctx, m); err != nil {
			return fmt.Errorf("bring it to format %d: %w", version+i+1, err)
		}
	}
	if _, err := tx.ExecContext(ctx, fmt.Sprintf("PRAGMA user_version = %d; PRAGMA application_id = %d", len(migrations), applicationID)); err != nil {
		return err
	}
	return tx.Commit()
}
