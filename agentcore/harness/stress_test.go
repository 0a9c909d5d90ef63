package harness_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/pi-go/pi/agentcore"
	"github.com/pi-go/pi/agentcore/harness"
	"github.com/pi-go/pi/agentcore/session"
	"github.com/pi-go/pi/ai"
	"github.com/pi-go/pi/ai/faux"
)

// Many goroutines do whatever a person, a program and a wire can do, all at
// once. Afterwards every message that was accepted is in the session or in the
// queue, once; events were well formed; nothing is left running.
func TestEverythingAtOnce(t *testing.T) {
	before := runtime.NumGoroutine()
	for round := range 20 {
		everythingAtOnce(t, round)
	}
	for deadline := time.Now().Add(10 * time.Second); runtime.NumGoroutine() > before; runtime.Gosched() {
		if time.Now().After(deadline) {
			stacks := make([]byte, 1<<20)
			t.Fatalf("%d goroutines are left, %d were there before:\n%s", runtime.NumGoroutine(), before, stacks[:runtime.Stack(stacks, true)])
		}
	}
}

func everythingAtOnce(t *testing.T, round int) {
	const window = 4000
	read := agentcore.NewTool("read", "Reads.", func(ctx context.Context, _ struct{}, _ func(agentcore.ToolResult)) (agentcore.ToolResult, error) {
		return agentcore.TextResult(strings.Repeat("line of text\n", 60)), ctx.Err()
	})
	r := small(t, window, func(c *harness.Config) { c.Tools = []*agentcore.Tool{read} })
	defer r.Close(context.Background())
	var mu sync.Mutex
	answer := answering(window, func(n int) string { return fmt.Sprint("answer ", n) })
	r.model.Respond(func(q faux.Request) faux.Response {
		mu.Lock()
		defer mu.Unlock()
		if strings.Contains(ai.ReplaySystem(q.Call.Messages).Text, "notes for an assistant") {
			return answer(q)
		}
		switch rand.IntN(6) {
		case 0:
			return faux.Failure(&ai.APIError{Kind: ai.KindServer, Message: "down"})
		case 1, 2:
			return faux.Calls(faux.Call("read", nil), faux.Call("read", nil))
		}
		return answer(q)
	})

	accepted := make(map[string]bool)
	accept := func(text string) {
		mu.Lock()
		defer mu.Unlock()
		accepted[text] = true
	}
	var work sync.WaitGroup
	for g := range 6 {
		work.Go(func() {
			ctx := context.Background()
			for i := range 15 {
				text := fmt.Sprintf("message %d/%d/%d", round, g, i)
				switch rand.IntN(9) {
				case 0, 1, 2:
					delivery := []harness.Delivery{"", harness.DeliverSteer, harness.DeliverFollowUp}[rand.IntN(3)]
					_, err := r.Prompt(ctx, ai.UserText(text), harness.PromptOptions{WhenBusy: delivery})
					switch code := harness.CodeOf(err); {
					case err == nil:
						accept(text)
					case code != harness.CodeBusy && code != harness.CodeCompacting:
						t.Errorf("prompt: %v", err)
					}
				case 3:
					r.Steer(ctx, ai.UserText(text))
					accept(text)
				case 4:
					r.FollowUp(ctx, ai.UserText(text))
					accept(text)
				case 5:
					if err := r.Abort(ctx); err != nil {
						t.Error(err)
					}
				case 6:
					if _, err := r.Compact(ctx, ""); err != nil && harness.CodeOf(err) == harness.CodeUnknown {
						t.Errorf("compact: %v", err)
					}
				case 7:
					if err := r.Add(ctx, ai.UserText(text)); err != nil {
						t.Errorf("add: %v", err)
					}
					accept(text)
				case 8:
					r.Agent()
					r.ContextTokens()
					r.Phase()
					r.AbortRetry()
				}
			}
		})
	}
	work.Wait()
	if err := r.WaitIdle(t.Context()); err != nil {
		t.Fatal(err)
	}

	found := make(map[string]int)
	for e, err := range r.Session().Entries(t.Context()) {
		if err != nil {
			t.Fatal(err)
		}
		if m, ok := e.(*session.MessageEntry); ok {
			if u, ok := m.Message.(*ai.UserMessage); ok {
				found[ai.TextOf(u.Content, "")]++
			}
		}
	}
	steering, followUp := r.Queued()
	for _, text := range append(steering, followUp...) {
		found[text]++
	}
	for text := range accepted {
		if found[text] != 1 {
			t.Errorf("%q was accepted and is there %d times", text, found[text])
		}
	}
	c, err := r.Session().Context(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(wholes(c.Messages), wholes(r.Agent().Messages)); d != "" {
		t.Errorf("session and transcript differ:\n%s", d)
	}
	if s, e := r.count("compaction_start"), r.count("compaction_end"); s != e {
		t.Errorf("%d compactions began, %d ended", s, e)
	}
	if s, e := r.count("agent_start"), r.count("agent_end"); s != e {
		t.Errorf("%d runs began, %d ended", s, e)
	}
}
