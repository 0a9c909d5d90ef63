package azureopenairesponses

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/pi-go/pi/ai"
	"github.com/pi-go/pi/ai/aitest"
	"github.com/pi-go/pi/ai/aitest/mockllm"
)

func TestContract(t *testing.T) {
	t.Parallel()
	aitest.Run(t, aitest.OverMock(New(), mockllm.Responses, &ai.Model{
		ID: "m", Provider: "azure", API: ID, Reasoning: true, Input: []string{"text"},
	}))
}

func TestLocate(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name string
		env  map[string]string
		base string
		opts Options
		want string
		to   string
		err  string
	}{
		{name: "nothing", err: "set AZURE_OPENAI_BASE_URL or AZURE_OPENAI_RESOURCE_NAME"},
		{name: "resource", env: map[string]string{"AZURE_OPENAI_RESOURCE_NAME": "res"}, want: "https://res.openai.azure.com/openai/v1/responses?api-version=v1"},
		{name: "resource by option", opts: Options{ResourceName: "mine"}, env: map[string]string{"AZURE_OPENAI_RESOURCE_NAME": "res"}, want: "https://mine.openai.azure.com/openai/v1/responses?api-version=v1"},
		{name: "resource that is an address", env: map[string]string{"AZURE_OPENAI_RESOURCE_NAME": "https://res.openai.azure.com"}, err: "bare name"},
		{name: "address wins", env: map[string]string{"AZURE_OPENAI_BASE_URL": "https://r.openai.azure.com", "AZURE_OPENAI_RESOURCE_NAME": "res"}, want: "https://r.openai.azure.com/openai/v1/responses?api-version=v1"},
		{name: "option wins", opts: Options{BaseURL: "https://o.ai.azure.com/openai/"}, env: map[string]string{"AZURE_OPENAI_BASE_URL": "https://r.openai.azure.com"}, want: "https://o.ai.azure.com/openai/v1/responses?api-version=v1"},
		{name: "as the portal shows it", base: "https://r.cognitiveservices.azure.com/openai/v1/responses?api-version=2025-04-01-preview", want: "https://r.cognitiveservices.azure.com/openai/v1/responses?api-version=v1"},
		{name: "proxy", base: "https://proxy.example.com/azure/", want: "https://proxy.example.com/azure/responses?api-version=v1"},
		{name: "another path of Azure", base: "https://r.openai.azure.com/custom", want: "https://r.openai.azure.com/custom/responses?api-version=v1"},
		{name: "version", base: "https://r.openai.azure.com", env: map[string]string{"AZURE_OPENAI_API_VERSION": "2026 x"}, want: "https://r.openai.azure.com/openai/v1/responses?api-version=2026+x"},
		{name: "version by option", base: "https://r.openai.azure.com", opts: Options{APIVersion: "o"}, env: map[string]string{"AZURE_OPENAI_API_VERSION": "e"}, want: "https://r.openai.azure.com/openai/v1/responses?api-version=o"},
		{name: "no address", base: "r.openai.azure.com", err: `"r.openai.azure.com" is no address`},
		{name: "mapped", base: "https://r.openai.azure.com", env: map[string]string{"AZURE_OPENAI_DEPLOYMENT_NAME_MAP": "x=y, m = dep ,z"}, want: "https://r.openai.azure.com/openai/v1/responses?api-version=v1", to: "dep"},
		{name: "deployment by option", base: "https://r.openai.azure.com", opts: Options{Deployment: "d"}, env: map[string]string{"AZURE_OPENAI_DEPLOYMENT_NAME_MAP": "m=dep"}, want: "https://r.openai.azure.com/openai/v1/responses?api-version=v1", to: "d"},
	} {
		c := &ai.Call{Model: &ai.Model{ID: "m", Provider: "azure"}, BaseURL: tt.base, Env: func(name string) string { return tt.env[name] }}
		got, err := Locate(c, tt.opts)
		if tt.err != "" {
			if err == nil || !strings.Contains(err.Error(), tt.err) {
				t.Errorf("%s: %v, want %q", tt.name, err, tt.err)
			}
			continue
		}
		to := tt.to
		if to == "" {
			to = "m"
		}
		if err != nil || got.URL("/responses") != tt.want || got.Deployment != to {
			t.Errorf("%s: %s to %s, %v", tt.name, got.URL("/responses"), got.Deployment, err)
		}
	}
}

// The key goes where Azure wants it, and the deployment's name is no other model.
func TestRequest(t *testing.T) {
	t.Parallel()
	srv := mockllm.New()
	srv.Queue(mockllm.Say("Hi"))
	m := &ai.Model{ID: "gpt-x", Provider: "azure", API: ID, BaseURL: "https://r.openai.azure.com", Input: []string{"text"}}
	models := ai.ModelsConfig{
		HTTPClient: srv.Client(),
		Env: func(name string) string {
			return map[string]string{"AZURE_OPENAI_DEPLOYMENT_NAME_MAP": "gpt-x=dep"}[name]
		},
	}.New(ai.NewProvider(ai.ProviderConfig{ID: "azure", Models: []*ai.Model{m}, APIs: []ai.API{New()}}))
	msg, err := models.Complete(t.Context(), m, ai.Request{Messages: []ai.Message{ai.UserText("x")}}, ai.Options{APIKey: "k", SessionID: "s", Cache: ai.CacheLong, Protocol: &Options{ReasoningSummary: "off"}})
	if err != nil {
		t.Fatal(err)
	}
	r := srv.Requests()[0]
	if r.Header.Get("api-key") != "k" || r.Header.Get("Authorization") != "" || r.Header.Get("session-id") != "" {
		t.Errorf("headers %v", r.Header)
	}
	if r.URL != "/openai/v1/responses?api-version=v1" || r.Model != "dep" || msg.ResponseModel != "" {
		t.Errorf("%s, model %s, answered by %q", r.URL, r.Model, msg.ResponseModel)
	}
	body := r.JSON()
	delete(body, "input")
	want := map[string]any{"model": "dep", "stream": true, "store": false, "prompt_cache_key": "s"}
	if diff := cmp.Diff(want, body); diff != "" {
		t.Errorf("body (-want +got):\n%s", diff)
	}
}
