package tuitest

import "github.com/pi-go/pi/tui/text"

// Component is what [Draw] draws; the components of package tui are such.
type Component interface {
	Render(width int) []string
}

// TB is the part of testing.TB that [Draw] needs.
type TB interface {
	Helper()
	Errorf(format string, args ...any)
}

// Draw draws a component on a terminal of its own that is as high as it needs,
// and fails the test if a line breaks the rules for lines: none may be wider than
// the terminal, hold control characters, or leave a style in force.
func Draw(t TB, c Component, width int) *Terminal {
	t.Helper()
	lines := c.Render(width)
	term := New(width, max(len(lines), 1))
	_, _ = term.Write([]byte("\x1b[?7l"))
	for i, line := range lines {
		if w := text.Width(line); w > width {
			t.Errorf("line %d is %d columns wide, more than %d: %q", i, w, width, line)
		}
		if clean := text.Truncate(line, text.Width(line), ""); clean != line {
			t.Errorf("line %d breaks the rules for lines: it should be %q, not %q", i, clean, line)
		}
		if i > 0 {
			_, _ = term.Write([]byte("\r\n"))
		}
		_, _ = term.Write([]byte(line))
	}
	return term
}
