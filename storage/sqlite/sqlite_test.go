package sqlite_test

import (
	"bufio"
	"bytes"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/pi-go/pi/agentcore/session"
	"github.com/pi-go/pi/agentcore/session/sessiontest"
	"github.com/pi-go/pi/ai"
	"github.com/pi-go/pi/storage/sqlite"
)

// crashPath makes the test binary run as a writer that is to be killed.
const crashPath = "SQLITE_TEST_CRASH_PATH"

func TestMain(m *testing.M) {
	if path := os.Getenv(crashPath); path != "" {
		if err := writeUntilKilled(path); err != nil {
			fmt.Println("error", err)
			os.Exit(1)
		}
		return
	}
	os.Exit(m.Run())
}

func create(t testing.TB, r session.Repo, h session.Header) *session.Session {
	t.Helper()
	s, err := session.Create(t.Context(), r, h, session.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	return s
}

func add(t testing.TB, s *session.Session, e session.Entry) string {
	t.Helper()
	id, err := s.Append(t.Context(), e)
	if err != nil {
		t.Fatal(err)
	}
	return id
}

func TestNothingIsStoredBeforeTheConversation(t *testing.T) {
	t.Parallel()
	r := open(t, filepath.Join(t.TempDir(), "sessions.db"))
	s := create(t, r, session.Header{})
	add(t, s, &session.ModelEntry{Provider: "p", ModelID: "m"})
	if _, err := r.Open(t.Context(), s.ID(), session.ReadOnly); !errors.Is(err, session.ErrNotFound) || s.Ref() != "" {
		t.Errorf("stored already: %v, %q", err, s.Ref())
	}
	add(t, s, sessiontest.User("hello"))
	o, err := session.Open(t.Context(), r, s.ID(), session.Options{Mode: session.ReadOnly})
	if err != nil {
		t.Fatal(err)
	}
	defer o.Close()
	if o.Len() != 2 || s.Ref() != s.ID() {
		t.Errorf("%d entries, ref %q", o.Len(), s.Ref())
	}
}

func TestOddPaths(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"a b.db", "50%.db", "what?.db", "c#.db", "ä&x=1.db"} {
		path := filepath.Join(t.TempDir(), "new dir", name)
		r := open(t, path)
		add(t, create(t, r, session.Header{}), sessiontest.User("x"))
		if info, err := os.Stat(path); err != nil || info.Mode().Perm() != 0o600 {
			t.Errorf("%s: %v, %v", name, info, err)
		}
	}
}

// Many open a new database at the same moment.
func TestOpenAtOnce(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "sessions.db")
	var all sync.WaitGroup
	for range 8 {
		all.Go(func() {
			r, err := sqlite.Open(t.Context(), path, sqlite.Options{})
			if err != nil {
				t.Error(err)
				return
			}
			defer r.Close()
			s, err := session.Create(t.Context(), r, session.Header{}, session.Options{})
			if err != nil {
				t.Error(err)
				return
			}
			defer s.Close()
			if _, err := s.Append(t.Context(), sessiontest.User("x")); err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
	n := 0
	for range open(t, path).List(t.Context(), session.ListOptions{}) {
		n++
	}
	if n != 8 {
		t.Errorf("%d sessions, want 8", n)
	}
}

// Readers see whole states while writers write, and nobody waits in vain.
func TestReadersBesideWriters(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "sessions.db")
	writers, readers := sync.WaitGroup{}, sync.WaitGroup{}
	ids := make(chan string, 2)
	done := make(chan struct{})
	for w := range 2 {
		r := open(t, path)
		s := create(t, r, session.Header{})
		add(t, s, sessiontest.User("0"))
		ids <- s.ID()
		writers.Go(func() {
			for i := range 100 {
				if _, err := s.Append(t.Context(), sessiontest.User(strconv.Itoa(i+1))); err != nil {
					t.Errorf("writer %d: %v", w, err)
				}
				if i%10 == 0 {
					if err := s.Sync(t.Context()); err != nil {
						t.Error(err)
					}
				}
			}
		})
	}
	for range 2 {
		id := <-ids
		r := open(t, path) // another process would not differ
		readers.Go(func() {
			s, err := session.Open(t.Context(), r, id, session.Options{Mode: session.ReadOnly})
			if err != nil {
				t.Error(err)
				return
			}
			defer s.Close()
			for last := false; ; {
				if _, err := s.Refresh(t.Context()); err != nil {
					t.Error(err)
					return
				}
				n := s.Len()
				c, err := s.Context(t.Context())
				if err != nil || len(c.Messages) != n {
					t.Errorf("%d messages of %d, %v", len(c.Messages), n, err)
					return
				}
				for i, m := range c.Messages {
					if got := ai.TextOf(m.(*ai.UserMessage).Content, ""); got != strconv.Itoa(i) {
						t.Errorf("message %d is %q", i, got)
						return
					}
				}
				if last {
					if n != 101 {
						t.Errorf("%d entries at the end", n)
					}
					return
				}
				select {
				case <-done:
					last = true
				default:
				}
			}
		})
	}
	writers.Wait()
	close(done)
	readers.Wait()
}

func TestSearch(t *testing.T) {
	t.Parallel()
	r := open(t, filepath.Join(t.TempDir(), "sessions.db"))
	one := create(t, r, session.Header{ID: "one"})
	add(t, one, sessiontest.User("Where is the café?"))
	answer := add(t, one, sessiontest.Assistant("The parser of streams is in the cellar."))
	add(t, one, &session.InfoEntry{Name: "places"})
	two := create(t, r, session.Header{ID: "two"})
	add(t, two, sessiontest.User("streams of water, and a parser; "+strings.Repeat("filler ", 100)))
	add(t, two, &session.CompactionEntry{Summary: "Water was discussed."})
	find := func(words string) (got []string) {
		t.Helper()
		for h, err := range r.Search(t.Context(), words, 0) {
			if err != nil {
				t.Fatal(err)
			}
			if h.Snippet == "" || len([]rune(h.Snippet)) > 160 {
				t.Errorf("snippet %q", h.Snippet)
			}
			got = append(got, h.Session+" "+string(h.Entry.Type))
		}
		return got
	}
	for words, want := range map[string][]string{
		"parser": {"one message", "two message"}, "PARSER streams": {"one message", "two message"}, `"parser of streams"`: {"one message"},
		"pars": {"one message", "two message"}, `"pars"`: nil, "cafe": {"one message"}, "places": {"one session_info"}, "discussed": {"two compaction"},
		"": nil, `"`: nil, "*": nil, "NOT (": nil, "parser NEAR nothing": nil, "col:parser -x": nil, "water discussed": {"two compaction"},
	} {
		if d := cmp.Diff(want, find(words)); d != "" {
			t.Errorf("%q (-want +got):\n%s", words, d)
		}
	}
	for h := range r.Search(t.Context(), "cellar", 1) {
		if h.Entry.ID != answer || h.Name != "places" || h.Snippet != "The parser of streams is in the cellar." {
			t.Errorf("%+v", h)
		}
	}
	two.Close()
	if err := r.Delete(t.Context(), "two"); err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff([]string{"one message"}, find("streams")); d != "" {
		t.Errorf("after deleting (-want +got):\n%s", d)
	}
}

// From a file to the database and back: the entries are the same, byte for
// byte, those included that nobody understands.
func TestFileAndBack(t *testing.T) {
	t.Parallel()
	text := strings.Join([]string{
		`{"type":"session","version":3,"id":"s1","timestamp":"2026-11-29T19:01:57.875Z","cwd":"/project","x":{"y":1}}`,
		`{ "id":"a", "type":"message","parentId":null,"timestamp":"2026-11-29T19:01:57.951Z","message":{"role":"user","content":"one","timestamp":5},"mood":1.0 }`,
		`{"type":"hologram","id":"h","parentId":"a"}`,
		`{"type":"message","id":"a","parentId":"h","timestamp":"2026-11-29T19:01:57.951Z","message":{"role":"user","content":"same id"}}`,
		`{"type":"message","id":"bad","parentId":"a","timestamp":"2026-11-29T19:01:57.951Z","message":{"role":"user","content":7}}`,
		`{"type":"message","id":"z","parentId":"missing","timestamp":"2026-11-29T19:01:57.951Z","message":{"role":"user","content":"lost"}}`,
	}, "\n") + "\n"
	dir := session.NewDir(t.TempDir())
	path := filepath.Join(dir.Path(), "s.jsonl")
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	file, err := session.Open(t.Context(), dir, path, session.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	r := open(t, filepath.Join(t.TempDir(), "sessions.db"))
	stored, err := session.Import(t.Context(), strings.NewReader(text), r, session.Header{}, session.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer stored.Close()
	copied, err := session.Copy(t.Context(), file, r, session.Header{}, session.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer copied.Close()
	back, err := session.Copy(t.Context(), stored, dir, session.Header{}, session.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer back.Close()
	_, entries, _ := strings.Cut(text, "\n")
	got, err := os.ReadFile(back.Path())
	if err != nil {
		t.Fatal(err)
	}
	if _, rest, _ := strings.Cut(string(got), "\n"); rest != entries {
		t.Errorf("back in a file:\n%s\nwant\n%s", rest, entries)
	}
	for _, s := range []*session.Session{stored, copied, back} {
		var a, b bytes.Buffer
		if err := errors.Join(file.Export(t.Context(), &a), s.Export(t.Context(), &b)); err != nil {
			t.Fatal(err)
		}
		_, want, _ := strings.Cut(a.String(), "\n")
		if _, got, _ := strings.Cut(b.String(), "\n"); got != want {
			t.Errorf("exported:\n%s\nwant\n%s", got, want)
		}
		if s.Leaf() != file.Leaf() || len(s.Problems()) != len(file.Problems()) {
			t.Errorf("leaf %q, problems %v; want %q, %v", s.Leaf(), s.Problems(), file.Leaf(), file.Problems())
		}
	}
	if h := stored.Header(); h.ID != "s1" || string(h.Extra["x"]) != `{"y":1}` || !h.Time.Equal(file.Header().Time) {
		t.Errorf("header %+v", h)
	}
}

// The list agrees with that of files about the same sessions.
func TestListAgreesWithFiles(t *testing.T) {
	t.Parallel()
	dir := session.NewDir(t.TempDir())
	r := open(t, filepath.Join(t.TempDir(), "sessions.db"))
	for i := range 3 {
		s := create(t, dir, session.Header{ID: fmt.Sprintf("s%d", i), Cwd: "/p"})
		first := ""
		for _, e := range append([]session.Entry{sessiontest.User("")}, sessiontest.All("")...) {
			switch e := e.(type) {
			case *session.LabelEntry:
				e.TargetID = first
			case *session.ContextEditEntry:
				continue
			}
			if id := add(t, s, e); first == "" {
				first = id
			}
		}
		c, err := session.Copy(t.Context(), s, r, session.Header{ID: s.ID(), Time: s.Header().Time, Parent: "x"}, session.Options{})
		if err != nil {
			t.Fatal(err)
		}
		c.Close()
		s.Close()
	}
	list := func(r session.Repo) map[string]session.Info {
		out := make(map[string]session.Info)
		for i, err := range r.List(t.Context(), session.ListOptions{Text: true}) {
			if err != nil {
				t.Fatal(err)
			}
			i.Ref, i.Parent, i.Size = "", "", 0
			out[i.ID] = i
		}
		return out
	}
	if d := cmp.Diff(list(dir), list(r)); d != "" {
		t.Errorf("(-files +database):\n%s", d)
	}
}

func TestForeignDatabases(t *testing.T) {
	t.Parallel()
	for name, sqlText := range map[string]string{
		"another program": "CREATE TABLE t (x)",
		"newer version":   "PRAGMA application_id = 1885959013; PRAGMA user_version = 99",
	} {
		path := filepath.Join(t.TempDir(), "x.db")
		db, err := sql.Open("sqlite", path)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := db.Exec(sqlText); err != nil {
			t.Fatal(err)
		}
		db.Close()
		if _, err := sqlite.Open(t.Context(), path, sqlite.Options{}); err == nil || !strings.Contains(err.Error(), name) {
			t.Errorf("%s: %v", name, err)
		}
	}
	path := filepath.Join(t.TempDir(), "x.db")
	if err := os.WriteFile(path, bytes.Repeat([]byte("not a database "), 1000), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := sqlite.Open(t.Context(), path, sqlite.Options{}); err == nil {
		t.Error("opened a text file")
	}
}

// writeUntilKilled appends entries and prints the id of each once it is
// stored.
func writeUntilKilled(path string) error {
	ctx := context.Background()
	r, err := sqlite.Open(ctx, path, sqlite.Options{})
	if err != nil {
		return err
	}
	s, err := session.Open(ctx, r, "crash", session.Options{})
	if errors.Is(err, session.ErrNotFound) {
		s, err = session.Create(ctx, r, session.Header{ID: "crash"}, session.Options{})
	}
	if err != nil {
		return err
	}
	for i := 0; ; i++ {
		size := rand.IntN(1 << rand.IntN(18))
		id, err := s.Append(ctx, sessiontest.User(strings.Repeat("x", size)))
		if err != nil {
			return err
		}
		fmt.Println("stored", id, size)
		if i%5 == 1 {
			s.StartSync()
		}
	}
}

// A writer is killed at random points: every entry that it reported as stored
// is there, and the next writer takes over at once.
func TestKilledWriterLosesNothing(t *testing.T) {
	if testing.Short() {
		t.Skip("starts processes")
	}
	t.Parallel()
	rounds := 30
	if n, err := strconv.Atoi(os.Getenv("SESSION_TEST_CRASH_ROUNDS")); err == nil {
		rounds = n
	}
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "sessions.db")
	stored := make(map[string]int)
	for round := range rounds {
		cmd := exec.Command(exe)
		cmd.Env = append(os.Environ(), crashPath+"="+path)
		out, err := cmd.StdoutPipe()
		if err != nil {
			t.Fatal(err)
		}
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		killed := make(chan struct{})
		stop := rand.IntN(40)
		n := 0
		for lines := bufio.NewScanner(out); lines.Scan(); n++ {
			if n == stop {
				time.AfterFunc(time.Duration(rand.IntN(3000))*time.Microsecond, func() {
					cmd.Process.Kill()
					close(killed)
				})
			}
			var what, id string
			var size int
			if _, err := fmt.Sscan(lines.Text(), &what, &id, &size); err != nil || what != "stored" {
				t.Fatalf("writer says: %s", lines.Text())
			}
			stored[id] = size
		}
		if n <= stop {
			t.Fatal("the writer ended by itself")
		}
		<-killed
		cmd.Wait()
		r, err := sqlite.Open(t.Context(), path, sqlite.Options{})
		if err != nil {
			t.Fatal(err)
		}
		s, err := session.Open(t.Context(), r, "crash", session.Options{})
		if err != nil {
			t.Fatalf("round %d: %v", round, err)
		}
		for id, size := range stored {
			e, err := s.Entry(t.Context(), id)
			if err != nil {
				t.Fatalf("round %d: %v", round, err)
			}
			if m := e.(*session.MessageEntry).Message.(*ai.UserMessage); len(ai.TextOf(m.Content, "")) != size {
				t.Fatalf("round %d: entry %s is not what was stored", round, id)
			}
		}
		if len(s.Problems()) > 0 {
			t.Fatalf("round %d: %v", round, s.Problems())
		}
		add(t, s, sessiontest.User("taken over"))
		if err := errors.Join(s.Close(), r.Close()); err != nil {
			t.Fatal(err)
		}
	}
	t.Logf("%d rounds, %d entries", rounds, len(stored))
}
