package interactive

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"sync"

	"github.com/pi-go/pi/ai"
	"github.com/pi-go/pi/codingagent"
	"github.com/pi-go/pi/codingagent/extension"
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
	// Faults, if not nil, are what extensions do wrong; they are shown.
	Faults *Faults
	// Available lists the models that can be used; nil lists none.
	Available func(ctx context.Context) []*ai.Model
}

// Chat reads lines and answers them until the input ends (Ctrl+D), the person
// says /quit, or ctx is cancelled. Ctrl+C stops an answer that is under way.
// It returns the cause of ctx, or why reading failed.
func Chat(ctx context.Context, s *codingagent.AgentSession, o Options) error {
	c := &chat{
		session: s, o: o, view: view{out: o.Out, color: o.Color, ascii: o.ASCII},
		questions: make(chan lineQuestion), noticed: make(chan struct{}, 1), ended: make(chan struct{}), end: make(chan struct{}),
	}
	defer close(c.ended)
	defer s.Subscribe(c.view.hear)()
	if o.Faults != nil {
		o.Faults.Attach(func(f *extension.Fault) { c.tell("Error: " + FaultText(f)) })
	}
	var once sync.Once
	s.Attach(codingagent.Front{Mode: extension.ModeTUI, UI: &lineUI{c: c}, Shutdown: func() { once.Do(func() { close(c.end) }) }})
	c.lines = readLines(ctx, o.In)
	for _, n := range o.Notices {
		c.view.notice(n)
	}
	if err := c.begin(ctx); err != nil {
		return err
	}
	for _, p := range o.First {
		c.view.line("> " + p.Text)
		if err := c.answer(ctx, p); err != nil {
			return err
		}
	}
	for {
		c.view.prompt()
		text, err := c.next(ctx)
		c.view.begun(err != nil) // Enter has ended the line
		switch {
		case errors.Is(err, errShutdown):
			c.view.line("")
			return nil
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
	lines   <-chan typedLine
	// inputEnd is why no more lines come, when a question has met that.
	inputEnd error

	// For extensions: what they ask and tell, and that they end the program; ended
	// is closed when the chat is over.
	questions  chan lineQuestion
	notices    sync.Mutex
	waiting    []string
	noticed    chan struct{}
	end, ended chan struct{}
}

// errShutdown says that an extension ends the program.
var errShutdown = errors.New("an extension ends the program")

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
func (c *chat) next(ctx context.Context) (string, error) {
	for {
		if c.inputEnd != nil {
			return "", c.inputEnd
		}
		select {
		case in := <-c.lines:
			return in.text, in.err
		case q := <-c.questions:
			c.view.line("")
			c.put(ctx, q)
			c.view.prompt()
		case <-c.noticed:
			c.view.line("")
			c.showNotices()
			c.view.prompt()
		case <-c.end:
			return "", errShutdown
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
	return c.during(ctx, func() error {
		result, err := c.session.Prompt(ctx, p, codingagent.PromptOptions{})
		if err == nil {
			c.view.ended(result)
		}
		return err
	})
}

// begin tells extensions that the session begins.
func (c *chat) begin(ctx context.Context) error {
	return c.during(ctx, func() error { c.session.Start(ctx); return nil })
}

// during does something, and serves the person and extensions meanwhile.
func (c *chat) during(ctx context.Context, f func() error) error {
	done := make(chan error, 1)
	go func() { done <- f() }()
	for {
		select {
		case err := <-done:
			if ctx.Err() != nil {
				return context.Cause(ctx)
			}
			if err != nil {
				c.view.failure(err)
			}
			c.showNotices()
			return nil
		case q := <-c.questions:
			c.put(ctx, q)
		case <-c.noticed:
			c.showNotices()
		case <-c.o.Interrupts:
			if err := c.session.Abort(ctx); err != nil {
				return fmt.Errorf("abort: %w", err)
			}
		}
	}
}
