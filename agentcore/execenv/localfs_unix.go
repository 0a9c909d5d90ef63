//go:build unix

package execenv

import (
	"io/fs"
	"os"
	"syscall"
)

var (
	errIsDir  error = syscall.EISDIR
	errNotDir error = syscall.ENOTDIR
	errLoop   error = syscall.ELOOP
	errInUse  error = syscall.ENOTEMPTY
)

// openNonblocking is the flag with which opening a pipe does not wait for the
// other side.
const openNonblocking = syscall.O_NONBLOCK

// sharedInode reports whether a file has further names, which a replacement
// would leave behind with the old content.
func sharedInode(info fs.FileInfo) bool {
	st, ok := info.Sys().(*syscall.Stat_t)
	return ok && st.Nlink > 1
}

// likeFile gives f the owner and the mode of old.
func likeFile(f *os.File, old fs.FileInfo) error {
	if st, ok := old.Sys().(*syscall.Stat_t); ok {
		now, err := f.Stat()
		if err != nil {
			return err
		}
		mine, ok := now.Sys().(*syscall.Stat_t)
		if !ok || mine.Uid != st.Uid || mine.Gid != st.Gid {
			if err := f.Chown(int(st.Uid), int(st.Gid)); err != nil {
				return err
			}
		}
	}
	return f.Chmod(old.Mode())
}

func renameOver(from, to string) error { return os.Rename(from, to) }
