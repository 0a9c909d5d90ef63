package session

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strconv"

	"github.com/pi-go/pi/ai/jsonobj"
	"github.com/pi-go/pi/ai/lockfile"
)

// oldFile is a file whose text must be brought up to date before anything can
// be appended to it.
type oldFile struct {
	version int
	info    fs.FileInfo // as it was read
}

// modernise brings the file's text up to date in memory: version 1 had no
// ids, version 2 another name for a role, and there are files of version 3
// into which entries without ids were copied.
func (f *File) modernise(ctx context.Context) error {
	text, err := io.ReadAll(io.NewSectionReader(f.f, 0, f.info.Size()))
	if err != nil {
		return err
	}
	f.old = &oldFile{version: f.header.Version, info: f.info}
	f.image, f.header, err = migrate(text, f.header)
	if err != nil {
		return err
	}
	f.torn, f.first = false, stubList{}
	var first stubList
	for s, err := range f.Scan(ctx, 0) {
		if err != nil {
			return err
		}
		first.add(s)
	}
	f.first = first
	return nil
}

// migrate gives the text of a session file in the present format. Lines it
// can not read stay as they are.
func migrate(text []byte, h Header) ([]byte, Header, error) {
	from := h.Version
	h.Version = max(h.Version, Version)
	m := migration{taken: make(map[string]bool), from: from}
	lines := bytes.SplitAfter(text, []byte("\n"))
	for _, l := range lines { // ids that are there must not be made up again
		if id, err := memberText(l, "id"); err == nil && id != "" {
			m.taken[id] = true
		}
	}
	var out bytes.Buffer
	out.Grow(len(text) + len(text)/8)
	object := 0 // counts JSON objects, the header included
	for _, l := range lines {
		body := bytes.TrimSpace(l)
		switch {
		case !json.Valid(body) || body[0] != '{':
			out.Write(l)
			if len(l) > 0 && l[len(l)-1] != '\n' {
				out.WriteByte('\n')
			}
			continue
		case object == 0:
			header, err := setMember(body, "version", []byte(strconv.Itoa(h.Version)))
			if err != nil {
				return nil, h, err
			}
			body = header
			m.ids = append(m.ids, "")
		default:
			entry, err := m.entry(body)
			if err != nil {
				return nil, h, fmt.Errorf("bring up to date entry %d: %w", object, err)
			}
			body = entry
		}
		object++
		out.Write(body)
		out.WriteByte('\n')
	}
	return out.Bytes(), h, nil
}

type migration struct {
	from  int
	taken map[string]bool
	ids   []string // of each object so far, "" for the header
	last  string   // id of the entry before
}

func (m *migration) entry(body []byte) ([]byte, error) {
	var id, role, kind string
	var message, kept json.RawMessage
	hasParent := false
	err := jsonobj.Walk(body, func(key string, v json.RawMessage) error {
		switch key {
		case "id":
			return ifString(v, &id)
		case "type":
			return ifString(v, &kind)
		case "parentId":
			hasParent = true
		case "message":
			message = v
		case "firstKeptEntryIndex":
			kept = v
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	if kind == "" { // JSON, but no entry
		m.ids = append(m.ids, "")
		return body, nil
	}
	if id == "" {
		id = newEntryID(func(id string) bool { return m.taken[id] })
		m.taken[id] = true
		if body, err = setMember(body, "id", jsonobj.AppendString(nil, id)); err != nil {
			return nil, err
		}
	}
	if m.from < 2 || !hasParent {
		parent := []byte("null")
		if m.last != "" {
			parent = jsonobj.AppendString(nil, m.last)
		}
		if body, err = setMember(body, "parentId", parent); err != nil {
			return nil, err
		}
	}
	m.ids, m.last = append(m.ids, id), id
	if m.from < 2 && kind == string(TypeCompaction) && kept != nil {
		var at float64
		if json.Unmarshal(kept, &at) == nil && at >= 1 && int(at) < len(m.ids) && m.ids[int(at)] != "" {
			if body, err = setMember(body, "firstKeptEntryId", jsonobj.AppendString(nil, m.ids[int(at)])); err != nil {
				return nil, err
			}
		}
		if body, err = setMember(body, "firstKeptEntryIndex", nil); err != nil {
			return nil, err
		}
	}
	if m.from < 3 && kind == string(TypeMessage) {
		if role, err = memberText(message, "role"); err == nil && role == "hookMessage" {
			renamed, err := setMember(message, "role", []byte(`"custom"`))
			if err != nil {
				return nil, err
			}
			if body, err = setMember(body, "message", renamed); err != nil {
				return nil, err
			}
		}
	}
	return body, nil
}

// memberText gives a string member of an object, "" when it has none.
func memberText(object []byte, name string) (string, error) {
	var s string
	err := jsonobj.Walk(object, func(key string, v json.RawMessage) error {
		if key == name {
			return ifString(v, &s)
		}
		return nil
	})
	return s, err
}

// setMember replaces a member of an object, adds it at the end, or removes it
// (nil), and leaves every other byte of the members as it is.
func setMember(object []byte, name string, value []byte) ([]byte, error) {
	out := make([]byte, 0, len(object)+len(name)+len(value)+4)
	out = append(out, '{')
	done := value == nil
	put := func(key string, v []byte) {
		if len(out) > 1 {
			out = append(out, ',')
		}
		out = jsonobj.AppendString(out, key)
		out = append(append(out, ':'), v...)
	}
	err := jsonobj.Walk(object, func(key string, v json.RawMessage) error {
		switch {
		case key != name:
			put(key, v)
		case !done:
			put(key, value)
			done = true
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	if !done {
		put(name, value)
	}
	return append(out, '}'), nil
}

// replace puts the image in the place of the old file, of which a copy stays.
func (f *File) replace() error {
	there, err := os.Stat(f.path)
	if err != nil {
		return err
	}
	if !os.SameFile(there, f.old.info) || there.Size() != f.old.info.Size() || !there.ModTime().Equal(f.old.info.ModTime()) {
		return errors.New("the file was changed by another program while it was open")
	}
	if _, err := keepCopy(f.path, fmt.Sprintf(".v%d", f.old.version)); err != nil {
		return err
	}
	if err := f.f.Close(); err != nil { // Windows does not replace open files
		return err
	}
	err = lockfile.WriteFile(f.path, f.image, 0)
	file, openErr := os.OpenFile(f.path, os.O_RDWR|os.O_APPEND, 0)
	if err = errors.Join(err, openErr); err != nil {
		if openErr == nil {
			f.f = file
		}
		return err
	}
	f.f = file
	if f.info, err = file.Stat(); err != nil {
		return err
	}
	f.size, f.image, f.old = int64(len(f.image)), nil, nil
	f.dirty, f.newDir = true, true
	return nil
}

// keepCopy keeps a copy of a file beside it, under its name with the suffix
// and ".bak" behind it, or a number between them when that is taken. It gives
// the copy's path. The copy is the old file itself, by another name, where
// that is possible: whoever replaces the file must do so by a rename.
func keepCopy(path, suffix string) (string, error) {
	path, err := filepath.EvalSymlinks(path)
	if err != nil {
		return "", err
	}
	for n := 1; ; n++ {
		name := path + suffix
		if n > 1 {
			name += "." + strconv.Itoa(n)
		}
		name += ".bak"
		err := os.Link(path, name)
		if err != nil && !errors.Is(err, fs.ErrExist) { // not every file system has links
			err = copyFile(path, name)
		}
		switch {
		case err == nil:
			return name, nil
		case !errors.Is(err, fs.ErrExist):
			return "", fmt.Errorf("keep a copy of %s: %w", path, err)
		}
	}
}

// copyFile copies a file to a path that must be free.
func copyFile(from, to string) error {
	src, err := os.Open(from)
	if err != nil {
		return err
	}
	defer src.Close()
	dst, err := os.OpenFile(to, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	_, err = io.Copy(dst, src)
	if err == nil {
		err = dst.Sync()
	}
	if err = errors.Join(err, dst.Close()); err != nil {
		return errors.Join(err, os.Remove(to))
	}
	return nil
}

// syncDir makes names in a directory durable.
func syncDir(dir string) error {
	if runtime.GOOS == "windows" { // which can not open directories for that
		return nil
	}
	d, err := os.Open(dir)
	if err != nil {
		return err
	}
	return errors.Join(d.Sync(), d.Close())
}
