package codingagent_test

import (
	"context"
	"errors"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/pi-go/pi/agentcore/session"
	"github.com/pi-go/pi/ai"
	"github.com/pi-go/pi/ai/auth"
	"github.com/pi-go/pi/ai/faux"
	"github.com/pi-go/pi/codingagent"
	"github.com/pi-go/pi/codingagent/models"
	"github.com/pi-go/pi/codingagent/settings"
)

// login is a sign-in whose renewal fails.
type login struct{ auth.OAuthMethod }

func (login) Name() string { return "Vendor" }
func (login) Refresh(context.Context, auth.Host, *auth.Credential) (*auth.Credential, error) {
	return nil, errors.New("invalid_grant")
}
func (login) ToAuth(*auth.Credential) (*auth.Resolved, error) { return &auth.Resolved{}, nil }

// A prompt that nobody could answer is refused with what to do, and leaves no trace.
func TestPromptWithoutCredentials(t *testing.T) {
	expired := auth.NewMemoryStore(map[string]*auth.Credential{"faux": {Type: auth.TypeOAuth, Access: "a", Refresh: "r", Expires: time.Now().Add(-time.Hour).UnixMilli()}})
	for _, c := range []struct {
		name    string
		methods auth.Methods
		store   auth.Store
		key     string
		want    string
		expired bool
	}{
		{"no key", auth.Methods{APIKey: auth.EnvKey{Vars: []string{"SOME_API_KEY"}}}, nil, "", "no API key for provider faux: set SOME_API_KEY, or store a key with a login", false},
		{"login expired", auth.Methods{OAuth: login{}}, expired, "", "sign in again with /login faux", true},
		{"a key of the command line", auth.Methods{APIKey: auth.EnvKey{Vars: []string{"SOME_API_KEY"}}}, nil, "sk", "", false},
		{"no key needed", auth.Methods{}, nil, "", "", false},
	} {
		t.Run(c.name, func(t *testing.T) {
			p := faux.New(faux.Config{Auth: c.methods})
			p.Queue(faux.Say("hi"))
			r := newRig(t, func(o *codingagent.Options) {
				o.Models = ai.ModelsConfig{Credentials: c.store, Env: func(string) string { return "" }}.New(p)
				o.Model, o.APIKey = p.Model(), c.key
			})
			before := r.Session().Len()
			accepted := false
			_, err := r.Prompt(t.Context(), codingagent.Prompt{Text: "hello"}, codingagent.PromptOptions{Accepted: func() { accepted = true }})
			if c.want == "" {
				if err != nil || !accepted {
					t.Errorf("accepted %v, %v", accepted, err)
				}
				return
			}
			missing, ok := errors.AsType[*codingagent.CredentialsError](err)
			if !ok || missing.Expired != c.expired || missing.Provider != "faux" || !strings.Contains(err.Error(), c.want) {
				t.Errorf("%v, want %s", err, c.want)
			}
			if accepted || r.Session().Len() != before || len(p.Requests()) != 0 {
				t.Errorf("accepted %v, %d entries more, %d requests", accepted, r.Session().Len()-before, len(p.Requests()))
			}
		})
	}
}

func TestSetModelNeedsCredentials(t *testing.T) {
	p := faux.New(faux.Config{})
	locked := faux.New(faux.Config{ID: "locked", Auth: auth.Methods{APIKey: auth.EnvKey{Vars: []string{"X_API_KEY"}}}})
	r := newRig(t, func(o *codingagent.Options) {
		o.Models, o.Model = ai.ModelsConfig{Env: func(string) string { return "" }}.New(p, locked), p.Model()
	})
	if err := r.SetModel(t.Context(), locked.Model()); err == nil || !strings.Contains(err.Error(), "X_API_KEY") || r.Model() != p.Model() {
		t.Errorf("%v, model %v", err, r.Model())
	}
}

// The level of another model: that of its pattern, its own of the settings, the default
// that a person set, else the one there was.
func TestLevelOfAnotherModel(t *testing.T) {
	p := faux.New(faux.Config{Models: []*ai.Model{
		{ID: "a", API: faux.APIID, Reasoning: true}, {ID: "b", API: faux.APIID, Reasoning: true}, {ID: "plain", API: faux.APIID},
	}})
	a, b := p.Models()[0], p.Models()[1]
	for name, c := range map[string]struct {
		change func(*settings.Settings)
		choice models.Choice
		want   ai.ThinkingLevel
	}{
		"stays":       {func(*settings.Settings) {}, models.Choice{Model: b}, "high"},
		"the default": {func(s *settings.Settings) { s.DefaultThinkingLevel, s.ThinkingChosen = "low", true }, models.Choice{Model: b}, "low"},
		"its own": {func(s *settings.Settings) {
			s.DefaultThinkingLevel, s.ThinkingChosen = "low", true
			s.ModelThinkingLevels = map[string]ai.ThinkingLevel{"faux/b": "minimal"}
		}, models.Choice{Model: b}, "minimal"},
		"the pattern's": {func(s *settings.Settings) { s.ModelThinkingLevels = map[string]ai.ThinkingLevel{"faux/b": "minimal"} }, models.Choice{Model: b, Thinking: "medium"}, "medium"},
		"clamped":       {func(*settings.Settings) {}, models.Choice{Model: p.Models()[2]}, "off"},
	} {
		t.Run(name, func(t *testing.T) {
			set := settings.Defaults()
			c.change(&set)
			r := newRig(t, func(o *codingagent.Options) {
				o.Models, o.Model, o.Thinking, o.Settings = ai.NewModels(p), a, "high", &set
				o.ScopedModels = []models.Choice{{Model: a}, c.choice}
			})
			got, scoped, err := r.CycleModel(t.Context(), false, nil)
			if err != nil || !scoped || got.Model != c.choice.Model || got.Thinking != c.want || r.Thinking() != c.want {
				t.Errorf("%v %v %v, level %s, want %s", got, scoped, err, r.Thinking(), c.want)
			}
		})
	}
}

// A model without levels, as one begins with before there is a key, leaves none behind.
func TestLevelAfterAModelWithoutLevels(t *testing.T) {
	p := faux.New(faux.Config{Models: []*ai.Model{{ID: "plain", API: faux.APIID}, {ID: "b", API: faux.APIID, Reasoning: true}}})
	r := newRig(t, func(o *codingagent.Options) { o.Models, o.Model = ai.NewModels(p), p.Models()[0] })
	if r.Thinking() != ai.ThinkingOff {
		t.Fatal(r.Thinking())
	}
	if err := r.SetModel(t.Context(), p.Models()[1]); err != nil || r.Thinking() != ai.ThinkingMedium {
		t.Errorf("%v, level %s", err, r.Thinking())
	}
}

// A default that a person set is one that counts also for models chosen later; the
// built-in one is not.
func TestDefaultLevelOfAFile(t *testing.T) {
	for text, want := range map[string]bool{`{"defaultThinkingLevel": "medium"}`: true, `{}`: false, `{"defaultThinkingLevel": "mad"}`: false} {
		path := filepath.Join(t.TempDir(), "settings.json")
		writeFile(t, path, text)
		got, _ := settings.Load(t.Context(), localFS(), path)
		if got.ThinkingChosen != want || got.DefaultThinkingLevel != "medium" {
			t.Errorf("%s: %v %s", text, got.ThinkingChosen, got.DefaultThinkingLevel)
		}
	}
}

func TestCycleModel(t *testing.T) {
	p := faux.New(faux.Config{Models: []*ai.Model{{ID: "a", API: faux.APIID}, {ID: "b", API: faux.APIID}, {ID: "c", API: faux.APIID}}})
	locked := faux.New(faux.Config{ID: "locked", Auth: auth.Methods{APIKey: auth.EnvKey{Vars: []string{"X_API_KEY"}}}})
	list := p.Models()
	r := newRig(t, func(o *codingagent.Options) {
		o.Models, o.Model = ai.ModelsConfig{Env: func(string) string { return "" }}.New(p, locked), list[0]
	})
	step := func(back bool, all []*ai.Model, want *ai.Model, wantScoped bool) {
		t.Helper()
		got, scoped, err := r.CycleModel(t.Context(), back, all)
		if want == nil {
			if !errors.Is(err, codingagent.ErrNoOtherModel) {
				t.Errorf("%v %v", got, err)
			}
			return
		}
		if err != nil || got.Model != want || scoped != wantScoped || r.Model() != want {
			t.Errorf("went to %v (scoped %v, %v), want %v", got.Model, scoped, err, want)
		}
	}
	step(false, nil, list[1], false)
	step(true, nil, list[0], false)
	step(true, nil, list[2], false)
	step(false, list[2:], nil, false)
	r.SetScopedModels([]models.Choice{{Model: list[1]}, {Model: locked.Model()}, {Model: list[0]}})
	step(false, nil, list[1], true)
	step(false, nil, list[0], true) // over the one without a key
	r.SetScopedModels([]models.Choice{{Model: list[0]}})
	step(false, nil, nil, true)
	r.SetScopedModels(nil)
	if len(r.ScopedModels()) != 0 {
		t.Error("the scope is still there")
	}
	entries := 0
	for _, s := range r.Session().Stubs() {
		if s.Type == session.TypeModelChange {
			entries++
		}
	}
	if entries != 6 {
		t.Errorf("%d changes of the model are recorded, want 6", entries)
	}
}
