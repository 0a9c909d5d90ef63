package tui_test

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"unicode/utf8"

	"github.com/pi-go/pi/tui"
	"github.com/pi-go/pi/tui/diffview"
	"github.com/pi-go/pi/tui/markdown"
	"github.com/pi-go/pi/tui/term"
	"github.com/pi-go/pi/tui/text"
	"github.com/pi-go/pi/tui/theme"
	"github.com/pi-go/pi/tui/tuitest"
)

// recorder is a device that keeps what was written.
type recorder struct {
	*tuitest.Tty
	mu  sync.Mutex
	log []byte
}

func (r *recorder) Write(b []byte) (int, error) {
	r.mu.Lock()
	r.log = append(r.log, b...)
	r.mu.Unlock()
	return r.Tty.Write(b)
}

func (r *recorder) written() string {
	r.mu.Lock()
	defer r.mu.Unlock()
	return string(r.log)
}

// hostile are texts that want to command a terminal. Each command has the number 31337
// or the word EVIL in it.
func hostile() []string {
	return []string{
		"\x1b[31337A\x1b[31337;1H\x1b[?31337h\x1b[31337Jx",
		"\x1b]0;EVIL\a\x1b]2;EVIL\x1b\\x",
		"\x1b]52;c;EVIL\a\x1b]52;c;?EVIL\x1b\\x",
		"\x1b]9;EVIL\a\x1b]777;notify;EVIL;EVIL\a\x1b]99;;EVIL\x1b\\x",
		"\x1bP$qEVIL\x1b\\\x1bPtmux;\x1b\x1b]2;EVIL\a\x1b\\x",
		"\x1b_GEVIL\x1b\\\x1b[31337Ax",
		"\x1b_EVIL\x1b\\\x1b^EVIL\x1b\\\x1bXEVIL\x1b\\x",
		"\x1b]1337;File=inline=1:EVIL\a\x1b[31337Bx",
		"\u009b31337A\u009d2;EVIL\u009cx\u0090EVIL\u009c",
		"\x9b31337A\x9d2;EVIL\x9cx\xff\xfe\xc0\x80\xed\xa0\x80",
		"\x1b]8;;http://a\u009c\u009b31337A\x1b\\link\x1b]8;;\x1b\\",
		"\x1b]8;;http://a\r\n\x1b]2;EVIL\a\x1b\\link\x1b]8;;\x1b\\",
		"\x1b]8;;http://a\x18\x1b[31337A\x1b\\link",
		"\x1b]8;;http://a\x1b[31337Alink",
		"\x1b]2;EVIL", // not ended: what follows would be swallowed
		"\x1b[31337", "\x1b", "\x1b\x1b]2;EVIL\a",
		"a\x00\x01\x07\x08\x0b\x0c\x0e\x0f\x7f\rb\r\nc\td",
		"\x1b[>31337u\x1b[=31337u\x1b[<31337u\x1b[31337;2~\x1bc\x1b7\x1b8\x1b=\x1b(0x",
		"a\u202eb\u202dc\u2066d\u2067e\u2068f",
		"z\u200bw\u200dj\ufeff\u00ad\u2028\u2029 e" + strings.Repeat("\u0301", 400),
		"\U000e0041\U000e007f\u034f\u115f\u3164\ufff9x\ufffb",
		"```\x1b]2;EVIL\a\n\x1b[31337A\n```\n| a | \x1b]2;EVIL\a |\n|---|---|\n| b | \x1b[31337A |",
		"[x](http://a\u009c\u009b31337A) ![\x1b]2;EVIL\a](\x1b[31337A) <http://\x1b]2;EVIL\a>",
		"[x](<http://a&#27;]2;EVIL&#7;>) &#27;[31337A &#x9b;31337A <b onclick='\x1b[31337A'>",
	}
}

var allowed = regexp.MustCompile("^(?:" + strings.Join([]string{
	`\x1b\[[0-9;:]*m`,                      // styles
	`\x1b\[[0-9;]*[ABCDGHJKLMPSTXdr]`,      // what the renderer moves and erases with
	`\x1b\[\?[0-9;]*[hl]`,                  // modes
	`\x1b\[[<>=?]?[0-9;]*[ucqtn]`,          // keyboard flags and queries
	`\x1b\[>4;[0-9]m`, `\x1b\[\?[0-9]+\$p`, // more of them
	`\x1b\][0-9]+;(?:[0-9]+;)?\?(?:\x1b\\|\a)`, // queries of colours
	`\x1b\]8;[^\x00-\x1f\x7f\x{80}-\x{9f}]*(?:\x1b\\|\a)`,
	`\x1bP\+q[0-9a-fA-F;]*\x1b\\`, `\x1b_Gi=[^\x00-\x1f]*\x1b\\`,
	`\x1b[M78]`,
}, "|") + ")")

// commands returns what a terminal would take for a command that did not come from
// the module, and characters that it should not get at all.
func commands(out string) (bad []string) {
	for i := 0; i < len(out); {
		if out[i] == 0x1b {
			seq := allowed.FindString(out[i:])
			if seq == "" || !strings.HasPrefix(seq, "\x1b]8;") && (strings.Contains(seq, "31337") || strings.Contains(seq, "EVIL")) {
				bad = append(bad, fmt.Sprintf("%.40q", out[i:min(len(out), i+40)]))
			}
			i += max(len(seq), 1)
			continue
		}
		r, n := utf8.DecodeRuneInString(out[i:])
		if r < 0x20 && r != '\r' && r != '\n' || r >= 0x7f && r < 0xa0 || r >= 0x202a && r <= 0x202e || r >= 0x2066 && r <= 0x2069 || r == utf8.RuneError && n == 1 {
			bad = append(bad, fmt.Sprintf("%q", out[i:i+n]))
		}
		i += n
	}
	return bad
}

func TestContentSendsNoCommandsWhateverComponentShowsIt(t *testing.T) {
	t.Parallel()
	hl := theme.Dark()
	build := map[string]func(p *tui.Program, s string) tui.Component{
		"text":  func(_ *tui.Program, s string) tui.Component { return tui.NewText(s) },
		"lines": func(_ *tui.Program, s string) tui.Component { return tui.Lines(strings.Split(s, "\n")) },
		"func": func(_ *tui.Program, s string) tui.Component {
			return tui.Func(func(int) []string { return []string{s} })
		},
		"box": func(_ *tui.Program, s string) tui.Component {
			return tui.NewBox(1, 1, text.Style{Bg: text.Indexed(4)}, tui.NewText(s))
		},
		"frame": func(_ *tui.Program, s string) tui.Component { return &tui.Frame{Title: s, Child: tui.NewText(s)} },
		"rule":  func(_ *tui.Program, s string) tui.Component { return &tui.Rule{Title: s} },
		"columns": func(_ *tui.Program, s string) tui.Component {
			return &tui.Columns{Left: tui.NewText(s), Right: tui.NewText(s), Gap: 1}
		},
		"list": func(p *tui.Program, s string) tui.Component {
			l := tui.NewSelectList(p.Bindings(), tui.ListItem{Value: s}, tui.ListItem{Label: s, Description: s}, tui.ListItem{Value: "x"})
			l.Empty = s
			return l
		},
		"empty list": func(p *tui.Program, s string) tui.Component {
			l := tui.NewSelectList(p.Bindings())
			l.Empty = s
			return l
		},
		"settings": func(p *tui.Program, s string) tui.Component {
			return tui.NewSettingsList(p.Bindings(), tui.Setting{Label: s, Value: s, Description: s, Values: []string{s, "x"}})
		},
		"tree": func(p *tui.Program, s string) tui.Component {
			return tui.NewTree(p.Bindings(), &tui.TreeNode{Label: "x", Children: []*tui.TreeNode{{Label: s}, {Label: s}}})
		},
		"input": func(p *tui.Program, s string) tui.Component {
			in := tui.NewInput(p.Bindings())
			in.SetValue(s)
			return in
		},
		"empty input": func(p *tui.Program, s string) tui.Component {
			in := tui.NewInput(p.Bindings())
			in.Prompt, in.Placeholder = s, s
			return in
		},
		"editor": func(p *tui.Program, s string) tui.Component {
			e := tui.NewEditor(p.Bindings())
			e.SetText(s)
			return e
		},
		"empty editor": func(p *tui.Program, s string) tui.Component {
			e := tui.NewEditor(p.Bindings())
			e.Placeholder, e.Title = s, s
			return e
		},
		"form": func(p *tui.Program, s string) tui.Component {
			f := tui.NewForm(p.Bindings(), tui.Field{Label: s, Value: s, Check: func(string) error { return errors.New(s) }}, tui.Field{Label: s, Placeholder: s})
			f.Hint = s
			return f
		},
		"loader": func(p *tui.Program, s string) tui.Component { return tui.NewLoader(p, s) },
		"progress": func(_ *tui.Program, s string) tui.Component {
			return &tui.ProgressBar{Label: s, Done: 1, Total: 2}
		},
		"markdown": func(_ *tui.Program, s string) tui.Component {
			m := markdown.New(markdown.Options{Theme: markdown.ThemeOf(hl)})
			m.SetText(s)
			return m
		},
		"diff": func(_ *tui.Program, s string) tui.Component {
			return diffview.New(diffview.Compare("a\n"+s, "b\n"+s+s, 3), diffview.Options{File: s, Theme: diffview.ThemeOf(hl)})
		},
	}
	for name, f := range build {
		for _, full := range []bool{false, true} {
			t.Run(fmt.Sprint(name, " full screen ", full), func(t *testing.T) {
				t.Parallel()
				for _, size := range [][2]int{{60, 30}, {9, 5}, {1, 1}} {
					for _, s := range hostile() {
						if own := name == "lines" || name == "func"; own && (strings.Contains(s, "\x1b_G") || strings.Contains(s, "File=") || strings.Contains(s, "\u202e")) {
							continue // lines of a program's own may hold images, and what it likes of text
						}
						synctest.Test(t, func(t *testing.T) { showHostile(t, f, s, size, full) })
					}
				}
			})
		}
	}
}

// showHostile shows a component in all places where one can be.
func showHostile(t *testing.T, build func(*tui.Program, string) tui.Component, s string, size [2]int, full bool) {
	t.Helper()
	tty := &recorder{Tty: tuitest.NewTty(size[0], size[1])}
	tm, err := term.Open(term.Options{Tty: tty, FullScreen: full, Getenv: func(name string) string {
		return map[string]string{"TERM": "xterm-kitty", "TERM_PROGRAM": "kitty"}[name]
	}})
	if err != nil {
		t.Fatal(err)
	}
	p := tui.New(tui.Options{Terminal: tm})
	r := &running{Program: p, t: t, tty: tty.Tty}
	p.Transcript.Append(build(p, s))
	b := build(p, s)
	p.Bottom.Add(b)
	p.SetFocus(b)
	end := make(chan error, 1)
	go func() { end <- p.Run(context.Background()) }()
	r.settle()
	before := len(commands(tty.written()))
	if before > 0 {
		t.Errorf("%q on %v: these reach the terminal: %s", s, size, strings.Join(commands(tty.written()), " "))
	}
	r.do(func() { p.ShowOverlay(build(p, s), tui.OverlayOptions{}) })
	for _, key := range []string{"\r", "\x1b[B", "\t", "x", "\x1b[200~" + strings.ReplaceAll(s, "\x1b[201~", "") + "\x1b[201~"} {
		tty.Type(key)
		r.settle()
	}
	p.Quit(nil)
	if err := <-end; err != nil {
		t.Error(err)
	}
	if bad := commands(tty.written()); len(bad) > before {
		t.Errorf("%q on %v, over others: these reach the terminal: %s", s, size, strings.Join(bad, " "))
	}
	tty.With(func(tt *tuitest.Terminal) {
		if n := tt.Overflows(); n > 0 {
			t.Errorf("%q on %v: %d characters beyond the last column", s, size, n)
		}
	})
}
