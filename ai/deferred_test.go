package ai_test

import (
	"context"
	"encoding/json"
	"errors"
	"math"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/pi-go/pi/ai"
	"github.com/pi-go/pi/ai/faux"
)

func deferAnswer(t *testing.T, p *faux.Provider, models *ai.Models) ai.DeferredHandle {
	t.Helper()
	m := models.Stream(t.Context(), p.Model(), ai.Request{Messages: []ai.Message{ai.UserText("later")}}, ai.Options{Deferral: &ai.Deferral{Window: "1h"}}).Result()
	if m.StopReason != ai.StopDeferred {
		t.Fatalf("%s: %s", m.StopReason, m.ErrorMessage)
	}
	h, err := m.DeferredHandle()
	if err != nil {
		t.Fatal(err)
	}
	return h
}

func TestDeferredAnswer(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := faux.New(faux.Config{})
		models := ai.NewModels(p)
		p.Queue(faux.Later("d1", time.Minute), faux.Later("d1", 0), faux.Later("d2", 10*time.Second), faux.Say("At last."))
		begin := time.Now()
		h := deferAnswer(t, p, models)
		if want := (ai.DeferredHandle{Provider: "faux", Model: "faux-1", API: "faux", ID: "d1", PollAfterMS: 60_000}); h.ID != want.ID || h.Provider != want.Provider || h.Model != want.Model || h.API != want.API || h.PollAfterMS != want.PollAfterMS {
			t.Errorf("handle %+v, want %+v", h, want)
		}
		m, err := models.AwaitDeferred(t.Context(), h, ai.Options{})
		if err != nil || m.Text() != "At last." || m.StopReason != ai.StopEnd {
			t.Fatalf("%s %q: %v", m.StopReason, m.Text(), err)
		}
		// One minute as asked, half a minute as nothing was asked, ten seconds.
		if waited := time.Since(begin); waited != 100*time.Second {
			t.Errorf("waited %v", waited)
		}
		reqs := p.Requests()
		if len(reqs) != 4 || reqs[0].Deferred != nil || reqs[0].Call.Options.Deferral.Window != "1h" || reqs[1].Deferred.ID != "d1" || reqs[3].Deferred.ID != "d2" || len(reqs[1].Call.Messages) != 0 {
			t.Errorf("requests %+v", reqs)
		}
	})
}

func TestCancelDeferred(t *testing.T) {
	t.Parallel()
	p := faux.New(faux.Config{})
	models := ai.NewModels(p)
	p.Queue(faux.Later("d1", 0))
	h := deferAnswer(t, p, models)
	if err := models.CancelDeferred(t.Context(), h, ai.Options{}); err != nil {
		t.Fatal(err)
	}
	if last := p.Requests()[1]; !last.Cancel || last.Deferred.ID != "d1" {
		t.Errorf("%+v", last)
	}
	gone, cancel := context.WithCancel(t.Context())
	cancel()
	if err := models.CancelDeferred(gone, h, ai.Options{}); !errors.Is(err, context.Canceled) || len(p.Requests()) != 2 {
		t.Errorf("cancelled: %v after %d requests", err, len(p.Requests()))
	}
}

// now is a protocol without deferred answers; late one that misbehaves.
type (
	now  struct{}
	late struct{ now }
)

func (now) ID() string { return "now" }
func (now) Stream(_ context.Context, _ *ai.Call, out *ai.Emitter) error {
	out.Message().StopReason = ai.StopEnd
	return nil
}

func (late) FetchDeferred(_ context.Context, _ *ai.Call, h ai.DeferredHandle, _ time.Duration, out *ai.Emitter) error {
	if h.ID == "panic" {
		panic("boom")
	}
	out.Message().StopReason = ai.StopDeferred
	return nil
}

func (late) CancelDeferred(context.Context, *ai.Call, ai.DeferredHandle) error { panic("boom") }

func TestDeferredFailures(t *testing.T) {
	t.Parallel()
	model := &ai.Model{ID: "m", Provider: "p", API: "now", BaseURL: "http://localhost"}
	plain := ai.NewModels(ai.NewProvider(ai.ProviderConfig{ID: "p", Models: []*ai.Model{model}, APIs: []ai.API{now{}}}))
	bad := ai.NewModels(ai.NewProvider(ai.ProviderConfig{ID: "p", Models: []*ai.Model{model}, APIs: []ai.API{late{}}}))
	for name, tc := range map[string]struct {
		models *ai.Models
		handle ai.DeferredHandle
		kind   ai.ErrorKind
		want   string
	}{
		"no id":            {plain, ai.DeferredHandle{Provider: "p", Model: "m"}, ai.KindBadRequest, "has no id"},
		"no provider":      {plain, ai.DeferredHandle{Provider: "q", Model: "m", ID: "d"}, ai.KindConfig, `unknown provider "q"`},
		"no model":         {plain, ai.DeferredHandle{Provider: "p", Model: "n", ID: "d"}, ai.KindConfig, `has no model "n"`},
		"no such protocol": {plain, ai.DeferredHandle{Provider: "p", Model: "m", API: "then", ID: "d"}, ai.KindConfig, `"then" protocol`},
		"never deferred":   {plain, ai.DeferredHandle{Provider: "p", Model: "m", ID: "d"}, ai.KindConfig, "has no deferred answers"},
		"panic":            {bad, ai.DeferredHandle{Provider: "p", Model: "m", ID: "panic"}, ai.KindInternal, "boom"},
	} {
		m := tc.models.FetchDeferred(t.Context(), tc.handle, 0, ai.Options{}).Result()
		if m.Failure == nil || m.Failure.Kind != tc.kind || !strings.Contains(m.ErrorMessage, tc.want) {
			t.Errorf("%s: fetch: %s %v", name, m.StopReason, m.Failure)
		}
		err := tc.models.CancelDeferred(t.Context(), tc.handle, ai.Options{})
		var api *ai.APIError
		if !errors.As(err, &api) || api.Kind != tc.kind || !strings.Contains(err.Error(), tc.want) {
			t.Errorf("%s: cancel: %v", name, err)
		}
	}
	// What is not ready keeps its handle although the protocol forgot to say so.
	m := bad.FetchDeferred(t.Context(), ai.DeferredHandle{Provider: "p", Model: "m", ID: "d", Data: json.RawMessage(`{"a":1}`)}, 0, ai.Options{}).Result()
	if h, err := m.DeferredHandle(); err != nil || h.ID != "d" || string(h.Data) != `{"a":1}` {
		t.Errorf("%s %s: %v", m.StopReason, m.Deferred, err)
	}
	expired := ai.DeferredHandle{Provider: "p", Model: "m", ID: "d", ExpiresAt: 1}
	if m := bad.FetchDeferred(t.Context(), expired, 0, ai.Options{}).Result(); m.Failure == nil || m.Failure.Kind != ai.KindNotFound || !strings.Contains(m.ErrorMessage, "expired at 1970-01-01T00:00:00Z") {
		t.Errorf("%s %s", m.StopReason, m.ErrorMessage)
	}
	for _, stored := range []string{"", `[]`, `{}`, `"x"`, `{"id":1}`} {
		if h, err := (&ai.AssistantMessage{StopReason: ai.StopDeferred, Deferred: json.RawMessage(stored)}).DeferredHandle(); err == nil {
			t.Errorf("the handle %s is %+v", stored, h)
		}
	}
}

func TestAwaitDeferredEndsWithItsContext(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := faux.New(faux.Config{})
		p.Respond(func(faux.Request) faux.Response { return faux.Later("d1", time.Hour) })
		models := ai.NewModels(p)
		h := deferAnswer(t, p, models)
		ctx, cancel := context.WithTimeout(t.Context(), 90*time.Minute)
		defer cancel()
		m, err := models.AwaitDeferred(ctx, h, ai.Options{})
		var api *ai.APIError
		if !errors.As(err, &api) || api.Kind != ai.KindTimeout || m.Provider != "faux" || len(p.Requests()) != 2 {
			t.Errorf("%+v: %v after %d requests", m, err, len(p.Requests()))
		}
		// A wait beyond what a Duration holds is a long wait, not none.
		far := h
		far.PollAfterMS = math.MaxInt64/1000000 + 1
		within, cancel := context.WithTimeout(t.Context(), time.Hour)
		defer cancel()
		if m, err := models.AwaitDeferred(within, far, ai.Options{}); !errors.Is(err, context.DeadlineExceeded) || len(p.Requests()) != 2 {
			t.Errorf("%s: %v after %d requests", m.StopReason, err, len(p.Requests()))
		}
		gone, cancel := context.WithCancel(t.Context())
		cancel()
		if m, err := models.AwaitDeferred(gone, h, ai.Options{}); m.StopReason != ai.StopAborted || !errors.Is(err, context.Canceled) {
			t.Errorf("%s: %v", m.StopReason, err)
		}
	})
}
