package models_test

import (
	"context"
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/pi-go/pi/ai"
	"github.com/pi-go/pi/ai/auth"
	"github.com/pi-go/pi/ai/faux"
	"github.com/pi-go/pi/codingagent/models"
)

func virtual(provider, id string) models.VirtualModel {
	return models.VirtualModel{
		Provider: provider, ID: id, Name: "Auto", ThinkingLevels: []ai.ThinkingLevel{"low", "high"}, ContextWindow: 5000,
		Route: func(_ context.Context, q models.RouteRequest) (models.Route, error) {
			return models.Route{}, ai.Errorf(ai.KindConfig, "asked for %s", q.Reason)
		},
	}
}

func refs(list []*ai.Model) []string {
	var out []string
	for _, m := range list {
		out = append(out, m.Ref())
	}
	return out
}

// Virtual models stand among the others, as clients of the wire protocol know them.
func TestVirtualModelsAreListed(t *testing.T) {
	keyed := faux.New(faux.Config{ID: "keyed", Models: []*ai.Model{{ID: "a", API: faux.APIID}}, Auth: auth.Methods{APIKey: auth.EnvKey{Vars: []string{"NONE"}}}})
	free := faux.New(faux.Config{ID: "free", Models: []*ai.Model{{ID: "a", API: faux.APIID}, {ID: "b", API: faux.APIID}}})
	r, faults := open(t, `{"providers": {}}`, keyed, free)
	if len(faults) > 0 {
		t.Fatal(faults)
	}
	for _, v := range []models.VirtualModel{virtual("keyed", "auto"), virtual("free", "a"), virtual("own", "auto"), virtual("own", "auto")} {
		if err := r.RegisterVirtual(v); err != nil {
			t.Fatal(err)
		}
	}
	// One listed under a provider needs that one's credentials; one of the same id hides
	// the real one; a second registration replaces the first.
	if got, want := refs(r.Models.Available(t.Context())), []string{"free/a", "free/b", "own/auto"}; !slices.Equal(got, want) {
		t.Errorf("available %v, want %v", got, want)
	}
	if got, want := refs(r.Models.Chat()), []string{"keyed/a", "keyed/auto", "free/a", "free/b", "own/auto"}; !slices.Equal(got, want) {
		t.Errorf("all %v, want %v", got, want)
	}
	m, err := r.Models.Model("own", "auto")
	if err != nil {
		t.Fatal(err)
	}
	text, err := json.Marshal(m)
	if err != nil {
		t.Fatal(err)
	}
	var got, want map[string]any
	const known = `{"id":"auto","name":"Auto","api":"pi-virtual","provider":"own","baseUrl":"","reasoning":true,"thinkingLevelMap":{"off":null,"minimal":null,"low":"low","medium":null,"high":"high","xhigh":null,"max":null},"input":["text","image"],"cost":{"input":0,"output":0,"cacheRead":0,"cacheWrite":0},"contextWindow":5000,"maxTokens":0}`
	for v, s := range map[*map[string]any]string{&got: string(text), &want: known} {
		if err := json.Unmarshal([]byte(s), v); err != nil {
			t.Fatal(err)
		}
	}
	a, _ := json.Marshal(got)
	if b, _ := json.Marshal(want); string(a) != string(b) {
		t.Errorf("listed as %s", text)
	}
	if c, err := r.Catalog(t.Context()).Resolve("own/auto:low", ""); err != nil || c.Model != m || c.Thinking != "low" {
		t.Errorf("resolved %+v, %v", c, err)
	}
	// A provider that goes away leaves virtual models behind.
	r.DeleteProvider("free")
	if got, want := refs(r.Models.Available(t.Context())), []string{"own/auto", "free/a"}; !slices.Equal(got, want) {
		t.Errorf("after a provider went: %v, want %v", got, want)
	}
	if !r.UnregisterVirtual("free", "a") || r.UnregisterVirtual("free", "a") || r.Models.Provider("free") != nil {
		t.Error("it can be removed once, and its provider with it")
	}
}

func TestRegisterVirtualErrors(t *testing.T) {
	r, _ := open(t, `{"providers": {}}`)
	for want, change := range map[string]func(*models.VirtualModel){
		"needs a provider and an id": func(v *models.VirtualModel) { v.ID = "" },
		"it has no route":            func(v *models.VirtualModel) { v.Route = nil },
		`"hgh" is no thinking level`: func(v *models.VirtualModel) { v.ThinkingLevels = []ai.ThinkingLevel{"hgh"} },
	} {
		v := virtual("p", "m")
		change(&v)
		if err := r.RegisterVirtual(v); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %s", err, want)
		}
	}
}

// A request outside of a session is routed, too; the collection alone can not ask.
func TestStreamOfAVirtualModel(t *testing.T) {
	p := faux.New(faux.Config{ID: "p", Models: []*ai.Model{{ID: "real", API: faux.APIID}}})
	r, _ := open(t, `{"providers": {}}`, p)
	v := virtual("v", "auto")
	v.Route = func(_ context.Context, q models.RouteRequest) (models.Route, error) {
		if q.Reason != models.RouteDirect || q.State != nil || len(q.Messages) != 2 || q.Thinking != ai.ThinkingHigh {
			t.Errorf("asked %+v", q)
		}
		return models.Route{Dispatch: models.Dispatch{Model: p.Model()}}, nil
	}
	if err := r.RegisterVirtual(v); err != nil {
		t.Fatal(err)
	}
	m, err := r.Models.Model("v", "auto")
	if err != nil {
		t.Fatal(err)
	}
	p.Queue(faux.Say("hi"))
	req := ai.Request{System: "be brief", Messages: []ai.Message{ai.UserText("x")}}
	a := r.Stream(t.Context(), m, req, ai.Options{Thinking: ai.ThinkingMax, APIKey: "for v"}).Result()
	if a.Text() != "hi" || a.Provider != "p" || a.Model != "real" || p.Requests()[0].Call.Options.APIKey != "" {
		t.Errorf("%+v, %+v", a, p.Requests()[0].Call.Options)
	}
	if a := r.Models.Stream(t.Context(), m, req, ai.Options{}).Result(); a.Err() == nil || !strings.Contains(a.ErrorMessage, "virtual model") {
		t.Errorf("%+v", a)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if a := r.Stream(ctx, m, req, ai.Options{Thinking: ai.ThinkingMax}).Result(); a.StopReason != ai.StopAborted {
		t.Errorf("after a cancel: %s %s", a.StopReason, a.ErrorMessage)
	}
}
