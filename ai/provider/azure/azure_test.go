package azure_test

import (
	"strings"
	"testing"

	"github.com/pi-go/pi/ai"
	"github.com/pi-go/pi/ai/aitest/mockllm"
	"github.com/pi-go/pi/ai/provider/azure"
)

func TestAddressKeyAndDeployment(t *testing.T) {
	env := map[string]string{"AZURE_OPENAI_API_KEY": "k"}
	srv := mockllm.New()
	models := ai.ModelsConfig{HTTPClient: srv.Client(), Env: func(n string) string { return env[n] }}.New(azure.New())
	ask := func(m *ai.Model) (*ai.AssistantMessage, *mockllm.Request) {
		srv.Queue(mockllm.Say("ok"))
		n := len(srv.Requests())
		a := models.Stream(t.Context(), m, ai.Request{Messages: []ai.Message{ai.UserText("x")}}, ai.Options{}).Result()
		if all := srv.Requests(); len(all) > n {
			return a, all[n]
		}
		return a, nil
	}
	seen := make(map[string]bool)
	for _, m := range models.Chat() {
		if seen[m.API] {
			continue
		}
		seen[m.API] = true
		delete(env, "AZURE_OPENAI_RESOURCE_NAME")
		if a, r := ask(m); r != nil || !strings.Contains(a.ErrorMessage, "AZURE_OPENAI_RESOURCE_NAME") {
			t.Errorf("%s without an address: %v", m.API, a.Err())
		}
		srv.Reset()
		env["AZURE_OPENAI_RESOURCE_NAME"] = "res"
		env["AZURE_OPENAI_DEPLOYMENT_NAME_MAP"] = "other=x, " + m.ID + "=mine"
		a, r := ask(m)
		if a.Err() != nil {
			t.Fatalf("%s: %v", m.API, a.Err())
		}
		if r.Host != "res.openai.azure.com" || !strings.HasPrefix(r.URL, "/openai/v1/") || r.Model != "mine" || a.Model != m.ID ||
			r.Header.Get("api-key") != "k" || r.Header.Get("Authorization") != "" {
			t.Errorf("%s: %s%s for %q as %q with %v", m.API, r.Host, r.URL, r.Model, a.Model, r.Header)
		}
	}
	if len(seen) != 2 {
		t.Errorf("protocols %v", seen)
	}
}
