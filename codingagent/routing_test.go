package codingagent_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/pi-go/pi/agentcore"
	"github.com/pi-go/pi/agentcore/compaction"
	"github.com/pi-go/pi/agentcore/harness"
	"github.com/pi-go/pi/agentcore/session"
	"github.com/pi-go/pi/ai"
	"github.com/pi-go/pi/ai/auth"
	"github.com/pi-go/pi/ai/faux"
	"github.com/pi-go/pi/codingagent"
	"github.com/pi-go/pi/codingagent/models"
	"github.com/pi-go/pi/codingagent/settings"
)

// routed is a session with a virtual model, and a log of what its router was asked.
type routed struct {
	*rig
	runtime    *models.Runtime
	small, big *ai.Model

	mu    sync.Mutex
	asked []string
	// route decides; nil takes the small model.
	route func(models.RouteRequest) (models.Route, error)
}

func describeRoute(q models.RouteRequest) string {
	text := fmt.Sprintf("%s %s", q.Reason, q.Thinking)
	if q.Previous != nil {
		text += " previous=" + q.Previous.Model.ID + ":" + string(q.Previous.Thinking)
	}
	if q.Failed != nil {
		text += " failed=" + q.Failed.Model.ID + ":" + q.Failed.Message.ErrorMessage
	}
	if q.State != nil {
		text += " state=" + string(q.State)
	}
	return text
}

func newRouted(t *testing.T, change func(*codingagent.Options)) *routed {
	t.Helper()
	r := &routed{}
	p := faux.New(faux.Config{ID: "real", Models: []*ai.Model{
		{ID: "small", API: faux.APIID, ContextWindow: 4000, MaxTokens: 500, Input: []string{"text"}},
		{ID: "big", API: faux.APIID, ContextWindow: 100_000, MaxTokens: 5000, Reasoning: true, Input: []string{"text", "image"}},
	}})
	r.small, r.big = p.Models()[0], p.Models()[1]
	locked := faux.New(faux.Config{
		ID: "locked", Models: []*ai.Model{{ID: "m", API: faux.APIID}},
		Auth: auth.Methods{APIKey: auth.EnvKey{Vars: []string{"LOCKED_KEY"}}},
	})
	runtime, faults := models.New(t.Context(), models.Config{Providers: []ai.Provider{p, locked}, Env: func(string) string { return "" }})
	if len(faults) > 0 {
		t.Fatal(faults)
	}
	r.runtime = runtime
	err := runtime.RegisterVirtual(models.VirtualModel{
		Provider: "router", ID: "auto", Name: "Auto", ThinkingLevels: []ai.ThinkingLevel{ai.ThinkingLow, ai.ThinkingHigh}, ContextWindow: 9000,
		Route: func(_ context.Context, q models.RouteRequest) (models.Route, error) {
			r.mu.Lock()
			defer r.mu.Unlock()
			r.asked = append(r.asked, describeRoute(q))
			if r.route != nil {
				return r.route(q)
			}
			return models.Route{Dispatch: models.Dispatch{Model: r.small}}, nil
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	auto, err := runtime.Models.Model("router", "auto")
	if err != nil {
		t.Fatal(err)
	}
	r.rig = newRig(t, func(o *codingagent.Options) {
		o.Models, o.ModelRuntime, o.Model = nil, runtime, auto
		o.SystemPrompt, o.Tools.None = "x", true
		if change != nil {
			change(o)
		}
	})
	r.model = p
	return r
}

func (r *routed) check(want ...string) {
	r.t.Helper()
	if !slices.Equal(r.asked, want) {
		r.t.Errorf("the router was asked\n%s\nwant\n%s", strings.Join(r.asked, "\n"), strings.Join(want, "\n"))
	}
}

// answeredBy lists the models of the requests.
func (r *routed) answeredBy() (ids []string) {
	for _, q := range r.model.Requests() {
		ids = append(ids, q.Call.Model.ID+":"+string(q.Call.Options.Thinking))
	}
	return ids
}

func quick(o *codingagent.Options) {
	set := settings.Defaults()
	set.Retry.BaseDelay, set.Retry.MaxDelay = 1, 1
	set.Compaction.Enabled = false
	o.Settings = &set
}

// Each request is routed, with the reason why it is made, and recorded with the model
// that answered; the selection stays.
func TestRequestsAreRouted(t *testing.T) {
	r := newRouted(t, func(o *codingagent.Options) {
		quick(o)
		o.Tools.None = false
	})
	r.route = func(q models.RouteRequest) (models.Route, error) {
		switch {
		case q.Reason == models.RouteRetry:
			return models.Route{Dispatch: q.Failed.Dispatch}, nil
		case q.State == nil:
			return models.Route{Dispatch: models.Dispatch{Model: r.big, Thinking: ai.ThinkingMedium}, State: json.RawMessage(`{"phase": 1}`)}, nil
		case q.Reason == models.RouteContinuation:
			return models.Route{Dispatch: models.Dispatch{Model: r.small, Thinking: ai.ThinkingMax}, State: q.State}, nil
		}
		return models.Route{Dispatch: *q.Previous}, nil
	}
	var events []string
	r.Subscribe(func(_ context.Context, ev agentcore.Event) error {
		switch ev := ev.(type) {
		case *harness.EntryAppended:
			if e, ok := ev.Entry.(*session.CustomEntry); ok {
				events = append(events, e.CustomType+" "+string(e.Data))
			}
		case *agentcore.MessageEnd:
			events = append(events, string(ev.Message.Role()))
		}
		return nil
	})
	r.model.Queue(
		faux.Calls(faux.Call("ls", map[string]any{"path": "."})), faux.Say("done"),
		faux.Failure(&ai.APIError{Kind: ai.KindOverloaded, Status: 529, Message: "busy"}), faux.Say("again"),
	)
	r.prompt("one")
	r.prompt("two")
	r.check(
		"user high",
		"continuation high previous=big:medium state={\"phase\":1}",
		"user high previous=small:off state={\"phase\":1}",
		"retry high previous=small:off failed=small:busy state={\"phase\":1}",
	)
	if got := strings.Join(r.answeredBy(), " "); got != "big:medium small:off small:off small:off" {
		t.Errorf("answered by %s", got)
	}
	want := []string{"system", "user", `pi.virtual-model-state {"provider":"router","modelId":"auto","state":{"phase":1}}`, "assistant", "toolResult", "assistant"}
	if len(events) < len(want) || !slices.Equal(events[:len(want)], want) {
		t.Errorf("events %q, want %q first", events, want)
	}
	if r.Model().Ref() != "router/auto" || r.Thinking() != ai.ThinkingHigh {
		t.Errorf("selected %s %s", r.Model(), r.Thinking())
	}
	if d := r.RoutedModel(); d == nil || d.Model != r.small || r.LimitsModel() != r.small {
		t.Errorf("routed %v, limits of %v", d, r.LimitsModel())
	}
	for _, m := range r.State().Messages {
		if a, ok := m.(*ai.AssistantMessage); ok && a.Provider != "real" {
			t.Errorf("an answer is recorded as of %s/%s", a.Provider, a.Model)
		}
	}
	if err := r.SetModel(t.Context(), r.big); err != nil {
		t.Fatal(err)
	}
	if r.RoutedModel() != nil || r.LimitsModel() != r.big {
		t.Error("another model is selected, and the old route counts")
	}
}

// A router that fails, or chooses what can not be asked, ends the request with an
// error that says so. The next prompt is routed anew.
func TestRoutesThatFail(t *testing.T) {
	r := newRouted(t, quick)
	auto := r.Model()
	locked, err := r.runtime.Models.Model("locked", "m")
	if err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		route func(models.RouteRequest) (models.Route, error)
		want  string
	}{
		"error":  {func(models.RouteRequest) (models.Route, error) { return models.Route{}, errors.New("no route today") }, "router/auto: no route today"},
		"panic":  {func(models.RouteRequest) (models.Route, error) { panic("oh") }, "panicked: oh"},
		"nobody": {func(models.RouteRequest) (models.Route, error) { return models.Route{}, nil }, "router/auto chose no model"},
		"virtual": {func(models.RouteRequest) (models.Route, error) {
			return models.Route{Dispatch: models.Dispatch{Model: auto}}, nil
		}, "which is a virtual model, too"},
		"no key": {func(models.RouteRequest) (models.Route, error) {
			return models.Route{Dispatch: models.Dispatch{Model: locked}}, nil
		}, "chose locked/m, which can not be used: no API key for provider locked: set LOCKED_KEY"},
		"bad state": {func(models.RouteRequest) (models.Route, error) {
			return models.Route{Dispatch: models.Dispatch{Model: r.small}, State: json.RawMessage("{")}, nil
		}, "its state is no JSON"},
	} {
		r.route = c.route
		got := r.prompt("x")
		if got.Answer == nil || got.Answer.StopReason != ai.StopError || !strings.Contains(got.Answer.ErrorMessage, c.want) {
			t.Errorf("%s: %+v, want %q", name, got.Answer, c.want)
			continue
		}
		if a := got.Answer; a.API != models.VirtualAPI || a.Provider != "router" || a.Model != "auto" {
			t.Errorf("%s: recorded as %s %s/%s", name, a.API, a.Provider, a.Model)
		}
	}
	r.route = nil
	r.model.Queue(faux.Say("fine"))
	if got := r.prompt("x"); got.Answer.Text() != "fine" {
		t.Errorf("after failures: %+v", got.Answer)
	}
	if len(r.model.Requests()) != 1 {
		t.Errorf("%d requests were made", len(r.model.Requests()))
	}
}

// A router may fail in a way that is worth another try.
func TestAFailedRouteIsTriedAgain(t *testing.T) {
	r := newRouted(t, quick)
	tries := 0
	r.route = func(models.RouteRequest) (models.Route, error) {
		if tries++; tries == 1 {
			return models.Route{}, &ai.APIError{Kind: ai.KindOverloaded, Message: "the classifier is busy"}
		}
		return models.Route{Dispatch: models.Dispatch{Model: r.small}}, nil
	}
	r.model.Queue(faux.Say("fine"))
	if got := r.prompt("x"); got.Answer.Text() != "fine" {
		t.Errorf("%+v", got.Answer)
	}
	r.check("user high", "retry high")
}

// A summary is a request of its own: the router knows no state then, and its choice
// does not stay.
func TestSummariesAreRouted(t *testing.T) {
	r := newRouted(t, quick)
	r.route = func(q models.RouteRequest) (models.Route, error) {
		if q.Reason == models.RouteDirect {
			return models.Route{Dispatch: models.Dispatch{Model: r.big, Thinking: ai.ThinkingLow}, State: json.RawMessage(`2`)}, nil
		}
		return models.Route{Dispatch: models.Dispatch{Model: r.small}, State: json.RawMessage(`1`)}, nil
	}
	r.model.Respond(func(q faux.Request) faux.Response { return faux.Say(strings.Repeat("word ", 300)) })
	for range 4 {
		r.prompt("question")
	}
	if _, err := r.Compact(t.Context(), ""); err != nil && !errors.Is(err, compaction.ErrNothing) {
		t.Fatal(err)
	}
	direct := slices.ContainsFunc(r.asked, func(a string) bool { return a == "direct high" })
	by := r.answeredBy()
	if !direct || by[len(by)-1] != "big:low" {
		t.Errorf("asked %v, answered by %v", r.asked, by)
	}
	if d := r.RoutedModel(); d == nil || d.Model != r.small {
		t.Errorf("routed %v", d)
	}
}

// When the model that was chosen is too small for the conversation, room is made before
// the request; the choice stays.
func TestRoomIsMadeForTheModelThatWasChosen(t *testing.T) {
	r := newRouted(t, func(o *codingagent.Options) {
		set := settings.Defaults()
		o.Settings = &set
	})
	r.route = func(q models.RouteRequest) (models.Route, error) {
		if len(r.model.Requests()) < 6 {
			return models.Route{Dispatch: models.Dispatch{Model: r.big}}, nil
		}
		return models.Route{Dispatch: models.Dispatch{Model: r.small}}, nil
	}
	var log []string
	r.Subscribe(func(_ context.Context, ev agentcore.Event) error {
		switch ev := ev.(type) {
		case *harness.CompactionStart:
			log = append(log, "compact "+string(ev.Reason))
		case *agentcore.MessageEnd:
			if ev.Message.Role() != ai.RoleSystem {
				log = append(log, string(ev.Message.Role()))
			}
		}
		return nil
	})
	r.model.Respond(func(q faux.Request) faux.Response {
		if strings.Contains(ai.ReplaySystem(q.Call.Messages).Text, "notes for an assistant") {
			return faux.Say("the summary")
		}
		return faux.Say(strings.Repeat("word ", 700))
	})
	for i := range 7 {
		r.prompt(fmt.Sprint("question ", i))
	}
	if got := strings.Join(log[12:], ", "); got != "user, compact threshold, assistant" {
		t.Errorf("the last prompt went %s", got)
	}
	requests := r.model.Requests()
	last := requests[len(requests)-1].Call
	var size int64
	for _, m := range last.Messages {
		size += ai.EstimateMessage(m)
	}
	if last.Model.ID != "small" || size > r.small.ContextWindow {
		t.Errorf("the last request went to %s with %d tokens", last.Model.ID, size)
	}
}

// A session comes back with the virtual model that was selected; when that is not there
// any more, with the model that answered.
func TestResumeOfAVirtualSelection(t *testing.T) {
	repo := session.NewMemory()
	r := newRouted(t, func(o *codingagent.Options) {
		quick(o)
		o.Session = codingagent.NewIn(repo)
	})
	r.model.Queue(faux.Say("hi"))
	r.prompt("hello")
	virtual := func(ref session.ModelRef) bool { return r.runtime.IsVirtual(ref.Provider, ref.ModelID) }
	for _, want := range []string{"router/auto", "real/small"} {
		have, err := r.Session().Restore(t.Context(), virtual)
		if err != nil {
			t.Fatal(err)
		}
		if got := have.Model.Provider + "/" + have.Model.ModelID; got != want {
			t.Errorf("restored %s, want %s", got, want)
		}
		if !r.runtime.UnregisterVirtual("router", "auto") && want == "router/auto" {
			t.Error("it was not there")
		}
	}
	if r.runtime.Models.Provider("router") != nil {
		t.Error("the provider of nothing is still listed")
	}
}
