package bedrockconversestream_test

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	v4 "github.com/aws/aws-sdk-go-v2/aws/signer/v4"
	"github.com/google/go-cmp/cmp"

	"github.com/pi-go/pi/ai"
	"github.com/pi-go/pi/ai/aitest"
	"github.com/pi-go/pi/ai/aitest/mockllm"
	"github.com/pi-go/pi/ai/api/bedrockconversestream"
)

var update = flag.Bool("update", false, "rewrite the golden files")

func client(srv *mockllm.Server, model *ai.Model, env map[string]string) *ai.Models {
	api := bedrockconversestream.Config{Credentials: keys}.New()
	if env == nil {
		env = map[string]string{}
	} else if env["AWS_ACCESS_KEY_ID"] != "" || env["NO_KEYS"] != "" {
		api = bedrockconversestream.New()
	}
	p := ai.NewProvider(ai.ProviderConfig{ID: model.Provider, Models: []*ai.Model{model}, APIs: []ai.API{api}})
	return ai.ModelsConfig{HTTPClient: srv.Client(), Env: func(n string) string { return env[n] }}.New(p)
}

func send(t *testing.T, model *ai.Model, req ai.Request, opts ai.Options, env map[string]string) *mockllm.Request {
	t.Helper()
	srv := mockllm.New()
	srv.Queue(mockllm.Say("ok"))
	if m := client(srv, model, env).Stream(t.Context(), model, req, opts).Result(); m.Err() != nil {
		t.Fatal(m.Err())
	}
	return srv.Requests()[0]
}

func hello() []ai.Message { return []ai.Message{ai.UserText("Hello")} }

// A request is signed as the vendor checks it: over the body that is sent, also when
// the caller changed it.
func TestSignature(t *testing.T) {
	change := func(body json.RawMessage, _ *ai.Model) json.RawMessage {
		return append(body[:len(body)-1:len(body)-1], `,"extra":1}`...)
	}
	for _, opts := range []ai.Options{{}, {OnPayload: change}} {
		r := send(t, testModel(), ai.Request{Messages: hello()}, opts, nil)
		at, err := time.Parse("20060102T150405Z", r.Header.Get("X-Amz-Date"))
		if err != nil {
			t.Fatal(err)
		}
		again, err := http.NewRequestWithContext(t.Context(), http.MethodPost, "https://"+r.Host+r.URL, bytes.NewReader(nil))
		if err != nil {
			t.Fatal(err)
		}
		again.ContentLength = int64(len(r.Body))
		again.Header.Set("Content-Type", "application/json")
		sum := sha256.Sum256(r.Body)
		c := aws.Credentials{AccessKeyID: "AKID", SecretAccessKey: "SECRET", SessionToken: "SESSION"}
		if err := v4.NewSigner().SignHTTP(t.Context(), c, again, hex.EncodeToString(sum[:]), "bedrock", "us-east-1", at); err != nil {
			t.Fatal(err)
		}
		if got, want := r.Header.Get("Authorization"), again.Header.Get("Authorization"); got != want || !strings.Contains(got, "/us-east-1/bedrock/aws4_request") {
			t.Errorf("signed %s\nwant   %s", got, want)
		}
		if r.Header.Get("X-Amz-Security-Token") != "SESSION" || r.Header.Get("Accept") != "application/vnd.amazon.eventstream" {
			t.Errorf("headers %v", r.Header)
		}
	}
}

func TestCredentials(t *testing.T) {
	r := send(t, testModel(), ai.Request{Messages: hello()}, ai.Options{APIKey: "bedrock-key"}, nil)
	if r.Header.Get("Authorization") != "Bearer bedrock-key" || r.Header.Get("X-Amz-Date") != "" {
		t.Errorf("headers %v", r.Header)
	}
	r = send(t, testModel(), ai.Request{Messages: hello()}, ai.Options{}, map[string]string{"AWS_ACCESS_KEY_ID": "FROMENV", "AWS_SECRET_ACCESS_KEY": "s"})
	if !strings.Contains(r.Header.Get("Authorization"), "Credential=FROMENV/") {
		t.Errorf("headers %v", r.Header)
	}
	r = send(t, testModel(), ai.Request{Messages: hello()}, ai.Options{}, map[string]string{"NO_KEYS": "1", "AWS_BEDROCK_SKIP_AUTH": "1"})
	if !strings.Contains(r.Header.Get("Authorization"), "Credential=dummy") {
		t.Errorf("headers %v", r.Header)
	}
	srv := mockllm.New()
	m := client(srv, testModel(), map[string]string{"NO_KEYS": "1"}).Stream(t.Context(), testModel(), ai.Request{Messages: hello()}, ai.Options{}).Result()
	if m.Failure == nil || m.Failure.Kind != ai.KindAuth || len(srv.Requests()) != 0 || !strings.Contains(m.ErrorMessage, "AWS_BEARER_TOKEN_BEDROCK") {
		t.Errorf("without keys: %v", m.Err())
	}
}

// refusing repeats what it was sent, and a secret that it should not know.
type refusing struct{}

func (refusing) RoundTrip(r *http.Request) (*http.Response, error) {
	text := fmt.Sprintf(`{"message":"refused %s, computed with a-secret-key-of-somebody"}`, r.Header.Get("X-Amz-Security-Token"))
	return &http.Response{StatusCode: 403, Header: http.Header{"Content-Type": {"application/json"}}, Body: io.NopCloser(strings.NewReader(text)), Request: r}, nil
}

// Access keys come from outside of the call and are secrets as its own key is.
func TestAccessKeysStaySecret(t *testing.T) {
	model := testModel()
	api := bedrockconversestream.Config{Credentials: func(context.Context, *ai.Call) (aws.Credentials, error) {
		return aws.Credentials{AccessKeyID: "AKID", SecretAccessKey: "a-secret-key-of-somebody", SessionToken: "a-session-token"}, nil
	}}.New()
	p := ai.NewProvider(ai.ProviderConfig{ID: model.Provider, Models: []*ai.Model{model}, APIs: []ai.API{api}})
	models := ai.ModelsConfig{HTTPClient: &http.Client{Transport: refusing{}}, Env: func(string) string { return "" }}.New(p)
	m := models.Stream(t.Context(), model, ai.Request{Messages: hello()}, ai.Options{}).Result()
	if m.Failure == nil || m.Failure.Kind != ai.KindAuth || !strings.Contains(m.ErrorMessage, "refused") {
		t.Fatalf("%+v", m.Failure)
	}
	for _, text := range []string{m.ErrorMessage, m.Failure.Body, m.Err().Error()} {
		if strings.Contains(text, "somebody") || strings.Contains(text, "session-token") {
			t.Errorf("a secret is in %s", text)
		}
	}
}

func TestTarget(t *testing.T) {
	for _, tt := range []struct {
		id, base string
		env      map[string]string
		opts     bedrockconversestream.Options
		want     string
		region   string
	}{
		{"a.b-v1:0", "", nil, bedrockconversestream.Options{}, "bedrock-runtime.us-east-1.amazonaws.com/model/a.b-v1%3A0/converse-stream", "us-east-1"},
		{"m", "https://bedrock-runtime.eu-central-1.amazonaws.com", nil, bedrockconversestream.Options{}, "bedrock-runtime.eu-central-1.amazonaws.com/model/m/converse-stream", "eu-central-1"},
		{"m", "https://bedrock-runtime.eu-central-1.amazonaws.com", map[string]string{"AWS_REGION": "us-west-2"}, bedrockconversestream.Options{}, "bedrock-runtime.us-west-2.amazonaws.com/model/m/converse-stream", "us-west-2"},
		{"m", "", map[string]string{"AWS_DEFAULT_REGION": "cn-north-1"}, bedrockconversestream.Options{}, "bedrock-runtime.cn-north-1.amazonaws.com.cn/model/m/converse-stream", "cn-north-1"},
		{"m", "", map[string]string{"AWS_REGION": "us-west-2"}, bedrockconversestream.Options{Region: "eu-west-1"}, "bedrock-runtime.eu-west-1.amazonaws.com/model/m/converse-stream", "eu-west-1"},
		{"arn:aws:bedrock:ap-south-1:123:inference-profile/x.y", "", map[string]string{"AWS_REGION": "us-west-2"}, bedrockconversestream.Options{}, "bedrock-runtime.ap-south-1.amazonaws.com/model/arn%3Aaws%3Abedrock%3Aap-south-1%3A123%3Ainference-profile%2Fx.y/converse-stream", "ap-south-1"},
		{"m", "https://vpce-1.bedrock.example/x/", map[string]string{"AWS_REGION": "us-west-2"}, bedrockconversestream.Options{}, "vpce-1.bedrock.example/x/model/m/converse-stream", "us-west-2"},
	} {
		model := testModel()
		model.ID, model.BaseURL = tt.id, tt.base
		r := send(t, model, ai.Request{Messages: hello()}, ai.Options{Protocol: tt.opts}, tt.env)
		if got := r.Host + r.URL; got != tt.want || !strings.Contains(r.Header.Get("Authorization"), "/"+tt.region+"/bedrock/") {
			t.Errorf("%s at %q with %v: %s, %s; want %s", tt.id, tt.base, tt.env, got, r.Header.Get("Authorization"), tt.want)
		}
	}
	model := testModel()
	m := client(mockllm.New(), model, map[string]string{"AWS_REGION": "evil.example/"}).Stream(t.Context(), model, ai.Request{Messages: hello()}, ai.Options{}).Result()
	if m.Failure == nil || m.Failure.Kind != ai.KindConfig {
		t.Errorf("a region that is none: %v", m.Err())
	}
}

func fullHistory() []ai.Message {
	answer := func(blocks ...ai.Block) *ai.AssistantMessage {
		m := testModel()
		return &ai.AssistantMessage{API: m.API, Provider: m.Provider, Model: m.ID, StopReason: ai.StopToolUse, Content: blocks}
	}
	image := &ai.Image{Data: "aW1n", MIMEType: "image/png"}
	return []ai.Message{
		&ai.UserMessage{Content: []ai.Block{&ai.Text{Text: "Look"}, image}},
		answer(
			&ai.Thinking{Text: "Hm.", Signature: "sig"}, &ai.Thinking{Text: "x", Signature: "c2VjcmV0", Redacted: true}, &ai.Thinking{Text: "x", Signature: "not base64!", Redacted: true},
			&ai.Thinking{Text: "unsigned"}, &ai.Text{Text: "Looking."},
			&ai.ToolCall{ID: "t1", Name: "read", Arguments: json.RawMessage(`{"path":"a", "":1,"in":[{"":2,"n":1.50}],"e":""}`)}, &ai.ToolCall{ID: "t2", Name: "shot", Arguments: json.RawMessage(`{}`)},
		),
		&ai.ToolResultMessage{ToolCallID: "t1", ToolName: "read", Content: []ai.Block{&ai.Text{Text: "text"}, image}},
		&ai.ToolResultMessage{ToolCallID: "t2", ToolName: "shot", IsError: true, Content: []ai.Block{image}},
		ai.UserText("Go on."),
	}
}

func TestBodies(t *testing.T) {
	temperature := 0.5
	tools := []ai.Tool{
		{Name: "read", Description: "Read a file.", Parameters: json.RawMessage(`{"type":"object","properties":{"path":{"type":"string"}},"required":["path"]}`), Sampling: ai.StrictPreferred()},
		{Name: "ls"},
	}
	named := func(id, compat string) *ai.Model {
		m := testModel()
		m.ID, m.Compat = id, json.RawMessage(compat)
		return m
	}
	profile := named("arn:aws:bedrock:us-east-1:1:application-inference-profile/abc", "")
	profile.Name = "Claude Opus 4.7"
	for _, tt := range []struct {
		name  string
		model *ai.Model
		req   ai.Request
		opts  ai.Options
		env   map[string]string
	}{
		{"plain", testModel(), ai.Request{System: "Be kind.", Messages: hello()}, ai.Options{Temperature: &temperature, MaxTokens: 100, Protocol: bedrockconversestream.Options{RequestMetadata: map[string]string{"b": "2", "a": "1"}}}, nil},
		{"history", named(testModel().ID, `{"supportsStrictMode":true}`), ai.Request{System: "Be kind.", Tools: tools, Messages: fullHistory()}, ai.Options{Thinking: ai.ThinkingLow, Cache: ai.CacheLong, Temperature: &temperature, ToolChoice: "read"}, nil},
		{"adaptive-by-name", profile, ai.Request{Messages: hello()}, ai.Options{Thinking: ai.ThinkingMedium}, nil},
		{"adaptive-without-binding", named("anthropic.claude-sonnet-4-6", ""), ai.Request{Messages: hello()}, ai.Options{Thinking: ai.ThinkingHigh}, nil},
		{"adaptive-government", named("us-gov.anthropic.claude-opus-5", ""), ai.Request{Messages: hello()}, ai.Options{Thinking: ai.ThinkingHigh}, map[string]string{"AWS_REGION": "us-gov-west-1"}},
		{"gpt-oss", named("openai.gpt-oss-120b-1:0", ""), ai.Request{Tools: tools, Messages: hello()}, ai.Options{Thinking: ai.ThinkingMinimal, ToolChoice: ai.ToolChoiceRequired}, nil},
		{"gpt", named("openai.gpt-6", ""), ai.Request{Tools: tools, Messages: hello()}, ai.Options{Thinking: ai.ThinkingHigh, ToolChoice: ai.ToolChoiceNone, Temperature: &temperature}, nil},
		{"nova", named("amazon.nova-pro-v1:0", ""), ai.Request{System: "x", Messages: hello()}, ai.Options{}, map[string]string{"AWS_BEDROCK_FORCE_CACHE": "1"}},
		{"forced-cache", named("qwen.qwen3", ""), ai.Request{System: "x", Messages: hello()}, ai.Options{}, map[string]string{"AWS_BEDROCK_FORCE_CACHE": "1"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			r := send(t, tt.model, tt.req, tt.opts, tt.env)
			var b bytes.Buffer
			if err := json.Indent(&b, r.Body, "", "  "); err != nil {
				t.Fatalf("the body is not JSON: %v\n%s", err, r.Body)
			}
			b.WriteByte('\n')
			path := filepath.Join("testdata", "bodies", tt.name+".json")
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
		})
	}
}

// The same conversation gives the same bytes whether or not history is kept.
func TestStableBytes(t *testing.T) {
	messages := fullHistory()
	kept := ai.NewConversation("c")
	defer kept.Close()
	for n := 1; n <= len(messages); n++ {
		req := ai.Request{System: "Be kind.", Messages: messages[:n]}
		fresh := string(send(t, testModel(), req, ai.Options{}, nil).Body)
		for range 2 {
			if again := string(send(t, testModel(), req, ai.Options{Conversation: kept}, nil).Body); again != fresh {
				t.Fatalf("%d messages, without and with kept history:\n%s\n%s", n, fresh, again)
			}
		}
	}
}

func play(t *testing.T, frames ...mockllm.Frame) *ai.AssistantMessage {
	t.Helper()
	srv := mockllm.New()
	srv.Queue(mockllm.Raw(string(mockllm.EncodeBinary(frames))))
	return aitest.Check(t, client(srv, testModel(), nil).Stream(t.Context(), testModel(), ai.Request{Messages: hello()}, ai.Options{}))
}

func frame(event, data string) mockllm.Frame { return mockllm.Frame{Event: event, Data: data} }

func TestDecode(t *testing.T) {
	start, stop := frame("messageStart", `{"role":"assistant"}`), frame("messageStop", `{"stopReason":"end_turn"}`)
	half := frame("contentBlockDelta", `{"contentBlockIndex":0,"delta":{"text":"Half"},"p":"xyz"}`)
	for name, tt := range map[string]struct {
		frames []mockllm.Frame
		want   string
		stop   ai.StopReason
		kind   ai.ErrorKind
		says   string
	}{
		"hidden thinking in parts": {
			[]mockllm.Frame{
				start, frame("contentBlockDelta", `{"contentBlockIndex":0,"delta":{"reasoningContent":{"redactedContent":"YWI="}}}`),
				frame("contentBlockDelta", `{"contentBlockIndex":0,"delta":{"reasoningContent":{"redactedContent":"Y2Q="}}}`), frame("contentBlockStop", `{"contentBlockIndex":0}`), stop,
			},
			`[{"type":"thinking","thinking":"[Reasoning redacted]","thinkingSignature":"YWJjZA==","redacted":true}]`, ai.StopEnd, "", "",
		},
		"unknown events and fields": {[]mockllm.Frame{start, frame("brandNew", `{}`), half, frame("contentBlockDelta", `{"contentBlockIndex":0,"delta":{"brandNew":1}}`), stop}, `[{"type":"text","text":"Half"}]`, ai.StopEnd, "", ""},
		"usage after the end":       {[]mockllm.Frame{start, half, stop, frame("metadata", `{"usage":{"inputTokens":5,"outputTokens":2,"cacheWriteInputTokens":10,"cacheDetails":[{"ttl":"1h","inputTokens":4}]}}`)}, `[{"type":"text","text":"Half"}]`, ai.StopEnd, "", ""},
		"throttled":                 {[]mockllm.Frame{start, half, frame("exception:throttlingException", `{"message":"slow down"}`)}, `[{"type":"text","text":"Half"}]`, ai.StopError, ai.KindRateLimit, "Throttling error: slow down"},
		"model failed":              {[]mockllm.Frame{start, half, frame("exception:modelStreamErrorException", `{"message":"x"}`)}, `[{"type":"text","text":"Half"}]`, ai.StopError, ai.KindServer, "Model stream error: x"},
		"too long":                  {[]mockllm.Frame{frame("exception:validationException", `{"message":"Input is too long for requested model."}`)}, `[]`, ai.StopError, ai.KindOverflow, "Validation error"},
		"new exception":             {[]mockllm.Frame{start, frame("exception:brandNewException", `{"message":"x"}`)}, `[]`, ai.StopError, ai.KindUnknown, "brandNewException: x"},
		"guardrail":                 {[]mockllm.Frame{start, half, frame("messageStop", `{"stopReason":"guardrail_intervened"}`)}, `[{"type":"text","text":"Half"}]`, ai.StopError, ai.KindRefusal, "guardrail"},
		"window":                    {[]mockllm.Frame{start, half, frame("messageStop", `{"stopReason":"model_context_window_exceeded"}`)}, `[{"type":"text","text":"Half"}]`, ai.StopError, ai.KindOverflow, "window"},
		"new stop":                  {[]mockllm.Frame{start, half, frame("messageStop", `{"stopReason":"brand_new"}`)}, `[{"type":"text","text":"Half"}]`, ai.StopError, ai.KindProtocol, "brand_new"},
		"no end":                    {[]mockllm.Frame{start, half}, `[{"type":"text","text":"Half"}]`, ai.StopError, ai.KindCutStream, "messageStop"},
		"broken JSON":               {[]mockllm.Frame{start, frame("contentBlockDelta", `{"x`)}, `[]`, ai.StopError, ai.KindProtocol, "not JSON"},
		"arguments without a call":  {[]mockllm.Frame{start, frame("contentBlockDelta", `{"contentBlockIndex":0,"delta":{"toolUse":{"input":"{}"}}}`)}, `[]`, ai.StopError, ai.KindProtocol, "no tool call"},
		"the wrong role":            {[]mockllm.Frame{frame("messageStart", `{"role":"user"}`)}, `[]`, ai.StopError, ai.KindProtocol, "user"},
	} {
		m := play(t, tt.frames...)
		if got := string(ai.AppendBlocks(nil, m.Content)); got != tt.want || m.StopReason != tt.stop {
			t.Errorf("%s: %s %s (%s)\nwant %s", name, got, m.StopReason, m.ErrorMessage, tt.want)
		}
		if tt.kind != "" && (m.Failure == nil || m.Failure.Kind != tt.kind || !strings.Contains(m.ErrorMessage, tt.says)) {
			t.Errorf("%s: %+v, want %s with %q", name, m.Failure, tt.kind, tt.says)
		}
		if name == "usage after the end" && (m.Usage.Unknown || m.Usage.Input != 5 || m.Usage.CacheWrite1h != 4 || m.Usage.Total != 17) {
			t.Errorf("usage %+v", m.Usage)
		}
	}
}

// Damaged framing is an error, wherever the damage is, and never a panic.
func TestDamagedStream(t *testing.T) {
	whole := string(mockllm.EncodeBinary([]mockllm.Frame{
		frame("messageStart", `{"role":"assistant"}`), frame("contentBlockDelta", `{"contentBlockIndex":0,"delta":{"text":"Hi"}}`),
		frame("messageStop", `{"stopReason":"end_turn"}`),
	}))
	for i := 0; i < len(whole); i += 3 {
		damaged := []byte(whole)
		damaged[i] ^= 0x40
		srv := mockllm.New()
		srv.Queue(mockllm.Raw(string(damaged)), mockllm.Raw(whole[:max(i, 1)]))
		models := client(srv, testModel(), nil)
		for range 2 {
			m := aitest.Check(t, models.Stream(t.Context(), testModel(), ai.Request{Messages: hello()}, ai.Options{}))
			if m.StopReason != ai.StopError {
				t.Errorf("byte %d of %d: %s", i, len(whole), m.StopReason)
			}
		}
	}
}

func TestStrictToolsFallback(t *testing.T) {
	model := testModel()
	model.Compat = json.RawMessage(`{"supportsStrictMode":true}`)
	srv := mockllm.New()
	srv.Queue(mockllm.Failure(400, "ValidationException", "The compiled grammar is too large"), mockllm.Say("ok"))
	tool := ai.Tool{Name: "a", Sampling: ai.StrictPreferred(), Parameters: json.RawMessage(`{"type":"object","properties":{"x":{"type":"string"}},"required":["x"]}`)}
	m := client(srv, model, nil).Stream(t.Context(), model, ai.Request{Tools: []ai.Tool{tool}, Messages: hello()}, ai.Options{}).Result()
	r := srv.Requests()
	if m.Err() != nil || len(r) != 2 || !bytes.Contains(r[0].Body, []byte(`"strict":true`)) || bytes.Contains(r[1].Body, []byte(`"strict":true`)) || len(m.Diagnostics) != 1 {
		t.Errorf("%v after %d requests, %+v", m.Err(), len(r), m.Diagnostics)
	}
}

func TestRefusedRequests(t *testing.T) {
	tiff := []ai.Message{&ai.UserMessage{Content: []ai.Block{&ai.Image{Data: "x", MIMEType: "image/tiff"}}}}
	long := map[string]string{"k": strings.Repeat("v", 257)}
	for says, try := range map[string]struct {
		messages []ai.Message
		opts     ai.Options
	}{
		`type "image/tiff"`: {tiff, ai.Options{}},
		"256 characters":    {hello(), ai.Options{Protocol: bedrockconversestream.Options{RequestMetadata: long}}},
		"nothing to send":   {nil, ai.Options{}},
	} {
		srv := mockllm.New()
		m := client(srv, testModel(), nil).Stream(t.Context(), testModel(), ai.Request{System: "x", Messages: try.messages}, try.opts).Result()
		if m.StopReason != ai.StopError || !strings.Contains(m.ErrorMessage, says) || len(srv.Requests()) != 0 {
			t.Errorf("%s: %v, %d requests", says, m.Err(), len(srv.Requests()))
		}
	}
}

func ExampleNew() {
	srv := mockllm.New() // stands for the vendor
	srv.Queue(mockllm.Say("Four."))
	model := &ai.Model{ID: "anthropic.claude-sonnet-5", Provider: "mine", API: bedrockconversestream.ID, Input: []string{"text"}}
	p := ai.NewProvider(ai.ProviderConfig{ID: "mine", Models: []*ai.Model{model}, APIs: []ai.API{bedrockconversestream.New()}})
	env := map[string]string{"AWS_ACCESS_KEY_ID": "id", "AWS_SECRET_ACCESS_KEY": "secret", "AWS_REGION": "eu-west-1"}
	models := ai.ModelsConfig{HTTPClient: srv.Client(), Env: func(name string) string { return env[name] }}.New(p)
	answer := models.Stream(context.Background(), model, ai.Request{Messages: []ai.Message{ai.UserText("Two and two?")}}, ai.Options{}).Result()
	fmt.Println(answer.Text(), srv.Requests()[0].Host)
	// Output: Four. bedrock-runtime.eu-west-1.amazonaws.com
}
