package main

import (
	"bytes"
	"flag"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/pi-go/pi/tui/text"
	"github.com/pi-go/pi/tui/theme"
)

func TestEveryComponentFitsEveryWidth(t *testing.T) {
	t.Parallel()
	for _, width := range []int{1, 2, 5, 12, 40, 80, 200} {
		var out bytes.Buffer
		if err := printAll(&out, theme.Dark(), width); err != nil {
			t.Fatal(err)
		}
		for line := range strings.Lines(out.String()) {
			if w := text.Width(strings.TrimSuffix(line, "\n")); w > width && width > 4 {
				t.Errorf("width %d: line %q is %d columns wide", width, line, w)
			}
		}
	}
}

var update = flag.Bool("update", false, "write the golden files")

// The golden file is also what the documentation shows.
func TestGolden(t *testing.T) {
	t.Parallel()
	var out bytes.Buffer
	if err := printAll(&out, theme.Dark(), 76); err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	for line := range strings.Lines(out.String()) {
		b.WriteString(strings.TrimRight(text.Strip(line), " \n") + "\n")
	}
	const file = "testdata/gallery.txt"
	if *update {
		if err := os.WriteFile(file, []byte(b.String()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), b.String()); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// Every component of the module has a place in the gallery.
func TestEveryComponentIsShown(t *testing.T) {
	t.Parallel()
	shown := ""
	for _, file := range []string{"sections.go", "gallery.go", "main.go"} {
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		shown += string(data)
	}
	render := regexp.MustCompile(`(?m)^func \(\w* ?\*?([A-Z]\w*)\) Render\([^)]*int\) \[\]string`)
	n := 0
	for _, dir := range []string{"tui", "markdown", "diffview", "picture"} {
		files, err := filepath.Glob(filepath.Join("../..", strings.TrimPrefix(dir, "tui"), "*.go"))
		if err != nil {
			t.Fatal(err)
		}
		for _, file := range files {
			data, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			for _, m := range render.FindAllStringSubmatch(string(data), -1) {
				if m[1] == "Func" {
					continue // a component of the program's own
				}
				n++
				use := regexp.MustCompile(`\b` + dir + `\.(New)?(` + m[1] + `)?\b`)
				if dir == "tui" {
					use = regexp.MustCompile(`\btui\.(New)?` + m[1] + `\b`)
				}
				if !use.MatchString(shown) {
					t.Errorf("%s.%s is not in the gallery", dir, m[1])
				}
			}
		}
	}
	if n < 18 {
		t.Errorf("only %d components were found", n)
	}
}
