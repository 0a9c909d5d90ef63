// Package edit holds text that is being edited: lines, a cursor, what was
// deleted, and what can be undone. It draws nothing; the editor and the input
// line of package tui do.
//
//	var b edit.Buffer
//	b.Insert("hello wrold")
//	b.WordLeft()
//	b.KillWordForward()
//	b.Insert("world")
//	b.Undo()
//
// A large paste can be kept as one unit, a [Buffer.InsertPaste]: it counts as one
// character for moving and deleting, and [Buffer.Text] has all of it.
//
// A Buffer belongs to one goroutine.
package edit

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/pi-go/pi/tui/text"
)

// Pos is a place in the text: a line, and an offset in bytes in it.
type Pos struct{ Row, Col int }

// Before reports whether p is nearer to the beginning than q.
func (p Pos) Before(q Pos) bool { return p.Row < q.Row || p.Row == q.Row && p.Col < q.Col }

// Buffer is a text with a cursor. The zero Buffer is an empty text.
type Buffer struct {
	lines  []string // at least one, once anything was done
	cur    Pos
	pastes []string
	undo   []change
	redo   []change
	ring   []string
	rev    int  // counts edits
	last   kind // what the last edit was
	yanked span // what the last yank inserted
	yankAt int  // entry of the ring it was
}

// kind is the kind of an edit: some kinds go on where the last one ended.
type kind uint8

const (
	kindNone kind = iota
	kindType
	kindDelete
	kindKillForward
	kindKillBackward
	kindYank
	kindOther
)

// change is one step that can be undone: at a place, one text became another.
type change struct {
	at                Pos
	removed, inserted string
	before, after     Pos // the cursor
	kind              kind
}

type span struct{ from, to Pos }

// maxUndo is how many steps can be undone.
const maxUndo = 1000

// A paste is one character of this range in the lines; the number is its index.
const (
	firstPaste = 0x100000
	lastPaste  = 0x10fffd
)

func (b *Buffer) init() {
	if len(b.lines) == 0 {
		b.lines = []string{""}
	}
}

// Lines returns the lines; pastes that are kept as units are one character in
// them, see [Buffer.Paste]. The caller must not change the slice.
func (b *Buffer) Lines() []string {
	b.init()
	return b.lines
}

// Cursor returns the place of the cursor.
func (b *Buffer) Cursor() Pos { return b.cur }

// Revision is another number after each change of the text.
func (b *Buffer) Revision() int { return b.rev }

// Empty reports whether there is no text.
func (b *Buffer) Empty() bool { return len(b.lines) == 0 || len(b.lines) == 1 && b.lines[0] == "" }

// Text returns the text with all pastes in full.
func (b *Buffer) Text() string { return b.expand(strings.Join(b.lines, "\n")) }

// TextBeforeCursor returns the text up to the cursor, with all pastes in full.
func (b *Buffer) TextBeforeCursor() string {
	b.init()
	return b.expand(strings.Join(append(append([]string{}, b.lines[:b.cur.Row]...), b.lines[b.cur.Row][:b.cur.Col]), "\n"))
}

func (b *Buffer) expand(s string) string {
	if len(b.pastes) == 0 {
		return s
	}
	var out strings.Builder
	for i, r := range s {
		if p, ok := b.Paste(r); ok {
			out.WriteString(p)
			continue
		}
		_, n := utf8.DecodeRuneInString(s[i:])
		out.WriteString(s[i : i+n])
	}
	return out.String()
}

// Paste returns the text of the paste that a character of a line stands for.
func (b *Buffer) Paste(r rune) (string, bool) {
	if r < firstPaste || int(r-firstPaste) >= len(b.pastes) {
		return "", false
	}
	return b.pastes[r-firstPaste], true
}

// PasteLabel returns what to show for a paste, such as "[paste #1 +120 lines]".
func (b *Buffer) PasteLabel(r rune) (string, bool) {
	p, ok := b.Paste(r)
	if !ok {
		return "", false
	}
	n := int(r-firstPaste) + 1
	if lines := strings.Count(p, "\n") + 1; lines > 1 {
		return fmt.Sprintf("[paste #%d +%d lines]", n, lines), true
	}
	return fmt.Sprintf("[paste #%d %d chars]", n, utf8.RuneCountInString(p)), true
}

// Clean makes text from elsewhere fit for a buffer: line ends become LF, bytes
// that are not UTF-8 become U+FFFD. Control characters stay: who draws the text
// makes them visible.
func Clean(s string) string { return cleaned(s, func(rune) bool { return false }) }

// cleaned is Clean but for those characters that stand for pastes and are to go on so.
func cleaned(s string, stay func(r rune) bool) string {
	s = strings.ReplaceAll(s, "\r\n", "\n")
	s = strings.ReplaceAll(s, "\r", "\n")
	s = strings.ToValidUTF8(s, "\ufffd")
	if strings.IndexFunc(s, isPasteRune) >= 0 {
		s = strings.Map(func(r rune) rune {
			if isPasteRune(r) && !stay(r) {
				return utf8.RuneError
			}
			return r
		}, s)
	}
	return s
}

func isPasteRune(r rune) bool { return r >= firstPaste && r <= lastPaste }

// SetText replaces the whole text, in one step that can be undone, and puts the
// cursor at its end.
func (b *Buffer) SetText(s string) {
	b.init()
	b.edit(Pos{}, b.end(), Clean(s), kindOther)
}

// Rewrite replaces the whole text, in one step that can be undone, and puts the cursor to
// a place. Characters of the text that stand for pastes do so in the new one, too.
func (b *Buffer) Rewrite(s string, at Pos) {
	b.init()
	b.edit(Pos{}, b.end(), cleaned(s, func(r rune) bool { _, ok := b.Paste(r); return ok }), kindOther)
	b.MoveTo(at)
}

// Reset replaces the whole text and forgets what could be undone. What was
// killed stays.
func (b *Buffer) Reset(s string) {
	b.rev++
	b.lines = strings.Split(Clean(s), "\n")
	b.cur = b.end()
	b.undo, b.redo, b.pastes, b.last = nil, nil, nil, kindNone
}

func (b *Buffer) end() Pos {
	b.init()
	row := len(b.lines) - 1
	return Pos{row, len(b.lines[row])}
}

// Insert inserts text at the cursor. Single characters that follow each other
// are undone together, word by word.
func (b *Buffer) Insert(s string) {
	b.insert(Clean(s))
}

func (b *Buffer) insert(s string) {
	k := kindOther
	if n, _ := text.Cluster(s); n == len(s) && s != "\n" {
		k = kindType
	}
	b.edit(b.cur, b.cur, s, k)
}

// InsertPaste inserts a paste as one unit.
func (b *Buffer) InsertPaste(s string) {
	if len(b.pastes) > lastPaste-firstPaste {
		b.Insert(s)
		return
	}
	b.pastes = append(b.pastes, Clean(s))
	b.edit(b.cur, b.cur, string(rune(firstPaste+len(b.pastes)-1)), kindOther)
}

// Replace replaces the text between two places, in one step.
func (b *Buffer) Replace(from, to Pos, s string) {
	b.edit(b.clamp(from), b.clamp(to), Clean(s), kindOther)
}

// MoveTo puts the cursor to a place, or to the nearest one that there is.
func (b *Buffer) MoveTo(p Pos) {
	b.cur = b.clamp(p)
	b.last = kindNone
}

func (b *Buffer) clamp(p Pos) Pos {
	b.init()
	p.Row = min(max(p.Row, 0), len(b.lines)-1)
	line := b.lines[p.Row]
	p.Col = min(max(p.Col, 0), len(line))
	// Not into the middle of a cluster.
	at := 0
	for at < p.Col {
		n := b.cluster(line[at:])
		if at+n > p.Col {
			break
		}
		at += n
	}
	p.Col = at
	return p
}

// cluster returns the size of the first cluster. A paste is always one.
func (b *Buffer) cluster(s string) int {
	n, _ := text.Cluster(s)
	if n == 1 || len(b.pastes) == 0 {
		if s[0] == 0x1b {
			return 1 // in a text an escape sequence is just characters
		}
		return n
	}
	if s[0] == 0x1b {
		return 1
	}
	r, size := utf8.DecodeRuneInString(s)
	if isPasteRune(r) {
		return size
	}
	for i, r := range s[:n] {
		if i > 0 && isPasteRune(r) {
			return i
		}
	}
	return n
}

// edit replaces the text between two places and notes the step.
func (b *Buffer) edit(from, to Pos, s string, k kind) {
	b.init()
	removed := b.between(from, to)
	if removed == s {
		b.last = kindNone
		b.cur = to
		return
	}
	before := b.cur
	b.splice(from, to, s)
	after := advance(from, s)
	if line := b.lines[after.Row]; after.Col < len(line) && line[after.Col] >= utf8.RuneSelf {
		after = b.clamp(after) // what follows may be a mark that joins what is before
	}
	b.cur = after
	b.note(change{from, removed, s, before, after, k})
	b.redo = nil
	b.last = k
}

// note adds a step, or makes the last one longer.
func (b *Buffer) note(c change) {
	if n := len(b.undo); n > 0 && b.last == c.kind {
		l := &b.undo[n-1]
		switch {
		case c.kind == kindType && l.after == c.at && c.removed == "" && !(blank(c.inserted) && !blank(lastRune(l.inserted))):
			l.inserted += c.inserted
			l.after = c.after
			return
		case c.kind == kindDelete && c.inserted == "" && c.before == l.after:
			if c.at == l.at { // forwards
				l.removed += c.removed
				return
			}
			if advance(c.at, c.removed) == l.at { // backwards
				l.at, l.removed, l.after = c.at, c.removed+l.removed, c.after
				return
			}
		}
	}
	b.undo = append(b.undo, c)
	if len(b.undo) > maxUndo {
		b.undo = append(b.undo[:0], b.undo[len(b.undo)-maxUndo:]...)
	}
}

func blank(s string) bool { return strings.TrimSpace(s) == "" }

func lastRune(s string) string {
	_, n := utf8.DecodeLastRuneInString(s)
	return s[len(s)-n:]
}

// between returns the text between two places.
func (b *Buffer) between(from, to Pos) string {
	if from.Row == to.Row {
		return b.lines[from.Row][from.Col:to.Col]
	}
	var out strings.Builder
	out.WriteString(b.lines[from.Row][from.Col:])
	for _, l := range b.lines[from.Row+1 : to.Row] {
		out.WriteByte('\n')
		out.WriteString(l)
	}
	out.WriteByte('\n')
	out.WriteString(b.lines[to.Row][:to.Col])
	return out.String()
}

// splice replaces the text between two places.
func (b *Buffer) splice(from, to Pos, s string) {
	b.rev++
	head, tail := b.lines[from.Row][:from.Col], b.lines[to.Row][to.Col:]
	if from.Row == to.Row && !strings.Contains(s, "\n") {
		b.lines[from.Row] = head + s + tail
		return
	}
	fresh := strings.Split(head+s+tail, "\n")
	rest := b.lines[to.Row+1:]
	lines := make([]string, 0, from.Row+len(fresh)+len(rest))
	lines = append(lines, b.lines[:from.Row]...)
	lines = append(lines, fresh...)
	b.lines = append(lines, rest...)
}

// advance returns the place after a text that begins at p.
func advance(p Pos, s string) Pos {
	n := strings.Count(s, "\n")
	if n == 0 {
		return Pos{p.Row, p.Col + len(s)}
	}
	return Pos{p.Row + n, len(s) - 1 - strings.LastIndexByte(s, '\n')}
}

// Undo takes the last step back and reports whether there was one.
func (b *Buffer) Undo() bool {
	if len(b.undo) == 0 {
		return false
	}
	c := b.undo[len(b.undo)-1]
	b.undo = b.undo[:len(b.undo)-1]
	b.splice(c.at, advance(c.at, c.inserted), c.removed)
	b.cur = c.before
	b.redo = append(b.redo, c)
	b.last = kindNone
	return true
}

// Redo does the last step again that was undone and reports whether there was one.
func (b *Buffer) Redo() bool {
	if len(b.redo) == 0 {
		return false
	}
	c := b.redo[len(b.redo)-1]
	b.redo = b.redo[:len(b.redo)-1]
	b.splice(c.at, advance(c.at, c.removed), c.inserted)
	b.cur = c.after
	b.undo = append(b.undo, c)
	b.last = kindNone
	return true
}
