// Package lockfile changes files that several programs share: one at a time, and
// so that a reader never sees half a file.
//
//	err := lockfile.Update(ctx, "/home/me/.pi/agent/auth.json", lockfile.Options{Perm: 0o600},
//		func(old []byte) ([]byte, error) {
//			return edit(old) // old is nil when there is no file yet
//		})
//
// # The lock
//
// The lock of FILE is a directory FILE.lock, made by mkdir and removed on release.
// Its modification time is refreshed while it is held; a lock that was not
// refreshed for some time (Options.Stale) belongs to nobody any more, because its
// holder was killed, and is taken over. Programs written for Node lock the same way
// (the package proper-lockfile), so both can share a file.
//
// A lock is advisory: only who asks for it is kept out. Nothing inside a process is
// shared between calls, so goroutines exclude each other just as processes do. It
// orders what happens to files, not to memory: that still needs a mutex.
//
// # The file
//
// A file is replaced whole: a temporary file beside it is written, synced and
// renamed over it. Its mode stays, unless Options.Perm says otherwise, and a
// symbolic link stays a link: what it points at is replaced. After a crash the file
// holds either the old or the new text.
package lockfile
