package server

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"sync"
	"time"

	"github.com/pi-go/pi/agentcore"
	"github.com/pi-go/pi/agentcore/harness"
	"github.com/pi-go/pi/ai"
	"github.com/pi-go/pi/ai/jsonobj"
	"github.com/pi-go/pi/codingagent"
	"github.com/pi-go/pi/codingagent/rpc"
)

// hosted is a session with its log of events and what a client that has all
// events would know.
type hosted struct {
	id      string
	dir     string
	created time.Time
	session *codingagent.AgentSession
	logger  *slog.Logger
	log     *log

	mu      sync.Mutex
	closing bool
	prompts sync.WaitGroup // none is added once closing is set

	// What follows is read and written with the log locked, so that it always
	// fits the newest event.
	encoder            rpc.EventEncoder
	name               string
	busy               bool
	messages           []agentcore.Message
	streaming          *ai.AssistantMessage // the answer in the making, nil if there is none
	steering, followUp []string
}

// host takes over a session that nobody uses yet.
func host(ctx context.Context, s *codingagent.AgentSession, c Config, now time.Time) (*hosted, error) {
	name, err := s.Session().Name(ctx)
	if err != nil {
		return nil, fmt.Errorf("read the session's name: %w", err)
	}
	h := &hosted{
		id: s.ID(), dir: s.Header().Cwd, created: now, session: s, name: name,
		logger: c.Logger.With("session", s.ID()), log: newLog(c.ReplayBytes), messages: s.State().Messages,
	}
	s.Subscribe(h.hear)
	return h, nil
}

// hear is the listener. The run goes on whatever becomes of its events.
func (h *hosted) hear(_ context.Context, ev agentcore.Event) error {
	h.log.add(func() []byte {
		h.follow(ev)
		data, ok, err := h.encoder.Append(nil, ev)
		if err != nil {
			h.logger.Error("an event could not be encoded", "type", ev.EventType(), "error", err)
		}
		if err != nil || !ok {
			return nil
		}
		return data
	})
	return nil
}

// follow brings what we know up to an event.
func (h *hosted) follow(ev agentcore.Event) {
	switch ev := ev.(type) {
	case *agentcore.MessageUpdate:
		h.streaming = ev.Stream.Snapshot()
		return
	case *harness.QueueUpdate:
		h.steering, h.followUp = ev.Steering, ev.FollowUp
		return
	case *harness.InfoChanged:
		h.name = ev.Name
		return
	case *harness.ThinkingChanged:
		return // may come, like those above, beside a run whose state is ahead of its events
	case *agentcore.AgentStart:
		h.busy = true
	case *harness.Settled:
		h.busy = false
	}
	state := h.session.State()
	h.messages, h.streaming = state.Messages, state.Streaming
}

// errClosed is the error of requests that meet a session on its way out.
var errClosed = &problem{http.StatusNotFound, "not_found", "the session is being closed"}

// prompt hands a message to the agent. It returns when that has been accepted,
// with the number of the event before its first one.
func (h *hosted) prompt(ctx context.Context, p codingagent.Prompt, when harness.Delivery) (queued bool, before uint64, err error) {
	h.mu.Lock()
	if h.closing {
		h.mu.Unlock()
		return false, 0, errClosed
	}
	h.prompts.Add(1)
	h.mu.Unlock()
	before = h.log.look(func() {})
	accepted := make(chan error, 1)
	started := false
	go func() {
		defer h.prompts.Done()
		if err := h.session.Harness().WaitSettled(ctx); err != nil {
			accepted <- err
			return
		}
		result, err := h.session.Prompt(ctx, p, codingagent.PromptOptions{WhenBusy: when, Started: func() {
			started = true
			accepted <- nil
		}})
		switch {
		case !started:
			queued = result.Queued
			accepted <- err
		case err != nil:
			h.logger.Error("a prompt could not be worked on", "error", err)
			h.log.add(func() []byte { return said("prompt_failed", "error", err.Error()) })
		}
	}()
	err = <-accepted
	return queued, before, err
}

// said is an event of the server's own.
func said(kind, field, text string) []byte {
	return fmt.Appendf(nil, `{"type":%q,%q:%s}`, kind, field, jsonobj.AppendString(nil, text))
}

// close aborts what is under way, closes the session and ends the streams of
// events. The context limits how long it waits.
func (h *hosted) close(ctx context.Context, reason string) error {
	h.mu.Lock()
	h.closing = true
	h.mu.Unlock()
	err := h.session.Close(ctx)
	settled := make(chan struct{})
	go func() {
		h.prompts.Wait()
		close(settled)
	}()
	select {
	case <-settled:
	case <-ctx.Done():
		err = errors.Join(err, fmt.Errorf("wait for its prompt: %w", context.Cause(ctx)))
	}
	h.log.close(said("closed", "reason", reason))
	return err
}
