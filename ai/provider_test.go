package ai_test

import (
	"context"
	"testing"

	"github.com/pi-go/pi/ai"
	"github.com/pi-go/pi/ai/auth"
	"github.com/pi-go/pi/ai/faux"
)

// noLogin is a login that nobody uses.
type noLogin struct{}

func (noLogin) Name() string { return "none" }
func (noLogin) Login(context.Context, auth.Interaction) (*auth.Credential, error) {
	return nil, auth.ErrCancelled
}
func (noLogin) Refresh(_ context.Context, c *auth.Credential) (*auth.Credential, error) { return c, nil }
func (noLogin) ToAuth(*auth.Credential) (*auth.Resolved, error)                         { return &auth.Resolved{}, nil }

// A provider keeps everything else when it gets another login.
func TestWithOAuth(t *testing.T) {
	api, err := faux.New(faux.Config{}).API(nil)
	if err != nil {
		t.Fatal(err)
	}
	config := ai.ProviderConfig{ID: "p", APIs: []ai.API{api}, Headers: map[string]string{"x": "y"}, Models: []*ai.Model{{ID: "a"}, {ID: "b"}}}
	plain := ai.WithOAuth(ai.NewProvider(config), noLogin{})
	config.FilterModels = func(models []*ai.Model, _ *auth.Credential) []*ai.Model { return models[:1] }
	filtering := ai.WithOAuth(ai.NewProvider(config), noLogin{})
	for _, p := range []ai.Provider{plain, filtering} {
		h, ok := p.(ai.HeaderProvider)
		if p.ID() != "p" || p.Auth().OAuth == nil || !ok || h.Headers()["x"] != "y" || len(p.Models()) != 2 {
			t.Errorf("%+v", p)
		}
		_, filters := p.(ai.ModelFilter)
		if filters != (p == filtering) {
			t.Errorf("filters: %v", filters)
		}
		want := 2
		if filters {
			want = 1
		}
		if list := ai.NewModels(p).Available(t.Context()); len(list) != 0 {
			t.Errorf("available without a login: %v", list)
		}
		store := auth.NewMemoryStore(map[string]*auth.Credential{"p": {Type: auth.TypeOAuth, Access: "x"}})
		if list := (ai.ModelsConfig{Credentials: store}).New(p).Available(t.Context()); len(list) != want {
			t.Errorf("%d available, want %d", len(list), want)
		}
	}
}
