package session

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

const (
	v1 = `{"type":"session","id":"old","timestamp":"2025-01-02T03:04:05.678Z","cwd":"/p","provider":"x","modelId":"y","thinkingLevel":"low"}
{"type":"message","timestamp":"2025-01-02T03:04:06.678Z","message":{"role":"user","content":"one"}}
not JSON at all
{"type":"message","timestamp":"2025-01-02T03:04:07.678Z","message":{"role":"assistant","content":[{"type":"text","text":"two"}],"provider":"x","model":"y","usage":{}},"later":true}
{"type":"compaction","timestamp":"2025-01-02T03:04:08.678Z","summary":"sum","firstKeptEntryIndex":2,"tokensBefore":9}
{"type":"message","timestamp":"2025-01-02T03:04:09.678Z","message":{"role":"hookMessage","customType":"h","content":"hook","display":true,"timestamp":1}}
`
	v2 = `{"type":"session","version":2,"id":"old","timestamp":"2025-01-02T03:04:05.678Z","cwd":"/p"}
{"type":"message","id":"a","parentId":null,"timestamp":"2025-01-02T03:04:06.678Z","message":{"role":"user","content":"one"}}
{"type":"message","id":"b","parentId":"a","timestamp":"2025-01-02T03:04:09.678Z","message":{"role":"hookMessage","customType":"h","content":"hook","display":true,"timestamp":1}}
`
	// What another program makes of a copy of an old file: entries without
	// ids under a new header, and entries with ids behind them.
	halfCopied = `{"type":"session","version":3,"id":"old","timestamp":"2025-01-02T03:04:05.678Z","cwd":"/p"}
{"type":"message","timestamp":"2025-01-02T03:04:06.678Z","message":{"role":"user","content":"one"}}
{"type":"message","timestamp":"2025-01-02T03:04:07.678Z","message":{"role":"user","content":"two"}}
{"type":"message","id":"c","timestamp":"2025-01-02T03:04:08.678Z","message":{"role":"user","content":"three"}}
`
)

func TestMigration(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name, text, backup string
		want               []string
	}{
		{"version 1", v1, ".v1.bak", []string{"compactionSummary sum", "assistant two", "custom hook"}},
		{"version 2", v2, ".v2.bak", []string{"user one", "custom hook"}},
		{"entries without ids", halfCopied, ".v3.bak", []string{"user one", "user two", "user three"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			path := sessionText(t, tt.text)
			if err := os.Chmod(path, 0o640); err != nil {
				t.Fatal(err)
			}
			r := openPath(t, path, ReadOnly)
			if d := cmp.Diff(tt.want, seen(t, r)); d != "" {
				t.Errorf("for reading (-want +got):\n%s", d)
			}
			s := openPath(t, path, ReadWrite)
			if d := cmp.Diff(tt.want, seen(t, s)); d != "" {
				t.Errorf("(-want +got):\n%s", d)
			}
			if got := s.Header(); got.Version != 3 || got.ID != "old" || got.Cwd != "/p" {
				t.Errorf("header %+v", got)
			}
			ids := stubIDs(s)
			if readFile(t, path) != tt.text {
				t.Error("opening changed the file")
			}
			say(t, s, "new")
			say(t, s, "newer")
			ids = append(ids, stubIDs(s)[len(ids):]...)
			if got := readFile(t, path+tt.backup); got != tt.text {
				t.Errorf("the copy kept beside it:\n%s", got)
			}
			if err := s.Close(); err != nil {
				t.Fatal(err)
			}
			if got := names(t, filepath.Dir(path)); len(got) != 2 {
				t.Errorf("files %v", got)
			}
			if info, err := os.Stat(path); err != nil || info.Mode().Perm() != 0o640 {
				t.Errorf("mode %v, %v", info.Mode(), err)
			}
			s = openPath(t, path, ReadWrite)
			if d := cmp.Diff(append(tt.want[:len(tt.want):len(tt.want)], "user new", "user newer"), seen(t, s)); d != "" {
				t.Errorf("opened again (-want +got):\n%s", d)
			}
			if d := cmp.Diff(ids, stubIDs(s)); d != "" {
				t.Errorf("ids changed:\n%s", d)
			}
			if f := s.st.(*File); f.old != nil || f.image != nil {
				t.Error("the file is still old")
			}
			if strings.Contains(readFile(t, path), "hookMessage") || strings.Contains(readFile(t, path), "firstKeptEntryIndex") {
				t.Errorf("file:\n%s", readFile(t, path))
			}
		})
	}
}

func stubIDs(s *Session) []string {
	var out []string
	for _, st := range s.Stubs() {
		out = append(out, st.ID)
	}
	return out
}

func TestMigrationKeepsWhatItDoesNotKnow(t *testing.T) {
	t.Parallel()
	path := sessionText(t, v1)
	s := openPath(t, path, ReadWrite)
	say(t, s, "new")
	text := readFile(t, path)
	for _, want := range []string{"\nnot JSON at all\n", `"later":true`, `"provider":"x","modelId":"y","thinkingLevel":"low"`} {
		if !strings.Contains(text, want) {
			t.Errorf("%q is lost in\n%s", want, text)
		}
	}
	if s.Skipped() != 1 {
		t.Errorf("%d skipped", s.Skipped())
	}
}

// Two copies never collide.
func TestMigrationKeepsEveryCopy(t *testing.T) {
	t.Parallel()
	path := sessionText(t, v2)
	if err := os.WriteFile(path+".v2.bak", []byte("older"), 0o600); err != nil {
		t.Fatal(err)
	}
	say(t, openPath(t, path, ReadWrite), "new")
	if readFile(t, path+".v2.bak") != "older" || readFile(t, path+".v2.2.bak") != v2 {
		t.Errorf("files %v", names(t, filepath.Dir(path)))
	}
}

func TestMigrationThroughALink(t *testing.T) {
	t.Parallel()
	path := sessionText(t, v2)
	link := filepath.Join(t.TempDir(), "link.jsonl")
	if err := os.Symlink(path, link); err != nil {
		t.Skip("no symbolic links here:", err)
	}
	s := openPath(t, link, ReadWrite)
	say(t, s, "new")
	say(t, s, "newer")
	if readFile(t, path+".v2.bak") != v2 || !strings.Contains(readFile(t, path), "newer") {
		t.Errorf("files %v, %v", names(t, filepath.Dir(path)), names(t, filepath.Dir(link)))
	}
	if info, err := os.Lstat(link); err != nil || info.Mode().IsRegular() {
		t.Errorf("the link is gone: %v, %v", info.Mode(), err)
	}
}

func TestMigrationOfAChangedFile(t *testing.T) {
	t.Parallel()
	path := sessionText(t, v2)
	s := openPath(t, path, ReadWrite)
	if err := os.WriteFile(path, []byte(v2+userLine("x", "b", "x")+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := s.AppendMessage(t.Context(), &note{Kind: "note"}); err == nil || !strings.Contains(err.Error(), "another program") {
		t.Errorf("the other program's entry would be lost: %v", err)
	}
}

func TestNewerVersionIsRead(t *testing.T) {
	t.Parallel()
	path := sessionText(t, lines(strings.Replace(headerLine, `"version":3`, `"version":9`, 1), userLine("a", "", "a")))
	s := openPath(t, path, ReadWrite)
	say(t, s, "b")
	if len(seen(t, s)) != 2 || s.Header().Version != 9 || len(names(t, filepath.Dir(path))) != 2 {
		t.Errorf("version %d, files %v", s.Header().Version, names(t, filepath.Dir(path)))
	}
}

func FuzzMigrate(f *testing.F) {
	f.Add([]byte(v1))
	f.Add([]byte(v2))
	f.Add([]byte(halfCopied))
	f.Fuzz(func(t *testing.T, text []byte) {
		out, _, err := migrate(text, Header{Version: 1, ID: "x"})
		if err != nil {
			return
		}
		c, unnamed, err := lookThrough(t.Context(), out)
		if err == nil && unnamed {
			t.Fatalf("entries without ids in\n%s", out)
		}
		if before, _, err := lookThrough(t.Context(), text); err == nil && len(c.entries) < len(before.entries) {
			t.Fatalf("%d entries before, %d after:\n%q\n%q", len(before.entries), len(c.entries), text, out)
		}
	})
}
