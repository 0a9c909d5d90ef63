package session

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/pi-go/pi/ai"
)

func TestLockNamesItsHolder(t *testing.T) {
	t.Parallel()
	path := sessionText(t, lines(headerLine, userLine("a", "", "a")))
	openPath(t, path, ReadWrite)
	_, err := OpenFile(t.Context(), path, ReadWrite, Header{})
	var locked *LockedError
	if !errors.As(err, &locked) {
		t.Fatalf("%v", err)
	}
	host, _ := os.Hostname()
	if runtime.GOOS != "windows" && (locked.PID != os.Getpid() || locked.Host != host || locked.Ref != path) {
		t.Errorf("%+v", locked)
	}
	for _, want := range []string{path, "reading only", "fork"} {
		if !strings.Contains(err.Error(), want) {
			t.Errorf("%q does not say %q", err, want)
		}
	}
}

// A lock file that was left behind means nothing.
func TestLeftLockFile(t *testing.T) {
	t.Parallel()
	path := sessionText(t, lines(headerLine, userLine("a", "", "a")))
	if err := os.WriteFile(path+".lock", []byte("1\nelsewhere\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	openPath(t, path, ReadWrite).Close()
	if got := names(t, filepath.Dir(path)); len(got) != 1 {
		t.Errorf("left behind: %v", got)
	}
}

// Many try to get the lock at once, again and again: never do two have it.
func TestLockIsExclusive(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "s.jsonl")
	var mu sync.Mutex
	var all sync.WaitGroup
	got := 0
	for range 8 {
		all.Go(func() {
			for range 1000 {
				l, err := LockFile(path, path)
				if errors.Is(err, ErrLocked) {
					runtime.Gosched()
					continue
				}
				if err != nil {
					t.Error(err)
					return
				}
				if !mu.TryLock() {
					t.Error("two have the lock")
					return
				}
				got++
				for range 10 {
					runtime.Gosched() // let another one try
				}
				mu.Unlock()
				if err := l.Release(); err != nil {
					t.Error(err)
				}
			}
		})
	}
	all.Wait()
	if got == 0 {
		t.Error("nobody got the lock")
	}
}

func TestDirFind(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	d := NewDir(dir)
	for name, id := range map[string]string{"2026_abc.jsonl": "abc", "odd name.jsonl": "abd", "2026_abcd.jsonl": "abcd"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(fmt.Sprintf(`{"type":"session","version":3,"id":%q,"timestamp":"2026-11-29T19:01:57.875Z"}`+"\n", id)), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.WriteFile(filepath.Join(dir, "junk.jsonl"), []byte(strings.Repeat("x", 100)), 0o600); err != nil {
		t.Fatal(err)
	}
	for ref, want := range map[string]string{
		"abc": "2026_abc.jsonl", "abd": "odd name.jsonl", "abcd": "2026_abcd.jsonl", "odd name.jsonl": "odd name.jsonl", "./x/y.jsonl": "x/y.jsonl",
	} {
		if got, err := d.Find(t.Context(), ref); err != nil || got != filepath.Join(dir, want) {
			t.Errorf("%q: %q, %v; want %s", ref, got, err, want)
		}
	}
	if got, err := d.Find(t.Context(), "/else/where.jsonl"); err != nil || got != "/else/where.jsonl" {
		t.Errorf("absolute: %q, %v", got, err)
	}
	if _, err := d.Find(t.Context(), "junk"); !errors.Is(err, ErrNotFound) {
		t.Errorf("junk: %v", err)
	}
	if _, err := NewDir(filepath.Join(dir, "none")).Find(t.Context(), "x"); !errors.Is(err, ErrNotFound) {
		t.Errorf("no directory: %v", err)
	}
}

func TestDirListLeavesOutWhatIsNoSession(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	write := func(name, text string) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	write("a.jsonl", lines(headerLine, `{"type":"session_info","id":"n","parentId":null,"timestamp":"2026-11-29T19:01:57.951Z","name":"first"}`,
		messageLine("s", "n", `{"role":"system","content":"s","timestamp":9999999999999}`),
		messageLine("i", "s", `{"role":"user","content":[{"type":"image","data":"","mimeType":"image/png"}],"timestamp":5}`),
		"not JSON", userLine("u", "i", "the question"),
		`{"type":"session_info","id":"m","parentId":"u","timestamp":"2026-11-29T19:01:57.951Z","name":"second"}`, `{"torn`))
	write("b.jsonl", "no session\n")
	write("c.txt", lines(headerLine))
	write("d.jsonl", lines(`{"type":"session","version":3,"id":"d"}`))
	write("e.jsonl", strings.Repeat("x", maxPreamble+10)+"\n"+headerLine+"\n")
	if err := os.Mkdir(filepath.Join(dir, "f.jsonl"), 0o700); err != nil {
		t.Fatal(err)
	}
	var got []Info
	for i, err := range NewDir(dir).List(t.Context(), ListOptions{}) {
		if err != nil {
			t.Fatal(err)
		}
		got = append(got, i)
	}
	slices.SortFunc(got, func(a, b Info) int { return strings.Compare(a.Ref, b.Ref) })
	if len(got) != 2 {
		t.Fatalf("%d sessions: %+v", len(got), got)
	}
	want := Info{
		Ref: filepath.Join(dir, "a.jsonl"), ID: "s1", Cwd: "/project", Created: time.UnixMilli(1795978917875).UTC(), Name: "second",
		Modified: time.UnixMilli(5).UTC(), Messages: 3, First: "the question", Size: got[0].Size, Skipped: 2,
	}
	if d := cmp.Diff(want, got[0]); d != "" {
		t.Errorf("(-want +got):\n%s", d)
	}
	if got[1].Modified.IsZero() || !got[1].Created.IsZero() {
		t.Errorf("a session without times takes that of its file: %+v", got[1])
	}
	for i, err := range ListFiles(t.Context(), []string{want.Ref, filepath.Join(dir, "gone.jsonl")}, ListOptions{}) {
		if err != nil || i.ID != "s1" {
			t.Errorf("%+v, %v", i, err)
		}
	}
}

func TestDirCwdThroughLink(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	real := filepath.Join(root, "real")
	link := filepath.Join(root, "link")
	if err := errors.Join(os.Mkdir(real, 0o700), os.Symlink(real, link)); err != nil {
		t.Skip("no symbolic links here:", err)
	}
	d := NewDir(filepath.Join(root, "sessions"))
	for _, cwd := range []string{real, link, real + "/", root, ""} {
		s, err := Create(t.Context(), d, Header{Cwd: cwd}, Options{})
		if err != nil {
			t.Fatal(err)
		}
		say(t, s, "x")
		s.Close()
	}
	n := 0
	for range d.List(t.Context(), ListOptions{Cwd: link}) {
		n++
	}
	if n != 3 {
		t.Errorf("%d sessions in the directory, want 3", n)
	}
}

// The latest session is the one with the newest message, as in a sorted list,
// not the file that was touched last.
func TestDirLatest(t *testing.T) {
	t.Parallel()
	d := NewDir(t.TempDir())
	if _, err := d.Latest(t.Context(), ""); !errors.Is(err, ErrNotFound) {
		t.Errorf("empty directory: %v", err)
	}
	base := time.Now().Add(-time.Hour)
	ids := make(map[string]string)
	for i, name := range []string{"old", "newest", "other"} {
		s, err := Create(t.Context(), d, Header{Cwd: "/" + name}, Options{})
		if err != nil {
			t.Fatal(err)
		}
		m := ai.UserText(name)
		m.Timestamp = base.Add(map[string]time.Duration{"old": 0, "newest": 30 * time.Minute, "other": 10 * time.Minute}[name]).UnixMilli()
		if _, err := s.AppendMessage(t.Context(), m); err != nil {
			t.Fatal(err)
		}
		s.Close()
		ids[name] = s.ID()
		touched := base.Add(time.Duration(31+i) * time.Minute) // a label, say
		if err := os.Chtimes(s.Path(), touched, touched); err != nil {
			t.Fatal(err)
		}
	}
	for cwd, want := range map[string]string{"": "newest", "/old": "old", "/other": "other"} {
		if got, err := d.Latest(t.Context(), cwd); err != nil || got.ID != ids[want] {
			t.Errorf("in %q: %+v, %v; want %s", cwd, got, err, want)
		}
	}
	if _, err := d.Latest(t.Context(), "/nowhere"); !errors.Is(err, ErrNotFound) {
		t.Errorf("nowhere: %v", err)
	}
}

// Many big sessions are listed in little memory. What is allocated meanwhile is
// counted for the whole process, so that no other test may run beside.
func TestListBigSessions(t *testing.T) {
	if testing.Short() {
		t.Skip("writes 60 MB")
	}
	dir := t.TempDir()
	for i := range 20 {
		writeSession(t, filepath.Join(dir, fmt.Sprintf("%02d.jsonl", i)), 500, 2450)
	}
	big := strings.Replace(userLine("a", "", "X"), "X", strings.Repeat("y", 40<<20), 1)
	if err := os.WriteFile(filepath.Join(dir, "big.jsonl"), []byte(lines(headerLine, userLine("u", "", "first"), big)), 0o600); err != nil {
		t.Fatal(err)
	}
	big = ""
	var before, after runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	n, found := 0, false
	for i, err := range NewDir(dir).List(t.Context(), ListOptions{}) {
		if err != nil {
			t.Fatal(err)
		}
		n++
		found = found || i.First == "first" && i.Messages == 2
	}
	runtime.ReadMemStats(&after)
	if n != 21 || !found {
		t.Errorf("%d sessions, the big one among them: %v", n, found)
	}
	if grown := after.TotalAlloc - before.TotalAlloc; grown > 20<<20 {
		t.Errorf("%d MiB allocated", grown>>20)
	}
}

func TestDirImport(t *testing.T) {
	t.Parallel()
	d := NewDir(filepath.Join(t.TempDir(), "sessions"))
	src := sessionText(t, v1)
	first := filepath.Join(d.Path(), "s.jsonl")
	for i, from := range []string{src, src, first} {
		got, err := d.Import(t.Context(), from)
		if want := (Imported{Path: first, Known: i > 0}); err != nil || got != want || readFile(t, first) != v1 {
			t.Errorf("%d: %+v, %v; want %+v", i, got, err, want)
		}
	}
	// The copy has gone on: what it came from is still the same session.
	grown := v1 + `{"type":"message","id":"zz","parentId":null,"timestamp":"2025-01-02T00:00:00.000Z","message":{"role":"user","content":"more"}}` + "\n"
	if err := os.WriteFile(first, []byte(grown), 0o600); err != nil {
		t.Fatal(err)
	}
	if got, err := d.Import(t.Context(), src); err != nil || got != (Imported{Path: first, Known: true}) {
		t.Errorf("grown: %+v, %v", got, err)
	}
	elsewhere := NewDir(filepath.Join(t.TempDir(), "elsewhere"))
	if got, err := elsewhere.Import(t.Context(), src, d); err != nil || got != (Imported{Path: first, Known: true}) {
		t.Errorf("known elsewhere: %+v, %v", got, err)
	}
	// One that went on differently gets an id of its own.
	other := sessionText(t, strings.Replace(grown, "more", "something else", 1))
	got, err := d.Import(t.Context(), other)
	if err != nil || got.Known || got.Was == "" || got.Path == first {
		t.Fatalf("another one: %+v, %v", got, err)
	}
	was, err := readHeader(t.Context(), first)
	if err != nil {
		t.Fatal(err)
	}
	if now, err := readHeader(t.Context(), got.Path); err != nil || now.ID == was.ID || got.Was != was.ID {
		t.Errorf("ids %s and %s, %v", was.ID, now.ID, err)
	}
	if text := readFile(t, got.Path); !strings.Contains(text, "something else") {
		t.Errorf("the copy has %s", text)
	}
	if _, err := d.Import(t.Context(), "no.jsonl"); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("missing: %v", err)
	}
	if _, err := d.Import(t.Context(), sessionText(t, "hello\n")); !errors.Is(err, ErrNotSession) {
		t.Errorf("no session: %v", err)
	}
	if got := names(t, d.Path()); len(got) != 2 {
		t.Errorf("files %v", got)
	}
}

// A session that another program writes can still be copied, and an old one
// is brought up to date by the copy.
func TestForkOfOthers(t *testing.T) {
	t.Parallel()
	path := sessionText(t, v1)
	s := openPath(t, path, ReadWrite)
	r := openPath(t, path, ReadOnly)
	d := NewDir(filepath.Join(t.TempDir(), "sessions"))
	c, err := Copy(t.Context(), r, d, Header{Cwd: "/new"}, Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	if diff := cmp.Diff(seen(t, s), seen(t, c)); diff != "" {
		t.Errorf("(-source +copy):\n%s", diff)
	}
	if h := c.Header(); h.Parent != path || h.Version != 3 || h.Cwd != "/new" {
		t.Errorf("header %+v", h)
	}
	text := readFile(t, c.Path())
	for l := range strings.SplitSeq(strings.TrimSpace(text), "\n") {
		if stub := StubOf([]byte(l)); stub.Fault != "" || stub.ID == "" {
			t.Errorf("%s in %s", stub.Fault, l)
		}
	}
	if readFile(t, path) != v1 {
		t.Error("the source was changed")
	}
}

func TestIDs(t *testing.T) {
	t.Parallel()
	var g IDs
	now := time.UnixMilli(1795978917875)
	last := ""
	for i := range 10000 {
		id := g.Next(now.Add(-time.Duration(i%3) * time.Millisecond)) // also when the clock goes back
		if id <= last {
			t.Fatalf("%s after %s", id, last)
		}
		last = id
		if len(id) != 36 || id[14] != '7' || !strings.ContainsRune("89ab", rune(id[19])) || CheckID(id) != nil {
			t.Fatalf("%s is no UUID of version 7", id)
		}
	}
	if got := g.Next(now.Add(time.Hour)); !strings.HasPrefix(got, fmt.Sprintf("%012x", now.Add(time.Hour).UnixMilli())[:8]+"-") {
		t.Errorf("%s does not begin with the time", got)
	}
}

func TestEntryIDs(t *testing.T) {
	t.Parallel()
	if id := newEntryID(func(string) bool { return false }); len(id) != 8 {
		t.Errorf("%q", id)
	}
	if id := newEntryID(func(string) bool { return true }); len(id) != 36 || id[14] != '4' {
		t.Errorf("%q, want a whole UUID when short ids are taken", id)
	}
}

func TestFileName(t *testing.T) {
	t.Parallel()
	h := Header{ID: "01a228af-77f3-70a9-afd8-2e55eba5a4b3", Time: time.Date(2026, 11, 29, 20, 1, 57, 875e6, time.FixedZone("", 3600))}
	if got, want := h.FileName(), "2026-11-29T19-01-57-875Z_01a228af-77f3-70a9-afd8-2e55eba5a4b3.jsonl"; got != want {
		t.Errorf("%s, want %s", got, want)
	}
}

func TestStatsAgree(t *testing.T) {
	t.Parallel()
	s := stored(t)
	ctx := t.Context()
	put := func(e Entry) {
		t.Helper()
		if _, err := s.Append(ctx, e); err != nil {
			t.Fatal(err)
		}
	}
	usage := ai.Usage{Input: 100, Output: 10, CacheRead: 5, CacheWrite: 1, Total: 116, Cost: ai.Cost{Input: 0.5, Total: 0.5}}
	answer := func(model, response string) *MessageEntry {
		return &MessageEntry{Message: &ai.AssistantMessage{
			Provider: "p", Model: model, ResponseModel: response, Usage: usage, StopReason: ai.StopToolUse,
			Content: []ai.Block{&ai.ToolCall{ID: "1", Name: "t"}, &ai.Text{Text: "x"}, &ai.ToolCall{ID: "2", Name: "t"}},
		}}
	}
	if _, err := s.Stats(ctx); err != nil { // from here on it is kept in step
		t.Fatal(err)
	}
	put(&MessageEntry{Message: ai.UserText("u")})
	put(answer("m2", ""))
	put(answer("m1", ""))
	put(answer("m1", "real"))
	put(&MessageEntry{Message: &ai.ToolResultMessage{Usage: &usage}})
	put(&MessageEntry{Message: &ai.SystemMessage{}})
	put(&CompactionEntry{Summary: "s", Usage: &usage})
	put(&BranchSummaryEntry{Summary: "s", FromID: "root", Usage: &usage})
	put(&UsageEntry{Kind: "k", Provider: "p", Model: "m1", Usage: usage})
	if err := s.MoveTo(ctx, ""); err != nil {
		t.Fatal(err)
	}
	kept, err := s.Stats(ctx)
	if err != nil {
		t.Fatal(err)
	}
	s.stats = nil
	s.keepDecoded(selection{})
	scanned, err := s.Stats(ctx)
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(kept, scanned); d != "" {
		t.Errorf("counted while appending and from the stored text (-appending +stored):\n%s", d)
	}
	times := func(n int64) ai.Usage {
		return ai.Usage{Input: 100 * n, Output: 10 * n, CacheRead: 5 * n, CacheWrite: n, Total: 116 * n, Cost: ai.Cost{Input: 0.5 * float64(n), Total: 0.5 * float64(n)}}
	}
	want := Stats{
		Messages: 6, UserMessages: 1, AssistantMessages: 3, ToolResults: 1, ToolCalls: 6, Usage: times(7), Other: times(3),
		Models: []ModelUsage{{"p", "m1", 2, times(2)}, {"p", "m2", 1, times(1)}, {"p", "real", 1, times(1)}},
	}
	if d := cmp.Diff(want, kept); d != "" {
		t.Errorf("(-want +got):\n%s", d)
	}
}

// Several processes that are told to use the same new id at once must not make
// a session each.
func TestOneIDOneSession(t *testing.T) {
	t.Parallel()
	path := t.TempDir()
	var made []Storage
	for range 3 { // as three processes: all find the id free
		s, err := NewDir(path).Create(t.Context(), Header{ID: "same"}, nil)
		if err != nil {
			t.Fatal(err)
		}
		defer s.Close()
		made = append(made, s)
	}
	for i, s := range made {
		stub := Stub{ID: "a", Type: TypeMessage, Role: "user"}
		_, err := s.Append(t.Context(), stub, []byte(`{"type":"message","id":"a","parentId":null,"message":{"role":"user","content":"hi"}}`))
		if (i == 0) != (err == nil) || i > 0 && !errors.Is(err, ErrTaken) {
			t.Errorf("session %d: %v", i, err)
		}
	}
	entries, err := os.ReadDir(path)
	if err != nil || len(entries) != 2 { // the session and its lock
		t.Errorf("%v, %v", entries, err)
	}
}
