package models_test

import (
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/pi-go/pi/agentcore/execenv"
	"github.com/pi-go/pi/ai"
	"github.com/pi-go/pi/ai/faux"
	"github.com/pi-go/pi/ai/modelsfile"
	"github.com/pi-go/pi/ai/provider/all"
	"github.com/pi-go/pi/codingagent/models"
)

// A models.json that changes counts from the next look at it; one that is broken at the
// moment changes nothing.
func TestReload(t *testing.T) {
	file := filepath.Join(t.TempDir(), "models.json")
	builtin := faux.New(faux.Config{ID: "v", Models: []*ai.Model{{ID: "a", API: faux.APIID, ContextWindow: 1}}})
	r, faults := models.New(t.Context(), models.Config{
		Providers: []ai.Provider{builtin}, Protocols: modelsfile.Protocols{Chat: all.APIs()}, File: file, Files: execenv.LocalFS{},
	})
	if len(faults) > 0 {
		t.Fatal(faults)
	}
	other := faux.New(faux.Config{ID: "other"}) // an extension's, say
	r.Models.SetProvider(other)
	if err := r.RegisterVirtual(virtual("v", "auto")); err != nil {
		t.Fatal(err)
	}
	for _, step := range []struct {
		text string
		want []string
		bad  string
	}{
		{
			`{"providers": {"v": {"modelOverrides": {"a": {"contextWindow": 7}}}, "mine": {"baseUrl": "http://x", "api": "openai-completions", "apiKey": "k", "models": [{"id": "m"}]}}}`,
			[]string{"v/a 7", "v/auto 5000", "other/faux-1 200000", "mine/m 128000"},
			"",
		},
		{`{"providers": {`, []string{"v/a 7", "v/auto 5000", "other/faux-1 200000", "mine/m 128000"}, "models.json:1:16"},
		{
			`{"providers": {"mine": {"baseUrl": "http://x", "api": "openai-completions", "apiKey": "k", "models": [{"id": "m2"}]}, "bad": {}}}`,
			[]string{"v/a 1", "v/auto 5000", "other/faux-1 200000", "mine/m2 128000"},
			"providers.bad",
		},
		{`{"providers": {}}`, []string{"v/a 1", "v/auto 5000", "other/faux-1 200000"}, ""},
		{`{"providers": {}}`, []string{"v/a 1", "v/auto 5000", "other/faux-1 200000"}, ""},
	} {
		if err := os.WriteFile(file, []byte(step.text), 0o600); err != nil {
			t.Fatal(err)
		}
		faults := r.Reload(t.Context())
		if (len(faults) > 0) != (step.bad != "") || len(faults) > 0 && !strings.Contains(faults[0].Error(), step.bad) {
			t.Errorf("%s: %v", step.text, faults)
		}
		var got []string
		for _, m := range r.Models.Chat() {
			got = append(got, m.Ref()+" "+strconv.FormatInt(m.ContextWindow, 10))
		}
		if !slices.Equal(got, step.want) {
			t.Errorf("%s:\n got %q\nwant %q", step.text, got, step.want)
		}
	}
}
