package openaicompletions

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
)

var update = flag.Bool("update", false, "rewrite the golden files")

// golden compares with testdata/name, indented.
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

func testModel(change ...func(*ai.Model)) *ai.Model {
	m := &ai.Model{
		ID: "m", Provider: "p", API: ID, BaseURL: "https://example.com/v1", Reasoning: true, Input: []string{"text", "image"},
		ContextWindow: 200_000, MaxTokens: 32_000,
	}
	for _, c := range change {
		c(m)
	}
	return m
}

func compat(fields string) func(*ai.Model) {
	return func(m *ai.Model) { m.Compat = json.RawMessage(fields) }
}

func at(provider, baseURL string) func(*ai.Model) {
	return func(m *ai.Model) { m.Provider, m.BaseURL = provider, baseURL }
}

func testCall(m *ai.Model, messages ...ai.Message) *ai.Call {
	return &ai.Call{
		Model: m, Messages: messages, BaseURL: m.BaseURL, SessionID: "session-1",
		Options: ai.Options{Thinking: ai.ThinkingMedium, MaxTokens: 1000},
	}
}

func bodyOf(t testing.TB, call *ai.Call, st *state) []byte {
	t.Helper()
	r, err := newRequest(call, st)
	if err != nil {
		t.Fatal(err)
	}
	return bytes.Join(r.body, nil)
}

// own is an answer of the test model.
func own(content ...ai.Block) *ai.AssistantMessage {
	return &ai.AssistantMessage{API: ID, Provider: "p", Model: "m", StopReason: ai.StopToolUse, Content: content}
}

func toolCallOf(id, name, args string) *ai.ToolCall {
	return &ai.ToolCall{ID: id, Name: name, Arguments: json.RawMessage(args)}
}

func resultOf(id string, content ...ai.Block) *ai.ToolResultMessage {
	return &ai.ToolResultMessage{ToolCallID: id, ToolName: "read", Content: content}
}

func text(s string) *ai.Text { return &ai.Text{Text: s} }

func picture() *ai.Image { return &ai.Image{Data: "aGk=", MIMEType: "image/png"} }

func tools() []ai.Tool {
	return []ai.Tool{
		{Name: "read", Description: "Read a file.", Parameters: json.RawMessage(`{"type":"object","properties":{"path":{"type":"string"},"limit":{"type":"integer"}},"required":["path"]}`), Sampling: ai.StrictPreferred()},
		{Name: "status", Description: "Say \"how\" it goes."},
		{Name: "patch", Parameters: json.RawMessage(`{"type":"object","properties":{"input":{"type":"string"}},"required":["input"]}`), Sampling: &ai.ConstrainedSampling{Type: ai.SamplingGrammar, Variants: map[string]string{"openai_lark": "start: /x/"}}},
	}
}

// conversation has everything that a history can have.
func conversation() []ai.Message {
	return []ai.Message{
		&ai.SystemMessage{Content: "Be brief.", Sections: []ai.Section{{Name: "rules", Text: new("No <b>tabs</b>.")}}, ToolsAdded: tools()},
		&ai.UserMessage{Content: []ai.Block{text("Look \u2028 at\t\"this\"."), picture()}},
		own(&ai.Thinking{Text: "Hm.", Signature: "reasoning_content"}, text("I "), text("look."), toolCallOf("c1", "read", `{"path":"a"}`), toolCallOf("c2", "patch", `{"input":"x\ny"}`)),
		resultOf("c1", text("line 1"), picture(), text("line 2")),
		resultOf("c2", picture()),
		ai.UserText("And?"),
		own(&ai.Thinking{Text: "one", Signature: "reasoning_content"}, &ai.Thinking{Text: "two", Signature: "reasoning_content"}, toolCallOf("c3", "status", `{}`)),
		resultOf("c3", text("")),
		&ai.SystemMessage{Sections: []ai.Section{{Name: "rules", Text: new("Tabs.")}}, ToolsAdded: []ai.Tool{{Name: "late", Description: "New."}}},
		&ai.AssistantMessage{API: "anthropic-messages", Provider: "anthropic", Model: "c", StopReason: ai.StopEnd, Content: []ai.Block{&ai.Thinking{Text: "theirs", Signature: "sig"}, text("Done."), toolCallOf("call_"+strings.Repeat("y", 40)+"|fc_"+strings.Repeat("z", 30), "read", `{"path":"b"}`)}},
		own(&ai.Thinking{Text: "only thinking", Signature: "reasoning_content"}),
		ai.UserText("  "),
		ai.UserText("Last."),
	}
}

func TestRequests(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		model   *ai.Model
		history []ai.Message
		change  func(*ai.Call)
	}{
		"default":          {},
		"text-only":        {model: testModel(func(m *ai.Model) { m.Input = []string{"text"} })},
		"openai":           {model: testModel(at("openai", "https://api.openai.com/v1"))},
		"all-requirements": {model: testModel(compat(`{"requiresToolResultName":true,"requiresAssistantAfterToolResult":true,"requiresThinkingAsText":true,"requiresReasoningContentOnAssistantMessages":true,"supportsStore":false,"supportsUsageInStreaming":false,"maxTokensField":"max_tokens"}`))},
		"non-null-content": {model: testModel(compat(`{"requiresNonNullAssistantContent":true,"requiresReasoningContentOnAssistantMessages":true}`))},
		"system-in-place":  {model: testModel(compat(`{"supportsMidConvoSystemMessages":true,"supportsDeveloperRole":true}`))},
		"tools-in-place":   {model: testModel(compat(`{"supportsMidConvoSystemMessages":true,"supportsMidConvoToolAdditions":true}`))},
		"strict-grammar":   {model: testModel(compat(`{"supportsStrictMode":true,"supportsOpenAIGrammarTools":true}`)), change: func(c *ai.Call) { c.Options.ToolChoice = "patch" }},
		"markers":          {model: testModel(compat(`{"cacheControlFormat":"anthropic"}`)), change: func(c *ai.Call) { c.Options.Cache = ai.CacheLong }},
		"markers-on-results": {model: testModel(compat(`{"cacheControlFormat":"anthropic","requiresAssistantAfterToolResult":true}`)), history: append(conversation()[:5:5],
			&ai.UserMessage{Content: []ai.Block{picture()}})},
		"tools-for-history": {model: testModel(compat(`{"requiresToolsWithToolHistory":true}`)), history: conversation()[1:5]},
		"routing": {model: testModel(compat(`{"openRouterRouting":{"order":["a"],"allow_fallbacks":false},"vercelGatewayRouting":{"only":["x"]},"zaiToolStream":true,"vllmPriority":-5}`)), change: func(c *ai.Call) {
			c.Options.ToolChoice, c.Options.Temperature = ai.ToolChoiceRequired, new(0.5)
			c.Model.SamplingParams = map[string]json.RawMessage{"top_p": json.RawMessage("0.9"), "temperature": json.RawMessage("1")}
			c.Model.SamplingParamsByThinkingLevel = map[ai.ThinkingLevel]map[string]json.RawMessage{ai.ThinkingMedium: {"top_p": json.RawMessage("0.8"), "top_k": json.RawMessage("3")}}
			c.Options.SamplingParams = map[string]json.RawMessage{"seed": json.RawMessage("7"), "top_k": json.RawMessage("4"), "messages": json.RawMessage("[]")}
		}},
		"reasoning-details": {history: []ai.Message{
			ai.UserText("x"),
			own(&ai.Thinking{Text: "a", Signature: `[{"type":"reasoning.text","text":"a","signature":"s"},{"type":"unknown"}]`}, text("t"),
				&ai.Thinking{Signature: `[{"type":"reasoning.encrypted","data":"zz"}]`},
				&ai.ToolCall{ID: "1", Name: "read", Arguments: json.RawMessage(`{}`), ThoughtSignature: `{"type":"reasoning.encrypted","data":"old"}`}),
			resultOf("1", text("r")), own(&ai.Thinking{Text: "b", Signature: "unknown"}, text("u")), ai.UserText("y"),
		}},
		"no-thinking": {model: testModel(func(m *ai.Model) { m.Reasoning = false }), history: []ai.Message{ai.UserText("x")}, change: func(c *ai.Call) {
			c.Options.Thinking, c.Options.MaxTokens, c.Options.Cache = ai.ThinkingOff, 0, ai.CacheNone
		}},
	}
	for _, name := range slices.Sorted(maps.Keys(tests)) {
		tt := tests[name]
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if tt.model == nil {
				tt.model = testModel()
			}
			if tt.history == nil {
				tt.history = conversation()
			}
			for _, m := range tt.history {
				if a, ok := m.(*ai.AssistantMessage); ok && a.Provider == "p" {
					a.Provider = tt.model.Provider
				}
			}
			call := testCall(tt.model, tt.history...)
			if tt.change != nil {
				tt.change(call)
			}
			golden(t, name, bodyOf(t, call, new(state)))
		})
	}
}

// The fields that ask for thinking, per format.
func TestThinkingFormats(t *testing.T) {
	t.Parallel()
	base := "model,stream,stream_options,store,max_completion_tokens,messages"
	for _, tt := range []struct {
		name, compat  string
		model         func(*ai.Model)
		level         ai.ThinkingLevel
		want, effort  string
		maxTokensWant int64
	}{
		{name: "openai on", compat: `{}`, level: "high", want: `"reasoning_effort":"high"`, effort: "high"},
		{name: "openai mapped", compat: `{}`, level: "low", want: `"reasoning_effort":"LOW"`, effort: "LOW"},
		{name: "openai off", compat: `{}`, level: "off", want: `"reasoning_effort":"none"`, effort: "none"},
		{name: "openai unsupported", compat: `{"supportsReasoningEffort":false}`, level: "high", want: ``},
		{name: "openai off unnamed", compat: `{}`, model: noMap, level: "off", want: ``},
		{name: "openrouter on", compat: `{"thinkingFormat":"openrouter"}`, level: "high", want: `"reasoning":{"effort":"high"}`, effort: "high"},
		{name: "openrouter off", compat: `{"thinkingFormat":"openrouter"}`, model: noMap, level: "off", want: `"reasoning":{"effort":"none"}`},
		{name: "openrouter no off", compat: `{"thinkingFormat":"openrouter"}`, model: noOff, level: "off", want: ``},
		{name: "deepseek on", compat: `{"thinkingFormat":"deepseek"}`, level: "high", want: `"thinking":{"type":"enabled"},"reasoning_effort":"high"`, effort: "high"},
		{name: "deepseek off", compat: `{"thinkingFormat":"deepseek"}`, level: "off", want: `"thinking":{"type":"disabled"}`},
		{name: "deepseek no off", compat: `{"thinkingFormat":"deepseek"}`, model: noOff, level: "off", want: ``},
		{name: "together on", compat: `{"thinkingFormat":"together","supportsReasoningEffort":false}`, level: "high", want: `"reasoning":{"enabled":true}`, effort: "high"},
		{name: "together off", compat: `{"thinkingFormat":"together"}`, level: "off", want: `"reasoning":{"enabled":false}`},
		{name: "baseten on", compat: `{"thinkingFormat":"baseten","chatTemplateArgs":{"enable":{"$var":"thinking.enabled"},"n":3}}`, level: "high", want: `"chat_template_args":{"enable":true,"n":3},"reasoning_effort":"high"`, effort: "high"},
		{name: "baseten off", compat: `{"thinkingFormat":"baseten","chatTemplateArgs":{"enable":{"$var":"thinking.enabled"}}}`, level: "off", want: `"chat_template_args":{"enable":false},"reasoning_effort":"none"`},
		{name: "zai on", compat: `{"thinkingFormat":"zai"}`, level: "low", want: `"thinking":{"type":"enabled","clear_thinking":false},"reasoning_effort":"LOW"`, effort: "LOW"},
		{name: "zai unmapped", compat: `{"thinkingFormat":"zai"}`, level: "high", want: `"thinking":{"type":"enabled","clear_thinking":false}`, effort: "high"},
		{name: "zai off", compat: `{"thinkingFormat":"zai"}`, level: "off", want: `"thinking":{"type":"disabled"}`},
		{name: "qwen on", compat: `{"thinkingFormat":"qwen"}`, level: "high", want: `"enable_thinking":true,"reasoning_effort":"high"`, effort: "high"},
		{name: "qwen off", compat: `{"thinkingFormat":"qwen"}`, level: "off", want: `"enable_thinking":false`},
		{name: "qwen template on", compat: `{"thinkingFormat":"qwen-chat-template"}`, level: "high", want: `"chat_template_kwargs":{"enable_thinking":true,"preserve_thinking":true}`, effort: "high"},
		{name: "qwen template off", compat: `{"thinkingFormat":"qwen-chat-template"}`, level: "off", want: `"chat_template_kwargs":{"enable_thinking":false,"preserve_thinking":true}`},
		{name: "template on", compat: `{"thinkingFormat":"chat-template","chatTemplateKwargs":{"e":{"$var":"thinking.effort"},"b":{"$var":"thinking.budget","omitWhenOff":true},"c":"x"}}`, level: "low", want: `"chat_template_kwargs":{"b":2048,"c":"x","e":"LOW"}`, effort: "LOW"},
		{name: "template off", compat: `{"thinkingFormat":"chat-template","chatTemplateKwargs":{"e":{"$var":"thinking.effort"},"b":{"$var":"thinking.budget","omitWhenOff":true},"c":"x"}}`, level: "off", want: `"chat_template_kwargs":{"c":"x","e":"none"}`},
		{name: "string on", compat: `{"thinkingFormat":"string-thinking"}`, level: "low", want: `"thinking":"LOW"`, effort: "LOW"},
		{name: "string off", compat: `{"thinkingFormat":"string-thinking"}`, model: noMap, level: "off", want: `"thinking":"none"`},
		{name: "string no off", compat: `{"thinkingFormat":"string-thinking"}`, model: noOff, level: "off", want: ``},
		{name: "ant-ling mapped", compat: `{"thinkingFormat":"ant-ling"}`, level: "low", want: `"reasoning":{"effort":"LOW"}`, effort: "LOW"},
		{name: "ant-ling unmapped", compat: `{"thinkingFormat":"ant-ling"}`, level: "high", want: ``},
		{name: "budget", compat: `{"thinkingTokenBudgetField":"thinking_budget","supportsReasoningEffort":false}`, level: "low", want: `"thinking_budget":2048`, maxTokensWant: 32000},
		{name: "budget capped", compat: `{"supportsThinkingTokenBudget":true,"supportsReasoningEffort":false}`, level: "high", want: `"thinking_token_budget":976`, maxTokensWant: 2000},
		{name: "budget without room", compat: `{"thinkingTokenBudgetField":"thinking_budget_tokens","supportsReasoningEffort":false}`, level: "high", want: ``, maxTokensWant: 1024},
		{name: "not a reasoning model", compat: `{}`, model: func(m *ai.Model) { m.Reasoning = false }, level: "off", want: ``},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			m := testModel(compat(tt.compat), func(m *ai.Model) {
				m.ThinkingLevels = map[ai.ThinkingLevel]*string{"low": new("LOW"), "off": new("none")}
			})
			if tt.model != nil {
				tt.model(m)
			}
			call := testCall(m, ai.UserText("x"))
			call.Options.Thinking = tt.level
			if tt.maxTokensWant > 0 {
				call.Options.MaxTokens = tt.maxTokensWant
			}
			r, err := newRequest(call, new(state))
			if err != nil {
				t.Fatal(err)
			}
			body := string(bytes.Join(r.body, nil))
			_, rest, _ := strings.Cut(body, `"max_completion_tokens":`)
			_, rest, _ = strings.Cut(rest, ",")
			got, _, _ := strings.Cut(rest, `"messages":`)
			if got = strings.TrimSuffix(got, ","); got != tt.want {
				t.Errorf("got %s, want %s (beside %s)", got, tt.want, base)
			}
			if r.effort != tt.effort {
				t.Errorf("effort %q, want %q", r.effort, tt.effort)
			}
		})
	}
}

func noMap(m *ai.Model) { m.ThinkingLevels = nil }

func noOff(m *ai.Model) { m.ThinkingLevels = map[ai.ThinkingLevel]*string{"off": nil} }

func TestPromptRole(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		compat    string
		reasoning bool
		want      string
	}{{`{"supportsDeveloperRole":true}`, true, "developer"}, {`{"supportsDeveloperRole":true}`, false, "system"}, {`{}`, true, "system"}} {
		m := testModel(compat(tt.compat))
		m.Reasoning = tt.reasoning
		if body := bodyOf(t, testCall(m, &ai.SystemMessage{Content: "x"}), new(state)); !bytes.Contains(body, []byte(`{"role":"`+tt.want+`","content":"x"}`)) {
			t.Errorf("%+v: %s", tt, body)
		}
	}
}

func TestDetection(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		provider, url string
		check         func(*traits) bool
	}{
		{"p", "https://example.com", func(t *traits) bool {
			return t.store && !t.developerRole && t.reasoningEffort && t.maxTokensField == "max_completion_tokens" && t.thinking == FormatOpenAI && t.longCache && !t.affinity
		}},
		{"openai", "", func(t *traits) bool { return t.developerRole && t.store }},
		{"p", "https://api.openai.com/v1", func(t *traits) bool { return t.developerRole && t.openAIHost }},
		{"p", "https://api.deepseek.com", func(t *traits) bool {
			return t.thinking == FormatDeepSeek && t.reasoningContent && t.maxTokensField == "max_tokens" && !t.store
		}},
		{"p", "https://proxy.example.com/deepseek.com", func(t *traits) bool { return t.thinking == FormatOpenAI && t.store }},
		{"zai-coding-cn", "", func(t *traits) bool { return t.thinking == FormatZai && !t.reasoningEffort }},
		{"p", "https://open.bigmodel.cn/api", func(t *traits) bool { return t.thinking == FormatZai }},
		{"together", "", func(t *traits) bool { return t.thinking == FormatTogether && !t.longCache && !t.reasoningEffort }},
		{"p", "https://api.moonshot.cn/v1", func(t *traits) bool { return !t.store && t.maxTokensField == "max_tokens" && !t.reasoningEffort }},
		{"openrouter", "", func(t *traits) bool {
			return t.affinity && t.affinityFormat == "openrouter" && t.thinking == FormatOpenRouter && t.billedCost
		}},
		{"cloudflare-workers-ai", "", func(t *traits) bool { return !t.longCache && !t.store && t.maxTokensField == "max_completion_tokens" }},
		{"p", "https://gateway.ai.cloudflare.com/v1/{CLOUDFLARE_ACCOUNT_ID}/x", func(t *traits) bool { return !t.longCache && !t.reasoningEffort }},
		{"nvidia", "", func(t *traits) bool { return !t.longCache && t.maxTokensField == "max_tokens" }},
		{"ant-ling", "", func(t *traits) bool { return t.thinking == FormatAntLing }},
		{"p", "https://api.cerebras.ai/v1", func(t *traits) bool { return !t.store && t.reasoningEffort }},
		{"xai", "", func(t *traits) bool { return !t.store && !t.reasoningEffort }},
		{"p", "https://llm.chutes.ai/v1", func(t *traits) bool { return !t.store && t.maxTokensField == "max_tokens" }},
		{"opencode", "", func(t *traits) bool { return !t.store }},
		{"opencode-go", "https://opencode.ai/x", func(t *traits) bool { return t.reasoningAs == "reasoning_content" }},
	} {
		got, err := traitsOf(&ai.Model{ID: "m", Provider: tt.provider}, tt.url)
		if err != nil || !tt.check(got) {
			t.Errorf("%s at %s: %+v, %v", tt.provider, tt.url, got, err)
		}
	}
	if got, err := traitsOf(&ai.Model{ID: "anthropic/claude", Provider: "openrouter"}, ""); err != nil || !got.cacheMarkers {
		t.Errorf("Claude at OpenRouter: %+v, %v", got, err)
	}
}

func TestBadConfiguration(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name, compat, want string
		change             func(*ai.Call)
	}{
		{"no JSON", `{`, "compat of model p/m", nil},
		{"thinking format", `{"thinkingFormat":"telepathy"}`, `unknown thinkingFormat "telepathy"; known are "openai"`, nil},
		{"field", `{"maxTokensField":"x"}`, `unknown maxTokensField "x"`, nil},
		{"affinity", `{"sessionAffinityFormat":"x"}`, `unknown sessionAffinityFormat`, nil},
		{"key mode", `{"promptCacheKeyMode":"x"}`, `unknown promptCacheKeyMode`, nil},
		{"budget", `{"thinkingTokenBudgetField":"x"}`, `unknown thinkingTokenBudgetField`, nil},
		{"sampling", `{}`, `"top_p" is not JSON: nope`, func(c *ai.Call) {
			c.Options.SamplingParams = map[string]json.RawMessage{"top_p": json.RawMessage("nope")}
		}},
		{"strict required", `{}`, `tool "t" requires strict arguments: this model's vendor`, func(c *ai.Call) {
			c.Messages = []ai.Message{&ai.SystemMessage{ToolsAdded: []ai.Tool{{Name: "t", Sampling: &ai.ConstrainedSampling{Type: ai.SamplingJSONSchema, Strict: "require"}}}}}
		}},
		{"strict impossible", `{"supportsStrictMode":true}`, `tool "t" requires strict arguments: the keyword "oneOf"`, func(c *ai.Call) {
			c.Messages = []ai.Message{&ai.SystemMessage{ToolsAdded: []ai.Tool{{Name: "t", Parameters: json.RawMessage(`{"type":"object","oneOf":[]}`), Sampling: &ai.ConstrainedSampling{Type: ai.SamplingJSONSchema, Strict: "require"}}}}}
		}},
		{"schema", `{}`, `parameters of tool "t" are not JSON`, func(c *ai.Call) {
			c.Messages = []ai.Message{&ai.SystemMessage{ToolsAdded: []ai.Tool{{Name: "t", Parameters: json.RawMessage(`{`)}}}}
		}},
	} {
		call := testCall(testModel(compat(tt.compat)), ai.UserText("x"))
		if tt.change != nil {
			tt.change(call)
		}
		st := new(state)
		for range 2 { // the second time with what the first left behind
			_, err := newRequest(call, st)
			if err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("%s: got %v, want %q", tt.name, err, tt.want)
			}
		}
	}
}

func TestCacheKeyAndHeaders(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name, compat string
		model        func(*ai.Model)
		cache        ai.CacheRetention
		session      string
		key, keep    string
		headers      map[string]string
	}{
		{name: "unknown vendor", session: "s"},
		{name: "unknown vendor, long", cache: ai.CacheLong, session: "s", key: "s", keep: "24h"},
		{name: "openai", model: at("openai", "https://api.openai.com/v1"), session: strings.Repeat("ü", 70), key: strings.Repeat("ü", 64)},
		{name: "openai, none", model: at("openai", "https://api.openai.com/v1"), cache: ai.CacheNone, session: "s"},
		{name: "enabled", compat: `{"promptCacheKeyMode":"enabled"}`, session: "s", key: "s"},
		{name: "disabled", compat: `{"promptCacheKeyMode":"disabled"}`, cache: ai.CacheLong, session: "s", keep: "24h"},
		{name: "no long", compat: `{"supportsLongCacheRetention":false}`, cache: ai.CacheLong, session: "s"},
		{name: "affinity", compat: `{"sendSessionAffinityHeaders":true}`, session: "s", headers: map[string]string{"session_id": "s", "x-client-request-id": "s", "x-session-affinity": "s"}},
		{name: "affinity, no session id", compat: `{"sendSessionAffinityHeaders":true,"sessionAffinityFormat":"openai-nosession"}`, session: "s", headers: map[string]string{"x-client-request-id": "s", "x-session-affinity": "s"}},
		{name: "affinity, openrouter", model: at("openrouter", "https://openrouter.ai/api/v1"), session: "s", headers: map[string]string{"x-session-id": "s"}},
		{name: "affinity, none", compat: `{"sendSessionAffinityHeaders":true}`, cache: ai.CacheNone, session: "s"},
		{name: "affinity, no session", compat: `{"sendSessionAffinityHeaders":true}`},
	} {
		m := testModel(compat(tt.compat))
		if tt.model != nil {
			tt.model(m)
		}
		call := testCall(m, ai.UserText("x"))
		call.SessionID, call.Options.Cache = tt.session, tt.cache
		r, err := newRequest(call, new(state))
		if err != nil {
			t.Fatal(err)
		}
		var body struct {
			Key  string `json:"prompt_cache_key"`
			Keep string `json:"prompt_cache_retention"`
		}
		if err := json.Unmarshal(bytes.Join(r.body, nil), &body); err != nil {
			t.Fatal(err)
		}
		if body.Key != tt.key || body.Keep != tt.keep {
			t.Errorf("%s: key %q, retention %q", tt.name, body.Key, body.Keep)
		}
		if diff := cmp.Diff(tt.headers, r.headers()); diff != "" {
			t.Errorf("%s: headers (-want +got):\n%s", tt.name, diff)
		}
	}
}
