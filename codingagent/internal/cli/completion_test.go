package cli

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/pi-go/pi/ai/auth"
	"github.com/pi-go/pi/codingagent/sessiondir"
)

// completing gives a completer in a directory of its own.
func completing(t *testing.T) (*completer, string) {
	t.Helper()
	home := t.TempDir()
	dir := filepath.Join(home, "work")
	for name, text := range map[string]string{
		"work/notes.md": "x", "work/sub/deep.txt": "x", "work/.hidden": "x",
		".pi/agent/themes/mine.json": "{}",
		".pi/agent/models.json":      `{"providers":{"near":{"baseUrl":"http://127.0.0.1:1/v1","api":"openai-completions","apiKey":"k","models":[{"id":"a:free"},{"id":"b"}]}}}`,
	} {
		path := filepath.Join(home, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	session := filepath.Join(home, ".pi/agent/sessions", sessiondir.Name(dir), "2026-01-02T03-04-05-678Z_abc123.jsonl")
	lines := `{"type":"session","version":3,"id":"abc123","timestamp":"2026-01-02T03:04:05.678Z","cwd":` + strconv.Quote(dir) + `}
{"type":"message","id":"00000001","parentId":null,"timestamp":"2026-01-02T03:04:05.678Z","message":{"role":"user","content":"what is this?","timestamp":1767323045678}}
`
	if err := errors.Join(os.MkdirAll(filepath.Dir(session), 0o700), os.WriteFile(session, []byte(lines), 0o600)); err != nil {
		t.Fatal(err)
	}
	return newCompleter(t.Context(), &System{Dir: dir, Home: home, Env: auth.Environment(func(string) string { return "" })}), dir
}

func TestComplete(t *testing.T) {
	c, _ := completing(t)
	cases := []struct {
		name  string
		words []string
		want  string // the words, separated by blanks; … for more
		files bool
	}{
		{"subcommands", []string{"comp"}, "completion", true},
		{"no subcommand behind a message", []string{"hello", "comp"}, "", true},
		{"subcommand behind an option that may come first", []string{"--offline", "prom"}, "prompt", true},
		{"options", []string{"--no-s"}, "--no-session --no-skills", false},
		{"short options", []string{"-n"}, "-n -nt -nbt -nc -ns -np -ne -na", false},
		{"levels", []string{"--thinking", "m"}, "minimal medium max", false},
		{"levels joined", []string{"--thinking=x"}, "--thinking=xhigh", false},
		{"modes", []string{"--mode", ""}, "text json rpc", false},
		{"screens", []string{"--tui-mode", ""}, "fullscreen regular line", false},
		{"no subcommand behind an option of a conversation", []string{"--model", "near/b", "comp"}, "", true},
		{"models", []string{"--model", "near/"}, "near/a:free near/b", false},
		{"levels of a model", []string{"--model", "near/b:h"}, "near/b:high", false},
		{"a model's name with a colon", []string{"--model", "near/a:f"}, "near/a:free", false},
		{"another model of a list", []string{"--models", "near/a:free,near/b:h"}, "near/a:free,near/b:high", false},
		{"models to list", []string{"--list-models", "near/b"}, "near/b", false},
		{"tools", []string{"-t", "read,w"}, "read,write", false},
		{"tools to add", []string{"--tools", "+gr"}, "+grep", false},
		{"tools to leave out", []string{"--exclude-tools=l"}, "--exclude-tools=ls", false},
		{"themes", []string{"--use-theme", ""}, "system dark light mine", false},
		{"files of options", []string{"--skill", "x"}, "", true},
		{"nothing for a name", []string{"--name", "x"}, "", false},
		{"an option without value", []string{"--print=x"}, "", false},
		{"files in a prompt", []string{"-p", "@n"}, "@notes.md", false},
		{"directories in a prompt", []string{"@s"}, "@sub/", false},
		{"deeper files in a prompt", []string{"@sub/"}, "@sub/deep.txt", false},
		{"everything behind -- is a message", []string{"--", "--mo"}, "", true},
		{"actions", []string{"sessions", "s"}, "show search", false},
		{"actions behind options", []string{"sessions", "--session-dir", "x", "ch"}, "check", false},
		{"options of a subcommand", []string{"prompt", "show", "--j"}, "--json", false},
		{"options of another one", []string{"config", "--min"}, "", false},
		{"options of packages", []string{"update", "--ext"}, "--extensions --extension", false},
		{"actions of config", []string{"config", "en"}, "enable", false},
		{"topics", []string{"docs", "key"}, "keybindings", false},
		{"settings", []string{"config", "explain", "retry.provider.max"}, "retry.provider.maxRetries retry.provider.maxRetryDelayMs", false},
		{"sessions", []string{"--session", "ab"}, "abc123", true},
		{"sessions to show", []string{"sessions", "show", ""}, "abc123", true},
		{"shells", []string{"completion", ""}, "bash zsh fish powershell", false},
	}
	for _, k := range cases {
		t.Run(k.name, func(t *testing.T) {
			got := c.complete(k.words)
			var words []string
			for _, x := range got.list {
				words = append(words, x.word)
			}
			if strings.Join(words, " ") != k.want || got.files != k.files {
				t.Errorf("complete(%q) = %q, files %v", k.words, words, got.files)
			}
		})
	}
	if got := c.complete([]string{"@sub"}); !got.open {
		t.Error("a directory is not left open")
	}
}

// Every option with a value can be completed, or is known to have nothing that
// could be.
func TestEveryOptionIsConsidered(t *testing.T) {
	c, _ := completing(t)
	free := []string{ // texts that only the person knows
		"api-key", "name", "min-expiry", "url", "env", "header", "description", "bearer-token-env-var",
		"oauth-client-id", "oauth-client-secret", "oauth-client-name", "oauth-callback-port",
	}
	all := options()
	for _, s := range subcommands() {
		all = append(all, s.options...)
	}
	for _, o := range all {
		if o.value == nil || slices.Contains(free, o.long) {
			continue
		}
		if got := c.values(o, ""); len(got.list) == 0 && !got.files {
			t.Errorf("--%s %s has no completion", o.long, o.arg)
		}
	}
}

func TestCandidatesAreLines(t *testing.T) {
	var b bytes.Buffer
	if err := writeCandidates(&b, candidates{list: []candidate{{"a\nb", "of\ntwo\tlines"}, {"c", ""}}, files: true, open: true}); err != nil {
		t.Fatal(err)
	}
	if want := "ab\tof two lines\nc\n:open\n:files\n"; b.String() != want {
		t.Errorf("wrote %q, want %q", b.String(), want)
	}
}
