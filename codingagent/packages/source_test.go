package packages

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestParse(t *testing.T) {
	git := func(url, host, path, ref string) Source {
		return Source{Kind: Git, URL: url, Host: host, Path: path, Ref: ref}
	}
	cases := map[string]Source{
		"npm:foo":                               {Kind: NPM, Name: "foo"},
		"npm:@s/foo@^1.2":                       {Kind: NPM, Name: "@s/foo", Want: "^1.2"},
		" npm:foo@next ":                        {Kind: NPM, Name: "foo", Want: "next"},
		"git:github.com/u/r":                    git("https://github.com/u/r", "github.com", "u/r", ""),
		"git:github.com/u/r.git@v1.0":           git("https://github.com/u/r.git", "github.com", "u/r", "v1.0"),
		"git:u/r":                               git("https://github.com/u/r", "github.com", "u/r", ""),
		"git:u/r@main":                          git("https://github.com/u/r", "github.com", "u/r", "main"),
		"git:git@github.com:u/r":                git("git@github.com:u/r", "github.com", "u/r", ""),
		"git:git@github.com:u/r@v2":             git("git@github.com:u/r", "github.com", "u/r", "v2"),
		"git:github.com:u/r":                    git("github.com:u/r", "github.com", "u/r", ""),
		"https://GitHub.com/u/r/":               git("https://GitHub.com/u/r", "github.com", "u/r", ""),
		"https://gitlab.com/g/sub/r.git#v1":     git("https://gitlab.com/g/sub/r.git", "gitlab.com", "g/sub/r", "v1"),
		"https://user:pw@git.corp.example/u/r":  git("https://user:pw@git.corp.example/u/r", "git.corp.example", "u/r", ""),
		"ssh://git@git.corp.example:2222/u/r@b": git("ssh://git@git.corp.example:2222/u/r", "git.corp.example", "u/r", "b"),
		"git://git.example.org/a/b":             git("git://git.example.org/a/b", "git.example.org", "a/b", ""),
		"git:http://127.0.0.1:81/a/b":           git("http://127.0.0.1:81/a/b", "127.0.0.1", "a/b", ""),
		"git:localhost/a/b":                     git("https://localhost/a/b", "localhost", "a/b", ""),
		"./x":                                   {Kind: Local, File: "./x"},
		"/abs/x.ts":                             {Kind: Local, File: "/abs/x.ts"},
		"~/x":                                   {Kind: Local, File: "~/x"},
		"x":                                     {Kind: Local, File: "x"},
		"file:x":                                {Kind: Local, File: "x"},
		"file:///a%20b":                         {Kind: Local, File: "/a b"},
		`C:\x`:                                  {Kind: Local, File: `C:\x`},
		"./github:u/r":                          {Kind: Local, File: "./github:u/r"},
	}
	for in, want := range cases {
		got, err := Parse(in)
		want.Text = strings.TrimSpace(in)
		if d := cmp.Diff(want, got); err != nil || d != "" {
			t.Errorf("Parse(%q): %v (-want +got)\n%s", in, err, d)
		}
	}
	for in, text := range map[string]string{
		"":                                    "empty",
		"npm:":                                "not the name of an npm package",
		"npm:foo@":                            "must follow",
		"npm:../x":                            "not the name",
		"github:u/r":                          "write git:github.com/u/r, or ./github:u/r",
		"gitlab:u/r":                          "write git:gitlab.com/u/r",
		"git@github.com:u/r":                  "write git:git@github.com:u/r",
		"git+https://github.com/u/r":          "write git:https://github.com/u/r",
		"NPM:foo":                             "write npm:foo",
		"git:r":                               "a host and a path are needed",
		"git:":                                "a host and a path are needed",
		"git:github.com/u":                    "at least two parts",
		"git:github.com/u/../r":               "can not be a part",
		"git:github.com/u/.git/r":             "can not be a part",
		"git:evil.com/--upload-pack=x/r":      "can not be a part",
		"git:-oProxyCommand=x:a/b":            "not the name of a host",
		"git:ssh://-oProxyCommand=x/a/b":      "",
		"git:file:///etc/x":                   "by its path: /etc/x",
		"git:ext::sh -c touch% /x/y":          "",
		"git:github.com/u/r@":                 "must follow",
		"git:github.com/u/r@--x":              "not a branch",
		"git:github.com/u/r@a..b":             "not a branch",
		"https://github.com/u/r/tree/main":    "write git:github.com/u/r@main",
		"https://github.com/u/r/commit/abc12": "write git:github.com/u/r@abc12",
		"https://host/u/r":                    "no dot",
		"https://[::1]/u/r":                   "IPv6",
		"npm:foo\nbar":                        "control characters",
	} {
		if s, err := Parse(in); err == nil || !strings.Contains(err.Error(), text) {
			t.Errorf("Parse(%q) = %+v, %v; want %q", in, s, err, text)
		}
	}
}

func TestIdentity(t *testing.T) {
	same := [][]string{
		{"npm:a", "npm:a@1", "npm:a@next"},
		{"git:github.com/u/r", "git:u/r@v1", "https://github.com/u/r.git", "ssh://git@github.com/u/r", "git:git@github.com:u/r.git@main"},
		{"./x", "x", "/base/x", "x/../x/"},
		{"~/y", "/home/y"},
	}
	seen := map[string]string{}
	for _, group := range same {
		first := ""
		for i, text := range group {
			s, err := Parse(text)
			if err != nil {
				t.Fatal(err)
			}
			id := s.Identity("/base", "/home")
			if i == 0 {
				first = id
			}
			if id != first {
				t.Errorf("%s is %s, not %s", text, id, first)
			}
		}
		if seen[first] != "" {
			t.Errorf("%s is %s as well", group[0], seen[first])
		}
		seen[first] = group[0]
	}
	for text, want := range map[string]bool{"npm:a": false, "npm:a@1.2.3": true, "npm:a@^1": false, "npm:a@v1.0.0": true, "git:u/r": false, "git:u/r@main": true, "./x": true} {
		if s, err := Parse(text); err != nil || s.Pinned() != want {
			t.Errorf("%s: pinned %v, %v", text, s.Pinned(), err)
		}
	}
}

// Whatever is parsed leads to no place outside of those for packages.
func FuzzParse(f *testing.F) {
	for _, s := range []string{"npm:@s/a@1", "git:git@github.com:u/r@v", "https://x.y/a/b#c", "./p", "git:../..", "git:a.b/../c", "git:http://x@y:1/z/w"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		s, err := Parse(text)
		if err != nil {
			return
		}
		dir := s.Dir("/base", "/home")
		ok := false
		switch s.Kind {
		case NPM:
			ok = strings.HasPrefix(dir, "/base/npm/node_modules/") && strings.Count(dir, "/") <= 5
		case Git:
			ok = strings.HasPrefix(dir, "/base/git/"+s.Host+"/") && !strings.HasPrefix(s.URL, "-") && !strings.HasPrefix(s.Ref, "-")
		case Local:
			ok = true
		}
		if !ok {
			t.Errorf("%q goes to %s (%+v)", text, dir, s)
		}
	})
}
