//go:build !linux

package search

import (
	"context"
	"io"
	"os"
)

// nativeSource reads through package os.
type nativeSource struct{ names []name }

func newNativeSource(string) source { return &nativeSource{} }

func (s *nativeSource) list(_ context.Context, dir string) ([]name, error) {
	f, err := os.Open(dir)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	entries, err := f.ReadDir(-1)
	s.names = s.names[:0]
	for _, e := range entries {
		s.names = append(s.names, name{e.Name(), kindOf(e.Type())})
	}
	return s.names, err
}

func (s *nativeSource) open(_ context.Context, file string) (io.ReadCloser, error) {
	return os.Open(file)
}

func (s *nativeSource) shortReads() bool { return false }
