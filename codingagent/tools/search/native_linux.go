package search

import (
	"context"
	"encoding/binary"
	"io"
	"os"
	"strings"
	"syscall"
)

// nativeSource reads with bare system calls. An os.File would be registered with
// the runtime's poller, and os.ReadDir would sort and allocate more than is needed.
type nativeSource struct {
	short bool
	fd    int // of the open file
	dents []byte
	arena []byte
	names []name
	ends  []int
}

func newNativeSource(root string) source {
	// Files of the kernel come in pieces of any size.
	short := strings.HasPrefix(root+"/", "/proc/") || strings.HasPrefix(root+"/", "/sys/")
	return &nativeSource{short: short, fd: -1}
}

func (s *nativeSource) shortReads() bool { return s.short }

func openRetry(path string, flags int) (int, error) {
	for {
		fd, err := syscall.Open(path, flags|syscall.O_RDONLY|syscall.O_CLOEXEC, 0)
		if err == syscall.EINTR {
			continue
		}
		if err != nil {
			return -1, &os.PathError{Op: "open", Path: path, Err: err}
		}
		return fd, nil
	}
}

// list reads a directory. The entries are laid out by getdents64(2): inode and
// offset of 8 bytes each, the length of the record of 2, the type of 1, the name
// up to a NUL. All names share one string.
func (s *nativeSource) list(_ context.Context, dir string) ([]name, error) {
	fd, err := openRetry(dir, syscall.O_DIRECTORY)
	if err != nil {
		return nil, err
	}
	defer syscall.Close(fd)
	if s.dents == nil {
		s.dents = make([]byte, 64<<10)
	}
	s.arena, s.names, s.ends = s.arena[:0], s.names[:0], s.ends[:0]
	for {
		n, err := syscall.ReadDirent(fd, s.dents)
		if err == syscall.EINTR {
			continue
		}
		if err != nil {
			return nil, &os.PathError{Op: "readdir", Path: dir, Err: err}
		}
		if n <= 0 {
			break
		}
		for b := s.dents[:n]; len(b) > 19; {
			size := int(binary.NativeEndian.Uint16(b[16:]))
			inode, kind, text := binary.NativeEndian.Uint64(b), b[18], b[19:size]
			b = b[size:]
			for i, c := range text {
				if c == 0 {
					text = text[:i]
					break
				}
			}
			if inode == 0 || string(text) == "." || string(text) == ".." {
				continue
			}
			s.arena = append(s.arena, text...)
			s.ends = append(s.ends, len(s.arena))
			s.names = append(s.names, name{kind: s.kind(kind)})
		}
	}
	all, from := string(s.arena), 0
	for i, end := range s.ends {
		s.names[i].s = all[from:end]
		from = end
		if s.names[i].kind == unknownKind {
			s.names[i].kind = lstatKind(dir + "/" + s.names[i].s)
		}
	}
	return s.names, nil
}

// unknownKind marks entries whose file system does not tell their type.
const unknownKind Kind = 255

func (s *nativeSource) kind(t byte) Kind {
	switch t {
	case syscall.DT_REG:
		return File
	case syscall.DT_DIR:
		return Dir
	case syscall.DT_LNK:
		return Link
	case syscall.DT_UNKNOWN:
		return unknownKind
	}
	return Other
}

func lstatKind(path string) Kind {
	info, err := os.Lstat(path)
	if err != nil {
		return Other
	}
	return kindOf(info.Mode())
}

func (s *nativeSource) open(_ context.Context, file string) (io.ReadCloser, error) {
	// If the file has become a pipe meanwhile, opening must not wait for a writer.
	fd, err := openRetry(file, syscall.O_NONBLOCK)
	s.fd = fd
	return s, err
}

// Read reads from the open file.
func (s *nativeSource) Read(b []byte) (int, error) {
	for {
		n, err := syscall.Read(s.fd, b)
		switch {
		case err == syscall.EINTR:
			continue
		case err != nil:
			return 0, err
		case n == 0:
			return 0, io.EOF
		}
		return n, nil
	}
}

// Close closes the open file.
func (s *nativeSource) Close() error {
	err := syscall.Close(s.fd)
	s.fd = -1
	return err
}
