package githubcopilot_test

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/pi-go/pi/ai"
	"github.com/pi-go/pi/ai/aitest/mockllm"
	"github.com/pi-go/pi/ai/auth"
	"github.com/pi-go/pi/ai/provider/githubcopilot"
)

func TestLogin(t *testing.T) {
	first := githubcopilot.New().Models()[0]
	ids, err := json.Marshal([]string{first.ID, "gone"})
	if err != nil {
		t.Fatal(err)
	}
	store := auth.NewMemoryStore(map[string]*auth.Credential{githubcopilot.ID: {
		Type: auth.TypeOAuth, Access: "tid=1;proxy-ep=proxy.team.example", Refresh: "gho", Expires: time.Now().Add(time.Hour).UnixMilli(),
		Extra: map[string]json.RawMessage{"availableModelIds": ids},
	}})
	srv := mockllm.New()
	srv.Queue(mockllm.Say("ok"))
	models := ai.ModelsConfig{HTTPClient: srv.Client(), Credentials: store, Env: func(string) string { return "" }}.New(githubcopilot.New())
	list := models.Available(t.Context())
	if len(list) != 1 || list[0].ID != first.ID {
		t.Fatalf("available: %v", list)
	}
	a := models.Stream(t.Context(), list[0], ai.Request{Messages: []ai.Message{ai.UserText("x")}}, ai.Options{}).Result()
	if a.Err() != nil {
		t.Fatal(a.Err())
	}
	r := srv.Requests()[0]
	if r.Host != "api.team.example" || !strings.HasPrefix(r.Header.Get("Authorization"), "Bearer tid=1") || r.Header.Get("X-Initiator") != "user" || r.Header.Get("x-api-key") != "" {
		t.Errorf("%s %v", r.Host, r.Header)
	}
}

func TestToken(t *testing.T) {
	srv := mockllm.New()
	models := ai.ModelsConfig{HTTPClient: srv.Client(), Env: func(string) string { return "ghu" }}.New(githubcopilot.New())
	seen := make(map[string]bool)
	for _, m := range models.Available(t.Context()) {
		if seen[m.API] {
			continue
		}
		seen[m.API] = true
		srv.Queue(mockllm.Say("ok"))
		if a := models.Stream(t.Context(), m, ai.Request{Messages: []ai.Message{ai.UserText("x")}}, ai.Options{}).Result(); a.Err() != nil {
			t.Fatalf("%s: %v", m.API, a.Err())
		}
	}
	for _, r := range srv.Requests() {
		if r.Header.Get("Authorization") != "Bearer ghu" || r.Host != "api.individual.githubcopilot.com" {
			t.Errorf("%s: %s %v", r.API, r.Host, r.Header)
		}
	}
	if len(seen) != 3 {
		t.Errorf("protocols %v", seen)
	}
}
