package mockllm_test

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/pi-go/pi/ai/aitest/mockllm"
)

// reply is a stream as a simple client sees it.
type reply struct {
	status     int
	header     http.Header
	text, args string
	thinking   string
	calls      []string
	stop       string
	done       bool
	err        error
}

// ask sends a request and reads its stream, line by line.
func ask(t *testing.T, client *http.Client, base, api, model, prompt, more string) reply {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, base+path(api), strings.NewReader(body(model, prompt, more)))
	if err != nil {
		t.Fatal(err)
	}
	res, err := client.Do(r)
	if err != nil {
		return reply{err: err}
	}
	defer res.Body.Close()
	out := reply{status: res.StatusCode, header: res.Header}
	in := bufio.NewScanner(res.Body)
	for in.Scan() {
		data, ok := strings.CutPrefix(in.Text(), "data: ")
		if !ok {
			continue
		}
		if data == "[DONE]" {
			out.done = true
			continue
		}
		var m struct {
			Type    string
			Choices []struct {
				Delta struct {
					Content          string
					ReasoningContent string `json:"reasoning_content"`
					ToolCalls        []struct {
						ID       string
						Function struct{ Name, Arguments string }
					} `json:"tool_calls"`
				}
				FinishReason string `json:"finish_reason"`
			}
			Delta struct {
				Text, Thinking string
				PartialJSON    string `json:"partial_json"`
				StopReason     string `json:"stop_reason"`
			}
			ContentBlock struct{ Type, ID, Name string } `json:"content_block"`
		}
		if err := json.Unmarshal([]byte(data), &m); err != nil {
			t.Fatalf("frame %q: %v", data, err)
		}
		out.done = out.done || m.Type == "message_stop"
		out.text += m.Delta.Text
		out.thinking += m.Delta.Thinking
		out.args += m.Delta.PartialJSON
		out.stop += m.Delta.StopReason
		if m.ContentBlock.Type == "tool_use" {
			out.calls = append(out.calls, m.ContentBlock.ID+" "+m.ContentBlock.Name)
		}
		for _, c := range m.Choices {
			out.text += c.Delta.Content
			out.thinking += c.Delta.ReasoningContent
			out.stop += c.FinishReason
			for _, tc := range c.Delta.ToolCalls {
				if tc.ID != "" {
					out.calls = append(out.calls, tc.ID+" "+tc.Function.Name)
				}
				out.args += tc.Function.Arguments
			}
		}
	}
	out.err = in.Err()
	return out
}

func path(api string) string {
	if api == mockllm.Anthropic {
		return "/v1/messages"
	}
	return "/v1/chat/completions"
}

func body(model, prompt, more string) string {
	p, _ := json.Marshal(prompt)
	return fmt.Sprintf(`{"model":%q,"stream":true,"messages":[{"role":"user","content":%s}]%s}`, model, p, more)
}

func start(t *testing.T) *mockllm.Server {
	t.Helper()
	srv, err := mockllm.Start()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := srv.Close(); err != nil {
			t.Error(err)
		}
	})
	return srv
}

func both(t *testing.T, f func(t *testing.T, api string)) {
	for _, api := range []string{mockllm.Completions, mockllm.Anthropic} {
		t.Run(api, func(t *testing.T) { f(t, api) })
	}
}

func TestContentSurvivesEveryDelivery(t *testing.T) {
	srv := start(t)
	both(t, func(t *testing.T, api string) {
		answer := mockllm.Blocks(
			mockllm.Thinking("sig", "h", "m 東"),
			mockllm.Text("na", "ïve 東京 🧭\n"),
			mockllm.ToolCall("t1", "read", `{"path":`, `"a"}`),
		)
		for _, d := range []mockllm.Delivery{{}, {Chunk: 1}, {Chunk: 7, CRLF: true}, {Chunk: -1}, {Keepalives: true}, {SplitAt: []int{3, 50, 51}}} {
			for name, client := range map[string]*http.Client{"socket": http.DefaultClient, "in process": srv.Client()} {
				srv.Queue(answer.Via(d))
				got := ask(t, client, srv.URL, api, "m", "x", "")
				if got.err != nil || got.thinking != "hm 東" || got.text != "naïve 東京 🧭\n" || got.args != `{"path":"a"}` ||
					len(got.calls) != 1 || got.calls[0] != "t1 read" || !got.done || !strings.HasPrefix(got.stop, "tool_") {
					t.Errorf("%s, delivery %+v: %+v", name, d, got)
				}
			}
		}
	})
	http.DefaultClient.CloseIdleConnections()
}

func TestBadAnswers(t *testing.T) {
	srv := start(t)
	both(t, func(t *testing.T, api string) {
		srv.Queue(
			mockllm.Status(429, "retry-after", "7"),
			mockllm.HTML(502),
			mockllm.Failure(529, "overloaded_error", "Overloaded"),
			mockllm.Answer{Content: []mockllm.Block{mockllm.Text("half")}, Error: &mockllm.Error{Type: "overloaded_error", Message: "Overloaded"}},
			mockllm.Say("abc", "def").Via(mockllm.Delivery{Drop: true}),
		)
		client := srv.Client()
		if got := ask(t, client, "http://mock", api, "m", "x", ""); got.status != 429 || got.header.Get("retry-after") != "7" {
			t.Errorf("429: %+v", got)
		}
		if got := ask(t, client, "http://mock", api, "m", "x", ""); got.status != 502 || !strings.HasPrefix(got.header.Get("content-type"), "text/html") {
			t.Errorf("502: %+v", got)
		}
		if got := ask(t, client, "http://mock", api, "m", "x", ""); got.status != 529 || got.header.Get("content-type") != "application/json" {
			t.Errorf("529: %+v", got)
		}
		if got := ask(t, client, "http://mock", api, "m", "x", ""); got.text != "half" || got.stop != "" || got.done {
			t.Errorf("error in stream: %+v", got)
		}
		if got := ask(t, client, "http://mock", api, "m", "x", ""); !errors.Is(got.err, io.EOF) {
			t.Errorf("drop: %v", got.err)
		}
		first := strings.Index(string(mockllm.Stream(api, "m", mockllm.Say("abc", "def"))), "\n\n") + 2
		srv.Queue(
			mockllm.Say("abc", "def").Via(mockllm.Delivery{CutAt: first}),
			mockllm.Say("abc", "def").Via(mockllm.Delivery{EndAt: first}),
		)
		if got := ask(t, client, "http://mock", api, "m", "x", ""); !errors.Is(got.err, io.ErrUnexpectedEOF) {
			t.Errorf("cut: %v", got.err)
		}
		if got := ask(t, client, "http://mock", api, "m", "x", ""); got.err != nil || got.done {
			t.Errorf("early end: %+v", got)
		}
	})
	got := ask(t, http.DefaultClient, srv.URL, mockllm.Anthropic, "cut-5", "x", "")
	if !errors.Is(got.err, io.ErrUnexpectedEOF) || len(strings.Fields(got.text)) != 5 {
		t.Errorf("cut over a socket: %+v", got)
	}
	if r := srv.Requests(); !r[len(r)-1].Aborted() {
		t.Error("a cut answer counts as sent")
	}
}

func TestHoldAndLeave(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		srv := mockllm.New()
		release := make(chan struct{})
		srv.Queue(mockllm.Say("a").Via(mockllm.Hanging(release)))
		time.AfterFunc(time.Hour, func() { close(release) })
		begin := time.Now()
		if got := ask(t, srv.Client(), "http://mock", mockllm.Anthropic, "m", "x", ""); got.text != "a" || time.Since(begin) != time.Hour {
			t.Errorf("%+v after %v", got, time.Since(begin))
		}
		if got := ask(t, srv.Client(), "http://mock", mockllm.Anthropic, "text-3-p1000000", "x", ""); got.text != "a model writes " || time.Since(begin) < time.Hour+3*time.Second {
			t.Errorf("pace: %+v after %v", got, time.Since(begin))
		}
		ctx, cancel := context.WithCancelCause(t.Context())
		r, err := http.NewRequestWithContext(ctx, http.MethodPost, "http://mock/v1/messages", strings.NewReader(body("hang", "x", "")))
		if err != nil {
			t.Fatal(err)
		}
		res, err := srv.Client().Do(r)
		if err != nil {
			t.Fatal(err)
		}
		defer res.Body.Close()
		time.AfterFunc(time.Minute, func() { cancel(errors.New("enough")) })
		if _, err := io.ReadAll(res.Body); err == nil {
			t.Error("a cancelled read gave no error")
		}
		last := srv.Requests()[2]
		if err := last.Wait(t.Context()); err != nil || !last.Aborted() {
			t.Errorf("the server did not see the client leave: %v", err)
		}
	})
}

const tools = `,"tools":[{"name":"read","input_schema":{"properties":{"path":{},"limit":{}}}},{"name":"Write","input_schema":{"properties":{"path":{},"content":{}}}},{"name":"bash","input_schema":{"properties":{"command":{"type":"string"}}}}]`

func TestScenarios(t *testing.T) {
	srv := mockllm.New()
	srv.Scenarios.Vary = true
	try := func(model, prompt, more string) reply {
		return ask(t, srv.Client(), "http://mock", mockllm.Anthropic, model, prompt, more)
	}
	if got := try("vendor/text-90", "x", ""); len(strings.Fields(got.text)) != 90 || !strings.Contains(got.text, ".\n\n") || got.stop != "end_turn" {
		t.Errorf("text-90: %+v", got)
	}
	if got := try("think-3", "x", ""); len(strings.Fields(got.thinking)) != 3 || got.text == "" {
		t.Errorf("think-3: %+v", got)
	}
	if got := try("loop-2", "x", tools); got.args != `{"limit":1,"path":"bench.txt"}` || got.calls[0] != "call_000001 read" {
		t.Errorf("loop-2: %+v", got)
	}
	if got := try("args-1000", "x", tools); len(got.args) < 1000 || got.calls[0] != "call_000001 Write" || !json.Valid([]byte(got.args)) {
		t.Errorf("args-1000: %+v", got)
	}
	if got := try("loop-2", "x", ""); got.text == "" || got.calls != nil {
		t.Errorf("loop-2 without tools: %+v", got)
	}
	if got := try("fail-503", "x", ""); got.status != 503 {
		t.Errorf("fail-503: %+v", got)
	}
	if got := try("any", `do [[mock {"tool":"bash","args":{"command":"ls"},"text":"done it"}]] now`, tools); got.args != `{"command":"ls"}` {
		t.Errorf("directive: %+v", got)
	}
	two := `[[mock {"calls":[{"tool":"bash","args":{"command":"a"}},{"tool":"read","args":{"path":"b"}}]}]]`
	if got := try("any", two, tools); got.args != `{"command":"a"}{"path":"b"}` || len(got.calls) != 2 {
		t.Errorf("two calls: %+v", got)
	}
	if got := try("any", `[[mock {]]`, tools); !strings.Contains(got.text, "not JSON") {
		t.Errorf("broken directive: %+v", got)
	}
}

// A loop of turns ends after as many tool results as the scenario says, and
// results of earlier prompts do not count.
func TestScenarioCountsResults(t *testing.T) {
	srv := mockllm.New()
	send := func(messages string) string {
		b := `{"model":"loop-2","stream":true,"messages":[` + messages + `]` + tools + `}`
		r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, "http://mock/v1/messages", strings.NewReader(b))
		if err != nil {
			t.Fatal(err)
		}
		res, err := srv.Client().Do(r)
		if err != nil {
			t.Fatal(err)
		}
		defer res.Body.Close()
		all, _ := io.ReadAll(res.Body)
		if strings.Contains(string(all), "tool_use") {
			return "call"
		}
		return "text"
	}
	const user, result = `{"role":"user","content":"x"}`, `{"role":"user","content":[{"type":"tool_result","tool_use_id":"1","content":"y"}]}`
	for _, tt := range []struct{ messages, want string }{
		{user, "call"},
		{user + "," + result, "call"},
		{user + "," + result + "," + result, "text"},
		{user + "," + result + "," + result + "," + user, "call"},
	} {
		if got := send(tt.messages); got != tt.want {
			t.Errorf("%s: got %s, want %s", tt.messages, got, tt.want)
		}
	}
	if r := srv.Requests()[2]; r.Results != 2 || r.Messages != 3 || r.Prompt != "x" || len(r.Tools) != 3 {
		t.Errorf("recorded %+v", r)
	}
}

func TestStats(t *testing.T) {
	srv := start(t)
	ask(t, http.DefaultClient, srv.URL, mockllm.Completions, "text-5", "x", "")
	res, err := http.Get(srv.URL + "/stats")
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	var st struct{ Requests []mockllm.Stat }
	if err := json.NewDecoder(res.Body).Decode(&st); err != nil {
		t.Fatal(err)
	}
	if len(st.Requests) != 1 || st.Requests[0].Model != "text-5" || st.Requests[0].EndNS < st.Requests[0].StartNS || st.Requests[0].Out == 0 {
		t.Errorf("stats %+v", st)
	}
	http.DefaultClient.CloseIdleConnections()
}
