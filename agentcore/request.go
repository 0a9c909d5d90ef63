package agentcore

import (
	"errors"
	"slices"

	"github.com/pi-go/pi/ai"
)

// answer makes one request and adds the answer to the transcript, with its
// events. A request that can not be made gives an answer that says why.
func (r *run) answer() *ai.AssistantMessage {
	var m *ai.AssistantMessage
	started := false
	if s := r.request(); s == nil {
		m = r.failure()
	} else {
		err := r.contain("model stream", func() error {
			for ev := range s.Events() {
				switch ev.Type {
				case ai.EventStart:
					started = true
					r.emit(&MessageStart{Message: ev.Message})
				case ai.EventDone, ai.EventError:
				default:
					r.update.Message, r.update.Stream = ev.Message, ev
					r.emit(&r.update)
				}
				if r.err != nil {
					break
				}
			}
			return nil
		})
		if err != nil {
			r.fail(err)
		}
		// The stream's own message may be reused by it, and holds on to it.
		m = s.Result().Clone()
		r.update = MessageUpdate{}
		if m.ThinkingLevel == "" {
			m.ThinkingLevel = r.thinking()
		}
		if r.err != nil {
			r.markFailed(m)
		}
	}
	if n, ok := r.finished(m).(*ai.AssistantMessage); ok {
		m = n
	}
	if !started {
		r.emit(&MessageStart{Message: m})
	}
	r.keep(m)
	r.emit(&MessageEnd{Message: m})
	return m
}

// request prepares a request up to its stream, which has not started yet. It
// gives nil when the run was stopped on the way.
func (r *run) request() *ai.Stream {
	r.refresh()
	if r.cfg.PrepareRequest != nil && !r.stopped() {
		var u *ContextUpdate
		err := r.contain("PrepareRequest", func() (err error) {
			u, err = r.cfg.PrepareRequest(r.ctx, r.context())
			return err
		})
		if err != nil {
			r.fail(err)
		} else if u != nil {
			r.apply(u)
			for _, m := range u.Append {
				if m != nil {
					r.enter(m)
				}
			}
		}
	}
	// The hook may have changed the tools.
	for _, m := range r.declare(nil) {
		r.enter(m)
	}
	if r.c.Model == nil && !r.stopped() {
		r.fail(errNoModel)
	}
	messages := r.modelMessages()
	opts := r.cfg.Options
	opts.Thinking = r.thinking()
	if r.cfg.APIKey != nil && !r.stopped() {
		var key string
		err := r.contain("APIKey", func() (err error) {
			key, err = r.cfg.APIKey(r.ctx, r.c.Model.Provider)
			return err
		})
		if err != nil {
			r.fail(err)
		} else if key != "" {
			opts.APIKey = key
		}
	}
	if r.stopped() {
		return nil
	}
	var s *ai.Stream
	err := r.contain("Stream", func() error {
		if s = r.cfg.Stream(r.ctx, r.c.Model, ai.Request{Messages: messages}, opts); s == nil {
			return errors.New("the stream function returned no stream")
		}
		return nil
	})
	if err != nil {
		r.fail(err)
		return nil
	}
	return s
}

// modelMessages gives what the model sees of the transcript.
func (r *run) modelMessages() []ai.Message {
	if r.stopped() {
		return nil
	}
	if r.cfg.TransformContext == nil && r.cfg.ConvertToLLM == nil {
		// A transcript only grows within a run, so what was converted for the
		// last request need not be converted again.
		for _, m := range r.c.Messages[r.seen:] {
			if m, ok := m.(ai.Message); ok {
				r.llm = append(r.llm, m)
			}
		}
		r.seen = len(r.c.Messages)
		return slices.Clip(r.llm)
	}
	messages := slices.Clip(r.c.Messages)
	if r.cfg.TransformContext != nil {
		err := r.contain("TransformContext", func() (err error) {
			messages, err = r.cfg.TransformContext(r.ctx, messages)
			return err
		})
		if err != nil {
			r.fail(err)
			return nil
		}
	}
	convert := r.cfg.ConvertToLLM
	if convert == nil {
		convert = ModelMessages
	}
	var out []ai.Message
	if err := r.contain("ConvertToLLM", func() error { out = convert(messages); return nil }); err != nil {
		r.fail(err)
	}
	return out
}
