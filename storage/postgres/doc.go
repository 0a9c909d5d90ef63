// Package postgres keeps sessions in a PostgreSQL database: for programs that
// run on several machines.
//
//	repo, err := postgres.Open(ctx, "postgres://bot@db/bot", postgres.Options{})
//	if err != nil { … }
//	defer repo.Close()
//	s, err := session.Create(ctx, repo, session.Header{}, session.Options{})
//
// [Repo] is a [session.Repo] and behaves as one of files does: a session is
// stored with its first user or assistant message, entries byte for byte, and
// an entry that was reported as stored is committed and on the server's disk.
//
// One program writes a session at a time, on whatever machine. It holds a
// lease, which it renews while the session is open; when it dies, the lease
// runs out and another may write. Each write checks the lease in the same
// transaction: a program that was cut off and comes back can not write into a
// session that has gone to another ([ErrLeaseLost]).
//
// Programs that follow a session are told of new entries at once, see
// [Repo.Follow].
package postgres
