package main

import (
	"bytes"
	"strings"
	"testing"

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
