package sessiondir

import (
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/pi-go/pi/ai/auth"
)

func TestName(t *testing.T) {
	cases := map[string]string{
		"/project/a":                   "--project-a--",
		"/home/me/My Proj:x/sub.dir":   "--home-me-My Proj-x-sub.dir--",
		`C:\work\x`:                    "--C--work-x--",
		"/":                            "----",
		"/" + strings.Repeat("é/", 10): "--" + strings.Repeat("é-", 10) + "--",
	}
	for cwd, want := range cases {
		if got := Name(cwd); got != want {
			t.Errorf("Name(%q) = %q, want %q", cwd, got, want)
		}
	}
}

func TestNameOfALongPathFitsAndDiffers(t *testing.T) {
	a := Name("/" + strings.Repeat("é/", 300) + "end")
	b := Name("/x" + strings.Repeat("é/", 300) + "end")
	for _, n := range []string{a, b} {
		if len(n) > maxName || !utf8.ValidString(n) || !strings.HasSuffix(n, "end--") {
			t.Errorf("%d bytes: %q", len(n), n)
		}
	}
	if a == b {
		t.Error("two long paths share a name")
	}
}

func TestResolve(t *testing.T) {
	env := func(vars map[string]string) auth.Environment {
		return func(name string) string { return vars[name] }
	}
	over := env(map[string]string{EnvSessionDir: "~/s"})
	cases := []struct {
		name, flag, setting string
		env                 auth.Environment
		want                string
	}{
		{"default", "", "", nil, "/agent/sessions/--w--"},
		{"flag first", "here", "set", over, "/w/here"},
		{"then the variable", "", "set", over, "/home/me/s"},
		{"then the setting", "", "set", nil, "/w/set"},
	}
	for _, c := range cases {
		if got := Resolve(c.flag, c.env, c.setting, "/agent", "/w", "/home/me"); filepath.ToSlash(got.Dir) != c.want {
			t.Errorf("%s: %q, want %q", c.name, got.Dir, c.want)
		}
	}
	if got := AgentDir(env(map[string]string{EnvAgentDir: "~"}), "/home/me"); got != "/home/me" {
		t.Errorf("agent dir %q", got)
	}
}
