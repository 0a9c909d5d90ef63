package aitest_test

import (
	"context"
	"testing"

	"github.com/pi-go/pi/ai"
	"github.com/pi-go/pi/ai/aitest"
	"github.com/pi-go/pi/ai/faux"
)

// The scripted provider keeps the contract.
func TestFaux(t *testing.T) {
	aitest.Run(t, aitest.Fixture{Stream: func(ctx context.Context, _ testing.TB, s aitest.Scenario) *ai.Stream {
		p := faux.New(faux.Config{Chunk: 3})
		p.Queue(script(s))
		return ai.NewModels(p).Stream(ctx, p.Model(), ai.Request{Messages: []ai.Message{ai.UserText("x")}}, ai.Options{})
	}})
}

func script(s aitest.Scenario) faux.Response {
	busy := &ai.APIError{Kind: ai.KindOverloaded, Message: "busy"}
	hello, half := faux.Text("Hello, 東京 🧭."), faux.Partial(ai.BlockText, "Half an ans")
	switch s {
	case aitest.Thoughtful:
		return faux.Calls(faux.Thinking("Let me see.", "sig"), hello)
	case aitest.Tools:
		return faux.Calls(faux.Text("Looking."), faux.Call("read", `{"path":"a.txt"}`), faux.Call("status", nil))
	case aitest.BadArguments:
		return faux.Calls(faux.Call("read", `{"path":`))
	case aitest.Truncated:
		return faux.Response{Steps: []faux.Step{faux.Call("read", `{"path":"a`)}, Stop: ai.StopLength}
	case aitest.Unauthorized:
		return faux.Failure(&ai.APIError{Kind: ai.KindAuth, Message: "no"})
	case aitest.Overloaded:
		return faux.Failure(busy)
	case aitest.FailsMidway:
		return faux.Calls(half, faux.Fail(busy))
	case aitest.CutText:
		return faux.Calls(half, faux.Cut())
	case aitest.CutCall:
		open := func(_ context.Context, w *faux.Writer) error {
			w.Emitter.ToolCall("t1", "read").Append(`{"path":"a.txt"}`)
			return nil
		}
		return faux.Calls(open, faux.Cut())
	case aitest.HangsAtOnce:
		return faux.Calls(faux.Hang())
	case aitest.HangsMidway:
		return faux.Calls(half, faux.Hang())
	}
	return faux.Calls(hello)
}

// broken makes events that break the contract in one way each.
func TestCheckerFindsFaults(t *testing.T) {
	m := &ai.AssistantMessage{StopReason: ai.StopPending, Content: []ai.Block{&ai.Text{Text: "ab"}}}
	ev := func(t ai.EventType, index int, delta string) ai.Event {
		return ai.Event{Type: t, Index: index, Delta: delta, Message: m}
	}
	start := ev(ai.EventStart, 0, "")
	open := ev(ai.EventTextStart, 0, "")
	for name, events := range map[string][]ai.Event{
		"no start":           {open},
		"two starts":         {start, start},
		"wrong index":        {start, ev(ai.EventTextStart, 1, "")},
		"delta before block": {start, ev(ai.EventTextDelta, 0, "ab")},
		"wrong kind":         {start, ev(ai.EventThinkingStart, 0, "")},
		"empty delta":        {start, open, ev(ai.EventTextDelta, 0, "")},
		"wrong text":         {start, open, ev(ai.EventTextDelta, 0, "abc")},
		"after the end":      {start, open, ev(ai.EventTextEnd, 0, ""), ev(ai.EventTextDelta, 0, "ab")},
		"left open":          {start, open, ev(ai.EventDone, 0, "")},
		"pending at the end": {start, open, ev(ai.EventTextEnd, 0, ""), ev(ai.EventDone, 0, "")},
		"no message":         {{Type: ai.EventStart}},
	} {
		var c aitest.Checker
		var err error
		for i, e := range events {
			if err = c.Event(e); err != nil && i < len(events)-1 {
				t.Errorf("%s: event %d: %v", name, i, err)
			}
		}
		if err == nil {
			t.Errorf("%s: not found", name)
		}
	}
	var c aitest.Checker
	if c.End(nil) == nil || c.End(&ai.AssistantMessage{StopReason: ai.StopEnd}) == nil {
		t.Error("results without a terminal event pass")
	}
}
