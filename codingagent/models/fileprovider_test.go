package models_test

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/pi-go/pi/agentcore/execenv"
	"github.com/pi-go/pi/ai"
	"github.com/pi-go/pi/ai/auth"
	"github.com/pi-go/pi/ai/faux"
	"github.com/pi-go/pi/ai/modelsfile"
	"github.com/pi-go/pi/ai/modelstore"
	"github.com/pi-go/pi/codingagent/models"
)

// person answers every question of a login.
type person struct{ auth.Interaction }

func (person) Prompt(context.Context, auth.Prompt) (string, error) { return "sk-typed", nil }

// vendor is a built-in provider that has all that one can have.
func vendor(api ai.API) ai.Provider {
	model := func(id string) *ai.Model {
		return &ai.Model{ID: id, Provider: "v", API: api.ID(), BaseURL: "http://v", ContextWindow: 1000, MaxTokens: 10}
	}
	return ai.NewProvider(ai.ProviderConfig{
		ID: "v", APIs: []ai.API{api}, Auth: auth.Methods{APIKey: auth.EnvKey{Vars: []string{"V_KEY"}}},
		Models:  []*ai.Model{model("one"), model("two"), {ID: "draw", Provider: "v", API: "v-images", Type: ai.ModelImage}},
		Headers: map[string]string{"x-vendor": "yes"},
		Source: &ai.ListSource{Fetch: func(context.Context, *ai.ListRequest) (*ai.ModelList, error) {
			return &ai.ModelList{Models: []*ai.Model{model("three")}}, nil
		}},
		FilterModels: func(all []*ai.Model, _ *auth.Credential) []*ai.Model {
			return slices.DeleteFunc(slices.Clone(all), func(m *ai.Model) bool { return m.ID == "two" })
		},
	})
}

// A models.json that changes one thing of a provider leaves it the rest.
func TestFileLeavesAProviderWhatItHas(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		name, file string
		listed     bool   // the vendor's list is used
		available  string // models that can be used with a key
	}{
		{"a key", `{"apiKey": "sk-file"}`, true, "one three"},
		{"an id of a program", `{"apiKey": "sk-file", "oauthClientId": "mine"}`, true, "one three"},
		{"another address", `{"apiKey": "sk-file", "baseUrl": "http://proxy"}`, false, "one"},
		{"a model that the account does not have", `{"apiKey": "sk-file", "models": [{"id": "two"}]}`, true, "one three two"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			file := filepath.Join(dir, "models.json")
			if err := os.WriteFile(file, []byte(`{"providers": {"v": `+tc.file+`}}`), 0o600); err != nil {
				t.Fatal(err)
			}
			fake := faux.New(faux.Config{})
			api, err := fake.API(fake.Models()[0])
			if err != nil {
				t.Fatal(err)
			}
			config := models.Config{
				Providers: []ai.Provider{vendor(api)}, Protocols: modelsfile.Protocols{Chat: []ai.API{api}}, File: file, Files: execenv.LocalFS{},
				Credentials: auth.NewMemoryStore(nil), Env: func(string) string { return "" }, Lists: modelstore.New(filepath.Join(dir, "models-store.json")),
			}
			r, faults := models.New(t.Context(), config)
			if len(faults) > 0 {
				t.Fatal(faults)
			}
			result := r.Models.Refresh(t.Context(), ai.RefreshOptions{AllowNetwork: true})
			if got := len(result.Updated) > 0; got != tc.listed || len(result.Errors) > 0 {
				t.Errorf("refresh: %+v, want a list: %v", result, tc.listed)
			}
			if got := available(t, r.Models); got != tc.available {
				t.Errorf("available: %s, want %s", got, tc.available)
			}
			// The next run knows the list without asking.
			if r, _ = models.New(t.Context(), config); available(t, r.Models) != tc.available {
				t.Errorf("in the next run: %s, want %s", available(t, r.Models), tc.available)
			}
			p := r.Models.Provider("v").(interface{ Headers() map[string]string })
			if p.Headers()["x-vendor"] != "yes" {
				t.Error("the vendor's headers are lost")
			}
			if err := r.Models.Login(t.Context(), "v", auth.TypeAPIKey, person{}); err != nil {
				t.Error(err)
			}
		})
	}
}

func available(t *testing.T, m *ai.Models) string {
	t.Helper()
	var ids []string
	for _, model := range m.Available(t.Context()) {
		ids = append(ids, model.ID)
	}
	slices.Sort(ids)
	return strings.Join(ids, " ")
}
