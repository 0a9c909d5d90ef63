package text

import "strconv"

// Attr is a set of character attributes.
type Attr uint8

// The attributes of a [Style]. Underline is apart, because it has kinds.
const (
	Bold Attr = 1 << iota
	Faint
	Italic
	Blink
	Inverse
	Hidden
	Strike
	Overline
)

// Underline is a kind of underline.
type Underline uint8

// The kinds of underline. Terminals that do not know a kind draw a single line.
const (
	UnderlineNone Underline = iota
	UnderlineSingle
	UnderlineDouble
	UnderlineCurly
	UnderlineDotted
	UnderlineDashed
)

// Color is a colour of the terminal. The zero value is the terminal's default.
type Color uint32

const (
	colorIndexed Color = 1 << 24
	colorRGB     Color = 2 << 24
)

// Indexed returns entry n of the terminal's palette: 0 to 7 are the standard
// colours, 8 to 15 the bright ones, the rest is the 256-colour cube.
func Indexed(n uint8) Color { return colorIndexed | Color(n) }

// RGB returns a colour by its red, green and blue parts.
func RGB(r, g, b uint8) Color { return colorRGB | Color(r)<<16 | Color(g)<<8 | Color(b) }

// IsDefault reports whether c is the terminal's default colour.
func (c Color) IsDefault() bool { return c == 0 }

// Index returns the palette entry of a colour made by [Indexed].
func (c Color) Index() (n uint8, ok bool) { return uint8(c), c&^0xff == colorIndexed }

// RGB returns the parts of a colour made by [RGB].
func (c Color) RGB() (r, g, b uint8, ok bool) {
	return uint8(c >> 16), uint8(c >> 8), uint8(c), c&0xff000000 == colorRGB
}

// Style is how text looks. The zero value is the terminal's default style.
// Styles can be compared with ==.
type Style struct {
	Fg, Bg         Color
	UnderlineColor Color
	Attr           Attr
	Underline      Underline
}

// Render returns s in the style, followed by a reset. Styles inside s win over
// it, but a reset inside s ends it; use [Style.Paint] for text that has styles.
func (st Style) Render(s string) string {
	if st == (Style{}) || s == "" {
		return s
	}
	b := make([]byte, 0, len(s)+32)
	b = st.AppendSGR(b)
	b = append(b, s...)
	return string(append(b, reset...))
}

// Paint returns s with the style under whatever styles s has: where s resets or
// leaves a part of the style unset, that part is st's. Use it for backgrounds.
func (st Style) Paint(s string) string {
	if st == (Style{}) || s == "" {
		return s
	}
	b := make([]byte, 0, len(s)+64)
	b = st.AppendSGR(b)
	var cur Style
	for i := 0; i < len(s); {
		if s[i] != escape {
			b = append(b, s[i])
			i++
			continue
		}
		seq := s[i : i+sequenceLen(s[i:])]
		i += len(seq)
		if !isSGR(seq) {
			b = append(b, seq...)
			continue
		}
		cur = cur.apply(seq)
		b = append(b, reset...)
		b = cur.over(st).AppendSGR(b)
	}
	return string(append(b, reset...))
}

// over fills what st leaves unset from under.
func (st Style) over(under Style) Style {
	if st.Fg == 0 {
		st.Fg = under.Fg
	}
	if st.Bg == 0 {
		st.Bg = under.Bg
	}
	if st.UnderlineColor == 0 {
		st.UnderlineColor = under.UnderlineColor
	}
	if st.Underline == 0 {
		st.Underline = under.Underline
	}
	st.Attr |= under.Attr
	return st
}

const reset = "\x1b[0m"

// AppendSGR appends the sequence that changes the terminal from the default
// style to st; nothing for the default style.
func (st Style) AppendSGR(b []byte) []byte {
	if st == (Style{}) {
		return b
	}
	b = append(b, escape, '[')
	start := len(b)
	for i, code := range [...]byte{'1', '2', '3', '5', '7', '8', '9'} {
		if st.Attr&(1<<i) != 0 {
			b = append(b, code, ';')
		}
	}
	if st.Attr&Overline != 0 {
		b = append(b, "53;"...)
	}
	switch st.Underline {
	case UnderlineNone:
	case UnderlineSingle:
		b = append(b, "4;"...)
	default:
		b = append(b, '4', ':', '0'+byte(st.Underline), ';')
	}
	b = appendColor(b, st.Fg, 30)
	b = appendColor(b, st.Bg, 40)
	b = appendColor(b, st.UnderlineColor, 50)
	if len(b) == start { // cannot happen, as st is not the default
		return b[:start-2]
	}
	b[len(b)-1] = 'm'
	return b
}

func appendColor(b []byte, c Color, base int) []byte {
	if c == 0 {
		return b
	}
	if n, ok := c.Index(); ok {
		switch {
		case n < 8 && base != 50:
			b = strconv.AppendInt(b, int64(base)+int64(n), 10)
		case n < 16 && base != 50:
			b = strconv.AppendInt(b, int64(base)+52+int64(n), 10)
		default:
			b = strconv.AppendInt(b, int64(base)+8, 10)
			b = append(b, ";5;"...)
			b = strconv.AppendInt(b, int64(n), 10)
		}
		return append(b, ';')
	}
	r, g, bl, _ := c.RGB()
	b = strconv.AppendInt(b, int64(base)+8, 10)
	b = append(b, ";2;"...)
	b = strconv.AppendInt(b, int64(r), 10)
	b = append(b, ';')
	b = strconv.AppendInt(b, int64(g), 10)
	b = append(b, ';')
	b = strconv.AppendInt(b, int64(bl), 10)
	return append(b, ';')
}

// Apply returns the style after the parameters of an SGR sequence, such as
// "1;38;5;208". Parameters that are not known change nothing.
func (st Style) Apply(params string) Style {
	p := sgrParams{s: params}
	for p.next() {
		n := p.value
		switch {
		case n == 0:
			st = Style{}
		case n == 4:
			st.Underline = UnderlineSingle
			if p.sub {
				if v, ok := p.subValue(); ok && v <= 5 {
					st.Underline = Underline(v)
				}
			}
		case n == 6:
			st.Attr |= Blink
		case n >= 1 && n <= 9:
			st.Attr |= sgrAttr[n]
		case n == 21:
			st.Underline = UnderlineDouble
		case n == 22:
			st.Attr &^= Bold | Faint
		case n == 24:
			st.Underline = UnderlineNone
		case n >= 23 && n <= 29:
			st.Attr &^= sgrAttr[n-20]
		case n >= 30 && n <= 37:
			st.Fg = Indexed(uint8(n - 30))
		case n >= 40 && n <= 47:
			st.Bg = Indexed(uint8(n - 40))
		case n >= 90 && n <= 97:
			st.Fg = Indexed(uint8(n - 82))
		case n >= 100 && n <= 107:
			st.Bg = Indexed(uint8(n - 92))
		case n == 39:
			st.Fg = 0
		case n == 49:
			st.Bg = 0
		case n == 59:
			st.UnderlineColor = 0
		case n == 53:
			st.Attr |= Overline
		case n == 55:
			st.Attr &^= Overline
		case n == 38:
			if c, ok := p.color(); ok {
				st.Fg = c
			}
		case n == 48:
			if c, ok := p.color(); ok {
				st.Bg = c
			}
		case n == 58:
			if c, ok := p.color(); ok {
				st.UnderlineColor = c
			}
		}
		p.skipSub()
	}
	return st
}

var sgrAttr = [10]Attr{1: Bold, 2: Faint, 3: Italic, 5: Blink, 7: Inverse, 8: Hidden, 9: Strike}

// apply is Apply of a whole sequence that isSGR.
func (st Style) apply(seq string) Style { return st.Apply(seq[2 : len(seq)-1]) }

// sgrParams reads numbers separated by ';', each with sub-parameters after ':'.
type sgrParams struct {
	s     string
	i     int
	begun bool
	value int
	sub   bool // a sub-parameter follows
}

func (p *sgrParams) next() bool {
	if p.begun {
		if p.i >= len(p.s) {
			return false
		}
		p.i++ // the ';'
	}
	p.begun = true
	p.number()
	return true
}

func (p *sgrParams) number() {
	v := 0
	for p.i < len(p.s) && p.s[p.i] >= '0' && p.s[p.i] <= '9' {
		v = min(v*10+int(p.s[p.i]-'0'), 1<<16)
		p.i++
	}
	for p.i < len(p.s) && p.s[p.i] != ';' && p.s[p.i] != ':' {
		p.i++ // not a parameter: skip it
	}
	p.value = v
	p.sub = p.i < len(p.s) && p.s[p.i] == ':'
}

func (p *sgrParams) subValue() (int, bool) {
	if !p.sub {
		return 0, false
	}
	p.i++
	p.number()
	return p.value, true
}

func (p *sgrParams) skipSub() {
	for p.sub {
		p.subValue()
	}
}

// color reads what follows 38, 48 or 58, in the form with ';' or with ':'.
func (p *sgrParams) color() (Color, bool) {
	if p.sub {
		var v [6]int
		n := 0
		for p.sub && n < len(v) {
			v[n], _ = p.subValue()
			n++
		}
		switch {
		case v[0] == 5 && n >= 2:
			return Indexed(uint8(v[1])), true
		case v[0] == 2 && n >= 5: // with a colour space before the parts
			return RGB(uint8(v[2]), uint8(v[3]), uint8(v[4])), true
		case v[0] == 2 && n == 4:
			return RGB(uint8(v[1]), uint8(v[2]), uint8(v[3])), true
		}
		return 0, false
	}
	if !p.next() {
		return 0, false
	}
	switch p.value {
	case 5:
		if p.next() {
			return Indexed(uint8(p.value)), true
		}
	case 2:
		var v [3]int
		for i := range v {
			if !p.next() {
				return 0, false
			}
			v[i] = p.value
		}
		return RGB(uint8(v[0]), uint8(v[1]), uint8(v[2])), true
	}
	return 0, false
}
