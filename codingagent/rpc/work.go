package rpc

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"

	"github.com/pi-go/pi/agentcore/harness"
	"github.com/pi-go/pi/ai/jsonobj"
	"github.com/pi-go/pi/codingagent"
	"github.com/pi-go/pi/codingagent/extension"
)

// prompt hands a message to the session and answers as soon as it is known
// what becomes of it.
func (s *Server) prompt(c command) {
	text, err := need("message", c.Message)
	if err != nil {
		s.fail(c, err)
		return
	}
	images, err := c.images()
	if err != nil {
		s.fail(c, err)
		return
	}
	p := codingagent.Prompt{Text: text, Images: images, Source: extension.FromRPC}
	if p.Empty() {
		s.fail(c, errors.New("the message is empty"))
		return
	}
	var when harness.Delivery
	switch c.StreamingBehavior {
	case "":
	case "steer":
		when = harness.DeliverSteer
	case "followUp":
		when = harness.DeliverFollowUp
	default:
		s.fail(c, fmt.Errorf("field \"streamingBehavior\": %q is neither steer nor followUp", c.StreamingBehavior))
		return
	}
	session := s.Runtime.Session()
	// The next command waits until it is clear who owns the agent, but not for
	// a compaction that the prompt needs: that must be possible to abort.
	s.backgroundUntil(func(taken func()) {
		var started bool
		if err := session.Harness().WaitSettled(s.ctx); err != nil {
			s.fail(c, err)
			return
		}
		result, err := session.Prompt(s.ctx, p, codingagent.PromptOptions{WhenBusy: when, Handling: taken, Started: func() {
			started = true
			s.reply(c, map[string]string{"disposition": "started"})
			taken()
		}})
		switch {
		case started: // what happened since is told by events
		case err != nil:
			s.fail(c, err)
		case result.Handled:
			session.Harness().Delivered()
			s.reply(c, map[string]string{"disposition": "handled"})
		case result.Queued:
			session.Harness().Delivered() // the new queue comes before the answer
			s.reply(c, map[string]string{"disposition": "queued"})
		default: // aborted before the run began
			s.fail(c, errors.New("the prompt was aborted before it was sent"))
		}
	})
}

// backgroundUntil runs a job beside the commands that follow, but these wait
// until it calls taken, or ends.
func (s *Server) backgroundUntil(job func(taken func())) {
	taken := make(chan struct{})
	take := sync.OnceFunc(func() { close(taken) })
	s.taken.Store(&take)
	s.jobs.Go(func() {
		defer take()
		job(take)
	})
	<-taken
}

// compact sums up the conversation, beside the commands that follow.
func (s *Server) compact(c command) {
	session := s.Runtime.Session()
	s.backgroundUntil(func(taken func()) {
		r, err := session.Harness().CompactWith(s.ctx, harness.CompactOptions{Focus: c.Instructions, Accepted: taken})
		if err != nil {
			s.fail(c, err)
			return
		}
		s.reply(c, CompactionResult(r))
	})
}

// bash runs a shell command of the user's.
func (s *Server) bash(c command) {
	script, err := need("command", c.Command)
	if err != nil {
		s.fail(c, err)
		return
	}
	ctx, cancel := context.WithCancel(s.ctx)
	s.mu.Lock()
	s.next++
	n := s.next
	s.shells[n] = cancel
	s.mu.Unlock()
	session := s.Runtime.Session()
	s.background(func() {
		defer func() {
			cancel()
			s.mu.Lock()
			delete(s.shells, n)
			s.mu.Unlock()
		}()
		got, err := session.Bash(ctx, script, c.Exclude, func(text string) { s.bashOutput(c, text) })
		if err != nil {
			s.fail(c, err)
			return
		}
		s.reply(c, bashResult{got.Output, got.ExitCode, got.Cancelled, got.Truncated, got.FullOutputPath})
	})
}

type bashResult struct {
	Output         string `json:"output"`
	ExitCode       *int   `json:"exitCode,omitempty"`
	Cancelled      bool   `json:"cancelled"`
	Truncated      bool   `json:"truncated"`
	FullOutputPath string `json:"fullOutputPath,omitempty"`
}

func (s *Server) bashOutput(c command, text string) {
	text = strings.ReplaceAll(text, "\r", "") // clients expect none
	_ = s.out.Write(func(dst []byte) ([]byte, bool, error) {
		dst = append(dst, `{"type":"bash_execution_update",`...)
		if len(c.ID) > 0 {
			dst = append(append(append(dst, `"id":`...), c.ID...), ',')
		}
		dst = append(dst, `"delta":`...)
		dst = jsonobj.AppendString(dst, text)
		return append(dst, '}'), true, nil
	})
}

func (s *Server) abortBash(c command) {
	s.mu.Lock()
	for _, cancel := range s.shells {
		cancel()
	}
	s.mu.Unlock()
	s.reply(c, nil)
}
