package harness_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/pi-go/pi/agentcore"
	"github.com/pi-go/pi/agentcore/compaction"
	"github.com/pi-go/pi/agentcore/harness"
	"github.com/pi-go/pi/agentcore/session"
	"github.com/pi-go/pi/ai"
	"github.com/pi-go/pi/ai/faux"
)

// brittle is a storage that refuses the n-th append.
type brittle struct {
	session.Storage
	n, refuse int
}

var errDisk = errors.New("no space left on device")

func (b *brittle) Append(ctx context.Context, s session.Stub, line []byte) (session.Stub, error) {
	if b.n++; b.n == b.refuse {
		return session.Stub{}, errDisk
	}
	return b.Storage.Append(ctx, s, line)
}

// bumpy is a rig whose one prompt meets everything: a failure that is tried
// again, two tool calls, a steering message, a context that grows too large,
// a follow-up.
func bumpy(t *testing.T, change func(*harness.Config)) *rig {
	t.Helper()
	const window = 4000
	read := agentcore.NewTool("read", "Reads.", func(context.Context, struct{}, func(agentcore.ToolResult)) (agentcore.ToolResult, error) {
		return agentcore.TextResult(strings.Repeat("line of text\n", 250)), nil
	})
	r := small(t, window, func(c *harness.Config) {
		c.Tools = []*agentcore.Tool{read}
		if change != nil {
			change(c)
		}
	})
	n := 0
	answer := answering(window, func(n int) string { return fmt.Sprint("answer ", n) })
	r.model.Respond(func(q faux.Request) faux.Response {
		if strings.Contains(ai.ReplaySystem(q.Call.Messages).Text, "notes for an assistant") {
			return answer(q)
		}
		switch n++; n {
		case 1:
			return faux.Failure(&ai.APIError{Kind: ai.KindOverloaded, Message: "busy"})
		case 2, 3:
			r.Steer(context.Background(), ai.UserText(fmt.Sprint("steered ", n)))
			return faux.Calls(faux.Call("read", nil), faux.Call("read", nil))
		case 4:
			r.FollowUp(context.Background(), ai.UserText("followed up"))
		}
		return answer(q)
	})
	return r
}

// checkWhole finds contradictions between what was told, what is stored, what
// is shown to the model, and what is queued.
func (r *rig) checkWhole(at string, told []agentcore.Message) {
	r.t.Helper()
	if r.Busy() {
		r.t.Errorf("%s: the harness is still busy", at)
	}
	if n := r.count("settled"); n != 1 || !strings.HasPrefix(r.log[len(r.log)-1], "settled") {
		r.t.Errorf("%s: settled %d times, the last event is %s", at, n, r.log[len(r.log)-1])
	}
	if s, e := r.count("compaction_start"), r.count("compaction_end"); s != e {
		r.t.Errorf("%s: %d compactions began, %d ended", at, s, e)
	}
	stored := make(map[string]int)
	for e, err := range r.Session().Entries(r.t.Context()) {
		if err != nil {
			r.t.Fatal(err)
		}
		if m, ok := e.(*session.MessageEntry); ok {
			stored[whole(m.Message)]++
		}
	}
	for _, m := range told {
		if stored[whole(m)]--; stored[whole(m)] < 0 {
			r.t.Errorf("%s: told, but not stored: %s", at, whole(m))
		}
	}
	c, err := r.Session().Context(r.t.Context())
	if err != nil {
		r.t.Fatal(err)
	}
	if d := cmp.Diff(wholes(c.Messages), wholes(r.Agent().Messages)); d != "" {
		r.t.Errorf("%s: session and transcript differ:\n%s", at, d)
	}
}

func wholes(messages []agentcore.Message) (out []string) {
	for _, m := range messages {
		out = append(out, whole(m))
	}
	return out
}

func whole(m agentcore.Message) string {
	switch m := m.(type) {
	case *ai.UserMessage:
		return "user " + ai.TextOf(m.Content, "")
	case *ai.AssistantMessage:
		return fmt.Sprintf("assistant %s %q %d calls %s", m.StopReason, m.Text(), len(m.ToolCalls()), m.ErrorMessage)
	case *ai.ToolResultMessage:
		return fmt.Sprintf("result %s %d", m.ToolCallID, len(ai.TextOf(m.Content, "")))
	}
	return string(m.Role())
}

// checkPairs reports calls without a result and results without a call in
// what the model was shown last.
func (r *rig) checkPairs(at string) {
	r.t.Helper()
	requests := r.model.Requests()
	open := make(map[string]bool)
	for _, m := range ai.Transform(r.Model(), requests[len(requests)-1].Call.Messages, ai.TransformOptions{}) { // as adapters send it
		switch m := m.(type) {
		case *ai.AssistantMessage:
			for _, c := range m.ToolCalls() {
				open[c.ID] = true
			}
		case *ai.ToolResultMessage:
			if !open[m.ToolCallID] {
				r.t.Errorf("%s: result %s has no call", at, m.ToolCallID)
			}
			delete(open, m.ToolCallID)
		}
	}
	if len(open) > 0 {
		r.t.Errorf("%s: calls %v have no result", at, open)
	}
}

// disturb runs the bumpy prompt once for each event, as long as there is one,
// and does something at it. It then checks the whole, and that the next
// prompt works.
func disturb(t *testing.T, least int, change func(*harness.Config), do func(r *rig, cancel context.CancelFunc) error, check func(r *rig, at string, result harness.Result, err error)) {
	for n := 1; ; n++ {
		r := bumpy(t, change)
		ctx, cancel := context.WithCancel(t.Context())
		at, events := "", 0
		var told []agentcore.Message
		stop := r.Subscribe(func(_ context.Context, ev agentcore.Event) error {
			if m, ok := ev.(*agentcore.MessageEnd); ok {
				told = append(told, m.Message)
			}
			if describe(ev) == "" {
				return nil
			}
			if events++; events == n {
				at = fmt.Sprintf("event %d, %s", n, describe(ev))
				return do(r, cancel)
			}
			return nil
		})
		result, err := r.Prompt(ctx, ai.UserText("go"), harness.PromptOptions{})
		cancel()
		stop()
		if at == "" {
			if err != nil || events < least {
				t.Fatalf("the undisturbed prompt has %d events and ends with %v\n%v", events, err, r.log)
			}
			for _, need := range []string{"retry 1", "compaction_start", "queue [steered 2]", "queue [] [followed up]"} {
				if r.count(need) == 0 {
					t.Errorf("nothing of %q in the undisturbed prompt: %v", need, r.log)
				}
			}
			return
		}
		r.checkWhole(at, told)
		check(r, at, result, err)
		r.log = nil
		if _, err := r.Prompt(t.Context(), ai.UserText("again"), harness.PromptOptions{}); err != nil {
			t.Errorf("%s: the next prompt: %v", at, err)
		}
		r.checkPairs(at)
		if s, f := r.Queued(); len(s)+len(f) > 0 {
			t.Errorf("%s: still queued: %v %v", at, s, f)
		}
		seen := make(map[string]int)
		for e, err := range r.Session().Entries(t.Context()) {
			if err != nil {
				t.Fatal(err)
			}
			if m, ok := e.(*session.MessageEntry); ok && m.Message.Role() == ai.RoleUser {
				seen[whole(m.Message)]++
			}
		}
		for text, n := range seen {
			if n > 1 {
				t.Errorf("%s: %q was delivered %d times", at, text, n)
			}
		}
	}
}

func TestAbortAtEveryEvent(t *testing.T) {
	requests := 0
	disturb(t, 60, nil, func(r *rig, cancel context.CancelFunc) error {
		cancel()
		requests = len(r.model.Requests())
		return nil
	}, func(r *rig, at string, result harness.Result, err error) {
		if err != nil {
			t.Errorf("%s: %v", at, err)
		}
		if !result.Aborted && !strings.Contains(at, "settled") {
			t.Errorf("%s: not aborted", at)
		}
		if n := len(r.model.Requests()); n != requests {
			t.Errorf("%s: %d requests were made afterwards", at, n-requests)
		}
	})
}

func TestListenerThatFailsAtEveryEvent(t *testing.T) {
	boom := errors.New("boom")
	for _, panics := range []bool{false, true} {
		t.Run(fmt.Sprintf("panics=%v", panics), func(t *testing.T) {
			disturb(t, 60, nil, func(r *rig, cancel context.CancelFunc) error {
				if panics {
					panic(boom)
				}
				return boom
			}, func(r *rig, at string, result harness.Result, err error) {
				told := strings.Contains(at, "queue") // tells of a change that nobody can take back
				if !told && (!errors.Is(err, boom) || harness.CodeOf(err) != harness.CodeListener) {
					t.Errorf("%s: %v (%s)", at, err, harness.CodeOf(err))
				}
			})
		})
	}
}

// What a listener heard of is in the session, whatever append fails, and what
// is shown to the model is what is in the session.
func TestDiskThatFailsAtEveryAppend(t *testing.T) {
	for n := 3; ; n++ { // the first two are made by New
		disk := &brittle{refuse: n}
		r := bumpy(t, func(c *harness.Config) {
			st, err := session.NewMemory().Create(t.Context(), session.Header{}, nil)
			if err != nil {
				t.Fatal(err)
			}
			disk.Storage = st
			if c.Session, err = session.Load(t.Context(), disk, session.Options{}); err != nil {
				t.Fatal(err)
			}
		})
		var told []agentcore.Message
		stop := r.Subscribe(func(_ context.Context, ev agentcore.Event) error {
			if m, ok := ev.(*agentcore.MessageEnd); ok {
				told = append(told, m.Message)
			}
			return nil
		})
		_, err := r.Prompt(t.Context(), ai.UserText("go"), harness.PromptOptions{})
		stop()
		if disk.n < n {
			if err != nil || n < 15 {
				t.Fatalf("%d appends, and %v", disk.n, err)
			}
			return
		}
		at := fmt.Sprint("append ", n)
		ended := slices.ContainsFunc(r.log, func(l string) bool { return l == "compaction_end" })
		if (!errors.Is(err, errDisk) || harness.CodeOf(err) != harness.CodeSave) && !ended {
			t.Errorf("%s: %v (%s)", at, err, harness.CodeOf(err))
		}
		r.checkWhole(at, told)
		r.log = nil
		if _, err := r.Prompt(t.Context(), ai.UserText("again"), harness.PromptOptions{}); err != nil {
			t.Errorf("%s: the next prompt: %v", at, err)
		}
		r.checkPairs(at)
	}
}

// Compactions and moves may need several appends.
func TestDiskThatFailsDuringCompactionsAndMoves(t *testing.T) {
	last := func(r *rig) string {
		id := ""
		for _, s := range r.Session().Stubs() {
			if s.Type == session.TypeMessage && s.Role == "user" {
				id = s.ID
			}
		}
		return id
	}
	for name, do := range map[string]func(r *rig) error{
		"compaction": compacted,
		"move": func(r *rig) error {
			_, err := r.Navigate(t.Context(), last(r), harness.NavigateOptions{Label: "here"})
			return err
		},
		"move with a summary": func(r *rig) error {
			_, err := r.Navigate(t.Context(), last(r), harness.NavigateOptions{Summarize: true, Label: "here"})
			return err
		},
	} {
		t.Run(name, func(t *testing.T) {
			for n := 1; ; n++ {
				disk := &brittle{}
				r := bumpy(t, func(c *harness.Config) {
					st, err := session.NewMemory().Create(t.Context(), session.Header{}, nil)
					if err != nil {
						t.Fatal(err)
					}
					disk.Storage = st
					if c.Session, err = session.Load(t.Context(), disk, session.Options{}); err != nil {
						t.Fatal(err)
					}
				})
				r.prompt("go")
				r.prompt("go on")
				disk.n, disk.refuse = 0, n
				err := do(r)
				if disk.n < n {
					if err != nil || n == 1 {
						t.Fatalf("%d appends, and %v", disk.n, err)
					}
					return
				}
				if !errors.Is(err, errDisk) || harness.CodeOf(err) != harness.CodeSave {
					t.Errorf("append %d: %v (%s)", n, err, harness.CodeOf(err))
				}
				c, err := r.Session().Context(t.Context())
				if err != nil {
					t.Fatal(err)
				}
				if d := cmp.Diff(wholes(c.Messages), wholes(r.Agent().Messages)); d != "" {
					t.Errorf("append %d: session and transcript differ:\n%s", n, d)
				}
				if r.Busy() {
					t.Error("still busy")
				}
				r.prompt("again")
				r.checkPairs(fmt.Sprint("append ", n))
			}
		})
	}
}

func TestHooksThatFail(t *testing.T) {
	boom := errors.New("boom")
	// Each hook is given what to do, and the operation that asks it.
	tests := []struct {
		name string
		set  func(c *harness.Config, fail func() error)
		do   func(r *rig) error
		fine bool // the operation has happened by then
	}{
		{"BeforePrompt", func(c *harness.Config, fail func() error) {
			c.Hooks.BeforePrompt = func(context.Context, harness.BeforePrompt) (*harness.PromptDecision, error) { return nil, fail() }
		}, prompted, false},
		{"BeforeRetry", func(c *harness.Config, fail func() error) {
			c.Hooks.BeforeRetry = func(context.Context, harness.BeforeRetry) (*harness.RetryDecision, error) { return nil, fail() }
		}, prompted, false},
		{"BeforeSettle", func(c *harness.Config, fail func() error) {
			c.Hooks.BeforeSettle = func(context.Context, harness.BeforeSettle) (*harness.SettleDecision, error) { return nil, fail() }
		}, prompted, false},
		{"BeforeCompact", func(c *harness.Config, fail func() error) {
			c.Hooks.BeforeCompact = func(context.Context, harness.BeforeCompact) (*harness.CompactDecision, error) { return nil, fail() }
		}, compacted, false},
		{"AfterCompact", func(c *harness.Config, fail func() error) {
			c.Hooks.AfterCompact = func(context.Context, harness.CompactionResult) { _ = fail() }
		}, compacted, true},
		{"BeforeNavigate", func(c *harness.Config, fail func() error) {
			c.Hooks.BeforeNavigate = func(context.Context, harness.BeforeNavigate) (*harness.NavigateDecision, error) { return nil, fail() }
		}, navigated, false},
		{"AfterNavigate", func(c *harness.Config, fail func() error) {
			c.Hooks.AfterNavigate = func(context.Context, harness.NavigateResult) { _ = fail() }
		}, navigated, true},
	}
	for _, tt := range tests {
		for _, panics := range []bool{false, true} {
			t.Run(fmt.Sprintf("%s panics=%v", tt.name, panics), func(t *testing.T) {
				armed, stacks := false, 0
				r := bumpy(t, func(c *harness.Config) {
					c.Loop.OnPanic = func(p *agentcore.PanicError) {
						if len(p.Stack) > 0 {
							stacks++
						}
					}
					tt.set(c, func() error {
						switch {
						case !armed:
							return nil
						case panics:
							panic(boom)
						}
						return boom
					})
				})
				if strings.Contains(tt.name, "Compact") || strings.Contains(tt.name, "Navigate") {
					r.prompt("go")
				}
				armed = true
				err := tt.do(r)
				switch {
				case tt.fine && err != nil:
					t.Errorf("err %v", err)
				case !tt.fine && (!errors.Is(err, boom) || harness.CodeOf(err) != harness.CodeHook || !strings.Contains(err.Error(), tt.name)):
					t.Errorf("err %v (%s)", err, harness.CodeOf(err))
				}
				if (stacks > 0) != panics {
					t.Errorf("told of %d panics", stacks)
				}
				if r.Busy() {
					t.Error("still busy")
				}
				armed = false
				r.prompt("again")
			})
		}
	}
}

func prompted(r *rig) error {
	_, err := r.Prompt(r.t.Context(), ai.UserText("hi"), harness.PromptOptions{})
	return err
}

func compacted(r *rig) error {
	_, err := r.Compact(r.t.Context(), "")
	return err
}

func navigated(r *rig) error {
	first := ""
	for _, s := range r.Session().Stubs() {
		if s.Type == session.TypeMessage {
			first = s.ID
			break
		}
	}
	_, err := r.Navigate(r.t.Context(), first, harness.NavigateOptions{})
	return err
}

func TestTwoCompactionsInARow(t *testing.T) {
	r := small(t, 4000, nil)
	r.model.Respond(answering(4000, func(int) string { return strings.Repeat("word ", 300) }))
	for i := range 2 {
		for range 4 {
			r.prompt("q")
		}
		if _, err := r.Compact(t.Context(), ""); err != nil && !errors.Is(err, compaction.ErrAlready) {
			t.Fatalf("compaction %d: %v", i+1, err)
		}
		if _, err := r.Compact(t.Context(), ""); !errors.Is(err, compaction.ErrAlready) || harness.CodeOf(err) != harness.CodeAlready {
			t.Fatalf("right after compaction %d: %v (%s)", i+1, err, harness.CodeOf(err))
		}
	}
	summaries, former := 0, 0
	for _, q := range r.model.Requests() {
		if strings.Contains(ai.ReplaySystem(q.Call.Messages).Text, "notes for an assistant") {
			summaries++
			if strings.Contains(ai.TextOf(q.Last().(*ai.UserMessage).Content, ""), "the summary") {
				former++
			}
			if q.Call.Options.Cache != ai.CacheNone || q.Call.SessionID != "" {
				t.Errorf("summary %d: cache %q, session %q", summaries, q.Call.Options.Cache, q.Call.SessionID)
			}
		}
	}
	if ended := r.count("compaction_end"); summaries < 2 || former == 0 || former == summaries {
		t.Errorf("%d compactions with %d requests, %d were shown the former summary", ended, summaries, former)
	}
	c, err := r.Session().Context(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	n := 0
	for _, m := range c.Messages {
		if m.Role() == session.RoleCompactionSummary {
			n++
		}
	}
	if n != 1 {
		t.Errorf("%d summaries are in sight", n)
	}
}
