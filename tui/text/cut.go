package text

import "strings"

// Truncate is [Ruler.Truncate] of the default Ruler.
func Truncate(s string, width int, tail string) string {
	return (*Ruler)(nil).Truncate(s, width, tail)
}

// Truncate returns s if it takes at most width columns, else as much of its
// beginning as leaves room for tail, followed by tail in the style that is in
// force there. The result is fit to be a line: tabs are blanks, there are no
// control characters, and it ends in the default style. Line feeds vanish, so
// split first. A tail wider than width is itself cut.
func (r *Ruler) Truncate(s string, width int, tail string) string {
	if len(s) <= width && isClean(s) {
		return s
	}
	width = max(width, 0)
	tailWidth := 0
	if tail != "" {
		if tailWidth = r.Width(tail); tailWidth > width {
			tail = r.Truncate(tail, width, "")
			tailWidth = r.Width(tail)
		}
	}
	cut, col, i := 0, 0, 0
	for i < len(s) {
		t := r.next(s[i:])
		if col+t.width > width {
			break
		}
		col += t.width
		i += t.size
		if col <= width-tailWidth {
			cut = i
		}
	}
	if i == len(s) {
		cut, tail = i, ""
	}
	if s = s[:cut]; isClean(s) {
		return s + tail
	}
	var p pen
	b := r.appendClean(make([]byte, 0, len(s)+len(tail)+8), s, &p)
	b = append(b, tail...)
	p.follow(tail)
	return string(p.close(b))
}

// Slice is [Ruler.Slice] of the default Ruler.
func Slice(s string, from, to int) string { return (*Ruler)(nil).Slice(s, from, to) }

// Slice returns the part of a line between two columns, with the styles and
// links that are in force there, ending in the default style. A wide cluster or
// tab that lies across an edge is replaced by blanks for the columns inside, so
// that the part is to-from columns wide where s reaches that far.
func (r *Ruler) Slice(s string, from, to int) string {
	from = max(from, 0)
	if to <= from {
		return ""
	}
	if isClean(s) && plainASCII(s) == len(s) {
		return s[min(from, len(s)):min(to, len(s))]
	}
	var p pen
	b := make([]byte, 0, len(s))
	col, opened := 0, false
	for i := 0; i < len(s) && col <= to; {
		t := r.next(s[i:])
		unit := s[i : i+t.size]
		i += t.size
		if t.kind == kindSequence {
			if !opened {
				p.take(unit)
			} else if col < to {
				b = r.appendClean(b, unit, &p)
			}
			continue
		}
		first, end := col, col+t.width
		col = end
		if t.width == 0 {
			// A mark belongs to the column before it.
			if opened && first > from && t.kind == kindText {
				b = append(b, unit...)
			}
			continue
		}
		if end <= from || first >= to {
			continue
		}
		if !opened {
			b = p.open(b)
			opened = true
		}
		if first >= from && end <= to {
			b = r.appendClean(b, unit, &p)
			continue
		}
		for range min(end, to) - max(first, from) {
			b = append(b, ' ')
		}
	}
	if opened {
		b = p.close(b)
	}
	return string(b)
}

// Pad is [Ruler.Pad] of the default Ruler.
func Pad(s string, width int) string { return (*Ruler)(nil).Pad(s, width) }

// Pad returns s with blanks after it up to width columns; s itself if it is as
// wide or wider.
func (r *Ruler) Pad(s string, width int) string {
	if n := width - r.Width(s); n > 0 {
		return s + Blanks(n)
	}
	return s
}

// Blanks returns n blanks.
func Blanks(n int) string {
	const blanks = "                                                                                "
	if n <= len(blanks) {
		return blanks[:max(n, 0)]
	}
	return strings.Repeat(" ", n)
}

// Strip returns s without its escape sequences.
func Strip(s string) string {
	i := strings.IndexByte(s, escape)
	if i < 0 {
		return s
	}
	var b strings.Builder
	b.Grow(len(s))
	for i >= 0 {
		b.WriteString(s[:i])
		s = s[i+sequenceLen(s[i:]):]
		i = strings.IndexByte(s, escape)
	}
	b.WriteString(s)
	return b.String()
}
