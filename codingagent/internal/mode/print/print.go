// Package print runs prompts to their end and writes the outcome: the final
// text, or every event as one JSON object a line.
package print

import (
	"context"
	"errors"
	"fmt"
	"io"
	"syscall"
	"time"

	"github.com/pi-go/pi/agentcore"
	"github.com/pi-go/pi/agentcore/harness"
	"github.com/pi-go/pi/ai"
	"github.com/pi-go/pi/codingagent"
)

// Options say what to run and how to write it.
type Options struct {
	// Prompts are worked on one after the other.
	Prompts []codingagent.Prompt
	// JSON writes events instead of text.
	JSON bool
	// Stdout gets the outcome, Stderr everything else.
	Stdout, Stderr io.Writer
	// Clean makes text harmless where a terminal shows it; nil leaves it.
	Clean func(string) string
}

// ErrFailed says that the last answer was no success; what there is to say
// has been written to Stderr.
var ErrFailed = errors.New("the answer failed")

// ErrReaderGone says that whoever read our output has closed it.
var ErrReaderGone = errors.New("the reader of the output has gone")

// Run works on the prompts. The error is nil only if the last one was answered
// well, or was handled by an extension, which says itself what there is to say. When ctx ends, a reader that takes nothing any more holds Run up no
// longer than a moment.
func Run(ctx context.Context, s *codingagent.AgentSession, o Options) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	out := &sink{ctx: ctx, w: o.Stdout, gone: func() { cancel(ErrReaderGone) }}
	if o.JSON {
		out.terminal = o.Clean != nil
		out.header(s)
		defer s.Subscribe(out.hear)()
	} else {
		defer s.Subscribe(o.reportRetry)()
	}
	var answer *ai.AssistantMessage
	handled := false
	for _, p := range o.Prompts {
		result, err := s.Prompt(ctx, p, codingagent.PromptOptions{})
		if errors.Is(context.Cause(ctx), ErrReaderGone) {
			return ErrReaderGone
		}
		if err != nil {
			if failed := out.flush(); failed != nil && ctx.Err() == nil {
				return failed // that is why
			}
			return err
		}
		if handled = result.Handled; handled {
			continue // a command or an extension has done it: there is no answer to wait for
		}
		answer = result.Answer
		if answer == nil || answer.Err() != nil {
			break
		}
	}
	if handled {
		return out.flush()
	}
	return conclude(answer, o, out)
}

// reportRetry says on Stderr why nothing comes: a person who waits for a server
// that is not there should not have to guess.
func (o Options) reportRetry(_ context.Context, ev agentcore.Event) error {
	if r, ok := ev.(*harness.RetryStart); ok && r.Delay >= time.Second {
		reason := r.ErrorMessage
		if o.Clean != nil {
			reason = o.Clean(reason)
		}
		fmt.Fprintf(o.Stderr, "Trying again in %s (%d of %d): %s\n", r.Delay.Round(time.Second), r.Attempt, r.MaxAttempts, reason)
	}
	return nil
}

// conclude writes the final text and says on Stderr what went wrong.
func conclude(answer *ai.AssistantMessage, o Options, out *sink) error {
	if answer != nil && answer.Err() == nil && !o.JSON {
		for _, b := range answer.Content {
			if t, ok := b.(*ai.Text); ok {
				text := t.Text
				if o.Clean != nil {
					text = o.Clean(text)
				}
				out.add(text)
			}
		}
	}
	if err := out.flush(); err != nil {
		return err
	}
	switch {
	case answer == nil:
		fmt.Fprintln(o.Stderr, "Error: there is no answer")
		return ErrFailed
	case answer.Err() != nil:
		fmt.Fprintf(o.Stderr, "Error: %s\n", answer.Err())
		if f := answer.Failure; f != nil && f.Kind == ai.KindNetwork {
			fmt.Fprintln(o.Stderr, "Check the network, a proxy, or whether the local server runs.")
		}
		return ErrFailed
	case answer.StopReason == ai.StopLength:
		fmt.Fprintf(o.Stderr, "Error: the answer was cut off at the model's output limit (%d tokens)\n", answer.Usage.Output)
		return ErrFailed
	}
	return nil
}

// readerGone recognises a closed pipe.
func readerGone(err error) error {
	if errors.Is(err, syscall.EPIPE) || errors.Is(err, io.ErrClosedPipe) {
		return ErrReaderGone
	}
	return fmt.Errorf("write output: %w", err)
}
