// Package sqlite keeps sessions in one SQLite database: for programs with many
// sessions, and for those that want to search all of them.
//
//	repo, err := sqlite.Open(ctx, "/var/lib/bot/sessions.db", sqlite.Options{})
//	if err != nil { … }
//	defer repo.Close()
//	s, err := session.Create(ctx, repo, session.Header{}, session.Options{})
//	…
//	for hit, err := range repo.Search(ctx, "late delivery", 20) { … }
//
// [Repo] is a [session.Repo] and behaves as one of files does: a session is
// stored with its first user or assistant message; an entry that was reported
// as stored survives the death of the process, and after a sync the loss of
// power; entries are stored byte for byte, so that a copy to or from a file
// (see [session.Copy] and [session.Import]) loses nothing. One process writes
// a session at a time, held off by a lock file beside the database that
// vanishes with its holder; any number may read it meanwhile, and write other
// sessions.
//
// The database must be on a local disk: SQLite's write-ahead log needs shared
// memory. The driver is written in Go; no C compiler is needed.
package sqlite
