package main

import (
	"bytes"
	"flag"
	"os"
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
