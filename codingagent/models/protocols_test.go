package models_test

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
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
	"github.com/pi-go/pi/ai/provider/all"
	"github.com/pi-go/pi/codingagent/models"
)

// open makes a runtime of a models.json.
func open(t *testing.T, text string, providers ...ai.Provider) (*models.Runtime, []error) {
	t.Helper()
	file := filepath.Join(t.TempDir(), "models.json")
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	env := auth.Environment(func(name string) string { return map[string]string{"TEAM": "blue", "KEY": "sk-env"}[name] })
	resolver := &auth.Resolver{Env: env}
	r, faults := models.New(t.Context(), models.Config{
		Providers: providers, Protocols: modelsfile.Protocols{Chat: all.APIs(), Images: all.ImageAPIs(), Classifiers: all.ClassifierAPIs()},
		File: file, Files: execenv.LocalFS{}, Credentials: auth.NewMemoryStore(nil), Env: env, ResolveFile: resolver.ResolveFresh,
	})
	for i, f := range faults {
		faults[i] = fmt.Errorf("%s", strings.ReplaceAll(f.Error(), file, "FILE"))
	}
	return r, faults
}

// server answers every request with the same text and records what came.
type server struct {
	*httptest.Server
	paths   []string
	headers []http.Header
}

func serve(t *testing.T, answer string) *server {
	t.Helper()
	s := new(server)
	s.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		s.paths, s.headers = append(s.paths, r.URL.Path), append(s.headers, r.Header)
		_, _ = io.WriteString(w, answer)
	}))
	t.Cleanup(s.Close)
	return s
}

// A models.json can name protocols of image models and of classifiers.
func TestImageAndClassifierModels(t *testing.T) {
	pictures := serve(t, `{"choices":[{"message":{"content":"done","images":[{"image_url":{"url":"data:image/png;base64,aGk="}}]}}]}`)
	judge := serve(t, `{"answers":{"q":{"type":"noul","probability":0.75}}}`)
	r, faults := open(t, fmt.Sprintf(`{"providers": {"mine": {"apiKey": "k", "models": [
		{"id": "draw", "type": "image", "api": "openrouter-images", "baseUrl": %q},
		{"id": "judge", "type": "classifier", "api": "typesafe-system-one", "baseUrl": %q}]}}}`, pictures.URL, judge.URL))
	if len(faults) > 0 {
		t.Fatal(faults)
	}
	draw, err := r.Models.ModelOfType("mine", "draw", ai.ModelImage)
	if err != nil {
		t.Fatal(err)
	}
	if got := r.Models.GenerateImages(t.Context(), draw, ai.ImageRequest{Input: []ai.Block{&ai.Text{Text: "a cat"}}}, ai.Options{}); got.Err() != nil || len(got.Images()) != 1 {
		t.Errorf("image: %+v, %v", got, got.Err())
	}
	model, err := r.Models.ModelOfType("mine", "judge", ai.ModelClassifier)
	if err != nil {
		t.Fatal(err)
	}
	r.Models.Classify(t.Context(), model, ai.ClassifyRequest{State: "x", Questions: []ai.Question{{Name: "q", Kind: ai.QuestionBool, Instructions: "?"}}}, ai.Options{})
	if len(judge.paths) != 1 || judge.headers[0].Get("Authorization") != "Bearer k" {
		t.Errorf("classifier was asked %d times, with %v", len(judge.paths), judge.headers)
	}
	if got := r.Models.Chat(); len(got) != 0 {
		t.Errorf("chat models: %v", got)
	}
}

func TestUnknownProtocolsAreTold(t *testing.T) {
	_, faults := open(t, `{"providers": {
 "a": {"api": "openai-completion", "baseUrl": "http://x", "models": [{"id": "m"}]},
 "b": {"models": [{"id": "m", "baseUrl": "http://x", "type": "image",
   "api": "openai-completions"}]}}}`)
	want := []string{
		`FILE:2:15: providers.a.api: model a/m: the protocol "openai-completion" is not known for chat models; did you mean openai-completions`,
		`FILE:4:11: providers.b.models[0].api: model b/m: the protocol "openai-completions" is not known for image models; there is openrouter-images`,
	}
	if len(faults) != 2 || !strings.HasPrefix(faults[0].Error(), want[0]) || faults[1].Error() != want[1] {
		t.Errorf("%q", faults)
	}
}

// Headers of a model are worked out like those of a provider.
func TestHeadersOfAModel(t *testing.T) {
	s := serve(t, "data: {\"choices\":[{\"delta\":{\"content\":\"hi\"},\"finish_reason\":\"stop\"}]}\n\ndata: [DONE]\n\n")
	r, faults := open(t, fmt.Sprintf(`{"providers": {"p": {"baseUrl": %q, "api": "openai-completions", "apiKey": "$KEY", "headers": {"x-all": "a-$TEAM"},
		"models": [{"id": "m", "headers": {"x-team": "$TEAM", "x-plain": "y"}}, {"id": "n", "headers": {"x-team": "$MISSING"}}]}}}`, s.URL))
	if len(faults) > 0 {
		t.Fatal(faults)
	}
	m, err := r.Models.Model("p", "m")
	if err != nil {
		t.Fatal(err)
	}
	if a, err := r.Models.Complete(t.Context(), m, ai.Request{Messages: []ai.Message{ai.UserText("x")}}, ai.Options{}); err != nil || a.Text() != "hi" {
		t.Fatal(a, err)
	}
	h := s.headers[0]
	if h.Get("x-team") != "blue" || h.Get("x-plain") != "y" || h.Get("x-all") != "a-blue" || h.Get("Authorization") != "Bearer sk-env" {
		t.Errorf("headers %v", h)
	}
	if m.Headers["x-team"] != "$TEAM" {
		t.Error("the model was changed")
	}
	n, err := r.Models.Model("p", "n")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := r.Models.Complete(t.Context(), n, ai.Request{Messages: []ai.Message{ai.UserText("x")}}, ai.Options{}); err == nil || !strings.Contains(err.Error(), "header x-team") {
		t.Errorf("a variable that is not set: %v", err)
	}
}

// What the file says of a model counts for one that the vendor told, too.
func TestOverridesOfAVendorsList(t *testing.T) {
	fake := faux.New(faux.Config{})
	api, err := fake.API(fake.Models()[0])
	if err != nil {
		t.Fatal(err)
	}
	told := &ai.Model{ID: "new", Name: "New", Provider: "v", API: api.ID(), ContextWindow: 1000, MaxTokens: 10}
	p := ai.NewProvider(ai.ProviderConfig{
		ID: "v", APIs: []ai.API{api}, Models: []*ai.Model{{ID: "old", Provider: "v", API: api.ID()}},
		Auth: auth.Methods{APIKey: auth.EnvKey{Vars: []string{"KEY"}}},
		Source: &ai.ListSource{Replaces: []ai.ModelType{ai.ModelChat}, Fetch: func(context.Context, *ai.ListRequest) (*ai.ModelList, error) {
			return &ai.ModelList{Models: []*ai.Model{told}}, nil
		}},
	})
	r, faults := open(t, `{"providers": {"v": {"modelOverrides": {"new": {"contextWindow": 77}}, "models": [{"id": "mine", "api": "`+api.ID()+`", "baseUrl": "http://x"}]}}}`, p)
	if len(faults) > 0 {
		t.Fatal(faults)
	}
	if res := r.Models.Refresh(t.Context(), ai.RefreshOptions{AllowNetwork: true}); len(res.Errors) > 0 {
		t.Fatal(res.Errors)
	}
	var ids []string
	for _, m := range r.Models.Chat() {
		ids = append(ids, m.ID)
	}
	if !slices.Equal(ids, []string{"new", "mine"}) {
		t.Errorf("models %v", ids)
	}
	a, err := r.Models.Model("v", "new")
	if err != nil {
		t.Fatal(err)
	}
	if b, _ := r.Models.Model("v", "new"); a.ContextWindow != 77 || told.ContextWindow != 1000 || a != b {
		t.Errorf("window %d; the vendor's says %d", a.ContextWindow, told.ContextWindow)
	}
}

// A gateway of one's own has a login and tells its models.
func TestGatewayOfOnesOwn(t *testing.T) {
	config, err := json.Marshal(map[string]any{"models": []any{map[string]any{
		"id": "big", "name": "Big", "reasoning": false, "input": []string{"text"}, "cost": map[string]any{"input": 1, "output": 1, "cacheRead": 0, "cacheWrite": 0},
		"contextWindow": 1000, "maxTokens": 100,
	}}})
	if err != nil {
		t.Fatal(err)
	}
	s := serve(t, string(config))
	r, faults := open(t, fmt.Sprintf(`{"providers": {"team": {"name": "The team", "oauth": "radius", "baseUrl": %q, "apiKey": "$KEY"}}}`, s.URL))
	if len(faults) > 0 {
		t.Fatal(faults)
	}
	p := r.Models.Provider("team")
	if p.Name() != "The team" || p.Auth().OAuth == nil {
		t.Errorf("provider %s, login %v", p.Name(), p.Auth().OAuth)
	}
	if res := r.Models.Refresh(t.Context(), ai.RefreshOptions{AllowNetwork: true}); len(res.Errors) > 0 {
		t.Fatal(res.Errors)
	}
	if m, err := r.Models.Model("team", "big"); err != nil || m.BaseURL != s.URL+"/v1" {
		t.Errorf("%+v, %v", m, err)
	}
}
