package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"
	"sync"

	"golang.org/x/term"

	"github.com/pi-go/pi/ai/auth"
)

// terminal talks to a person line by line. Questions that are asked at the same time
// take turns.
type terminal struct {
	out  io.Writer
	file *os.File // what in is, if it is a terminal
	turn chan struct{}

	start sync.Once
	in    io.Reader
	lines chan string // closed at the end of the input
}

func newTerminal(in io.Reader, out io.Writer) *terminal {
	t := &terminal{in: in, out: out, turn: make(chan struct{}, 1), lines: make(chan string)}
	if f, ok := in.(*os.File); ok && term.IsTerminal(int(f.Fd())) {
		t.file = f
	}
	return t
}

// read gives the lines of the input. A read can not be taken back, so it goes on
// when a question was; the next one gets its line.
func (t *terminal) read() {
	t.start.Do(func() {
		go func() {
			defer close(t.lines)
			in := bufio.NewScanner(t.in)
			for in.Scan() {
				t.lines <- in.Text()
			}
		}()
	})
}

// line waits for a line.
func (t *terminal) line(ctx context.Context) (string, error) {
	t.read()
	select {
	case line, ok := <-t.lines:
		if !ok {
			return "", auth.ErrNoPrompt
		}
		return strings.TrimSpace(line), nil
	case <-ctx.Done():
		return "", context.Cause(ctx)
	}
}

// Prompt asks and waits for the answer.
func (t *terminal) Prompt(ctx context.Context, p auth.Prompt) (string, error) {
	select {
	case t.turn <- struct{}{}:
		defer func() { <-t.turn }()
	case <-ctx.Done():
		return "", context.Cause(ctx)
	}
	switch p.Kind {
	case auth.PromptSelect:
		return t.choose(ctx, p)
	case auth.PromptSecret:
		if t.file != nil {
			return t.secret(p)
		}
	}
	fmt.Fprintf(t.out, "%s: ", p.Message)
	return t.line(ctx)
}

// secret reads without showing what is typed.
func (t *terminal) secret(p auth.Prompt) (string, error) {
	fmt.Fprintf(t.out, "%s (not shown): ", p.Message)
	b, err := term.ReadPassword(int(t.file.Fd()))
	fmt.Fprintln(t.out)
	if errors.Is(err, io.EOF) {
		return "", auth.ErrCancelled
	}
	return strings.TrimSpace(string(b)), err
}

func (t *terminal) choose(ctx context.Context, p auth.Prompt) (string, error) {
	fmt.Fprintln(t.out, p.Message)
	for i, o := range p.Options {
		text := o.Label
		if o.Description != "" {
			text += " (" + o.Description + ")"
		}
		fmt.Fprintf(t.out, "  %d  %s\n", i+1, text)
	}
	for {
		fmt.Fprintf(t.out, "Number, 1 to %d: ", len(p.Options))
		line, err := t.line(ctx)
		if err != nil {
			return "", err
		}
		if n, err := strconv.Atoi(line); err == nil && n >= 1 && n <= len(p.Options) {
			return p.Options[n-1].ID, nil
		}
	}
}

// Notify shows something.
func (t *terminal) Notify(_ context.Context, n auth.Notification) {
	switch n.Kind {
	case auth.NoteAuthURL:
		fmt.Fprintf(t.out, "%s\n\n  %s\n\n", n.Message, n.URL)
	case auth.NoteDevice:
		fmt.Fprintf(t.out, "%s\n\n  %s\n  code: %s\n\n", n.Message, n.URL, n.UserCode)
	default:
		fmt.Fprintln(t.out, n.Message)
	}
}
