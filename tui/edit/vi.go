package edit

import (
	"strconv"
	"strings"
	"unicode"
)

// Vi edits a [Buffer] with the commands of vi. It begins in insert mode, where it
// only listens for escape; in normal mode it takes every key:
//
//	motions     h j k l  w b e W B E  0 ^ $  gg G  f F t T ; ,  { } %
//	operators   d c y with a motion or an object, dd cc yy, D C Y x X s S
//	objects     iw aw iW aW, and i or a with ' " ` ( [ { < and b B
//	insert      i a I A o O
//	the rest    r ~ J p P u ctrl+r .
//
// All take counts, before the operator and before the motion. There is one
// register, the newest entry of what the buffer has killed, so what is deleted
// here can be yanked in insert mode. There is no visual mode, and no command line.
//
// The zero Vi is ready to use. Like the buffer it belongs to one goroutine.
type Vi struct {
	normal  bool
	pending []string
	found   viCommand // the last f, F, t or T
	again   viCommand // what "." does
	typed   string    // what was typed after it
	change  bool      // the insert mode of now belongs to again
	start   Pos       // where insert mode began
	whole   string    // killed text that is whole lines
}

// Normal reports whether keys are commands.
func (v *Vi) Normal() bool { return v.normal }

// Pending returns the keys of a command that is not complete, such as "2d".
func (v *Vi) Pending() string { return strings.Join(v.pending, "") }

// Reset goes to insert mode, as for a new text.
func (v *Vi) Reset() { v.normal, v.pending, v.change = false, nil, false }

// Key does what a key is for, and reports whether it is for anything. key is the
// character that it types, or a name: "escape", "backspace", "ctrl+r".
func (v *Vi) Key(b *Buffer, key string) bool {
	b.init()
	if !v.normal {
		if key != "escape" {
			return false
		}
		v.leaveInsert(b)
		return true
	}
	switch {
	case key == "escape":
		had := len(v.pending) > 0
		v.pending = nil
		return had
	case key == "backspace" && len(v.pending) == 0:
		key = "h"
	case len(key) > 1 && key != "ctrl+r" && key[0] < 0x80:
		return false
	}
	v.pending = append(v.pending, key)
	c, state := parseVi(v.pending)
	if state == viMore {
		return true
	}
	v.pending = nil
	if state == viDone {
		v.do(b, c)
	}
	return true
}

// Settle puts the cursor where it may be in normal mode: on a character. It is for
// who moves it by other keys than those of vi.
func (v *Vi) Settle(b *Buffer) {
	b.init()
	if v.normal && b.cur.Col > 0 && b.cur.Col == len(b.lines[b.cur.Row]) {
		b.Left()
	}
}

// leaveInsert ends insert mode and notes what was typed in it.
func (v *Vi) leaveInsert(b *Buffer) {
	v.normal = true
	if v.change {
		v.typed = ""
		if b.clamp(v.start) == v.start && !b.cur.Before(v.start) {
			v.typed = b.between(v.start, b.cur)
		}
		v.change = false
	}
	if b.cur.Col > 0 {
		b.Left()
	}
	b.last = kindNone
}

// viCommand is a complete command.
type viCommand struct {
	count int    // 0 if none was given
	op    string // "d", "c", "y" or ""
	key   string // the motion, object or action; that of the operator for whole lines
	arg   string // the character of f, F, t, T and r
}

func (c viCommand) times() int { return max(c.count, 1) }

type viState uint8

const (
	viMore viState = iota // more keys have to come
	viDone
	viNot // no command begins like this
)

// Commands that are short for others.
var viShort = map[string][2]string{
	"D": {"d", "$"}, "C": {"c", "$"}, "Y": {"y", "y"}, "x": {"d", "l"}, "X": {"d", "h"}, "s": {"c", "l"}, "S": {"c", "c"},
}

// maxViCount keeps a slip of the finger from making the text huge.
const maxViCount = 9999

// parseVi reads the keys that were pressed so far.
func parseVi(keys []string) (c viCommand, state viState) {
	next := func() string {
		if len(keys) == 0 {
			return ""
		}
		k := keys[0]
		keys = keys[1:]
		return k
	}
	count := func() int {
		n := 0
		for len(keys) > 0 && len(keys[0]) == 1 && keys[0] >= "0" && keys[0] <= "9" && (n > 0 || keys[0] != "0") {
			d, _ := strconv.Atoi(next())
			n = min(n*10+d, maxViCount)
		}
		return n
	}
	c.count = count()
	c.key = next()
	if short, ok := viShort[c.key]; ok {
		c.op, c.key = short[0], short[1]
		return c, viDone
	}
	if c.key == "d" || c.key == "c" || c.key == "y" {
		c.op = c.key
		if n := count(); n > 0 {
			c.count = min(max(c.count, 1)*n, maxViCount)
		}
		if c.key = next(); c.key == c.op {
			return c, viDone
		}
	}
	actions := "iaIAoO~JpPu.;,"
	if c.op != "" {
		actions = ";,"
	}
	switch {
	case c.key == "":
		return c, viMore
	case strings.Contains("fFtT", c.key), c.key == "r" && c.op == "":
		if c.arg = next(); c.arg == "" {
			return c, viMore
		}
		return c, viDone
	case c.key == "g":
		switch next() {
		case "":
			return c, viMore
		case "g":
			c.key = "gg"
			return c, viDone
		}
		return c, viNot
	case c.op != "" && (c.key == "i" || c.key == "a"):
		object := next()
		if object == "" {
			return c, viMore
		}
		c.key += object
		if len(object) == 1 && strings.Contains("wW'\"`([{<)]}>bB", object) {
			return c, viDone
		}
		return c, viNot
	case len(c.key) == 1 && (strings.Contains("hjkl wbeWBE0^$G{}%", c.key) || strings.Contains(actions, c.key)), c.key == "ctrl+r" && c.op == "":
		return c, viDone
	}
	return c, viNot
}

// do carries a command out.
func (v *Vi) do(b *Buffer, c viCommand) {
	defer func() {
		v.Settle(b)
		b.last = kindNone
	}()
	switch c.key {
	case ".":
		v.repeat(b, c.count)
		return
	case "u", "ctrl+r":
		for range c.times() {
			if step := map[string]func() bool{"u": b.Undo, "ctrl+r": b.Redo}[c.key]; !step() {
				break
			}
		}
		return
	}
	if c.op == "" && len(c.key) == 1 && strings.Contains("iaIAoOr~JpP", c.key) {
		v.again, v.typed = c, ""
		v.act(b, c)
		return
	}
	s, ok := v.reach(b, c)
	if !ok {
		return
	}
	if c.op == "" {
		b.MoveTo(s.to)
		return
	}
	if c.op != "y" {
		v.again, v.typed = c, ""
	}
	v.operate(b, c.op, s)
}

// repeat does the last change once more, with another count if one is given.
func (v *Vi) repeat(b *Buffer, count int) {
	c, typed := v.again, v.typed
	if c.key == "" {
		return
	}
	if count > 0 {
		c.count = count
	}
	v.do(b, c)
	if !v.normal {
		b.edit(b.cur, b.cur, typed, kindOther)
		v.leaveInsert(b)
	}
	v.typed = typed
}

// insert goes to insert mode, for a change that can be repeated.
func (v *Vi) insert(b *Buffer) { v.normal, v.change, v.start = false, true, b.cur }

// act does what is no motion and no operator.
func (v *Vi) act(b *Buffer, c viCommand) {
	row := b.cur.Row
	line := b.lines[row]
	switch c.key {
	case "i":
		v.insert(b)
	case "a":
		if b.cur.Col < len(line) {
			b.Right()
		}
		v.insert(b)
	case "I":
		b.MoveTo(b.firstInk(row))
		v.insert(b)
	case "A":
		b.LineEnd()
		v.insert(b)
	case "o":
		b.LineEnd()
		b.edit(b.cur, b.cur, "\n", kindOther)
		v.insert(b)
	case "O":
		b.edit(Pos{row, 0}, Pos{row, 0}, "\n", kindOther)
		b.MoveTo(Pos{row, 0})
		v.insert(b)
	case "r":
		if to, n := b.along(b.cur, c.times()); n == c.times() {
			b.edit(b.cur, to, strings.Repeat(Clean(c.arg), n), kindOther)
			b.Left()
		}
	case "~":
		to, _ := b.along(b.cur, c.times())
		b.edit(b.cur, to, strings.Map(otherCase, b.between(b.cur, to)), kindOther)
	case "J":
		for range max(c.times()-1, 1) {
			b.join()
		}
	case "p", "P":
		v.put(b, c)
	}
}

func otherCase(r rune) rune {
	if unicode.IsUpper(r) {
		return unicode.ToLower(r)
	}
	return unicode.ToUpper(r)
}

// join puts the next line behind the line of the cursor.
func (b *Buffer) join() {
	row := b.cur.Row
	if row == len(b.lines)-1 {
		return
	}
	line, next := b.lines[row], b.lines[row+1]
	gap := " "
	if line == "" || strings.TrimSpace(next) == "" || strings.HasSuffix(line, " ") {
		gap = ""
	}
	at := Pos{row, len(line)}
	b.edit(at, b.firstInk(row+1), gap, kindOther)
	b.MoveTo(at)
}

// put inserts what was deleted or copied last.
func (v *Vi) put(b *Buffer, c viCommand) {
	if len(b.ring) == 0 {
		return
	}
	s := b.ring[len(b.ring)-1]
	row := b.cur.Row
	if s == v.whole && s != "" {
		all := strings.Repeat(s+"\n", c.times())
		at := Pos{row, 0}
		if c.key == "p" {
			at, all = Pos{row, len(b.lines[row])}, "\n"+strings.TrimSuffix(all, "\n")
			row++
		}
		b.edit(at, at, all, kindOther)
		b.MoveTo(b.firstInk(row))
		return
	}
	at := b.cur
	if c.key == "p" && at.Col < len(b.lines[row]) {
		at = b.right(at)
	}
	b.edit(at, at, strings.Repeat(s, c.times()), kindOther)
	if b.cur.Col > 0 {
		b.Left()
	}
}

// stretch is what a motion goes over, or an object takes up.
type stretch struct {
	from, to Pos
	lines    bool // whole lines
	with     bool // with the cluster at to
}

// operate deletes, changes or copies.
func (v *Vi) operate(b *Buffer, op string, s stretch) {
	if s.to.Before(s.from) {
		s.from, s.to = s.to, s.from
	}
	if s.lines {
		v.operateLines(b, op, s.from.Row, s.to.Row)
		return
	}
	if s.with && s.to.Col < len(b.lines[s.to.Row]) {
		s.to = b.right(s.to)
	}
	if text := b.between(s.from, s.to); text != "" {
		b.keepKilled(text, kindOther, false)
		v.whole = ""
	}
	b.MoveTo(s.from)
	if op == "y" {
		return
	}
	b.edit(s.from, s.to, "", kindOther)
	if op == "c" {
		v.insert(b)
	}
}

func (v *Vi) operateLines(b *Buffer, op string, first, last int) {
	v.whole = strings.Join(b.lines[first:last+1], "\n")
	b.keepKilled(v.whole, kindOther, false)
	end := Pos{last, len(b.lines[last])}
	switch {
	case op == "y":
		b.MoveTo(Pos{first, b.cur.Col})
	case op == "c":
		b.edit(Pos{first, 0}, end, "", kindOther)
		b.MoveTo(Pos{first, 0})
		v.insert(b)
	default:
		from := Pos{first, 0}
		if last < len(b.lines)-1 {
			end = Pos{last + 1, 0}
		} else if first > 0 {
			from = Pos{first - 1, len(b.lines[first-1])}
		}
		b.edit(from, end, "", kindOther)
		b.MoveTo(b.firstInk(min(first, len(b.lines)-1)))
	}
}
