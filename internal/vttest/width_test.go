package vttest

import (
	"strings"
	"testing"

	"github.com/pi-go/pi/tui/text"
)

// Widths that are measured must be those that are drawn: the cursor tells.
func TestMeasuredIsDrawn(t *testing.T) {
	t.Parallel()
	cases := map[string]int{
		"한": 2, "e\u0301": 1, "❄\ufe0f": 2, "✏\ufe0e": 1, "👩\u200d🚀": 2, "🇯🇵": 2, "ก\u0e49": 1, "ｱ": 1, "\u200b": 0,
		"\x1b[31mab\x1b[0m": 2, "\x1b]8;;http://x\x1b\\go\x1b]8;;\x1b\\": 2,
		"1\ufe0f\u20e3": 2, "\U0001fae9": 2, "⸺": 1, "🌡": 1, "⌚\ufe0e": 2, "👍🏽": 2, "❤\ufe0f\u200d🔥": 2,
	}
	var all strings.Builder
	for s, want := range cases {
		all.WriteString(s)
		if got := text.Width(s); got != want {
			t.Errorf("Width(%q) = %d, want %d", s, got, want)
		}
		o := NewOracle(20, 2)
		_, _ = o.Write([]byte(s))
		if x, _ := o.Cursor(); x != want {
			t.Errorf("%q is drawn in %d columns, want %d", s, x, want)
		}
		o.Close()
	}
	for _, width := range []int{10, 2, 1} {
		for _, line := range text.Wrap(all.String(), width) {
			o := NewOracle(40, 2)
			_, _ = o.Write([]byte(line))
			x, _ := o.Cursor()
			if w := text.Width(line); x != w {
				t.Errorf("wrapped at %d: %q is drawn in %d columns, measured as %d", width, line, x, w)
			}
			if x > width && width > 1 {
				t.Errorf("wrapped at %d: %q is drawn in %d columns", width, line, x)
			}
			o.Close()
		}
	}
}
