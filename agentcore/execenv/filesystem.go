package execenv

import (
	"context"
	"io"
	"io/fs"
)

// FileSystem is everything that tools do with files. It is the sum of small
// interfaces, so that a function can ask for the part it uses.
//
// Names are absolute paths in the style of the machine that holds the files
// ([Env].Windows tells which). Errors are, or wrap, *fs.PathError, and answer
// errors.Is for fs.ErrNotExist, fs.ErrExist and fs.ErrPermission. All methods
// may be called from several goroutines.
type FileSystem interface {
	FileReader
	FileWriter
	Inspector
	Directory
}

// FileReader reads files.
type FileReader interface {
	// ReadFile returns the whole content of a file.
	ReadFile(ctx context.Context, name string) ([]byte, error)
	// Open opens a file for reading as a stream. The caller closes it. Opening a
	// directory is an error.
	Open(ctx context.Context, name string) (fs.File, error)
}

// FileWriter writes files.
type FileWriter interface {
	// WriteFile replaces the content of a file in one step: whoever reads the file
	// meanwhile, and whoever looks after a crash, sees the old content or the new,
	// never a mixture. An existing file keeps its mode, and a symbolic link keeps
	// pointing where it points (the file behind it is written). A new file gets perm
	// less the umask. The directory must exist. A file that may not be written is
	// refused even where its directory would allow a replacement.
	WriteFile(ctx context.Context, name string, data []byte, perm fs.FileMode) error
	// CreateTemp makes a new file with mode 0600 whose name is pattern with a random
	// string put in place of its last "*" (or appended). An empty dir is the
	// directory for temporary files. The caller closes and removes it.
	CreateTemp(ctx context.Context, dir, pattern string) (TempFile, error)
}

// TempFile is a file made by CreateTemp, open for appending.
type TempFile interface {
	io.WriteCloser
	// Name is the absolute path of the file.
	Name() string
}

// Inspector tells what a name stands for.
type Inspector interface {
	// Stat describes a file, following symbolic links.
	Stat(ctx context.Context, name string) (fs.FileInfo, error)
	// Lstat describes a name itself, without following a link in its last element.
	Lstat(ctx context.Context, name string) (fs.FileInfo, error)
	// RealPath resolves every symbolic link in a name that must exist.
	RealPath(ctx context.Context, name string) (string, error)
}

// Directory reads and changes directories.
type Directory interface {
	// ReadDir lists a directory, sorted by name (byte order). Links are not followed.
	ReadDir(ctx context.Context, name string) ([]fs.DirEntry, error)
	// MkdirAll makes a directory and the parents it needs. An existing directory is
	// no error.
	MkdirAll(ctx context.Context, name string, perm fs.FileMode) error
	// Rename moves a file or directory, replacing a file that is there.
	Rename(ctx context.Context, from, to string) error
	// Remove removes a file, a link or an empty directory.
	Remove(ctx context.Context, name string) error
}

// NativePather is implemented by a FileSystem whose names are names of this
// machine's own file system, which lets a search read directories and files
// with plain system calls.
type NativePather interface {
	// NativePath returns the path of name for package os, and false where there
	// is none.
	NativePath(name string) (string, bool)
}
