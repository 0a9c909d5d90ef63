package catalog_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/pi-go/pi/ai"
	"github.com/pi-go/pi/ai/catalog"
	"github.com/pi-go/pi/ai/catalog/internal/compact"
	"github.com/pi-go/pi/ai/catalog/internal/facts"
)

// What is embedded equals the facts, entry by entry, and was generated from
// them.
func TestCatalogEqualsFacts(t *testing.T) {
	files, err := facts.LoadDir("facts")
	if err != nil {
		t.Fatal(err)
	}
	all := catalog.All()
	if len(files) != 43 || len(all) != len(files) {
		t.Fatalf("%d files of facts, %d providers, want 43", len(files), len(all))
	}
	total := map[ai.ModelType]int{}
	for i, f := range files {
		want, err := f.Resolve()
		if err != nil {
			t.Fatal(err)
		}
		p := all[i]
		got := p.Models()
		if p.ID() != f.Provider || p.Name() != f.Name || p.BaseURL() != f.BaseURL || !slices.Equal(p.Env(), f.Env) {
			t.Errorf("provider %s is not %s", p.ID(), f.Provider)
		}
		if f.OAuth != nil && p.Login() != (catalog.Login{Name: f.OAuth.Name, Label: f.OAuth.Label, Subscription: f.OAuth.Subscription}) {
			t.Errorf("%s: login %+v, want %+v", p.ID(), p.Login(), f.OAuth)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s: models (-facts +catalog):\n%s", p.ID(), diff)
		}
		data, err := compact.Append(nil, want)
		if err != nil {
			t.Fatal(err)
		}
		stored, err := os.ReadFile(filepath.Join("data", p.ID()+".txt"))
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(data, stored) {
			t.Errorf("data/%s.txt is stale: run go generate", p.ID())
		}
		for _, m := range got {
			total[m.Type]++
			valid(t, m)
		}
	}
	if total[""] != 1698 || total[ai.ModelImage] != 74 || total[ai.ModelClassifier] != 81 {
		t.Errorf("entries by type: %v", total)
	}
}

// valid checks what every entry must have to be of use.
func valid(t *testing.T, m *ai.Model) {
	t.Helper()
	var problems []string
	check := func(ok bool, what string) {
		if !ok {
			problems = append(problems, what)
		}
	}
	check(m.ID != "" && m.Name != "" && m.API != "" && m.Provider != "", "names")
	check(len(m.Input) > 0, "input")
	for _, kind := range m.Input {
		check(kind == "text" || kind == "image", "input "+kind)
	}
	check(m.Type != "" || m.ContextWindow > 0 && m.MaxTokens > 0, "window and cap")
	check(m.MaxTokens <= m.ContextWindow || m.ContextWindow == 0, fmt.Sprintf("cap %d above window %d", m.MaxTokens, m.ContextWindow))
	check(m.BaseURL == "" || strings.HasPrefix(m.BaseURL, "https://"), "address "+m.BaseURL)
	check(m.BaseURL != "" || m.Provider == "azure", "no address")
	check(len(m.Compat) == 0 || json.Valid(m.Compat) && m.Compat[0] == '{', "compat")
	check(m.Type != "" || len(m.SupportedThinking()) > 0, "no thinking level")
	for _, tier := range m.Cost.Tiers {
		check(tier.InputAbove > 0 && tier.Input >= 0 && tier.Output >= 0, "tier")
	}
	if len(problems) > 0 {
		t.Errorf("%s: %s", m.Ref(), strings.Join(problems, ", "))
	}
}

// The rules for absent values, on entries that show them.
func TestDefaults(t *testing.T) {
	find := func(p *catalog.Provider, id string) *ai.Model {
		at := slices.IndexFunc(p.Models(), func(m *ai.Model) bool { return m.ID == id })
		if at < 0 {
			t.Fatalf("%s has no %s", p.ID(), id)
		}
		return p.Models()[at]
	}
	haiku := find(catalog.Anthropic(), "claude-haiku-4-5")
	if haiku.API != "anthropic-messages" || string(haiku.Compat) != `{"supportsStrictTools":true}` || haiku.PromptCache.Long != 3600 ||
		haiku.InputLimits.Images.MaxPerRequest != 100 || haiku.InputLimits.Images.Resize.MaxBytes != 4718592 {
		t.Errorf("claude-haiku-4-5: %+v", haiku)
	}
	fable := find(catalog.Anthropic(), "claude-fable-5")
	if v, ok := fable.ThinkingLevels[ai.ThinkingOff]; !ok || v != nil {
		t.Error("off of claude-fable-5 is not marked as unsupported")
	}
	var compat map[string]json.RawMessage
	if err := json.Unmarshal(fable.Compat, &compat); err != nil || string(compat["supportsStrictTools"]) != "true" || string(compat["forceAdaptiveThinking"]) != "true" {
		t.Errorf("compat of claude-fable-5 is not merged: %s", fable.Compat)
	}
	nvidia := catalog.NVIDIA().Models()[0]
	if nvidia.Headers["NVCF-POLL-SECONDS"] != "3600" {
		t.Errorf("headers of nvidia: %v", nvidia.Headers)
	}
	for _, m := range catalog.OpenRouter().Models() {
		if !m.Accepts("image") && m.InputLimits != nil {
			t.Errorf("%s takes no images but has limits on them", m.Ref())
		}
	}
}

func TestDiff(t *testing.T) {
	file := func(models ...facts.Entry) []*facts.File {
		return []*facts.File{{Provider: "p", Name: "P", DefaultAPI: "x", APIs: map[string]facts.API{"x": {BaseURL: "https://x"}}, Models: models}}
	}
	old := file(
		facts.Entry{ID: "kept", ContextWindow: 10, MaxTokens: 5, Cost: facts.Cost{Input: 1}},
		facts.Entry{ID: "lost", ContextWindow: 1, MaxTokens: 1},
	)
	now := file(
		facts.Entry{ID: "kept", ContextWindow: 20, MaxTokens: 5, Cost: facts.Cost{Input: 2, Tiers: []facts.Tier{{Above: 9, Input: 3}}}},
		facts.Entry{ID: "made", ContextWindow: 1, MaxTokens: 1},
	)
	want := `changed  p/kept: window 10 -> 20
changed  p/kept: price 1/0/0/0 -> 2/0/0/0 above 9: 3/0/0/0
new      p/made (window 1, cap 1, 0/0/0/0)
gone     p/lost
`
	if got := facts.Diff(old, now); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	if got := facts.Diff(old, old); got != "nothing changed\n" {
		t.Errorf("no difference gives %q", got)
	}
}

// Facts that are wrong are refused with what is wrong.
func TestFactsAreChecked(t *testing.T) {
	const good = `{"schema":1,"provider":"p","name":"P","defaultApi":"x","apis":{"x":{"baseUrl":"https://x"}},"models":[%s]}`
	for entry, want := range map[string]string{
		`{"id":"a"}`: "needs contextWindow and maxTokens",
		`{"id":"a","contextWindow":1,"maxTokens":1},{"id":"a","contextWindow":1,"maxTokens":1}`: "appears twice",
		`{"id":"a","contextWindow":1,"maxTokens":1,"kind":"video"}`:                             "unknown kind",
		`{"id":"a","contextWindow":1,"maxTokens":1,"api":"y"}`:                                  `"y" is not in apis`,
		`{"id":"a","contextWindow":1,"maxTokens":1,"thinkingLevels":{"most":"x"}}`:              "unknown thinking level",
		`{"id":"a","contextWindow":1,"maxTokens":1,"cost":{"input":-1}}`:                        "negative price",
		`{"id":"a","contextWindow":1,"maxTokens":1,"price":1}`:                                  "unknown field",
		`{"id":"a","kind":"image","output":["text"]}`:                                           "needs image output",
	} {
		path := filepath.Join(t.TempDir(), "p.json")
		if err := os.WriteFile(path, fmt.Appendf(nil, good, entry), 0o600); err != nil {
			t.Fatal(err)
		}
		if _, err := facts.Load(path); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: got %v, want an error with %q", entry, err, want)
		}
	}
}

// A program that names one provider holds no other provider's data.
func TestLinksOnlyWhatIsNamed(t *testing.T) {
	if testing.Short() {
		t.Skip("builds a program")
	}
	bin := filepath.Join(t.TempDir(), "one")
	build := exec.CommandContext(t.Context(), "go", "build", "-trimpath", "-ldflags=-s -w", "-o", bin, "./testdata/one")
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	program, err := os.ReadFile(bin)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Contains(program, []byte("claude-haiku-4-5-20251001")) {
		t.Error("the data of the provider that is named is not there")
	}
	for _, p := range catalog.All() {
		if p.ID() == "anthropic" {
			continue
		}
		data, err := os.ReadFile(filepath.Join("data", p.ID()+".txt"))
		if err != nil {
			t.Fatal(err)
		}
		if bytes.Contains(program, data) {
			t.Errorf("the data of %s is linked", p.ID())
		}
	}
}

func BenchmarkDecodeLargest(b *testing.B) {
	data, err := os.ReadFile(filepath.Join("data", "openrouter.txt"))
	if err != nil {
		b.Fatal(err)
	}
	text := string(data)
	b.ReportAllocs()
	for b.Loop() {
		if _, err := compact.Decode(text, "openrouter"); err != nil {
			b.Fatal(err)
		}
	}
}

func ExampleProvider_Models() {
	for _, m := range catalog.Cerebras().Models() {
		fmt.Println(m.Ref(), m.API)
	}
	// Output:
	// cerebras/gpt-oss-120b openai-completions
	// cerebras/qwen-3.8-27b openai-completions
}
