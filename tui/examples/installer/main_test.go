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
		tm, err := term.Open(term.Options{Tty: tty, FullScreen: false, Getenv: func(string) string { return "xterm" }})
		if err != nil {
			t.Fatal(err)
		}
		end := make(chan error, 1)
		go func() { end <- run(t.Context(), tm) }()
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

		see("Where to")
		tty.Type("\x15here\r")
		see("from / on")
		tty.Type("\x15/tmp/x\r")
		see("Everything")
		tty.Type("\x1b[B\r")
		see("This writes to /tmp/x.")
		tty.Type("\r")
		time.Sleep(3 * time.Second)
		see("Installed program to /tmp/x")
		if err := <-end; err != nil {
			t.Error(err)
		}
	})
}
