package modelsfile

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/pi-go/pi/ai"
)

func TestParseErrors(t *testing.T) {
	entry := func(s string) string { return "{\"providers\": {\n  \"p\": " + s + "}}" }
	model := func(s string) string { return entry(`{"models": [{"id": "x", ` + s + `}]}`) }
	cases := []struct{ name, text, want string }{
		{"syntax", "{\n \"providers\": {\n  oops\n }\n}", "models.json:3:3: "},
		{"no providers", "{}", `models.json:1:1: providers: expected an object with the providers in it, in the key "providers"`},
		{"a list", "[]", "models.json:1:1: expected an object, found an array"},
		{"providers is a list", `{"providers": []}`, "models.json:1:15: providers: expected an object"},
		{"entry is null", entry("null"), "models.json:2:8: providers.p: expected an object, found null"},
		{"entry that does nothing", entry(`{"name": "P", "api": "x"}`), "models.json:2:8: providers.p: the entry changes nothing; it needs at least one of baseUrl, headers"},
		{"wrong type", entry(`{"baseUrl": 7}`), "models.json:2:20: providers.p.baseUrl: expected a string, found the number 7"},
		{"no address", entry(`{"baseUrl": "127.0.0.1:8080/v1"}`), `models.json:2:20: providers.p.baseUrl: expected an address that begins with http:// or https://, found "127.0.0.1:8080/v1"`},
		{"login", entry(`{"oauth": "github", "baseUrl": "https://x"}`), `providers.p.oauth: expected one of radius, found "github"`},
		{"login without address", entry(`{"oauth": "radius"}`), `providers.p.oauth: the gateway's address is missing`},
		{"model without id", entry(`{"models": [{"name": "y"}]}`), `models.json:2:20: providers.p.models[0]: expected an "id"`},
		{"models is an object", entry(`{"models": {}}`), "providers.p.models: expected an array, found an object"},
		{"a text for a number", model(`"contextWindow": "big"`), `models.json:2:49: providers.p.models[0].contextWindow: expected a whole number above 0, found "big"`},
		{"a window of nothing", model(`"contextWindow": 0`), "contextWindow: expected a whole number above 0, found the number 0"},
		{"half a token", model(`"maxTokens": 1.5`), "maxTokens: expected a whole number above 0, found the number 1.5"},
		{"an unknown level", model(`"thinkingLevelMap": {"hihg": "x"}`), `thinkingLevelMap.hihg: expected one of off, minimal`},
		{"input", model(`"input": ["txt"]`), `input[0]: expected one of text, image, found "txt"`},
		{"price", model(`"cost": {"input": -1}`), "cost.input: expected a price"},
		{"tier", model(`"cost": {"tiers": [{"inputTokensAbove": "x"}]}`), "cost.tiers[0].inputTokensAbove: expected a whole number"},
		{"compat", model(`"compat": {"supportsStore": "yes"}`), `compat.supportsStore: expected true or false, found "yes"`},
		{"compat word", model(`"compat": {"thinkingFormat": "qwe"}`), "compat.thinkingFormat: expected one of openai, openrouter"},
		{"header", model(`"headers": {"x": 1}`), "headers.x: expected a string, found the number 1"},
		{"override", entry(`{"modelOverrides": {"m": {"reasoning": 1}}}`), "providers.p.modelOverrides.m.reasoning: expected true or false"},
		{"type", model(`"type": "picture"`), "type: expected one of chat, image, classifier"},
	}
	for _, c := range cases {
		f, err := Parse("models.json", []byte(c.text))
		if f != nil {
			if len(f.Faults) != 1 {
				t.Errorf("%s: faults %v, want one", c.name, f.Faults)
				continue
			}
			err = f.Faults[0]
			if len(f.Providers) > 0 {
				t.Errorf("%s: the entry is used", c.name)
			}
		}
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %q", c.name, err, c.want)
		}
	}
	if f, err := Parse("models.json", []byte("\ufeff \n")); err != nil || len(f.Providers) != 0 {
		t.Errorf("a blank file: %v", err)
	}
}

// One bad entry does not take the others with it, and everything wrong is told.
func TestBadEntriesAreLeftOut(t *testing.T) {
	f, err := Parse("m", []byte(`{"providers": {"bad": {"apiKey": 1, "headers": []}, "good": {"apiKey": "k"}}}`))
	if err != nil {
		t.Fatal(err)
	}
	if len(f.Faults) != 2 || f.Providers["good"] == nil || f.Providers["bad"] != nil {
		t.Errorf("faults %v, providers %v", f.Faults, slices.Collect(maps.Keys(f.Providers)))
	}
}

// Keys that are not known are told, with the one that was meant, and harm nothing.
func TestUnknownKeysAreNoted(t *testing.T) {
	f, err := Parse("m", []byte(`{"comment": 1, "providers": {"p": {"apiKey": "k", "baseURL": "x",
		"models": [{"id": "a", "contextwindow": 5, "compat": {"supportStore": true}}]}}}`))
	if err != nil || f.Providers["p"] == nil {
		t.Fatal(err, f)
	}
	var notes []string
	for _, n := range f.Notes {
		notes = append(notes, n.Error())
	}
	for _, want := range []string{
		"m:1:2: comment: this key is not known", "m:1:51: providers.p.baseURL: this key is not known, and has no effect; did you mean baseUrl",
		"m:2:26: providers.p.models[0].contextwindow: ", "compat.supportStore: this key is not known, and has no effect; did you mean supportsStore",
	} {
		if !slices.ContainsFunc(notes, func(n string) bool { return strings.Contains(n, want) }) {
			t.Errorf("%q is not in %q", want, notes)
		}
	}
}

func parse(t *testing.T, text string) *File {
	t.Helper()
	f, err := Parse("models.json", []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	if len(f.Faults) > 0 {
		t.Fatal(f.Faults)
	}
	return f
}

func build(t *testing.T, f *File, id string, builtin []*ai.Model) []*ai.Model {
	t.Helper()
	list, _, err := f.Providers[id].build(f, id, builtin)
	if err != nil {
		t.Fatal(err)
	}
	return list
}

func TestFileModels(t *testing.T) {
	f := parse(t, `{"$schema": "https://x", "providers": { // mine
		"local": {"baseUrl": "http://x/v1", "api": "openai-completions", "compat": {"supportsStore": false, "chatTemplateKwargs": {"a": 1}},
			"models": [{"id": "m", "reasoning": true, "compat": {"chatTemplateKwargs": {"b": 2}}, "cost": {"input": 1}},]}, /* and more */
	}}`)
	m := build(t, f, "local", nil)[0]
	if m.Ref() != "local/m" || m.Name != "m" || m.API != "openai-completions" || m.BaseURL != "http://x/v1" || !m.Reasoning ||
		m.ContextWindow != 128_000 || m.MaxTokens != 16_384 || !m.Accepts("text") || m.Accepts("image") || m.Cost.Input != 1 {
		t.Errorf("%+v", m)
	}
	if want := `{"chatTemplateKwargs":{"a":1,"b":2},"supportsStore":false}`; string(m.Compat) != want {
		t.Errorf("compat %s, want %s", m.Compat, want)
	}
}

// Every key of a model has its effect, on a model of the file and as an override.
func TestEveryModelKey(t *testing.T) {
	compat := make(map[string]any)
	for key := range compatFields() {
		switch key {
		case "maxTokensField":
			compat[key] = "max_tokens"
		case "thinkingFormat":
			compat[key] = "zai"
		case "thinkingTokenBudgetField":
			compat[key] = "thinking_budget"
		case "cacheControlFormat":
			compat[key] = "anthropic"
		case "sessionAffinityFormat":
			compat[key] = "openrouter"
		case "promptCacheKeyMode":
			compat[key] = "disabled"
		case "imageInput":
			compat[key] = "assets"
		case "vllmPriority":
			compat[key] = -2
		case "allowedFallbackModels":
			compat[key] = []any{map[string]any{"model": "x"}}
		case "chatTemplateKwargs", "chatTemplateArgs", "openRouterRouting", "vercelGatewayRouting":
			compat[key] = map[string]any{"k": "v"}
		default:
			compat[key] = true
		}
	}
	values := map[string]any{
		"name": "A name", "reasoning": true, "thinkingLevelMap": map[string]any{"low": "l", "high": nil, "max": "m"}, "input": []string{"text", "image"},
		"inputLimits":   map[string]any{"maxRequestBytes": 5, "images": map[string]any{"resize": map[string]any{"maxWidth": 1, "maxHeight": 2, "maxBytes": 3, "jpegQuality": 4}, "maxPerMessage": 5, "maxPerRequest": 6}},
		"cost":          map[string]any{"input": 1, "output": 2, "cacheRead": 3, "cacheWrite": 4, "tiers": []any{map[string]any{"inputTokensAbove": 9, "input": 5, "output": 6, "cacheRead": 7, "cacheWrite": 8}}},
		"promptCache":   map[string]any{"short": 300, "long": 3600},
		"contextWindow": 1e6, "maxTokens": 5000,
		"samplingParams": map[string]any{"top_p": 0.5}, "samplingParamsByThinkingLevel": map[string]any{"high": map[string]any{"top_k": 1}},
		"headers": map[string]string{"x": "y"}, "compat": compat,
	}
	for key := range modelFields() {
		if _, ok := values[key]; !ok {
			t.Errorf("the key %s is not tested", key)
		}
	}
	want := &ai.Model{
		ID: "m", Provider: "p", Name: "A name", API: "a", BaseURL: "https://b", Reasoning: true, Input: []string{"text", "image"},
		ThinkingLevels: map[ai.ThinkingLevel]*string{"low": new("l"), "high": nil, "max": new("m")},
		InputLimits:    &ai.InputLimits{MaxRequestBytes: 5, Images: &ai.ImageLimits{Resize: &ai.ImageResize{MaxWidth: 1, MaxHeight: 2, MaxBytes: 3, JPEGQuality: 4}, MaxPerMessage: 5, MaxPerRequest: 6}},
		Cost:           ai.Rates{Input: 1, Output: 2, CacheRead: 3, CacheWrite: 4, Tiers: []ai.RateTier{{InputAbove: 9, Input: 5, Output: 6, CacheRead: 7, CacheWrite: 8}}},
		PromptCache:    &ai.CacheLifetimes{Short: 300, Long: 3600}, ContextWindow: 1_000_000, MaxTokens: 5000,
		SamplingParams:                map[string]json.RawMessage{"top_p": json.RawMessage("0.5")},
		SamplingParamsByThinkingLevel: map[ai.ThinkingLevel]map[string]json.RawMessage{"high": {"top_k": json.RawMessage("1")}},
		Headers:                       map[string]string{"x": "y"},
	}
	var err error
	if want.Compat, err = json.Marshal(compat); err != nil {
		t.Fatal(err)
	}
	override, err := json.Marshal(values)
	if err != nil {
		t.Fatal(err)
	}
	values["id"], values["api"], values["baseUrl"] = "m", "a", "https://b"
	own, err := json.Marshal(values)
	if err != nil {
		t.Fatal(err)
	}
	base := []*ai.Model{{ID: "m", Provider: "p", API: "a", BaseURL: "https://b", ContextWindow: 1, MaxTokens: 1, Input: []string{"text"}}}
	for name, got := range map[string]*ai.Model{
		"model":    build(t, parse(t, `{"providers":{"p":{"models":[`+string(own)+`]}}}`), "p", nil)[0],
		"override": build(t, parse(t, `{"providers":{"p":{"modelOverrides":{"m":`+string(override)+`}}}}`), "p", base)[0],
	} {
		gotText, err := json.MarshalIndent(got, "", " ")
		if err != nil {
			t.Fatal(err)
		}
		wantText, err := json.MarshalIndent(want, "", " ")
		if err != nil {
			t.Fatal(err)
		}
		if string(gotText) != string(wantText) {
			t.Errorf("%s:\n got %s\nwant %s", name, gotText, wantText)
		}
	}
}

func TestFileChangesBuiltInModels(t *testing.T) {
	builtin := []*ai.Model{
		{
			ID: "a", Name: "A", Provider: "p", API: "anthropic-messages", BaseURL: "https://p", ContextWindow: 10, Cost: ai.Rates{Input: 1, Output: 2},
			Compat: json.RawMessage(`{"supportsStore":true,"supportsTemperature":false}`), PromptCache: &ai.CacheLifetimes{Short: 300, Long: 3600},
		},
		{ID: "b", Provider: "p", API: "anthropic-messages", BaseURL: "https://p"},
		{ID: "draw", Provider: "p", Type: ai.ModelImage, API: "openrouter-images", BaseURL: "https://p"},
	}
	f := parse(t, `{"providers": {"p": {"baseUrl": "http://proxy", "compat": {"supportsStore": false},
		"modelOverrides": {"a": {"contextWindow": 20, "cost": {"output": 5}, "promptCache": {"short": 60}}, "nobody": {"name": "x"}},
		"models": [{"id": "c"}, {"id": "b", "name": "Mine"}, {"id": "paint", "type": "image"}]}}}`)
	got := build(t, f, "p", builtin)
	if len(got) != 5 {
		t.Fatalf("%d models: %v", len(got), got)
	}
	if a := got[0]; a.ContextWindow != 20 || a.Cost.Input != 1 || a.Cost.Output != 5 || a.BaseURL != "http://proxy" ||
		string(a.Compat) != `{"supportsStore":false,"supportsTemperature":false}` || *a.PromptCache != (ai.CacheLifetimes{Short: 60, Long: 3600}) {
		t.Errorf("override: %+v %s", a, a.Compat)
	}
	if got[1].Name != "Mine" || got[1].ContextWindow != 128_000 || got[3].API != "anthropic-messages" || got[3].BaseURL != "http://proxy" {
		t.Errorf("replaced and added: %+v %+v", got[1], got[3])
	}
	if paint := got[4]; paint.API != "openrouter-images" || paint.Type != ai.ModelImage || !slices.Equal(paint.Output, []string{"image"}) {
		t.Errorf("image model: %+v", paint)
	}
	if builtin[0].ContextWindow != 10 || builtin[0].PromptCache.Short != 300 {
		t.Error("the catalog was changed")
	}
}

func TestUnusableProviderSaysWhy(t *testing.T) {
	for text, want := range map[string]string{
		`{"providers":{"p":{"baseUrl":"http://x","models":[{"id":"m"}]}}}`:                                                `models.json:1:51: providers.p.models[0]: model p/m: no "api"`,
		`{"providers":{"p":{"api":"openai-completions","models":[{"id":"m"}]}}}`:                                          `no "baseUrl"`,
		`{"providers":{"p":{"baseUrl":"http://x","api":"openai-completions"}}}`:                                           `models.json:1:19: providers.p: no "models"`,
		`{"providers":{"p":{"baseUrl":"http://x","api":"openai-completions","models":[{"id":"m","type":"image"}]}}}`:      `no "api" is given, for the model or the provider; openrouter-images`,
		`{"providers":{"p":{"baseUrl":"http://x","api":"openai-completions","models":[{"id":"m","type":"classifier"}]}}}`: `typesafe-system-one`,
	} {
		f := parse(t, text)
		if _, _, err := f.Providers["p"].build(f, "p", nil); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %s", err, want)
		}
	}
}

func FuzzParse(f *testing.F) {
	for _, seed := range []string{"", "{}", `{"providers":{}}`, `{"providers":{"p":{"models":[{"id":"a","cost":{"tiers":[{}]}}],"modelOverrides":{"x":{}}}}} // c`, `{"providers":{"p":null,"":[]}}`} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		file, err := Parse("m", []byte(text))
		if err != nil {
			return
		}
		for id, p := range file.Providers {
			if p == nil {
				t.Fatalf("provider %q is nil", id)
			}
			_, _, err := p.build(file, id, []*ai.Model{{ID: "a", Provider: id, API: "x", BaseURL: "http://x"}})
			_ = fmt.Sprint(err)
		}
	})
}

// The names of providers are shown in terminals.
func TestControlCharactersInAProvidersID(t *testing.T) {
	f, err := Parse("models.json", []byte(`{"providers": {"a\u001b[31m": {"baseUrl": "http://x"}, "b": {"baseUrl": "http://x"}}}`))
	if err != nil {
		t.Fatal(err)
	}
	if len(f.Providers) != 1 || f.Providers["b"] == nil || len(f.Faults) != 1 || !strings.Contains(f.Faults[0].Error(), "controls terminals") || strings.Contains(f.Faults[0].Error(), "\x1b") {
		t.Errorf("%d providers, %q", len(f.Providers), f.Faults)
	}
}
