package ai_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/pi-go/pi/ai"
	"github.com/pi-go/pi/ai/auth"
	"github.com/pi-go/pi/ai/auth/authtest"
	"github.com/pi-go/pi/ai/faux"
	"github.com/pi-go/pi/ai/modelstore"
)

// lister makes a provider with the models "own" and, of another type, "image".
func lister(t *testing.T, id string, source *ai.ListSource) ai.Provider {
	t.Helper()
	api, err := faux.New(faux.Config{}).API(nil)
	if err != nil {
		t.Fatal(err)
	}
	return ai.NewProvider(ai.ProviderConfig{
		ID: id, APIs: []ai.API{api}, Source: source, Auth: auth.Methods{APIKey: auth.EnvKey{Vars: []string{"KEY_" + id}}},
		Models: []*ai.Model{{ID: "own", API: "a", Provider: id, Name: "mine"}, {ID: "image", API: "a", Provider: id, Type: ai.ModelImage}},
	})
}

func named(ids ...string) []*ai.Model {
	var list []*ai.Model
	for _, id := range ids {
		list = append(list, &ai.Model{ID: id, API: "a"})
	}
	return list
}

func ids(models []*ai.Model) string {
	var list []string
	for _, m := range models {
		list = append(list, m.Ref())
	}
	return strings.Join(list, " ")
}

func env(name string) string { return "key" }

// Lists are asked for by HTTP with what was there before, stored, and laid upon the
// provider's own models or put in their place.
func TestRefresh(t *testing.T) {
	srv := authtest.New()
	srv.Handle("p.example/models", func(r *authtest.Request) authtest.Response {
		if r.Header.Get("If-None-Match") == `"v1"` {
			return authtest.Response{Status: http.StatusNotModified, Body: ""}
		}
		return authtest.Response{Header: map[string]string{"ETag": `"v1"`, "Last-Modified": "Wed, 18 Mar 2026 17:46:40 GMT"}, Body: []string{"new", "own"}}
	})
	source := &ai.ListSource{Fetch: func(ctx context.Context, r *ai.ListRequest) (*ai.ModelList, error) {
		a, err := r.Get(ctx, "https://p.example/models", map[string]string{"x-more": "1"})
		if err != nil {
			return nil, err
		}
		return &ai.ModelList{Models: append(named("new", "own", "own", ""), nil, &ai.Model{ID: "no protocol"}, &ai.Model{ID: "odd", API: "a", Type: "hologram"}), ETag: a.ETag, LastModified: a.LastModified}, nil
	}}
	store := new(modelstore.Memory)
	now := time.UnixMilli(1_900_000_000_000)
	config := ai.ModelsConfig{Env: env, HTTPClient: srv.Client(), Lists: store, Now: func() time.Time { return now }}
	models := config.New(lister(t, "p", source), lister(t, "none", nil))
	if got := ids(models.List("p")); got != "p/own p/image" {
		t.Errorf("before: %s", got)
	}
	if r := models.Refresh(t.Context(), ai.RefreshOptions{}); len(r.Errors)+len(r.Updated) != 0 || len(srv.Requests()) != 0 {
		t.Errorf("without the network: %+v", r)
	}
	r := models.Refresh(t.Context(), ai.RefreshOptions{AllowNetwork: true})
	if len(r.Errors) != 0 || !slices.Equal(r.Updated, []string{"p"}) {
		t.Fatalf("%+v", r)
	}
	if got := ids(models.List("p")); got != "p/image p/new p/own" {
		t.Errorf("after: %s", got)
	}
	if m, err := models.Model("p", "new"); err != nil || m.Name != "new" || m.Provider != "p" {
		t.Errorf("%+v, %v", m, err)
	}
	if got := ids(models.Chat()); got != "p/new p/own none/own" || ids(models.Available(t.Context())) != got {
		t.Errorf("chat models %s", got)
	}
	if q := srv.Requests()[0]; q.Header.Get("Authorization") != "Bearer key" || q.Header.Get("x-more") != "1" || !strings.HasPrefix(q.Header.Get("User-Agent"), "pi-go/") {
		t.Errorf("asked with %v", q.Header)
	}
	stored, _ := store.ReadList(t.Context(), "p")
	if stored == nil || stored.ETag != `"v1"` || stored.CheckedAt != now.UnixMilli() || stored.LastModified != 1773856000000 || len(stored.Models) != 2 {
		t.Errorf("stored %+v", stored)
	}

	// It counts as new for four hours.
	now = now.Add(3 * time.Hour)
	models.Refresh(t.Context(), ai.RefreshOptions{AllowNetwork: true})
	if n := len(srv.Requests()); n != 1 {
		t.Errorf("asked %d times", n)
	}
	now = now.Add(2 * time.Hour)
	if r := models.Refresh(t.Context(), ai.RefreshOptions{AllowNetwork: true}); len(r.Errors)+len(r.Updated) != 0 {
		t.Errorf("not modified: %+v", r)
	}
	if stored, _ := store.ReadList(t.Context(), "p"); len(srv.Requests()) != 2 || stored.CheckedAt != now.UnixMilli() || len(stored.Models) != 2 {
		t.Errorf("%d requests, stored %+v", len(srv.Requests()), stored)
	}
	// A list from the future, as after a clock that was wrong, does not count as new.
	ahead := now
	now = now.Add(-48 * time.Hour)
	models.Refresh(t.Context(), ai.RefreshOptions{AllowNetwork: true})
	if stored, _ := store.ReadList(t.Context(), "p"); len(srv.Requests()) != 3 || stored.CheckedAt != now.UnixMilli() {
		t.Errorf("%d requests, stored %+v", len(srv.Requests()), stored)
	}
	now = ahead
	models.Refresh(t.Context(), ai.RefreshOptions{AllowNetwork: true, Force: true, Providers: []string{"p"}})
	models.Refresh(t.Context(), ai.RefreshOptions{AllowNetwork: true, Force: true, Providers: []string{"none"}})
	if n := len(srv.Requests()); n != 4 {
		t.Errorf("asked %d times", n)
	}

	// The next program has the list without asking, and may let it stand alone.
	source.Replaces = []ai.ModelType{ai.ModelChat, ai.ModelImage}
	next := config.New(lister(t, "p", source))
	if r := next.Refresh(t.Context(), ai.RefreshOptions{}); !slices.Equal(r.Updated, []string{"p"}) || ids(next.List("p")) != "p/new p/own" {
		t.Errorf("%+v, %s", r, ids(next.List("p")))
	}
	// A provider that is replaced loses the list of the old one.
	next.SetProvider(lister(t, "p", source))
	if got := ids(next.List("p")); got != "p/own p/image" {
		t.Errorf("replaced: %s", got)
	}
	if r := next.Refresh(t.Context(), ai.RefreshOptions{Providers: []string{"q"}}); r.Errors["q"] == nil {
		t.Errorf("%+v", r)
	}
}

// One provider's failure is its own, and leaves it the list it had.
func TestRefreshFailures(t *testing.T) {
	fail := make(map[string]bool)
	fetch := func(id string, how func() (*ai.ModelList, error)) ai.Provider {
		return lister(t, id, &ai.ListSource{Fetch: func(context.Context, *ai.ListRequest) (*ai.ModelList, error) {
			if fail[id] {
				return how()
			}
			return &ai.ModelList{Models: named("from " + id)}, nil
		}})
	}
	all := []ai.Provider{
		fetch("good", nil),
		fetch("bad", func() (*ai.ModelList, error) { return nil, errors.New("no route") }),
		fetch("panics", func() (*ai.ModelList, error) { panic("a fault") }),
		fetch("empty", func() (*ai.ModelList, error) { return nil, nil }),
		fetch("nolist", func() (*ai.ModelList, error) { return nil, ai.ErrNoList }),
		lister(t, "nokey", &ai.ListSource{Fetch: func(context.Context, *ai.ListRequest) (*ai.ModelList, error) {
			t.Error("a provider without a key was asked")
			return nil, nil
		}}),
	}
	store := &brokenStore{}
	models := ai.ModelsConfig{Lists: store, Env: func(name string) string {
		if name == "KEY_nokey" {
			return ""
		}
		return "key"
	}}.New(all...)
	opts := ai.RefreshOptions{AllowNetwork: true, Force: true}
	if r := models.Refresh(t.Context(), opts); len(r.Errors) != 0 || len(r.Updated) != 5 {
		t.Fatalf("%+v", r)
	}
	for _, p := range all[1:] {
		fail[p.ID()] = true
	}
	store.broken = true
	r := models.Refresh(t.Context(), opts)
	for id, want := range map[string]string{"good": "store the models of good: full", "bad": "no route", "panics": "panic: a fault", "empty": "the answer is empty", "nolist": "store the models", "nokey": ""} {
		if err := r.Errors[id]; want == "" && err != nil || want != "" && (err == nil || !strings.Contains(err.Error(), want)) {
			t.Errorf("%s: %v, want %s", id, err, want)
		}
		want := id + "/own " + id + "/image " + id + "/from " + id
		if id == "nolist" || id == "nokey" {
			want = id + "/own " + id + "/image"
		}
		if got := ids(models.List(id)); got != want {
			t.Errorf("%s has %s", id, got)
		}
	}
}

type brokenStore struct {
	modelstore.Memory
	broken bool
}

func (s *brokenStore) WriteList(ctx context.Context, provider string, l *ai.ModelList) error {
	if s.broken {
		return errors.New("full")
	}
	return s.Memory.WriteList(ctx, provider, l)
}

// The newest refresh wins, whatever the order in which the answers come.
func TestNewerRefreshWins(t *testing.T) {
	type question struct {
		ctx    context.Context
		answer chan string
	}
	questions := make(chan question)
	source := &ai.ListSource{Fetch: func(ctx context.Context, r *ai.ListRequest) (*ai.ModelList, error) {
		q := question{ctx, make(chan string)}
		questions <- q
		return &ai.ModelList{Models: named(<-q.answer)}, nil
	}}
	store := new(modelstore.Memory)
	models := ai.ModelsConfig{Env: env, Lists: store}.New(lister(t, "p", source))
	results := make([]ai.RefreshResult, 2)
	var over [2]sync.WaitGroup
	refresh := func(i int) question {
		over[i].Go(func() { results[i] = models.Refresh(t.Context(), ai.RefreshOptions{AllowNetwork: true, Force: true}) })
		return <-questions
	}
	first := refresh(0)
	second := refresh(1)
	<-first.ctx.Done() // the older one is told to end
	second.answer <- "second"
	over[1].Wait()
	first.answer <- "first" // it does not listen
	over[0].Wait()
	if got := ids(models.List("p")); got != "p/own p/image p/second" {
		t.Errorf("models %s", got)
	}
	if l, _ := store.ReadList(t.Context(), "p"); l == nil || len(l.Models) != 1 || l.Models[0].ID != "second" {
		t.Errorf("stored %+v", l)
	}
	for i, r := range results {
		if len(r.Errors) != 0 || r.Aborted {
			t.Errorf("%d: %+v", i, r)
		}
	}
}

func TestRefreshCancelled(t *testing.T) {
	ctx, cancel := context.WithCancelCause(t.Context())
	source := &ai.ListSource{Fetch: func(ctx context.Context, r *ai.ListRequest) (*ai.ModelList, error) {
		cancel(errors.New("enough"))
		<-ctx.Done()
		return nil, ctx.Err()
	}}
	models := ai.ModelsConfig{Env: env}.New(lister(t, "p", source))
	r := models.Refresh(ctx, ai.RefreshOptions{AllowNetwork: true})
	if !r.Aborted || r.Errors["p"] == nil || !strings.Contains(r.Errors["p"].Error(), "enough") {
		t.Errorf("%+v", r)
	}
}

// heldStore ends the refresh before it stores what came.
type heldStore struct {
	modelstore.Memory
	cancel func()
}

func (s *heldStore) WriteList(ctx context.Context, provider string, l *ai.ModelList) error {
	s.cancel()
	if err := ctx.Err(); err != nil {
		return err
	}
	return s.Memory.WriteList(ctx, provider, l)
}

// What has come is stored, also when the caller gives up at that moment.
func TestListOutlivesItsCaller(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	store := &heldStore{cancel: cancel}
	source := &ai.ListSource{Fetch: func(context.Context, *ai.ListRequest) (*ai.ModelList, error) {
		return &ai.ModelList{Models: named("new")}, nil
	}}
	models := ai.ModelsConfig{Env: env, Lists: store}.New(lister(t, "p", source))
	models.Refresh(ctx, ai.RefreshOptions{AllowNetwork: true})
	if l, err := store.ReadList(t.Context(), "p"); err != nil || l == nil || len(l.Models) != 1 {
		t.Errorf("stored %+v, %v", l, err)
	}
}

// A list is capped, and a refusal says who refused.
func TestListAnswers(t *testing.T) {
	for want, answer := range map[string]authtest.Response{
		"larger than 32 MiB": {Body: strings.Repeat("x", 32<<20+1)},
		"no plan":            {Status: 402, Body: map[string]any{"error": map[string]string{"message": "no plan"}}},
	} {
		srv := authtest.New()
		srv.Handle("p.example/models", func(*authtest.Request) authtest.Response { return answer })
		r := &ai.ListRequest{HTTP: srv.Client()}
		if _, err := r.Get(t.Context(), "https://p.example/models", nil); err == nil || !strings.Contains(fmt.Sprint(err), want) {
			t.Errorf("got %v, want %s", err, want)
		}
	}
}
