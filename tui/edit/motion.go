package edit

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// Left moves to the cluster before, also over a line end.
func (b *Buffer) Left() bool { return b.moveBy(b.left) }

// Right moves to the cluster after, also over a line end.
func (b *Buffer) Right() bool { return b.moveBy(b.right) }

// WordLeft moves to the beginning of the word, or of the one before.
func (b *Buffer) WordLeft() bool { return b.moveBy(b.wordLeft) }

// WordRight moves to the end of the word, or of the next one.
func (b *Buffer) WordRight() bool { return b.moveBy(b.wordRight) }

// LineStart moves to the beginning of the line.
func (b *Buffer) LineStart() bool {
	return b.moveBy(func(p Pos) Pos { return Pos{p.Row, 0} })
}

// LineEnd moves to the end of the line.
func (b *Buffer) LineEnd() bool {
	return b.moveBy(func(p Pos) Pos { return Pos{p.Row, len(b.lines[p.Row])} })
}

// Start moves to the beginning of the text.
func (b *Buffer) Start() bool { return b.moveBy(func(Pos) Pos { return Pos{} }) }

// End moves to the end of the text.
func (b *Buffer) End() bool { return b.moveBy(func(Pos) Pos { return b.end() }) }

// Find moves to the next place of a text after the cursor, or to the one before
// it if back is set, and reports whether there is one.
func (b *Buffer) Find(s string, back bool) bool {
	b.init()
	if s == "" {
		return false
	}
	p := b.cur
	if back {
		for row := p.Row; row >= 0; row-- {
			line := b.lines[row]
			if row == p.Row {
				line = line[:p.Col]
			}
			if i := strings.LastIndex(line, s); i >= 0 {
				b.MoveTo(Pos{row, i})
				return true
			}
		}
		return false
	}
	for row := p.Row; row < len(b.lines); row++ {
		from := 0
		if row == p.Row {
			from = b.right(p).Col
			if from == 0 {
				continue // the cursor is at the end of its line
			}
		}
		if i := strings.Index(b.lines[row][from:], s); i >= 0 {
			b.MoveTo(Pos{row, from + i})
			return true
		}
	}
	return false
}

func (b *Buffer) moveBy(f func(Pos) Pos) bool {
	b.init()
	to := f(b.cur)
	moved := to != b.cur
	b.cur = to
	b.last = kindNone
	return moved
}

func (b *Buffer) left(p Pos) Pos {
	if p.Col == 0 {
		if p.Row == 0 {
			return p
		}
		return Pos{p.Row - 1, len(b.lines[p.Row-1])}
	}
	line := b.lines[p.Row]
	// Clusters have to be counted from a safe place: the beginning of the line,
	// or the last blank.
	at := strings.LastIndexAny(line[:p.Col-1], " \t") + 1
	if at > p.Col-1 {
		at = 0
	}
	for {
		n := b.cluster(line[at:])
		if at+n >= p.Col {
			return Pos{p.Row, at}
		}
		at += n
	}
}

func (b *Buffer) right(p Pos) Pos {
	line := b.lines[p.Row]
	if p.Col == len(line) {
		if p.Row == len(b.lines)-1 {
			return p
		}
		return Pos{p.Row + 1, 0}
	}
	return Pos{p.Row, p.Col + b.cluster(line[p.Col:])}
}

// class is what a cluster is to the motions by words.
type class uint8

const (
	classBlank class = iota
	classWord
	classWide // scripts without blanks between words
	classSign
	classPaste
)

func classOf(cluster string) class {
	r, _ := utf8.DecodeRuneInString(cluster)
	switch {
	case unicode.IsSpace(r):
		return classBlank
	case isPasteRune(r):
		return classPaste
	case unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana):
		return classWide
	case r == '_' || unicode.IsLetter(r) || unicode.IsDigit(r) || unicode.IsMark(r):
		return classWord
	}
	return classSign
}

// wordLeft goes over blanks, and then over clusters of one class. Signs count as
// blanks in front of a word, so that it goes from word to word.
func (b *Buffer) wordLeft(p Pos) Pos {
	if p.Col == 0 {
		return b.left(p)
	}
	line := b.lines[p.Row]
	before := func(p Pos) class { return classOf(line[b.left(p).Col:p.Col]) }
	for p.Col > 0 && before(p) == classBlank {
		p = b.left(p)
	}
	if p.Col == 0 {
		return p
	}
	c := before(p)
	if c == classPaste {
		return b.left(p)
	}
	for p.Col > 0 && before(p) == c {
		p = b.left(p)
	}
	return p
}

func (b *Buffer) wordRight(p Pos) Pos {
	line := b.lines[p.Row]
	if p.Col == len(line) {
		return b.right(p)
	}
	after := func(p Pos) class { return classOf(line[p.Col:]) }
	for p.Col < len(line) && after(p) == classBlank {
		p = b.right(p)
	}
	if p.Col == len(line) {
		return p
	}
	c := after(p)
	if c == classPaste {
		return b.right(p)
	}
	for p.Col < len(line) && after(p) == c {
		p = b.right(p)
	}
	return p
}
