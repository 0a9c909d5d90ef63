package textedit_test

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/pi-go/pi/codingagent/tools/textedit"
)

// numbered is a text of n lines.
func numbered(n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, "row %03d\n", i+1)
	}
	return b.String()
}

func TestDiffAndPatch(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name        string
		text        string
		edits       []textedit.Edit
		first       int
		diff, patch string
	}{
		{
			"in the middle, numbers change width", numbered(99), edits("row 040", "row 040\nextra"), 41,
			`     ...
  37 row 037
  38 row 038
  39 row 039
  40 row 040
+ 41 extra
  41 row 041
  42 row 042
  43 row 043
  44 row 044
     ...`,
			`--- f.txt
+++ f.txt
@@ -37,8 +37,9 @@
 row 037
 row 038
 row 039
 row 040
+extra
 row 041
 row 042
 row 043
 row 044
`,
		},
		{
			"two changes far apart", numbered(30), edits("row 002\n", "", "row 020", "row 20"), 2,
			`  1 row 001
- 2 row 002
  3 row 003
  4 row 004
  5 row 005
  6 row 006
    ...
 16 row 016
 17 row 017
 18 row 018
 19 row 019
-20 row 020
+19 row 20
 21 row 021
 22 row 022
 23 row 023
 24 row 024
    ...`,
			`--- f.txt
+++ f.txt
@@ -1,6 +1,5 @@
 row 001
-row 002
 row 003
 row 004
 row 005
 row 006
@@ -16,9 +15,9 @@
 row 016
 row 017
 row 018
 row 019
-row 020
+row 20
 row 021
 row 022
 row 023
 row 024
`,
		},
		{
			"two changes near each other share a hunk", numbered(12), edits("row 002", "two", "row 010", "ten"), 2,
			`  1 row 001
- 2 row 002
+ 2 two
  3 row 003
  4 row 004
  5 row 005
  6 row 006
  7 row 007
  8 row 008
  9 row 009
-10 row 010
+10 ten
 11 row 011
 12 row 012`,
			`--- f.txt
+++ f.txt
@@ -1,12 +1,12 @@
 row 001
-row 002
+two
 row 003
 row 004
 row 005
 row 006
 row 007
 row 008
 row 009
-row 010
+ten
 row 011
 row 012
`,
		},
		{
			"no newline at the end", "a\nb", edits("b", "c"), 2,
			" 1 a\n-2 b\n+2 c",
			"--- f.txt\n+++ f.txt\n@@ -1,2 +1,2 @@\n a\n-b\n\\ No newline at end of file\n+c\n\\ No newline at end of file\n",
		},
		{
			"everything goes", "a\n", edits("a\n", ""), 1,
			"-1 a",
			"--- f.txt\n+++ f.txt\n@@ -1,1 +0,0 @@\n-a\n",
		},
		{
			"CRLF, BOM and curly quotes", "\uFEFFlet a = \u201cx\u201d;\r\nlet b = 2;\r\nlet c = 3;\r\n",
			edits("let a = \"x\";\nlet b = 2;", "let a = \"y\";\nlet b = 20;"), 1,
			"-1 let a = \u201cx\u201d;\n-2 let b = 2;\n+1 let a = \"y\";\n+2 let b = 20;\n 3 let c = 3;",
			"--- f.txt\n+++ f.txt\n@@ -1,3 +1,3 @@\n-let a = \u201cx\u201d;\n-let b = 2;\n+let a = \"y\";\n+let b = 20;\n let c = 3;\n",
		},
		{
			"two edits on one line", "one two three\n", edits("one", "1", "three", "3"), 1,
			"-1 one two three\n+1 1 two 3",
			"--- f.txt\n+++ f.txt\n@@ -1,1 +1,1 @@\n-one two three\n+1 two 3\n",
		},
	} {
		out, err := textedit.Apply([]byte(c.text), c.edits)
		if err != nil {
			t.Errorf("%s: %v", c.name, err)
			continue
		}
		if d := cmp.Diff(c.diff, out.Changes.Diff()); d != "" {
			t.Errorf("%s: diff (-want +got):\n%s", c.name, d)
		}
		if d := cmp.Diff(c.patch, out.Changes.Patch("f.txt")); d != "" {
			t.Errorf("%s: patch (-want +got):\n%s", c.name, d)
		}
		if got := out.Changes.FirstLine(); got != c.first {
			t.Errorf("%s: first line %d, want %d", c.name, got, c.first)
		}
	}
}

func TestCompare(t *testing.T) {
	t.Parallel()
	c := textedit.Compare([]byte("\uFEFFa\r\nb\r\n"), []byte("a\nc\n"))
	if got, want := c.Diff(), " 1 a\n-2 b\n+2 c"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	c = textedit.Compare(nil, []byte("a\n"))
	if got, want := c.Patch("n"), "--- n\n+++ n\n@@ -0,0 +1,1 @@\n+a\n"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	if c = textedit.Compare([]byte("a\r\n"), []byte("a\n")); c.Diff() != "" || c.Patch("n") != "" || c.FirstLine() != 0 {
		t.Errorf("equal texts: %q", c.Diff())
	}
}

// git accepts the patches and arrives at the same text.
func TestPatchesApply(t *testing.T) {
	t.Parallel()
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("git is not installed")
	}
	dir := t.TempDir()
	rapid.Check(t, func(t *rapid.T) {
		lines := rapid.SliceOfN(rapid.SampledFrom([]string{"a", "b", "c", "d", ""}), 0, 40)
		text := func(name string) string {
			s := strings.Join(lines.Draw(t, name), "\n")
			if s != "" && rapid.Bool().Draw(t, name+" ends") {
				s += "\n"
			}
			return s
		}
		before, after := text("before"), text("after")
		patch := textedit.Compare([]byte(before), []byte(after)).Patch("f.txt")
		if (patch == "") != (before == after) {
			t.Fatalf("patch %q for %q to %q", patch, before, after)
		}
		if patch == "" || before == "" || after == "" {
			return // git wants /dev/null in the header of a file that appears or goes
		}
		for name, data := range map[string]string{"f.txt": before, "p": patch} {
			if err := os.WriteFile(filepath.Join(dir, name), []byte(data), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		cmd := exec.Command("git", "apply", "-p0", "--whitespace=nowarn", "p")
		cmd.Dir = dir
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("%v: %s\n%s", err, out, patch)
		}
		got, err := os.ReadFile(filepath.Join(dir, "f.txt"))
		if err != nil || string(got) != after {
			t.Fatalf("git made %q of %q, want %q\n%s", got, before, after, patch)
		}
	})
}
