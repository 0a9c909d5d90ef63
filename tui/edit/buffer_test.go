package edit

import (
	"fmt"
	"strings"
	"testing"

	"github.com/pi-go/pi/tui/text"
	"pgregory.net/rapid"
)

// mark shows the text with the cursor as "|".
func mark(b *Buffer) string {
	p := b.Cursor()
	lines := append([]string{}, b.Lines()...)
	lines[p.Row] = lines[p.Row][:p.Col] + "|" + lines[p.Row][p.Col:]
	return strings.Join(lines, "\n")
}

// at makes a buffer of a text with the cursor at "|".
func at(s string) *Buffer {
	i := strings.Index(s, "|")
	b := &Buffer{}
	b.Reset(strings.Replace(s, "|", "", 1))
	b.MoveTo(advance(Pos{}, s[:i]))
	return b
}

func TestEditing(t *testing.T) {
	t.Parallel()
	type ops = []func(*Buffer)
	bool0 := func(f func(*Buffer) bool) func(*Buffer) { return func(b *Buffer) { f(b) } }
	left, right := bool0((*Buffer).Left), bool0((*Buffer).Right)
	wl, wr := bool0((*Buffer).WordLeft), bool0((*Buffer).WordRight)
	undo, redo := bool0((*Buffer).Undo), bool0((*Buffer).Redo)
	kwb, kwf := bool0((*Buffer).KillWordBackward), bool0((*Buffer).KillWordForward)
	kls, kle := bool0((*Buffer).KillToLineStart), bool0((*Buffer).KillToLineEnd)
	yank, pop := bool0((*Buffer).Yank), bool0((*Buffer).YankPop)
	bs, del := bool0((*Buffer).DeleteLeft), bool0((*Buffer).DeleteRight)
	ins := func(s string) func(*Buffer) { return func(b *Buffer) { b.Insert(s) } }
	typ := func(s string) func(*Buffer) {
		return func(b *Buffer) {
			for s := s; s != ""; {
				n, _ := text.Cluster(s)
				b.Insert(s[:n])
				s = s[n:]
			}
		}
	}
	for _, tc := range []struct {
		name, from string
		ops        ops
		want       string
	}{
		{"insert", "a|c", ops{ins("b")}, "ab|c"},
		{"insert lines", "a|d", ops{ins("b\nc")}, "ab\nc|d"},
		{"line ends", "|", ops{ins("a\r\nb\rc")}, "a\nb\nc|"},
		{"left over a cluster", "a👩\u200d🚀|", ops{left}, "a|👩\u200d🚀"},
		{"left over a mark", "xe\u0301|", ops{left}, "x|e\u0301"},
		{"right over a line end", "a|\nb", ops{right}, "a\n|b"},
		{"left over a line end", "a\n|b", ops{left}, "a|\nb"},
		{"delete a cluster", "🇯🇵🇰🇷|", ops{bs}, "🇯🇵|"},
		{"delete joins lines", "a\n|b", ops{bs}, "a|b"},
		{"delete forward joins lines", "a|\nb", ops{del}, "a|b"},
		{"word left", "one two.three|", ops{wl}, "one two.|three"},
		{"word left over blanks", "one  |two", ops{wl}, "|one  two"},
		{"word left at a line start", "a\n|b", ops{wl}, "a|\nb"},
		{"word right", "|one two", ops{wr, wr}, "one two|"},
		{"word right in Chinese", "|中文abc", ops{wr}, "中文|abc"},
		{"kill word backward", "one two|", ops{kwb}, "one |"},
		{"kill word forward", "|one two", ops{kwf}, "| two"},
		{"kill to the line start", "a\nbc|d", ops{kls}, "a\n|d"},
		{"kill the line end before", "a\n|d", ops{kls}, "a|d"},
		{"kill to the line end", "a|bc\nd", ops{kle}, "a|\nd"},
		{"kill the line end", "a|\nd", ops{kle}, "a|d"},
		{"yank", "one two|", ops{kwb, yank, yank}, "one twotwo|"},
		{"kills go together", "one two three|", ops{kwb, kwb, yank}, "one two three|"},
		{"kills forward go together", "|one two", ops{kwf, kwf, yank}, "one two|"},
		{"kills apart", "one two|", ops{kwb, left, kwb, yank}, "one| "},
		{"yank pop", "one two|", ops{kwb, left, kwb, yank, pop}, "two| "},
		{"yank pop around", "one two|", ops{kwb, left, kwb, yank, pop, pop}, "one| "},
		{"yank pop only after a yank", "one two|", ops{kwb, left, kwb, yank, left, pop}, "on|e "},
		{"undo typing by words", "|", ops{typ("one two"), undo}, "one|"},
		{"undo all typing", "|", ops{typ("one two"), undo, undo}, "|"},
		{"redo", "|", ops{typ("one two"), undo, undo, redo}, "one|"},
		{"a move parts typing", "|", ops{typ("ab"), left, typ("c"), undo}, "a|b"},
		{"undo deletes together", "abc|", ops{bs, bs, undo}, "abc|"},
		{"undo deletes forward together", "|abc", ops{del, del, undo}, "|abc"},
		{"an edit ends redo", "|", ops{typ("a"), undo, typ("b"), redo}, "b|"},
		{"undo a kill", "one two|", ops{kwb, undo}, "one two|"},
		{"undo yank pop", "one two|", ops{kwb, left, kwb, yank, pop, undo}, "one| "},
		{"undo set text", "ab|", ops{func(b *Buffer) { b.SetText("xyz") }, undo}, "ab|"},
		{"find", "|one two", ops{func(b *Buffer) { b.Find("t", false) }}, "one |two"},
		{"find not at the cursor", "|tt", ops{func(b *Buffer) { b.Find("t", false) }}, "t|t"},
		{"find in the next line", "ab|\ncb", ops{func(b *Buffer) { b.Find("b", false) }}, "ab\nc|b"},
		{"find back", "one two|", ops{func(b *Buffer) { b.Find("o", true) }, func(b *Buffer) { b.Find("o", true) }}, "|one two"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			b := at(tc.from)
			for _, op := range tc.ops {
				op(b)
			}
			if got := mark(b); got != tc.want {
				t.Errorf("%q becomes %q, want %q", tc.from, got, tc.want)
			}
		})
	}
}

func TestPastesAreUnits(t *testing.T) {
	t.Parallel()
	var big strings.Builder
	for i := range 10000 {
		fmt.Fprintf(&big, "row %05d\t\x1b[31m\n", i)
	}
	b := at("before |after")
	b.InsertPaste(strings.ReplaceAll(big.String(), "\n", "\r"))
	want := "before " + big.String() + "after"
	if b.Text() != want {
		t.Error("the text is not whole")
	}
	line := b.Lines()[0]
	label, ok := b.PasteLabel([]rune(line)[7])
	if !ok || label != "[paste #1 +10001 lines]" {
		t.Errorf("label %q", label)
	}
	b.Left()
	if b.Cursor().Col != 7 {
		t.Errorf("left of the paste is column %d", b.Cursor().Col)
	}
	b.Right()
	b.DeleteLeft()
	if b.Text() != "before after" {
		t.Errorf("after deleting the paste: %q", b.Text())
	}
	b.Undo()
	if b.Text() != want {
		t.Error("undo does not bring the paste back")
	}
	b.Undo()
	b.Redo()
	if b.Text() != want {
		t.Error("redo does not bring the paste back")
	}
	b.Insert(string(rune(firstPaste)))
	if strings.Count(b.Text(), "row 00000") != 1 {
		t.Error("a character that was pasted stands for a paste")
	}
}

func TestBufferAgainstAString(t *testing.T) {
	t.Parallel()
	rapid.Check(t, againstAString)
}

// FuzzBufferAgainstAString lets the fuzzer choose the operations.
func FuzzBufferAgainstAString(f *testing.F) {
	f.Fuzz(rapid.MakeFuzz(againstAString))
}

// againstAString edits a buffer and its model, which is a string and an offset.
func againstAString(t *rapid.T) {
	b := &Buffer{}
	s, cur := "", 0
	offset := func() int {
		p, n := b.Cursor(), 0
		for _, l := range b.Lines()[:p.Row] {
			n += len(l) + 1
		}
		return n + p.Col
	}
	check := func(what string) {
		if b.Text() != s || offset() != cur {
			t.Fatalf("after %s: %q at %d, want %q at %d", what, b.Text(), offset(), s, cur)
		}
	}
	left := func() int {
		line := strings.LastIndexByte(s[:cur], '\n') + 1
		if line == cur {
			return max(cur-1, 0)
		}
		at := line
		for {
			n, _ := text.Cluster(s[at:])
			if at+n >= cur {
				return at
			}
			at += n
		}
	}
	right := func() int {
		if cur == len(s) {
			return cur
		}
		n, _ := text.Cluster(s[cur:])
		return cur + n
	}
	for range rapid.IntRange(1, 60).Draw(t, "steps") {
		switch op := rapid.IntRange(0, 9).Draw(t, "op"); op {
		case 0, 1, 2:
			in := rapid.SampledFrom([]string{"a", " ", "word ", "\n", "x\ny\n", "한", "é", "🇯🇵", "👩\u200d🚀", "1"}).Draw(t, "text")
			b.Insert(in)
			s, cur = s[:cur]+in+s[cur:], cur+len(in)
			check("insert")
		case 3:
			b.Left()
			cur = left()
			check("left")
		case 4:
			b.Right()
			cur = right()
			check("right")
		case 5:
			l := left()
			b.DeleteLeft()
			s, cur = s[:l]+s[cur:], l
			check("delete left")
		case 6:
			r := right()
			b.DeleteRight()
			s = s[:cur] + s[r:]
			check("delete right")
		case 7:
			e := strings.IndexByte(s[cur:], '\n')
			switch {
			case e < 0:
				e = len(s)
			case e == 0:
				e = cur + 1
			default:
				e += cur
			}
			b.KillToLineEnd()
			s = s[:cur] + s[e:]
			check("kill")
		case 8:
			b.LineStart()
			cur = strings.LastIndexByte(s[:cur], '\n') + 1
			check("line start")
		case 9:
			b.End()
			cur = len(s)
			check("end")
		}
	}
	n := 0
	for b.Undo() {
		n++
	}
	if b.Text() != "" {
		t.Fatalf("after undoing all: %q", b.Text())
	}
	for range n {
		b.Redo()
	}
	if b.Text() != s {
		t.Fatalf("after doing all again: %q, want %q", b.Text(), s)
	}
}

// FuzzBuffer runs operations on text of any kind: nothing may panic, the cursor
// stays at a boundary, and undo leads back.
func FuzzBuffer(f *testing.F) {
	f.Add("hello\nworld", []byte{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12})
	f.Add("\x1b[31m\xff\u200d한", []byte{12, 1, 5, 1, 6, 9, 10})
	f.Fuzz(func(t *testing.T, s string, ops []byte) {
		b := &Buffer{}
		b.Reset(s)
		first := b.Text()
		for _, op := range ops {
			switch op % 14 {
			case 0:
				b.Insert(s)
			case 1:
				b.Left()
			case 2:
				b.Right()
			case 3:
				b.WordLeft()
			case 4:
				b.WordRight()
			case 5:
				b.DeleteLeft()
			case 6:
				b.DeleteRight()
			case 7:
				b.KillWordBackward()
			case 8:
				b.KillToLineStart()
			case 9:
				b.Yank()
			case 10:
				b.YankPop()
			case 11:
				b.InsertPaste(s)
			case 12:
				b.MoveTo(Pos{int(op) % 7, int(op) % 13})
			case 13:
				b.Find("a", op > 100)
			}
			if len(b.Text()) > 1<<16 {
				break
			}
			if p := b.Cursor(); b.clamp(p) != p {
				t.Fatalf("the cursor %v is not at a boundary of %q", p, b.Lines()[p.Row])
			}
		}
		for b.Undo() {
		}
		if len(ops) < maxUndo && b.Text() != first {
			t.Fatalf("after undoing all: %q, want %q", b.Text(), first)
		}
	})
}

func BenchmarkInsert(b *testing.B) {
	buf := at(strings.Repeat("a line of some length\n", 2000) + "|")
	b.ReportAllocs()
	for b.Loop() {
		buf.Insert("x")
		buf.DeleteLeft()
	}
}

func TestRewriteKeepsPastes(t *testing.T) {
	var b Buffer
	b.Insert("see ")
	b.InsertPaste(strings.Repeat("many lines\n", 50))
	before := b.Text()
	mark := strings.TrimPrefix(b.Lines()[0], "see ")
	b.Rewrite("first\n"+mark+" of \U00100005 é", Pos{Row: 1, Col: len(mark)})
	if got, want := b.Text(), "first\n"+strings.TrimPrefix(before, "see ")+" of \ufffd é"; got != want {
		t.Errorf("got %.40q, want %.40q", got, want)
	}
	if got := b.Cursor(); got != (Pos{Row: 1, Col: len(mark)}) {
		t.Errorf("the cursor is at %v", got)
	}
	if b.Undo(); b.Text() != before {
		t.Errorf("undo gives %.40q", b.Text())
	}
}
