package migrate

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/pi-go/pi/agentcore/session"
)

// tree is an agent directory with files.
type tree struct {
	t   *testing.T
	dir string
}

func newTree(t *testing.T, files map[string]string) tree {
	t.Helper()
	d := tree{t, t.TempDir()}
	for name, text := range files {
		d.put(name, text)
	}
	return d
}

func (d tree) path(name string) string { return filepath.Join(d.dir, name) }

func (d tree) put(name, text string) {
	d.t.Helper()
	if err := errors.Join(os.MkdirAll(filepath.Dir(d.path(name)), 0o755), os.WriteFile(d.path(name), []byte(text), 0o644)); err != nil {
		d.t.Fatal(err)
	}
}

// all gives every file with its text.
func (d tree) all() map[string]string {
	d.t.Helper()
	out := map[string]string{}
	err := filepath.WalkDir(d.dir, func(path string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			return err
		}
		data, err := os.ReadFile(path)
		name, _ := filepath.Rel(d.dir, path)
		out[filepath.ToSlash(name)] = string(data)
		return err
	})
	if err != nil {
		d.t.Fatal(err)
	}
	return out
}

// want runs the migration twice, which must be the same as once, and compares all
// files.
func (d tree) want(files map[string]string, notes ...string) {
	d.t.Helper()
	got := Agent(d.t.Context(), d.dir)
	for _, n := range notes {
		if !slices.ContainsFunc(got, func(g Note) bool { return strings.Contains(g.Text, n) }) {
			d.t.Errorf("no note says %q: %v", n, got)
		}
	}
	if len(got) != len(notes) {
		d.t.Errorf("notes %v, want %d", got, len(notes))
	}
	for range 2 {
		have := d.all()
		for name, text := range files {
			if have[name] != text {
				d.t.Errorf("%s is\n%s\nwant\n%s", name, have[name], text)
			}
			delete(have, name)
		}
		for name := range have {
			d.t.Errorf("there is %s", name)
		}
		Agent(d.t.Context(), d.dir)
	}
}

const oldLogins = `{"anthropic":{"access":"a","refresh":"r","expires":5,"mine":[1]},"github-copilot":{"type":"oauth","refresh":"g","access":"b","expires":7}}`

func TestCredentials(t *testing.T) {
	t.Run("sign-ins and keys", func(t *testing.T) {
		d := newTree(t, map[string]string{
			"oauth.json": oldLogins, "settings.json": "{\n  \"theme\": \"dark\",\n  \"apiKeys\": {\"groq\": \"gsk\", \"anthropic\": \"sk\", \"bad\": 5}\n}\n",
		})
		d.want(map[string]string{
			"oauth.json.migrated": oldLogins,
			"settings.json":       "{\n  \"theme\": \"dark\"\n}\n",
			"auth.json": `{
  "anthropic": {
    "access": "a",
    "refresh": "r",
    "expires": 5,
    "mine": [
      1
    ],
    "type": "oauth"
  },
  "github-copilot": {
    "type": "oauth",
    "refresh": "g",
    "access": "b",
    "expires": 7
  },
  "groq": {
    "key": "gsk",
    "type": "api_key"
  }
}`,
		}, "oauth.json.migrated", "settings.json")
		if info, err := os.Stat(d.path("auth.json")); err != nil || info.Mode().Perm() != 0o600 {
			t.Errorf("mode %v, %v", info.Mode(), err)
		}
	})
	t.Run("there is an auth.json", func(t *testing.T) {
		files := map[string]string{"oauth.json": oldLogins, "settings.json": `{"apiKeys":{"groq":"gsk"}}`, "auth.json": "{}"}
		newTree(t, files).want(files)
	})
	t.Run("an oauth.json that is broken", func(t *testing.T) {
		files := map[string]string{"oauth.json": `{"anthropic":{"access":`}
		newTree(t, files).want(files, "oauth.json are not used")
	})
	t.Run("settings that are broken", func(t *testing.T) {
		files := map[string]string{"settings.json": `{"apiKeys":{`}
		newTree(t, files).want(files)
	})
	t.Run("an older copy is there", func(t *testing.T) {
		d := newTree(t, map[string]string{"oauth.json": oldLogins, "oauth.json.migrated": "older"})
		notes := Agent(t.Context(), d.dir)
		if got := d.all(); got["oauth.json"] != oldLogins || got["oauth.json.migrated"] != "older" || !strings.Contains(got["auth.json"], `"a"`) {
			t.Errorf("files %v", got)
		}
		if len(notes) != 1 || !notes[0].Failed {
			t.Errorf("notes %v", notes)
		}
	})
}

func TestCommands(t *testing.T) {
	newTree(t, map[string]string{"commands/a.md": "A"}).want(map[string]string{"prompts/a.md": "A"}, "prompts now")
	both := map[string]string{"commands/a.md": "A", "prompts/b.md": "B"}
	newTree(t, both).want(both)
	file := map[string]string{"commands": "no directory"}
	newTree(t, file).want(file)
	old := map[string]string{"hooks/pre.ts": "x", "tools/fd": "binary", "tools/mine.ts": "x"}
	newTree(t, old).want(old, "hooks have become extensions", "tools of one's own")
	downloaded := map[string]string{"tools/fd": "binary", "tools/rg": "binary"}
	newTree(t, downloaded).want(downloaded)
}

const looseSession = `{"type":"session","version":3,"id":"abc","timestamp":"2026-01-02T03:04:05.678Z","cwd":"/home/me/work"}
{"type":"message","id":"00000001","parentId":null,"timestamp":"2026-01-02T03:04:05.678Z","message":{"role":"user","content":"hi","timestamp":1767323045678}}
`

func TestSessions(t *testing.T) {
	newTree(t, map[string]string{"2026_abc.jsonl": looseSession, "notes.jsonl": "{\"no\":\"session\"}\n"}).want(map[string]string{
		"sessions/--home-me-work--/2026_abc.jsonl": looseSession, "notes.jsonl": "{\"no\":\"session\"}\n",
	}, "1 sessions are in")
	taken := map[string]string{"2026_abc.jsonl": looseSession, "sessions/--home-me-work--/2026_abc.jsonl": "another\n"}
	newTree(t, taken).want(taken, "stays where it is")
}

// A session that somebody writes is left to him.
func TestSessionInUse(t *testing.T) {
	d := newTree(t, map[string]string{"2026_abc.jsonl": looseSession})
	f, err := session.OpenFile(t.Context(), d.path("2026_abc.jsonl"), session.ReadWrite, session.Header{})
	if err != nil {
		t.Fatal(err)
	}
	if notes := Agent(t.Context(), d.dir); len(notes) > 0 {
		t.Errorf("notes %v", notes)
	}
	if _, err := os.Stat(d.path("2026_abc.jsonl")); err != nil {
		t.Errorf("it was moved: %v", err)
	}
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
	if notes := Agent(t.Context(), d.dir); len(notes) != 1 {
		t.Errorf("afterwards: %v", notes)
	}
}

// Where nothing may be written, that is said and nothing is lost.
func TestReadOnly(t *testing.T) {
	files := map[string]string{"oauth.json": oldLogins, "commands/a.md": "A", "2026_abc.jsonl": looseSession}
	d := newTree(t, files)
	if err := os.Chmod(d.dir, 0o555); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.Chmod(d.dir, 0o755) }) // so that it can be removed
	if f, err := os.Create(d.path("x")); err == nil {
		f.Close()
		t.Skip("this user may write everywhere")
	}
	notes := Agent(t.Context(), d.dir)
	if len(notes) != 3 {
		t.Errorf("notes %v", notes)
	}
	for _, n := range notes {
		if !n.Failed {
			t.Errorf("%s", n)
		}
	}
	for name, text := range d.all() {
		if files[name] != text {
			t.Errorf("%s became %s", name, text)
		}
	}
}

// There is nothing to do without a directory.
func TestNothing(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "none")
	if notes := Agent(t.Context(), dir); len(notes) > 0 {
		t.Errorf("notes %v", notes)
	}
	if _, err := os.Stat(dir); err == nil {
		t.Error("it was made")
	}
}
