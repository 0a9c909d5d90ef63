package openaicompletions

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/pi-go/pi/ai"
	"pgregory.net/rapid"
)

// The same request is the same bytes, or the vendor's prompt cache is void.
func TestSameRequestSameBytes(t *testing.T) {
	t.Parallel()
	m := testModel(compat(`{"chatTemplateKwargs":{"b":1,"a":{"$var":"thinking.enabled"},"c":2},"thinkingFormat":"chat-template"}`))
	first := bodyOf(t, testCall(m, conversation()...), new(state))
	for range 50 {
		if again := bodyOf(t, testCall(m, conversation()...), new(state)); !bytes.Equal(first, again) {
			t.Fatalf("another body:\n%s\n%s", first, again)
		}
	}
}

// A turn that is added leaves all earlier bytes as they were, with and without
// kept history, and kept history gives the same bytes as none.
func TestAddedTurnsKeepThePrefix(t *testing.T) {
	t.Parallel()
	for _, c := range []string{`{}`, `{"requiresAssistantAfterToolResult":true,"requiresToolResultName":true}`, `{"supportsMidConvoSystemMessages":true,"supportsMidConvoToolAdditions":true}`, `{"requiresThinkingAsText":true}`} {
		m := testModel(compat(c))
		st := new(state)
		var before []byte
		all := conversation()
		for n := 2; n <= len(all); n++ {
			if _, ok := all[n-1].(*ai.AssistantMessage); ok {
				continue // its results are missing yet
			}
			if s, ok := all[n-1].(*ai.SystemMessage); ok && !strings.Contains(c, "MidConvoSystem") {
				_ = s
				before = nil // a changed prompt changes the beginning
			}
			if n < len(all) {
				if _, ok := all[n].(*ai.ToolResultMessage); ok {
					continue
				}
			}
			got := bodyOf(t, testCall(m, all[:n]...), st)
			if scratch := bodyOf(t, testCall(m, all[:n]...), new(state)); !bytes.Equal(scratch, got) {
				t.Fatalf("%s: kept history differs after %d messages:\n%s\n%s", c, n, scratch, got)
			}
			if before != nil && !bytes.HasPrefix(got, before[:len(before)-2]) {
				t.Fatalf("%s: message %d changed the prefix:\n%s\n%s", c, n, before, got)
			}
			before = got
		}
	}
}

func TestKeptHistoryGivesTheSameBytes(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		seed := rapid.Uint64().Draw(t, "seed")
		r := rand.New(rand.NewPCG(seed, 1))
		var c []string
		for _, f := range []string{"requiresAssistantAfterToolResult", "supportsMidConvoSystemMessages", "supportsOpenAIGrammarTools", "requiresThinkingAsText", "requiresToolsWithToolHistory"} {
			c = append(c, fmt.Sprintf("%q:%v", f, rapid.Bool().Draw(t, f)))
		}
		if rapid.Bool().Draw(t, "markers") {
			c = append(c, `"cacheControlFormat":"anthropic"`)
		}
		m := testModel(compat("{" + strings.Join(c, ",") + "}"))
		st := new(state)
		messages := conversation()
		for range rapid.IntRange(1, 8).Draw(t, "steps") {
			i, j := r.IntN(len(messages)), r.IntN(len(messages))
			switch rapid.IntRange(0, 4).Draw(t, "edit") {
			case 0:
				messages[i], messages[j] = messages[j], messages[i]
			case 1:
				messages = append(messages, conversation()[r.IntN(len(conversation()))])
			case 2:
				if len(messages) > 1 {
					messages = append(append([]ai.Message{}, messages[:i]...), messages[i+1:]...)
				}
			case 3:
				if u, ok := messages[i].(*ai.UserMessage); ok && len(u.Content) > 0 {
					if x, ok := u.Content[0].(*ai.Text); ok {
						x.Text = fmt.Sprint(r.IntN(3))
					}
				}
			case 4:
				messages = conversation()
			}
			got := bytes.Join(mustBody(t, testCall(m, messages...), st), nil)
			want := bytes.Join(mustBody(t, testCall(m, messages...), new(state)), nil)
			if !bytes.Equal(got, want) {
				t.Fatalf("kept:\n%s\nfrom scratch:\n%s", got, want)
			}
			if !jsonValid(string(got)) {
				t.Fatalf("not JSON: %s", got)
			}
		}
	})
}

func mustBody(t *rapid.T, call *ai.Call, st *state) [][]byte {
	r, err := newRequest(call, st)
	if err != nil {
		t.Fatal(err)
	}
	return r.body
}
