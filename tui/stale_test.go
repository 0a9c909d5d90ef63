package tui

import (
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/pi-go/pi/tui/term"
	"github.com/pi-go/pi/tui/tuitest"
)

// mainScreen is a program in regular mode whose transcript has a line for each
// number, each as wide as the terminal.
type mainScreen struct {
	*Program
	tty *tuitest.Tty
	end chan error
}

func runOnMainScreen(t *testing.T, lines int, mark *string) *mainScreen {
	t.Helper()
	m := &mainScreen{tty: tuitest.NewTty(20, 6), end: make(chan error, 1)}
	tm, err := term.Open(term.Options{Tty: m.tty, Getenv: func(string) string { return "xterm" }})
	if err != nil {
		t.Fatal(err)
	}
	m.Program = New(Options{Terminal: tm})
	for i := range lines {
		m.Transcript.Append(Func(func(width int) []string { return []string{wide(i, width, *mark)} }))
	}
	m.Bottom.Add(Lines{"> "})
	go func() { m.end <- m.Run(t.Context()) }()
	m.settle()
	return m
}

func wide(i, width int, mark string) string {
	head := fmt.Sprintf("line %02d/%d ", i, width)
	return head + strings.Repeat(mark, max(width-len(head), 0))
}

func (m *mainScreen) settle() {
	time.Sleep(300 * time.Millisecond) // of the bubble's clock
	synctest.Wait()
}

// check fails unless screen and scrollback have each line once, drawn for width.
func (m *mainScreen) check(t *testing.T, lines, width int, mark string) {
	t.Helper()
	var want, got []string
	for i := range lines {
		want = append(want, wide(i, width, mark))
	}
	m.tty.With(func(tt *tuitest.Terminal) { got = tt.All() })
	if diff := cmp.Diff(append(want, ">"), got); diff != "" {
		t.Errorf("scrollback and screen (-want +got):\n%s", diff)
	}
}

// A window that changes its size and comes back before the program has looked has
// moved the text about all the same: what was cut off the top is in the scrollback,
// though the program knows it on the screen.
func TestASizeThatComesBackAtOnce(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		mark := "="
		m := runOnMainScreen(t, 12, &mark)
		m.Do(func() { // on the program's goroutine, so that it can not look in between
			m.tty.Resize(20, 3)
			m.tty.Resize(20, 6)
		})
		m.settle()
		m.check(t, 12, 20, mark)
		m.Do(func() {
			mark = "#"
			for i := 7; i < 12; i++ { // what is on the screen, as the program knows it
				m.Transcript.Item(i).Touch()
			}
		})
		m.settle()
		mark = "="
		m.Do(func() {
			for i := 7; i < 12; i++ {
				m.Transcript.Item(i).Touch()
			}
		})
		m.settle()
		m.check(t, 12, 20, mark)
		m.Quit(nil)
		if err := <-m.end; err != nil {
			t.Error(err)
		}
	})
}

// Moving the edge of a window by less than a cell changes nothing, and so nothing
// is written, least of all the scrollback.
func TestAFewPixelsAreNoResize(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		mark := "="
		m := runOnMainScreen(t, 12, &mark)
		before, _ := m.tty.Writes()
		for i := range 5 {
			m.tty.ResizePixels(200+i, 120)
			m.settle()
		}
		if after, _ := m.tty.Writes(); after != before {
			t.Errorf("%d writes", after-before)
		}
		m.check(t, 12, 20, mark)
		m.Quit(nil)
		if err := <-m.end; err != nil {
			t.Error(err)
		}
	})
}

// The size can change between the moment at which everything was to be written
// again and the frame that does so. What is written is then for the new size.
func TestASizeThatChangesAsEverythingIsWrittenAgain(t *testing.T) {
	t.Parallel()
	mark := "="
	tty := tuitest.NewTty(20, 6)
	tm, err := term.Open(term.Options{Tty: tty, Getenv: func(string) string { return "xterm" }})
	if err != nil {
		t.Fatal(err)
	}
	if err := tm.Start(); err != nil {
		t.Fatal(err)
	}
	m := &mainScreen{Program: New(Options{Terminal: tm}), tty: tty}
	for i := range 12 {
		m.Transcript.Append(Func(func(width int) []string { return []string{wide(i, width, mark)} }))
	}
	m.Bottom.Add(Lines{"> "})
	m.begin()
	frame := func() {
		t.Helper()
		if err := m.frame(); err != nil {
			t.Fatal(err)
		}
	}
	frame()
	tty.Resize(30, 6)
	m.resize()
	frame()
	m.reemit()
	tty.Resize(15, 6)
	m.resize()
	frame()
	for !m.staleSince.IsZero() { // as the loop does when the time has come
		m.reemit()
		frame()
	}
	m.check(t, 12, 15, mark)
}

// Redraw is for those who change how things look: what has scrolled off changes
// with the rest.
func TestRedrawReachesTheScrollback(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		mark := "="
		m := runOnMainScreen(t, 12, &mark)
		m.Do(func() {
			mark = "#"
			m.Redraw()
		})
		m.settle()
		m.check(t, 12, 20, mark)
		m.Do(func() {
			m.Change(func(o *Options) { o.KeepScrollback = true })
			mark = "%"
			m.Redraw()
		})
		m.settle()
		m.tty.With(func(tt *tuitest.Terminal) {
			if back := strings.Join(tt.Scrollback(), "\n"); !strings.Contains(back, "line 00/20 ####") {
				t.Errorf("a scrollback that is to be kept was cleared; it has:\n%s", back)
			}
			if screen := strings.Join(tt.Screen(), "\n"); !strings.Contains(screen, "line 11/20 %%%%") {
				t.Errorf("the screen was not drawn anew:\n%s", screen)
			}
		})
		m.Quit(nil)
		if err := <-m.end; err != nil {
			t.Error(err)
		}
	})
}

// A program that ends before the size has been still for long leaves everything
// once all the same.
func TestTheEndDoesNotWaitForTheSizeToBeStill(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		mark := "="
		m := runOnMainScreen(t, 12, &mark)
		m.tty.Resize(25, 4)
		time.Sleep(30 * time.Millisecond)
		synctest.Wait()
		m.Quit(nil)
		if err := <-m.end; err != nil {
			t.Error(err)
		}
		m.check(t, 12, 25, mark)
	})
}

// Where something changes all the time, the scrollback does not stay wrong for long.
func TestTheScrollbackIsMendedWhileThingsChange(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		mark := "a"
		m := runOnMainScreen(t, 20, &mark)
		n := 0
		m.Do(func() { m.Bottom.Add(Func(func(int) []string { return []string{fmt.Sprint(n)} })) })
		m.settle()
		m.tty.Resize(15, 6)
		for range 40 {
			m.Do(func() { n++ })
			time.Sleep(50 * time.Millisecond) // of the bubble's clock
		}
		synctest.Wait()
		var want, got []string
		for i := range 20 {
			want = append(want, wide(i, 15, mark))
		}
		m.tty.With(func(tt *tuitest.Terminal) { got = tt.All() })
		if diff := cmp.Diff(want, got[:min(len(got), 20)]); diff != "" {
			t.Errorf("scrollback and screen (-want +got):\n%s", diff)
		}
		m.Quit(nil)
		if err := <-m.end; err != nil {
			t.Error(err)
		}
	})
}
