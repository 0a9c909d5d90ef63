package agentcore

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/pi-go/pi/ai"
	"github.com/pi-go/pi/ai/faux"
)

// TestFaultyParts lets each foreign part of a run fail and panic: the run ends
// in order and says which part it was.
func TestFaultyParts(t *testing.T) {
	boom := errors.New("boom")
	var fail func() error
	parts := map[string]func(*LoopConfig){
		"TransformContext": func(c *LoopConfig) {
			c.TransformContext = func(_ context.Context, ms []Message) ([]Message, error) { return ms, fail() }
		},
		"APIKey": func(c *LoopConfig) { c.APIKey = func(context.Context, string) (string, error) { return "", fail() } },
		"PrepareRequest": func(c *LoopConfig) {
			c.PrepareRequest = func(context.Context, Context) (*ContextUpdate, error) { return nil, fail() }
		},
		"PrepareNextTurn": func(c *LoopConfig) {
			c.PrepareNextTurn = func(context.Context, Turn) (*ContextUpdate, error) { return &ContextUpdate{Append: users("x")}, fail() }
		},
		"FinishTurn": func(c *LoopConfig) {
			c.FinishTurn = func(context.Context, Turn) (TurnAction, error) { return 0, fail() }
		},
		"FinishMessage": func(c *LoopConfig) {
			c.FinishMessage = func(_ context.Context, m Message) (Message, error) {
				if m.Role() == ai.RoleToolResult {
					return nil, fail()
				}
				return nil, nil
			}
		},
	}
	for name, set := range parts {
		for _, how := range []string{"fails", "panics"} {
			t.Run(name+" "+how, func(t *testing.T) {
				fail = func() error { return boom }
				if how == "panics" {
					fail = func() error { panic(boom) }
				}
				model := &script{replies: []reply{invoke("a echo {}"), say("never")}}
				cfg := LoopConfig{Stream: model.stream, Now: clock()}
				set(&cfg)
				var panics int
				cfg.OnPanic = func(*PanicError) { panics++ }
				rec := new(recorder)
				_, err := Run(t.Context(), users("go"), Context{Model: testModel(), Tools: []*Tool{echoTool("echo")}}, cfg, rec.emit)
				checkShape(t, rec.lines)
				if !errors.Is(err, boom) || !strings.Contains(err.Error(), name) {
					t.Errorf("Run = %v, want boom of %s", err, name)
				}
				if (panics == 1) != (how == "panics") {
					t.Errorf("%d panics were told", panics)
				}
				messages := endedMessages(rec.lines)
				if last := messages[len(messages)-1]; !strings.HasPrefix(last, "assistant error") || !strings.Contains(last, "boom") {
					t.Errorf("last message %s, want an error answer", last)
				}
			})
		}
	}
	t.Run("ConvertToLLM panics", func(t *testing.T) {
		cfg := LoopConfig{Stream: new(script).stream, ConvertToLLM: func([]Message) []ai.Message { panic(boom) }}
		if _, err := Run(t.Context(), users("go"), Context{Model: testModel()}, cfg, nil); !errors.Is(err, boom) {
			t.Errorf("Run = %v", err)
		}
	})
	t.Run("no stream", func(t *testing.T) {
		cfg := LoopConfig{Stream: func(context.Context, *ai.Model, ai.Request, ai.Options) *ai.Stream { return nil }}
		if _, err := Run(t.Context(), users("go"), Context{Model: testModel()}, cfg, nil); err == nil || !strings.Contains(err.Error(), "returned no stream") {
			t.Errorf("Run = %v", err)
		}
	})
	t.Run("Stream panics", func(t *testing.T) {
		cfg := LoopConfig{Stream: func(context.Context, *ai.Model, ai.Request, ai.Options) *ai.Stream { panic(boom) }}
		if _, err := Run(t.Context(), users("go"), Context{Model: testModel()}, cfg, nil); !errors.Is(err, boom) {
			t.Errorf("Run = %v", err)
		}
	})
}

// TestListenerFails lets the listener fail or panic at each event of a run.
func TestListenerFails(t *testing.T) {
	boom := errors.New("boom")
	for n := 1; ; n++ {
		model := &script{replies: []reply{invoke("a echo {}", "b echo {}"), say("done")}}
		cfg := LoopConfig{Stream: model.stream, Now: clock()}
		rec := new(recorder)
		at := ""
		_, err := Run(t.Context(), users("go"), Context{Model: testModel(), Tools: []*Tool{echoTool("echo")}}, cfg, func(ev Event) error {
			_ = rec.emit(ev)
			if len(rec.lines) == n {
				at = describe(ev)
				if n%2 == 0 {
					panic(boom)
				}
				return boom
			}
			return nil
		})
		if at == "" {
			if err != nil || n < 20 {
				t.Fatalf("the undisturbed run has %d events and ends with %v", n-1, err)
			}
			return
		}
		checkShape(t, rec.lines)
		if !errors.Is(err, boom) {
			t.Errorf("failure at %q: Run = %v", at, err)
		}
	}
}

// TestLastListenerFailsAfterAFailedAnswer loses neither failure.
func TestLastListenerFailsAfterAFailedAnswer(t *testing.T) {
	boom := errors.New("boom")
	p := faux.New(faux.Config{})
	p.Queue(faux.Failure(&ai.APIError{Kind: ai.KindServer, Message: "down"}))
	cfg := LoopConfig{Stream: ai.NewModels(p).Stream, Now: clock()}
	_, err := Run(t.Context(), users("go"), Context{Model: p.Model()}, cfg, func(ev Event) error {
		if _, ok := ev.(*AgentEnd); ok {
			return boom
		}
		return nil
	})
	var api *ai.APIError
	if !errors.Is(err, boom) || !errors.As(err, &api) || api.Message != "down" {
		t.Errorf("Run = %v", err)
	}
}

// TestAbortAtEveryEvent cancels the context at each event of a run.
func TestAbortAtEveryEvent(t *testing.T) {
	for n := 1; ; n++ {
		model := &script{replies: []reply{invoke("a echo {}", "b echo {}"), say("done")}}
		cfg := LoopConfig{Stream: model.stream, Now: clock(), FollowUpMessages: once("f")}
		ctx, cancel := context.WithCancel(t.Context())
		rec := new(recorder)
		at, requests := "", 0
		added, err := Run(ctx, users("go"), Context{Model: testModel(), Tools: []*Tool{echoTool("echo")}}, cfg, func(ev Event) error {
			_ = rec.emit(ev)
			if len(rec.lines) == n {
				at, requests = describe(ev), len(model.requests)
				cancel()
			}
			return nil
		})
		cancel()
		if at == "" {
			if err != nil || n < 30 {
				t.Fatalf("the undisturbed run has %d events and ends with %v", n-1, err)
			}
			return
		}
		checkShape(t, rec.lines)
		if len(model.requests) != requests {
			t.Errorf("abort at %q: a request was made afterwards", at)
		}
		if d := cmp.Diff(describeAll(added), endedMessages(rec.lines)); d != "" {
			t.Errorf("abort at %q: returned and told messages differ:\n%s", at, d)
		}
		if !errors.Is(err, context.Canceled) && !strings.HasPrefix(at, "agent_end") {
			t.Errorf("abort at %q: Run = %v", at, err)
		}
		aborted := 0
		for _, l := range endedMessages(rec.lines) {
			if strings.HasPrefix(l, "assistant aborted") {
				aborted++
			}
		}
		if aborted > 1 {
			t.Errorf("abort at %q: %d aborted answers", at, aborted)
		}
	}
}

// TestHookThatFailsBecauseOfAnAbort is an abort, not a failure.
func TestHookThatFailsBecauseOfAnAbort(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cfg := LoopConfig{
		Stream: new(script).stream, Now: clock(),
		TransformContext: func(ctx context.Context, ms []Message) ([]Message, error) {
			cancel()
			return nil, errors.New("signal: killed")
		},
	}
	added, err := Run(ctx, users("go"), Context{Model: testModel()}, cfg, nil)
	if !errors.Is(err, context.Canceled) || len(added) != 2 {
		t.Fatalf("Run = %v, %v", describeAll(added), err)
	}
	if got, want := describeMessage(added[1]), `assistant aborted "" error="request was aborted"`; got != want {
		t.Errorf("last message %s, want %s", got, want)
	}
}

func TestFinishTurnIsNotCalledAfterAnAbort(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	tool := echoTool("t")
	tool.Execute = func(context.Context, ToolCall, func(ToolResult)) (ToolResult, error) {
		cancel()
		return TextResult("done"), nil
	}
	model := &script{replies: []reply{invoke("a t {}")}}
	cfg := LoopConfig{Stream: model.stream, Now: clock(), FinishTurn: func(context.Context, Turn) (TurnAction, error) {
		t.Error("FinishTurn was called")
		return TurnContinue, nil
	}}
	added, err := Run(ctx, users("go"), Context{Model: testModel(), Tools: []*Tool{tool}}, cfg, nil)
	if !errors.Is(err, context.Canceled) || len(model.requests) != 1 {
		t.Errorf("Run = %v after %d requests", err, len(model.requests))
	}
	// The tool did its work in time: its own result counts.
	if got, want := describeMessage(added[3]), `toolResult a "done"`; got != want {
		t.Errorf("result %s, want %s", got, want)
	}
}

// TestListenerErrorAfterAnAbortIsNotLost, for instance that of a full disk.
func TestListenerErrorAfterAnAbortIsNotLost(t *testing.T) {
	full := errors.New("disk full")
	for _, kind := range []string{"message_end", "agent_end"} {
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		_, err := Run(ctx, users("go"), Context{Model: testModel()}, LoopConfig{Stream: new(script).stream, Now: clock()}, func(ev Event) error {
			if ev.EventType() == kind {
				return full
			}
			return nil
		})
		if !errors.Is(err, context.Canceled) || !errors.Is(err, full) {
			t.Errorf("listener of %s fails after an abort: Run = %v, want both", kind, err)
		}
	}
	_, err := Run(t.Context(), users("go"), Context{Model: testModel()}, LoopConfig{Stream: new(script).stream, Now: clock()}, func(ev Event) error {
		if ev.EventType() == "agent_end" {
			return full
		}
		return nil
	})
	if !errors.Is(err, full) {
		t.Errorf("listener of agent_end fails: Run = %v", err)
	}
}

// TestRequestsAreNotShared: what a stream function appends to its request must
// not show in the next one, nor the other way round.
func TestRequestsAreNotShared(t *testing.T) {
	model := &script{replies: []reply{invoke("a echo {}"), invoke("b echo {}"), invoke("c echo {}"), say("done")}}
	var kept [][]ai.Message
	cfg := LoopConfig{Now: clock(), Stream: func(ctx context.Context, m *ai.Model, req ai.Request, opts ai.Options) *ai.Stream {
		kept = append(kept, append(req.Messages, ai.UserText(fmt.Sprint("mark ", len(kept)))))
		return model.stream(ctx, m, req, opts)
	}}
	if _, err := Run(t.Context(), users("go"), Context{Model: testModel(), Tools: []*Tool{echoTool("echo")}}, cfg, nil); err != nil {
		t.Fatal(err)
	}
	for i, req := range kept {
		if got, want := describeMessage(req[len(req)-1]), fmt.Sprintf("user \"mark %d\"", i); got != want {
			t.Errorf("request %d now ends with %s, want %s", i, got, want)
		}
		for _, m := range model.requests[i] {
			if strings.Contains(describeMessage(m), "mark") {
				t.Errorf("request %d holds what was appended to another: %s", i, describeMessage(m))
			}
		}
	}
}

// TestTranscriptDoesNotHoldTheStream: the answer of MessageEnd is a copy, so
// that the stream with its buffers and connection state can be freed.
func TestTranscriptDoesNotHoldTheStream(t *testing.T) {
	var making, whole Message
	_, err := Run(t.Context(), users("go"), Context{Model: testModel()}, LoopConfig{Stream: (&script{replies: []reply{say("x")}}).stream, Now: clock()}, func(ev Event) error {
		switch ev := ev.(type) {
		case *MessageStart:
			making = ev.Message
		case *MessageEnd:
			whole = ev.Message
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if making == whole {
		t.Error("the stream's own message entered the transcript")
	}
}

func TestDeadline(t *testing.T) {
	ctx, cancel := context.WithDeadline(t.Context(), time.Now().Add(-time.Second))
	defer cancel()
	model := &script{}
	rec := new(recorder)
	_, err := Run(ctx, users("go"), Context{Model: testModel()}, LoopConfig{Stream: model.stream, Now: clock()}, rec.emit)
	if !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("Run = %v", err)
	}
	if last := endedMessages(rec.lines); !strings.HasPrefix(last[len(last)-1], "assistant error") {
		t.Errorf("last message %s: a deadline is an error, no abort", last)
	}
}
