package codingagent_test

import (
	"context"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/pi-go/pi/ai"
	"github.com/pi-go/pi/ai/api/openaicodexresponses"
	"github.com/pi-go/pi/ai/faux"
	"github.com/pi-go/pi/codingagent"
	"github.com/pi-go/pi/codingagent/settings"
)

// Every setting that a request is made with counts from the request after a reload.
func TestReloadChangesRequests(t *testing.T) {
	set := settings.Defaults()
	r := newRig(t, func(o *codingagent.Options) {
		o.Load = func(context.Context, string) settings.Settings { return set }
	})
	r.model.Queue(faux.Say("one"), faux.Say("two"))
	r.prompt("hi")
	set.HTTPIdleTimeout, set.Retry.Provider.Timeout = time.Minute, 2*time.Minute
	set.Retry.Provider.MaxRetries, set.Retry.Provider.MaxDelay = 5, time.Second
	set.Network.Transport, set.Network.WebSocketTimeout = "sse", 3*time.Second
	set.ThinkingBudgets = ai.ThinkingBudgets{ai.ThinkingLow: 77}
	if err := r.Reload(t.Context()); err != nil {
		t.Fatal(err)
	}
	r.prompt("again")
	first, second := r.model.Requests()[0].Call.Options, r.model.Requests()[1].Call.Options
	if first.Timeouts != (ai.Timeouts{Header: 5 * time.Minute, Idle: 5 * time.Minute}) || first.MaxRetries != 0 {
		t.Errorf("at first: time-outs %+v, %d retries", first.Timeouts, first.MaxRetries)
	}
	if second.Timeouts != (ai.Timeouts{Header: 2 * time.Minute, Idle: time.Minute}) || second.MaxRetries != 5 || second.MaxRetryDelay != time.Second {
		t.Errorf("after the reload: time-outs %+v, %d retries, %v", second.Timeouts, second.MaxRetries, second.MaxRetryDelay)
	}
	if !reflect.DeepEqual(second.ThinkingBudgets, set.ThinkingBudgets) {
		t.Errorf("thinking budgets %+v", second.ThinkingBudgets)
	}
	want := openaicodexresponses.Options{Transport: openaicodexresponses.TransportSSE, ConnectTimeout: 3 * time.Second}
	if !reflect.DeepEqual(second.Protocol, want) {
		t.Errorf("protocol options %+v, want %+v", second.Protocol, want)
	}
}

// How often failed answers are tried again counts from the next failure after a reload.
func TestReloadChangesRetries(t *testing.T) {
	set := settings.Defaults()
	set.Retry.BaseDelay, set.Retry.MaxRetries = time.Nanosecond, 0
	r := newRig(t, func(o *codingagent.Options) {
		o.Load = func(context.Context, string) settings.Settings { return set }
	})
	r.model.Respond(func(faux.Request) faux.Response {
		return faux.Failure(&ai.APIError{Kind: ai.KindOverloaded, Message: "overloaded"})
	})
	r.prompt("hi")
	if n := len(r.model.Requests()); n != 1 {
		t.Fatalf("%d requests without retries", n)
	}
	set.Retry.MaxRetries = 2
	set.Retry.BaseDelay, set.Retry.MaxDelay = time.Hour, time.Nanosecond // no wait is longer than the second
	if err := r.Reload(t.Context()); err != nil {
		t.Fatal(err)
	}
	r.prompt("again")
	if n := len(r.model.Requests()); n != 4 {
		t.Errorf("%d requests, want one and three", n)
	}
}

func TestReloadChangesShell(t *testing.T) {
	set := settings.Defaults()
	r := newRig(t, func(o *codingagent.Options) {
		o.Load = func(context.Context, string) settings.Settings { return set }
	})
	if _, err := r.Bash(t.Context(), "true", false, nil); err != nil {
		t.Fatal(err)
	}
	set.ShellPath = "/there/is/no/shell"
	if err := r.Reload(t.Context()); err != nil {
		t.Fatal(err)
	}
	if _, err := r.Bash(t.Context(), "true", false, nil); err == nil || !strings.Contains(err.Error(), set.ShellPath) {
		t.Errorf("error %v, want one that names the shell", err)
	}
}

func TestBlockImages(t *testing.T) {
	set := settings.Defaults()
	set.Images.BlockImages = true
	r := newRig(t, func(o *codingagent.Options) { o.Settings = &set })
	r.model.Queue(faux.Say("one"))
	img := func() *ai.Image { return &ai.Image{Data: "AAAA", MIMEType: "image/png"} }
	if _, err := r.Prompt(t.Context(), codingagent.Prompt{Text: "look", Images: []*ai.Image{img(), img()}}, codingagent.PromptOptions{}); err != nil {
		t.Fatal(err)
	}
	messages, _ := r.request(0)
	sent := messages[len(messages)-1].(*ai.UserMessage).Content
	if len(sent) != 2 || !strings.Contains(ai.TextOf(sent, "|"), "look|(An image was left out") {
		t.Errorf("sent %d blocks: %s", len(sent), ai.TextOf(sent, "|"))
	}
	kept := r.State().Messages
	for _, m := range kept {
		if u, ok := m.(*ai.UserMessage); ok && len(u.Content) != 3 {
			t.Errorf("the conversation keeps %d blocks, want 3", len(u.Content))
		}
	}
}

func TestMissedCache(t *testing.T) {
	model := &ai.Model{Cost: ai.Rates{Input: 10, CacheRead: 1, CacheWrite: 12.5}}
	answer := func(at int64, u ai.Usage) *ai.AssistantMessage {
		return &ai.AssistantMessage{Provider: "p", Model: "m", Usage: u, Timestamp: at}
	}
	hit := answer(0, ai.Usage{Input: 10, CacheRead: 90_000, CacheWrite: 10_000})
	for _, tt := range []struct {
		name   string
		before *ai.AssistantMessage
		now    ai.Usage
		want   int64
	}{
		{"no answer before", nil, ai.Usage{Input: 100_000}, 0},
		{"a hit", hit, ai.Usage{CacheRead: 100_000, CacheWrite: 5000}, 0},
		{"the end of a block", hit, ai.Usage{CacheRead: 99_000, CacheWrite: 5000}, 0},
		{"a miss", hit, ai.Usage{Input: 20, CacheWrite: 105_000}, 100_010},
		{"a part", hit, ai.Usage{Input: 60_000, CacheRead: 50_000}, 50_010},
		{"a shorter prompt", hit, ai.Usage{CacheRead: 20_000}, 0},
		{"a vendor that keeps nothing", answer(0, ai.Usage{Input: 100_000}), ai.Usage{Input: 100_000}, 0},
		{"nothing is known", hit, ai.Usage{Unknown: true}, 0},
	} {
		got := codingagent.MissedCache(tt.before, answer(10*60*1000, tt.now), model)
		var tokens int64
		if got != nil {
			tokens = got.Tokens
		}
		if tokens != tt.want {
			t.Errorf("%s: %d tokens, want %d", tt.name, tokens, tt.want)
		}
	}
	got := codingagent.MissedCache(hit, answer(10*60*1000, ai.Usage{Input: 20, CacheWrite: 105_000}), model)
	if want := "The vendor read 100010 tokens of the prompt again, after a pause of 10 minutes, about $1.15 more than from its cache."; got.String() != want {
		t.Errorf("said %q, want %q", got, want)
	}
}
