package interactive

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/pi-go/pi/ai"
	"github.com/pi-go/pi/codingagent"
)

// Options say how a chat talks to the person.
type Options struct {
	// In is where lines come from, Out where everything goes.
	In  io.Reader
	Out io.Writer
	// Interrupts gets a value for each Ctrl+C.
	Interrupts <-chan struct{}
	// First are prompts to begin with.
	First []codingagent.Prompt
	// Notices are shown before the first line.
	Notices []string
	// Color allows colours.
	Color bool
	// ASCII shows signs such as dashes and arrows in ASCII.
	ASCII bool
	// Available lists the models that can be used; nil lists none.
	Available func(ctx context.Context) []*ai.Model
}

// Chat reads lines and answers them until the input ends (Ctrl+D), the person
// says /quit, or ctx is cancelled. Ctrl+C stops an answer that is under way.
// It returns the cause of ctx, or why reading failed.
func Chat(ctx context.Context, s *codingagent.AgentSession, o Options) error {
	c := &chat{session: s, o: o, view: view{out: o.Out, color: o.Color, ascii: o.ASCII}}
	defer s.Subscribe(c.view.hear)()
	for _, n := range o.Notices {
		c.view.notice(n)
	}
	for _, p := range o.First {
		c.view.line("> " + p.Text)
		if err := c.answer(ctx, p); err != nil {
			return err
		}
	}
	lines := readLines(ctx, o.In)
	for {
		c.view.prompt()
		text, err := c.next(ctx, lines)
		c.view.open = err != nil // Enter has ended the line
		switch {
		case errors.Is(err, io.EOF):
			c.view.line("")
			return nil
		case err != nil:
			return err
		}
		switch line := strings.TrimSpace(text); {
		case line == "":
			continue
		case line == "/quit" || line == "/exit":
			return nil
		case c.command(ctx, line):
			continue
		}
		if err := c.answer(ctx, codingagent.Prompt{Text: text}); err != nil {
			return err
		}
	}
}

type chat struct {
	session *codingagent.AgentSession
	o       Options
	view    view
}

// typedLine is one line, or why there is none.
type typedLine struct {
	text string
	err  error
}

// readLines reads lines on a goroutine of its own: a read from a terminal can
// not be interrupted. The goroutine ends with the input; one that waits for a
// person is left behind when the program ends.
func readLines(ctx context.Context, in io.Reader) <-chan typedLine {
	lines := make(chan typedLine)
	go func() {
		r := bufio.NewReader(in)
		for {
			text, err := r.ReadString('\n')
			if err != nil && text == "" {
				select {
				case lines <- typedLine{err: err}:
				case <-ctx.Done():
				}
				return
			}
			select {
			case lines <- typedLine{text: strings.TrimRight(text, "\r\n")}:
			case <-ctx.Done():
				return
			}
		}
	}()
	return lines
}

// next waits for the person.
func (c *chat) next(ctx context.Context, lines <-chan typedLine) (string, error) {
	for {
		select {
		case in := <-lines:
			return in.text, in.err
		case <-c.o.Interrupts:
			c.view.line("")
			c.view.notice("Ctrl+D or /quit leaves.")
			c.view.prompt()
		case <-ctx.Done():
			return "", context.Cause(ctx)
		}
	}
}

// answer works on one prompt; Ctrl+C aborts it.
func (c *chat) answer(ctx context.Context, p codingagent.Prompt) error {
	done := make(chan error, 1)
	go func() {
		result, err := c.session.Prompt(ctx, p, codingagent.PromptOptions{})
		if err == nil {
			c.view.ended(result)
		}
		done <- err
	}()
	for {
		select {
		case err := <-done:
			if ctx.Err() != nil {
				return context.Cause(ctx)
			}
			if err != nil {
				c.view.failure(err)
			}
			return nil
		case <-c.o.Interrupts:
			if err := c.session.Abort(ctx); err != nil {
				return fmt.Errorf("abort: %w", err)
			}
		}
	}
}
