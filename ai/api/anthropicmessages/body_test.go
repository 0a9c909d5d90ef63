package anthropicmessages_test

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/pi-go/pi/ai"
	"github.com/pi-go/pi/ai/aitest/mockllm"
	"github.com/pi-go/pi/ai/api/anthropicmessages"
	"github.com/pi-go/pi/ai/auth"
)

var update = flag.Bool("update", false, "rewrite the golden files")

// send makes one request and gives it as the server saw it.
func send(t *testing.T, model *ai.Model, req ai.Request, opts ai.Options) *mockllm.Request {
	t.Helper()
	srv := mockllm.New()
	srv.Queue(mockllm.Say("ok"))
	if opts.APIKey == "" {
		opts.APIKey = "key"
	}
	if m := client(srv, model).Stream(t.Context(), model, req, opts).Result(); m.Err() != nil {
		t.Fatal(m.Err())
	}
	return srv.Requests()[0]
}

// golden compares a request with testdata/bodies/name.json: the headers that
// the protocol sets, then the body, both indented.
func golden(t *testing.T, name string, r *mockllm.Request) {
	t.Helper()
	var b bytes.Buffer
	fmt.Fprintf(&b, "// %s %s\n", r.Method, r.URL)
	for _, h := range []string{"x-api-key", "Authorization", "anthropic-version", "anthropic-beta", "x-session-id", "x-session-affinity", "User-Agent", "x-app"} {
		if v := r.Header.Get(h); v != "" && (h != "User-Agent" || !strings.HasPrefix(v, "pi-go/")) {
			fmt.Fprintf(&b, "// %s: %s\n", h, v)
		}
	}
	if err := json.Indent(&b, r.Body, "", "  "); err != nil {
		t.Fatalf("the body is not JSON: %v\n%s", err, r.Body)
	}
	b.WriteByte('\n')
	path := filepath.Join("testdata", "bodies", name+".json")
	if *update {
		if err := os.WriteFile(path, b.Bytes(), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), b.String()); diff != "" {
		t.Errorf("%s (-want +got):\n%s", path, diff)
	}
}

// The session goes into the header that the vendor reads; OpenRouter is known by its name
// and by its address, and others can be told to be like it.
func TestAffinityHeaders(t *testing.T) {
	for name, tt := range map[string]struct {
		provider, base, flags string
		cache                 ai.CacheRetention
		want                  string
	}{
		"vendor":                 {"anthropic", "https://api.anthropic.com", `{}`, "", ""},
		"openrouter by name":     {"openrouter", "https://mock", `{}`, "", "x-session-id"},
		"openrouter by address":  {"mine", "https://openrouter.ai/api", `{}`, "", "x-session-id"},
		"asked for":              {"mine", "https://mock", `{"sendSessionAffinityHeaders":true}`, "", "x-session-affinity"},
		"asked for in that form": {"mine", "https://mock", `{"sendSessionAffinityHeaders":true,"sessionAffinityFormat":"openrouter"}`, "", "x-session-id"},
		"not wanted":             {"openrouter", "https://mock", `{"sendSessionAffinityHeaders":false}`, "", ""},
		"nothing is cached":      {"openrouter", "https://mock", `{}`, ai.CacheNone, ""},
	} {
		m := compat(testModel(), tt.flags)
		m.Provider, m.BaseURL = tt.provider, tt.base
		r := send(t, m, ai.Request{Messages: []ai.Message{ai.UserText("x")}}, ai.Options{SessionID: "s1", Cache: tt.cache})
		for _, h := range []string{"x-session-id", "x-session-affinity"} {
			if got := r.Header.Get(h); (got != "") != (h == tt.want) || got != "" && got != "s1" {
				t.Errorf("%s: %s is %q", name, h, got)
			}
		}
	}
}

func compat(m *ai.Model, flags string) *ai.Model {
	c := *m
	c.Compat = json.RawMessage(flags)
	return &c
}

func readTool() ai.Tool {
	return ai.Tool{
		Name: "read", Description: "Read a file.",
		Parameters: json.RawMessage(`{"type":"object","properties":{"path":{"type":"string"},"limit":{"type":"integer"}},"required":["path"],"anyOf":[{"required":["path"]}]}`),
	}
}

func strictTool() ai.Tool {
	return ai.Tool{
		Name: "write", Description: "Write a file.", Sampling: ai.StrictPreferred(),
		Parameters: json.RawMessage(`{"type":"object","properties":{"path":{"type":"string"},"mode":{"type":"string"}},"required":["path"]}`),
	}
}

// answer is an answer of the test model.
func answer(blocks ...ai.Block) *ai.AssistantMessage {
	return &ai.AssistantMessage{
		API: anthropicmessages.ID, Provider: "anthropic", Model: "claude-x", StopReason: ai.StopToolUse, Content: blocks,
	}
}

func result(id, name, text string) *ai.ToolResultMessage {
	return &ai.ToolResultMessage{ToolCallID: id, ToolName: name, Content: []ai.Block{&ai.Text{Text: text}}}
}

func call(id, name, args string) *ai.ToolCall {
	return &ai.ToolCall{ID: id, Name: name, Arguments: json.RawMessage(args)}
}

// history has every kind of message and block.
func fullHistory() []ai.Message {
	failed := result("t2", "shot", "it failed")
	failed.IsError = true
	failed.Content = append(failed.Content, &ai.Image{Data: "aW1n", MIMEType: "image/png"})
	shown := &ai.ToolResultMessage{ToolCallID: "t3", ToolName: "shot", Content: []ai.Block{&ai.Image{Data: "aW1n", MIMEType: "image/png"}}}
	return []ai.Message{
		&ai.UserMessage{Content: []ai.Block{&ai.Text{Text: "Look <here> & there"}, &ai.Text{Text: "  "}, &ai.Image{Data: "aW1n", MIMEType: "image/jpeg"}}},
		answer(
			&ai.Thinking{Text: "Hm.", Signature: "sig"}, &ai.Thinking{Text: "[Reasoning redacted]", Signature: "secret", Redacted: true},
			&ai.Thinking{Text: "unsigned"}, &ai.Text{Text: "Looking."},
			call("t1", "read", `{"path":"a.txt", "n":1.50}`), call("t2", "shot", `{}`), call("t3", "shot", `{}`), call("t4", "read", `{}`),
		),
		result("t1", "read", "text of a"), failed, shown,
		ai.UserText("Go on."),
		&ai.AssistantMessage{API: "x", Provider: "other", Model: "y", StopReason: ai.StopEnd, Content: []ai.Block{&ai.Thinking{Text: "foreign", Signature: "s"}, &ai.Text{Text: "Done.", Signature: "s"}}},
		answer(&ai.Thinking{Text: "only thinking", Signature: "sig"}),
		ai.UserText("Thanks."),
	}
}

func TestBodies(t *testing.T) {
	base := testModel()
	hello := []ai.Message{ai.UserText("Hello")}
	tools := []ai.Tool{readTool(), strictTool()}
	update := "Be brief."
	later := []ai.Message{
		ai.UserText("Hello"), answer(&ai.Text{Text: "Hi"}),
		&ai.SystemMessage{Content: "Now in French.", Sections: []ai.Section{{Name: "style", Text: &update}}, ToolsAdded: []ai.Tool{{Name: "ls"}, readTool()}, ToolsRemoved: []string{"write", "read"}},
		ai.UserText("Bonjour"),
	}
	temperature := 0.5
	withHeader := *base
	withHeader.Headers = map[string]string{"anthropic-beta": "mine"}
	adaptive := compat(base, `{"forceAdaptiveThinking":true}`)
	most := "max"
	adaptive.ThinkingLevels = map[ai.ThinkingLevel]*string{ai.ThinkingOff: nil, ai.ThinkingMax: &most}
	for _, tt := range []struct {
		name  string
		model *ai.Model
		req   ai.Request
		opts  ai.Options
	}{
		{"plain", base, ai.Request{System: "Be kind.", Messages: hello}, ai.Options{Temperature: &temperature, Metadata: map[string]string{"user_id": "u", "other": "x"}}},
		{"no-cache", base, ai.Request{System: "Be kind.", Tools: tools, Messages: hello}, ai.Options{Cache: ai.CacheNone}},
		{"long-cache", base, ai.Request{System: "Be kind.", Tools: tools, Messages: hello}, ai.Options{Cache: ai.CacheLong, ToolChoice: ai.ToolChoiceRequired}},
		{"long-cache-by-env", base, ai.Request{Messages: hello}, ai.Options{Env: map[string]string{"PI_CACHE_RETENTION": "long"}}},
		{"history", base, ai.Request{System: "Be kind.", Tools: tools, Messages: fullHistory()}, ai.Options{Thinking: ai.ThinkingLow, ToolChoice: "read", Temperature: &temperature}},
		{"text-only-model", textOnly(base), ai.Request{Messages: fullHistory()}, ai.Options{}},
		{"empty-signature", compat(base, `{"allowEmptySignature":true}`), ai.Request{Messages: fullHistory()[:2]}, ai.Options{}},
		{"budget", base, ai.Request{Messages: hello}, ai.Options{Thinking: ai.ThinkingHigh, MaxTokens: 2000, ThinkingBudgets: ai.ThinkingBudgets{ai.ThinkingHigh: 5000}}},
		{"budget-cut", base, ai.Request{Messages: hello}, ai.Options{Thinking: ai.ThinkingHigh, ThinkingBudgets: ai.ThinkingBudgets{ai.ThinkingHigh: 100_000}, Protocol: anthropicmessages.Options{ThinkingDisplay: "omitted", NoInterleavedThinking: true, Betas: []string{"own-1"}}}},
		{"adaptive", adaptive, ai.Request{Messages: hello}, ai.Options{Thinking: ai.ThinkingMax}},
		{"adaptive-can-not-be-off", adaptive, ai.Request{Messages: hello}, ai.Options{}},
		{"strict", compat(base, `{"supportsStrictTools":true}`), ai.Request{Tools: tools, Messages: hello}, ai.Options{}},
		{"few-features", compat(base, `{"supportsEagerToolInputStreaming":false,"supportsLongCacheRetention":false,"supportsCacheControlOnTools":false,"supportsTemperature":false,"sendSessionAffinityHeaders":true}`), ai.Request{Tools: tools, Messages: hello}, ai.Options{Cache: ai.CacheLong, Temperature: &temperature, SessionID: "s1"}},
		{"fallbacks", compat(base, `{"allowedFallbackModels":[{"provider":"anthropic","model":"claude-y","cost":{"input":1}}]}`), ai.Request{Messages: hello}, ai.Options{}},
		{"later-system-collapsed", base, ai.Request{System: "Be kind.", Tools: tools, Messages: later}, ai.Options{}},
		{"later-system-in-place", compat(base, `{"supportsMidConvoSystemMessages":true}`), ai.Request{System: "Be kind.", Tools: tools, Messages: later}, ai.Options{}},
		{"later-tools-in-place", compat(base, `{"supportsMidConvoSystemMessages":true,"supportsMidConvoToolChanges":true}`), ai.Request{System: "Be kind.", Tools: tools, Messages: later}, ai.Options{}},
		{"effort-in-place", compat(base, `{"supportsMidConvoEffort":true,"supportsMidConvoSystemMessages":true}`), ai.Request{Messages: effortHistory()}, ai.Options{Thinking: ai.ThinkingMedium, Temperature: &temperature}},
		{"login-token", base, ai.Request{System: "Be kind.", Tools: tools, Messages: hello}, ai.Options{APIKey: "sk-ant-oat01-x"}},
		{"own-beta-header", &withHeader, ai.Request{Messages: hello}, ai.Options{Thinking: ai.ThinkingLow}},
		{"removed-beta-header", base, ai.Request{Messages: hello}, ai.Options{Thinking: ai.ThinkingLow, RemoveHeaders: []string{"Anthropic-Beta"}}},
	} {
		t.Run(tt.name, func(t *testing.T) { golden(t, tt.name, send(t, tt.model, tt.req, tt.opts)) })
	}
}

func textOnly(m *ai.Model) *ai.Model {
	c := *m
	c.Input = []string{"text"}
	return &c
}

func effortHistory() []ai.Message {
	first, second := answer(&ai.Text{Text: "Hi"}), answer(&ai.Text{Text: "Yes"})
	first.ProviderThinkingLevel, second.ProviderThinkingLevel = "high", "not a word"
	return []ai.Message{ai.UserText("Hello"), first, ai.UserText("Well?"), second, ai.UserText("And?")}
}

func TestEndpoint(t *testing.T) {
	for base, want := range map[string]string{
		"http://mock":                    "/v1/messages?beta=true",
		"http://mock/v1/":                "/v1/messages?beta=true",
		"http://mock/anthropic":          "/anthropic/v1/messages?beta=true",
		"http://mock/x/v1?api-version=2": "/x/v1/messages?api-version=2&beta=true",
	} {
		m := *testModel()
		m.BaseURL = base
		if got := send(t, &m, ai.Request{Messages: []ai.Message{ai.UserText("x")}}, ai.Options{}).URL; got != want {
			t.Errorf("%s: %s, want %s", base, got, want)
		}
	}
}

// A gateway's key goes where its credentials say.
func TestBearer(t *testing.T) {
	srv := mockllm.New()
	srv.Queue(mockllm.Say("ok"))
	m := *testModel()
	m.BaseURL = "http://mock/v1/" // some write the version, some do not
	p := ai.NewProvider(ai.ProviderConfig{
		ID: "anthropic", Models: []*ai.Model{&m}, APIs: []ai.API{anthropicmessages.New()},
		Auth: auth.Methods{APIKey: auth.EnvKey{Vars: []string{"TOKEN"}, BearerVars: []string{"TOKEN"}}},
	})
	env := func(string) string { return "t0k" }
	models := ai.ModelsConfig{HTTPClient: srv.Client(), Env: env}.New(p)
	if a := models.Stream(t.Context(), &m, ai.Request{Messages: []ai.Message{ai.UserText("x")}}, ai.Options{}).Result(); a.Err() != nil {
		t.Fatal(a.Err())
	}
	r := srv.Requests()[0]
	if r.Header.Get("Authorization") != "Bearer t0k" || r.Header.Get("x-api-key") != "" || r.URL != "/v1/messages?beta=true" || r.Header.Get("anthropic-beta") != "" {
		t.Errorf("%s %v", r.URL, r.Header)
	}
}

// The same conversation gives the same bytes whether or not history is kept, and
// a longer one begins with what the shorter one was, its cache mark aside.
func TestStableBytes(t *testing.T) {
	m := testModel()
	messages := fullHistory()
	kept := ai.NewConversation("c")
	defer kept.Close()
	body := func(n int, c *ai.Conversation) string {
		req := ai.Request{System: "Be kind.", Tools: []ai.Tool{readTool(), strictTool()}, Messages: messages[:n]}
		return string(send(t, m, req, ai.Options{Conversation: c}).Body)
	}
	prefix := ""
	for n := 1; n <= len(messages); n++ {
		fresh := body(n, nil)
		for range 3 {
			if again := body(n, kept); again != fresh {
				t.Fatalf("%d messages, without and with kept history:\n%s\n%s", n, fresh, again)
			}
		}
		if _, ok := messages[n-1].(*ai.UserMessage); !ok {
			continue // results that have not come yet are made up, and replaced later
		}
		bare := strings.ReplaceAll(fresh, `,"cache_control":{"type":"ephemeral"}`, "")
		if !strings.HasPrefix(bare, prefix) {
			t.Errorf("%d messages do not begin as before:\n%s\n%s", n, prefix, bare)
		}
		prefix = strings.TrimSuffix(bare, "]}")
	}
}

func TestRefusedRequests(t *testing.T) {
	hello := []ai.Message{ai.UserText("Hello")}
	must := strictTool()
	must.Sampling.Strict = "require"
	unfit := must
	unfit.Parameters = json.RawMessage(`{"type":"object","properties":{"n":{"type":"integer","minimum":1}},"required":["n"]}`)
	strict := compat(testModel(), `{"supportsStrictTools":true}`)
	for name, tt := range map[string]struct {
		model *ai.Model
		req   ai.Request
		says  string
	}{
		"strict without support":  {testModel(), ai.Request{Tools: []ai.Tool{must}, Messages: hello}, "tool write must be strict, but the model does not support that"},
		"strict that can not be":  {strict, ai.Request{Tools: []ai.Tool{unfit}, Messages: hello}, `"minimum"`},
		"nothing to say":          {testModel(), ai.Request{System: "x"}, "nothing to send"},
		"broken schema":           {testModel(), ai.Request{Tools: []ai.Tool{{Name: "a", Parameters: json.RawMessage(`[]`)}}, Messages: hello}, "schema of tool a"},
		"broken compat":           {compat(testModel(), `{"supportsTemperature":"yes"}`), ai.Request{Messages: hello}, "compat of model anthropic/claude-x"},
		"unknown affinity format": {compat(testModel(), `{"sessionAffinityFormat":"x"}`), ai.Request{Messages: hello}, "sessionAffinityFormat"},
	} {
		srv := mockllm.New()
		m := client(srv, tt.model).Stream(t.Context(), tt.model, tt.req, ai.Options{APIKey: "k"}).Result()
		if m.StopReason != ai.StopError || !strings.Contains(m.ErrorMessage, tt.says) || len(srv.Requests()) != 0 {
			t.Errorf("%s: %s %q, %d requests", name, m.StopReason, m.ErrorMessage, len(srv.Requests()))
		}
	}
}
