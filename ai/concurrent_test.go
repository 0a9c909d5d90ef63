package ai_test

import (
	"context"
	"fmt"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/pi-go/pi/ai"
	"github.com/pi-go/pi/ai/auth"
	"github.com/pi-go/pi/ai/faux"
)

// One collection serves many goroutines that ask, look and change it.
func TestModelsAreConcurrent(t *testing.T) {
	t.Parallel()
	store := auth.NewMemoryStore(nil)
	p := faux.New(faux.Config{})
	p.Respond(func(r faux.Request) faux.Response { return faux.Say("ok") })
	models := ai.ModelsConfig{Credentials: store, Telemetry: new(notes)}.New(p)
	conversation := ai.NewConversation("c")
	defer conversation.Close()
	var wg sync.WaitGroup
	for i := range 8 {
		wg.Go(func() {
			for range 30 {
				switch i % 4 {
				case 0:
					m := models.Stream(t.Context(), p.Model(), ai.Request{Messages: []ai.Message{ai.UserText("x")}}, ai.Options{Conversation: conversation}).Result()
					if m.Text() != "ok" {
						t.Errorf("%s: %s", m.StopReason, m.ErrorMessage)
					}
				case 1:
					models.SetProvider(faux.New(faux.Config{ID: fmt.Sprint("other", i)}))
					models.DeleteProvider(fmt.Sprint("other", i))
				case 2:
					models.Refresh(t.Context(), ai.RefreshOptions{AllowNetwork: true})
					models.Available(t.Context())
				case 3:
					models.Chat()
					if _, err := models.Model("faux", "faux-1"); err != nil {
						t.Error(err)
					}
					if _, err := models.CheckAuth(t.Context(), "faux"); err != nil {
						t.Error(err)
					}
				}
			}
		})
	}
	wg.Wait()
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
