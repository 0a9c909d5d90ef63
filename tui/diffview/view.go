package diffview

import (
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/pi-go/pi/tui/highlight"
	"github.com/pi-go/pi/tui/text"
	"github.com/pi-go/pi/tui/theme"
)

// Theme is how a diff looks. Backgrounds of Added and Removed go over the whole
// width; the word styles mark what changed within a line.
type Theme struct {
	Added, Removed, Context text.Style
	AddedWord, RemovedWord  text.Style
	Number, Gap, Info       text.Style
	Syntax                  highlight.Styles
}

// ThemeOf returns the look of diffs in a theme.
func ThemeOf(th *theme.Theme) Theme {
	word := func(token string) text.Style { return text.Style{Fg: th.Color(token), Attr: text.Bold | text.Inverse} }
	return Theme{
		Added: th.Bg("toolSuccessBg"), Removed: th.Bg("toolErrorBg"), AddedWord: word("toolDiffAdded"), RemovedWord: word("toolDiffRemoved"),
		Number: th.Fg("dim"), Gap: th.Fg("dim"), Info: th.Fg("toolDiffContext"), Syntax: th.Syntax(),
	}
}

// Options are the settings of a [View].
type Options struct {
	Theme Theme
	// File names the file, for highlighting. Empty means none.
	File string
	// NoNumbers leaves out the line numbers.
	NoNumbers bool
	// Split puts the old text on the left and the new one on the right, where
	// there are at least SplitWidth columns (120 if 0).
	Split      bool
	SplitWidth int
	Ruler      *text.Ruler
}

// View is a component that shows a diff.
type View struct {
	opts  Options
	lines []Line
	width int
	out   []string
}

// New returns a view of a diff.
func New(lines []Line, opts Options) *View { return &View{lines: lines, opts: opts} }

// SetLines changes the diff.
func (v *View) SetLines(lines []Line) { v.lines, v.width = lines, 0 }

// Invalidate makes the next Render draw anew.
func (v *View) Invalidate() { v.width = 0 }

// Stat returns how many lines were added and removed.
func Stat(lines []Line) (added, removed int) {
	for _, l := range lines {
		switch l.Kind {
		case Added:
			added++
		case Removed:
			removed++
		}
	}
	return added, removed
}

// styled is a line with the marks of its words and its highlighting, as text
// that can be wrapped.
type styled struct {
	Line
	text string
}

// Render returns the lines of the diff.
func (v *View) Render(width int) []string {
	if v.width == width {
		return v.out
	}
	v.width = width
	lines := v.style()
	split := v.opts.SplitWidth
	if split <= 0 {
		split = 120
	}
	if v.opts.Split && width >= split {
		v.out = v.side(lines, width)
	} else {
		v.out = v.unified(lines, width)
	}
	return v.out
}

// style highlights the lines. The old and the new text are two texts, and each
// has its own state.
func (v *View) style() []styled {
	lang := highlight.ByFile(v.opts.File)
	t := &v.opts.Theme
	var oldState, newState highlight.State
	out := make([]styled, len(v.lines))
	for i, l := range v.lines {
		out[i].Line = l
		clean := text.Sanitize(strings.TrimRight(l.Text, "\r"))
		out[i].Text = clean
		switch l.Kind {
		case Gap, Info:
			oldState, newState = highlight.State{}, highlight.State{}
			continue
		}
		var spans []highlight.Span
		switch l.Kind {
		case Removed:
			spans, oldState = lang.Line(nil, clean, oldState)
		case Added:
			spans, newState = lang.Line(nil, clean, newState)
		default:
			_, oldState = lang.Line(nil, clean, oldState)
			spans, newState = lang.Line(nil, clean, newState)
		}
		out[i].text = highlight.Paint(clean, spans, &t.Syntax)
	}
	v.markWords(out)
	return out
}

// markWords marks what changed within lines: the first removed line of a change
// is compared with the first added one, and so on.
func (v *View) markWords(lines []styled) {
	t := &v.opts.Theme
	if t.AddedWord == (text.Style{}) && t.RemovedWord == (text.Style{}) {
		return
	}
	for i := 0; i < len(lines); {
		if lines[i].Kind != Removed {
			i++
			continue
		}
		r := i
		for i < len(lines) && lines[i].Kind == Removed {
			i++
		}
		a := i
		for i < len(lines) && lines[i].Kind == Added {
			i++
		}
		for k := range min(a-r, i-a) {
			was, is := &lines[r+k], &lines[a+k]
			from, to, ok := changedWords(was.Text, is.Text)
			if !ok {
				continue
			}
			was.text = mark(was.Text, was.text, from, t.RemovedWord)
			is.text = mark(is.Text, is.text, to, t.AddedWord)
		}
	}
}

// part is a range of bytes of a line.
type part struct{ from, to int }

// changedWords returns the parts of two lines that differ. It is not ok if too
// much does: marks everywhere tell nothing.
func changedWords(a, b string) (from, to []part, ok bool) {
	wa, wb := words(a), words(b)
	if len(wa) > 400 || len(wb) > 400 {
		return nil, nil, false
	}
	ta, tb := make([]string, len(wa)), make([]string, len(wb))
	for i, p := range wa {
		ta[i] = a[p.from:p.to]
	}
	for i, p := range wb {
		tb[i] = b[p.from:p.to]
	}
	same, _ := myers(ta, tb)
	kept := 0
	ka, kb := make([]bool, len(wa)), make([]bool, len(wb))
	for _, p := range same {
		ka[p[0]], kb[p[1]] = true, true
		if strings.TrimSpace(ta[p[0]]) != "" {
			kept += len(ta[p[0]])
		}
	}
	if kept*3 < max(len(strings.TrimSpace(a)), len(strings.TrimSpace(b))) {
		return nil, nil, false
	}
	return unkept(wa, ka), unkept(wb, kb), true
}

func unkept(words []part, kept []bool) []part {
	var out []part
	for i, w := range words {
		if kept[i] {
			continue
		}
		if n := len(out); n > 0 && out[n-1].to == w.from {
			out[n-1].to = w.to
			continue
		}
		out = append(out, w)
	}
	return out
}

// words divides a line into names, runs of blanks, and single other characters.
func words(s string) []part {
	var out []part
	for i := 0; i < len(s); {
		r, n := utf8.DecodeRuneInString(s[i:])
		j := i + n
		class := func(r rune) int {
			switch {
			case r == '_' || unicode.IsLetter(r) || unicode.IsDigit(r):
				return 1
			case r == ' ' || r == '\t':
				return 2
			}
			return 0
		}
		if c := class(r); c != 0 {
			for j < len(s) {
				r, n := utf8.DecodeRuneInString(s[j:])
				if class(r) != c {
					break
				}
				j += n
			}
		}
		out = append(out, part{i, j})
		i = j
	}
	return out
}

// mark lays a style under parts of a line that has styles already.
func mark(plain, styled string, parts []part, st text.Style) string {
	if len(parts) == 0 || st == (text.Style{}) {
		return styled
	}
	var b strings.Builder
	at := 0
	for _, p := range parts {
		from, to := text.Width(plain[:p.from]), text.Width(plain[:p.to])
		b.WriteString(text.Slice(styled, at, from))
		b.WriteString(st.Paint(text.Slice(styled, from, to)))
		at = to
	}
	b.WriteString(text.Slice(styled, at, text.Width(plain)))
	return b.String()
}

func (v *View) numberWidth() int {
	most := 1
	for _, l := range v.lines {
		most = max(most, l.Old, l.New)
	}
	return len(strconv.Itoa(most))
}

func (v *View) unified(lines []styled, width int) []string {
	t := &v.opts.Theme
	digits := v.numberWidth()
	var out []string
	for _, l := range lines {
		if s, ok := v.note(l, width); ok {
			out = append(out, s)
			continue
		}
		number := ""
		if !v.opts.NoNumbers && width > digits+8 {
			n := l.New
			if l.Kind == Removed {
				n = l.Old
			}
			number = pad(n, digits) + " "
		}
		sign, st := " ", t.Context
		switch l.Kind {
		case Added:
			sign, st = "+", t.Added
		case Removed:
			sign, st = "-", t.Removed
		}
		out = v.rows(out, l.text, number, sign, st, width)
	}
	return out
}

// rows wraps a line and puts the number and sign in front of it.
func (v *View) rows(out []string, s, number, sign string, st text.Style, width int) []string {
	t := &v.opts.Theme
	room := max(width-len(number)-2, 1)
	for i, l := range v.opts.Ruler.Wrap(s, room) {
		head := t.Number.Render(number) + sign + " "
		if i > 0 {
			head = text.Blanks(len(number) + 2)
		}
		if width < len(number)+3 {
			head = ""
		}
		line := head + l
		if !st.Bg.IsDefault() {
			line = v.opts.Ruler.Pad(line, width)
		}
		out = append(out, st.Paint(line))
	}
	return out
}

// note draws lines that are no text.
func (v *View) note(l styled, width int) (string, bool) {
	t := &v.opts.Theme
	switch l.Kind {
	case Gap:
		s := "⋯"
		if l.Text != "" {
			s = "⋯ " + l.Text + " lines"
			if l.Text == "1" {
				s = "⋯ 1 line"
			}
		}
		return t.Gap.Render(v.opts.Ruler.Truncate(s, width, "")), true
	case Info:
		return t.Info.Render(v.opts.Ruler.Truncate(l.Text, width, "…")), true
	}
	return "", false
}

func pad(n, digits int) string {
	s := ""
	if n > 0 {
		s = strconv.Itoa(n)
	}
	return text.Blanks(digits-len(s)) + s
}

// side puts old and new beside each other.
func (v *View) side(lines []styled, width int) []string {
	t := &v.opts.Theme
	digits := v.numberWidth()
	left := (width - 1) / 2
	right := width - 1 - left
	bar := t.Gap.Render("│")
	var out []string
	cell := func(l *styled, old bool, w int) []string {
		if l == nil {
			return nil
		}
		n, sign, st := l.New, " ", t.Context
		switch {
		case l.Kind == Removed:
			n, sign, st = l.Old, "-", t.Removed
		case l.Kind == Added:
			sign, st = "+", t.Added
		case old:
			n = l.Old
		}
		number := ""
		if !v.opts.NoNumbers {
			number = pad(n, digits) + " "
		}
		return v.rows(nil, l.text, number, sign, st, w)
	}
	pair := func(a, b *styled) {
		l, r := cell(a, true, left), cell(b, false, right)
		for i := range max(len(l), len(r)) {
			x, y := "", ""
			if i < len(l) {
				x = l[i]
			}
			if i < len(r) {
				y = r[i]
			}
			out = append(out, v.opts.Ruler.Pad(x, left)+bar+y)
		}
	}
	for i := 0; i < len(lines); {
		l := &lines[i]
		if s, ok := v.note(*l, width); ok {
			out = append(out, s)
			i++
			continue
		}
		if l.Kind == Same {
			pair(l, l)
			i++
			continue
		}
		r := i
		for i < len(lines) && lines[i].Kind == Removed {
			i++
		}
		a := i
		for i < len(lines) && lines[i].Kind == Added {
			i++
		}
		for k := range max(a-r, i-a) {
			var x, y *styled
			if r+k < a {
				x = &lines[r+k]
			}
			if a+k < i {
				y = &lines[a+k]
			}
			pair(x, y)
		}
	}
	return out
}
