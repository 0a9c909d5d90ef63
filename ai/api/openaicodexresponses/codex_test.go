package openaicodexresponses

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/coder/websocket"
	"github.com/google/go-cmp/cmp"
	"github.com/klauspost/compress/zstd"
	"github.com/pi-go/pi/ai"
	"github.com/pi-go/pi/ai/aitest"
	"github.com/pi-go/pi/ai/aitest/mockllm"
)

// token is a login for account "acc-1" whose payload needs URL-safe base64.
func token() string {
	payload := `{"https://api.openai.com/auth":{"chatgpt_account_id":"acc-1"},"x":"???>>>~~~ÿÿ"}`
	return "h." + base64.RawURLEncoding.EncodeToString([]byte(payload)) + ".s"
}

func testModel(base string) *ai.Model {
	return &ai.Model{ID: "m", Provider: "openai-codex", API: ID, BaseURL: base, Reasoning: true, Input: []string{"text"}}
}

func modelsFor(m *ai.Model, client *http.Client) *ai.Models {
	return ai.ModelsConfig{HTTPClient: client}.New(ai.NewProvider(ai.ProviderConfig{ID: m.Provider, Models: []*ai.Model{m}, APIs: []ai.API{New()}}))
}

// Over the mock there are no WebSockets, so this is the way of falling back too.
func TestContract(t *testing.T) {
	t.Parallel()
	for _, transport := range []Transport{TransportSSE, TransportAuto} {
		aitest.Run(t, aitest.Fixture{Stream: func(ctx context.Context, t testing.TB, s aitest.Scenario) *ai.Stream {
			srv := mockllm.New()
			srv.Queue(aitest.MockAnswer(mockllm.Responses, s))
			m := testModel("http://mock/backend-api")
			req := ai.Request{Messages: []ai.Message{ai.UserText("Go on.")}, Tools: []ai.Tool{{Name: "read"}, {Name: "status"}}}
			return modelsFor(m, srv.Client()).Stream(ctx, m, req, ai.Options{APIKey: token(), Thinking: ai.ThinkingLow, Protocol: Options{Transport: transport}})
		}})
	}
}

// backend is a server of WebSockets. Each message that comes is recorded, and
// answered with the next script: messages to send, or "close", "hang".
type backend struct {
	*httptest.Server
	mu      sync.Mutex
	frames  []map[string]any
	headers []http.Header
	scripts [][]string
	refuse  int // status of refused handshakes
	posts   int // requests over HTTP
}

func newBackend(t *testing.T, scripts ...[]string) *backend {
	b := &backend{scripts: scripts}
	b.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method == http.MethodPost {
			z, err := zstd.NewReader(r.Body)
			if err != nil {
				t.Error(err)
				return
			}
			defer z.Close()
			var body struct{ Model string }
			if err := json.NewDecoder(z).Decode(&body); err != nil || body.Model == "" || r.Header.Get("Content-Encoding") != "zstd" {
				t.Errorf("the body, said to be in %q, is of %q: %v", r.Header.Get("Content-Encoding"), body.Model, err)
			}
			b.mu.Lock()
			b.posts++
			b.mu.Unlock()
			w.Header().Set("Content-Type", "text/event-stream")
			fmt.Fprint(w, "data: "+strings.Join(answer("http", "over HTTP"), "\n\ndata: ")+"\n\n")
			return
		}
		if b.refuse != 0 {
			w.WriteHeader(b.refuse)
			fmt.Fprint(w, `{"error":{"message":"refused"}}`)
			return
		}
		conn, err := websocket.Accept(w, r, nil)
		if err != nil {
			t.Error(err)
			return
		}
		defer func() { _ = conn.CloseNow() }()
		b.mu.Lock()
		b.headers = append(b.headers, r.Header.Clone())
		b.mu.Unlock()
		for {
			_, data, err := conn.Read(r.Context())
			if err != nil {
				return
			}
			var frame map[string]any
			if err := json.Unmarshal(data, &frame); err != nil {
				t.Errorf("%v: %s", err, data)
			}
			b.mu.Lock()
			b.frames = append(b.frames, frame)
			var script []string
			if len(b.scripts) > 0 {
				script, b.scripts = b.scripts[0], b.scripts[1:]
			}
			b.mu.Unlock()
			for _, m := range script {
				switch m {
				case "close":
					return
				case "hang":
					<-r.Context().Done()
					return
				}
				if conn.Write(r.Context(), websocket.MessageText, []byte(m)) != nil {
					return
				}
			}
		}
	}))
	t.Cleanup(b.Close)
	return b
}

func (b *backend) seen() (frames []map[string]any, handshakes, posts int) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.frames, len(b.headers), b.posts
}

// answer is the events of a text.
func answer(id, text string) []string {
	item := fmt.Sprintf(`{"type":"message","id":"msg_%s","content":[{"type":"output_text","text":%q}]}`, id, text)
	return []string{
		fmt.Sprintf(`{"type":"response.created","response":{"id":%q}}`, id),
		fmt.Sprintf(`{"type":"response.output_item.added","output_index":0,"item":{"type":"message","id":"msg_%s"}}`, id),
		fmt.Sprintf(`{"type":"response.output_text.delta","output_index":0,"delta":%q}`, text),
		fmt.Sprintf(`{"type":"response.output_item.done","output_index":0,"item":%s}`, item),
		fmt.Sprintf(`{"type":"response.completed","response":{"id":%q,"status":"completed","end_turn":true}}`, id),
	}
}

// chat is a conversation of several turns.
type chat struct {
	t        *testing.T
	models   *ai.Models
	m        *ai.Model
	opts     ai.Options
	messages []ai.Message
}

func newChat(t *testing.T, b *backend, o Options) *chat {
	m := testModel(b.URL)
	models := modelsFor(m, nil)
	conv := ai.NewConversation("conv")
	t.Cleanup(func() {
		if err := conv.Close(); err != nil {
			t.Error(err)
		}
		models.Close()
	})
	return &chat{t: t, models: models, m: m, opts: ai.Options{APIKey: token(), Conversation: conv, Protocol: o}}
}

func (c *chat) say(text string) *ai.AssistantMessage {
	c.t.Helper()
	c.messages = append(c.messages, ai.UserText(text))
	m := aitest.Check(c.t, c.models.Stream(c.t.Context(), c.m, ai.Request{System: "Be brief.", Messages: c.messages}, c.opts))
	c.messages = append(c.messages, m)
	return m
}

func inputs(frame map[string]any) int { return len(frame["input"].([]any)) }

func TestSocketStaysOpenAndContinues(t *testing.T) {
	t.Parallel()
	b := newBackend(t, answer("r1", "one"), answer("r2", "two"), answer("r3", "three"), answer("r4", "four"))
	c := newChat(t, b, Options{})
	for i, want := range []string{"one", "two", "three"} {
		m := c.say(fmt.Sprint("turn ", i))
		if m.Text() != want || m.StopReason != ai.StopEnd || m.EndTurn == nil || !*m.EndTurn {
			t.Fatalf("turn %d: %q, %s (%s)", i, m.Text(), m.StopReason, m.ErrorMessage)
		}
	}
	c.messages[0] = ai.UserText("something else")
	c.say("edited")
	frames, handshakes, posts := b.seen()
	if handshakes != 1 || posts != 0 || len(frames) != 4 {
		t.Fatalf("%d handshakes, %d posts, %d frames", handshakes, posts, len(frames))
	}
	for i, want := range []struct {
		previous any
		inputs   int
	}{{nil, 2}, {"r1", 1}, {"r2", 1}, {nil, 8}} {
		if f := frames[i]; f["type"] != "response.create" || f["previous_response_id"] != want.previous || inputs(f) != want.inputs || f["model"] != "m" {
			t.Errorf("frame %d: %v", i, f)
		}
	}
	h := b.headers[0]
	got := map[string]string{}
	for _, name := range []string{"Chatgpt-Account-Id", "Originator", "Openai-Beta", "Session-Id", "X-Client-Request-Id"} {
		got[name] = h.Get(name)
	}
	want := map[string]string{"Chatgpt-Account-Id": "acc-1", "Originator": "pi", "Openai-Beta": "responses_websockets=2026-02-06", "Session-Id": "conv", "X-Client-Request-Id": "conv"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("headers (-want +got):\n%s", diff)
	}
}

func TestNothingIsContinued(t *testing.T) {
	t.Parallel()
	for name, change := range map[string]func(*chat){
		"transport websocket": func(c *chat) { c.opts.Protocol = Options{Transport: TransportWebSocket} },
		"disabled":            func(c *chat) { c.opts.Protocol = Options{DisableContinuation: true} },
		"bodies are looked at": func(c *chat) {
			c.opts.OnPayload = func(json.RawMessage, *ai.Model) json.RawMessage { return nil }
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := newBackend(t, answer("r1", "one"), answer("r2", "two"))
			c := newChat(t, b, Options{})
			change(c)
			c.say("a")
			c.say("b")
			frames, handshakes, _ := b.seen()
			if handshakes != 1 || len(frames) != 2 || inputs(frames[1]) != 4 || frames[1]["previous_response_id"] != nil {
				t.Errorf("%d handshakes, frames %v", handshakes, frames)
			}
		})
	}
}

// The vendor remembers its own answer: where another one stands in its place, all is sent.
func TestReplacedAnswerIsNotContinued(t *testing.T) {
	t.Parallel()
	b := newBackend(t, answer("r1", "one"), answer("r2", "two"))
	c := newChat(t, b, Options{})
	c.say("a")
	instead := *c.messages[1].(*ai.AssistantMessage)
	instead.ResponseID, instead.Content = "r0", []ai.Block{&ai.Text{Text: "from another branch"}}
	c.messages[1] = &instead
	c.say("b")
	frames, _, _ := b.seen()
	if len(frames) != 2 || inputs(frames[1]) != 4 || frames[1]["previous_response_id"] != nil {
		t.Errorf("frames %v", frames)
	}
}

// A socket serves one account, is not kept for ever, and not for long when nobody uses
// it: the vendor closes such sockets, and would do so under a request.
func TestSocketIsNotKept(t *testing.T) {
	t.Parallel()
	other := "h." + base64.RawURLEncoding.EncodeToString([]byte(`{"https://api.openai.com/auth":{"chatgpt_account_id":"acc-2"}}`)) + ".s"
	for name, tt := range map[string]struct {
		pass       []time.Duration // before each further turn
		key        string
		handshakes int
	}{
		"used":            {[]time.Duration{4 * time.Minute, 4 * time.Minute}, token(), 1},
		"unused":          {[]time.Duration{5 * time.Minute}, token(), 2},
		"old":             {slices.Repeat([]time.Duration{4 * time.Minute}, 12), token(), 2},
		"another account": {[]time.Duration{0}, other, 2},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := newBackend(t, slices.Repeat([][]string{answer("r", "x")}, 1+len(tt.pass))...)
			c := newChat(t, b, Options{})
			now := time.UnixMilli(1_900_000_000_000)
			c.models = ai.ModelsConfig{Now: func() time.Time { return now }}.New(c.models.Providers()...)
			t.Cleanup(c.models.Close)
			c.say("a")
			c.opts.APIKey = tt.key
			for _, d := range tt.pass {
				now = now.Add(d)
				c.say("and")
			}
			if _, handshakes, posts := b.seen(); handshakes != tt.handshakes || posts != 0 {
				t.Errorf("%d handshakes, %d posts", handshakes, posts)
			}
		})
	}
}

func TestAnotherTry(t *testing.T) {
	t.Parallel()
	notFound := []string{`{"type":"error","status":400,"error":{"code":"previous_response_not_found","message":"gone"}}`}
	limit := []string{`{"type":"error","status":400,"error":{"code":"websocket_connection_limit_reached","message":"60 minutes"}}`}
	for _, tt := range []struct {
		name       string
		scripts    [][]string
		handshakes int
		inputs     []int
	}{
		{"the vendor forgot the answer", [][]string{answer("r1", "one"), notFound, answer("r2", "two")}, 2, []int{2, 1, 4}},
		{"the socket is too old", [][]string{answer("r1", "one"), limit, answer("r2", "two")}, 2, []int{2, 1, 4}},
		{"closed between turns", [][]string{append(answer("r1", "one"), "close"), answer("r2", "two")}, 2, []int{2, 4}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			b := newBackend(t, tt.scripts...)
			c := newChat(t, b, Options{})
			c.say("a")
			if m := c.say("b"); m.Text() != "two" || len(m.Diagnostics) > 0 {
				t.Fatalf("%q, %s, %v", m.Text(), m.ErrorMessage, m.Diagnostics)
			}
			frames, handshakes, posts := b.seen()
			var got []int
			for _, f := range frames {
				got = append(got, inputs(f))
			}
			if handshakes != tt.handshakes || posts != 0 {
				t.Errorf("%d handshakes, %d posts", handshakes, posts)
			}
			if diff := cmp.Diff(tt.inputs, got); diff != "" {
				t.Errorf("items sent (-want +got):\n%s", diff)
			}
		})
	}
}

func TestFallsBackToHTTP(t *testing.T) {
	t.Parallel()
	for name, prepare := range map[string]func(*backend){
		"no WebSockets":            func(b *backend) { b.refuse = http.StatusNotFound },
		"closed before the answer": func(b *backend) { b.scripts = [][]string{{"close"}} },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := newBackend(t)
			prepare(b)
			c := newChat(t, b, Options{})
			m := c.say("a")
			if m.Text() != "over HTTP" || len(m.Diagnostics) != 1 || m.Diagnostics[0].Type != "provider_transport_failure" {
				t.Fatalf("%q, %s, %+v", m.Text(), m.ErrorMessage, m.Diagnostics)
			}
			_, before, _ := b.seen()
			if m := c.say("b"); m.Text() != "over HTTP" || len(m.Diagnostics) != 0 {
				t.Fatalf("second turn: %q, %+v", m.Text(), m.Diagnostics)
			}
			if _, after, posts := b.seen(); after != before || posts != 2 {
				t.Errorf("%d handshakes, then %d; %d posts", before, after, posts)
			}
		})
	}
}

func TestSocketFailures(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name    string
		refuse  int
		scripts [][]string
		opts    Options
		change  func(*ai.Options)
		kind    ai.ErrorKind
		text    string
	}{
		{name: "breaks in the middle", scripts: [][]string{append(answer("r", "half")[:3:3], "close")}, kind: ai.KindCutStream, text: "half"},
		{name: "error in the middle", scripts: [][]string{append(answer("r", "half")[:3:3], `{"type":"response.failed","response":{"error":{"code":"server_error","message":"boom"}}}`)}, kind: ai.KindServer, text: "half"},
		{name: "error first", scripts: [][]string{{`{"type":"error","error":{"code":"rate_limit_exceeded","message":"slow"}}`}}, kind: ai.KindRateLimit},
		{name: "login refused", refuse: http.StatusUnauthorized, kind: ai.KindAuth},
		{name: "no other way", refuse: http.StatusNotFound, opts: Options{Transport: TransportWebSocket}, kind: ai.KindNetwork},
		{name: "silence", scripts: [][]string{{"hang"}}, change: func(o *ai.Options) { o.Timeouts.Idle = 20 * time.Millisecond }, kind: ai.KindTimeout},
		{name: "event too large", scripts: [][]string{{`{"type":"` + strings.Repeat("x", 2000) + `"}`}}, change: func(o *ai.Options) { o.Limits.Event = 1000 }, kind: ai.KindLimit},
		{name: "endless events", scripts: [][]string{append(slices.Repeat([]string{`{"type":"codex.future","x":"0123456789"}`}, 50), "hang")}, change: func(o *ai.Options) { o.Limits.Answer = 10 }, kind: ai.KindLimit},
		{name: "unknown transport", opts: Options{Transport: "pigeon"}, kind: ai.KindConfig},
		{name: "odd body", change: func(o *ai.Options) {
			o.OnPayload = func(json.RawMessage, *ai.Model) json.RawMessage { return json.RawMessage("[]") }
		}, kind: ai.KindConfig},
		{name: "no account", change: func(o *ai.Options) { o.APIKey = "sk-123" }, kind: ai.KindAuth},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			b := newBackend(t, tt.scripts...)
			b.refuse = tt.refuse
			c := newChat(t, b, tt.opts)
			if tt.change != nil {
				tt.change(&c.opts)
			}
			m := c.say("a")
			if m.Failure == nil || m.Failure.Kind != tt.kind || m.Text() != tt.text {
				t.Errorf("%q, %+v", m.Text(), m.Failure)
			}
			if _, _, posts := b.seen(); posts != 0 {
				t.Errorf("%d requests over HTTP", posts)
			}
		})
	}
}

// A server that takes no more bytes does not hold a request for ever.
func TestServerThatDoesNotRead(t *testing.T) {
	t.Parallel()
	done := make(chan struct{})
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		conn, err := websocket.Accept(w, r, nil)
		if err != nil {
			t.Error(err)
			return
		}
		<-done // and nothing is read
		_ = conn.CloseNow()
	}))
	defer srv.Close()
	defer close(done)
	m := testModel(srv.URL)
	req := ai.Request{Messages: []ai.Message{ai.UserText(strings.Repeat("0123456789", 2<<20))}}
	opts := ai.Options{APIKey: token(), Protocol: Options{Transport: TransportWebSocket}, Timeouts: ai.Timeouts{Header: 50 * time.Millisecond}}
	if got := modelsFor(m, nil).Stream(t.Context(), m, req, opts).Result(); got.Failure == nil || got.Failure.Kind != ai.KindTimeout {
		t.Errorf("%s: %+v", got.StopReason, got.Failure)
	}
}

func TestCancelledInTheMiddle(t *testing.T) {
	t.Parallel()
	b := newBackend(t, append(answer("r", "half")[:3:3], "hang"), answer("r2", "two"))
	c := newChat(t, b, Options{})
	ctx, cancel := context.WithCancel(t.Context())
	s := c.models.Stream(ctx, c.m, ai.Request{Messages: []ai.Message{ai.UserText("a")}}, c.opts)
	for ev := range s.Events() {
		if ev.Type == ai.EventTextDelta {
			cancel()
		}
	}
	if m := s.Result(); m.StopReason != ai.StopAborted || m.Text() != "half" {
		t.Errorf("%s, %q", m.StopReason, m.Text())
	}
	s = c.models.Stream(t.Context(), c.m, ai.Request{Messages: []ai.Message{ai.UserText("a")}}, c.opts)
	if m := s.Result(); m.Text() != "two" {
		t.Errorf("after that: %q, %s", m.Text(), m.ErrorMessage)
	}
	cancel()
}

func TestAccount(t *testing.T) {
	t.Parallel()
	jwt := func(payload string) string {
		return "h." + base64.RawURLEncoding.EncodeToString([]byte(payload)) + ".s"
	}
	for _, tt := range []struct{ token, want, err string }{
		{token(), "acc-1", ""},
		{"h." + base64.URLEncoding.EncodeToString([]byte(`{"https://api.openai.com/auth":{"chatgpt_account_id":"a"} }`)) + ".s", "a", ""},
		{"sk-1", "", "no JWT"},
		{"a.!.c", "", "not base64"},
		{jwt(`{`), "", "not JSON"},
		{jwt(`{}`), "", "no account claim"},
	} {
		got, err := accountInToken(tt.token)
		if got != tt.want || (err == nil) != (tt.err == "") || err != nil && !strings.Contains(err.Error(), tt.err) {
			t.Errorf("%s: %q, %v", tt.token, got, err)
		}
	}
	c := &ai.Call{}
	c.Auth.Headers = map[string]string{"ChatGPT-Account-ID": "given"}
	if got, err := accountOf(c); err != nil || got != "given" {
		t.Errorf("from the credentials: %q, %v", got, err)
	}
}

func TestFriendly(t *testing.T) {
	t.Parallel()
	now := time.Unix(1000, 0)
	for _, tt := range []struct {
		status     int
		body, want string
		after      time.Duration
	}{
		{429, `{"error":{"type":"usage_limit_reached","message":"m","plan_type":"PLUS","resets_at":6401}}`, "The usage limit of ChatGPT is reached (plus plan); try again in about 91 min. 429 usage_limit_reached: m", 5401 * time.Second},
		{403, `{"error":{"code":"usage_not_included","message":"m","plan_type":"free"}}`, "ChatGPT's plan does not include this model (free plan). 403 usage_not_included: m", 0},
		{429, `{"error":{"code":"rate_limit_exceeded","message":"m"}}`, "ChatGPT's rate limit is reached. 429 rate_limit_exceeded: m", 0},
		{429, `{"detail":"busy","resets_in_seconds":30}`, "The usage limit of ChatGPT is reached; try again in about 1 min. 429: busy", 30 * time.Second},
		{500, `{"error":{"message":"m"}}`, "500: m", 0},
	} {
		err := friendly(ai.ResponseError(tt.status, nil, []byte(tt.body)), now)
		var e *ai.APIError
		if !errors.As(err, &e) || e.Message != tt.want || e.RetryAfter != tt.after {
			t.Errorf("got %q after %v", err, e.RetryAfter)
		}
	}
	if err := friendly(nil, now); err != nil {
		t.Error(err)
	}
}
