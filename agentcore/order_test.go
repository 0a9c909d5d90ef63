package agentcore

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/pi-go/pi/ai"
)

// TestOrder holds the ordering guarantees of the package comment: each
// scenario records the whole event stream.
func TestOrder(t *testing.T) {
	type scenario struct {
		replies []reply
		prompts []Message
		before  []Message
		tools   []*Tool
		cfg     func(*LoopConfig)
		emit    func(rec *recorder, cancel context.CancelFunc) func(Event) error
	}
	boom := errors.New("boom")
	on := func(kind string, n int, do func(cancel context.CancelFunc) error) func(*recorder, context.CancelFunc) func(Event) error {
		return func(rec *recorder, cancel context.CancelFunc) func(Event) error {
			return func(ev Event) error {
				_ = rec.emit(ev)
				if ev.EventType() == kind {
					if n--; n == 0 {
						return do(cancel)
					}
				}
				return nil
			}
		}
	}
	abort := func(cancel context.CancelFunc) error { cancel(); return nil }
	slow := func(name string, d time.Duration) *Tool {
		tool := echoTool(name)
		tool.Execute = func(ctx context.Context, _ ToolCall, update func(ToolResult)) (ToolResult, error) {
			time.Sleep(d / 100) // so that the order of events does not depend on the scheduler
			update(TextResult(name + " works"))
			select {
			case <-time.After(d):
				return TextResult(name + " done"), nil
			case <-ctx.Done():
				time.Sleep(d / 70)
				return ToolResult{}, ctx.Err()
			}
		}
		return tool
	}
	three := invoke("a slow {}", "b mid {}", "c fast {}")
	trio := []*Tool{slow("slow", 3*time.Second), slow("mid", 2*time.Second), slow("fast", time.Second)}
	prompt := users("go")
	scenarios := map[string]scenario{
		"answer": {replies: []reply{say("hello")}, prompts: prompt},
		"prompts and steering at the start": {
			replies: []reply{say("ok")}, prompts: append([]Message{&ai.SystemMessage{Content: "be brief"}}, users("one", "two")...),
			tools: []*Tool{echoTool("echo")},
			cfg:   func(c *LoopConfig) { c.SteeringMessages = once("steered") },
		},
		"parallel tools": {replies: []reply{three, say("done")}, prompts: prompt, tools: trio},
		"sequential tools": {
			replies: []reply{three, say("done")}, prompts: prompt, tools: trio,
			cfg: func(c *LoopConfig) { c.Execution = ExecuteSequential },
		},
		"one sequential tool makes the batch sequential": {
			replies: []reply{three, say("done")}, prompts: prompt,
			tools: func() []*Tool {
				mid := *trio[1]
				mid.Sequential = true
				return []*Tool{trio[0], &mid, trio[2]}
			}(),
		},
		"steering then follow-up": {
			replies: []reply{invoke("a echo {}"), say("turned"), say("followed")}, prompts: prompt,
			tools: []*Tool{echoTool("echo")},
			cfg: func(c *LoopConfig) {
				n := 0
				c.SteeringMessages = func() []Message {
					if n++; n == 2 {
						return users("s1", "s2")
					}
					return nil
				}
				c.FollowUpMessages = once("f1")
			},
		},
		"length refuses calls": {
			replies: []reply{invokeStop(ai.StopLength, "a echo {}", "b echo {}"), say("again")}, prompts: prompt,
			tools: []*Tool{echoTool("echo")},
		},
		"model fails before the start": {
			replies: []reply{func(context.Context, *ai.Emitter) error { return boom }}, prompts: prompt,
			cfg: func(c *LoopConfig) { c.FollowUpMessages = once("never sent") },
		},
		"model fails in the middle": {
			replies: []reply{func(_ context.Context, out *ai.Emitter) error { out.Text().Append("half"); return boom }}, prompts: prompt,
		},
		"hook fails before the request": {
			replies: []reply{say("never")}, prompts: prompt,
			cfg: func(c *LoopConfig) {
				c.TransformContext = func(context.Context, []Message) ([]Message, error) { return nil, boom }
			},
		},
		"hook panics between turns": {
			replies: []reply{invoke("a echo {}"), say("never")}, prompts: prompt, tools: []*Tool{echoTool("echo")},
			cfg: func(c *LoopConfig) {
				c.PrepareNextTurn = func(context.Context, Turn) (*ContextUpdate, error) { panic("ouch") }
			},
		},
		"FinishTurn fails": {
			replies: []reply{invoke("a echo {}"), say("never")}, prompts: prompt, tools: []*Tool{echoTool("echo")},
			cfg: func(c *LoopConfig) {
				c.FinishTurn = func(context.Context, Turn) (TurnAction, error) { return 0, boom }
			},
		},
		"listener fails while the answer streams": {
			replies: []reply{say("hello"), say("never")}, prompts: prompt,
			emit: on("message_update", 2, func(context.CancelFunc) error { return boom }),
		},
		"listener fails while tools run": {
			replies: []reply{three, say("never")}, prompts: prompt, tools: trio,
			emit: on("tool_execution_update", 2, func(context.CancelFunc) error { return boom }),
		},
		"abort before the start": {
			replies: []reply{say("never")}, prompts: prompt,
			emit: on("agent_start", 1, abort),
		},
		"abort while the answer streams": {
			replies: []reply{func(ctx context.Context, out *ai.Emitter) error {
				w := out.Text()
				w.Append("one")
				<-ctx.Done()
				return ctx.Err()
			}, say("never")}, prompts: prompt,
			emit: on("message_update", 2, abort),
		},
		"abort before the tools": {
			replies: []reply{three, say("never")}, prompts: prompt, tools: trio,
			emit: on("tool_execution_start", 2, abort),
		},
		"abort while tools run": {
			replies: []reply{three, say("never")}, prompts: prompt, tools: trio,
			emit: on("tool_execution_end", 1, abort),
		},
		"abort while sequential tools run": {
			replies: []reply{three, say("never")}, prompts: prompt, tools: trio,
			cfg:  func(c *LoopConfig) { c.Execution = ExecuteSequential },
			emit: on("tool_execution_update", 2, abort),
		},
		"abort after the tools": {
			replies: []reply{invoke("a echo {}"), say("never")}, prompts: prompt, tools: []*Tool{echoTool("echo")},
			emit: on("turn_end", 1, abort),
		},
		"tools change between turns": {
			replies: []reply{invoke("a echo {}"), say("done")}, prompts: prompt, tools: []*Tool{echoTool("echo"), echoTool("old")},
			cfg: func(c *LoopConfig) {
				c.PrepareNextTurn = func(context.Context, Turn) (*ContextUpdate, error) {
					return &ContextUpdate{Tools: []*Tool{echoTool("echo"), echoTool("new")}, Append: users("appended")}, nil
				}
			},
		},
		"tools change before the request": {
			replies: []reply{say("done")}, prompts: prompt,
			cfg: func(c *LoopConfig) {
				c.PrepareRequest = func(context.Context, Context) (*ContextUpdate, error) {
					return &ContextUpdate{Tools: []*Tool{echoTool("late")}}, nil
				}
			},
		},
		"continue after a tool result": {
			replies: []reply{say("on we go")},
			before:  append(users("before"), &ai.ToolResultMessage{ToolCallID: "x"}),
		},
		"FinishTurn wants one more request": {
			replies: []reply{say("first"), say("second")}, prompts: prompt,
			cfg: func(c *LoopConfig) {
				n := 0
				c.FinishTurn = func(context.Context, Turn) (TurnAction, error) {
					if n++; n == 1 {
						return TurnContinue, nil
					}
					return TurnNormal, nil
				}
			},
		},
		"FinishTurn ends the run": {
			replies: []reply{invoke("a echo {}"), say("never")}, prompts: prompt, tools: []*Tool{echoTool("echo")},
			cfg: func(c *LoopConfig) {
				c.FinishTurn = func(context.Context, Turn) (TurnAction, error) { return TurnEndRun, nil }
				c.FollowUpMessages = once("never sent")
			},
		},
	}
	for name, sc := range scenarios {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				ctx, cancel := context.WithCancel(t.Context())
				defer cancel()
				model := &script{replies: sc.replies}
				cfg := LoopConfig{Stream: model.stream, Now: clock()}
				if sc.cfg != nil {
					sc.cfg(&cfg)
				}
				rec := new(recorder)
				emit := rec.emit
				if sc.emit != nil {
					emit = sc.emit(rec, cancel)
				}
				added, err := Run(ctx, sc.prompts, Context{Messages: sc.before, Model: testModel(), Tools: sc.tools}, cfg, emit)
				lines := append(rec.lines, fmt.Sprintf("-- requests: %d", len(model.requests)), fmt.Sprintf("-- error: %v", err))
				golden(t, "order/"+goldenName(name), lines)
				checkShape(t, rec.lines)
				if d := cmp.Diff(describeAll(added), endedMessages(rec.lines)); d != "" {
					t.Errorf("what Run returns is not what entered by events (-returned +events):\n%s", d)
				}
			})
		})
	}
}
