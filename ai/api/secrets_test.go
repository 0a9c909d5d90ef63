package api_test

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"testing"
	"testing/synctest"

	"github.com/pi-go/pi/ai"
)

// telling is a server that repeats whatever it was sent, as gateways do that quote
// requests in their errors.
type telling struct {
	mu     sync.Mutex
	status []int // by request; the last one stays
	told   []string
}

func (s *telling) RoundTrip(r *http.Request) (*http.Response, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	status := s.status[0]
	if len(s.status) > 1 {
		s.status = s.status[1:]
	}
	if r.Body != nil {
		_, _ = io.Copy(io.Discard, r.Body)
	}
	var b strings.Builder
	fmt.Fprintf(&b, "you sent %s", r.URL)
	for name, values := range r.Header {
		fmt.Fprintf(&b, "; %s: %s", name, strings.Join(values, ", "))
	}
	s.told = append(s.told, b.String())
	text, err := json.Marshal(b.String())
	if err != nil {
		return nil, err
	}
	body := fmt.Sprintf(`{"error":{"message":%s,"type":"rate_limit_error","code":%s},"message":%[1]s}`, text, text)
	h := http.Header{"Content-Type": {"application/json"}, "Retry-After": {"0"}, "X-Told": {b.String()}}
	return &http.Response{StatusCode: status, Header: h, Body: io.NopCloser(strings.NewReader(body)), Request: r}, nil
}

// marks are the secrets of a request and where each was put.
func marks() map[string]string {
	return map[string]string{
		"key":        "MARKER-key-0123456789abcdef",
		"header":     "MARKER-header-0123456789abcdef",
		"cookie one": "MARKER-cookie-one-0123456789",
		"cookie two": "MARKER-cookie-two-0123456789",
		"quoted":     `MARKER-"quoted\-0123456789`,
		"env":        "MARKER-env-0123456789abcdef",
		"password":   "MARKER-password-0123456789",
		"query":      "MARKER-query-0123456789abcdef",
		"model":      "MARKER-model-0123456789abcdef",
	}
}

// everything is all that can be learned from an error, however one looks at it.
func everything(err error) string {
	var b strings.Builder
	for ; err != nil; err = errors.Unwrap(err) {
		fmt.Fprintf(&b, "%v\n%+v\n%#v\n%q\n", err, err, err, err)
		if text, e := json.Marshal(err); e == nil {
			b.Write(text)
		}
	}
	return b.String()
}

// Whatever a server repeats of a request, no secret of it comes up in an error, a
// note, what telemetry is told, or the reason for another try.
func TestSecretsStaySecret(t *testing.T) {
	t.Parallel()
	secrets := marks()
	for _, p := range protocols() {
		for name, statuses := range map[string][]int{"refused": {400}, "tried again": {429, 429, 401}, "under a status of success": {200}, "redirected": {307}} {
			t.Run(p.api.ID()+"/"+name, func(t *testing.T) {
				t.Parallel()
				synctest.Test(t, func(t *testing.T) {
					server := &telling{status: statuses}
					m := p.ai()
					u, err := url.Parse(p.base)
					if err != nil {
						t.Fatal(err)
					}
					u.User = url.UserPassword("me", secrets["password"])
					u.RawQuery = url.Values{"api_key": {secrets["query"]}}.Encode()
					m.BaseURL = u.String()
					m.Headers = map[string]string{"X-Model-Token": secrets["model"]}
					var spans strings.Builder
					models := ai.ModelsConfig{HTTPClient: &http.Client{Transport: server}, Telemetry: &listening{to: &spans}, Env: func(string) string { return "" }}.New(
						ai.NewProvider(ai.ProviderConfig{ID: m.Provider, Models: []*ai.Model{m}, APIs: []ai.API{p.api}}))
					key := secrets["key"]
					if p.key != "" { // the account is read from this one
						key = "h." + base64.RawURLEncoding.EncodeToString([]byte(`{"https://api.openai.com/auth":{"chatgpt_account_id":"a"}}`)) + ".MARKER-key"
					}
					var told strings.Builder
					opts := ai.Options{
						APIKey: key, Protocol: p.options, MaxRetries: 2,
						Env:     map[string]string{"SOME_API_TOKEN": secrets["env"]},
						Headers: map[string]string{"X-Api-Key-Two": secrets["header"], "X-Env": "a " + secrets["env"], "Cookie": "a=" + secrets["cookie one"] + "; b=" + secrets["cookie two"], "X-Auth-Quoted": secrets["quoted"]},
						OnRetry: func(r ai.Retry) { told.WriteString(everything(r.Err)) },
					}
					s := models.Stream(t.Context(), m, ai.Request{System: "s", Tools: tools(), Messages: []ai.Message{ai.UserText("x")}}, opts)
					for ev := range s.Events() {
						if ev.Message != nil {
							fmt.Fprintf(&told, "%s\n", ev.Message.ErrorMessage)
						}
					}
					answer := s.Result()
					if answer.Failure == nil || len(server.told) == 0 || !strings.Contains(strings.Join(server.told, ""), "MARKER") {
						t.Fatalf("the server was told %q and the answer is %s", server.told, outline(answer))
					}
					if name == "tried again" && len(server.told) != 3 {
						t.Errorf("%d requests", len(server.told))
					}
					stored, err := json.Marshal(answer)
					if err != nil {
						t.Fatal(err)
					}
					told.WriteString(everything(answer.Failure))
					told.WriteString(everything(answer.Err()))
					for where, text := range map[string]string{"errors": told.String(), "the stored answer": string(stored) + answer.ErrorMessage, "telemetry": spans.String()} {
						if at := strings.Index(text, "MARKER"); at >= 0 {
							t.Errorf("%s: …%s…", where, text[max(0, at-60):min(len(text), at+60)])
						}
					}
				})
			})
		}
	}
}

// listening writes down what telemetry is told.
type listening struct {
	mu sync.Mutex
	to *strings.Builder
}

func (l *listening) say(v ...any) {
	l.mu.Lock()
	defer l.mu.Unlock()
	fmt.Fprintln(l.to, v...)
}

func (l *listening) Span(ctx context.Context, name string, attrs ...ai.Attr) (context.Context, ai.Span) {
	l.say(name, attrs)
	return ctx, heard{l}
}

func (l *listening) Count(_ context.Context, name, unit string, n float64, attrs ...ai.Attr) {
	l.say(name, unit, n, attrs)
}

func (l *listening) Measure(_ context.Context, name, unit string, v float64, attrs ...ai.Attr) {
	l.say(name, unit, v, attrs)
}

type heard struct{ l *listening }

func (h heard) Event(name string, attrs ...ai.Attr) { h.l.say(name, attrs) }
func (h heard) Fail(name, text string)              { h.l.say(name, text) }
func (h heard) End(attrs ...ai.Attr)                { h.l.say(attrs) }
