package session

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"unicode/utf8"
)

// Report is what [Check] found in a session file.
type Report struct {
	Path   string
	Header Header
	// Lines counts lines that are not blank, the header included; Entries
	// those that are entries.
	Lines, Entries int
	// Findings are in the order of the file.
	Findings []Finding
}

// Finding is something wrong or odd in a session file.
type Finding struct {
	// Line counts from 1; Pos is the line's offset in bytes.
	Line int
	Pos  int64
	// ID is the entry it is about, "" for text that is no entry.
	ID string
	// Text says what is wrong and what it means for the reader.
	Text string
}

// OK says that nothing is wrong.
func (r *Report) OK() bool { return len(r.Findings) == 0 }

// String explains the findings, a line each.
func (r *Report) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s: session %s, version %d, %d entries in %d lines", r.Path, r.Header.ID, r.Header.Version, r.Entries, r.Lines)
	if r.OK() {
		b.WriteString(": nothing wrong\n")
		return b.String()
	}
	b.WriteByte('\n')
	for _, f := range r.Findings {
		fmt.Fprintf(&b, "line %d (byte %d)", f.Line, f.Pos)
		if f.ID != "" {
			fmt.Fprintf(&b, ", entry %s", f.ID)
		}
		fmt.Fprintf(&b, ": %s\n", f.Text)
	}
	return b.String()
}

// Check reads a whole session file, decodes everything in it and explains
// what is wrong. It changes nothing and needs no lock. Unlike opening a
// session, it goes on when there is no header. The codec is for messages of
// the program's own kinds.
func Check(ctx context.Context, path string, codec Codec) (*Report, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, fmt.Errorf("check session: %w", err)
	}
	defer f.Close()
	c := checker{report: Report{Path: path}, codec: codec, lineAt: make(map[int64]int)}
	if err := c.read(ctx, f); err != nil {
		return nil, fmt.Errorf("check session %s: %w", path, err)
	}
	c.links()
	slices.SortStableFunc(c.report.Findings, func(a, b Finding) int { return a.Line - b.Line })
	return &c.report, nil
}

type checker struct {
	report Report
	codec  Codec
	tree   tree
	lineAt map[int64]int
	// refs are ids that entries name, apart from their parents.
	refs []reference
}

type reference struct {
	from Stub
	what string
	to   string
}

func (c *checker) found(line int, pos int64, id, format string, args ...any) {
	c.report.Findings = append(c.report.Findings, Finding{line, pos, id, fmt.Sprintf(format, args...)})
}

func (c *checker) read(ctx context.Context, r io.ReaderAt) error {
	header := false
	var last line
	var failed error
	lr := lineReader{r: r}
	err := lr.each(ctx, 0, func(l *line) bool {
		var text []byte
		if text, failed = readLine(r, l.Stub, nil); failed != nil {
			return false
		}
		n := l.number
		c.report.Lines++
		c.lineAt[l.Pos] = n
		last = *l
		switch why := explain(text, l); {
		case why != "":
			c.found(n, l.Pos, "", "%s; readers skip the line", why)
		case !header:
			header = true
			h, err := ParseHeader(text)
			if err != nil {
				c.found(n, l.Pos, "", "%v; no program can open the file", err)
				c.entry(n, l, text)
				break
			}
			c.report.Header = h
			switch {
			case h.Version < Version:
				c.found(n, l.Pos, "", "the file has the old format version %d; it is brought up to date when something is appended", h.Version)
			case h.Version > Version:
				c.found(n, l.Pos, "", "the file has format version %d, which is newer than this program; it is read as version %d", h.Version, Version)
			}
		default:
			c.entry(n, l, text)
		}
		return true
	})
	if err = errors.Join(err, failed); err != nil {
		return err
	}
	if !header {
		c.found(1, 0, "", "there is no session header; no program can open the file")
	}
	if last.number > 0 && !last.ended && last.Fault == "" {
		c.found(last.number, last.Pos, "", "the last line has no line feed; one is put before the next entry")
	}
	return nil
}

// entry checks one entry by itself.
func (c *checker) entry(n int, l *line, text []byte) {
	s := l.checked()
	if s.Fault != "" {
		switch {
		case l.unnamed(text) && c.report.Header.Version < 2: // had none
			return
		case l.unnamed(text):
			c.found(n, l.Pos, "", "%s; it is given one when the file is opened", s.Fault)
		default:
			c.found(n, l.Pos, l.ID, "%s; it is skipped", s.Fault)
		}
		return
	}
	c.report.Entries++
	c.tree.add(s)
	if !utf8.Valid(text) {
		c.found(n, l.Pos, s.ID, "the text is not all UTF-8; the bytes that are not are shown as \uFFFD")
	}
	e, err := DecodeEntry(text, c.codec)
	if err != nil {
		c.found(n, l.Pos, s.ID, "%v; the entry is left out of the conversation, what follows it is not", err)
		return
	}
	refer := func(what, to string) { c.refs = append(c.refs, reference{s, what, to}) }
	switch e := e.(type) {
	case *CompactionEntry:
		refer("keeps the entries from", e.FirstKept)
	case *LabelEntry:
		refer("labels", e.TargetID)
	case *ContextEditEntry:
		refer("edits", e.TargetID)
	case *MessageEntry:
		if s.At == 0 {
			c.found(n, l.Pos, s.ID, "the entry has no time")
		}
	}
}

// links checks how entries hang together.
func (c *checker) links() {
	c.tree.link(func(pos int64, id, text string) { c.found(c.lineAt[pos], pos, id, "%s", text) })
	for _, r := range c.refs {
		if r.to == "" || c.tree.has(r.to) {
			continue
		}
		c.found(c.lineAt[r.from.Pos], r.from.Pos, r.from.ID, "it %s entry %q, which is missing", r.what, r.to)
	}
}

// explain says why a line is no JSON object; "" when it is one.
func explain(text []byte, l *line) string {
	if nul := bytes.Count(text, []byte{0}); nul > 0 && nul == len(bytes.TrimRight(text, "\r")) {
		return fmt.Sprintf("%d NUL bytes and nothing else, as file systems leave them after a loss of power", nul)
	}
	if l.Fault == "" {
		if json.Valid(text) {
			return ""
		}
	} else if i := bytes.Index(text, []byte(`{"type":"`)); i > 0 && l.Fault == "not a JSON object" {
		return fmt.Sprintf("%d bytes of other text before what may be an entry", i)
	} else if l.Fault == "text after the JSON object" {
		return "two things on one line, as when two programs write at the same time"
	} else if l.Fault != "not a JSON object" {
		if !l.ended {
			return "the last line is torn, as when a program is killed while it writes"
		}
		return l.Fault
	}
	var syntax *json.SyntaxError
	var v any
	if err := json.Unmarshal(text, &v); errors.As(err, &syntax) {
		return fmt.Sprintf("not valid JSON: %v at byte %d of the line", syntax, syntax.Offset)
	}
	return "not a JSON object"
}
