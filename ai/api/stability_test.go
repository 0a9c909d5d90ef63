package api_test

import (
	"bytes"
	"encoding/json"
	"testing"

	"github.com/pi-go/pi/ai"
	"github.com/pi-go/pi/ai/aitest"
	"github.com/pi-go/pi/ai/aitest/mockllm"
)

// said gives the bytes of the conversation in a request, without the bracket that
// ends it.
func said(t *testing.T, body []byte) []byte {
	t.Helper()
	var fields map[string]json.RawMessage
	if err := json.Unmarshal(body, &fields); err != nil {
		t.Fatal(err)
	}
	if inner, ok := fields["context"]; ok {
		if err := json.Unmarshal(inner, &fields); err != nil {
			t.Fatal(err)
		}
	}
	for _, name := range []string{"messages", "input", "contents"} {
		if list, ok := fields[name]; ok {
			return bytes.TrimSuffix(list, []byte("]"))
		}
	}
	t.Fatalf("no conversation in %s", body)
	return nil
}

// What was said stays, byte for byte, when more is said: that is what a vendor's
// cache of prompts lives on. With kept history the bytes are those without.
func TestAppendedTurnsKeepTheirBytes(t *testing.T) {
	t.Parallel()
	for _, p := range protocols() {
		t.Run(p.api.ID(), func(t *testing.T) {
			t.Parallel()
			messages := transcript(t, p)
			answers := make([]mockllm.Answer, len(messages))
			for i := range answers {
				answers[i] = mockllm.Say("ok")
			}
			fresh, kept := p.connect(answers...), p.connect(answers...)
			conversation := ai.NewConversation("")
			defer conversation.Close()
			var last []byte
			n := 0
			for end := 1; end <= len(messages); end++ {
				if _, calls := messages[end-1].(*ai.AssistantMessage); calls {
					continue // what is asked ends with a question or with results
				}
				if _, more := messages[min(end, len(messages)-1)].(*ai.ToolResultMessage); more && end < len(messages) {
					continue // not all results are there
				}
				for _, l := range []*line{fresh, kept} {
					opts := l.options()
					opts.Cache = ai.CacheNone // markers move
					if l == kept {
						opts.Conversation = conversation
					}
					m := aitest.Check(t, l.models.Stream(t.Context(), l.model, ai.Request{System: "Be brief.", Tools: tools(), Messages: messages[:end]}, opts))
					if m.Text() != "ok" {
						t.Fatalf("%s: %s", outline(m), m.ErrorMessage)
					}
				}
				body := fresh.srv.Requests()[n].Body
				if again := kept.srv.Requests()[n].Body; !bytes.Equal(body, again) {
					t.Errorf("with kept history\n%s\nwithout\n%s", again, body)
				}
				now := said(t, body)
				if !bytes.HasPrefix(now, last) {
					t.Errorf("before\n%s\nnow\n%s", last, now)
				}
				last = now
				n++
			}
			if n < 3 {
				t.Errorf("only %d requests", n)
			}
		})
	}
}
