//go:build unix

package lockfile

import (
	"io/fs"
	"os"
	"syscall"
)

// sharing reports whether err is what Windows says while others use a file.
func sharing(error) bool { return false }

// retry runs an operation that others may be in the way of; only on Windows.
func retry(op func() error) error { return op() }

// keepOwner gives a new file the owner and group of the one it replaces, as far as
// this user may: root edits the files of others.
func keepOwner(f *os.File, old fs.FileInfo) {
	if st, ok := old.Sys().(*syscall.Stat_t); ok {
		f.Chown(int(st.Uid), int(st.Gid))
	}
}

// syncDir makes a rename last. Not every file system can; that is no failure of the
// write.
func syncDir(dir string) {
	if f, err := os.Open(dir); err == nil {
		f.Sync()
		f.Close()
	}
}
