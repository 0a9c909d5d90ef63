package tui_test

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/pi-go/pi/tui"
	"github.com/pi-go/pi/tui/term"
	"github.com/pi-go/pi/tui/text"
	"github.com/pi-go/pi/tui/tuitest"
)

func TestCapabilitiesAreLearned(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var caps term.Capabilities
		r := run(t, 20, 5, tui.Options{OnCapabilities: func(c term.Capabilities) { caps = c }}, false, func(*tui.Program) {})
		if !caps.Done || !caps.Kitty || !caps.DarkKnown || !caps.Dark {
			t.Errorf("capabilities %+v", caps)
		}
		if err := r.finish(); err != nil {
			t.Error(err)
		}
	})
}

// Colours that change while the program runs are learned, too.
func TestTheColorSchemeChanges(t *testing.T) {
	t.Parallel()
	for _, full := range []bool{false, true} {
		synctest.Test(t, func(t *testing.T) {
			var caps term.Capabilities
			r := run(t, 20, 5, tui.Options{OnCapabilities: func(c term.Capabilities) { caps = c }}, full, func(*tui.Program) {})
			for _, light := range []bool{true, false, true} {
				r.tty.SetLight(light)
				r.settle()
				if caps.Dark == light || !caps.DarkKnown {
					t.Errorf("light %v: dark is %v", light, caps.Dark)
				}
			}
			if want := text.RGB(0xee, 0xee, 0xee); caps.Background != want {
				t.Errorf("the background is %#x, want %#x", caps.Background, want)
			}
			if err := r.finish(); err != nil {
				t.Error(err)
			}
		})
	}
}

// A terminal that does not answer is one that can do little, and it is waited for
// no longer than the time limit. Keys that are typed meanwhile are not lost.
func TestATerminalThatDoesNotAnswer(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		tty := tuitest.NewTty(20, 5)
		tty.With(func(tt *tuitest.Terminal) { tt.OnReply(func(string) {}) })
		tm, err := term.Open(term.Options{Tty: tty, Getenv: func(string) string { return "vt100" }})
		if err != nil {
			t.Fatal(err)
		}
		told := make(chan term.Capabilities, 8)
		p := tui.New(tui.Options{Terminal: tm, OnCapabilities: func(c term.Capabilities) { told <- c }})
		e := &echo{}
		p.Bottom.Add(e)
		p.SetFocus(e)
		end := make(chan error, 1)
		go func() { end <- p.Run(t.Context()) }()
		tty.Type("early")
		time.Sleep(term.QueryTime - time.Millisecond)
		synctest.Wait()
		if len(told) > 0 {
			t.Error("the time is not over, but capabilities are told")
		}
		time.Sleep(2 * time.Millisecond)
		synctest.Wait()
		if len(told) != 1 {
			t.Errorf("told %d times", len(told))
		}
		if diff := cmp.Diff(term.Capabilities{Dark: true}, <-told); diff != "" {
			t.Errorf("(-want +got):\n%s", diff)
		}
		if got := tty.Screen()[0]; got != "> early" {
			t.Errorf("the screen shows %q", got)
		}
		p.Quit(nil)
		if err := <-end; err != nil {
			t.Error(err)
		}
	})
}
