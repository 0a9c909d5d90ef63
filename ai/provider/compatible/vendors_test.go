package compatible_test

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"

	"github.com/pi-go/pi/ai"
	"github.com/pi-go/pi/ai/aitest/mockllm"
	"github.com/pi-go/pi/ai/api/llamacppclassify"
	"github.com/pi-go/pi/ai/api/openrouterimages"
	"github.com/pi-go/pi/ai/catalog"
	"github.com/pi-go/pi/ai/modelstore"
	"github.com/pi-go/pi/ai/provider/anthropic"
	"github.com/pi-go/pi/ai/provider/compatible"
	"github.com/pi-go/pi/ai/provider/google"
	"github.com/pi-go/pi/ai/provider/openai"
)

// Each vendor's first and last chat model answers: at its own address, with its
// own key, by the protocol of the catalog.
func TestEachVendorAnswers(t *testing.T) {
	for _, p := range append(compatible.All(), openai.New(), google.New(), anthropic.New()) {
		t.Run(p.ID(), func(t *testing.T) {
			facts := catalog.All()[slices.IndexFunc(catalog.All(), func(c *catalog.Provider) bool { return c.ID() == p.ID() })]
			if len(facts.Env()) == 0 {
				t.Fatal("the catalog names no variable for the key")
			}
			env := map[string]string{"CLOUDFLARE_ACCOUNT_ID": "acc/1", "CLOUDFLARE_GATEWAY_ID": "gw"}
			for _, name := range facts.Env() {
				env[name] = "key of " + name
			}
			srv := mockllm.New()
			models := ai.ModelsConfig{HTTPClient: srv.Client(), Env: func(n string) string { return env[n] }}.New(p)
			list := models.Chat()
			judges := p.ID() == "typesafe" // and nothing else
			if (len(list) == 0) != judges || len(p.Models()) != len(facts.Models()) {
				t.Fatalf("%d chat models, %d models, catalog has %d", len(list), len(p.Models()), len(facts.Models()))
			}
			if judges {
				return
			}
			for _, m := range protocols(list) {
				srv.Queue(mockllm.Say("ok"))
				a := models.Stream(t.Context(), m, ai.Request{Messages: []ai.Message{ai.UserText("Hi")}}, ai.Options{}).Result()
				if a.Err() != nil {
					t.Fatalf("%s: %v", m.Ref(), a.Err())
				}
				all := srv.Requests()
				r := all[len(all)-1]
				address, err := url.Parse(strings.NewReplacer("{CLOUDFLARE_ACCOUNT_ID}", "acc%2F1", "{CLOUDFLARE_GATEWAY_ID}", "gw").Replace(m.BaseURL))
				if err != nil {
					t.Fatal(err)
				}
				if r.API != m.API || r.Host != address.Host || !strings.HasPrefix(r.URL, address.EscapedPath()) || r.Model != m.ID {
					t.Errorf("%s: %s %s%s for %q", m.Ref(), r.API, r.Host, r.URL, r.Model)
				}
				key := "key of " + facts.Env()[0]
				if p.ID() == "cloudflare-ai-gateway" {
					if r.Header.Get("cf-aig-authorization") != "Bearer "+key || r.Header.Get("Authorization")+r.Header.Get("x-api-key") != "" {
						t.Errorf("%s: %v", m.Ref(), r.Header)
					}
					continue
				}
				if r.Header.Get("Authorization") != "Bearer "+key && r.Header.Get("x-api-key") != key && r.Header.Get("x-goog-api-key") != key {
					t.Errorf("%s: the key of %s is not sent: %v", m.Ref(), facts.Env()[0], r.Header)
				}
			}
			for _, name := range facts.Env() {
				delete(env, name)
			}
			a := models.Stream(t.Context(), list[0], ai.Request{}, ai.Options{}).Result()
			if a.Failure == nil || a.Failure.Kind != ai.KindAuth || !strings.Contains(a.ErrorMessage, facts.Env()[0]) {
				t.Errorf("without a key: %v", a.Err())
			}
		})
	}
}

// protocols picks the first and last model of each protocol.
func protocols(list []*ai.Model) []*ai.Model {
	last := make(map[string]*ai.Model)
	var out []*ai.Model
	for _, m := range list {
		if last[m.API] == nil {
			out = append(out, m)
		}
		last[m.API] = m
	}
	for _, m := range last {
		out = append(out, m)
	}
	return out
}

func TestAccountIsNeeded(t *testing.T) {
	env := map[string]string{"CLOUDFLARE_API_KEY": "k"}
	models := ai.ModelsConfig{Env: func(n string) string { return env[n] }}.New(compatible.CloudflareWorkersAI())
	if s, err := models.CheckAuth(t.Context(), "cloudflare-workers-ai"); err != nil || s.Configured() {
		t.Errorf("configured without an account: %+v, %v", s, err)
	}
	a := models.Stream(t.Context(), models.Chat()[0], ai.Request{}, ai.Options{}).Result()
	if !strings.Contains(a.ErrorMessage, "CLOUDFLARE_ACCOUNT_ID") {
		t.Errorf("without an account: %v", a.Err())
	}
	// With a key in the call there is no method that could complain.
	a = models.Stream(t.Context(), models.Chat()[0], ai.Request{}, ai.Options{APIKey: "k"}).Result()
	if a.Failure == nil || a.Failure.Kind != ai.KindConfig || !strings.Contains(a.ErrorMessage, "needs the variable CLOUDFLARE_ACCOUNT_ID") {
		t.Errorf("with a key in the call: %v", a.Err())
	}
}

// Image models have a protocol of their own; models of protocols that the package
// has not say what is missing.
func TestOtherTypes(t *testing.T) {
	p := compatible.OpenRouter()
	for _, m := range p.Models() {
		switch m.Type {
		case ai.ModelImage:
			if _, err := p.(ai.ImageProvider).ImageAPI(m); err != nil {
				t.Error(err)
			}
		case ai.ModelClassifier:
			if _, err := p.API(m); err == nil || !strings.Contains(err.Error(), m.API) {
				t.Errorf("%s: %v", m.Ref(), err)
			}
		}
	}
	models := ai.NewModels(p)
	if _, err := models.ModelOfType("openrouter", "black-forest-labs/flux-3-image", ai.ModelImage); err != nil {
		t.Error(err)
	}
	if _, err := models.ModelOfType("openrouter", "black-forest-labs/flux-3-imag", ai.ModelImage); err == nil || !strings.Contains(err.Error(), "did you mean black-forest-labs/flux-3-image") {
		t.Errorf("got %v", err)
	}
}

func TestCustom(t *testing.T) {
	asked := 0
	p, err := compatible.New(compatible.Config{
		ID: "work", BaseURL: "https://llm.example/v1", Env: []string{"WORK_KEY"}, Compat: []byte(`{"supportsStore":false,"maxTokensField":"max_tokens"}`),
		Headers:   map[string]string{"x-team": "blue"},
		Key:       func(context.Context) (string, error) { asked++; return fmt.Sprint("key ", asked), nil },
		KeySource: "models.json",
		Models: []*ai.Model{
			{ID: "big", MaxTokens: 99, Compat: []byte(`{"maxTokensField":"max_completion_tokens"}`)},
			{ID: "claude", API: "anthropic-messages", BaseURL: "https://other.example", Headers: map[string]string{"x-team": "red"}},
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	srv := mockllm.New()
	models := ai.ModelsConfig{HTTPClient: srv.Client(), Env: func(string) string { return "env" }}.New(p)
	big, claude := p.Models()[0], p.Models()[1]
	if big.Provider != "work" || big.Name != "big" || big.API != "openai-completions" || big.ContextWindow != 128_000 || big.MaxTokens != 99 ||
		string(big.Compat) != `{"maxTokensField":"max_completion_tokens","supportsStore":false}` || !big.Accepts("text") {
		t.Errorf("big is %+v, compat %s", big, big.Compat)
	}
	if s, err := models.CheckAuth(t.Context(), "work"); err != nil || s.Source != "models.json" || asked != 0 {
		t.Errorf("status %+v, %v; the key was asked for %d times", s, err, asked)
	}
	for _, m := range p.Models() {
		srv.Queue(mockllm.Say("ok"))
		if a := models.Stream(t.Context(), m, ai.Request{Messages: []ai.Message{ai.UserText("Hi")}}, ai.Options{}).Result(); a.Err() != nil {
			t.Fatal(a.Err())
		}
	}
	r := srv.Requests()
	if r[0].Header.Get("Authorization") != "Bearer key 1" || r[0].Header.Get("x-team") != "blue" || r[0].Host != "llm.example" {
		t.Errorf("first request to %s with %v", r[0].Host, r[0].Header)
	}
	if r[1].Header.Get("x-api-key") != "key 2" || r[1].Header.Get("x-team") != "red" || r[1].Host != "other.example" || claude.BaseURL != "https://other.example" {
		t.Errorf("second request to %s with %v", r[1].Host, r[1].Header)
	}
	for name, c := range map[string]compatible.Config{
		"a provider needs an id": {},
		"provider x: model y has no base URL: set one for the provider or the model": {ID: "x", Models: []*ai.Model{{ID: "y"}}},
		"provider x: a model needs an id":                                            {ID: "x", BaseURL: "http://x", Models: []*ai.Model{{}}},
	} {
		if _, err := compatible.New(c); err == nil || err.Error() != name {
			t.Errorf("got %v, want %q", err, name)
		}
	}
}

func TestLocal(t *testing.T) {
	srv := mockllm.New()
	srv.Queue(mockllm.Say("ok"))
	p := compatible.Local("ollama", "http://localhost:11434/v1", "qwen3:8b")
	models := ai.ModelsConfig{HTTPClient: srv.Client(), Env: func(string) string { return "" }}.New(p)
	model, err := models.Model("ollama", "qwen3:8b")
	if err != nil {
		t.Fatal(err)
	}
	a := models.Stream(t.Context(), model, ai.Request{Messages: []ai.Message{ai.UserText("Hi")}}, ai.Options{}).Result()
	if a.Err() != nil || a.Text() != "ok" {
		t.Errorf("%q, %v", a.Text(), a.Err())
	}
	if r := srv.Requests()[0]; r.Header.Get("Authorization") != "" || r.URL != "/v1/chat/completions" {
		t.Errorf("%s %v", r.URL, r.Header)
	}
}

// A local server is asked for its models; what is configured of one stays.
func TestDiscover(t *testing.T) {
	srv := mockllm.New()
	srv.Queue(mockllm.Say("ok"))
	configured, err := compatible.New(compatible.Config{
		ID: "work", BaseURL: "http://localhost:1/v1", KeyOptional: true, Discover: true, Models: []*ai.Model{{ID: "text-50", Name: "Mine"}, {ID: "extra"}},
	})
	if err != nil {
		t.Fatal(err)
	}
	models := ai.ModelsConfig{HTTPClient: srv.Client(), Env: func(string) string { return "" }}.New(compatible.Local("local", "http://localhost:2/v1"), configured)
	if r := models.Refresh(t.Context(), ai.RefreshOptions{AllowNetwork: true}); len(r.Errors) != 0 {
		t.Fatal(r.Errors)
	}
	m, err := models.Model("local", "text-50")
	if err != nil || m.BaseURL != "http://localhost:2/v1" || m.API != "openai-completions" || m.ContextWindow == 0 || !m.Accepts("text") {
		t.Fatalf("%+v, %v", m, err)
	}
	if a := models.Stream(t.Context(), m, ai.Request{Messages: []ai.Message{ai.UserText("Hi")}}, ai.Options{}).Result(); a.Err() != nil {
		t.Error(a.Err())
	}
	if m, err := models.Model("work", "text-50"); err != nil || m.Name != "Mine" || len(models.List("work")) != 2 {
		t.Errorf("%+v, %v, %d models", m, err, len(models.List("work")))
	}
}

// roundTrip answers requests in the process.
type roundTrip func(*http.Request) (*http.Response, error)

func (f roundTrip) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }

func TestListModels(t *testing.T) {
	srv := mockllm.New()
	list, err := compatible.ListModels(t.Context(), srv.Client(), "http://mock/v1/", "k")
	if err != nil || len(list) != 1 || list[0].ID != "text-50" {
		t.Errorf("%+v, %v", list, err)
	}
	if _, err := compatible.ListModels(t.Context(), srv.Client(), "http://mock/nowhere", ""); err != nil {
		t.Errorf("any path that ends in models: %v", err)
	}
	if _, err := compatible.ListModels(t.Context(), &http.Client{Transport: roundTrip(func(*http.Request) (*http.Response, error) {
		return nil, fmt.Errorf("no route")
	})}, "http://mock/v1", ""); err == nil || !strings.Contains(err.Error(), "no route") {
		t.Errorf("got %v", err)
	}
}

func ExampleLocal() {
	models := ai.NewModels(compatible.Local("ollama", "http://localhost:11434/v1", "qwen3:8b"))
	model, err := models.Model("ollama", "qwen3")
	fmt.Println(model, err)
	// Output: <nil> provider ollama has no model "qwen3"; did you mean qwen3:8b?
}

// A provider of one's own may have classifiers and image models, which name their
// protocol.
func TestCustomTypes(t *testing.T) {
	classes := compatible.Config{
		ID: "own", BaseURL: "http://localhost:1/v1", KeyOptional: true, ClassifierAPIs: []ai.ClassifierAPI{llamacppclassify.New()}, ImageAPIs: []ai.ImageAPI{openrouterimages.New()},
		Models: []*ai.Model{{ID: "m"}, {ID: "c", Type: ai.ModelClassifier, API: llamacppclassify.ID}, {ID: "i", Type: ai.ModelImage, API: openrouterimages.ID}},
	}
	p, err := compatible.New(classes)
	if err != nil {
		t.Fatal(err)
	}
	models := ai.NewModels(p)
	c, err := models.ModelOfType("own", "c", ai.ModelClassifier)
	if err != nil || c.MaxTokens != 0 || c.ContextWindow != 0 {
		t.Errorf("%+v, %v", c, err)
	}
	if api, err := p.(ai.ClassifierProvider).ClassifierAPI(c); err != nil || api.ID() != llamacppclassify.ID {
		t.Errorf("%v, %v", api, err)
	}
	i, err := models.ModelOfType("own", "i", ai.ModelImage)
	if err != nil || len(i.Output) != 1 {
		t.Errorf("%+v, %v", i, err)
	}
	if api, err := p.(ai.ImageProvider).ImageAPI(i); err != nil || api.ID() != openrouterimages.ID {
		t.Errorf("%v, %v", api, err)
	}
	classes.Models[1].API = ""
	if _, err := compatible.New(classes); err == nil || !strings.Contains(err.Error(), "classifier model c names no protocol") {
		t.Errorf("%v", err)
	}
}

// OpenRouter is asked for the list of the key, with the mark of the list there is. A
// key that may not ask gets all models again.
func TestOpenRouterList(t *testing.T) {
	var asked []string
	status := 200
	client := &http.Client{Transport: roundTrip(func(r *http.Request) (*http.Response, error) {
		asked = append(asked, r.URL.String()+" "+r.Header.Get("Authorization")+" "+r.Header.Get("If-None-Match"))
		res := &http.Response{StatusCode: status, Header: http.Header{"Etag": {`"one"`}, "Last-Modified": {"Wed, 18 Mar 2026 17:46:40 GMT"}}, Request: r}
		if r.Header.Get("If-None-Match") == `"one"` && status == 200 {
			res.StatusCode = http.StatusNotModified
		}
		res.Body = io.NopCloser(strings.NewReader(`{"data":[{"id":"v/mine","context_length":8000}]}`))
		return res, nil
	})}
	store := new(modelstore.Memory)
	models := ai.ModelsConfig{HTTPClient: client, Lists: store, Env: func(name string) string {
		if name == "OPENROUTER_API_KEY" {
			return "k"
		}
		return ""
	}}.New(compatible.OpenRouter())
	all := len(models.List("openrouter"))
	refresh := func() {
		t.Helper()
		if r := models.Refresh(t.Context(), ai.RefreshOptions{AllowNetwork: true, Force: true}); len(r.Errors) != 0 {
			t.Fatal(r.Errors)
		}
	}
	for range 2 {
		refresh()
		if _, err := models.Model("openrouter", "v/mine"); err != nil {
			t.Fatal(err)
		}
	}
	kept, err := store.ReadList(t.Context(), "openrouter")
	if err != nil || kept == nil || kept.ETag != `"one"` || kept.LastModified != 1773856000000 {
		t.Errorf("stored %+v, %v", kept, err)
	}
	status = http.StatusForbidden
	refresh()
	if got := len(models.List("openrouter")); got != all || all < 100 {
		t.Errorf("%d models, %d before", got, all)
	}
	const address = "https://openrouter.ai/api/v1/models/user Bearer k "
	if want := []string{address, address + `"one"`, address + `"one"`}; !slices.Equal(asked, want) {
		t.Errorf("asked %q", asked)
	}
}
