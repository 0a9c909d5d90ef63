package session

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/pi-go/pi/ai"
)

const headerLine = `{"type":"session","version":3,"id":"s1","timestamp":"2026-11-29T19:01:57.875Z","cwd":"/project"}`

// sessionText writes a file of lines and gives its path.
func sessionText(t testing.TB, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "s.jsonl")
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

func lines(l ...string) string { return strings.Join(l, "\n") + "\n" }

func openPath(t testing.TB, path string, mode Mode) *Session {
	t.Helper()
	f, err := OpenFile(t.Context(), path, mode, Header{})
	if err != nil {
		t.Fatal(err)
	}
	s, err := Load(t.Context(), f, Options{Mode: mode})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	return s
}

func say(t testing.TB, s *Session, text string) string {
	t.Helper()
	id, err := s.AppendMessage(t.Context(), ai.UserText(text))
	if err != nil {
		t.Fatal(err)
	}
	return id
}

func seen(t testing.TB, s *Session) []string {
	t.Helper()
	c, err := s.Context(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return brief(c)
}

func readFile(t testing.TB, path string) string {
	t.Helper()
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

func names(t testing.TB, dir string) []string {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	var out []string
	for _, e := range entries {
		out = append(out, e.Name())
	}
	return out
}

func TestFileAppearsWithTheConversation(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "deep", "down")
	s, err := Create(t.Context(), NewDir(dir), Header{}, Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	for _, e := range []Entry{
		&ModelEntry{Provider: "p", ModelID: "m"}, &ThinkingEntry{Level: "low"}, &MessageEntry{Message: &ai.SystemMessage{Content: "s"}},
		&InfoEntry{Name: "n"}, &CustomMessageEntry{CustomType: "x"}, &MessageEntry{Message: &OpaqueMessage{Kind: "bashExecution", Raw: []byte(`{"role":"bashExecution"}`)}},
	} {
		if _, err := s.Append(t.Context(), e); err != nil {
			t.Fatal(err)
		}
	}
	if err := s.Sync(t.Context()); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(dir); !errors.Is(err, fs.ErrNotExist) {
		t.Fatalf("something is on disk before the first message: %v", err)
	}
	say(t, s, "hello")
	if got, want := names(t, dir), []string{filepath.Base(s.Path()), filepath.Base(s.Path()) + ".lock"}; !cmp.Equal(got, want) {
		t.Errorf("files %v, want %v", got, want)
	}
	if base := filepath.Base(s.Path()); base != s.Header().FileName() || !strings.HasSuffix(base, "_"+s.ID()+".jsonl") {
		t.Errorf("name %s", base)
	}
	text := readFile(t, s.Path())
	if n := strings.Count(text, "\n"); n != 8 || !strings.HasPrefix(text, `{"type":"session","version":3,"id":"`) || !strings.HasSuffix(text, "}\n") {
		t.Errorf("%d lines:\n%s", n, text)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	if got := names(t, dir); len(got) != 1 {
		t.Errorf("left behind: %v", got)
	}
	if got := openPath(t, s.Path(), ReadWrite); got.Len() != 7 {
		t.Errorf("%d entries, want 7", got.Len())
	}
}

func TestFileIsNotOverwritten(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "s.jsonl")
	f, err := CreateFile(t.Context(), path, Header{ID: "s1", Version: 3}, nil)
	if err != nil {
		t.Fatal(err)
	}
	s, err := Load(t.Context(), f, Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	if err := os.WriteFile(path, []byte("precious"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := s.AppendMessage(t.Context(), ai.UserText("x")); !errors.Is(err, fs.ErrExist) {
		t.Errorf("append: %v", err)
	}
	if s.Len() != 0 || s.Leaf() != "" || readFile(t, path) != "precious" {
		t.Errorf("%d entries, leaf %q, file %q", s.Len(), s.Leaf(), readFile(t, path))
	}
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	say(t, s, "now")
	if text := readFile(t, path); strings.Count(text, "\n") != 2 {
		t.Errorf("what was refused is in the file:\n%s", text)
	}
	if _, err := CreateFile(t.Context(), path, Header{ID: "s2", Version: Version}, nil); !errors.Is(err, fs.ErrExist) {
		t.Errorf("create over a file: %v", err)
	}
}

// Half a last line, as a crash leaves it.
func TestHalfALastLine(t *testing.T) {
	t.Parallel()
	whole := lines(headerLine, userLine("a", "", "a"), userLine("b", "a", "b"), userLine("c", "b", "c"))
	torn := userLine("d", "c", "d")[:40]
	path := sessionText(t, whole+torn)
	if r := openPath(t, path, ReadOnly); r.Leaf() != "c" || r.Skipped() != 1 {
		t.Errorf("leaf %q, %d skipped", r.Leaf(), r.Skipped())
	}
	s := openPath(t, path, ReadWrite)
	if readFile(t, path) != whole+torn {
		t.Error("opening changed the file")
	}
	say(t, s, "new")
	if p := s.Problems(); len(p) != 1 {
		t.Errorf("problems %v, want one", p)
	}
	s.Close()
	text := readFile(t, path)
	if !strings.HasPrefix(text, whole+torn+"\n{") || !strings.HasSuffix(text, "}\n") {
		t.Errorf("file:\n%s", text)
	}
	s = openPath(t, path, ReadWrite)
	if d := cmp.Diff([]string{"user a", "user b", "user c", "user new"}, seen(t, s)); d != "" {
		t.Errorf("(-want +got):\n%s", d)
	}
	if s.Skipped() != 1 {
		t.Errorf("%d skipped, want 1", s.Skipped())
	}
}

// A last line that only lacks its line feed is an entry.
func TestLastLineWithoutLineFeed(t *testing.T) {
	t.Parallel()
	path := sessionText(t, lines(headerLine)+userLine("a", "", "a"))
	s := openPath(t, path, ReadWrite)
	say(t, s, "b")
	s.Close()
	s = openPath(t, path, ReadWrite)
	if d := cmp.Diff([]string{"user a", "user b"}, seen(t, s)); d != "" || s.Skipped() != 0 {
		t.Errorf("%d skipped (-want +got):\n%s", s.Skipped(), d)
	}
}

// Bad things in the middle of a file.
func TestBadThingsInTheMiddle(t *testing.T) {
	t.Parallel()
	text := "\uFEFFgarbage\n" + headerLine + "\n" + userLine("a", "", "a") + "\n" +
		strings.Repeat("\x00", 300) + "\n" + "\n" + " \t\n" +
		`{"type":"hologram","id":"h1","parentId":"a","x":1}` + "\n" +
		userLine("b", "h1", "b") + "\r\n" +
		`{"type":"message","parentId":"b"` + "\n" + `"text"` + "\n" +
		"{\"type\":\"message\",\"id\":\"c\",\"parentId\":\"b\",\"message\":{\"role\":\"user\",\"content\":\"in\xffvalid\"}}\n"
	path := sessionText(t, text)
	s := openPath(t, path, ReadWrite)
	if d := cmp.Diff([]string{"user a", "user b", "user in\uFFFDvalid"}, seen(t, s)); d != "" {
		t.Errorf("(-want +got):\n%s", d)
	}
	if s.Skipped() != 4 { // garbage, NULs, a torn line, a string
		t.Errorf("%d skipped, want 4: %v", s.Skipped(), s.Problems())
	}
	if p := s.Problems(); p[1].Pos != int64(strings.Index(text, "\x00")) {
		t.Errorf("problem at %d", p[1].Pos)
	}
	say(t, s, "d")
	s.Close()
	if got := readFile(t, path); !strings.HasPrefix(got, text) {
		t.Error("what was there was changed")
	}
}

// One huge line costs time, not memory.
func TestHugeLine(t *testing.T) {
	if testing.Short() {
		t.Skip("writes 100 MB")
	}
	path := filepath.Join(t.TempDir(), "s.jsonl")
	f, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	fmt.Fprintln(f, headerLine)
	fmt.Fprintln(f, userLine("a", "", "a"))
	fmt.Fprint(f, `{"message":{"timestamp":5,"content":"`)
	piece := bytes.Repeat([]byte(`x\"`), 1<<20)
	for range 100 << 20 / len(piece) {
		f.Write(piece)
	}
	fmt.Fprintln(f, `","role":"user"},"type":"message","id":"big","parentId":"a"}`)
	fmt.Fprintln(f, userLine("b", "big", "b"))
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
	alloc := testing.AllocsPerRun(1, func() {
		s := openPath(t, path, ReadOnly)
		if s.Len() != 3 || s.Leaf() != "b" || s.Skipped() != 0 {
			t.Errorf("%d entries, leaf %q", s.Len(), s.Leaf())
		}
		if stub, _ := s.Stub("big"); stub.Role != "user" || stub.Size < 90<<20 {
			t.Errorf("stub %+v", stub)
		}
		s.Close()
	})
	if alloc > 1000 {
		t.Errorf("%v allocations to open it", alloc)
	}
	s := openPath(t, path, ReadOnly)
	if got := seen(t, s); len(got) != 3 || len(got[1]) < 60<<20 {
		t.Errorf("%d messages", len(got))
	}
}

func TestNotASession(t *testing.T) {
	t.Parallel()
	for name, text := range map[string]string{
		"text": "hello\n", "another object first": `{"type":"message","id":"a"}` + "\n" + headerLine + "\n", "no id": `{"type":"session","version":3}` + "\n",
		"an id that is a number": `{"type":"session","id":5}` + "\n", "torn header": headerLine[:30],
	} {
		path := sessionText(t, text)
		for _, mode := range []Mode{ReadWrite, ReadOnly} {
			if f, err := OpenFile(t.Context(), path, mode, Header{}); !errors.Is(err, ErrNotSession) {
				t.Errorf("%s: %v, %v", name, f, err)
			}
		}
		if got := names(t, filepath.Dir(path)); len(got) != 1 || readFile(t, path) != text {
			t.Errorf("%s: touched: %v", name, got)
		}
	}
	if _, err := OpenFile(t.Context(), filepath.Join(t.TempDir(), "no"), ReadWrite, Header{}); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("missing file: %v", err)
	}
	if _, err := OpenFile(t.Context(), t.TempDir(), ReadOnly, Header{}); !errors.Is(err, ErrNotSession) {
		t.Errorf("directory: %v", err)
	}
}

func TestEmptyFileBecomesASession(t *testing.T) {
	t.Parallel()
	path := sessionText(t, "")
	f, err := OpenFile(t.Context(), path, ReadWrite, Header{Cwd: "/here"})
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if h := f.Header(); h.ID == "" || h.Cwd != "/here" || readFile(t, path) != string(h.AppendJSON(nil))+"\n" {
		t.Errorf("header %+v, file %q", h, readFile(t, path))
	}
	if _, err := OpenFile(t.Context(), sessionText(t, ""), ReadOnly, Header{}); !errors.Is(err, ErrNotSession) {
		t.Errorf("for reading: %v", err)
	}
}

// A program that does not know of the lock writes to the file too: both
// conversations are in it afterwards, each line whole.
func TestWriterThatIgnoresTheLock(t *testing.T) {
	t.Parallel()
	path := sessionText(t, lines(headerLine, userLine("a", "", "a")))
	s := openPath(t, path, ReadWrite)
	if _, err := s.Stats(t.Context()); err != nil {
		t.Fatal(err)
	}
	foreign, err := os.OpenFile(path, os.O_APPEND|os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer foreign.Close()
	b := say(t, s, "b")
	fmt.Fprintln(foreign, userLine("x", "a", "x"))
	fmt.Fprint(foreign, `{"torn`)
	c := say(t, s, "c")
	d := say(t, s, "d")
	if d := cmp.Diff([]string{"user a", "user b", "user c", "user d"}, seen(t, s)); d != "" {
		t.Errorf("own branch (-want +got):\n%s", d)
	}
	for _, id := range []string{"x", b, c, d} {
		if _, err := s.Entry(t.Context(), id); err != nil {
			t.Error(err)
		}
	}
	if st, err := s.Stats(t.Context()); err != nil || st.UserMessages != 5 {
		t.Errorf("stats %+v, %v", st, err)
	}
	s.Close()
	if s = openPath(t, path, ReadWrite); s.Len() != 5 || s.Leaf() != d || s.Skipped() != 1 {
		t.Errorf("%d entries, leaf %q, %d skipped", s.Len(), s.Leaf(), s.Skipped())
	}
}

func TestFileTakenAway(t *testing.T) {
	t.Parallel()
	tests := map[string]func(path string) error{
		"removed": os.Remove,
		"replaced": func(path string) error {
			if err := os.WriteFile(path+".new", []byte(lines(headerLine)), 0o600); err != nil {
				return err
			}
			return os.Rename(path+".new", path)
		},
		"cut": func(path string) error { return os.Truncate(path, 10) },
	}
	for name, harm := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			path := sessionText(t, lines(headerLine, userLine("a", "", "a")))
			s := openPath(t, path, ReadWrite)
			if err := harm(path); err != nil {
				t.Fatal(err)
			}
			if _, err := s.AppendMessage(t.Context(), ai.UserText("b")); err == nil || !strings.Contains(err.Error(), "another program") {
				t.Errorf("appended to a file that is not there: %v", err)
			}
			if s.Leaf() != "a" || s.Len() != 1 {
				t.Errorf("leaf %q of %d", s.Leaf(), s.Len())
			}
		})
	}
}

func TestFailedAppendRollsBack(t *testing.T) {
	t.Parallel()
	path := sessionText(t, lines(headerLine, userLine("a", "", "a")))
	s := openPath(t, path, ReadWrite)
	f := s.st.(*File)
	broken, err := os.Open(path) // can not be written to
	if err != nil {
		t.Fatal(err)
	}
	good := f.f
	f.f = broken
	e := &MessageEntry{Message: ai.UserText("b")}
	if _, err := s.Append(t.Context(), e); err == nil {
		t.Fatal("appended")
	}
	if s.Leaf() != "a" || s.Len() != 1 || e.ID != "" || e.Parent != "" || !e.Time.IsZero() {
		t.Errorf("leaf %q of %d entries, entry %+v", s.Leaf(), s.Len(), e.Meta)
	}
	f.f = good
	broken.Close()
	if _, err := s.Append(t.Context(), e); err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff([]string{"user a", "user b"}, seen(t, s)); d != "" {
		t.Errorf("(-want +got):\n%s", d)
	}
}

// A write that stopped half-way is taken back, so that an entry that was
// reported as lost does not turn up later; when another program has written
// behind it, it stays and is fenced off.
func TestTakeBack(t *testing.T) {
	t.Parallel()
	whole := lines(headerLine, userLine("a", "", "a"))
	for _, foreign := range []bool{false, true} {
		path := sessionText(t, whole)
		f, err := OpenFile(t.Context(), path, ReadWrite, Header{})
		if err != nil {
			t.Fatal(err)
		}
		half := userLine("b", "a", "b")[:30]
		if _, err := f.f.WriteString(half); err != nil {
			t.Fatal(err)
		}
		more := ""
		if foreign {
			more = "\n" + userLine("x", "a", "x") + "\n"
			if _, err := f.f.WriteString(more); err != nil {
				t.Fatal(err)
			}
		}
		f.takeBack(int64(len(half)))
		line := userLine("c", "a", "c")
		if _, err := f.Append(t.Context(), StubOf([]byte(line)), []byte(line)); err != nil {
			t.Fatal(err)
		}
		want := whole + line + "\n"
		if foreign {
			want = whole + half + more + line + "\n"
		}
		if got := readFile(t, path); got != want {
			t.Errorf("foreign %v:\n%s\nwant\n%s", foreign, got, want)
		}
		f.Close()
	}
}

func TestCancelledOpen(t *testing.T) {
	t.Parallel()
	path := sessionText(t, lines(headerLine, userLine("a", "", "a")))
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := OpenFile(ctx, path, ReadWrite, Header{}); !errors.Is(err, context.Canceled) {
		t.Fatalf("%v", err)
	}
	openPath(t, path, ReadWrite) // the lock was given back
}
