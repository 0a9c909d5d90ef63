package api_test

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"regexp"
	"strings"
	"testing"

	"github.com/pi-go/pi/ai"
	"github.com/pi-go/pi/ai/aitest"
	"github.com/pi-go/pi/ai/aitest/mockllm"
)

// signature is what a protocol's vendor signs with here; all begin alike. Some
// vendors take base64 only.
func signature(p protocol) string {
	return base64.StdEncoding.EncodeToString([]byte("signature-of-" + p.api.ID()))
}

const anySignature = "c2lnbmF0dXJlLW9m" // "signature-of" in base64

// transcript is a conversation that a protocol had: it thought, called two tools,
// got the results, and answered.
func transcript(t *testing.T, p protocol) []ai.Message {
	t.Helper()
	answer := mockllm.Blocks(mockllm.Thinking(signature(p), "Let me look."), mockllm.Text("I look."),
		mockllm.ToolCall("call_1", "read", `{"path":"a"}`), mockllm.ToolCall("call_2", "status", `{}`))
	l := p.connect(answer, mockllm.Say("Done."))
	picture := &ai.Image{Data: "aGk=", MIMEType: "image/png"}
	messages := []ai.Message{&ai.UserMessage{Content: []ai.Block{&ai.Text{Text: "Look at this."}, picture}}}
	first := aitest.Check(t, l.ask(t, messages...))
	calls := first.ToolCalls()
	if len(calls) != 2 {
		t.Fatalf("%s: %s %s", p.api.ID(), outline(first), first.ErrorMessage)
	}
	messages = append(messages, first,
		&ai.ToolResultMessage{ToolCallID: calls[0].ID, ToolName: "read", Content: []ai.Block{&ai.Text{Text: "line"}, picture}},
		&ai.ToolResultMessage{ToolCallID: calls[1].ID, ToolName: "status", Content: []ai.Block{&ai.Text{Text: "fine"}}, IsError: true})
	second := aitest.Check(t, l.ask(t, messages...))
	if second.Text() != "Done." {
		t.Fatalf("%s: %s %s", p.api.ID(), outline(second), second.ErrorMessage)
	}
	return append(messages, second, ai.UserText("And now?"))
}

// pairs finds the ids of calls and of results in a request, in order.
func pairs(p protocol, body []byte) (calls, results []string, err error) {
	var v any
	if err := json.Unmarshal(body, &v); err != nil {
		return nil, nil, err
	}
	str := func(m map[string]any, name string) string { s, _ := m[name].(string); return s }
	var walk func(v any)
	walk = func(v any) {
		switch v := v.(type) {
		case []any:
			for _, e := range v {
				walk(e)
			}
		case map[string]any:
			switch kind := str(v, "type"); {
			case kind == "tool_use", kind == "function" && v["function"] != nil && str(v, "id") != "":
				calls = append(calls, str(v, "id"))
			case kind == "function_call":
				calls = append(calls, str(v, "call_id"))
			case kind == "tool_result":
				results = append(results, str(v, "tool_use_id"))
			case kind == "function_call_output":
				results = append(results, str(v, "call_id"))
			case str(v, "role") == "tool":
				results = append(results, str(v, "tool_call_id"))
			case kind == "toolCall":
				calls = append(calls, str(v, "id"))
			case str(v, "role") == "toolResult":
				results = append(results, str(v, "toolCallId"))
			}
			if f, ok := v["functionCall"].(map[string]any); ok {
				calls = append(calls, str(f, "id")+"/"+str(f, "name"))
			}
			if f, ok := v["toolUse"].(map[string]any); ok {
				calls = append(calls, str(f, "toolUseId"))
			}
			if f, ok := v["toolResult"].(map[string]any); ok {
				results = append(results, str(f, "toolUseId"))
			}
			if f, ok := v["functionResponse"].(map[string]any); ok {
				results = append(results, str(f, "id")+"/"+str(f, "name"))
			}
			for _, name := range []string{"context", "messages", "input", "contents", "content", "parts", "tool_calls"} {
				walk(v[name])
			}
		}
	}
	walk(v)
	return calls, results, nil
}

// legalID is what a vendor takes as the id of a call.
func legalID(p protocol, id string) bool {
	pattern := `^[A-Za-z0-9_-]{1,64}$`
	switch p.api.ID() {
	case "mistral-conversations":
		pattern = `^[A-Za-z0-9]{9}$`
	case "pi-messages":
		return id != ""
	case "openai-completions":
		pattern = `^[A-Za-z0-9_-]{1,40}$`
	}
	id, _, _ = strings.Cut(id, "/")
	return regexp.MustCompile(pattern).MatchString(id)
}

// A conversation that one protocol had goes on over each other one: calls and
// results stay together under legal ids, and no vendor is shown what another
// signed.
func TestHandOver(t *testing.T) {
	t.Parallel()
	for _, from := range protocols() {
		for _, to := range protocols() {
			t.Run(from.api.ID()+" to "+to.api.ID(), func(t *testing.T) {
				t.Parallel()
				messages := transcript(t, from)
				before := stored(messages)
				l := to.connect(mockllm.Say("Hello."), mockllm.Say("Hello again."))
				m := aitest.Check(t, l.ask(t, messages...))
				if m.Text() != "Hello." {
					t.Fatalf("%s: %s", outline(m), m.ErrorMessage)
				}
				body := l.srv.Requests()[0].Body
				calls, results, err := pairs(to, body)
				if err != nil {
					t.Fatal(err)
				}
				if len(calls) != 2 || fmt.Sprint(calls) != fmt.Sprint(results) || calls[0] == calls[1] {
					t.Errorf("calls %q, results %q in\n%s", calls, results, body)
				}
				for _, id := range calls {
					if !legalID(to, id) {
						t.Errorf("the id %q is not legal", id)
					}
				}
				// A gateway gets the conversation as it is, and does by itself what
				// the vendor behind it needs.
				foreign := from.api.ID() != to.api.ID() && to.mock != mockllm.PiMessages
				if signed := strings.Contains(string(body), anySignature); signed && foreign {
					t.Errorf("a signature went to another vendor:\n%s", body)
				}
				if foreign && strings.Contains(string(body), "Let me look.") {
					t.Errorf("thinking went to another vendor:\n%s", body)
				}
				for _, said := range []string{"Look at this.", "I look.", "line", "fine", "Done.", "And now?", "aGk="} {
					if !strings.Contains(string(body), said) {
						t.Errorf("%q is missing in\n%s", said, body)
					}
				}
				// Once more, the earlier bytes are the same, and what is stored
				// was not touched.
				again := append(messages, m, ai.UserText("More."))
				if m := aitest.Check(t, l.ask(t, again...)); m.Text() != "Hello again." {
					t.Fatalf("%s: %s", outline(m), m.ErrorMessage)
				}
				moreCalls, _, err := pairs(to, l.srv.Requests()[1].Body)
				if err != nil || fmt.Sprint(moreCalls) != fmt.Sprint(calls) {
					t.Errorf("a turn later the ids are %q: %v", moreCalls, err)
				}
				if after := stored(messages); after != before {
					t.Error("the stored conversation was changed")
				}
				back(t, from, messages)
			})
		}
	}
}

// back asks the first vendor again: what it signed comes back to it unchanged.
func back(t *testing.T, from protocol, messages []ai.Message) {
	t.Helper()
	if from.mock == mockllm.Mistral || from.mock == mockllm.Completions {
		return // nothing is signed there
	}
	l := from.connect(mockllm.Say("Back."))
	if m := aitest.Check(t, l.ask(t, messages...)); m.Text() != "Back." {
		t.Fatalf("%s: %s", outline(m), m.ErrorMessage)
	}
	if body := string(l.srv.Requests()[0].Body); !strings.Contains(body, signature(from)) {
		t.Errorf("the vendor's own signature did not come back:\n%s", body)
	}
}

func stored(messages []ai.Message) string {
	var b []byte
	for _, m := range messages {
		b = append(m.AppendJSON(b), '\n')
	}
	return string(b)
}
