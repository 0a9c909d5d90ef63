package session

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestCheckAndRepair(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name, text string
		findings   []string // beginnings of "line id: text"
		context    []string // after the repair
		left       int      // findings that a repair can not mend
	}{
		{"nothing wrong", lines(headerLine, userLine("a", "", "a")), nil, []string{"user a"}, 0},
		{
			"NULs", lines(headerLine, userLine("a", "", "a"), strings.Repeat("\x00", 300), userLine("b", "a", "b")),
			[]string{"3 : 300 NUL bytes"},
			[]string{"user a", "user b"},
			1,
		},
		{
			"a torn line, and its child", lines(headerLine, userLine("a", "", "a"), userLine("x", "a", "x")[:50], userLine("b", "x", "b")),
			[]string{"3 : the line is torn", `4 b: the entry before it, "x", is missing`},
			[]string{"user a", "user b"},
			1,
		},
		{
			"a torn last line", lines(headerLine, userLine("a", "", "a")) + userLine("x", "a", "x")[:50],
			[]string{"3 : the last line is torn, as when a program is killed"},
			[]string{"user a"},
			1,
		},
		{"no last line feed", lines(headerLine) + userLine("a", "", "a"), []string{"2 : the last line has no line feed"}, []string{"user a"}, 0},
		{
			"glued lines", lines(headerLine, userLine("a", "", "a")+userLine("b", "a", "b"), userLine("c", "b", "c")),
			[]string{"2 : two things on one line", `3 c: the entry before it, "b", is missing`},
			[]string{"user a", "user b", "user c"},
			1,
		},
		{
			"NULs before an entry", lines(headerLine, "\x00\x00"+userLine("a", "", "a")),
			[]string{"2 : 2 bytes of other text"},
			[]string{"user a"},
			1,
		},
		{
			"no header", lines(userLine("a", "", "a"), userLine("b", "a", "b")),
			[]string{"1 : not a session: its first line is not a session header; no program"},
			[]string{"user a", "user b"},
			0,
		},
		{
			"a header further down", lines(userLine("a", "", "a"), headerLine, userLine("b", "a", "b")),
			[]string{"1 : not a session"},
			[]string{"user a", "user b"},
			0,
		},
		{
			"a circle", lines(headerLine, userLine("a", "b", "a"), userLine("b", "a", "b")),
			[]string{"2 a: the entries before it go round in a circle"},
			[]string{"user a", "user b"},
			0,
		},
		{"its own parent", lines(headerLine, userLine("a", "a", "a")), []string{"2 a: the entry is its own parent"}, []string{"user a"}, 0},
		{"an old format", v2, []string{"1 : the file has the old format version 2"}, []string{"user one", "custom hook"}, 0},
		{"no ids", halfCopied, []string{"2 : the entry has no id", "3 : the entry has no id"}, []string{"user one", "user two", "user three"}, 0},
		{
			"missing targets", lines(headerLine, userLine("a", "", "a"),
				`{"type":"label","id":"l","parentId":"a","timestamp":"2026-11-29T19:01:57.951Z","targetId":"zz","label":"x"}`,
				`{"type":"compaction","id":"c","parentId":"l","timestamp":"2026-11-29T19:01:57.951Z","summary":"s","firstKeptEntryId":"zz","tokensBefore":1}`),
			[]string{`3 l: it labels entry "zz"`, `4 c: it keeps the entries from entry "zz"`},
			[]string{"compactionSummary s"},
			2,
		},
		{
			"what can not be decoded", lines(headerLine, messageLine("a", "", `{"role":"user","content":5}`), userLine("b", "a", "b")),
			[]string{"2 a: decode message entry"},
			[]string{"user b"},
			1,
		},
		{"invalid JSON", lines(headerLine, `{"type":"message","id":"a","parentId":nul}`), []string{"2 : not valid JSON"}, nil, 1},
		{
			"an id twice", lines(headerLine, userLine("a", "", "old"), userLine("a", "", "new")),
			[]string{"2 a: a later entry has the same id"},
			[]string{"user new"},
			1,
		},
		{"not UTF-8", lines(headerLine, strings.Replace(userLine("a", "", "X"), "X", "\xff", 1)), []string{"2 a: the text is not all UTF-8"}, []string{"user \uFFFD"}, 1},
		{"no entry type", lines(headerLine, `{"id":"a"}`), []string{"2 a: the entry has no type"}, nil, 1},
		{"nothing at all", "", []string{"1 : there is no session header"}, nil, 0},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			path := sessionText(t, tt.text)
			r, err := Check(t.Context(), path, nil)
			if err != nil {
				t.Fatal(err)
			}
			var got []string
			for i, f := range r.Findings {
				got = append(got, strings.TrimSpace(strings.SplitN(r.String(), "\n", -1)[i+1]))
				if i >= len(tt.findings) {
					continue
				}
				if text := itoa(f.Line) + " " + f.ID + ": " + f.Text; !strings.HasPrefix(text, tt.findings[i]) {
					t.Errorf("finding %q, want %q", text, tt.findings[i])
				}
			}
			if len(r.Findings) != len(tt.findings) {
				t.Errorf("findings:\n%s", strings.Join(got, "\n"))
			}
			if readFile(t, path) != tt.text {
				t.Error("checking changed the file")
			}

			done, err := Repair(t.Context(), path)
			if err != nil {
				t.Fatal(err)
			}
			if done.Backup != "" {
				if readFile(t, done.Backup) != tt.text {
					t.Error("the backup is not what was there")
				}
			} else if readFile(t, path) != tt.text {
				t.Error("changed without a backup")
			}
			for l := range strings.SplitSeq(strings.TrimPrefix(tt.text, "\uFEFF"), "\n") {
				if len(tt.findings) > 0 && !strings.Contains(readFile(t, path), l) && StubOf([]byte(l)).Fault != "" && StubOf([]byte(l)).Fault != "the entry has no id" {
					t.Errorf("deleted: %q", l)
				}
			}
			s := openPath(t, path, ReadWrite)
			if d := cmp.Diff(tt.context, seen(t, s)); d != "" {
				t.Errorf("context (-want +got):\n%s\n%v\n%s", d, done.Changes, readFile(t, path))
			}
			s.Close()
			after, err := Check(t.Context(), path, nil)
			if err != nil || len(after.Findings) != tt.left {
				t.Errorf("left after the repair, want %d:\n%s", tt.left, after)
			}
			again, err := Repair(t.Context(), path)
			if err != nil || again.Backup != "" || len(again.Changes) != 0 {
				t.Errorf("a second repair changed %v, %v", again.Changes, err)
			}
			if got := names(t, filepath.Dir(path)); len(got) > 2 {
				t.Errorf("files %v", got)
			}
		})
	}
}

func itoa(n int) string { return string(rune('0' + n)) }

func TestRepairHeedsTheLock(t *testing.T) {
	t.Parallel()
	path := sessionText(t, lines(headerLine)+userLine("a", "", "a"))
	s := openPath(t, path, ReadWrite)
	if _, err := Repair(t.Context(), path); !errors.Is(err, ErrLocked) {
		t.Errorf("%v", err)
	}
	s.Close()
	if _, err := Repair(t.Context(), path); err != nil {
		t.Error(err)
	}
}

func TestRepairNamesTheSessionForItsFile(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "2026-11-29T19-01-57-875Z_my-id.jsonl")
	if err := os.WriteFile(path, []byte(lines(userLine("a", "", "a"))), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := Repair(t.Context(), path); err != nil {
		t.Fatal(err)
	}
	if s := openPath(t, path, ReadOnly); s.ID() != "my-id" || s.Header().Time.UnixMilli() != 1795978917951 {
		t.Errorf("header %+v", s.Header())
	}
}

// FuzzRepair: whatever the text, a repair gives a file that opens, in which
// nothing readable is lost, and which needs no further repair.
func FuzzRepair(f *testing.F) {
	for _, text := range []string{
		v1, v2, halfCopied, lines(headerLine, userLine("a", "b", "a")+userLine("b", "a", "b")), "\x00\x00" + headerLine, lines(userLine("a", "", "a"), headerLine, headerLine),
	} {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		m := mender{path: "x.jsonl", text: text}
		out, err := m.mend(context.Background())
		if err != nil {
			t.Fatal(err)
		}
		c, unnamed, err := lookThrough(context.Background(), out)
		if err != nil || unnamed || c.header.Version < Version {
			t.Fatalf("%v, entries without ids: %v, in\n%q", err, unnamed, out)
		}
		before, _, err := lookThrough(context.Background(), text)
		if err == nil && len(c.entries) < len(before.entries) {
			t.Fatalf("%d entries before, %d after:\n%q\n%q", len(before.entries), len(c.entries), text, out)
		}
		again := mender{path: "x.jsonl", text: out}
		if _, err := again.mend(context.Background()); err != nil || len(again.changes) > 0 {
			t.Fatalf("%v, changed again: %v\n%q\n%q", err, again.changes, text, out)
		}
	})
}
