package term_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/pi-go/pi/tui/input"
	"github.com/pi-go/pi/tui/term"
	"github.com/pi-go/pi/tui/text"
	"github.com/pi-go/pi/tui/tuitest"
)

func env(pairs ...string) func(string) string {
	return func(name string) string {
		for i := 0; i < len(pairs); i += 2 {
			if pairs[i] == name {
				return pairs[i+1]
			}
		}
		return ""
	}
}

// checkRestored fails unless the terminal is as it was before Start.
func checkRestored(t *testing.T, tty *tuitest.Tty) {
	t.Helper()
	if tty.Running() {
		t.Error("the device is in raw mode")
	}
	tty.With(func(tt *tuitest.Terminal) {
		for _, mode := range []int{1000, 1002, 1003, 1006, 1004, 2004, 2026, 2031} {
			if tt.Mode(mode) {
				t.Errorf("mode %d is still on", mode)
			}
		}
		if !tt.Mode(7) || !tt.Mode(25) {
			t.Error("wrap or the cursor is still off")
		}
		if tt.AltScreen() {
			t.Error("the alternate screen is still shown")
		}
		if _, depth := tt.KittyFlags(); depth != 0 {
			t.Errorf("keyboard flags are still pushed, %d times", depth)
		}
		if tt.OtherKeys() != 0 {
			t.Error("modifyOtherKeys is still on")
		}
		if u := tt.Unknown(); len(u) > 0 {
			t.Errorf("unknown sequences %q", u)
		}
	})
}

func TestStopRestoresWhatStartChanged(t *testing.T) {
	t.Parallel()
	for _, full := range []bool{false, true} {
		tty := tuitest.NewTty(40, 10)
		tm, err := term.Open(term.Options{Tty: tty, FullScreen: full, Mouse: true, Getenv: env("TERM", "xterm")})
		if err != nil {
			t.Fatal(err)
		}
		tty.With(func(tt *tuitest.Terminal) { _, _ = tt.Write([]byte("\x1b]2;before\a")) })
		for range 2 { // a suspend is a Stop and a Start
			if err := tm.Start(); err != nil {
				t.Fatal(err)
			}
			if err := errors.Join(tm.UseOtherKeys(), tm.SetTitle("title"), tm.SetProgress(term.ProgressValue, 42), tm.SetFullScreen(!full), tm.SetFullScreen(full)); err != nil {
				t.Fatal(err)
			}
			tty.With(func(tt *tuitest.Terminal) {
				if !tt.Mode(2004) || !tt.Mode(1006) || tt.Mode(7) || tt.AltScreen() != full || tt.OtherKeys() != 2 || tt.Title() != "title" || tt.Progress() != "1;42" {
					t.Errorf("full screen %v: a mode is not set", full)
				}
				if flags, depth := tt.KittyFlags(); flags != 7 || depth != 1 {
					t.Errorf("keyboard flags %d, pushed %d times", flags, depth)
				}
			})
			if _, err := tm.Write([]byte("\x1b[?2026h\x1b[31m\x1b[?25l")); err != nil {
				t.Fatal(err)
			}
			if err := tm.Stop(); err != nil {
				t.Fatal(err)
			}
			checkRestored(t, tty)
			tty.With(func(tt *tuitest.Terminal) {
				if tt.Title() != "before" || tt.Progress() != "" {
					t.Errorf("the title is %q, the progress %q", tt.Title(), tt.Progress())
				}
			})
		}
		if err := tm.Stop(); err != nil {
			t.Errorf("Stop again: %v", err)
		}
		if _, err := tm.Write([]byte("late frame")); !errors.Is(err, term.ErrStopped) {
			t.Errorf("a write after Stop: %v, want ErrStopped", err)
		}
		if diff := cmp.Diff([]string{"start", "stop", "start", "stop"}, tty.Log()); diff != "" {
			t.Error(diff)
		}
	}
}

func TestStopRestoresTheDeviceEvenIfTheTerminalIsGone(t *testing.T) {
	t.Parallel()
	tty := tuitest.NewTty(40, 10)
	tm, err := term.Open(term.Options{Tty: tty, Getenv: env("TERM", "xterm")})
	if err != nil {
		t.Fatal(err)
	}
	if err := tm.Start(); err != nil {
		t.Fatal(err)
	}
	gone := errors.New("input/output error")
	tty.Fail(gone)
	if err := tm.Stop(); !errors.Is(err, gone) {
		t.Errorf("Stop: %v, want the error of the write", err)
	}
	if tty.Running() {
		t.Error("the device is in raw mode")
	}
}

func TestOpenRefusesDumbTerminals(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"dumb", ""} {
		if _, err := term.Open(term.Options{Tty: tuitest.NewTty(9, 9), Getenv: env("TERM", name)}); !errors.Is(err, term.ErrNoTerminal) {
			t.Errorf("TERM=%q: %v, want ErrNoTerminal", name, err)
		}
	}
}

func TestDepth(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		env  []string
		want term.Depth
	}{
		{[]string{"TERM", "xterm-256color", "COLORTERM", "truecolor"}, term.TrueColor},
		{[]string{"TERM", "xterm-256color"}, term.Colors256},
		{[]string{"TERM", "xterm-kitty"}, term.TrueColor},
		{[]string{"TERM", "linux"}, term.Colors16},
		{[]string{"TERM", "vt100"}, term.Colors16},
		{[]string{"TERM", "dumb"}, term.NoColor},
		{[]string{"TERM", "xterm-256color", "COLORTERM", "truecolor", "NO_COLOR", "1"}, term.NoColor},
		{[]string{"TERM", "xterm-256color", "NO_COLOR", "no"}, term.NoColor}, // any value
		{[]string{"TERM", "xterm-256color", "NO_COLOR", "0", "FORCE_COLOR", "3"}, term.NoColor},
		{[]string{"TERM", "xterm-256color", "NO_COLOR", ""}, term.Colors256},
		{[]string{"TERM", "xterm", "FORCE_COLOR", "3"}, term.TrueColor},
		{[]string{"TERM", "screen", "COLORTERM", ""}, term.Colors256},
		{[]string{"TERM", "tmux-256color", "TMUX", "/tmp/x"}, term.Colors256},
		{[]string{"WT_SESSION", "1"}, term.TrueColor},
	} {
		if got := term.FactsOf(env(tc.env...)).Depth; got != tc.want {
			t.Errorf("%q: depth %d, want %d", tc.env, got, tc.want)
		}
	}
}

func TestConvert(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		depth    term.Depth
		in, want text.Color
	}{
		{term.TrueColor, text.RGB(1, 2, 3), text.RGB(1, 2, 3)},
		{term.Colors256, text.RGB(255, 0, 0), text.Indexed(196)},
		{term.Colors256, text.RGB(128, 128, 128), text.Indexed(244)},
		{term.Colors256, text.Indexed(100), text.Indexed(100)},
		{term.Colors16, text.RGB(250, 10, 10), text.Indexed(9)},
		{term.Colors16, text.RGB(5, 5, 5), text.Indexed(0)},
		{term.Colors16, text.Indexed(46), text.Indexed(10)},
		{term.Colors16, text.Indexed(3), text.Indexed(3)},
		{term.NoColor, text.Indexed(3), 0},
		{term.Colors16, 0, 0},
	} {
		if got := tc.depth.Convert(tc.in); got != tc.want {
			t.Errorf("depth %d: %#x becomes %#x, want %#x", tc.depth, tc.in, got, tc.want)
		}
	}
}

func TestCapabilities(t *testing.T) {
	t.Parallel()
	facts := term.FactsOf(env("TERM", "xterm-256color"))
	tt := tuitest.New(20, 5)
	var d input.Decoder
	caps := term.NewCapabilities(facts)
	var replies strings.Builder
	tt.OnReply(func(s string) { replies.WriteString(s) })
	if _, err := tt.Write([]byte(term.Queries(facts))); err != nil {
		t.Fatal(err)
	}
	events := d.Feed([]byte(replies.String()))
	for i, ev := range events {
		if caps.Done {
			t.Errorf("event %d of %d came after the end", i, len(events))
		}
		caps.Learn(ev)
	}
	want := term.Capabilities{
		Done: true, Sync: true, SyncKnown: true, Kitty: true, Name: "tuitest 1",
		Foreground: text.RGB(0xee, 0xee, 0xee), Background: text.RGB(0x11, 0x22, 0x33), Dark: true, DarkKnown: true,
		CellWidth: 9, CellHeight: 18, Images: term.KittyImages,
	}
	for i := range want.Palette {
		want.Palette[i] = text.RGB(0x80, 0x80, 0x80)
	}
	if diff := cmp.Diff(want, caps); diff != "" {
		t.Errorf("capabilities (-want +got):\n%s", diff)
	}
	if u := tt.Unknown(); len(u) > 0 {
		t.Errorf("unknown queries %q", u)
	}
	if strings.Contains(term.Queries(term.FactsOf(env("TERM", "tmux", "TMUX", "x"))), "\x1b_G") {
		t.Error("inside tmux graphics are asked for")
	}
}

// What terminals answer to the queries, as they do by their documentation and
// sources. None of them runs here.
func TestAnswersOfTerminals(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		env    []string
		answer string
		want   term.Capabilities
	}{
		"kitty": {
			[]string{"TERM", "xterm-kitty"},
			"\x1b[?0u\x1b[?2026;2$y\x1b]10;rgb:dddd/dddd/dddd\x1b\\\x1b]11;rgb:0000/0000/0000\x1b\\\x1b]4;1;rgb:cccc/0403/0403\x1b\\" +
				"\x1b[?997;1n\x1b[6;20;10t\x1bP>|kitty(0.43.1)\x1b\\\x1b_Gi=31;OK\x1b\\\x1b[?62;52;c",
			term.Capabilities{
				Done: true, Sync: true, SyncKnown: true, Kitty: true, Name: "kitty(0.43.1)", Images: term.KittyImages,
				Foreground: text.RGB(0xdd, 0xdd, 0xdd), Background: text.RGB(0, 0, 0), Dark: true, DarkKnown: true,
				CellWidth: 10, CellHeight: 20, Palette: [16]text.Color{1: text.RGB(0xcc, 4, 4)},
			},
		},
		"iTerm2": {
			[]string{"TERM", "xterm-256color", "TERM_PROGRAM", "iTerm.app"},
			"\x1b[?0u\x1b[?2026;2$y\x1b]10;rgb:c7c7/c7c7/c7c7\a\x1b]11;rgb:ffff/ffff/ffff\a\x1b[?997;2n\x1b[6;17;8t" +
				"\x1bP>|iTerm2 3.5.10\x1b\\\x1b[?64;1;2;4;6;17;18;21;22c",
			term.Capabilities{
				Done: true, Sync: true, SyncKnown: true, Kitty: true, Name: "iTerm2 3.5.10", Images: term.ITermImages,
				Foreground: text.RGB(0xc7, 0xc7, 0xc7), Background: text.RGB(255, 255, 255), DarkKnown: true, CellWidth: 8, CellHeight: 17,
			},
		},
		"xterm": {
			[]string{"TERM", "xterm-256color"},
			"\x1b[?2026;0$y\x1b]10;rgb:0000/0000/0000\x1b\\\x1b]11;rgb:ffff/ffff/ffff\x1b\\\x1b[6;13;6t\x1bP>|XTerm(390)\x1b\\" +
				"\x1b[?64;1;2;6;9;15;16;17;18;21;22;28c",
			term.Capabilities{
				Done: true, SyncKnown: true, Name: "XTerm(390)", Foreground: text.RGB(0, 0, 0), Background: text.RGB(255, 255, 255),
				DarkKnown: true, CellWidth: 6, CellHeight: 13,
			},
		},
		"Windows Terminal": {
			[]string{"WT_SESSION", "1"},
			"\x1b[?2026;2$y\x1b]10;rgb:cccc/cccc/cccc\x1b\\\x1b]11;rgb:0c0c/0c0c/0c0c\x1b\\\x1b[6;20;10t\x1b[?61;4;6;7;14;21;22;23;24;28;32;42c",
			term.Capabilities{
				Done: true, Sync: true, SyncKnown: true, Foreground: text.RGB(0xcc, 0xcc, 0xcc), Background: text.RGB(12, 12, 12),
				Dark: true, DarkKnown: true, CellWidth: 10, CellHeight: 20,
			},
		},
		"tmux": {
			[]string{"TERM", "tmux-256color", "TMUX", "/tmp/tmux-0/default,1,0", "TERM_PROGRAM", "tmux"},
			"\x1b[?2026;0$y\x1b]11;rgb:0c0c/0c0c/0c0c\x1b\\\x1b[?1;2;4c\x1bP>|tmux 3.4\x1b\\",
			term.Capabilities{Done: true, SyncKnown: true, Name: "tmux 3.4", Background: text.RGB(12, 12, 12), Dark: true, DarkKnown: true},
		},
		"the console of Linux": {
			[]string{"TERM", "linux", "COLORFGBG", "7;0"}, "\x1b[?6c", term.Capabilities{Done: true, Dark: true, DarkKnown: true},
		},
		"one that tells of its scheme only": {
			[]string{"TERM", "foot"}, "\x1b[?997;2n\x1b[?1c", term.Capabilities{Done: true, DarkKnown: true},
		},
		"one that refuses images": {
			[]string{"TERM", "xterm"}, "\x1b_Gi=31;EINVAL:no\x1b\\\x1b[?1c", term.Capabilities{Done: true, Dark: true},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			caps := term.NewCapabilities(term.FactsOf(env(tc.env...)))
			var d input.Decoder
			for i := range len(tc.answer) { // as slow as can be
				for _, ev := range d.Feed([]byte(tc.answer[i : i+1])) {
					switch ev.(type) {
					case input.Key, input.Paste, input.Unknown:
						t.Errorf("the answer leaks as %#v", ev)
					}
					caps.Learn(ev)
				}
			}
			if diff := cmp.Diff(tc.want, caps); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

func TestSequencesForTheDesktop(t *testing.T) {
	t.Parallel()
	notify := func(pairs ...string) string { return term.Notify(term.FactsOf(env(pairs...)), "done", "all; of it") }
	for name, tc := range map[string]struct{ got, want string }{
		"title":                      {term.Title("a\nb"), "\x1b]2;a b\x1b\\"},
		"clipboard":                  {term.Copy("hi 한"), "\x1b]52;c;aGkg7ZWc\x1b\\"},
		"progress":                   {term.Progress(term.ProgressValue, 42), "\x1b]9;4;1;42\x1b\\"},
		"progress within bounds":     {term.Progress(term.ProgressValue, 142), "\x1b]9;4;1;100\x1b\\"},
		"progress that failed":       {term.Progress(term.ProgressError, 7), "\x1b]9;4;2;7\x1b\\"},
		"progress without an end":    {term.Progress(term.ProgressBusy, 7), "\x1b]9;4;3\x1b\\"},
		"progress that waits":        {term.Progress(term.ProgressPaused, 7), "\x1b]9;4;4;7\x1b\\"},
		"no progress":                {term.Progress(term.ProgressNone, 7), "\x1b]9;4;0\x1b\\"},
		"note in kitty":              {notify("TERM", "xterm-kitty", "KITTY_WINDOW_ID", "1"), "\x1b]99;i=1:d=0;done\x1b\\\x1b]99;i=1:d=1:p=body;all; of it\x1b\\"},
		"note in iTerm2":             {notify("TERM", "xterm", "TERM_PROGRAM", "iTerm.app"), "\x1b]9;done: all, of it\x1b\\"},
		"note in Windows Terminal":   {notify("WT_SESSION", "1"), "\x1b]9;done: all, of it\x1b\\"},
		"note in WezTerm":            {notify("TERM", "xterm", "TERM_PROGRAM", "WezTerm"), "\x1b]777;notify;done;all; of it\x1b\\"},
		"note with signs":            {term.Notify(term.FactsOf(env("TERM_PROGRAM", "WezTerm")), "a;b", "c"), "\x1b]777;notify;a,b;c\x1b\\"},
		"note in tmux is a bell":     {notify("TERM", "tmux", "TMUX", "x", "KITTY_WINDOW_ID", "1"), "\a"},
		"note elsewhere is a bell":   {notify("TERM", "xterm"), "\a"},
		"link with a bad address":    {term.Link("x", "http://a\x1b"), "x"},
		"link without anything seen": {term.Link("", "http://a"), ""},
	} {
		if tc.got != tc.want {
			t.Errorf("%s: %q, want %q", name, tc.got, tc.want)
		}
	}
}

func TestControlStringsCanNotBeEscaped(t *testing.T) {
	t.Parallel()
	bad := "a\x1b\\\x1b[2J\a\nb;c"
	facts := term.FactsOf(env("TERM", "xterm", "TERM_PROGRAM", "WezTerm"))
	for name, s := range map[string]string{"title": term.Title(bad), "note": term.Notify(facts, bad, bad), "link": term.Link("x", bad)} {
		if strings.Contains(s, "[2J") && name == "link" || strings.Count(s, "\x1b") > 2 || strings.Contains(s, "\n") {
			t.Errorf("%s: %q", name, s)
		}
	}
	if got, want := term.Link("go", "https://go.dev"), "\x1b]8;;https://go.dev\x1b\\go\x1b]8;;\x1b\\"; got != want {
		t.Errorf("Link = %q, want %q", got, want)
	}
}

// What the background is says more than what the user prefers.
func TestTheBackgroundCountsMoreThanTheScheme(t *testing.T) {
	t.Parallel()
	caps := term.NewCapabilities(term.FactsOf(env("TERM", "xterm")))
	if caps.Learn(input.ColorScheme{Dark: false}); caps.Dark || !caps.DarkKnown {
		t.Error("a light scheme is not known")
	}
	caps.Learn(input.Color{Index: input.Background, R: 10, G: 10, B: 10})
	if caps.Learn(input.ColorScheme{Dark: false}); !caps.Dark {
		t.Error("a scheme overrides a background that is dark")
	}
}

func TestTitleAndProgressAreWrittenWhenTheyChange(t *testing.T) {
	t.Parallel()
	tty := tuitest.NewTty(40, 10)
	tm, err := term.Open(term.Options{Tty: tty, Getenv: env("TERM", "xterm")})
	if err != nil {
		t.Fatal(err)
	}
	// What is set before Start counts from then on.
	if err := errors.Join(tm.SetTitle("first"), tm.SetProgress(term.ProgressBusy, 0), tm.Start()); err != nil {
		t.Fatal(err)
	}
	seen := func(title, progress string) {
		t.Helper()
		tty.With(func(tt *tuitest.Terminal) {
			if tt.Title() != title || tt.Progress() != progress {
				t.Errorf("title %q, progress %q; want %q, %q", tt.Title(), tt.Progress(), title, progress)
			}
		})
	}
	seen("first", "3")
	before, _ := tty.Writes()
	if err := errors.Join(tm.SetTitle("first"), tm.SetProgress(term.ProgressBusy, 9)); err != nil {
		t.Fatal(err)
	}
	if after, _ := tty.Writes(); after != before {
		t.Error("what is the same is written again")
	}
	if err := errors.Join(tm.SetTitle("second"), tm.SetProgress(term.ProgressError, 0)); err != nil {
		t.Fatal(err)
	}
	seen("second", "2;0")
	if err := errors.Join(tm.SetTitle(""), tm.SetProgress(term.ProgressNone, 0), tm.SetProgress(term.ProgressNone, 0)); err != nil {
		t.Fatal(err)
	}
	seen("", "")
	if err := tm.Stop(); err != nil {
		t.Fatal(err)
	}
}
