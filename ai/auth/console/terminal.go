// Package console lets a login talk to a person line by line, on a terminal or
// through pipes. A key that is typed at a terminal is not shown.
//
//	t := console.New(os.Stdin, os.Stderr)
//	t.Browser = func(address string) bool { return console.OpenBrowser(auth.OSEnvironment(), address) }
//	err := models.Login(ctx, "groq", auth.TypeAPIKey, t)
package console

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"

	"golang.org/x/term"

	"github.com/pi-go/pi/ai/auth"
)

// Terminal talks to a person line by line. Questions that are asked at the same time
// take turns. Its methods may be called from any goroutine.
type Terminal struct {
	// Browser opens an address and reports whether it could; nil opens none. Set it
	// before the first use.
	Browser func(address string) bool

	out  io.Writer
	file *os.File // what the input is, if it is a terminal

	turn    chan struct{} // holds a token while a question is asked
	in      *bufio.Reader
	pending chan answer // of a read that goes on; nil for none
}

// answer is a line that was read.
type answer struct {
	text string
	err  error
}

var _ auth.Interaction = (*Terminal)(nil)

// New gives a terminal that reads answers from in and writes to out.
func New(in io.Reader, out io.Writer) *Terminal {
	t := &Terminal{in: bufio.NewReader(in), out: out, turn: make(chan struct{}, 1)}
	if f, ok := in.(*os.File); ok && term.IsTerminal(int(f.Fd())) {
		t.file = f
	}
	return t
}

// Interactive reports whether answers come from a terminal.
func (t *Terminal) Interactive() bool { return t.file != nil }

// wait waits for what read gives. A read can not be taken back: it goes on when its
// question was, and the next question gets its line. The turn is held.
func (t *Terminal) wait(ctx context.Context, read func() answer) (string, error) {
	if t.pending == nil {
		pending := make(chan answer, 1)
		t.pending = pending
		go func() { pending <- read() }()
	}
	select {
	case a := <-t.pending:
		t.pending = nil
		return strings.TrimSpace(a.text), a.err
	case <-ctx.Done():
		return "", context.Cause(ctx)
	}
}

// line reads a line; the end of the input is nobody to ask.
func (t *Terminal) line() answer {
	line, err := t.in.ReadString('\n')
	if line == "" && err != nil {
		return answer{err: auth.ErrNoPrompt}
	}
	return answer{text: line}
}

// Prompt asks and waits for the answer.
func (t *Terminal) Prompt(ctx context.Context, p auth.Prompt) (string, error) {
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
			return t.secret(ctx, p)
		}
	}
	fmt.Fprintf(t.out, "%s: ", label(p))
	return t.wait(ctx, t.line)
}

// label is a question with its hint.
func label(p auth.Prompt) string {
	if p.Placeholder == "" {
		return p.Message
	}
	return p.Message + " (" + p.Placeholder + ")"
}

// secret reads without showing what is typed. The terminal is told so before the
// question appears: a key may be pasted that very moment.
func (t *Terminal) secret(ctx context.Context, p auth.Prompt) (string, error) {
	fd := int(t.file.Fd())
	state, err := term.MakeRaw(fd)
	if err != nil {
		return "", fmt.Errorf("hide what is typed: %w", err)
	}
	editor := term.NewTerminal(struct {
		io.Reader
		io.Writer
	}{t.file, t.out}, "")
	text, err := t.wait(ctx, func() answer {
		line, err := editor.ReadPassword(label(p) + ", not shown: ")
		if errors.Is(err, io.EOF) { // Ctrl+C and Ctrl+D
			err = auth.ErrCancelled
		}
		return answer{line, err}
	})
	if err = errors.Join(err, term.Restore(fd, state)); err != nil {
		fmt.Fprintln(t.out)
	}
	return text, err
}

func (t *Terminal) choose(ctx context.Context, p auth.Prompt) (string, error) {
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
		line, err := t.wait(ctx, t.line)
		if err != nil {
			return "", err
		}
		if n, err := strconv.Atoi(line); err == nil && n >= 1 && n <= len(p.Options) {
			return p.Options[n-1].ID, nil
		}
	}
}

// Notify shows something.
func (t *Terminal) Notify(_ context.Context, n auth.Notification) {
	switch n.Kind {
	case auth.NoteAuthURL:
		fmt.Fprintf(t.out, "%s\n\n  %s\n\n", n.Message, n.URL)
		if t.Browser != nil && t.Browser(n.URL) {
			fmt.Fprintln(t.out, "It should be open by now.")
		}
	case auth.NoteDevice:
		fmt.Fprintf(t.out, "%s\n\n  %s\n  code: %s\n\n", n.Message, n.URL, n.UserCode)
	default:
		fmt.Fprintln(t.out, n.Message)
	}
}
