package anthropicmessages_test

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/pi-go/pi/ai"
	"github.com/pi-go/pi/ai/aitest"
	"github.com/pi-go/pi/ai/aitest/mockllm"
	"github.com/pi-go/pi/ai/api/anthropicmessages"
)

// talk is a conversation in which each answer is kept.
type talk struct {
	t        *testing.T
	srv      *mockllm.Server
	model    *ai.Model
	system   string
	tools    []ai.Tool
	messages []ai.Message
	opts     ai.Options
}

func newTalk(t *testing.T, compatFlags string) *talk {
	t.Helper()
	c := ai.NewConversation("session-1")
	t.Cleanup(func() {
		if err := c.Close(); err != nil {
			t.Error(err)
		}
	})
	return &talk{
		t: t, srv: mockllm.New(), model: compat(testModel(), compatFlags), system: "Be kind.", tools: []ai.Tool{readTool()},
		opts: ai.Options{APIKey: "k", Conversation: c},
	}
}

// say asks, keeps the answer, and gives what the server saw.
func (k *talk) say(text string, answers ...mockllm.Answer) (*ai.AssistantMessage, []*mockllm.Request) {
	k.t.Helper()
	k.messages = append(k.messages, ai.UserText(text))
	return k.next(answers...)
}

func (k *talk) next(answers ...mockllm.Answer) (*ai.AssistantMessage, []*mockllm.Request) {
	k.t.Helper()
	k.srv.Queue(answers...)
	before := len(k.srv.Requests())
	req := ai.Request{System: k.system, Tools: k.tools, Messages: k.messages}
	m := aitest.Check(k.t, client(k.srv, k.model).Stream(k.t.Context(), k.model, req, k.opts))
	k.messages = append(k.messages, m)
	return m, k.srv.Requests()[before:]
}

// shape tells what a request sends: its thread, and how much else.
func shape(t *testing.T, r *mockllm.Request) string {
	t.Helper()
	var body struct {
		Thread   json.RawMessage   `json:"thread"`
		System   json.RawMessage   `json:"system"`
		Tools    json.RawMessage   `json:"tools"`
		Messages []json.RawMessage `json:"messages"`
	}
	if err := json.Unmarshal(r.Body, &body); err != nil {
		t.Fatal(err)
	}
	s := strings.Repeat("m", len(body.Messages))
	if len(body.System) > 0 {
		s += " system"
	}
	if len(body.Tools) > 0 {
		s += " tools"
	}
	if len(body.Thread) > 0 {
		s += " " + string(body.Thread)
	}
	if strings.Contains(r.Header.Get("anthropic-beta"), "message-threads") != (len(body.Thread) > 0) {
		s += " with the wrong betas"
	}
	return s
}

const threadsOn = `{"supportsMessageThreads":true}`

func wantShapes(t *testing.T, requests []*mockllm.Request, want ...string) {
	t.Helper()
	var got []string
	for _, r := range requests {
		got = append(got, shape(t, r))
	}
	if !slices.Equal(got, want) {
		t.Errorf("requests %q, want %q", got, want)
	}
}

func named(id string, a mockllm.Answer) mockllm.Answer {
	a.ID, a.Model = id, "claude-x"
	return a
}

func threadError(code, message string) mockllm.Answer {
	a := mockllm.Status(400)
	a.Body = `{"type":"error","error":{"type":"invalid_request_error","message":"` + message + `","details":{"error_code":"` + code + `"}}}`
	return a
}

func TestThread(t *testing.T) {
	k := newTalk(t, threadsOn)
	_, r := k.say("one", named("a1", mockllm.Blocks(mockllm.Text("Looking."), mockllm.ToolCall("t1", "read", `{"path":"x"}`))))
	wantShapes(t, r, `m system tools {"type":"create"}`)
	k.messages = append(k.messages, result("t1", "read", "text of x"))
	_, r = k.next(named("a2", mockllm.Say("Done.")))
	wantShapes(t, r, `m {"type":"continue","previous_message_id":"a1"}`)
	_, r = k.say("two", named("a3", mockllm.Say("Fine.")))
	wantShapes(t, r, `m {"type":"continue","previous_message_id":"a2"}`)

	// Whatever changes what the vendor has starts over.
	k.system = "Be brief."
	_, r = k.say("three", named("a4", mockllm.Say("Ok.")))
	wantShapes(t, r, `mmmmmmm system tools {"type":"create"}`)
	k.tools[0].Description = "Read it."
	_, r = k.say("three and a half", named("a4", mockllm.Say("Ok.")))
	if got := shape(t, r[0]); !strings.HasSuffix(got, `{"type":"create"}`) {
		t.Errorf("after a change of tools: %s", got)
	}
	k.messages[0] = ai.UserText("uno")
	_, r = k.say("four", named("a5", mockllm.Say("Ok.")))
	wantShapes(t, r, `mmmmmmmmmmm system tools {"type":"create"}`)

	// An answer of another model, or one that failed, is not built upon.
	_, r = k.say("five", mockllm.Answer{ID: "a6", Model: "other", Content: []mockllm.Block{mockllm.Text("x")}})
	wantShapes(t, r, `m {"type":"continue","previous_message_id":"a5"}`)
	_, r = k.say("six", named("a7", mockllm.Say("x")))
	if got := shape(t, r[0]); !strings.HasSuffix(got, `{"type":"create"}`) {
		t.Errorf("after an answer of another model: %s", got)
	}
	k.opts.Protocol = anthropicmessages.Options{DisableThreads: true}
	_, r = k.say("seven", named("a8", mockllm.Say("x")))
	if got := shape(t, r[0]); strings.Contains(got, "thread") || strings.Contains(got, "create") {
		t.Errorf("with threads disabled: %s", got)
	}
}

func TestThreadFallbacks(t *testing.T) {
	k := newTalk(t, threadsOn)
	k.say("one", named("a1", mockllm.Say("One.")))
	m, r := k.say("two", threadError("thread_not_found", "gone"), named("a2", mockllm.Say("Two.")))
	wantShapes(t, r, `m {"type":"continue","previous_message_id":"a1"}`, `mmm system tools {"type":"create"}`)
	if m.StopReason != ai.StopEnd || len(m.Diagnostics) != 1 || m.Diagnostics[0].Type != "anthropic_thread_fallback" {
		t.Errorf("answer %s with %+v", m.StopReason, m.Diagnostics)
	}
	_, r = k.say("three", threadError("thread_unsupported_request", "no"), named("a3", mockllm.Say("Three.")))
	wantShapes(t, r, `m {"type":"continue","previous_message_id":"a2"}`, `mmmmm system tools`)
	_, r = k.say("four", named("a4", mockllm.Say("Four.")))
	wantShapes(t, r, `mmmmmmm system tools`)

	// A vendor that knows no threads says so in its own words.
	k = newTalk(t, threadsOn)
	_, r = k.say("one", mockllm.Failure(400, "invalid_request_error", "thread: extra field"), named("a1", mockllm.Say("x")))
	wantShapes(t, r, `m system tools {"type":"create"}`, `m system tools`)
	// Another failure is a failure.
	k = newTalk(t, threadsOn)
	m, r = k.say("one", mockllm.Failure(400, "invalid_request_error", "max_tokens: too large"))
	if m.StopReason != ai.StopError || len(r) != 1 {
		t.Errorf("%s after %d requests", m.StopReason, len(r))
	}
}

// Without a place to keep a thread there is none.
func TestThreadNeedsAConversation(t *testing.T) {
	k := newTalk(t, threadsOn)
	k.opts.Conversation, k.opts.SessionID = nil, "s"
	_, r := k.say("one", named("a1", mockllm.Say("x")))
	wantShapes(t, r, "m system tools")
	k = newTalk(t, `{}`) // only the vendor itself has threads by default
	_, r = k.say("one", named("a1", mockllm.Say("x")))
	wantShapes(t, r, "m system tools")
}

// Effort in system messages and threads work together.
func TestThreadWithEffort(t *testing.T) {
	k := newTalk(t, `{"supportsMessageThreads":true,"supportsMidConvoEffort":true,"supportsMidConvoSystemMessages":true}`)
	k.opts.Thinking = ai.ThinkingHigh
	m, r := k.say("one", named("a1", mockllm.Say("One.")))
	wantShapes(t, r, `mm system tools {"type":"create"}`)
	if m.ProviderThinkingLevel != "high" {
		t.Errorf("the effort is recorded as %q", m.ProviderThinkingLevel)
	}
	k.opts.Thinking = ai.ThinkingLow
	_, r = k.say("two", named("a2", mockllm.Say("Two.")))
	wantShapes(t, r, `mm {"type":"continue","previous_message_id":"a1"}`)
}

func TestStrictToolsFallback(t *testing.T) {
	k := newTalk(t, `{"supportsStrictTools":true}`)
	k.tools = []ai.Tool{strictTool()}
	strict := func(r *mockllm.Request) bool { return strings.Contains(string(r.Body), `"strict":true`) }
	m, r := k.say("one", mockllm.Failure(400, "invalid_request_error", "The compiled grammar is too large"), mockllm.Say("x"))
	if len(r) != 2 || !strict(r[0]) || strict(r[1]) || m.StopReason != ai.StopEnd || len(m.Diagnostics) != 1 {
		t.Fatalf("%d requests, %s, %+v", len(r), m.StopReason, m.Diagnostics)
	}
	_, r = k.say("two", mockllm.Say("x"))
	if len(r) != 1 || strict(r[0]) {
		t.Error("the next request tries strict tools again")
	}
	k.tools[0].Sampling = &ai.ConstrainedSampling{Type: ai.SamplingJSONSchema, Strict: "require"}
	if m, _ = k.say("three"); m.StopReason != ai.StopError || !strings.Contains(m.ErrorMessage, "must be strict") {
		t.Errorf("a tool that must be strict: %s %q", m.StopReason, m.ErrorMessage)
	}
}

// A fallback model that answers is named and priced as itself.
func TestFallbackModel(t *testing.T) {
	k := newTalk(t, `{"allowedFallbackModels":[{"provider":"anthropic","model":"claude-y","cost":{"input":100}}]}`)
	m, _ := k.say("one", mockllm.Answer{Model: "claude-y", Content: []mockllm.Block{mockllm.Text("x")}, Usage: &mockllm.Usage{Input: 1000, Output: 1}})
	if m.ResponseModel != "claude-y" || !near(m.Usage.Cost.Total, 0.1) {
		t.Errorf("%s for %v", m.ResponseModel, m.Usage.Cost.Total)
	}
}
