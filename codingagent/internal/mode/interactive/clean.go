package interactive

import (
	"strings"
	"unicode/utf8"

	"github.com/pi-go/pi/tui/text"
)

// Clean makes text from elsewhere harmless for a terminal: no control sequence
// in it is left to work.
func Clean(s string) string { return text.Sanitize(s) }

// oneLine cleans a text and makes it fit for one line.
func oneLine(s string) string {
	s = Clean(s)
	if strings.ContainsAny(s, "\n\t") {
		s = strings.Join(strings.Fields(s), " ")
	}
	return s
}

// firstLine is the first line of a text that has any, cleaned and cut to a
// width.
func firstLine(s string, width int) string {
	for line := range strings.Lines(s) {
		if line = strings.TrimSpace(line); line != "" {
			return text.Truncate(oneLine(clip(line, 8*width)), width, "…")
		}
	}
	return ""
}

// clip cuts a text to a number of bytes at the border of a character.
func clip(s string, n int) string {
	if len(s) <= n {
		return s
	}
	for n > 0 && !utf8.RuneStart(s[n]) {
		n--
	}
	return s[:n]
}

// lastLines gives the last n lines of a text and how many are before them. It
// looks at no more of the text than that needs, but for counting.
func lastLines(s string, n int) (tail string, before int) {
	s = strings.TrimRight(s, "\n")
	at := len(s)
	for range n {
		i := strings.LastIndexByte(s[:at], '\n')
		if i < 0 {
			return s, 0
		}
		at = i
	}
	return s[at+1:], strings.Count(s[:at], "\n") + 1
}

// firstLines gives the first n lines of a text and how many are after them.
func firstLines(s string, n int) (head string, after int) {
	s = strings.TrimRight(s, "\n")
	at := 0
	for range n {
		i := strings.IndexByte(s[at:], '\n')
		if i < 0 {
			return s, 0
		}
		at += i + 1
	}
	return s[:at-1], strings.Count(s[at:], "\n") + 1
}

// fit cuts lines to a width.
func fit(lines []string, width int) []string {
	for i, l := range lines {
		if text.Width(l) > width {
			lines[i] = text.Truncate(l, width, "…")
		}
	}
	return lines
}
