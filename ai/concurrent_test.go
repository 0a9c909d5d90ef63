package ai_test

import (
	"context"
	"fmt"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/pi-go/pi/ai"
	"github.com/pi-go/pi/ai/auth"
	"github.com/pi-go/pi/ai/auth/authtest"
	"github.com/pi-go/pi/ai/faux"
	"github.com/pi-go/pi/ai/modelstore"
)

// One collection serves many goroutines that ask, leave, look, sign in and change it.
func TestModelsAreConcurrent(t *testing.T) {
	t.Parallel()
	p := faux.New(faux.Config{})
	p.Respond(func(faux.Request) faux.Response { return faux.Say("ok and more") })
	srv := authtest.New()
	srv.Handle(acmeToken, func(*authtest.Request) authtest.Response {
		return authtest.Response{Body: map[string]any{"access_token": "fresh", "refresh_token": "r", "expires_in": 3600}}
	})
	listed := lister(t, "listed", &ai.ListSource{Fetch: func(context.Context, *ai.ListRequest) (*ai.ModelList, error) {
		return &ai.ModelList{Models: named("new", "own")}, nil
	}})
	models := ai.ModelsConfig{
		Credentials: auth.NewMemoryStore(nil), Telemetry: new(notes), Env: env, HTTPClient: srv.Client(), Lists: new(modelstore.Memory),
		OAuthClientID: func(string) string { return "id" },
	}.New(p, listed, acmeProvider(t))
	conversation := ai.NewConversation("c")
	defer conversation.Close()
	req := ai.Request{Messages: []ai.Message{ai.UserText("x")}}
	roles := []func(i int){
		func(int) { // asks
			if m := models.Stream(t.Context(), p.Model(), req, ai.Options{Conversation: conversation}).Result(); m.Text() != "ok and more" {
				t.Errorf("%s: %s", m.StopReason, m.ErrorMessage)
			}
		},
		func(int) { // leaves
			s := models.Stream(t.Context(), p.Model(), req, ai.Options{Conversation: conversation})
			for ev := range s.Events() {
				if ev.Type == ai.EventTextDelta {
					break
				}
			}
			if m := s.Result(); m.StopReason != ai.StopAborted {
				t.Errorf("left: %s: %s", m.StopReason, m.ErrorMessage)
			}
		},
		func(int) { // is cancelled
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			s := models.Stream(ctx, p.Model(), req, ai.Options{})
			for ev := range s.Events() {
				if ev.Type == ai.EventTextStart {
					cancel()
				}
			}
			if m := s.Result(); m.StopReason != ai.StopAborted {
				t.Errorf("cancelled: %s: %s", m.StopReason, m.ErrorMessage)
			}
		},
		func(i int) { // changes providers
			id := fmt.Sprint("other", i)
			models.SetProvider(faux.New(faux.Config{ID: id}))
			models.DeleteProvider(id)
			models.SetProvider(listed)
		},
		func(int) { // asks for lists; somebody else may replace the provider meanwhile
			models.Refresh(t.Context(), ai.RefreshOptions{AllowNetwork: true, Force: true})
			models.Available(t.Context())
			models.List("listed")
		},
		func(int) { // signs in and out
			person := &authtest.Person{Answers: map[string][]string{auth.PromptCode: {"code"}}}
			if err := models.Login(t.Context(), "acme", auth.TypeOAuth, person); err != nil {
				t.Error(err)
			}
			if _, err := models.Logout(t.Context(), "acme"); err != nil {
				t.Error(err)
			}
		},
		func(int) { // uses the login that comes and goes, and renews it
			if token, err := models.Token(t.Context(), "acme", 2*time.Hour); err == nil && token == "" {
				t.Error("an empty token")
			}
			m := models.Stream(t.Context(), &ai.Model{ID: "m", Provider: "acme"}, req, ai.Options{}).Result()
			if m.Failure != nil && m.Failure.Kind != ai.KindAuth && m.Failure.Kind != ai.KindConfig && m.Failure.Kind != ai.KindUnknown {
				t.Errorf("%s: %s", m.Failure.Kind, m.ErrorMessage)
			}
		},
		func(int) { // looks
			models.Chat()
			if _, err := models.Model("faux", "faux-1"); err != nil {
				t.Error(err)
			}
			for _, provider := range []string{"faux", "acme"} {
				if _, err := models.CheckAuth(t.Context(), provider); err != nil {
					t.Error(err)
				}
			}
			models.Configured(t.Context())
		},
	}
	var wg sync.WaitGroup
	for i := range 50 {
		wg.Go(func() {
			for range 15 {
				roles[i%len(roles)](i)
			}
		})
	}
	wg.Wait()
	if m := models.Stream(t.Context(), p.Model(), req, ai.Options{}).Result(); m.Text() != "ok and more" {
		t.Errorf("afterwards %s: %s", m.StopReason, m.ErrorMessage)
	}
}

// watched is a context that counts who waits for its end.
type watched struct {
	context.Context
	waiting atomic.Int64
}

func (w *watched) Done() <-chan struct{} { return make(chan struct{}) }
func (w *watched) AfterFunc(func()) (stop func() bool) {
	w.waiting.Add(1)
	return func() bool { w.waiting.Add(-1); return true }
}

// A stream that nobody pulls leaves nothing behind, nor does one that was read.
func TestStreamsLeaveNothingBehind(t *testing.T) {
	t.Parallel()
	p := faux.New(faux.Config{})
	p.Respond(func(faux.Request) faux.Response { return faux.Say("ok") })
	ctx := &watched{Context: t.Context()}
	models := ai.NewModels(p)
	req := ai.Request{Messages: []ai.Message{ai.UserText("x")}}
	models.Stream(ctx, p.Model(), req, ai.Options{})
	models.Stream(ctx, nil, req, ai.Options{})
	if n := ctx.waiting.Load(); n != 0 || len(p.Requests()) != 0 {
		t.Errorf("%d wait for streams that nobody pulled; %d requests", n, len(p.Requests()))
	}
	if m := models.Stream(ctx, p.Model(), req, ai.Options{}).Result(); m.Text() != "ok" {
		t.Errorf("%s: %s", m.StopReason, m.ErrorMessage)
	}
	for range models.Stream(ctx, p.Model(), req, ai.Options{}).Events() {
		break
	}
	if n := ctx.waiting.Load(); n != 0 {
		t.Errorf("%d still wait", n)
	}
}
