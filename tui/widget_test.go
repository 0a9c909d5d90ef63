package tui_test

import (
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/pi-go/pi/tui"
	"github.com/pi-go/pi/tui/text"
)

func TestText(t *testing.T) {
	t.Parallel()
	bg := text.Style{Bg: text.Indexed(4)}
	c := tui.NewText("one two three")
	if diff := cmp.Diff([]string{"one two", "three"}, see(t, c, 9)); diff != "" {
		t.Error(diff)
	}
	c.PadX, c.PadY, c.Background = 1, 1, bg
	c.SetText("one")
	want := []string{"\x1b[44m      \x1b[0m", "\x1b[44m one  \x1b[0m", "\x1b[44m      \x1b[0m"}
	if diff := cmp.Diff(want, c.Render(6)); diff != "" {
		t.Error(diff)
	}
	if a, b := c.Render(6), c.Render(6); &a[0] != &b[0] {
		t.Error("an unchanged text is wrapped again")
	}
	if got := tui.NewText("").Render(10); len(got) != 0 {
		t.Errorf("an empty text has the lines %q", got)
	}
	for width := 1; width < 4; width++ {
		see(t, c, width)
	}
}

func TestBoxFrameColumnsRule(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		name  string
		c     tui.Component
		width int
		want  []string
	}{
		{"box", tui.NewBox(1, 1, text.Style{}, tui.Lines{"a"}, tui.Lines{"b"}), 5, []string{"", " a", " b", ""}},
		{"box of wrapped text", tui.NewBox(2, 0, text.Style{}, tui.NewText("aa bb")), 8, []string{"  aa", "  bb"}},
		{"columns that just fit", &tui.Columns{Left: tui.Lines{"ab"}, Right: tui.Lines{"c"}, Split: tui.Cells(2), Gap: 1}, 4, []string{"ab c"}},
		{"columns too narrow by one", &tui.Columns{Left: tui.Lines{"ab"}, Right: tui.Lines{"c"}, Split: tui.Cells(2), Gap: 1}, 3, []string{"ab", "c"}},
		{"empty box", tui.NewBox(1, 1, text.Style{}), 5, nil},
		{"rule", &tui.Rule{}, 5, []string{"─────"}},
		{"rule with a title", &tui.Rule{Title: "title"}, 12, []string{"── title ───"}},
		{"frame", &tui.Frame{Child: tui.Lines{"한글"}, Title: "t"}, 12, []string{"╭── t ─────╮", "│한글      │", "╰──────────╯"}},
		{"frame without room", &tui.Frame{Child: tui.Lines{"abc"}}, 2, []string{"ab"}},
		{"columns", &tui.Columns{Left: tui.Lines{"a", "b"}, Right: tui.Lines{"c"}, Split: tui.Cells(3), Gap: 1}, 8, []string{"a   c", "b"}},
		{"columns without room", &tui.Columns{Left: tui.Lines{"a"}, Right: tui.Lines{"c"}, Gap: 3}, 4, []string{"a", "c"}},
		{"spacer", tui.NewContainer(tui.Lines{"a"}, tui.Spacer(2), tui.Lines{"b"}), 4, []string{"a", "", "", "b"}},
		{"lines are cut", tui.Lines{"abcdef", "x"}, 3, []string{"abc", "x"}},
		{"progress", &tui.ProgressBar{Done: 1, Total: 2, Label: "go"}, 16, []string{"go ████░░░░  50%"}},
		{"progress of nothing", &tui.ProgressBar{}, 12, []string{"░░░░░░░   0%"}},
		{"progress without room", &tui.ProgressBar{Done: 9, Total: 9}, 4, []string{"100%"}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			if diff := cmp.Diff(tc.want, see(t, tc.c, tc.width)); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

func TestContainerChanges(t *testing.T) {
	t.Parallel()
	a, b := tui.NewText("a"), tui.NewText("b")
	c := tui.NewContainer(a, b)
	first := c.Render(5)
	if again := c.Render(5); &again[0] != &first[0] {
		t.Error("an unchanged container makes new lines")
	}
	b.SetText("c")
	c.Insert(1, tui.Lines{"x"})
	if diff := cmp.Diff([]string{"a", "x", "c"}, c.Render(5)); diff != "" {
		t.Error(diff)
	}
	c.Remove(a)
	if diff := cmp.Diff([]string{"x", "c"}, c.Render(5)); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff([]string{"a", "b"}, first); diff != "" {
		t.Errorf("lines that were handed out have changed:\n%s", diff)
	}
	c.Clear()
	if c.Len() != 0 || len(c.Render(5)) != 0 {
		t.Error("Clear leaves something")
	}
}

func list(items ...string) *tui.SelectList {
	l := tui.NewSelectList(nil)
	var all []tui.ListItem
	for _, it := range items {
		v, d, _ := strings.Cut(it, "|")
		all = append(all, tui.ListItem{Value: v, Description: d})
	}
	l.SetItems(all)
	return l
}

func TestSelectList(t *testing.T) {
	t.Parallel()
	l := list("alpha|the first", "beta|the second", "gamma", "delta", "epsilon")
	l.MaxRows, l.Typing = 3, true
	var chosen []string
	canceled := 0
	l.OnSelect = func(it tui.ListItem) { chosen = append(chosen, it.Value) }
	l.OnCancel = func() { canceled++ }
	for _, step := range []struct {
		keys string
		want []string
	}{
		{"", []string{"→ alpha  the first", "  beta   the second", "  gamma", "  (1/5)"}},
		{"\x1b[B\x1b[B\x1b[B", []string{"  beta   the second", "  gamma", "→ delta", "  (4/5)"}},
		{"\x1b[B\x1b[B", []string{"→ alpha  the first", "  beta   the second", "  gamma", "  (1/5)"}},
		{"\x1b[A", []string{"  gamma", "  delta", "→ epsilon", "  (5/5)"}},
		{"\x1b[5~", []string{"→ beta   the second", "  gamma", "  delta", "  (2/5)"}},
		{"ta", []string{"→ beta   the second", "  delta"}},
		{"\r", []string{"→ beta   the second", "  delta"}},
		{"x", []string{"  No matches"}},
		{"\x7f\x7f\x7fsecond", []string{"→ beta  the second"}},
		{" beta", []string{"→ beta  the second"}}, // words of both, in any order
		{"\x1b", []string{"→ beta  the second"}},
	} {
		send(l, step.keys)
		if diff := cmp.Diff(step.want, see(t, l, 30)); diff != "" {
			t.Errorf("after %q (-want +got):\n%s", step.keys, diff)
		}
	}
	if diff := cmp.Diff([]string{"beta"}, chosen); diff != "" || canceled != 1 {
		t.Errorf("chosen %q, canceled %d times", chosen, canceled)
	}
	for width := 1; width < 30; width++ {
		see(t, l, width)
	}
}

func TestSelectListKeepsTheMark(t *testing.T) {
	t.Parallel()
	l := list("a", "b", "c")
	l.Select("b")
	l.SetItems([]tui.ListItem{{Value: "x"}, {Value: "a"}, {Value: "b"}})
	if it, _ := l.Selected(); it.Value != "b" {
		t.Errorf("marked is %q, want b", it.Value)
	}
}

func TestLoaderMovesOnlyWhileItRuns(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var l *tui.Loader
		r := run(t, 20, 4, tui.Options{}, false, func(p *tui.Program) {
			l = tui.NewLoader(p, "working")
			l.Frames, l.Interval = []string{"-", "+"}, 100*time.Millisecond
			p.Bottom.Add(l)
		})
		r.screen("- working")
		r.Do(l.Start)
		time.Sleep(150 * time.Millisecond)
		r.screen("+ working")
		r.Do(l.Stop)
		before, _ := r.tty.Writes()
		time.Sleep(time.Second)
		if after, _ := r.tty.Writes(); after > before+1 {
			t.Errorf("a stopped loader made %d writes", after-before)
		}
		if err := r.finish(); err != nil {
			t.Error(err)
		}
	})
}

func TestTranscriptChangesInAnyPlace(t *testing.T) {
	t.Parallel()
	for _, full := range []bool{false, true} {
		synctest.Test(t, func(t *testing.T) {
			var items []*tui.Item
			r := run(t, 20, 8, tui.Options{}, full, func(p *tui.Program) {
				for i := range 4 {
					items = append(items, p.Transcript.Append(tui.NewText(fmt.Sprint("item ", i))))
				}
			})
			r.screen("item 0", "item 1", "item 2", "item 3")
			r.do(func() {
				items[1].Component().(*tui.Text).SetText("one\nmore")
				items[1].Touch()
				items[3].Remove()
				r.Transcript.Insert(0, tui.NewText("first"))
				items[2].Replace(tui.NewText("two"))
			})
			r.screen("first", "item 0", "one", "more", "two")
			n := 0
			r.do(func() {
				items[0].Replace(tui.Func(func(int) []string { n++; return []string{fmt.Sprint("drawn ", min(n, 2))} }))
				items[0].SetLive(true)
			})
			r.do(func() {})
			r.screen("first", "drawn 2", "one", "more", "two")
			r.do(func() { items[0].SetLive(false) })
			before := n
			r.do(func() {})
			if n != before {
				t.Error("an item that is not live is drawn again")
			}
			r.do(r.Transcript.Clear)
			r.screen()
			if err := r.finish(); err != nil {
				t.Error(err)
			}
		})
	}
}

// Drawing a frame must not cost more when the transcript is long.
func TestOnlyItemsInViewAreDrawn(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		drawn := map[int]int{}
		r := run(t, 40, 10, tui.Options{}, true, func(p *tui.Program) {
			for i := range 5000 {
				p.Transcript.Append(tui.Func(func(width int) []string {
					drawn[i]++
					return []string{fmt.Sprintf("item %d, width %d", i, width)}
				}))
			}
		})
		clear(drawn)
		r.do(func() { r.Transcript.Append(tui.Lines{"new"}) })
		if len(drawn) > 0 {
			t.Errorf("a new item made %d others be drawn", len(drawn))
		}
		// A resize draws what is in view first; the rest when there is time.
		r.tty.Resize(30, 10)
		synctest.Wait()
		time.Sleep(time.Millisecond)
		synctest.Wait()
		if len(drawn) > 40 {
			t.Errorf("right after a resize %d items were drawn", len(drawn))
		}
		if err := r.finish(); err != nil {
			t.Error(err)
		}
	})
}

func TestAContainerThatWasClearedAndInvalidatedIsEmpty(t *testing.T) {
	c := tui.NewContainer(tui.Lines{"a line"})
	c.Render(10)
	c.Clear()
	c.Invalidate()
	if got := c.Render(10); len(got) != 0 {
		t.Errorf("an empty container draws %q", got)
	}
}
