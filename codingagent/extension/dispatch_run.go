package extension

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"slices"

	"github.com/pi-go/pi/agentcore"
	"github.com/pi-go/pi/agentcore/harness"
	"github.com/pi-go/pi/agentcore/session"
	"github.com/pi-go/pi/ai"
)

// Hear tells extensions of an event of a run or of the run controller. Events
// that are answered have methods of their own: [Runner.TurnEnd],
// [Runner.MessageEnd], [Runner.BeforeSettle].
func (r *Runner) Hear(ctx context.Context, ev agentcore.Event) {
	switch ev := ev.(type) {
	case *agentcore.AgentStart:
		tell(ctx, r, ev.EventType(), func(e *Events) *Topic[AgentStart] { return &e.AgentStart }, &AgentStart{})
	case *agentcore.AgentEnd:
		tell(ctx, r, ev.EventType(), func(e *Events) *Topic[AgentEnd] { return &e.AgentEnd }, &AgentEnd{ev.Messages, ev.WillRetry})
	case *agentcore.MessageStart:
		tell(ctx, r, ev.EventType(), func(e *Events) *Topic[MessageStart] { return &e.MessageStart }, &MessageStart{ev.Message})
	case *agentcore.MessageUpdate:
		if !wanted(r, func(e *Events) *Hook[MessageUpdate, struct{}] { return &e.MessageUpdate.hook }) {
			return // there are very many
		}
		tell(ctx, r, ev.EventType(), func(e *Events) *Topic[MessageUpdate] { return &e.MessageUpdate }, &MessageUpdate{ev.Message, ev.Stream})
	case *agentcore.ToolStart:
		tell(ctx, r, ev.EventType(), func(e *Events) *Topic[ToolExecutionStart] { return &e.ToolExecutionStart },
			&ToolExecutionStart{ev.CallID, ev.Name, ev.Arguments, ev.ParentCallID})
	case *agentcore.ToolUpdate:
		tell(ctx, r, ev.EventType(), func(e *Events) *Topic[ToolExecutionUpdate] { return &e.ToolExecutionUpdate },
			&ToolExecutionUpdate{ev.CallID, ev.Name, ev.Arguments, ev.Partial, ev.ParentCallID})
	case *agentcore.ToolEnd:
		tell(ctx, r, ev.EventType(), func(e *Events) *Topic[ToolExecutionEnd] { return &e.ToolExecutionEnd },
			&ToolExecutionEnd{ev.CallID, ev.Name, ev.Result, ev.DurationMS, ev.ParentCallID})
	case *harness.Settled:
		tell(ctx, r, ev.EventType(), func(e *Events) *Topic[AgentSettled] { return &e.AgentSettled }, &AgentSettled{ev.Aborted})
	case *harness.InfoChanged:
		tell(ctx, r, ev.EventType(), func(e *Events) *Topic[SessionInfoChanged] { return &e.SessionInfoChanged }, &SessionInfoChanged{ev.Name})
	}
}

// TurnStart tells that a turn begins.
func (r *Runner) TurnStart(ctx context.Context, ev TurnStart) {
	tell(ctx, r, "turn_start", func(e *Events) *Topic[TurnStart] { return &e.TurnStart }, &ev)
}

// HasTurnEnd reports whether somebody wants to be asked at the end of turns.
func (r *Runner) HasTurnEnd() bool {
	return wanted(r, func(e *Events) *Hook[TurnEnd, BoundaryDecision] { return &e.TurnEnd })
}

// TurnEnd asks what a turn is followed by.
func (r *Runner) TurnEnd(ctx context.Context, ev TurnEnd) ([]session.Entry, bool) {
	return boundary(ctx, r, "turn_end", func(e *Events) *Hook[TurnEnd, BoundaryDecision] { return &e.TurnEnd }, &ev, &ev.Boundary)
}

// BeforeSettle asks whether anything is left to do.
func (r *Runner) BeforeSettle(ctx context.Context, ev BeforeSettle) ([]session.Entry, bool) {
	pick := func(e *Events) *Hook[BeforeSettle, BoundaryDecision] { return &e.AgentBeforeSettle }
	return boundary(ctx, r, "agent_before_settle", pick, &ev, &ev.Boundary)
}

// boundary collects proposals. One that is not valid is reported and left out.
func boundary[E any](ctx context.Context, r *Runner, name string, pick func(*Events) *Hook[E, BoundaryDecision], ev *E, b *Boundary) ([]session.Entry, bool) {
	var continues *API
	handled(ctx, r, name, pick, ev, func(a *API, d *BoundaryDecision) bool {
		if d.Entries != nil {
			if err := b.check(ctx, d.Entries); err != nil {
				r.report(a, name, err)
				return false
			}
			b.Entries = slices.Clone(d.Entries)
		}
		if d.Continue != nil {
			b.Continue, continues = *d.Continue, a
		}
		return false
	}, nil)
	again := b.Continue && b.Outcome == Completed
	if again && continues != nil && b.Preview != nil {
		c, err := b.Preview(ctx, b.Entries)
		if err == nil && !c.CanContinue {
			err = errors.New("it asked for one more request, but nothing is left to be answered")
		}
		if err != nil {
			r.report(continues, name, err)
			again = false
		}
	}
	return b.Entries, again
}

// check finds what is wrong with entries that are to be added.
func (b *Boundary) check(ctx context.Context, entries []session.Entry) error {
	for i, e := range entries {
		switch e.(type) {
		case *session.CustomEntry, *session.CustomMessageEntry, *session.CompactionEntry, *session.ContextEditEntry:
		default:
			return fmt.Errorf("entry %d: %T can not be added here", i, e)
		}
		if slices.Contains(entries[:i], e) {
			return fmt.Errorf("entry %d is there twice", i)
		}
	}
	if b.Preview == nil {
		return nil
	}
	_, err := b.Preview(ctx, entries)
	return err
}

// ModelSelected tells that a model was chosen.
func (r *Runner) ModelSelected(ctx context.Context, ev ModelSelect) {
	tell(ctx, r, "model_select", func(e *Events) *Topic[ModelSelect] { return &e.ModelSelect }, &ev)
}

// ThinkingSelected tells that a thinking level was chosen.
func (r *Runner) ThinkingSelected(ctx context.Context, ev ThinkingLevelSelect) {
	tell(ctx, r, "thinking_level_select", func(e *Events) *Topic[ThinkingLevelSelect] { return &e.ThinkingLevelSelect }, &ev)
}

// Requests adds the extensions to the options of requests.
func (r *Runner) Requests(ctx context.Context, o ai.Options) ai.Options {
	if pick := func(e *Events) *Hook[ProviderHeaders, struct{}] { return &e.BeforeProviderHeaders.hook }; wanted(r, pick) {
		own := o.TransformHeaders
		o.TransformHeaders = func(h http.Header) {
			if own != nil {
				own(h)
			}
			ev, lost := ProviderHeaders{h.Clone()}, false
			handled(ctx, r, "before_provider_headers", pick, &ev, nil, func(err error) bool { lost = leftBehind(err); return lost })
			if !lost {
				clear(h)
				maps.Copy(h, ev.Headers)
			}
		}
	}
	if pick := func(e *Events) *Hook[ProviderRequest, ProviderRequest] { return &e.BeforeProviderRequest }; wanted(r, pick) {
		own := o.OnPayload
		o.OnPayload = func(body json.RawMessage, m *ai.Model) json.RawMessage {
			if own != nil {
				if other := own(body, m); other != nil {
					body = other
				}
			}
			ev := ProviderRequest{body, m}
			handled(ctx, r, "before_provider_request", pick, &ev, func(a *API, d *ProviderRequest) bool {
				switch {
				case d.Payload == nil:
				case !json.Valid(d.Payload):
					r.report(a, "before_provider_request", errors.New("the payload is not JSON; the request is sent as it was"))
				default:
					ev.Payload = d.Payload
				}
				return false
			}, nil)
			return ev.Payload
		}
	}
	if pick := func(e *Events) *Hook[ProviderResponse, struct{}] { return &e.AfterProviderResponse.hook }; wanted(r, pick) {
		own := o.OnResponse
		o.OnResponse = func(status int, h http.Header, m *ai.Model) {
			if own != nil {
				own(status, h, m)
			}
			handled(ctx, r, "after_provider_response", pick, &ProviderResponse{status, h, m}, nil, nil)
		}
	}
	if pick := func(e *Events) *Hook[ProviderStreamEvent, struct{}] { return &e.ProviderStreamEvent.hook }; wanted(r, pick) {
		own := o.OnWireEvent
		o.OnWireEvent = func(data json.RawMessage, m *ai.Model) {
			if own != nil {
				own(data, m)
			}
			handled(ctx, r, "provider_stream_event", pick, &ProviderStreamEvent{m, data}, nil, nil)
		}
	}
	return o
}

// ToolCall asks whether a call may run; nil lets it.
func (r *Runner) ToolCall(ctx context.Context, ev ToolCall) *ToolCallDecision {
	var out ToolCallDecision
	handled(ctx, r, "tool_call", func(e *Events) *Hook[ToolCall, ToolCallDecision] { return &e.ToolCall }, &ev,
		func(a *API, d *ToolCallDecision) bool {
			if d.Block {
				out = ToolCallDecision{Block: true, Reason: d.Reason, Terminate: d.Terminate}
				return true
			}
			if d.Arguments != nil {
				if !json.Valid(d.Arguments) {
					err := errors.New("the arguments it gave are not JSON")
					r.report(a, "tool_call", err)
					out = ToolCallDecision{Block: true, Reason: blockedBy(a, err)}
					return true
				}
				ev.Arguments, out.Arguments = d.Arguments, d.Arguments
			}
			return false
		},
		func(err error) bool {
			out = ToolCallDecision{Block: true, Reason: fmt.Sprintf("an extension that checks calls failed: %s", err)}
			return true
		})
	if !out.Block && out.Arguments == nil {
		return nil
	}
	return &out
}

func blockedBy(a *API, err error) string {
	return fmt.Sprintf("the extension %s failed: %s", a.ext.Name, err)
}

// ToolResult passes a result through the handlers; nil leaves it as it is.
func (r *Runner) ToolResult(ctx context.Context, ev ToolResult) *ToolResultPatch {
	pick := func(e *Events) *Hook[ToolResult, ToolResultPatch] { return &e.ToolResult }
	if !wanted(r, pick) {
		return nil
	}
	r.results.Lock()
	defer r.results.Unlock()
	var out *ToolResultPatch
	handled(ctx, r, "tool_result", pick, &ev, func(_ *API, p *ToolResultPatch) bool {
		ev.Result = p.Apply(ev.Result)
		out = out.Then(p)
		return false
	}, nil)
	return out
}
