package search

import (
	"context"
	"io"
	"io/fs"

	"github.com/pi-go/pi/agentcore/execenv"
)

// Kind is what a name in a directory stands for.
type Kind uint8

// The kinds.
const (
	File  Kind = iota // a regular file
	Dir               // a directory
	Link              // a symbolic link, to whatever
	Other             // a device, a pipe, a socket
)

func kindOf(mode fs.FileMode) Kind {
	switch {
	case mode.IsRegular():
		return File
	case mode.IsDir():
		return Dir
	case mode&fs.ModeSymlink != 0:
		return Link
	}
	return Other
}

// name is an entry of a directory.
type name struct {
	s    string
	kind Kind
}

// source reads directories and files. A source belongs to one goroutine.
type source interface {
	// list returns the entries of a directory, in any order. The slice is valid until
	// the next call.
	list(ctx context.Context, dir string) ([]name, error)
	// open opens a file; one at a time.
	open(ctx context.Context, file string) (io.ReadCloser, error)
	// shortReads reports whether a read of less than was asked for may come before
	// the end of a file.
	shortReads() bool
}

// newSource returns the fastest source for an environment.
func newSource(env execenv.Env, root string) source {
	if n, ok := env.FS.(execenv.NativePather); ok {
		if _, ok := n.NativePath(root); ok {
			return newNativeSource(root)
		}
	}
	return &fileSystemSource{env: env}
}

// fileSystemSource reads through a FileSystem.
type fileSystemSource struct {
	env   execenv.Env
	names []name
}

func (s *fileSystemSource) list(ctx context.Context, dir string) ([]name, error) {
	entries, err := s.env.FS.ReadDir(ctx, dir)
	s.names = s.names[:0]
	for _, e := range entries {
		s.names = append(s.names, name{e.Name(), kindOf(e.Type())})
	}
	return s.names, err
}

func (s *fileSystemSource) open(ctx context.Context, file string) (io.ReadCloser, error) {
	return s.env.FS.Open(ctx, file)
}

func (s *fileSystemSource) shortReads() bool { return true }
