package wire

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/pi-go/pi/ai"
	"github.com/pi-go/pi/ai/auth"
	"github.com/pi-go/pi/ai/internal/sse"
)

func testCall() *ai.Call {
	return &ai.Call{
		Model:    &ai.Model{ID: "m", Provider: "p", API: "a", Headers: map[string]string{"X-Model": "model", "X-All": "model"}},
		Auth:     auth.Resolved{APIKey: "key", Headers: map[string]string{"X-Auth": "auth", "X-All": "auth"}},
		Identity: ai.Identity{UserAgent: "agent/1"},
	}
}

// answering is a client whose server answers with a function.
func answering(f func(*http.Request) *http.Response) *http.Client {
	return &http.Client{Transport: roundTripper(f)}
}

type roundTripper func(*http.Request) *http.Response

func (f roundTripper) RoundTrip(r *http.Request) (*http.Response, error) {
	resp := f(r)
	if resp == nil {
		return nil, errors.New("connection refused")
	}
	resp.Request = r
	if resp.Header == nil {
		resp.Header = http.Header{}
	}
	return resp, nil
}

func stream(status int, body string) *http.Response {
	return &http.Response{StatusCode: status, Header: http.Header{"Content-Type": {"text/event-stream"}}, Body: io.NopCloser(strings.NewReader(body))}
}

func TestHeaderPrecedence(t *testing.T) {
	t.Parallel()
	var got http.Header
	call := testCall()
	call.HTTP = answering(func(r *http.Request) *http.Response { got = r.Header.Clone(); return stream(200, "") })
	call.Auth.RemoveHeaders = []string{"X-Own-Gone"}
	call.Options.Headers = map[string]string{"x-all": "call", "X-Call": "call"}
	call.Options.RemoveHeaders = []string{"accept"}
	call.Options.TransformHeaders = func(h http.Header) { h.Set("X-Last", h.Get("X-All")) }
	resp, err := Post(t.Context(), &Request{
		Call: call, URL: "http://host/x", Auth: Bearer(call), Body: [][]byte{[]byte(`{}`)},
		Headers: map[string]string{"X-Own": "own", "X-All": "own", "X-Own-Gone": "own", "User-Agent": "own/2"},
	})
	if err != nil {
		t.Fatal(err)
	}
	resp.Body.Close()
	want := http.Header{
		"X-Own": {"own"}, "X-Auth": {"auth"}, "X-Model": {"model"}, "X-Call": {"call"}, "X-All": {"call"}, "X-Last": {"call"},
		"Authorization": {"Bearer key"}, "User-Agent": {"own/2"}, "Content-Type": {"application/json"},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("headers (-want +got):\n%s", diff)
	}
}

func TestHooks(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var log []string
		var body string
		call := testCall()
		tries := 0
		call.HTTP = answering(func(r *http.Request) *http.Response {
			b, err := io.ReadAll(r.Body)
			if err != nil {
				t.Error(err)
			}
			body = string(b)
			tries++
			if tries == 1 {
				resp := stream(429, `{"error":{"code":"rate_limit_exceeded","message":"slow"}}`)
				resp.Header.Set("Retry-After", "7")
				return resp
			}
			return stream(200, "data: {\"a\":1}\n\ndata: [DONE]\n\n")
		})
		call.Options = ai.Options{
			MaxRetries: 2,
			OnPayload: func(b json.RawMessage, m *ai.Model) json.RawMessage {
				log = append(log, "payload "+string(b))
				return json.RawMessage(`{"other":true}`)
			},
			OnResponse: func(status int, h http.Header, m *ai.Model) {
				log = append(log, "response "+http.StatusText(status))
			},
			OnRetry: func(r ai.Retry) {
				var e *ai.APIError
				if !errors.As(r.Err, &e) || e.Kind != ai.KindRateLimit || e.Provider != "p" {
					t.Errorf("retry because of %v", r.Err)
				}
				log = append(log, "retry after "+r.Delay.String())
			},
			OnWireEvent: func(data json.RawMessage, m *ai.Model) { log = append(log, "event "+string(data)) },
		}
		start := time.Now()
		s := ai.NewStream(t.Context(), ai.StreamInfo{Model: call.Model}, func(ctx context.Context, out *ai.Emitter) error {
			return Stream(ctx, out, &Request{Call: call, URL: "http://host/x", Body: [][]byte{[]byte(`{"a":`), []byte(`1}`)}}, func(f sse.Frame) (bool, error) {
				log = append(log, "frame "+string(f.Data))
				return string(f.Data) == "[DONE]", nil
			})
		})
		s.Result()
		want := []string{`payload {"a":1}`, "retry after 7s", "response OK", `event {"a":1}`, `frame {"a":1}`, "frame [DONE]"}
		if diff := cmp.Diff(want, log); diff != "" {
			t.Errorf("(-want +got):\n%s", diff)
		}
		if body != `{"other":true}` {
			t.Errorf("sent %s", body)
		}
		if waited := time.Since(start); waited != 7*time.Second {
			t.Errorf("waited %v", waited)
		}
	})
}

func TestErrors(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name   string
		change func(*ai.Call)
		answer func(*http.Request) *http.Response
		kind   ai.ErrorKind
		phase  ai.Phase
		text   string
	}{
		{name: "status", answer: func(*http.Request) *http.Response { return stream(401, `{"error":{"message":"no"}}`) }, kind: ai.KindAuth, phase: ai.PhaseStatus, text: "401: no"},
		{name: "refused", answer: func(*http.Request) *http.Response { return nil }, kind: ai.KindNetwork, phase: ai.PhaseConnect, text: "connection refused"},
		{name: "web page with success", answer: func(*http.Request) *http.Response {
			r := stream(200, "<html>")
			r.Header.Set("Content-Type", "text/html")
			return r
		}, kind: ai.KindProtocol, phase: ai.PhaseStatus, text: "HTML page"},
		{name: "bad header", change: func(c *ai.Call) { c.Options.Headers = map[string]string{"X": "a\nb"} }, kind: ai.KindConfig, phase: ai.PhaseSetup, text: "header X"},
		{name: "asked to wait too long", change: func(c *ai.Call) { c.Options.MaxRetries = 1 }, answer: func(*http.Request) *http.Response {
			r := stream(429, "")
			r.Header.Set("Retry-After", "5400")
			return r
		}, kind: ai.KindRateLimit, phase: ai.PhaseStatus, text: "1h30m0s"},
		{name: "event too large", change: func(c *ai.Call) { c.Options.Limits.Event = 10 }, answer: func(*http.Request) *http.Response { return stream(200, "data: 0123456789012345\n\n") }, kind: ai.KindLimit, phase: ai.PhaseStream, text: "longer than 10"},
		{name: "document too large", change: func(c *ai.Call) { c.Options.Limits.Event = 10 }, answer: func(*http.Request) *http.Response {
			r := stream(200, `{"a":"0123456789"}`)
			r.Header.Set("Content-Type", "application/json")
			return r
		}, kind: ai.KindLimit, phase: ai.PhaseStream, text: "more than 10 bytes"},
		{name: "cut", answer: func(*http.Request) *http.Response {
			r := stream(200, "")
			r.Body = io.NopCloser(io.MultiReader(strings.NewReader("data: 1\n\n"), failing{io.ErrUnexpectedEOF}))
			return r
		}, kind: ai.KindCutStream, phase: ai.PhaseStream, text: "unexpected EOF"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			call := testCall()
			if tt.change != nil {
				tt.change(call)
			}
			call.HTTP = answering(tt.answer)
			m := ai.NewStream(t.Context(), ai.StreamInfo{Model: call.Model}, func(ctx context.Context, out *ai.Emitter) error {
				return Stream(ctx, out, &Request{Call: call, URL: "http://host/x", Body: [][]byte{[]byte(`{}`)}}, func(sse.Frame) (bool, error) { return false, nil })
			}).Result()
			e := m.Failure
			if e == nil || e.Kind != tt.kind || e.Phase != tt.phase || !strings.Contains(e.Error(), tt.text) {
				t.Errorf("got %+v, want kind %s in phase %s with %q", e, tt.kind, tt.phase, tt.text)
			}
		})
	}
}

type failing struct{ err error }

func (f failing) Read([]byte) (int, error) { return 0, f.err }

func TestIdleTimeout(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		call := testCall()
		call.Options.Timeouts.Idle = time.Minute
		pr, pw := io.Pipe()
		call.HTTP = answering(func(*http.Request) *http.Response {
			r := stream(200, "")
			r.Body = pr
			return r
		})
		go func() { _, _ = pw.Write([]byte("data: 1\n\n")) }()
		m := ai.NewStream(t.Context(), ai.StreamInfo{Model: call.Model}, func(ctx context.Context, out *ai.Emitter) error {
			return Stream(ctx, out, &Request{Call: call, URL: "http://host/x"}, func(sse.Frame) (bool, error) { return false, nil })
		}).Result()
		if m.StopReason != ai.StopError || m.Failure.Kind != ai.KindTimeout {
			t.Errorf("got %s, %+v", m.StopReason, m.Failure)
		}
	})
}

func TestVendorHeaders(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name   string
		change func(*ai.Call)
		want   map[string]string
	}{
		{"none", func(*ai.Call) {}, map[string]string{}},
		{"openrouter", func(c *ai.Call) { c.Model.Provider = "openrouter" }, map[string]string{"HTTP-Referer": "https://x", "X-OpenRouter-Title": "prog", "X-OpenRouter-Categories": "a,b"}},
		{"openrouter by host", func(c *ai.Call) { c.BaseURL = "https://eu.openrouter.ai/api" }, map[string]string{"HTTP-Referer": "https://x", "X-OpenRouter-Title": "prog", "X-OpenRouter-Categories": "a,b"}},
		{"openrouter in a path", func(c *ai.Call) { c.BaseURL = "https://proxy/openrouter.ai/api" }, map[string]string{}},
		{"nvidia", func(c *ai.Call) { c.BaseURL = "https://integrate.api.nvidia.com/v1" }, map[string]string{"X-BILLING-INVOKE-ORIGIN": "Prog"}},
		{"opencode", func(c *ai.Call) { c.Model.Provider = "opencode-go"; c.SessionID = "s" }, map[string]string{"x-opencode-client": "prog", "x-opencode-session": "s"}},
		{"no identity", func(c *ai.Call) { c.Model.Provider = "openrouter"; c.Identity = ai.Identity{} }, map[string]string{}},
		{"copilot", func(c *ai.Call) { c.Model.Provider = "github-copilot"; c.Messages = []ai.Message{ai.UserText("x")} }, map[string]string{"X-Initiator": "user", "Openai-Intent": "conversation-edits"}},
		{"copilot in the loop", func(c *ai.Call) {
			c.Model.Provider = "github-copilot"
			c.Messages = []ai.Message{&ai.ToolResultMessage{Content: []ai.Block{&ai.Image{}}}}
		}, map[string]string{"X-Initiator": "agent", "Openai-Intent": "conversation-edits", "Copilot-Vision-Request": "true"}},
	} {
		call := testCall()
		call.Identity = ai.Identity{Name: "prog", URL: "https://x", Categories: []string{"a", "b"}}
		tt.change(call)
		got := map[string]string{}
		setVendorHeaders(got, call)
		if diff := cmp.Diff(tt.want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", tt.name, diff)
		}
	}
}

func TestHostMatches(t *testing.T) {
	t.Parallel()
	for address, want := range map[string]bool{
		"https://deepseek.com/v1": true, "https://API.DeepSeek.com:8443": true, "https://api.deepseek.com.": true,
		"https://deepseek.com.evil.org": false, "https://notdeepseek.com": false, "https://proxy/deepseek.com": false, "://": false, "": false,
	} {
		if got := HostMatches(address, "deepseek.com"); got != want {
			t.Errorf("%s: got %v", address, got)
		}
	}
}

func TestEndpoint(t *testing.T) {
	t.Parallel()
	for base, want := range map[string]string{
		"http://h/v1": "http://h/v1/x", "http://h/v1/": "http://h/v1/x", "http://h/v1/x": "http://h/v1/x", "http://h/v1?k=1": "http://h/v1/x?k=1",
	} {
		got, err := Endpoint(&ai.Call{BaseURL: base, Model: &ai.Model{}}, "/x")
		if err != nil || got != want {
			t.Errorf("%s: got %s, %v", base, got, err)
		}
	}
	if _, err := Endpoint(&ai.Call{Model: &ai.Model{ID: "m", Provider: "p"}}, "/x"); err == nil || !strings.Contains(err.Error(), "p/m") {
		t.Errorf("no base URL: %v", err)
	}
}

// A quota that is used up has the status of a rate limit, and waiting does not
// help.
func TestHopelessIsNotRetried(t *testing.T) {
	t.Parallel()
	for body, want := range map[string]int{
		`{"error":{"code":"insufficient_quota","message":"no"}}`:  1,
		`{"error":{"code":"rate_limit_exceeded","message":"no"}}`: 2,
	} {
		synctest.Test(t, func(t *testing.T) {
			call, tries := testCall(), 0
			call.Options.MaxRetries = 1
			call.HTTP = answering(func(*http.Request) *http.Response { tries++; return stream(429, body) })
			if _, err := Post(t.Context(), &Request{Call: call, URL: "http://host/x"}); err == nil || tries != want {
				t.Errorf("%s: %d tries, %v", body, tries, err)
			}
		})
	}
}

// An answer that is no stream is one frame.
func TestWholeAnswer(t *testing.T) {
	t.Parallel()
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/json; charset=utf-8")
		_, _ = io.WriteString(w, "{\"error\":\n1}\n")
	}))
	defer srv.Close()
	call := testCall()
	var frames []string
	ai.NewStream(t.Context(), ai.StreamInfo{Model: call.Model}, func(ctx context.Context, out *ai.Emitter) error {
		return Stream(ctx, out, &Request{Call: call, URL: srv.URL}, func(f sse.Frame) (bool, error) {
			frames = append(frames, string(f.Data))
			return false, nil
		})
	}).Result()
	if len(frames) != 1 || frames[0] != "{\"error\":\n1}" {
		t.Errorf("frames %q", frames)
	}
}
