package codingagent_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/pi-go/pi/agentcore"
	"github.com/pi-go/pi/agentcore/harness"
	"github.com/pi-go/pi/agentcore/session"
	"github.com/pi-go/pi/ai"
	"github.com/pi-go/pi/ai/faux"
	"github.com/pi-go/pi/codingagent"
	"github.com/pi-go/pi/codingagent/extension"
	"github.com/pi-go/pi/codingagent/settings"
)

// cached is a session with a model whose vendor keeps prompts for five minutes, and a
// log of the requests by the minute.
type cached struct {
	*codingagent.AgentSession
	t      *testing.T
	p      *faux.Provider
	begin  time.Time
	tokens int64 // of the prompt

	mu   sync.Mutex
	kept bool // the vendor still has the prompt
	// log has one word for each request: the seconds since the begin, and what was asked.
	log []string
}

func newCached(t *testing.T, tokens int64, change func(*codingagent.Options)) *cached {
	t.Helper()
	c := &cached{t: t, tokens: tokens, kept: true, begin: time.Now()}
	rates := ai.Rates{Input: 10, Output: 50, CacheRead: 1, CacheWrite: 12.5}
	c.p = faux.New(faux.Config{Models: []*ai.Model{
		{ID: "m", API: faux.APIID, Cost: rates, ContextWindow: 10_000_000, MaxTokens: 1000, PromptCache: &ai.CacheLifetimes{Short: 300}},
		{ID: "unknown", API: faux.APIID, Cost: rates, ContextWindow: 10_000_000, MaxTokens: 1000},
	}})
	c.p.Respond(func(q faux.Request) faux.Response {
		c.mu.Lock()
		defer c.mu.Unlock()
		what := "ask"
		if q.Call.Options.MaxTokens == 1 {
			what = "warm"
		}
		c.log = append(c.log, fmt.Sprintf("%d:%s", int(time.Since(c.begin).Seconds()), what))
		u := &ai.Usage{CacheRead: c.tokens, Output: 1, Total: c.tokens + 1}
		if !c.kept {
			u.CacheRead, u.CacheWrite = 0, c.tokens
		}
		u.Cost = rates.Price(*u)
		r := faux.Say("x")
		r.Usage = u
		return r
	})
	set := settings.Defaults()
	set.Compaction.Enabled = false
	o := codingagent.Options{Dir: t.TempDir(), Models: ai.NewModels(c.p), Model: c.p.Model(), Environ: []string{"PATH=/bin"}, SystemPrompt: "x", Settings: &set}
	if change != nil {
		change(&o)
	}
	s, err := codingagent.NewSession(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	c.AgentSession = s
	return c
}

func (c *cached) ask() {
	c.t.Helper()
	if r, err := c.Prompt(c.t.Context(), codingagent.Prompt{Text: "hello"}, codingagent.PromptOptions{}); err != nil || r.Answer.Err() != nil {
		c.t.Fatal(err, r.Answer)
	}
}

func (c *cached) close() {
	c.t.Helper()
	if err := c.Close(context.Background()); err != nil {
		c.t.Error(err)
	}
}

func (c *cached) want(log ...string) {
	c.t.Helper()
	synctest.Wait()
	c.mu.Lock()
	defer c.mu.Unlock()
	if !slices.Equal(c.log, log) {
		c.t.Errorf("requests %v, want %v", c.log, log)
	}
}

// While a person thinks, the cache is kept for half an hour; what that costs is in the
// session and in its sums.
func TestCacheIsKeptWhileAPersonThinks(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := newCached(t, 200_000, nil)
		defer c.close()
		var events []string
		c.Subscribe(func(_ context.Context, ev agentcore.Event) error {
			if e, ok := ev.(*harness.EntryAppended); ok {
				c.mu.Lock()
				defer c.mu.Unlock()
				events = append(events, string(e.Entry.Type()))
			}
			return nil
		})
		c.ask()
		before, err := c.Session().Stats(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if s := c.CacheWarming(); s.Next.Sub(c.begin) != 270*time.Second || !s.Decision.Warm || s.Decision.Chance != 0.15 {
			t.Errorf("%+v", s)
		}
		time.Sleep(2 * time.Hour)
		c.want("0:ask", "270:warm", "540:warm", "810:warm", "1080:warm", "1350:warm", "1620:warm")
		if s := c.CacheWarming(); !s.Next.IsZero() || s.Reason != "the last request is too long ago" {
			t.Errorf("%+v", s)
		}
		after, err := c.Session().Stats(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if spent := after.Usage.Cost.Total - before.Usage.Cost.Total; spent < 6*0.2 || spent > 6*0.21 {
			t.Errorf("%f dollars are in the sums", spent)
		}
		if len(events) != 6 || events[0] != "usage" {
			t.Errorf("events %v", events)
		}
		for e, err := range c.Session().Entries(t.Context()) {
			if err != nil {
				t.Fatal(err)
			}
			if u, ok := e.(*session.UsageEntry); ok && (u.Kind != "cache_warm" || u.Provider != "faux" || u.Model != "m" || u.Usage.CacheRead != 200_000) {
				t.Errorf("%+v", u)
			}
		}
		// The request is the one that was made, with an answer of one token.
		requests := c.p.Requests()
		first, warm := requests[0].Call, requests[1].Call
		if warm.Options.Conversation != nil || warm.SessionID != first.SessionID || len(warm.Messages) != len(first.Messages) || warm.Options.Thinking != first.Options.Thinking {
			t.Errorf("%+v is not %+v", warm, first)
		}
		// The next prompt begins anew.
		c.ask()
		time.Sleep(5 * time.Minute)
		synctest.Wait()
		if last := c.log[len(c.log)-1]; last != "7470:warm" {
			t.Errorf("the last request is %s", last)
		}
	})
}

// While a tool runs, another request is certain.
func TestCacheIsKeptWhileTheAgentWorks(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		slow := &agentcore.Tool{
			Name: "slow", Description: "waits", Parameters: []byte(`{"type":"object"}`),
			Execute: func(context.Context, agentcore.ToolCall, func(agentcore.ToolResult)) (agentcore.ToolResult, error) {
				time.Sleep(10 * time.Minute)
				return agentcore.ToolResult{}, nil
			},
		}
		// Too little for an idle agent.
		c := newCached(t, 60_000, func(o *codingagent.Options) {
			o.CustomTools = []*agentcore.Tool{slow}
			o.Settings.Network.CacheWarming = "streaming"
		})
		defer c.close()
		call := faux.Calls(faux.Call("slow", nil))
		call.Usage = &ai.Usage{CacheRead: 60_000, Total: 60_000}
		c.p.Queue(call)
		c.ask()
		c.want("270:warm", "540:warm", "600:ask")
		time.Sleep(time.Hour)
		c.want("270:warm", "540:warm", "600:ask")
	})
}

// What makes the cache useless, or is no reason to spend money, ends it.
func TestWhatEndsTheKeeping(t *testing.T) {
	for _, tc := range []struct {
		name   string
		tokens int64
		change func(*codingagent.Options)
		then   func(c *cached)
		warm   int // requests after the first
		reason string
	}{
		{"off", 200_000, func(o *codingagent.Options) { o.Settings.Network.CacheWarming = "off" }, nil, 0, "the setting cacheWarming is off"},
		{"streaming", 200_000, func(o *codingagent.Options) { o.Settings.Network.CacheWarming = "streaming" }, nil, 0, "the setting cacheWarming is streaming"},
		{"offline", 200_000, func(o *codingagent.Options) { o.Offline = true }, nil, 0, ""},
		{"no lifetime known", 200_000, func(o *codingagent.Options) { o.Model, _ = o.Models.Model("faux", "unknown") }, nil, 0, "it is not known how long the vendor keeps prompts"},
		{"little", 60_000, nil, nil, 0, "it would save too little"},
		{"another model", 200_000, nil, func(c *cached) {
			if m, err := c.Models().Model("faux", "unknown"); err != nil || c.SetModel(c.t.Context(), m) != nil {
				c.t.Error(err)
			}
		}, 0, "another model was chosen"},
		{"another place", 200_000, nil, func(c *cached) {
			if _, err := c.Navigate(c.t.Context(), c.Session().Stubs()[1].ID, harness.NavigateOptions{}); err != nil {
				c.t.Error(err)
			}
		}, 0, "the conversation goes on from another place"},
		{"an edit", 200_000, nil, func(c *cached) {
			if err := c.Harness().AddEntry(c.t.Context(), &session.ContextEditEntry{TargetID: c.Session().Leaf()}); err != nil {
				c.t.Error(err)
			}
		}, 0, "the conversation was changed"},
		{"not kept by the vendor", 200_000, nil, func(c *cached) {
			c.mu.Lock()
			defer c.mu.Unlock()
			c.kept = false
		}, 1, "the vendor had not kept the prompt"},
		{"refused", 200_000, nil, func(c *cached) {
			c.p.Respond(func(faux.Request) faux.Response {
				c.mu.Lock()
				defer c.mu.Unlock()
				c.log = append(c.log, "refused")
				return faux.Failure(&ai.APIError{Kind: ai.KindOverloaded, Status: 529, Message: "busy"})
			})
		}, 1, "the vendor refused it: busy"},
		{"closed", 200_000, nil, func(c *cached) { c.close() }, 0, "the session is closed"},
		{"an extension", 200_000, func(o *codingagent.Options) {
			o.Extensions = []extension.Extension{{Name: "miser", Setup: func(_ context.Context, a *extension.API) error {
				a.Events.CacheWarming.Handle(func(_ context.Context, _ *extension.Context, ev *extension.CacheWarming) (*extension.WarmingDecision, error) {
					if !ev.Warm || ev.ContinuationProbability != 0.15 {
						return nil, fmt.Errorf("asked %+v", ev)
					}
					return &extension.WarmingDecision{Warm: false}, nil
				})
				return nil
			}}}
		}, nil, 0, "an extension does not want it"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				c := newCached(t, tc.tokens, tc.change)
				defer c.Close(context.Background())
				c.ask()
				if tc.then != nil {
					tc.then(c)
				}
				time.Sleep(time.Hour)
				synctest.Wait()
				if len(c.log) != 1+tc.warm {
					t.Errorf("requests %v", c.log)
				}
				if s := c.CacheWarming(); !s.Next.IsZero() || !strings.Contains(s.Reason, tc.reason) {
					t.Errorf("%+v, want %q", s, tc.reason)
				}
			})
		})
	}
}

// Activity ends a request that is being made again at once, and closing waits for it.
func TestAPromptEndsTheKeepingAtOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := newCached(t, 200_000, nil)
		defer c.close()
		c.ask()
		hanging := make(chan struct{})
		c.p.Queue(faux.Calls(faux.Do(func() { close(hanging) }), faux.Hang()))
		time.Sleep(5 * time.Minute)
		<-hanging
		c.ask()
		synctest.Wait()
		if s := c.CacheWarming(); time.Until(s.Next) != 270*time.Second {
			t.Errorf("%+v", s)
		}
		time.Sleep(270 * time.Second)
		c.want("0:ask", "300:ask", "570:warm")
	})
}
