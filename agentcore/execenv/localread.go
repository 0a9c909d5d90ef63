package execenv

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"time"
)

// ErrTooLarge says that a file has more bytes than its reader takes.
var ErrTooLarge = errors.New("file too large")

// ReadAtMost returns the whole content of a file of at most limit bytes; a
// larger one, or a device that gives bytes without end, is [ErrTooLarge] and
// costs no more memory than the limit.
func ReadAtMost(ctx context.Context, files FileReader, name string, limit int64) ([]byte, error) {
	f, err := files.Open(ctx, name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	if info, err := f.Stat(); err == nil && info.Mode().IsRegular() && info.Size() > limit {
		return nil, tooLarge(name, limit)
	}
	data, err := readAll(ctx, io.LimitReader(f, limit+1), name)
	if err == nil && int64(len(data)) > limit {
		return nil, tooLarge(name, limit)
	}
	if err != nil {
		return nil, err
	}
	return data, nil
}

// ConfigReader is the part of a [FileSystem] that [ReadConfig] needs.
type ConfigReader interface {
	FileReader
	Inspector
}

// maxConfig is the size of the largest configuration file.
const maxConfig = 16 << 20

// ReadConfig reads a configuration file: a regular one of at most 16 MiB.
// Nothing else is waited for: a pipe in the place of such a file would keep a
// program from starting without a word.
func ReadConfig(ctx context.Context, files ConfigReader, name string) ([]byte, error) {
	info, err := files.Stat(ctx, name)
	switch {
	case err != nil:
		return nil, err
	case !info.Mode().IsRegular() && !info.IsDir():
		return nil, &fs.PathError{Op: "read", Path: name, Err: errors.New("it is a device, a pipe or a socket, no file")}
	}
	return ReadAtMost(ctx, files, name, maxConfig)
}

func tooLarge(name string, limit int64) error {
	of := fmt.Sprintf("%d bytes", limit)
	if limit >= 1<<20 {
		of = fmt.Sprintf("%d MiB", limit>>20)
	}
	return &fs.PathError{Op: "read", Path: name, Err: fmt.Errorf("%w: it has more than %s", ErrTooLarge, of)}
}

// readAll reads r to its end, or until ctx ends.
func readAll(ctx context.Context, r io.Reader, name string) ([]byte, error) {
	var b bytes.Buffer
	if f, ok := r.(fs.File); ok {
		if info, err := f.Stat(); err == nil && info.Mode().IsRegular() && info.Size() < 1<<30 {
			b.Grow(int(info.Size()) + bytes.MinRead)
		}
	}
	for {
		_, err := io.CopyN(&b, r, 1<<20)
		switch {
		case errors.Is(err, io.EOF):
			return b.Bytes(), nil
		case err != nil:
			return nil, err
		}
		if err := live(ctx, "read", name); err != nil {
			return nil, err
		}
	}
}

// openLocal opens a file for reading. Opening and reading of what is no
// regular file (a pipe whose writer does not come, a device) end with ctx.
func openLocal(ctx context.Context, name string) (fs.File, error) {
	if err := live(ctx, "open", name); err != nil {
		return nil, err
	}
	info, err := os.Stat(name)
	switch {
	case err != nil:
		var pe *fs.PathError
		if errors.As(err, &pe) {
			err = &fs.PathError{Op: "open", Path: name, Err: pe.Err}
		}
		return nil, err
	case info.IsDir():
		return nil, &fs.PathError{Op: "read", Path: name, Err: errIsDir}
	case info.Mode().IsRegular():
		f, err := os.Open(name)
		if err != nil {
			return nil, err
		}
		return f, nil
	}
	type opened struct {
		f   *os.File
		err error
	}
	done := make(chan opened)
	go func() {
		f, err := os.Open(name)
		select {
		case done <- opened{f, err}:
		case <-ctx.Done():
			if err == nil {
				f.Close()
			}
		}
	}()
	select {
	case o := <-done:
		if o.err != nil {
			return nil, o.err
		}
		s := &specialFile{File: o.f, ctx: ctx, name: name}
		s.stop = context.AfterFunc(ctx, func() { o.f.SetReadDeadline(time.Unix(1, 0)) })
		return s, nil
	case <-ctx.Done():
		return nil, live(ctx, "open", name)
	}
}

// specialFile is an open pipe or device, whose reads end with a context where
// the system can do that.
type specialFile struct {
	*os.File
	ctx  context.Context
	name string
	stop func() bool
}

// Read reads; a read that the end of the context cut short says so.
func (s *specialFile) Read(b []byte) (int, error) {
	n, err := s.File.Read(b)
	if errors.Is(err, os.ErrDeadlineExceeded) {
		if ended := live(s.ctx, "read", s.name); ended != nil {
			err = ended
		}
	}
	return n, err
}

// Close closes the file.
func (s *specialFile) Close() error {
	s.stop()
	return s.File.Close()
}
