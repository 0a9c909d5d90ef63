package vttest

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/pi-go/pi/tui/text"
)

// words are pieces of text on whose widths the oracle and package text agree.
var words = []string{
	"a", "word", "longer-word", "the quick brown fox", " ", "   ", "한국어", "中文", "e\u0301te\u0301", "👩\u200d🚀", "🇯🇵", "❄\ufe0f",
	"─│", "ｱｲ", "→", "1\ufe0f\u20e3", "🙂", "ж", "Ａ", "x\u0323y",
}

var sequences = []string{
	"\x1b[31m", "\x1b[1m", "\x1b[44m", "\x1b[0m", "\x1b[38;5;208m", "\x1b[48;2;1;2;3m", "\x1b[4m", "\x1b[7m", "\x1b[22m", "\x1b[39m",
	"\x1b]8;;http://example.org/a\x1b\\", "\x1b]8;;http://example.org/b\x1b\\", "\x1b]8;;\x1b\\",
}

// randomLine makes a line; about every tenth is wider than width.
func randomLine(r *rand.Rand, width int) string {
	limit := r.IntN(width + 1)
	if r.IntN(10) == 0 {
		limit += r.IntN(6)
	}
	if r.IntN(12) == 0 {
		limit = width // lines that fill the row show what goes wrong at its edge
	}
	var b strings.Builder
	for col := 0; col < limit; {
		if r.IntN(3) == 0 {
			b.WriteString(sequences[r.IntN(len(sequences))])
			continue
		}
		w := words[r.IntN(len(words))]
		if r.IntN(4) == 0 {
			w = fmt.Sprintf("%d", r.IntN(1000))
		}
		col += text.Width(w)
		if col > limit && r.IntN(4) != 0 {
			b.WriteString(strings.Repeat("x", limit-(col-text.Width(w))))
			break
		}
		b.WriteString(w)
	}
	return b.String()
}

// changeLine makes a small change, as an edit or a stream does.
func changeLine(r *rand.Rand, line string, width int) string {
	switch r.IntN(5) {
	case 0:
		return randomLine(r, width)
	case 1: // a part is styled
		n := text.Width(line)
		if n == 0 {
			return "x"
		}
		at := r.IntN(n)
		return text.Slice(line, 0, at) + "\x1b[7m" + text.Slice(line, at, at+1) + "\x1b[0m" + text.Slice(line, at+1, n+1)
	case 2: // something in the middle is replaced by as much
		n := text.Width(line)
		if n < 3 {
			return line + "한"
		}
		at := r.IntN(n - 2)
		return text.Slice(line, 0, at) + []string{"##", "한", "🙂", "e\u0301x"}[r.IntN(4)] + text.Slice(line, at+2, n+1)
	case 3:
		return text.Slice(line, 0, r.IntN(text.Width(line)+1))
	}
	return line + words[r.IntN(len(words))]
}

// shape turns a line as it should be shown into the oracle's form.
type shape struct {
	oracle *Oracle
	known  map[string]string
}

const shapeWidth = 80 // more than any line of a program

func newShape(t *testing.T) *shape {
	s := &shape{oracle: NewOracle(shapeWidth, 1), known: map[string]string{}}
	_, _ = s.oracle.Write([]byte("\x1b[?7l"))
	t.Cleanup(s.oracle.Close)
	return s
}

func (s *shape) of(line string, width int) string {
	key := string(rune(width)) + line
	if v, ok := s.known[key]; ok {
		return v
	}
	_, _ = s.oracle.Write([]byte("\x1b[H\x1b[K" + text.Truncate(line, width, "")))
	v := s.oracle.Screen()[0]
	if len(s.known) > 5000 {
		clear(s.known)
	}
	s.known[key] = v
	return v
}

func (s *shape) all(lines []string, width int) []string {
	out := make([]string, len(lines))
	for i, l := range lines {
		out[i] = s.of(l, width)
	}
	return out
}
