//go:build unix

package interactive_test

import (
	"bytes"
	"fmt"
	"image"
	"image/png"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/pi-go/pi/ai/faux"
	"github.com/pi-go/pi/codingagent/settings"
)

// What the mouse selects is copied at once, or not.
func TestCopyOnSelect(t *testing.T) {
	t.Parallel()
	for _, on := range []bool{true, false} {
		d := sitWith(t, 60, 20, func(s *settings.Settings) { s.Terminal.CopyOnSelect = on })
		d.llm.Queue(faux.Say("an answer to copy"))
		d.keys("go", enter)
		screen := d.wait("an answer to copy")
		row := 1 + strings.Count(screen[:strings.Index(screen, "an answer")], "\n")
		d.keys(fmt.Sprintf("\x1b[<0;2;%dM\x1b[<32;9;%dM\x1b[<0;9;%dm", row, row, row))
		if on {
			d.wait("Copied the selection.")
			continue
		}
		d.keys("typed")
		if s := d.wait("typed"); strings.Contains(s, "Copied") {
			t.Errorf("copied though nobody asked:\n%s", s)
		}
	}
}

// Escape pressed twice opens what the setting says.
func TestDoubleEscape(t *testing.T) {
	t.Parallel()
	for action, title := range map[string]string{"tree": "── Tree", "fork": "── Fork", "none": ""} {
		d := sitWith(t, 60, 20, func(s *settings.Settings) { s.Terminal.DoubleEscape = action })
		d.llm.Queue(faux.Say("answered"))
		d.keys("go", enter)
		d.wait("answered")
		d.gone("Working")
		var screen string
		for range 10 { // twice is within half a second, which a busy machine may miss
			d.keys("\x1b[27u\x1b[27u", "q")
			screen = d.until("a list is open, or the editor has the key", func(s string) bool {
				return strings.Contains(s, "── ") || strings.Contains(s, "─\nq")
			})
			if strings.Contains(screen, "── ") || title == "" {
				break
			}
			d.keys("\x15")
			d.gone("─\nq")
		}
		if strings.Contains(screen, "── ") != (title != "") || !strings.Contains(screen, title) {
			t.Errorf("%s:\n%s", action, screen)
		}
	}
}

// The list of suggestions has as many rows as the setting says.
func TestCompletionRows(t *testing.T) {
	t.Parallel()
	for _, n := range []int{4, 9} {
		d := sitWith(t, 60, 30, func(s *settings.Settings) { s.Terminal.CompletionRows = n })
		d.keys("/")
		s := d.wait("→ /", "(1/")
		if got := strings.Count(s[strings.Index(s, "→ /"):strings.Index(s, "(1/")], "\n"); got != n {
			t.Errorf("%d rows of suggestions, want %d:\n%s", got, n, s)
		}
	}
}

// There is room beside what is written.
func TestEditorPadding(t *testing.T) {
	t.Parallel()
	column := func(pad int) int {
		d := sitWith(t, 60, 20, func(s *settings.Settings) { s.Terminal.EditorPadding = pad })
		d.keys("written")
		for line := range strings.Lines(d.wait("written")) {
			if x := strings.Index(line, "written"); x >= 0 {
				return len([]rune(line[:x]))
			}
		}
		return -1
	}
	if a, b := column(0), column(3); b != a+3 {
		t.Errorf("text begins in column %d without room and in %d with three columns of it", a, b)
	}
}

// Images are no wider than the setting says.
func TestImageWidth(t *testing.T) {
	t.Parallel()
	var wide bytes.Buffer
	if err := png.Encode(&wide, image.NewGray(image.Rect(0, 0, 1200, 40))); err != nil {
		t.Fatal(err)
	}
	for _, width := range []int{20, 45} {
		d := sitWith(t, 80, 30, func(s *settings.Settings) { s.Terminal.Images, s.Terminal.ImageWidth = "iterm2", width })
		if err := os.WriteFile(filepath.Join(d.home, "work", "wide.png"), wide.Bytes(), 0o644); err != nil {
			t.Fatal(err)
		}
		d.llm.Queue(faux.Calls(faux.Call("read", map[string]any{"path": "wide.png"})), faux.Say("seen"))
		d.keys("look", enter)
		d.until(fmt.Sprintf("an image of %d columns is sent", width), func(string) bool {
			return strings.Contains(d.tty.raw.String(), fmt.Sprintf("inline=1;size=%d;width=%d;", wide.Len(), width))
		})
	}
}

// In regular mode the screen is filled again from above when less is shown.
func TestClearOnShrink(t *testing.T) {
	t.Parallel()
	for _, on := range []bool{false, true} {
		d := sitWith(t, 60, 14, func(s *settings.Settings) { s.Terminal.Regular, s.Terminal.ClearOnShrink = true, on })
		var lines []string
		for i := range 30 {
			lines = append(lines, fmt.Sprintf("line %02d", i))
		}
		d.llm.Queue(faux.Say(strings.Join(lines, "\n\n")))
		d.keys("go", enter)
		d.wait("line 29")
		d.gone("Working")
		d.keys("\x1b[200~one\ntwo\nthree\nfour\x1b[201~")
		d.wait("four")
		full := func(s string) bool { return !strings.Contains(s, "four") && !strings.HasSuffix(s, "\n\n") }
		d.keys("\x03")
		if on {
			d.until("the screen is full", full)
			continue
		}
		if s := d.gone("four"); full(s) {
			t.Errorf("the screen was filled though nobody asked:\n%s", s)
		}
	}
}

// A branch is left at once, or after a question about a summary of it.
func TestBranchesAreLeftAtOnce(t *testing.T) {
	t.Parallel()
	const asked = "Go there with a summary"
	for _, skip := range []bool{false, true} {
		d := sitWith(t, 70, 24, func(s *settings.Settings) { s.BranchSummary.SkipPrompt = skip })
		d.llm.Queue(faux.Say("answer one"), faux.Say("answer two"))
		for _, n := range []string{"one", "two"} {
			d.keys("question "+n, enter)
			d.wait("answer " + n)
			d.gone("Working")
		}
		d.keys("/tree", enter)
		d.wait("── Tree")
		d.keys("question two")
		d.wait("filter: question two")
		d.keys(enter)
		s := d.until("there is a question, or the message is in the editor", func(s string) bool {
			return strings.Contains(s, asked) || strings.Contains(s, "─\nquestion two")
		})
		if strings.Contains(s, asked) == skip {
			t.Errorf("skipPrompt %v:\n%s", skip, s)
		}
	}
}
