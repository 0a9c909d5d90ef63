package edit

import "strings"

// reach gives what a command goes over from the cursor: to is where its motion
// ends. It reports whether there is such a place.
func (v *Vi) reach(b *Buffer, c viCommand) (stretch, bool) {
	if len(c.key) == 2 && c.key != "gg" {
		return b.object(c)
	}
	if c.key == c.op { // whole lines from here
		last := b.cur.Row + c.times() - 1
		return stretch{from: b.cur, to: Pos{Row: min(last, len(b.lines)-1)}, lines: true}, true
	}
	s := stretch{from: b.cur, to: b.cur}
	row, line := b.cur.Row, b.lines[b.cur.Row]
	switch c.key {
	case "h":
		for range c.times() {
			if s.to.Col > 0 {
				s.to = b.left(s.to)
			}
		}
	case "l", " ":
		s.to, _ = b.along(s.to, c.times())
	case "j", "k":
		to := row + c.times()
		if c.key == "k" {
			to = row - c.times()
		}
		if to = min(max(to, 0), len(b.lines)-1); to == row {
			return s, false
		}
		s.to, s.lines = b.clamp(Pos{to, b.cur.Col}), true
	case "0":
		s.to.Col = 0
	case "^":
		s.to = b.firstInk(row)
	case "$":
		to := min(row+c.times()-1, len(b.lines)-1)
		s.to = Pos{to, len(b.lines[to])}
	case "gg", "G":
		to := len(b.lines) - 1
		if c.count > 0 {
			to = min(c.count, len(b.lines)) - 1
		} else if c.key == "gg" {
			to = 0
		}
		s.to, s.lines = b.firstInk(to), true
	case "{", "}":
		for range c.times() {
			s.to = b.paragraph(s.to, c.key == "{")
		}
	case "%":
		var ok bool
		if s.to, ok = b.partner(b.cur); !ok {
			return s, false
		}
		s.with = true
		if s.to.Before(s.from) { // the one under the cursor belongs to it as well
			s.from, s.to = s.to, s.from
			if c.op == "" {
				s.to = s.from
			}
		}
	case "f", "F", "t", "T":
		v.found = c
		return b.findIn(line, c)
	case ";", ",":
		f := v.found
		if f.key == "" {
			return s, false
		}
		if c.key == "," {
			f.key = map[string]string{"f": "F", "F": "f", "t": "T", "T": "t"}[f.key]
		}
		f.count = c.count
		return b.findIn(line, f)
	default:
		return b.words(c)
	}
	return s, true
}

// words are the motions w, b and e.
func (b *Buffer) words(c viCommand) (stretch, bool) {
	s := stretch{from: b.cur, to: b.cur}
	big := c.key == strings.ToUpper(c.key)
	key := strings.ToLower(c.key)
	if key == "w" && c.op == "c" && b.classAt(b.cur, big) != classBlank {
		key = "e" // cw leaves the blanks behind the word
		s.with = true
		for i := range c.times() {
			if next := b.right(s.to); i > 0 || b.classAt(next, big) == b.classAt(s.to, big) && next.Row == s.to.Row {
				s.to = b.wordEnd(s.to, big)
			}
		}
		return s, true
	}
	for range c.times() {
		switch key {
		case "w":
			s.to = b.nextWord(s.to, big)
		case "b":
			s.to = b.wordStart(s.to, big)
		case "e":
			s.to, s.with = b.wordEnd(s.to, big), true
		}
	}
	if key == "w" && c.op != "" && s.to.Row > s.from.Row && !b.firstInk(s.to.Row).Before(s.to) {
		s.to = Pos{s.to.Row - 1, len(b.lines[s.to.Row-1])} // the line stays one
	}
	return s, s.to != s.from || s.with
}

// classAt is what stands at p; the end of a line is blank. With big all but
// blanks is one class.
func (b *Buffer) classAt(p Pos, big bool) class {
	line := b.lines[p.Row]
	if p.Col == len(line) {
		return classBlank
	}
	if c := classOf(line[p.Col:]); c == classBlank || !big {
		return c
	}
	return classWord
}

func (b *Buffer) nextWord(p Pos, big bool) Pos {
	for c := b.classAt(p, big); c != classBlank && b.classAt(p, big) == c; {
		p = b.right(p)
	}
	for b.classAt(p, big) == classBlank {
		next := b.right(p)
		if next == p {
			return p
		}
		if p = next; b.lines[p.Row] == "" {
			return p
		}
	}
	return p
}

func (b *Buffer) wordEnd(p Pos, big bool) Pos {
	for p = b.right(p); b.classAt(p, big) == classBlank; {
		next := b.right(p)
		if next == p {
			return p
		}
		p = next
	}
	for c := b.classAt(p, big); b.classAt(b.right(p), big) == c; {
		p = b.right(p)
	}
	return p
}

func (b *Buffer) wordStart(p Pos, big bool) Pos {
	for p = b.left(p); b.classAt(p, big) == classBlank; {
		if p == (Pos{}) || b.lines[p.Row] == "" {
			return p
		}
		p = b.left(p)
	}
	for c := b.classAt(p, big); p.Col > 0 && b.classAt(b.left(p), big) == c; {
		p = b.left(p)
	}
	return p
}

// paragraph goes to the next empty line, or to the one before.
func (b *Buffer) paragraph(p Pos, back bool) Pos {
	step := 1
	if back {
		step = -1
	}
	row := p.Row
	for row >= 0 && row < len(b.lines) && b.lines[row] == "" {
		row += step
	}
	for row >= 0 && row < len(b.lines) && b.lines[row] != "" {
		row += step
	}
	switch {
	case row < 0:
		return Pos{}
	case row == len(b.lines):
		return b.end()
	}
	return Pos{Row: row}
}

// firstInk is the place of the first character of a line that is not blank.
func (b *Buffer) firstInk(row int) Pos {
	line := b.lines[row]
	return Pos{row, len(line) - len(strings.TrimLeft(line, " \t"))}
}

// along goes n clusters forward in a line, and tells how many there were.
func (b *Buffer) along(p Pos, n int) (Pos, int) {
	for i := range n {
		if p.Col == len(b.lines[p.Row]) {
			return p, i
		}
		p = b.right(p)
	}
	return p, n
}

// findIn finds the character of f, F, t or T in the line of the cursor.
func (b *Buffer) findIn(line string, c viCommand) (stretch, bool) {
	at := b.cur
	back := c.key == "F" || c.key == "T"
	short := c.key == "t" || c.key == "T"
	for i := range c.times() {
		from := at
		if back {
			if short && i == 0 && from.Col > 0 && strings.HasSuffix(line[:from.Col], c.arg) {
				from = b.left(from) // right behind one is already there
			}
			if at.Col = strings.LastIndex(line[:from.Col], c.arg); at.Col < 0 {
				return stretch{}, false
			}
			continue
		}
		next, n := b.along(from, 1)
		if short && i == 0 && n == 1 && strings.HasPrefix(line[next.Col:], c.arg) {
			next, n = b.along(next, 1)
		}
		found := strings.Index(line[next.Col:], c.arg)
		if n == 0 || found < 0 {
			return stretch{}, false
		}
		at.Col = next.Col + found
	}
	if short && back {
		at.Col += len(c.arg)
	} else if short {
		at = b.left(at)
	}
	return stretch{from: b.cur, to: at, with: !back}, true
}

// object gives what an object such as "iw" or "a(" takes up.
func (b *Buffer) object(c viCommand) (stretch, bool) {
	around, kind := c.key[0] == 'a', c.key[1]
	switch kind {
	case 'w', 'W':
		return b.wordObject(c.times(), around, kind == 'W'), true
	case '\'', '"', '`':
		return b.quoted(string(kind), around)
	}
	opening := map[byte]byte{'b': '(', ')': '(', 'B': '{', '}': '{', ']': '[', '>': '<'}
	if o, ok := opening[kind]; ok {
		kind = o
	}
	from, ok := b.enclosing(b.cur, kind)
	if !ok {
		return stretch{}, false
	}
	to, ok := b.partner(from)
	if !ok {
		return stretch{}, false
	}
	if around {
		return stretch{from: from, to: to, with: true}, true
	}
	return stretch{from: Pos{from.Row, from.Col + 1}, to: to}, true
}

func (b *Buffer) wordObject(n int, around, big bool) stretch {
	line := b.lines[b.cur.Row]
	s := stretch{from: b.cur, to: b.cur}
	at := b.classAt(b.cur, big)
	for s.from.Col > 0 && b.classAt(b.left(s.from), big) == at {
		s.from = b.left(s.from)
	}
	run := func() {
		for c := b.classAt(s.to, big); s.to.Col < len(line) && b.classAt(s.to, big) == c; {
			s.to = b.right(s.to)
		}
	}
	for range n {
		run()
		if around {
			run()
		}
	}
	if end := line[:s.to.Col]; around && at != classBlank && strings.TrimRight(end, " \t") == end {
		for s.from.Col > 0 && b.classAt(b.left(s.from), big) == classBlank {
			s.from = b.left(s.from) // no blanks behind the word: those in front
		}
	}
	return s
}

// quoted finds the pair of quotes around the cursor, or the next one in the line.
func (b *Buffer) quoted(quote string, around bool) (stretch, bool) {
	row, line := b.cur.Row, b.lines[b.cur.Row]
	at := 0
	for {
		open := strings.Index(line[at:], quote)
		if open < 0 {
			return stretch{}, false
		}
		open += at
		end := strings.Index(line[open+1:], quote)
		if end < 0 {
			return stretch{}, false
		}
		end += open + 1
		if end >= b.cur.Col {
			if around {
				return stretch{from: Pos{row, open}, to: Pos{row, end + 1}}, true
			}
			return stretch{from: Pos{row, open + 1}, to: Pos{row, end}}, true
		}
		at = end + 1
	}
}

const brackets = "()[]{}<>"

// partner finds the bracket that belongs to the one at p, or to the first one
// behind p in its line.
func (b *Buffer) partner(p Pos) (Pos, bool) {
	i := strings.IndexAny(b.lines[p.Row][p.Col:], brackets[:6])
	if c := b.lines[p.Row][p.Col:]; c != "" && c[0] == '<' {
		i = 0
	}
	if i < 0 {
		return p, false
	}
	p.Col += i
	kind := b.lines[p.Row][p.Col]
	at := strings.IndexByte(brackets, kind)
	if at%2 == 0 {
		return b.scan(p, brackets[at+1], kind, 1)
	}
	return b.scan(p, brackets[at-1], kind, -1)
}

// enclosing finds the opening bracket of a kind that p is in.
func (b *Buffer) enclosing(p Pos, kind byte) (Pos, bool) {
	if line := b.lines[p.Row]; p.Col < len(line) && line[p.Col] == kind {
		return p, true
	}
	return b.scan(p, kind, brackets[strings.IndexByte(brackets, kind)+1], -1)
}

// scan goes byte by byte from p, which it leaves out, to the bracket that is
// wanted, over pairs of it and other.
func (b *Buffer) scan(p Pos, want, other byte, step int) (Pos, bool) {
	depth := 0
	for row, col := p.Row, p.Col+step; ; {
		line := b.lines[row]
		for ; col >= 0 && col < len(line); col += step {
			switch line[col] {
			case other:
				depth++
			case want:
				if depth == 0 {
					return Pos{row, col}, true
				}
				depth--
			}
		}
		if row += step; row < 0 || row == len(b.lines) {
			return p, false
		}
		if col = 0; step < 0 {
			col = len(b.lines[row]) - 1
		}
	}
}
