package tui_test

import (
	"context"
	"errors"
	"flag"
	"math/rand/v2"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/pi-go/pi/tui"
	"github.com/pi-go/pi/tui/diffview"
	"github.com/pi-go/pi/tui/markdown"
	"github.com/pi-go/pi/tui/term"
	"github.com/pi-go/pi/tui/text"
	"github.com/pi-go/pi/tui/theme"
	"github.com/pi-go/pi/tui/tuitest"
)

var monkeys = flag.Int("monkeys", 80, "how many random programs with all components to run")

// everyComponent returns components of all kinds that show a text.
func everyComponent(p *tui.Program, s string) []tui.Component {
	hl := theme.Dark()
	k := p.Bindings()
	l := tui.NewSelectList(k, tui.ListItem{Value: s}, tui.ListItem{Label: s, Description: s}, tui.ListItem{Value: "x"})
	l.Typing = true
	in := tui.NewInput(k)
	e := tui.NewEditor(k)
	ev := tui.NewEditor(k)
	ev.SetVi(true)
	md := markdown.New(markdown.Options{Theme: markdown.ThemeOf(hl), PadX: 3, Background: text.Style{Bg: text.Indexed(3)}})
	md.SetText(s)
	st := tui.NewSettingsList(k, tui.Setting{Label: s, Value: s, Values: []string{s, "x"}}, tui.Setting{Label: "z", Edit: func(v string, done func(string, bool)) tui.Component {
		i := tui.NewInput(k)
		i.OnSubmit = func(s string) { done(s, true) }
		return i
	}})
	return []tui.Component{
		l, in, e, ev, md, st,
		tui.NewTree(k, &tui.TreeNode{Label: "x", Children: []*tui.TreeNode{{Label: s, Children: []*tui.TreeNode{{Label: "y"}, {Label: "z"}}}, {Label: s}}}),
		tui.NewForm(k, tui.Field{Label: s, Value: s, Check: func(string) error { return errors.New(s) }}, tui.Field{Label: s, Placeholder: s}),
		tui.NewLoader(p, s), &tui.ProgressBar{Label: s, Done: 1, Total: 2},
		diffview.New(diffview.Compare("a\n"+s, "b\n"+s+s, 3), diffview.Options{File: "x.go", Theme: diffview.ThemeOf(hl), Split: true, SplitWidth: 20}),
		tui.NewBox(2, 1, text.Style{Bg: text.Indexed(4)}, tui.NewText(s), &tui.Frame{Child: tui.NewText(s)}),
		&tui.Columns{Left: tui.NewText(s), Right: tui.NewText(s), Gap: 1},
	}
}

// TestNothingThatIsTypedBreaksAComponent has keys, pastes, answers and rubbish typed
// at all components, which show hostile text, come and go, and change their size. No
// component may panic, and nothing may reach the terminal that commands it.
func TestNothingThatIsTypedBreaksAComponent(t *testing.T) {
	t.Parallel()
	for seed := range uint64(*monkeys) {
		synctest.Test(t, func(t *testing.T) { newMonkey(t, seed).play() })
		if t.Failed() {
			t.Fatalf("seed %d", seed)
		}
	}
}

// typedByMonkeys are what terminals and people send.
func typedByMonkeys() []string {
	return []string{
		"\x1b[A", "\x1b[B", "\x1b[C", "\x1b[D", "\x1b[5~", "\x1b[6~", "\r", "\n", "\t", "\x1b[Z", "\x1b", "\x7f",
		"\x17", "\x15", "\x0b", "\x19", "\x1by", "\x1f", "\x1a", "\x06", "\x1b[102;5u", "\x1b[1;3A", "\x1b[1;5A", "\x1b[1;5H", "\x1b[1;5F",
		"a", "한", "👩\u200d🚀", "e\u0301", "\u202e", "\u009b31337A", "\xff\xfe", "\x1b[155u", "\x1b[8238u", "\x1b[97;5:3u",
		"\x1b[200~", "\x1b[201~", "pa\x1b]2;EVIL\a", "dd", "yy", "p", "3dw", ":", "/", "u",
		"\x1b[<0;5;3M", "\x1b[<32;7;4M", "\x1b[<0;7;4m", "\x1b[<0;99999;99999M", "\x1b[<32;0;0M", "\x1b[<64;1;1M", "\x1b[<65;1;1M",
		"\x1b[<0;5;3M\x1b[<0;5;3m\x1b[<0;5;3M\x1b[<0;5;3m", "\x1b[O", "\x1b[I",
		"\x1b[?997;1n", "\x1b[?997;2n", "\x1b[?1u", "\x1b[?62c", "\x1b]11;rgb:ff/ff/ff\x1b\\", "\x1b[6;0;0t", "\x1b[48;1;1;1;1t",
		"\x1b[?2026;2$y", "\x1b[?2026;0$y", "\x1bP>|EVIL\x1b\\",
	}
}

// monkey plays with a program.
type monkey struct {
	*tui.Program
	t    *testing.T
	r    *rand.Rand
	tty  *recorder
	all  []tui.Component
	over []*tui.Overlay
}

func newMonkey(t *testing.T, seed uint64) *monkey {
	t.Helper()
	m := &monkey{t: t, r: rand.New(rand.NewPCG(seed, 99))}
	m.tty = &recorder{Tty: tuitest.NewTty(1+m.r.IntN(40), 1+m.r.IntN(14))}
	tm, err := term.Open(term.Options{Tty: m.tty, FullScreen: seed%2 == 0, Mouse: true, Getenv: func(name string) string {
		return map[string]string{"TERM": "xterm-256color"}[name]
	}})
	if err != nil {
		t.Fatal(err)
	}
	m.Program = tui.New(tui.Options{
		Terminal: tm, ScrollbarThumb: "#", ShowCursor: m.r.IntN(2) == 0, ClearOnShrink: m.r.IntN(2) == 0,
		OnCopy: func(string) {}, OnError: func(err error) { t.Error(err) },
	})
	texts := hostile()
	for range 4 {
		m.all = append(m.all, everyComponent(m.Program, texts[m.r.IntN(len(texts))])...)
	}
	m.Bottom.Add(m.any())
	m.Transcript.Append(m.any())
	return m
}

func (m *monkey) any() tui.Component { return m.all[m.r.IntN(len(m.all))] }

func (m *monkey) play() {
	end := make(chan error, 1)
	go func() { end <- m.Run(context.Background()) }()
	for range 60 {
		pause := time.Duration(m.r.IntN(300)) * time.Millisecond // of the bubble's clock
		switch n := m.r.IntN(100); {
		case n < 50:
			m.tty.Type(m.keys())
		case n < 60:
			m.tty.Resize(1+m.r.IntN(40), 1+m.r.IntN(14))
		default:
			m.Do(m.change)
		}
		time.Sleep(pause)
		synctest.Wait()
	}
	m.Quit(nil)
	if err := <-end; err != nil {
		m.t.Error(err)
	}
	if bad := commands(m.tty.written()); len(bad) > 0 {
		m.t.Errorf("these reach the terminal: %.400s", strings.Join(bad, " "))
	}
	if m.tty.Running() {
		m.t.Error("the terminal is not restored")
	}
}

func (m *monkey) keys() (s string) {
	atoms := typedByMonkeys()
	for range 1 + m.r.IntN(4) {
		a := atoms[m.r.IntN(len(atoms))]
		if m.r.IntN(8) == 0 {
			a = a[:m.r.IntN(len(a)+1)]
		}
		s += a
	}
	return s
}

func (m *monkey) change() {
	r := m.r
	items := m.Transcript.Len()
	switch r.IntN(12) {
	case 0, 1:
		m.over = append(m.over, m.ShowOverlay(m.any(), tui.OverlayOptions{
			Width: tui.Percent(float64(r.IntN(150))), Anchor: tui.Anchor(r.IntN(9)),
			OffsetX: r.IntN(9) - 4, OffsetY: r.IntN(9) - 4, Margin: r.IntN(4),
		}))
	case 2, 3:
		if len(m.over) > 0 {
			o := m.over[r.IntN(len(m.over))]
			[]func(){o.Focus, o.Unfocus, o.Hide, func() { o.SetHidden(!o.Hidden()) }}[r.IntN(4)]()
		}
	case 4, 5:
		m.Transcript.Insert(r.IntN(items+1), m.any())
	case 6:
		if items > 0 {
			m.Transcript.Item(r.IntN(items)).Remove()
		}
	case 7:
		m.SetFocus(m.any())
	case 8:
		if err := m.SetFullScreen(r.IntN(2) == 0); err != nil {
			m.t.Error(err)
		}
	case 9:
		m.OpenSearch()
		m.Search("x")
		m.SearchNext(-1)
	case 10:
		m.CloseSearch()
		m.Redraw()
	default:
		if err := m.HandOver(func() error { return nil }); err != nil {
			m.t.Error(err)
		}
	}
}
