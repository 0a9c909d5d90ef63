package session

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"iter"
	"os"
	"path/filepath"
	"sync"
	"time"
)

// File is the [Storage] of one session in a file of JSON lines. Make one with
// [OpenFile] or [CreateFile].
type File struct {
	path   string
	header Header
	mode   Mode

	mu     sync.Mutex
	closed bool
	lock   *FileLock
	f      *os.File    // nil while there is no file of our own making
	info   fs.FileInfo // of f, to notice that the path leads elsewhere
	size   int64       // of the file, as far as we have seen it
	torn   bool        // the file does not end with a line feed
	dirty  bool        // written since the last Sync
	newDir bool        // the file's name is not yet durable

	// image is what the file will hold once it is written: a new session
	// before its first message, or an old file brought up to date. Positions
	// in it are offsets in the file to come.
	image []byte
	// old is the file that the image replaces, nil for a new session.
	old *oldFile
	// claim is asked before a new file is made; nil allows it.
	claim func() (*FileLock, error)
	// first holds the stubs found on opening until Scan asks for them.
	first stubList
}

// OpenFile opens the session in a file. A file that is no session is
// [ErrNotSession], one that is not there [fs.ErrNotExist], one that is written
// elsewhere a [LockedError]. A file without a byte in it becomes a new session
// with the given header.
func OpenFile(ctx context.Context, path string, mode Mode, empty Header) (*File, error) {
	path, err := filepath.Abs(path)
	if err != nil {
		return nil, fmt.Errorf("open session %s: %w", path, err)
	}
	f := &File{path: path, mode: mode}
	if err := f.open(ctx, empty); err != nil {
		return nil, errors.Join(fmt.Errorf("open session %s: %w", path, err), f.Close())
	}
	return f, nil
}

func (f *File) open(ctx context.Context, empty Header) error {
	info, err := os.Stat(f.path) // before a lock file is made
	switch {
	case err != nil:
		return err
	case info.IsDir():
		return fmt.Errorf("%w: it is a directory", ErrNotSession)
	case !info.Mode().IsRegular(): // opening or reading it might never end
		return fmt.Errorf("%w: it is a device, a pipe or a socket", ErrNotSession)
	}
	flag := os.O_RDONLY
	if f.mode == ReadWrite {
		flag = os.O_RDWR | os.O_APPEND
		if f.lock, err = LockFile(f.path, f.path); err != nil {
			return err
		}
	}
	if f.f, err = os.OpenFile(f.path, flag, 0); err != nil {
		return err
	}
	if f.info, err = f.f.Stat(); err != nil {
		return err
	}
	f.size = f.info.Size()
	if f.size == 0 && f.mode == ReadWrite {
		return f.begin(empty)
	}
	return f.index(ctx)
}

// begin writes the header into a file that is empty.
func (f *File) begin(h Header) error {
	h, err := h.Complete(new(IDs), f.info.ModTime())
	if err != nil {
		return err
	}
	f.header = h
	text := append(h.AppendJSON(nil), '\n')
	if _, err := f.f.Write(text); err != nil {
		return err
	}
	f.size, f.dirty = int64(len(text)), true
	return nil
}

// index reads the header and lists the entries.
func (f *File) index(ctx context.Context) error {
	var failed error
	unnamed := false // an entry lacks its id
	lr := lineReader{r: f.f}
	err := lr.session(ctx, func(h Header) bool {
		f.header = h
		return true
	}, func(l *line) bool {
		f.torn = !l.ended
		if l.Fault == "" && l.ID == "" && !unnamed {
			var text []byte
			text, failed = readLine(f.f, l.Stub, nil)
			unnamed = l.unnamed(text)
		}
		f.first.add(l.checked())
		return failed == nil
	})
	if err = errors.Join(err, failed); err != nil {
		return err
	}
	if f.header.Version < Version || unnamed {
		return f.modernise(ctx)
	}
	return nil
}

// The faults of what passes for a JSON object and is no entry.
const (
	faultInvalid = "not valid JSON"
	faultNoID    = "the entry has no id"
	faultNoType  = "the entry has no type"
)

// checked is the stub with a fault where it can not be an entry.
func (s Stub) checked() Stub {
	switch {
	case s.Fault != "":
	case s.ID == "":
		s.Fault = faultNoID
	case s.Type == "":
		s.Fault = faultNoType
	}
	return s
}

// CreateFile makes a session that will be kept in a file. The header must be
// complete, see [Header.Complete]. The file appears, with all directories to it, when
// the first user or assistant message is appended, or at once if one is among
// the lines; it must not be there already. Lines are entries as stored, ids
// included.
func CreateFile(ctx context.Context, path string, h Header, lines iter.Seq2[[]byte, error]) (*File, error) {
	return createFile(ctx, path, h, lines, time.Now, nil)
}

// createFile is [CreateFile] by a clock. claim, if not nil, is asked for the right to
// make the file just before that is done.
func createFile(ctx context.Context, path string, h Header, lines iter.Seq2[[]byte, error], now func() time.Time, claim func() (*FileLock, error)) (*File, error) {
	path, err := filepath.Abs(path)
	if err == nil {
		h, err = h.Complete(new(IDs), now())
	}
	if err != nil {
		return nil, fmt.Errorf("create session %s: %w", path, err)
	}
	if h.ID == "" || h.Version == 0 {
		return nil, fmt.Errorf("create session %s: the header is not complete", path)
	}
	if _, err := os.Lstat(path); err == nil {
		return nil, fmt.Errorf("create session %s: %w", path, fs.ErrExist)
	}
	f := &File{path: path, header: h, image: append(h.AppendJSON(nil), '\n'), claim: claim}
	if err := f.fill(ctx, lines); err != nil {
		return nil, errors.Join(fmt.Errorf("create session %s: %w", path, err), f.Close())
	}
	return f, nil
}

func (f *File) fill(ctx context.Context, lines iter.Seq2[[]byte, error]) error {
	if lines == nil {
		return nil
	}
	start := int64(len(f.image))
	for text, err := range lines {
		if err == nil {
			text, err = oneLine(text)
		}
		if err != nil {
			return err
		}
		f.image = append(append(f.image, text...), '\n')
	}
	talk := false
	lr := lineReader{r: bytes.NewReader(f.image)}
	err := lr.each(ctx, start, func(l *line) bool {
		s := l.checked()
		f.first.add(s)
		talk = talk || s.conversational()
		return true
	})
	if err == nil && talk {
		err = f.write()
	}
	return err
}

// Count is the number of entries that the next Scan from the start will give
// at least, as far as it is known.
func (f *File) Count() int { return f.first.n }

// stubList is a list that grows without copying: opening a long session makes
// one, hands it over and drops it.
type stubList struct {
	chunks [][]Stub
	n      int
}

func (l *stubList) add(s Stub) {
	const size = 256
	if l.n%size == 0 {
		l.chunks = append(l.chunks, make([]Stub, 0, size))
	}
	last := &l.chunks[len(l.chunks)-1]
	*last = append(*last, s)
	l.n++
}

func (l *stubList) all(yield func(Stub) bool) {
	for _, c := range l.chunks {
		for _, s := range c {
			if !yield(s) {
				return
			}
		}
	}
}

// Path is the absolute path of the session's file, which may not be there
// yet.
func (f *File) Path() string { return f.path }

// Header implements [Storage].
func (f *File) Header() Header { return f.header }

func (f *File) reader() io.ReaderAt {
	if f.image != nil {
		return bytes.NewReader(f.image)
	}
	return f.f
}

// Scan implements [Storage].
func (f *File) Scan(ctx context.Context, after int64) iter.Seq2[Stub, error] {
	return func(yield func(Stub, error) bool) {
		f.mu.Lock()
		defer f.mu.Unlock()
		if f.closed {
			yield(Stub{}, ErrClosed)
			return
		}
		if after == 0 && f.first.n > 0 {
			first := f.first
			f.first = stubList{}
			for s := range first.all {
				if !yield(s, nil) {
					return
				}
			}
			return
		}
		lr := lineReader{r: f.reader()}
		each := func(l *line) bool { return yield(l.checked(), nil) }
		var err error
		if after == 0 {
			err = lr.session(ctx, func(Header) bool { return true }, each)
		} else {
			err = lr.each(ctx, after, func(l *line) bool {
				// A line that does not end is still being written.
				return (l.ended || l.Fault == "") && each(l)
			})
		}
		if err != nil {
			yield(Stub{}, fmt.Errorf("read session %s: %w", f.path, err))
		}
	}
}

// Read implements [Storage].
func (f *File) Read(_ context.Context, at Stub, dst []byte) ([]byte, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.closed {
		return dst, ErrClosed
	}
	dst, err := readLine(f.reader(), at, dst)
	if err != nil {
		return dst, fmt.Errorf("read session %s at byte %d: %w", f.path, at.Pos, err)
	}
	return dst, nil
}

// Append implements [Storage].
func (f *File) Append(_ context.Context, s Stub, text []byte) (Stub, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	s, err := f.append(s, text)
	switch {
	case err == nil, errors.Is(err, ErrReadOnly), errors.Is(err, ErrClosed), errors.Is(err, ErrLocked):
		return s, err
	}
	return s, fmt.Errorf("append to session %s: %w", f.path, err)
}

func (f *File) append(s Stub, text []byte) (Stub, error) {
	switch {
	case f.closed:
		return s, ErrClosed
	case f.mode == ReadOnly:
		return s, ErrReadOnly
	}
	s.Size = len(text)
	if f.image == nil {
		return f.appendFile(s, text)
	}
	n := len(f.image)
	s.Pos = int64(n)
	f.image = append(append(f.image, text...), '\n')
	s.Next = int64(len(f.image))
	if f.old != nil || s.conversational() {
		if err := f.write(); err != nil {
			f.image = f.image[:n]
			return s, err
		}
	}
	return s, nil
}

// appendFile writes one line, with one call.
func (f *File) appendFile(s Stub, text []byte) (Stub, error) {
	there, err := os.Stat(f.path)
	switch {
	case errors.Is(err, fs.ErrNotExist), err == nil && !os.SameFile(there, f.info):
		return s, fmt.Errorf("%w: it was removed or replaced", ErrOvertaken)
	case err != nil:
		return s, err
	case there.Size() < f.size:
		return s, fmt.Errorf("%w: it was cut from %d to %d bytes", ErrOvertaken, f.size, there.Size())
	case there.Size() > f.size: // a program that does not heed the lock
		var last [1]byte
		if _, err := f.f.ReadAt(last[:], there.Size()-1); err != nil {
			return s, err
		}
		f.size, f.torn = there.Size(), last[0] != '\n'
	}
	buf := make([]byte, 0, len(text)+2)
	if f.torn {
		buf = append(buf, '\n') // fences the torn line off
	}
	buf = append(append(buf, text...), '\n')
	n, err := f.f.Write(buf)
	if err != nil {
		if n > 0 {
			f.takeBack(int64(n))
		}
		return s, err
	}
	f.dirty, f.torn = true, false
	f.size += int64(len(buf))
	// Another program may have written in between; the file knows.
	if end, err := f.f.Seek(0, io.SeekCurrent); err == nil && end > f.size {
		f.size = end
	}
	s.Next = f.size
	s.Pos = s.Next - 1 - int64(len(text))
	return s, nil
}

// takeBack removes the n bytes of a write that failed half-way, so that an
// entry which was reported as not appended is not found later. When it can
// not be sure that they are the last of the file, they are left and fenced
// off by the next append.
func (f *File) takeBack(n int64) {
	if there, err := f.f.Stat(); err == nil && there.Size() == f.size+n && f.f.Truncate(f.size) == nil {
		return
	}
	f.size += n
	f.torn = true
}

// write makes the file that the image stands for.
func (f *File) write() error {
	if f.old != nil {
		return f.replace()
	}
	dir := filepath.Dir(f.path)
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return err
	}
	if f.claim != nil {
		claimed, err := f.claim()
		if err != nil {
			return err
		}
		defer func() { _ = claimed.Release() }() // the file is made, or not, by then
	}
	lock, err := LockFile(f.path, f.path)
	if err != nil {
		return err
	}
	file, err := os.OpenFile(f.path, os.O_RDWR|os.O_APPEND|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return errors.Join(err, lock.Release())
	}
	_, err = file.Write(f.image)
	var info fs.FileInfo
	if err == nil {
		info, err = file.Stat()
	}
	if err != nil {
		return errors.Join(err, file.Close(), os.Remove(f.path), lock.Release())
	}
	f.f, f.info, f.lock = file, info, lock
	f.size, f.image = int64(len(f.image)), nil
	f.dirty, f.newDir = true, true
	return nil
}

// Sync implements [Storage]. It does nothing while there is no file.
func (f *File) Sync(context.Context) error {
	f.mu.Lock()
	file, newDir := f.f, f.newDir
	if f.closed || file == nil || f.image != nil || !f.dirty {
		f.mu.Unlock()
		return nil
	}
	f.dirty, f.newDir = false, false
	f.mu.Unlock()
	err := file.Sync() // beside appends
	if err == nil && newDir {
		err = syncDir(filepath.Dir(f.path))
	}
	if err != nil {
		f.mu.Lock()
		f.dirty, f.newDir = true, f.newDir || newDir
		f.mu.Unlock()
		return fmt.Errorf("sync session %s: %w", f.path, err)
	}
	return nil
}

// Close implements [Storage].
func (f *File) Close() error {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.closed {
		return nil
	}
	f.closed = true
	var err error
	if f.f != nil {
		err = f.f.Close()
	}
	f.image, f.first = nil, stubList{}
	if err = errors.Join(err, f.lock.Release()); err != nil {
		return fmt.Errorf("close session %s: %w", f.path, err)
	}
	return nil
}
