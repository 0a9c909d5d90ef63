package session

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"
)

// Export writes the leaf's branch as the text of a session file: the same id,
// the present time, and the entries in one chain. Nothing else about them is
// changed.
func (s *Session) Export(ctx context.Context, w io.Writer) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	path, err := s.pathTo("")
	if err != nil {
		return err
	}
	h := s.st.Header()
	h.Version, h.Time, h.Parent, h.Extra = Version, s.now().Truncate(time.Millisecond), "", nil
	out := bufio.NewWriterSize(w, 64<<10)
	line := append(h.AppendJSON(nil), '\n')
	last := ""
	for _, i := range path {
		if _, err := out.Write(line); err != nil {
			return fmt.Errorf("export session %s: %w", h.ID, err)
		}
		n := &s.tree.nodes[i]
		text, err := s.st.Read(ctx, n.Stub, nil)
		if err == nil && n.Parent != last {
			text, err = setMember(text, "parentId", quotedOrNull(last))
		}
		if err != nil {
			return fmt.Errorf("export session %s: %w", h.ID, err)
		}
		line = append(text, '\n')
		last = n.ID
	}
	_, err = out.Write(line)
	if err = errors.Join(err, out.Flush()); err != nil {
		return fmt.Errorf("export session %s: %w", h.ID, err)
	}
	return nil
}

// Import makes a session of the text of a session file of any version. The id
// and time are those of the text; the header's fields, where they are set,
// count instead. Lines that are no entries are left out and listed as
// problems; their positions are in the text. An id that is taken is [ErrTaken].
func Import(ctx context.Context, r io.Reader, to Repo, h Header, o Options) (*Session, error) {
	text, err := io.ReadAll(r)
	if err != nil {
		return nil, fmt.Errorf("import session: %w", err)
	}
	read, err := readText(ctx, text)
	if err != nil {
		return nil, fmt.Errorf("import session: %w", err)
	}
	was := read.header
	was.Version = max(was.Version, Version)
	if h.ID != "" {
		was.ID = h.ID
	}
	if !h.Time.IsZero() {
		was.Time = h.Time
	}
	if h.Cwd != "" {
		was.Cwd = h.Cwd
	}
	if h.Parent != "" {
		was.Parent = h.Parent
	}
	st, err := to.Create(ctx, was, func(yield func([]byte, error) bool) {
		for _, s := range read.entries {
			if !yield(read.text[s.Pos:s.Pos+int64(s.Size)], nil) {
				return
			}
		}
	})
	if err != nil {
		return nil, fmt.Errorf("import session: %w", err)
	}
	s, err := Load(ctx, st, o)
	if err != nil {
		return nil, err
	}
	for _, f := range read.faults {
		s.problem(f.Pos, "", "left out of the import: "+f.Fault)
	}
	return s, nil
}

// sessionContent is the text of a session file, looked through.
type sessionContent struct {
	text    []byte // brought up to date
	header  Header
	entries []Stub
	faults  []Stub
}

// readText looks through the text of a session file of any version.
func readText(ctx context.Context, text []byte) (sessionContent, error) {
	c, unnamed, err := lookThrough(ctx, text)
	if err != nil || c.header.Version >= Version && !unnamed {
		return c, err
	}
	if text, _, err = migrate(text, c.header); err != nil {
		return c, err
	}
	c, _, err = lookThrough(ctx, text)
	return c, err
}

func lookThrough(ctx context.Context, text []byte) (c sessionContent, unnamed bool, err error) {
	c.text = text
	lr := lineReader{r: bytes.NewReader(text)}
	err = lr.session(ctx, func(h Header) bool {
		c.header = h
		return true
	}, func(l *line) bool {
		s := l.checked()
		if s.Fault == "" {
			c.entries = append(c.entries, s)
			return true
		}
		unnamed = unnamed || l.unnamed(text[l.Pos:l.Pos+int64(l.Size)])
		c.faults = append(c.faults, s)
		return true
	})
	return c, unnamed, err
}

// Imported says what became of a session file that was taken in.
type Imported struct {
	Path string // of the session's file
	// Known says that the session was there already, and nothing was copied.
	Known bool
	// Was is the id in the file that was taken in, where the session has got another
	// one: another session has that id, and goes on differently. "" otherwise.
	Was string
}

// Import copies a session file into the directory, under its own name or that
// name with a number. No two sessions get the same id: a file that is in the directory
// or in one of the others already, or that is the beginning of what is there, is not
// copied; one that has the id of another session gets a new one. A file that is not
// there is [fs.ErrNotExist], one that is no session [ErrNotSession].
func (d *Dir) Import(ctx context.Context, path string, others ...*Dir) (Imported, error) {
	path, err := filepath.Abs(path)
	var h Header
	if err == nil {
		h, err = readHeader(ctx, path)
	}
	var in Imported
	if err == nil {
		in, err = d.known(ctx, path, h.ID, others)
	}
	switch {
	case err != nil:
	case in.Known:
		return in, nil
	case in.Was != "":
		in.Path, err = d.importAnew(ctx, path)
	default:
		in.Path, err = d.importCopy(path)
	}
	if err != nil {
		return Imported{}, fmt.Errorf("import session %s: %w", path, err)
	}
	return in, nil
}

// known looks for the session of a file.
func (d *Dir) known(ctx context.Context, path, id string, others []*Dir) (Imported, error) {
	var in Imported
	for _, o := range append([]*Dir{d}, others...) {
		if dir, err := filepath.Abs(o.path); err == nil && filepath.Dir(path) == dir {
			return Imported{Path: path, Known: true}, nil
		}
		have, err := o.find(ctx, id, true)
		if errors.Is(err, ErrNotFound) {
			continue
		}
		if err != nil {
			return in, err
		}
		same, err := begins(have, path)
		if err != nil {
			return in, err
		}
		if same {
			return Imported{Path: have, Known: true}, nil
		}
		in.Was = id
	}
	return in, nil
}

// begins reports whether a file begins with all of another one.
func begins(long, short string) (bool, error) {
	a, err := os.Open(long)
	if err != nil {
		return false, err
	}
	defer a.Close()
	b, err := os.Open(short)
	if err != nil {
		return false, err
	}
	defer b.Close()
	x, y := make([]byte, 64<<10), make([]byte, 64<<10)
	for {
		n, err := io.ReadFull(b, y)
		if n > 0 {
			if m, _ := io.ReadFull(a, x[:n]); m < n || !bytes.Equal(x[:n], y[:n]) {
				return false, nil
			}
		}
		switch {
		case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
			return true, nil
		case err != nil:
			return false, err
		}
	}
}

// importAnew copies a session under a new id.
func (d *Dir) importAnew(ctx context.Context, path string) (string, error) {
	f, err := os.Open(path)
	if err != nil {
		return "", err
	}
	defer f.Close()
	h, err := (Header{}).Complete(&d.ids, d.now())
	if err != nil {
		return "", err
	}
	s, err := Import(ctx, f, d, Header{ID: h.ID}, Options{})
	if err != nil {
		return "", err
	}
	return s.Path(), s.Close()
}

// importCopy copies a file as it is.
func (d *Dir) importCopy(path string) (string, error) {
	dir, err := filepath.Abs(d.path)
	if err == nil {
		err = os.MkdirAll(dir, 0o700)
	}
	if err != nil {
		return "", err
	}
	base := strings.TrimSuffix(filepath.Base(path), fileSuffix)
	for n := 0; ; n++ {
		name := base
		if n > 0 {
			name += "-" + strconv.Itoa(n)
		}
		to := filepath.Join(dir, name+fileSuffix)
		switch err := copyFile(path, to); {
		case err == nil:
			return to, nil
		case !errors.Is(err, fs.ErrExist):
			return "", err
		}
	}
}
