// Package print runs prompts to their end and writes the outcome: the final
// text, or every event as one JSON object a line.
package print

import (
	"context"
	"errors"
	"fmt"
	"io"
	"sync"
	"syscall"

	"github.com/pi-go/pi/agentcore"
	"github.com/pi-go/pi/ai"
	"github.com/pi-go/pi/codingagent"
	"github.com/pi-go/pi/codingagent/rpc"
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

// Run works on the prompts. The error is nil only if the last answer ended
// well.
func Run(ctx context.Context, s *codingagent.AgentSession, o Options) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	out := &sink{w: o.Stdout, gone: func() { cancel(ErrReaderGone) }}
	if o.JSON {
		out.header(s)
		defer s.Subscribe(out.hear)()
	}
	var answer *ai.AssistantMessage
	for _, p := range o.Prompts {
		result, err := s.Prompt(ctx, p, codingagent.PromptOptions{})
		if errors.Is(context.Cause(ctx), ErrReaderGone) {
			return ErrReaderGone
		}
		if err != nil {
			return err
		}
		answer = result.Answer
		if answer == nil || answer.Err() != nil {
			break
		}
	}
	if err := out.flush(); err != nil {
		return err
	}
	return conclude(answer, o)
}

// conclude writes the final text and says on Stderr what went wrong.
func conclude(answer *ai.AssistantMessage, o Options) error {
	if answer == nil {
		fmt.Fprintln(o.Stderr, "Error: there is no answer")
		return ErrFailed
	}
	if err := answer.Err(); err != nil {
		fmt.Fprintf(o.Stderr, "Error: %s\n", err)
		return ErrFailed
	}
	if !o.JSON {
		for _, b := range answer.Content {
			if t, ok := b.(*ai.Text); ok {
				text := t.Text
				if o.Clean != nil {
					text = o.Clean(text)
				}
				if _, err := fmt.Fprintln(o.Stdout, text); err != nil {
					return readerGone(err)
				}
			}
		}
	}
	if answer.StopReason == ai.StopLength {
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

// sink writes events. Deltas gather while a write runs and go out together,
// so that a fast stream does not cost a system call each.
type sink struct {
	w       io.Writer
	gone    func()
	encoder rpc.EventEncoder

	mu      sync.Mutex
	pending []byte
	spare   []byte
	writing bool
	idle    *sync.Cond
	err     error
}

// maxPending is how many bytes may wait before the run waits for the reader.
const maxPending = 256 << 10

func (k *sink) header(s *codingagent.AgentSession) {
	k.mu.Lock()
	k.pending = append(s.Header().AppendJSON(k.pending), '\n')
	k.mu.Unlock()
	k.kick()
}

func (k *sink) hear(_ context.Context, ev agentcore.Event) error {
	k.mu.Lock()
	before := len(k.pending)
	buf, ok, err := k.encoder.Append(k.pending, ev)
	if err != nil || !ok {
		k.pending = buf[:before]
	} else {
		k.pending = append(buf, '\n')
	}
	full := len(k.pending) > maxPending
	failed := k.err
	k.mu.Unlock()
	if failed != nil || err != nil {
		return errors.Join(failed, err)
	}
	if ok {
		k.kick()
	}
	if full {
		return k.flush()
	}
	return nil
}

// kick starts the writer unless it runs.
func (k *sink) kick() {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.idle == nil {
		k.idle = sync.NewCond(&k.mu)
	}
	if !k.writing && k.err == nil && len(k.pending) > 0 {
		k.writing = true
		go k.drain()
	}
}

// drain writes what is pending until nothing is.
func (k *sink) drain() {
	k.mu.Lock()
	defer k.mu.Unlock()
	for len(k.pending) > 0 && k.err == nil {
		batch := k.pending
		k.pending = k.spare[:0]
		k.mu.Unlock()
		_, err := k.w.Write(batch)
		k.mu.Lock()
		k.spare = batch
		if err != nil {
			k.err = readerGone(err)
			if errors.Is(k.err, ErrReaderGone) {
				k.gone()
			}
		}
	}
	k.writing = false
	k.idle.Broadcast()
}

// flush waits until everything is written.
func (k *sink) flush() error {
	k.kick()
	k.mu.Lock()
	defer k.mu.Unlock()
	for k.writing {
		k.idle.Wait()
	}
	return k.err
}
