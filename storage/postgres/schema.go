package postgres

import (
	"context"
	"errors"
	"fmt"

	"github.com/jackc/pgx/v5"
)

// migrations bring a database from one version to the next; the version is
// their number. They are never changed once released, only added to.
var migrations = [...]string{
	`CREATE TABLE pi_sessions (
		key      bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
		id       text COLLATE "C" NOT NULL UNIQUE,
		header   bytea NOT NULL,
		name     text NOT NULL DEFAULT '',
		first    text NOT NULL DEFAULT '',
		modified bigint NOT NULL DEFAULT 0,
		messages bigint NOT NULL DEFAULT 0,
		entries  bigint NOT NULL DEFAULT 0,
		size     bigint NOT NULL DEFAULT 0,
		lease    text NOT NULL DEFAULT '',
		holder   text NOT NULL DEFAULT '',
		until    timestamptz NOT NULL DEFAULT '-infinity'
	);
	CREATE INDEX pi_sessions_modified ON pi_sessions (modified DESC, key DESC);
	CREATE TABLE pi_entries (
		session bigint NOT NULL REFERENCES pi_sessions (key) ON DELETE CASCADE,
		number  bigint NOT NULL,
		type    text NOT NULL,
		role    text NOT NULL,
		custom  text NOT NULL,
		id      text NOT NULL,
		parent  text NOT NULL,
		at      bigint NOT NULL,
		size    bigint NOT NULL,
		body    bytea NOT NULL,
		said    tsvector,
		PRIMARY KEY (session, number)
	);
	CREATE INDEX pi_entries_said ON pi_entries USING gin (said);`,
}

// migrationLock keeps two programs from migrating at once ("pi" and "se" in
// ASCII); it is an advisory lock of this database.
const migrationLock = 0x70697365

// migrate brings the database up to date, one program at a time.
func migrate(ctx context.Context, tx pgx.Tx) error {
	if _, err := tx.Exec(ctx, "SELECT pg_advisory_xact_lock($1)", migrationLock); err != nil {
		return err
	}
	if _, err := tx.Exec(ctx, "CREATE TABLE IF NOT EXISTS pi_storage (version int NOT NULL)"); err != nil {
		return err
	}
	var version int
	switch err := tx.QueryRow(ctx, "SELECT version FROM pi_storage").Scan(&version); {
	case errors.Is(err, pgx.ErrNoRows):
		if _, err := tx.Exec(ctx, "INSERT INTO pi_storage VALUES (0)"); err != nil {
			return err
		}
	case err != nil:
		return err
	}
	if version > len(migrations) {
		return fmt.Errorf("the database was made by a newer version of this program (format %d; this one knows %d)", version, len(migrations))
	}
	for i, m := range migrations[version:] {
		if _, err := tx.Exec(ctx, m); err != nil {
			return fmt.Errorf("bring the database to format %d: %w", version+i+1, err)
		}
	}
	_, err := tx.Exec(ctx, "UPDATE pi_storage SET version = $1", len(migrations))
	return err
}
