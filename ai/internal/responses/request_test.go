package responses

import (
	"bytes"
	"encoding/json"
	"flag"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/pi-go/pi/ai"
	"pgregory.net/rapid"
)

var update = flag.Bool("update", false, "rewrite the golden files")

func golden(t *testing.T, name string, body []byte) {
	t.Helper()
	var got bytes.Buffer
	if err := json.Indent(&got, body, "", "  "); err != nil {
		t.Fatalf("the body is not JSON: %v\n%s", err, body)
	}
	got.WriteByte('\n')
	path := filepath.Join("testdata", name+".json")
	if *update {
		if err := os.MkdirAll("testdata", 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, got.Bytes(), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), got.String()); diff != "" {
		t.Errorf("%s (-want +got):\n%s", path, diff)
	}
}

func testModel(compat string) *ai.Model {
	return &ai.Model{
		ID: "m", Provider: "p", API: "openai-responses", BaseURL: "https://example.com/v1", Reasoning: true,
		Input: []string{"text", "image"}, Compat: json.RawMessage(compat),
	}
}

func openAI() *Dialect {
	return &Dialect{Retention: true, ServiceTier: true, MaxTokens: true, PairedIDs: true}
}

func codex() *Dialect { return &Dialect{Strict: true, StrictNull: true, Codex: true, PairedIDs: true} }

func testCall(m *ai.Model, messages ...ai.Message) *ai.Call {
	return &ai.Call{
		Model: m, Messages: messages, BaseURL: m.BaseURL, SessionID: "session-1",
		Options: ai.Options{Thinking: ai.ThinkingMedium, MaxTokens: 1000},
	}
}

func own(content ...ai.Block) *ai.AssistantMessage {
	return &ai.AssistantMessage{API: "openai-responses", Provider: "p", Model: "m", StopReason: ai.StopToolUse, ProviderThinkingLevel: "high", Content: content}
}

func call(id, name, args string) *ai.ToolCall {
	return &ai.ToolCall{ID: id, Name: name, Arguments: json.RawMessage(args)}
}

func result(id, name string, content ...ai.Block) *ai.ToolResultMessage {
	return &ai.ToolResultMessage{ToolCallID: id, ToolName: name, Content: content}
}

func text(s string) *ai.Text { return &ai.Text{Text: s} }

func tools() []ai.Tool {
	return []ai.Tool{
		{Name: "read", Description: "Read a file.", Parameters: json.RawMessage(`{"type":"object","properties":{"path":{"type":"string"},"limit":{"type":"integer"}},"required":["path"]}`), Sampling: ai.StrictPreferred()},
		{Name: "status", Description: "Say \"how\" it goes."},
		{Name: "patch", Parameters: json.RawMessage(`{"type":"object","properties":{"input":{"type":"string"}},"required":["input"]}`), Sampling: &ai.ConstrainedSampling{Type: ai.SamplingGrammar, Variants: map[string]string{"openai_lark": "start: /x/"}}},
	}
}

func conversation() []ai.Message {
	reasoning := `{"id":"rs_1","type":"reasoning","summary":[{"type":"summary_text","text":"Hm."}],"encrypted_content":"zz"}`
	other := own(text("From a sister."), call("call_9|fc_9", "read", `{}`))
	other.Model = "sister"
	return []ai.Message{
		&ai.SystemMessage{Content: "Be brief.", Sections: []ai.Section{{Name: "rules", Text: new("No tabs.")}}, ToolsAdded: tools()},
		&ai.UserMessage{Content: []ai.Block{text("Look."), &ai.Image{Data: "aGk=", MIMEType: "image/png"}}},
		own(&ai.Thinking{Text: "Hm.", Signature: reasoning}, &ai.Text{Text: "I look.", Signature: `{"v":1,"id":"msg_1","phase":"commentary"}`},
			call("call_1|fc_1", "read", `{"path":"a"}`), call("call_2|ctc_2", "patch", `{"input":"x\ny"}`)),
		result("call_1|fc_1", "read", text("line 1"), &ai.Image{Data: "aGk=", MIMEType: "image/png"}),
		result("call_2|ctc_2", "patch", text("done"), text("well")),
		own(&ai.Text{Text: "one", Signature: "msg_bare"}, text("two"), &ai.Text{Text: "three", Signature: "msg_" + strings.Repeat("x", 70)}),
		ai.UserText("And?"),
		&ai.SystemMessage{Sections: []ai.Section{{Name: "rules", Text: new("Tabs.")}}, ToolsAdded: []ai.Tool{{Name: "late", Description: "New."}}},
		other,
		result("call_9|fc_9", "read", text("r")),
		&ai.AssistantMessage{API: "anthropic-messages", Provider: "anthropic", Model: "c", StopReason: ai.StopEnd, Content: []ai.Block{
			&ai.Thinking{Text: "theirs", Signature: "sig"}, text("Done."), call("toolu_"+strings.Repeat("y", 70)+"_", "read", `{"path":"b"}`), call("a.b|fc_"+strings.Repeat("z", 30), "status", `{}`),
		}},
		&ai.SystemMessage{ToolsRemoved: []string{"status"}},
		ai.UserText("Last."),
	}
}

func bodyOf(t testing.TB, c *ai.Call, d *Dialect, o *Options, st *State) []byte {
	t.Helper()
	r, err := NewRequest(c, d, o, st)
	if err != nil {
		t.Fatal(err)
	}
	return bytes.Join(r.Body(), nil)
}

func TestRequests(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		compat  string
		dialect *Dialect
		opts    Options
		history []ai.Message
		change  func(*ai.Call)
	}{
		"default":   {},
		"plain-ids": {dialect: &Dialect{MaxTokens: true}},
		"codex":     {dialect: codex(), opts: Options{ReasoningSummary: "detailed", TextVerbosity: "high"}},
		"azure":     {dialect: &Dialect{Strict: true, MaxTokens: true, Model: "deployment", PairedIDs: true}},
		"system-in-place": {
			compat: `{"supportsMidConvoSystemMessages":true,"supportsDeveloperRole":false}`, opts: Options{ServiceTier: "flex", ToolChoice: json.RawMessage(`{"type":"any"}`)},
			change: func(c *ai.Call) { c.Options.Temperature = new(0.5); c.Options.MaxTokens = 3 },
		},
		"additional-tools": {compat: `{"supportsMidConvoSystemMessages":true,"supportsAdditionalTools":true,"supportsOpenAIGrammarTools":true,"supportsStrictMode":true}`, change: func(c *ai.Call) { c.Options.ToolChoice = "patch" }},
		"tool-search":      {compat: `{"supportsMidConvoSystemMessages":true,"supportsToolSearch":true}`, history: conversation()[:11]},
		"effort-on-the-way": {compat: `{"supportsMidConvoEffort":true}`, change: func(c *ai.Call) {
			c.Model.ThinkingLevels = map[ai.ThinkingLevel]*string{"medium": new("MEDIUM")}
			c.Options.SamplingParams = map[string]json.RawMessage{"top_p": json.RawMessage("0.5"), "input": json.RawMessage("[]")}
		}},
		"login": {compat: `{"supportsMidConvoEffort":true}`, history: []ai.Message{ai.UserText("x")}, change: func(c *ai.Call) {
			c.BaseURL, c.Auth.OAuth, c.Options.Temperature, c.Options.Cache = "https://api.openai.com/v1", true, new(1.0), ai.CacheLong
		}},
		"no-thinking": {history: []ai.Message{ai.UserText("x")}, change: func(c *ai.Call) { c.Model.Reasoning = false; c.Options.Cache = ai.CacheNone }},
	}
	for _, name := range slices.Sorted(maps.Keys(tests)) {
		tt := tests[name]
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if tt.compat == "" {
				tt.compat = "{}"
			}
			if tt.dialect == nil {
				tt.dialect = openAI()
			}
			if tt.history == nil {
				tt.history = conversation()
			}
			c := testCall(testModel(tt.compat), tt.history...)
			if tt.change != nil {
				tt.change(c)
			}
			golden(t, name, bodyOf(t, c, tt.dialect, &tt.opts, new(State)))
		})
	}
}

func TestReasoningAndCache(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name, compat string
		dialect      *Dialect
		opts         Options
		change       func(*ai.Call)
		reasoning    string
		include      bool
		cache        string
	}{
		{name: "on", reasoning: `{"effort":"medium","summary":"auto"}`, include: true, cache: `"session-1"//`},
		{name: "off", change: func(c *ai.Call) { c.Options.Thinking = "off" }, reasoning: `{"effort":"none"}`, cache: `"session-1"//`},
		{name: "off named", change: func(c *ai.Call) {
			c.Options.Thinking, c.Model.ThinkingLevels = "off", map[ai.ThinkingLevel]*string{"off": new("minimal")}
		}, reasoning: `{"effort":"minimal"}`, cache: `"session-1"//`},
		{name: "no off", change: func(c *ai.Call) {
			c.Options.Thinking, c.Model.ThinkingLevels = "off", map[ai.ThinkingLevel]*string{"off": nil}
		}, cache: `"session-1"//`},
		{name: "off at Copilot", change: func(c *ai.Call) { c.Options.Thinking, c.Model.Provider = "off", "github-copilot" }, cache: `"session-1"//`},
		{name: "off at xAI", change: func(c *ai.Call) { c.Options.Thinking, c.Model.Provider = "off", "xai" }, reasoning: `{"effort":"none"}`, include: true, cache: `"session-1"//`},
		{name: "no summary", opts: Options{ReasoningSummary: "off", ReasoningEffort: "xx"}, reasoning: `{"effort":"xx"}`, include: true, cache: `"session-1"//`},
		{name: "long", change: func(c *ai.Call) { c.Options.Cache = ai.CacheLong }, reasoning: `{"effort":"medium","summary":"auto"}`, include: true, cache: `"session-1"/"24h"/`},
		{name: "long, not supported", compat: `{"supportsLongCacheRetention":false}`, change: func(c *ai.Call) { c.Options.Cache = ai.CacheLong }, reasoning: `{"effort":"medium","summary":"auto"}`, include: true, cache: `"session-1"//`},
		{name: "none", change: func(c *ai.Call) { c.Options.Cache = ai.CacheNone }, reasoning: `{"effort":"medium","summary":"auto"}`, include: true, cache: `//`},
		{name: "explicit none", compat: `{"supportsExplicitPromptCacheMode":true}`, change: func(c *ai.Call) { c.Options.Cache = ai.CacheNone }, reasoning: `{"effort":"medium","summary":"auto"}`, include: true, cache: `//{"mode":"explicit"}`},
		{name: "explicit long", compat: `{"supportsExplicitPromptCacheMode":true}`, change: func(c *ai.Call) { c.Options.Cache = ai.CacheLong }, reasoning: `{"effort":"medium","summary":"auto"}`, include: true, cache: `"session-1"//{"ttl":"30m"}`},
		{name: "key disabled", compat: `{"promptCacheKeyMode":"disabled"}`, reasoning: `{"effort":"medium","summary":"auto"}`, include: true, cache: `//`},
	} {
		if tt.compat == "" {
			tt.compat = "{}"
		}
		c := testCall(testModel(tt.compat), ai.UserText("x"))
		if tt.change != nil {
			tt.change(c)
		}
		var body struct {
			Reasoning json.RawMessage `json:"reasoning"`
			Include   []string        `json:"include"`
			Key       json.RawMessage `json:"prompt_cache_key"`
			Keep      json.RawMessage `json:"prompt_cache_retention"`
			Cache     json.RawMessage `json:"prompt_cache_options"`
		}
		if err := json.Unmarshal(bodyOf(t, c, openAI(), &tt.opts, new(State)), &body); err != nil {
			t.Fatal(err)
		}
		cache := string(body.Key) + "/" + string(body.Keep) + "/" + string(body.Cache)
		if string(body.Reasoning) != tt.reasoning || (len(body.Include) > 0) != tt.include || cache != tt.cache {
			t.Errorf("%s: reasoning %s, include %v, cache %s", tt.name, body.Reasoning, body.Include, cache)
		}
	}
}

func TestAffinity(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		compat string
		change func(*ai.Call)
		want   map[string]string
	}{
		{`{}`, nil, map[string]string{"session-id": "session-1", "x-client-request-id": "session-1"}},
		{`{"sessionAffinityFormat":"openai-nosession"}`, nil, map[string]string{"x-client-request-id": "session-1"}},
		{`{}`, func(c *ai.Call) { c.BaseURL = "https://openrouter.ai/api/v1" }, map[string]string{"x-session-id": "session-1"}},
		{`{}`, func(c *ai.Call) { c.Options.Cache = ai.CacheNone }, nil},
		{`{}`, func(c *ai.Call) { c.SessionID = "" }, nil},
	} {
		c := testCall(testModel(tt.compat), ai.UserText("x"))
		if tt.change != nil {
			tt.change(c)
		}
		r, err := NewRequest(c, openAI(), &Options{}, new(State))
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(tt.want, r.AffinityHeaders()); diff != "" {
			t.Errorf("%s (-want +got):\n%s", tt.compat, diff)
		}
	}
}

func TestBadConfiguration(t *testing.T) {
	t.Parallel()
	for compat, want := range map[string]string{
		`{`: "compat of model p/m", `{"sessionAffinityFormat":"x"}`: `unknown sessionAffinityFormat "x"`, `{"promptCacheKeyMode":"x"}`: `unknown promptCacheKeyMode "x"`,
	} {
		if _, err := NewRequest(testCall(testModel(compat)), openAI(), &Options{}, new(State)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", compat, err)
		}
	}
	strict := []ai.Message{&ai.SystemMessage{ToolsAdded: []ai.Tool{{Name: "t", Sampling: &ai.ConstrainedSampling{Type: ai.SamplingJSONSchema, Strict: "require"}}}}}
	for _, compat := range []string{`{}`, `{"supportsMidConvoSystemMessages":true,"supportsAdditionalTools":true}`} {
		st := new(State)
		for range 2 {
			if _, err := NewRequest(testCall(testModel(compat), strict...), openAI(), &Options{}, st); err == nil || !strings.Contains(err.Error(), `tool "t" requires strict`) {
				t.Errorf("%s: %v", compat, err)
			}
		}
	}
}

func TestAnnouncedTools(t *testing.T) {
	t.Parallel()
	in := []ai.Message{
		&ai.SystemMessage{Content: "a", ToolsAdded: tools()},
		&ai.SystemMessage{ToolsRemoved: []string{"read", "status"}},
		&ai.SystemMessage{ToolsAdded: []ai.Tool{{Name: "read"}}},
		&ai.SystemMessage{Content: "no tools here"},
	}
	var got []string
	for _, m := range announceTools(in) {
		got = append(got, m.(*ai.SystemMessage).UpdateText())
	}
	want := []string{
		"a", "These tools are not available any more: read, status.",
		"The tools that follow are added to the ones you have; one of the same name replaces the earlier one. These tools are not available any more: status.",
		"no tools here",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if len(in[1].(*ai.SystemMessage).ToolsRemoved) != 2 {
		t.Error("the input was changed")
	}
}

// Kept history gives the same bytes as none, whatever was changed.
func TestKeptHistoryGivesTheSameBytes(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		var flags []string
		for _, f := range []string{"supportsMidConvoSystemMessages", "supportsAdditionalTools", "supportsToolSearch", "supportsOpenAIGrammarTools", "supportsMidConvoEffort"} {
			if rapid.Bool().Draw(t, f) {
				flags = append(flags, `"`+f+`":true`)
			}
		}
		m := testModel("{" + strings.Join(flags, ",") + "}")
		d := openAI()
		st := new(State)
		messages := conversation()
		for range rapid.IntRange(1, 6).Draw(t, "steps") {
			i := rapid.IntRange(0, len(messages)-1).Draw(t, "i")
			j := rapid.IntRange(0, len(messages)-1).Draw(t, "j")
			switch rapid.IntRange(0, 3).Draw(t, "edit") {
			case 0:
				messages[i], messages[j] = messages[j], messages[i]
			case 1:
				messages = append(messages, conversation()[rapid.IntRange(0, 12).Draw(t, "new")])
			case 2:
				if len(messages) > 1 {
					messages = append(append([]ai.Message{}, messages[:i]...), messages[i+1:]...)
				}
			case 3:
				messages = conversation()
			}
			c := testCall(m, messages...)
			r, err := NewRequest(c, d, &Options{}, st)
			if err != nil {
				t.Fatal(err)
			}
			scratch, err := NewRequest(c, d, &Options{}, new(State))
			if err != nil {
				t.Fatal(err)
			}
			got, want := bytes.Join(r.Body(), nil), bytes.Join(scratch.Body(), nil)
			if !bytes.Equal(got, want) {
				t.Fatalf("kept:\n%s\nfrom scratch:\n%s", got, want)
			}
			if !json.Valid(got) {
				t.Fatalf("not JSON: %s", got)
			}
			all, err := r.From(0)
			if err != nil || !bytes.Equal(all, bytes.Join(r.Input, nil)) {
				t.Fatalf("items from 0: %s, %v\nall: %s", all, err, bytes.Join(r.Input, nil))
			}
		}
	})
}

// Two calls whose ids differ only in the half that names the item, or only by it, do
// not go out as one.
func TestHalfAnIDIsNotUsedTwice(t *testing.T) {
	t.Parallel()
	rule := idRule(true)
	model := &ai.Model{ID: "m", Provider: "p", API: "a"}
	answer := func(m string, ids ...string) *ai.AssistantMessage {
		a := &ai.AssistantMessage{API: "a", Provider: "p", Model: m, StopReason: ai.StopToolUse}
		for _, id := range ids {
			a.Content = append(a.Content, &ai.ToolCall{ID: id, Name: "read", Arguments: []byte("{}")})
		}
		return a
	}
	history := []ai.Message{ai.UserText("x"), answer("m", "call|fc_1", "call|fc_2", "call"), answer("other", "call", "call|fc_1"), answer("m", "call|fc_1")}
	seen := make(map[string]bool)
	items := make(map[string]bool)
	for _, m := range ai.Transform(model, history, ai.TransformOptions{ToolCallID: rule, UniqueID: callID}) {
		a, ok := m.(*ai.AssistantMessage)
		if !ok {
			continue
		}
		for _, b := range a.Content {
			id := b.(*ai.ToolCall).ID
			call, item, two := strings.Cut(id, "|")
			if seen[call] || two && items[item] {
				t.Errorf("%q is used twice", id)
			}
			seen[call], items[item] = true, two
		}
	}
	if len(seen) != 6 {
		t.Errorf("%d ids", len(seen))
	}
}
