package session

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/pi-go/pi/ai/lockfile"
)

// Repaired is what [Repair] did.
type Repaired struct {
	// Backup is the path of the file as it was, "" when nothing was changed.
	Backup string
	// Changes are in the order of the file as it was.
	Changes []Finding
}

// Repair mends what [Check] finds wrong in a session file, as far as it can be
// mended, and never deletes anything: text that is no entry stays where it is
// (readers skip it), and the file as it was stays beside it with ".damaged.bak"
// behind its name. The new file takes the place of the old one at once.
//
// A file without a header gets one. Old formats are brought up to date.
// Entries that stand whole within damaged lines get lines of their own. An
// entry whose parent is missing goes under the entry before it in the file,
// which is a guess, but the likeliest one. A circle of parents is cut where
// opening cuts it.
//
// A session that is being written is a [LockedError].
func Repair(ctx context.Context, path string) (*Repaired, error) {
	r, err := repair(ctx, path)
	if err != nil {
		return nil, fmt.Errorf("repair session %s: %w", path, err)
	}
	return r, nil
}

func repair(ctx context.Context, path string) (_ *Repaired, err error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, err
	}
	lock, err := LockFile(path, path)
	if err != nil {
		return nil, err
	}
	defer func() {
		if rerr := lock.Release(); err == nil {
			err = rerr
		}
	}()
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	m := mender{path: path, text: text, modified: info.ModTime()}
	out, err := m.mend(ctx)
	if err != nil {
		return nil, err
	}
	done := &Repaired{Changes: m.changes}
	if len(m.changes) == 0 {
		return done, nil
	}
	if done.Backup, err = keepCopy(path, ".damaged"); err != nil {
		return nil, err
	}
	return done, lockfile.WriteFile(path, out, 0)
}

// mender rewrites the text of a session file.
type mender struct {
	path     string
	text     []byte
	modified time.Time
	changes  []Finding
}

func (m *mender) change(number int, pos int64, id, text string) {
	m.changes = append(m.changes, Finding{number, pos, id, text})
}

// mended is a line of the new file.
type mended struct {
	text   []byte
	number int // of the line it was, or was found in
	pos    int64
}

func (m *mender) mend(ctx context.Context) ([]byte, error) {
	all, err := m.lines(ctx)
	if err != nil {
		return nil, err
	}
	all, h := m.header(all)
	all, err = m.modernise(ctx, all, h)
	if err != nil {
		return nil, err
	}
	all, err = m.relink(all)
	if err != nil {
		return nil, err
	}
	return join(all), nil
}

func join(all []mended) []byte {
	var out bytes.Buffer
	for _, l := range all {
		out.Write(l.text)
		out.WriteByte('\n')
	}
	return out.Bytes()
}

// lines splits the text and finds entries within damaged lines.
func (m *mender) lines(ctx context.Context) ([]mended, error) {
	var all []mended
	known := make(map[string]bool)
	ended := true
	lr := lineReader{r: bytes.NewReader(m.text)}
	err := lr.each(ctx, 0, func(l *line) bool {
		if l.Fault == "" {
			known[l.ID] = true
		}
		text := m.text[l.Pos : l.Pos+int64(l.Size)]
		all = append(all, mended{text, l.number, l.Pos})
		ended = l.ended
		return true
	})
	if err != nil {
		return nil, err
	}
	if n := len(all); n > 0 && !ended {
		m.change(all[n-1].number, all[n-1].pos, "", "ended the last line")
	}
	var out []mended
	for _, l := range all {
		out = append(out, l)
		if json.Valid(l.text) {
			continue
		}
		for _, found := range within(l.text) {
			id, err := memberText(found, "id")
			if err != nil || id == "" || known[id] {
				continue
			}
			known[id] = true
			out = append(out, mended{found, l.number, l.pos})
			m.change(l.number, l.pos, id, "gave an entry within the damaged line a line of its own")
		}
	}
	return out, nil
}

// within finds whole entries in a damaged line.
func within(text []byte) [][]byte {
	var out [][]byte
	start := []byte(`{"type":"`)
	for at := 0; ; {
		i := bytes.Index(text[at:], start)
		if i < 0 {
			return out
		}
		at += i
		d := json.NewDecoder(bytes.NewReader(text[at:]))
		var v json.RawMessage
		if d.Decode(&v) != nil {
			at += len(start)
			continue
		}
		out = append(out, v)
		at += len(v)
	}
}

// header makes the first JSON object a session header.
func (m *mender) header(all []mended) ([]mended, Header) {
	for i, l := range all {
		h, err := ParseHeader(l.text)
		if err != nil {
			continue
		}
		for _, before := range all[:i] {
			if json.Valid(before.text) && before.text[0] == '{' {
				m.change(l.number, l.pos, "", "moved the session header to the top")
				rest := append(append([]mended{l}, all[:i]...), all[i+1:]...)
				return rest, h
			}
		}
		return all, h
	}
	h := Header{Version: Version, Time: m.modified.UTC().Truncate(time.Millisecond)}
	base := strings.TrimSuffix(filepath.Base(m.path), fileSuffix)
	if _, id, ok := strings.Cut(base, "_"); ok && CheckID(id) == nil {
		h.ID = id
	} else {
		h.ID = new(IDs).Next(m.modified)
	}
	for _, l := range all {
		if s := StubOf(l.text); s.Fault == "" && s.At != 0 {
			h.Time = s.Time()
			break
		}
	}
	m.change(1, 0, "", "put a session header before the entries; its working directory is not known")
	return append([]mended{{h.AppendJSON(nil), 1, 0}}, all...), h
}

// modernise gives entries what the present format asks for.
func (m *mender) modernise(ctx context.Context, all []mended, h Header) ([]mended, error) {
	text := join(all)
	_, unnamed, err := lookThrough(ctx, text)
	if err != nil {
		return nil, err
	}
	if h.Version >= Version && !unnamed {
		return all, nil
	}
	now, _, err := migrate(text, h)
	if err != nil {
		return nil, err
	}
	m.change(1, 0, "", "brought entries from format version "+strconv.Itoa(h.Version)+" up to date, or gave them the ids they lacked")
	for i, l := range bytes.Split(bytes.TrimSuffix(now, []byte("\n")), []byte("\n")) {
		all[i].text = l
	}
	return all, nil
}

// relink mends parents.
func (m *mender) relink(all []mended) ([]mended, error) {
	var t tree
	at := []int{} // line of each node
	header := false
	for i, l := range all {
		s := StubOf(l.text)
		if !header && json.Valid(l.text) && l.text[0] == '{' {
			header = true
			continue
		}
		if s.Fault != "" {
			continue
		}
		s.Pos = int64(i)
		t.add(s)
		at = append(at, i)
	}
	t.link(func(int64, string, string) {})
	for k := range t.nodes {
		n := &t.nodes[k]
		if !n.gap || !json.Valid(all[at[k]].text) {
			continue
		}
		parent := ""
		if !t.has(n.Parent) {
			if p := t.before(k); p >= 0 {
				parent = t.nodes[p].ID
				n.parent = int32(p)
			}
		}
		l := &all[at[k]]
		text, err := setMember(l.text, "parentId", quotedOrNull(parent))
		if err != nil {
			return nil, err
		}
		l.text = text
		what := fmt.Sprintf("put it under entry %q, the one before it in the file, in place of the missing %q", parent, n.Parent)
		if parent == "" {
			what = fmt.Sprintf("made it the beginning of its branch, in place of following %q", n.Parent)
		}
		m.change(l.number, l.pos, n.ID, what)
	}
	return all, nil
}

// before is the nearest node in front of a root that can be its parent, -1 if
// there is none: its id must not mean another node, and it must not be below
// the root itself.
func (t *tree) before(root int) int {
	for k := root - 1; k >= 0; k-- {
		if other, _ := t.find(t.nodes[k].ID); other != k {
			continue
		}
		j := k
		for j >= 0 && j != root {
			j = t.parent(j)
		}
		if j != root {
			return k
		}
	}
	return -1
}
