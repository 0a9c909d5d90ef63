package render

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/pi-go/pi/tui/text"
	"github.com/pi-go/pi/tui/tuitest"
)

// counter makes Lines that count how many lines are read.
type counter struct {
	Slice
	read *int
}

func (c counter) Line(i int) string { *c.read++; return c.Slice[i] }

func numbered(n int) []string {
	lines := make([]string, n)
	for i := range lines {
		lines[i] = fmt.Sprintf("line %03d", i)
	}
	return lines
}

func TestRowsChangeFromTheFirstToTheLastDifferingCell(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct{ name, old, new, want string }{
		{"token at the end", "the quick", "the quick brown", "\x1b[10G brown"},
		{"middle", "one two three", "one TWO three", "\x1b[5GTWO"},
		{"middle, other width", "one two three", "one 2 three", "\x1b[5G2 three\x1b[K"},
		{"shorter", "one two", "one", "\x1b[4G\x1b[K"},
		{"empty", "one", "", "\r\x1b[K"},
		{"style at the place", "\x1b[31mab\x1b[0m", "\x1b[31mabc\x1b[0m", "\x1b[3G\x1b[31mc\x1b[0m"},
		{"only the style of a part", "a\x1b[31mb\x1b[0mc", "a\x1b[32mb\x1b[0mc", "\x1b[2G\x1b[32mb\x1b[0m"},
		{"mark joins", "ex", "e\u0301x", "\re\u0301"},
		{"wide shares its first bytes", "가나", "가낙", "\x1b[3G낙"},
		{"link at the place", "\x1b]8;;u\x1b\\ab\x1b]8;;\x1b\\", "\x1b]8;;u\x1b\\ac\x1b]8;;\x1b\\", "\x1b[2G\x1b]8;;u\x1b\\c\x1b]8;;\x1b\\"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			r := NewInline(40, 5, Options{})
			r.Draw(nil, Frame{Lines: Slice{tc.old}})
			got := string(r.Draw(nil, Frame{Lines: Slice{tc.new}}))
			if want := syncBegin + tc.want + syncEnd; got != want {
				t.Errorf("%q -> %q writes %q, want %q", tc.old, tc.new, got, want)
			}
		})
	}
}

func TestFrameIsBracketedOnceAndNothingIsWrittenForNothing(t *testing.T) {
	t.Parallel()
	r := NewInline(20, 5, Options{})
	out := string(r.Draw(nil, Frame{Lines: Slice(numbered(3))}))
	if !strings.HasPrefix(out, syncBegin) || !strings.HasSuffix(out, syncEnd) || strings.Count(out, "2026") != 2 {
		t.Errorf("frame %q is not one synchronized update", out)
	}
	if out := r.Draw([]byte("x"), Frame{Lines: Slice(numbered(3))}); string(out) != "x" {
		t.Errorf("the same frame again writes %q", out)
	}
}

func TestLinesThatBreakTheRulesAreMended(t *testing.T) {
	t.Parallel()
	term := tuitest.New(5, 4)
	r := NewInline(5, 4, Options{})
	fmt.Fprintf(term, "%s", r.Draw(nil, Frame{Lines: Slice{"too wide", "\x1b[31mopen", "a\tb\r\x1b[2J", "한글한글"}}))
	want := []string{"too w", "open", "a    ", "한글"}
	for i := range want {
		want[i] = strings.TrimRight(want[i], " ")
	}
	if diff := cmp.Diff(want, term.Screen()); diff != "" {
		t.Errorf("screen (-want +got):\n%s", diff)
	}
	if got := term.Cell(0, 2).Style; got != (text.Style{}) {
		t.Errorf("the open style of row 1 reaches row 2: %+v", got)
	}
}

func TestInlineKeepsTheShellAndScrollsEachLineOnce(t *testing.T) {
	t.Parallel()
	term := tuitest.New(20, 5)
	fmt.Fprint(term, "$ ls\r\nfile\r\n")
	r := NewInline(20, 5, Options{})
	lines := []string{}
	for i := range 12 {
		lines = append(lines, fmt.Sprintf("line %d", i))
		frame := append(append([]string{}, lines...), "> prompt")
		fmt.Fprintf(term, "%s", r.Draw(nil, Frame{Lines: Slice(frame), Keep: i}))
	}
	want := append([]string{"$ ls", "file"}, append(lines, "> prompt")...)
	if diff := cmp.Diff(want, term.All()); diff != "" {
		t.Errorf("scrollback and screen (-want +got):\n%s", diff)
	}
	if n := term.Clears(); n != 0 {
		t.Errorf("the screen was cleared %d times", n)
	}
	fmt.Fprintf(term, "%s$ ", r.Finish(nil))
	if all := term.All(); all[len(all)-1] != "$" {
		t.Errorf("after the end the prompt is not on a line of its own: %q", all)
	}
}

// An answer streams while the size changes; when settled, each line is there
// once, in order, and the caret is in the editor.
func TestResizeWhileAnAnswerStreams(t *testing.T) {
	t.Parallel()
	term := tuitest.New(100, 30)
	r := NewInline(100, 30, Options{})
	sizes := map[int][2]int{20: {66, 30}, 35: {120, 20}, 50: {100, 40}, 65: {66, 30}}
	draw := func(n int) {
		lines := append(numbered(n), "────", "> ")
		fmt.Fprintf(term, "%s", r.Draw(nil, Frame{Lines: Slice(lines), Cursor: Cursor{Row: len(lines) - 1, Col: 2, Set: true}}))
	}
	for n := 1; n <= 80; n++ {
		before := term.Clears()
		if s, ok := sizes[n]; ok {
			term.Resize(s[0], s[1])
			r.Resize(s[0], s[1])
		}
		draw(n)
		if term.Clears() != before {
			t.Fatalf("line %d: drawing cleared the screen", n)
		}
	}
	if !r.Stale() {
		t.Fatal("after the resizes the scrollback is not stale")
	}
	r.Reemit()
	draw(80)
	if r.Stale() {
		t.Error("stale after everything was written again")
	}
	if diff := cmp.Diff(append(numbered(80), "────", ">"), term.All()); diff != "" {
		t.Errorf("scrollback and screen (-want +got):\n%s", diff)
	}
	x, y, visible := term.Cursor()
	if x != 2 || y != 29 || !visible {
		t.Errorf("cursor at %d,%d, visible %v; want 2,29 in the editor", x, y, visible)
	}
}

func TestKeepScrollbackIsNeverStale(t *testing.T) {
	t.Parallel()
	r := NewInline(20, 5, Options{KeepScrollback: true})
	r.Draw(nil, Frame{Lines: Slice(numbered(20))})
	r.Resize(30, 5)
	r.Draw(nil, Frame{Lines: Slice(numbered(20))})
	if r.Stale() {
		t.Error("stale although the scrollback is to be kept")
	}
}

func TestInlineReadsOnlyWhatItNeeds(t *testing.T) {
	t.Parallel()
	lines := numbered(5000)
	read := 0
	r := NewInline(80, 24, Options{})
	r.Draw(nil, Frame{Lines: counter{lines, &read}})
	read = 0
	lines = append(lines, "one more")
	r.Draw(nil, Frame{Lines: counter{lines, &read}, Keep: 5000})
	if read > 2 {
		t.Errorf("a line was appended: %d lines were read", read)
	}
}

func TestFullScrollsWithARegion(t *testing.T) {
	t.Parallel()
	term := tuitest.New(40, 12)
	fmt.Fprint(term, "\x1b[?1049h")
	r := NewFull(40, 12, Options{})
	all := numbered(100)
	draw := func(offset int, known bool, by int) int {
		rows := append(append([]string{}, all[offset:offset+10]...), "────", "> ")
		out := r.Draw(nil, Screen{Rows: rows, ScrollBottom: 10, ScrollKnown: known, Scrolled: by, Cursor: Cursor{Row: 11, Col: 2, Set: true}})
		_, _ = term.Write(out)
		for i := range rows {
			rows[i] = strings.TrimRight(rows[i], " ")
		}
		if diff := cmp.Diff(rows, term.Screen()); diff != "" {
			t.Fatalf("offset %d (-want +got):\n%s", offset, diff)
		}
		return len(out)
	}
	draw(0, false, 0)
	for _, step := range []struct {
		offset int
		known  bool
		by     int
	}{{1, false, 0}, {4, true, 3}, {2, false, 0}, {1, true, -1}} {
		if n := draw(step.offset, step.known, step.by); n > 90 {
			t.Errorf("scrolling to %d took %d bytes", step.offset, n)
		}
	}
	draw(60, true, 59) // too far to be a scroll
}

// The budgets of a frame: bytes and allocations, which do not depend on the
// machine.
func TestFrameBudget(t *testing.T) {
	for name, bench := range frames() {
		t.Run(name, func(t *testing.T) {
			step := bench.start()
			var buf []byte
			bytes, frames := 0, 200
			allocs := testing.AllocsPerRun(frames, func() {
				buf = step(buf[:0])
				bytes += len(buf)
			})
			if n := bytes / (frames + 1); n > bench.bytes {
				t.Errorf("%d bytes a frame, budget %d; the last one: %q", n, bench.bytes, buf)
			}
			if allocs > 20 {
				t.Errorf("%.0f allocations a frame, budget 20", allocs)
			}
		})
	}
}

type frameBench struct {
	bytes int
	start func() (step func([]byte) []byte)
}

// frames are the two frames that matter most: a token and a line appended to a
// transcript of 5,000 lines at 120x40.
func frames() map[string]frameBench {
	const width, height, bottom = 120, 40, 3
	transcript := func() []string {
		lines := make([]string, 5000, 8000)
		for i := range lines {
			lines[i] = fmt.Sprintf("\x1b[1m%04d\x1b[0m 한글 some \x1b[32mwords\x1b[0m of a line that is %d long", i, i%60)
		}
		return lines
	}
	fixed := []string{strings.Repeat("─", width), "> ", "status"}
	token := func(lines []string, i int) {
		last := len(lines) - 1
		if i%20 == 0 {
			lines[last] = ""
		}
		lines[last] += "token"
	}
	inline := func(change func(lines []string, i int) []string) func() func([]byte) []byte {
		return func() func([]byte) []byte {
			lines := transcript()
			r := NewInline(width, height, Options{})
			all := append(lines, fixed...)
			r.Draw(nil, Frame{Lines: Slice(all)})
			i := 0
			return func(dst []byte) []byte {
				i++
				lines = change(lines, i)
				all = append(lines, fixed...)
				return r.Draw(dst, Frame{Lines: Slice(all), Keep: len(lines) - 1})
			}
		}
	}
	full := func(change func(lines []string, i int) []string) func() func([]byte) []byte {
		return func() func([]byte) []byte {
			lines := transcript()
			r := NewFull(width, height, Options{})
			rows := make([]string, height)
			draw := func(dst []byte) []byte {
				copy(rows, lines[len(lines)-(height-bottom):])
				copy(rows[height-bottom:], fixed)
				return r.Draw(dst, Screen{Rows: rows, ScrollBottom: height - bottom})
			}
			draw(nil)
			i := 0
			return func(dst []byte) []byte {
				i++
				lines = change(lines, i)
				return draw(dst)
			}
		}
	}
	appendToken := func(lines []string, i int) []string { token(lines, i); return lines }
	appendLine := func(lines []string, i int) []string {
		return append(lines, fmt.Sprintf("appended line %d with \x1b[32msome\x1b[0m colour", i))
	}
	return map[string]frameBench{
		"full/token":   {40, full(appendToken)},
		"full/line":    {300, full(appendLine)},
		"inline/token": {40, inline(appendToken)},
		"inline/line":  {300, inline(appendLine)},
	}
}

func BenchmarkFrame(b *testing.B) {
	for name, bench := range frames() {
		b.Run(name, func(b *testing.B) {
			step := bench.start()
			var buf []byte
			bytes, n := 0, 0
			b.ReportAllocs()
			for b.Loop() {
				buf = step(buf[:0])
				bytes += len(buf)
				n++
			}
			b.ReportMetric(float64(bytes)/float64(n), "bytes/frame")
		})
	}
}

// Terminals without scroll regions and inserted lines get rows written again.
func TestWithoutScrollingRowsAreWrittenAgain(t *testing.T) {
	t.Parallel()
	lines := numbered(30)
	moves := regexp.MustCompile(`\x1b\[[0-9;]*[rSTLM]`)
	full, inline := NewFull(20, 10, Options{NoScroll: true}), NewInline(20, 10, Options{NoScroll: true})
	tt, ti := tuitest.New(20, 10), tuitest.New(20, 10)
	for i := range 10 {
		out := full.Draw(nil, Screen{Rows: append(slices.Clone(lines[i:i+9]), "bottom"), ScrollBottom: 9})
		if i > 0 && moves.Match(out) {
			t.Errorf("full screen: frame %d moves rows: %q", i, out)
		}
		_, _ = tt.Write(out)
		out = inline.Draw(nil, Frame{Lines: Slice(append(slices.Clone(lines[:3+i]), "bottom"))})
		if moves.Match(out) {
			t.Errorf("regular mode: frame %d moves rows: %q", i, out)
		}
		_, _ = ti.Write(out)
	}
	if diff := cmp.Diff(append(slices.Clone(lines[9:18]), "bottom"), tt.Screen()); diff != "" {
		t.Errorf("full screen (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff(append(slices.Clone(lines[:12]), "bottom"), ti.All()); diff != "" {
		t.Errorf("regular mode (-want +got):\n%s", diff)
	}
}

// A terminal can take a screen that is erased from its first cell on for one that is
// cleared, and tmux keeps a cleared screen in its history.
func TestAScreenIsNotErasedAtOnce(t *testing.T) {
	t.Parallel()
	r := NewInline(20, 3, Options{})
	r.Draw(nil, Frame{Lines: Slice(numbered(3))})
	if got, want := string(r.Draw(nil, Frame{Lines: Slice{}})), syncBegin+"\x1b[2A\r\x1b[K\x1b[B\x1b[J"; !strings.HasPrefix(got, want) {
		t.Errorf("an empty frame writes %q, want %q at the beginning", got, want)
	}
}
