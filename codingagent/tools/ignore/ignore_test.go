package ignore_test

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/pi-go/pi/codingagent/tools/ignore"
)

func TestMatch(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		rules               string
		ignored, inc, other string // paths; those that end in "/" are directories
	}{
		{"*.log\nbuild/\n", "a.log x/y.log build/ x/build/", "", "build a.logx log"},
		{"*.log\n!keep.log\n", "a.log", "keep.log x/keep.log", ""},
		{"!keep.log\n*.log\n", "keep.log", "", ""},
		{"/a\nb/c\n", "a b/c", "", "x/a x/b/c b"},
		{"# comment\n\\#x\n\\!y\n\n   \nz  \nw\\ \n", "#x !y z w\\_", "", "x y w"},
		{"a\r\nb\r\n", "a b", "", ""},
		{"\uFEFFa\n", "a", "", ""},
		{"a/**\n", "a/b a/b/c", "", "a a/"},
		{"**/a/b\n", "a/b x/a/b x/y/a/b", "", "b"},
		{"a/**/b\n", "a/b a/x/b a/x/y/b", "", "ab"},
		{"a**/b\n", "ab a/b ax/b", "", "b"},
		{"[ab\nc\\\nd\n", "d", "", "a [ab c c\\"},
		{"*\n", "a b/ .c", "", ""},
		{"/*\n!/a\n", "b .c d/", "a a/", "d/x"},
		{"foo//\n/\n//\n!\n", "", "", "foo foo/ x"},
	} {
		rules := ignore.Parse([]byte(c.rules))
		for verdict, paths := range map[ignore.Verdict]string{ignore.Ignored: c.ignored, ignore.Included: c.inc, ignore.Silent: c.other} {
			for path := range strings.FieldsSeq(paths) {
				path, isDir := strings.CutSuffix(strings.ReplaceAll(path, "\\_", " "), "/")
				if got := rules.Match(path, isDir); got != verdict {
					t.Errorf("%q on %q: %v, want %v", c.rules, path, got, verdict)
				}
			}
		}
	}
	if !ignore.Parse([]byte("# nothing\n\n")).Empty() || ignore.Parse([]byte("x")).Empty() {
		t.Error("Empty is wrong")
	}
}

// git agrees on every path of a tree, for random rules at its top and below.
func TestAgainstGit(t *testing.T) {
	t.Parallel()
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("git is not installed")
	}
	dir := t.TempDir()
	if out, err := exec.Command("git", "init", "-q", dir).CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	var paths []string
	dirs := map[string]bool{}
	for _, a := range []string{"a", "b", "sub", "a.o"} {
		for _, b := range []string{"a", "b", "a.o", "x y", "[b]"} {
			for _, c := range []string{"a", "b.o", "#c", "!d", "x ", "é"} {
				path := filepath.Join(a, b, c)
				if err := os.MkdirAll(filepath.Join(dir, a, b), 0o755); err != nil {
					t.Fatal(err)
				}
				if err := os.WriteFile(filepath.Join(dir, path), nil, 0o644); err != nil {
					t.Fatal(err)
				}
				paths = append(paths, path)
			}
			paths, dirs[a+"/"+b] = append(paths, a+"/"+b), true
		}
		paths, dirs[a] = append(paths, a), true
	}
	rapid.Check(t, func(t *rapid.T) {
		token := rapid.SampledFrom([]string{
			"a", "b", "sub", "x", "*", "**", "/", "/**/", "?", "[ab]", "[!a]", "[[:alpha:]]", ".o", "\\", " ", "\\ ", "#", "!", "é", "\r", "\t", "[",
		})
		line := rapid.Custom(func(t *rapid.T) string {
			return rapid.SampledFrom([]string{"", "", "!", "/"}).Draw(t, "start") + strings.Join(rapid.SliceOfN(token, 1, 5).Draw(t, "line"), "") +
				rapid.SampledFrom([]string{"", "", "/", " "}).Draw(t, "end")
		})
		write := func(name string) *ignore.Rules {
			content := strings.Join(rapid.SliceOfN(line, 0, 4).Draw(t, name), "\n")
			if err := os.WriteFile(filepath.Join(dir, name), []byte(content), 0o644); err != nil {
				t.Fatal(err)
			}
			return ignore.Parse([]byte(content))
		}
		top, sub := write(".gitignore"), write("sub/.gitignore")
		cmd := exec.Command("git", "-C", dir, "-c", "core.excludesFile=", "check-ignore", "-z", "--no-index", "--stdin")
		cmd.Stdin = strings.NewReader(strings.Join(paths, "\x00"))
		out, err := cmd.Output()
		if ee, ok := err.(*exec.ExitError); ok && ee.ExitCode() != 1 {
			t.Fatalf("git: %v %s", err, ee.Stderr)
		}
		want := map[string]bool{}
		for path := range strings.SplitSeq(string(out), "\x00") {
			want[path] = true
		}
		for _, path := range paths {
			got := false
			for i, c := range path + "/" {
				if c != '/' || got {
					continue
				}
				part := path[:i]
				verdict := ignore.Silent
				if below, ok := strings.CutPrefix(part, "sub/"); ok {
					verdict = sub.Match(below, dirs[part])
				}
				if verdict == ignore.Silent {
					verdict = top.Match(part, dirs[part])
				}
				got = verdict == ignore.Ignored
			}
			if got != want[path] {
				t.Fatalf("%q: ignored %v, git says %v", path, got, want[path])
			}
		}
	})
}

func FuzzParse(f *testing.F) {
	f.Add([]byte("*.o\n!a/**/b/\n[[:x:]]\\\n\\ \n"), "a/b", true)
	f.Fuzz(func(t *testing.T, data []byte, path string, isDir bool) {
		ignore.Parse(data).Match(path, isDir)
	})
}

func ExampleParse() {
	rules := ignore.Parse([]byte("*.log\n!important.log\n"))
	fmt.Println(rules.Match("debug.log", false) == ignore.Ignored)
	fmt.Println(rules.Match("logs/important.log", false) == ignore.Included)
	// Output:
	// true
	// true
}
