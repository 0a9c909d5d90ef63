package glob_test

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/pi-go/pi/codingagent/tools/glob"
)

func TestMatch(t *testing.T) {
	t.Parallel()
	braces, bytes, fold := glob.Options{Braces: true}, glob.Options{Bytes: true}, glob.Options{FoldCase: true, Braces: true}
	for _, c := range []struct {
		pattern string
		o       glob.Options
		yes, no string // paths, separated by blanks
	}{
		{"a.go", braces, "a.go", "b.go a.gox x/a.go A.go"},
		{"*.go", braces, "a.go .go", "a.go/x a/b.go"},
		{"*", braces, "a .a", "a/b"},
		{"a*b*c", braces, "abc axbxc abbcc abcbc", "ab acb abcd"},
		{"a?c", braces, "abc aéc", "ac abbc a/c"},
		{"a?c", bytes, "abc", "aéc"},
		{"[a-c]x", braces, "ax cx", "dx x"},
		{"[!a-c]x", braces, "dx éx", "ax /x"},
		{"[^a]", braces, "b", "a"},
		{"[]a]", braces, "] a", "b"},
		{"[a-]", braces, "a -", "b"},
		{"[a\\]b]", braces, "a ] b", "\\"},
		{"[[:digit:]x]", braces, "1 x", "a ["},
		{"[[:]]", braces, "[] :]", "a"},
		{"\\*", braces, "*", "a \\*"},
		{"a\\/b", braces, "a/b", "a"},
		{"[a/]b", braces, "ab", "/b a/b"},
		{"**", braces, "a a/b a/b/c", ""},
		{"**/x", braces, "x a/x a/b/x", "x/a ax"},
		{"a/**", braces, "a/b a/b/c", "a b/a"},
		{"a/**/b", braces, "a/b a/x/b a/x/y/b", "a/xb ab"},
		{"a/***/b", braces, "a/b a/x/y/b", ""},
		{"a/**/b/*/c", braces, "a/b/x/c a/b/b/x/c a/x/b/b/c", "a/b/c a/x/c"},
		{"**/a/**/b", braces, "a/b x/a/y/b a/a/b/b", "b/a"},
		{"a**b", braces, "ab axxb", "a/b"},
		{"**/*.{ts,tsx}", braces, "a.ts x/y.tsx", "a.js a.{ts,tsx}"},
		{"{a,b{c,d}}e", braces, "ae bce bde", "be ace"},
		{"{,x}a", braces, "a xa", "ya"},
		{"[{]a,b}", braces, "{a,b}", "a b"},
		{"\\{a,b\\}", braces, "{a,b}", "a"},
		{"{a,b}", glob.Options{}, "{a,b}", "a"},
		{"a}", braces, "a}", "a"},
		{"readme*", fold, "README.md ReadMe", "read"},
		{"[a-c]É", fold, "Bé Cé", "Dé"},
		{"/a", braces, "/a", "a"},
		{"", braces, "", "a"},
	} {
		p, err := glob.Compile(c.pattern, c.o)
		if err != nil {
			t.Errorf("%s: %v", c.pattern, err)
			continue
		}
		for path := range strings.SplitSeq(c.yes, " ") {
			if !p.Match(path) {
				t.Errorf("%s does not match %q", c.pattern, path)
			}
		}
		for path := range strings.FieldsSeq(c.no) {
			if p.Match(path) {
				t.Errorf("%s matches %q", c.pattern, path)
			}
		}
	}
	for pattern, want := range map[string]string{
		"[a":                        `malformed pattern "[a": a [ is not closed; write \[ for a bracket`,
		"a\\":                       `malformed pattern "a\\": it ends in a backslash`,
		"[[:word:]]":                `malformed pattern "[[:word:]]": there is no class [:word:]`,
		"{a,b":                      `malformed pattern "{a,b": a brace is not closed`,
		strings.Repeat("{a,b}", 12): "stand for too many patterns",
	} {
		if _, err := glob.Compile(pattern, braces); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %s", pattern, err, want)
		}
	}
}

// Wildcards that can match in many ways do not take long.
func TestManyStars(t *testing.T) {
	t.Parallel()
	p, err := glob.Compile(strings.Repeat("**/a*a*a*/", 20)+"b", glob.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if p.Match(strings.Repeat(strings.Repeat("a", 50)+"/", 60) + "c") {
		t.Error("matches")
	}
}

// git's own matching agrees, for patterns with a slash, over a set of paths.
func TestAgainstGit(t *testing.T) {
	t.Parallel()
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("git is not installed")
	}
	dir := t.TempDir()
	if out, err := exec.Command("git", "init", "-q", dir).CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	rapid.Check(t, func(t *rapid.T) {
		token := rapid.SampledFrom([]string{"a", "b", "-", "*", "**", "/", "/**/", "**/", "/**", "?", "[ab]", "[!a]", "[^b-z]", "[]a]", "[a-]", "[[:alpha:]]", "[:x]", "\\a", "\\*", "]", "[", "é", "{a,b}"})
		pattern := "/" + strings.Join(rapid.SliceOfN(token, 1, 6).Draw(t, "pattern"), "")
		if strings.HasSuffix(pattern, "/") {
			pattern += "x"
		}
		name := rapid.StringMatching(`[abx*é{\]-]{1,3}`)
		var paths []string
		for range 12 {
			paths = append(paths, strings.Join(rapid.SliceOfN(name, 1, 4).Draw(t, "path"), "/"))
		}
		if err := os.WriteFile(filepath.Join(dir, "rules"), []byte(pattern+"\n"), 0o644); err != nil {
			t.Fatal(err)
		}
		// The pattern is tried on each path itself, not on its parents: git would take
		// those first.
		cmd := exec.Command("git", "-C", dir, "-c", "core.quotePath=false", "-c", "core.excludesFile=rules", "check-ignore", "-z", "--no-index", "--stdin")
		cmd.Stdin = strings.NewReader(strings.Join(paths, "\x00"))
		out, err := cmd.Output()
		if ee, ok := err.(*exec.ExitError); ok && ee.ExitCode() != 1 {
			t.Fatalf("git: %v %s", err, ee.Stderr)
		}
		ignored := map[string]bool{}
		for path := range strings.SplitSeq(string(out), "\x00") {
			ignored[path] = true
		}
		// git compares the text before the first wildcard apart, and what follows is a
		// pattern of its own to it.
		prefix := pattern[1:]
		if i := strings.IndexAny(prefix, `*?[\`); i >= 0 {
			prefix = prefix[:i]
		}
		p, err := glob.Compile(pattern[1+len(prefix):], glob.Options{Bytes: true})
		for _, path := range paths {
			got := false
			for i, c := range path + "/" {
				if c == '/' && err == nil {
					rest, ok := strings.CutPrefix(path[:i], prefix)
					got = got || ok && p.Match(rest)
				}
			}
			if got != ignored[path] {
				t.Fatalf("%s on %s: %v (%v), git says %v", pattern, path, got, err, ignored[path])
			}
		}
	})
}

func FuzzCompile(f *testing.F) {
	f.Add("**/{a,[b-c]}?*.go", "x/b1.go")
	f.Add("[[:alpha:]", "\xff")
	f.Add("{{,},{", "a/")
	f.Fuzz(func(t *testing.T, pattern, path string) {
		for _, o := range []glob.Options{{}, {Braces: true}, {Bytes: true}, {FoldCase: true, Braces: true}} {
			p, err := glob.Compile(pattern, o)
			if err != nil {
				continue
			}
			p.Match(path)
			if o == (glob.Options{}) && !strings.ContainsAny(pattern, `*?[\`) && p.Match(path) != (pattern == path) {
				t.Fatalf("%q on %q: %v", pattern, path, p.Match(path))
			}
		}
	})
}

func ExampleCompile() {
	p, err := glob.Compile("src/**/*.{ts,tsx}", glob.Options{Braces: true})
	fmt.Println(err, p.Match("src/app/view.tsx"), p.Match("src/app/view.js"))
	// Output: <nil> true false
}
