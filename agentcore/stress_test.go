package agentcore

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/pi-go/pi/ai"
)

// TestStress runs many agents at once, each with parallel, nested, failing,
// panicking and stubborn tools, aborted at random points, while others steer
// them and read their state. Every run must be well-formed, every transcript
// paired, and no goroutine may be left.
func TestStress(t *testing.T) {
	const agents, runs = 200, 5
	before := runtime.NumGoroutine()
	var tools, all sync.WaitGroup
	for i := range agents {
		all.Go(func() { stressOne(t, rand.New(rand.NewPCG(uint64(i), 1)), runs, &tools) })
	}
	all.Wait()
	tools.Wait() // stubborn tools have returned
	deadline := time.Now().Add(10 * time.Second)
	for runtime.NumGoroutine() > before {
		if time.Now().After(deadline) {
			stacks := make([]byte, 1<<20)
			t.Fatalf("%d goroutines are left, %d were there before:\n%s", runtime.NumGoroutine(), before, stacks[:runtime.Stack(stacks, true)])
		}
		runtime.Gosched()
	}
}

func stressOne(t *testing.T, rng *rand.Rand, runs int, running *sync.WaitGroup) {
	release := make(chan struct{}) // lets stubborn tools go
	tool := func(name string, f func(ctx context.Context, call ToolCall, update func(ToolResult)) (ToolResult, error)) *Tool {
		return &Tool{Name: name, Parameters: json.RawMessage(`{"type":"object"}`), Execute: func(ctx context.Context, call ToolCall, update func(ToolResult)) (ToolResult, error) {
			running.Add(1)
			defer running.Done()
			return f(ctx, call, update)
		}}
	}
	quick := tool("quick", func(_ context.Context, _ ToolCall, update func(ToolResult)) (ToolResult, error) {
		for range 3 {
			update(TextResult("…"))
		}
		return TextResult("ok"), nil
	})
	var a *Agent
	kit := []*Tool{
		quick,
		tool("fails", func(context.Context, ToolCall, func(ToolResult)) (ToolResult, error) {
			return ToolResult{}, errors.New("no")
		}),
		tool("panics", func(context.Context, ToolCall, func(ToolResult)) (ToolResult, error) { panic("no") }),
		tool("waits", func(ctx context.Context, _ ToolCall, _ func(ToolResult)) (ToolResult, error) {
			select {
			case <-ctx.Done():
				return ToolResult{}, ctx.Err()
			case <-time.After(time.Millisecond):
				return TextResult("waited"), nil
			}
		}),
		tool("nests", func(ctx context.Context, call ToolCall, _ func(ToolResult)) (ToolResult, error) {
			var group sync.WaitGroup
			for range 3 {
				group.Go(func() { call.Invoke(ctx, "quick", nil, func(ToolResult) {}) })
			}
			running.Add(1)
			go func() { // one more, which may be left behind
				defer running.Done()
				call.Invoke(ctx, "waits", nil, nil)
			}()
			group.Wait()
			return TextResult("nested"), nil
		}),
		tool("stubborn", func(ctx context.Context, _ ToolCall, update func(ToolResult)) (ToolResult, error) {
			a.Abort() // a tool may; nothing else might end the run
			<-ctx.Done()
			<-release
			update(TextResult("late"))
			return TextResult("late"), nil
		}),
	}
	answers := rand.New(rand.NewPCG(rng.Uint64(), 2))
	model := func(ctx context.Context, m *ai.Model, _ ai.Request, opts ai.Options) *ai.Stream {
		n, text := answers.IntN(6), strings.Repeat("word ", answers.IntN(20))
		var names []string
		for range n {
			names = append(names, kit[answers.IntN(len(kit))].Name)
		}
		return ai.NewStream(ctx, ai.StreamInfo{Model: m}, func(_ context.Context, out *ai.Emitter) error {
			w := out.Text()
			for _, word := range strings.SplitAfter(text, " ") {
				w.Append(word)
			}
			w.End()
			for i, name := range names {
				c := out.ToolCall(fmt.Sprint("c", i), name)
				c.Append(`{"a":`)
				c.Append(`1}`)
				c.End()
			}
			out.Message().StopReason = ai.StopEnd
			if len(names) > 0 {
				out.Message().StopReason = ai.StopToolUse
			}
			return nil
		})
	}
	a = New(AgentConfig{
		Loop: LoopConfig{Stream: model, ToolGrace: time.Millisecond}, Model: testModel(), Tools: kit, System: "stress",
		SteeringMode: QueueAll,
	})
	rec := new(recorder)
	abortAt := 0
	a.Subscribe(func(_ context.Context, ev Event) error {
		_ = rec.emit(ev)
		if len(rec.lines) >= abortAt {
			a.Abort()
		}
		return nil
	})
	watch, stop := context.WithCancel(t.Context())
	var others sync.WaitGroup
	others.Go(func() {
		for watch.Err() == nil {
			s := a.State()
			if s.Streaming != nil {
				_ = s.Streaming.Text()
			}
			_ = describeAll(s.Messages)
			runtime.Gosched()
		}
	})
	steered := 0
	for range runs {
		rec.lines = nil
		abortAt = 1 + rng.IntN(150)
		a.Steer(ai.UserText(fmt.Sprint("steer ", steered)))
		steered++
		if rng.IntN(2) == 0 {
			a.FollowUp(ai.UserText("follow"))
		}
		ctx, cancel := context.WithCancel(t.Context())
		if rng.IntN(4) == 0 {
			time.AfterFunc(time.Millisecond, cancel)
		}
		_, err := a.Prompt(ctx, ai.UserText("go"))
		cancel()
		if !errors.Is(err, context.Canceled) && err != nil {
			t.Errorf("Prompt: %v", err)
		}
		checkShape(t, rec.lines)
	}
	stop()
	others.Wait()
	close(release)
	checkPaired(t, a.State().Messages)
	queued, _ := a.Queued()
	seen := 0
	for _, m := range append(a.State().Messages, queued...) {
		if strings.HasPrefix(describeMessage(m), `user "steer`) {
			if want := fmt.Sprintf("user %q", fmt.Sprint("steer ", seen)); describeMessage(m) != want {
				t.Errorf("steering message %s, want %s", describeMessage(m), want)
			}
			seen++
		}
	}
	if seen != steered {
		t.Errorf("%d steering messages are delivered or queued, %d were sent", seen, steered)
	}
}

// checkPaired holds that each call of an answer that was accepted has exactly
// one result, right after the answer and in order.
func checkPaired(t *testing.T, messages []Message) {
	t.Helper()
	for i, m := range messages {
		answer, ok := m.(*ai.AssistantMessage)
		if !ok || answer.StopReason == ai.StopAborted || answer.StopReason == ai.StopError {
			continue
		}
		for j, c := range answer.ToolCalls() {
			at := i + 1 + j
			if at >= len(messages) {
				t.Errorf("message %d: call %s has no result", i, c.ID)
				return
			}
			if r, ok := messages[at].(*ai.ToolResultMessage); !ok || r.ToolCallID != c.ID {
				t.Errorf("message %d: after call %s comes %s", i, c.ID, describeMessage(messages[at]))
				return
			}
		}
	}
}
