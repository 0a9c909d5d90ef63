package text

import (
	"strings"
	"unicode/utf8"
)

// Wrap is [Ruler.Wrap] of the default Ruler.
func Wrap(s string, width int) []string { return (*Ruler)(nil).Wrap(s, width) }

// Wrap breaks s into lines of at most width columns: at line feeds, at blanks
// where a word would not fit, between CJK characters, and inside a word only
// when it is longer than a line. Blanks at a break are dropped, those at the
// beginning of a line of s are kept. There is at least one line.
//
// Styles and links go on over a break; every line ends in the default style.
// Tabs become blanks. A cluster wider than width stands alone on its line; that
// is the only line that can be wider. A width below 1 counts as 1.
func (r *Ruler) Wrap(s string, width int) []string {
	if len(s) <= width && isClean(s) {
		return []string{s} // no line feed, and no cluster has more columns than bytes
	}
	return r.AppendWrap(nil, s, width)
}

// AppendWrap appends the lines of [Ruler.Wrap] to dst.
func (r *Ruler) AppendWrap(dst []string, s string, width int) []string {
	w := wrapper{ruler: r, width: max(width, 1), lines: dst}
	if r.Tab() > w.width { // a tab must fit a line
		w.ruler = &Ruler{opts: RulerOptions{Tab: w.width, AmbiguousWide: r != nil && r.opts.AmbiguousWide}}
	}
	for {
		paragraph, rest, more := strings.Cut(s, "\n")
		w.paragraph(paragraph)
		if !more {
			return w.lines
		}
		s = rest
	}
}

type wrapper struct {
	ruler *Ruler
	width int
	lines []string
	pen   pen // at the start of the next line
	buf   []byte
}

func (w *wrapper) paragraph(s string) {
	clean := isClean(s)
	if clean && len(s) <= w.width {
		w.line(s, s, true)
		return
	}
	var (
		start     int  // of the line being filled
		col       int  // its columns so far
		end, next int  // the last place to break: the line's end, the next one's start
		nextCol   int  // columns up to next
		inBlanks  bool // the last text was a blank
		wasText   bool // the line has something other than blanks
		last      rune // the last rune of text
	)
	for i := 0; i < len(s); {
		t := w.ruler.next(s[i:])
		blank := t.kind == kindTab || t.size == 1 && s[i] == ' '
		text := t.width > 0 && !blank
		if text && wasText && !inBlanks && t.width == 2 {
			first, _ := utf8.DecodeRuneInString(s[i:])
			if breakBetween(last, first) {
				end, next, nextCol = i, i, col
			}
		}
		if t.width > 0 && col+t.width > w.width && i > start {
			switch {
			case blank && wasText:
				// Blanks over the edge vanish, together with those before them.
			case end > start:
				w.line(s[start:end], s[start:next], clean)
				start, col = next, col-nextCol
				end, next, inBlanks = start, start, false
				wasText = col > 0
				continue
			case col > 0:
				w.line(s[start:i], s[start:i], clean)
				start, col = i, 0
				end, next, inBlanks, wasText = i, i, false, false
				continue
			}
		}
		i += t.size
		switch {
		case blank && wasText:
			if !inBlanks {
				end = i - t.size
			}
			col += t.width
			next, nextCol, inBlanks = i, col, true
		case text:
			inBlanks, wasText = false, true
			col += t.width
			last, _ = utf8.DecodeLastRuneInString(s[:i])
		default:
			col += t.width
		}
	}
	if inBlanks && col > w.width {
		w.line(s[start:end], s[start:], clean)
		return
	}
	w.line(s[start:], s[start:], clean)
}

// line adds a line that shows s; taken is s and what was dropped after it.
func (w *wrapper) line(s, taken string, clean bool) {
	if clean && w.pen.isDefault() {
		w.lines = append(w.lines, s)
		return
	}
	b := w.pen.open(w.buf[:0])
	b = w.ruler.appendClean(b, s, &w.pen)
	b = w.pen.close(b)
	w.pen.follow(taken[len(s):])
	w.buf = b
	w.lines = append(w.lines, string(b))
}

// breakBetween reports whether a line may end between two characters without a
// blank, of which the second is wide. Closing marks stay with what they close,
// opening ones with what they open.
func breakBetween(before, after rune) bool {
	if after < 0x2e80 { // an emoji in the middle of a word of its own
		return before >= 0x2e80
	}
	return !strings.ContainsRune("、。，．・：；？！゛゜ヽヾゝゞ々ー）〕］｝〉》」』】〙〗ぁぃぅぇぉっゃゅょゎァィゥェォッャュョヮヵヶ", after) &&
		!strings.ContainsRune("（〔［｛〈《「『【〘〖([{", before)
}
