package api_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/pi-go/pi/ai"
	"github.com/pi-go/pi/ai/aitest"
	"github.com/pi-go/pi/ai/aitest/mockllm"
	"github.com/pi-go/pi/ai/api/anthropicmessages"
	"github.com/pi-go/pi/ai/api/bedrockconversestream"
	"github.com/pi-go/pi/ai/api/googlegenerativeai"
	"github.com/pi-go/pi/ai/api/openaicompletions"
	"github.com/pi-go/pi/ai/api/openairesponses"
)

// repeat makes n frames of one event; %d in data is their number.
func repeat(event, data string, n int) []mockllm.Frame {
	list := make([]mockllm.Frame, n)
	for i := range list {
		list[i] = mockllm.Frame{Event: event, Data: strings.ReplaceAll(data, "%d", fmt.Sprint(i))}
	}
	return list
}

// What a decoder keeps besides the texts that it shows is limited, too: each protocol
// has such things of its own.
func TestHostileContent(t *testing.T) {
	t.Parallel()
	const gemini = `{"candidates":[{"content":{"parts":[{"functionCall":{"name":"read","willContinue":true,"partialArgs":[%s]}}]}}]}`
	more := strings.Replace(gemini, `"name":"read",`, "", 1)
	blob := strings.Repeat("QUJD", 100)
	for _, tt := range []struct {
		name, api string
		frames    []mockllm.Frame
		problem   string
	}{
		{"blocks of unknown kind", anthropicmessages.ID, repeat("", `{"type":"content_block_start","index":%d,"content_block":{"type":"later"}}`, 10_100), "Limits.Answer"},
		{"signature", anthropicmessages.ID, append(repeat("", `{"type":"content_block_start","index":0,"content_block":{"type":"thinking","thinking":""}}`, 1), repeat("", `{"type":"content_block_delta","index":0,"delta":{"type":"signature_delta","signature":"`+blob+`"}}`, 200)...), "Limits.Answer"},
		{"items of unknown kind", openairesponses.ID, repeat("", `{"type":"response.output_item.added","output_index":%d,"item":{"type":"later"}}`, 10_100), "Limits.Answer"},
		{"sealed reasoning", openaicompletions.ID, repeat("", `{"id":"x","choices":[{"index":0,"delta":{"reasoning_details":[{"type":"reasoning.encrypted","data":"`+blob+`"}]}}]}`, 200), "Limits.Answer"},
		{"signature", bedrockconversestream.ID, repeat("contentBlockDelta", `{"contentBlockIndex":0,"delta":{"reasoningContent":{"signature":"`+blob+`"}}}`, 200), "Limits.Answer"},
		{"sealed reasoning", bedrockconversestream.ID, repeat("contentBlockDelta", `{"contentBlockIndex":0,"delta":{"reasoningContent":{"redactedContent":"`+blob+`"}}}`, 250), "Limits.Answer"},
		{"text in parts", googlegenerativeai.ID, append(repeat("", fmt.Sprintf(gemini, `{"jsonPath":"$.a","stringValue":"x","willContinue":true}`), 1), repeat("", fmt.Sprintf(more, `{"jsonPath":"$.a","stringValue":"`+blob+`","willContinue":true}`), 200)...), "Limits.Answer"},
		{"deep path", googlegenerativeai.ID, repeat("", fmt.Sprintf(gemini, `{"jsonPath":"$`+strings.Repeat(".a", 50_000)+`","boolValue":true}`), 1), "levels deep"},
		{"lists of lists", googlegenerativeai.ID, repeat("", fmt.Sprintf(gemini, `{"jsonPath":"$.a`+strings.Repeat("[99998]", 100)+`","boolValue":true}`), 1), "more than 100000 values"},
		{"members", googlegenerativeai.ID, repeat("", fmt.Sprintf(gemini, strings.Join(numbered(`{"jsonPath":"$.a%d","boolValue":true}`, 100_100), ",")), 1), "more than 100000 values"},
	} {
		at := slices.IndexFunc(protocols(), func(p protocol) bool { return p.api.ID() == tt.api })
		t.Run(tt.api+"/"+tt.name, func(t *testing.T) {
			t.Parallel()
			a := mockllm.Say("x")
			a.Edit = func(list []mockllm.Frame) []mockllm.Frame {
				if tt.api == anthropicmessages.ID {
					return append(list[:1:1], tt.frames...)
				}
				return tt.frames
			}
			l := protocols()[at].connect(a)
			opts := l.options()
			opts.Limits.Answer = 64 << 10
			opts.Limits.Event = 32 << 20 // so that the stream may be long
			m := aitest.Check(t, l.models.Stream(t.Context(), l.model, ai.Request{Tools: tools(), Messages: []ai.Message{ai.UserText("x")}}, opts))
			if m.Failure == nil || !strings.Contains(m.ErrorMessage, tt.problem) || len(m.ErrorMessage) > 1000 {
				t.Errorf("%s: %.300s", outline(m), m.ErrorMessage)
			}
		})
	}
}

func numbered(text string, n int) []string {
	list := make([]string, n)
	for i := range list {
		list[i] = strings.Replace(text, "%d", fmt.Sprint(i), 1)
	}
	return list
}

// A server that gives cause for notes without end fills neither memory nor the file
// that the answer is stored in.
func TestNotesAreLimited(t *testing.T) {
	t.Parallel()
	a := mockllm.Say("x")
	a.Edit = func(list []mockllm.Frame) []mockllm.Frame {
		return append(append(list[:1:1], repeat("", `{"type":"content_block_start","index":5%d,"content_block":{"type":"later%d"}}`, 500)...), list[1:]...)
	}
	m := aitest.Check(t, protocols()[0].connect(a).ask(t, ai.UserText("x")))
	if m.Err() != nil || len(m.Diagnostics) == 0 || len(m.Diagnostics) > 100 {
		t.Errorf("%d notes; %s: %s", len(m.Diagnostics), outline(m), m.ErrorMessage)
	}
}
