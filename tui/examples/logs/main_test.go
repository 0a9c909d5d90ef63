package main

import (
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/pi-go/pi/tui/term"
	"github.com/pi-go/pi/tui/tuitest"
)

func TestExample(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		tty := tuitest.NewTty(70, 16)
		tm, err := term.Open(term.Options{Tty: tty, FullScreen: true, Getenv: func(string) string { return "xterm" }})
		if err != nil {
			t.Fatal(err)
		}
		end := make(chan error, 1)
		go func() { end <- run(t.Context(), tm, strings.NewReader("one\nan error\nfine\n\x1b[2Jhostile\n")) }()
		shows := func(want string) (string, bool) {
			time.Sleep(2 * time.Second) // of the bubble's clock
			synctest.Wait()
			screen := strings.Join(tty.Screen(), "\n")
			return screen, strings.Contains(screen, want)
		}
		see := func(want string) {
			t.Helper()
			if screen, ok := shows(want); !ok {
				t.Fatalf("%q is not shown:\n%s", want, screen)
			}
		}
		gone := func(text string) {
			t.Helper()
			if screen, ok := shows(text); ok {
				t.Fatalf("%q is still shown:\n%s", text, screen)
			}
		}
		see("4 lines, 1 with an error, at the end")
		see("hostile")
		tty.Type("e")
		gone("fine")
		see("an error")
		tty.Type("e/fine")
		see("Search: fine")
		tty.Type("\x1b")
		gone("Search")
		tty.Type("q")
		if err := <-end; err != nil {
			t.Error(err)
		}
	})
}
