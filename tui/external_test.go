//go:build unix

package tui_test

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/pi-go/pi/tui"
	"github.com/pi-go/pi/tui/term"
	"github.com/pi-go/pi/tui/tuitest"
)

// The editor is a real program, so this runs outside of a synctest bubble.
func TestEditExternally(t *testing.T) {
	t.Parallel()
	script := filepath.Join(t.TempDir(), "ed.sh")
	if err := os.WriteFile(script, []byte("#!/bin/sh\n[ \"$1\" = fail ] && exit 3\ntr a-z A-Z <\"$2\" >\"$2.new\" && mv \"$2.new\" \"$2\" && echo >>\"$2\"\n"), 0o700); err != nil {
		t.Fatal(err)
	}
	tty := tuitest.NewTty(30, 6)
	tm, err := term.Open(term.Options{Tty: tty, Getenv: func(string) string { return "xterm" }})
	if err != nil {
		t.Fatal(err)
	}
	p := tui.New(tui.Options{Terminal: tm})
	type result struct {
		text string
		err  error
	}
	results := make(chan result, 3)
	edit := func(command string) {
		p.Do(func() {
			s, err := p.EditExternally(t.Context(), "two\nlines", command)
			results <- result{s, err}
		})
	}
	edit(script + " ok")
	edit(script + " fail")
	edit("  ")
	end := make(chan error, 1)
	go func() { end <- p.Run(t.Context()) }()
	for i, want := range []struct {
		text string
		err  bool
	}{{"TWO\nLINES", false}, {"two\nlines", true}, {"two\nlines", true}} {
		select {
		case r := <-results:
			if r.text != want.text || (r.err != nil) != want.err {
				t.Errorf("edit %d: %q, %v", i, r.text, r.err)
			}
		case <-time.After(20 * time.Second):
			t.Fatal("the editor does not end")
		}
	}
	p.Quit(nil)
	if err := <-end; err != nil {
		t.Error(err)
	}
	if tty.Running() {
		t.Error("the terminal is not restored")
	}
}
