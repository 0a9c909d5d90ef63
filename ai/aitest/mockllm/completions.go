package mockllm

import (
	"encoding/json"
	"fmt"
	"strings"
)

// completions renders an answer as OpenAI's chat completion chunks.
func completions(r *Request, a Answer) []Frame {
	var frames []Frame
	model := a.name(r)
	head := `{`
	if id := a.id("chatcmpl-" + fmt.Sprint(r.N)); id != "" {
		head += `"id":` + quote(id) + `,`
	}
	head += `"object":"chat.completion.chunk","created":1700000000,`
	if model != "" {
		head += `"model":` + quote(model) + `,`
	}
	usage := a.usage()
	usageJSON := fmt.Sprintf(`"usage":{"prompt_tokens":%d,"completion_tokens":%d,"total_tokens":%d,"prompt_tokens_details":{"cached_tokens":%d,"cache_write_tokens":%d},"completion_tokens_details":{"reasoning_tokens":%d}}`,
		usage.Input+usage.CacheRead+usage.CacheWrite, usage.Output, usage.Input+usage.CacheRead+usage.CacheWrite+usage.Output,
		usage.CacheRead, usage.CacheWrite, usage.Reasoning)
	chunk := func(delta, finish, more string) {
		if more != "" {
			more = "," + more
		}
		frames = append(frames, Frame{Data: head + `"choices":[{"index":0,"delta":` + delta + `,"finish_reason":` + finish + `}]` + more + `}`})
	}
	early := ""
	if a.UsageAt == UsageEarly {
		early = usageJSON
	}
	chunk(`{"role":"assistant","content":""}`, "null", early)
	calls := 0
	for _, b := range a.Content {
		switch b.Kind {
		case "tool":
			chunk(fmt.Sprintf(`{"tool_calls":[{"index":%d,"id":%s,"type":"function","function":{"name":%s,"arguments":""}}]}`, calls, quote(b.ID), quote(b.Name)), "null", "")
			for _, d := range b.Deltas {
				chunk(fmt.Sprintf(`{"tool_calls":[{"index":%d,"function":{"arguments":%s}}]}`, calls, quote(d)), "null", "")
			}
			calls++
		case "thinking":
			for _, d := range b.Deltas {
				chunk(`{"reasoning_content":`+quote(d)+`}`, "null", "")
			}
		case "redacted":
			chunk(`{"reasoning_details":[{"type":"reasoning.encrypted","data":`+quote(b.Signature)+`}]}`, "null", "")
		default:
			for _, d := range b.Deltas {
				chunk(`{"content":`+quote(d)+`}`, "null", "")
			}
		}
	}
	if a.Error != nil {
		return append(frames, Frame{Data: completionsError(a.Error)})
	}
	stop := a.Stop
	if stop == "" {
		stop = "stop"
		if calls > 0 {
			stop = "tool_calls"
		}
	}
	if stop != "-" {
		with := ""
		if a.UsageAt == UsageWithStop {
			with = usageJSON
		}
		chunk(`{}`, quote(stop), with)
	}
	if a.UsageAt == UsageUsual {
		frames = append(frames, Frame{Data: head + `"choices":[],` + usageJSON + `}`})
	}
	return append(frames, Frame{Data: "[DONE]"})
}

func completionsError(e *Error) string {
	code, err := json.Marshal(e.Code)
	if err != nil {
		code = []byte("null")
	}
	return fmt.Sprintf(`{"error":{"message":%s,"type":%s,"param":null,"code":%s}}`, quote(e.Message), quote(e.Type), code)
}

// completionsWhole is the answer to a request that wants no stream.
func completionsWhole(r *Request, a Answer) string {
	u := a.usage()
	return fmt.Sprintf(`{"id":"chatcmpl-%d","object":"chat.completion","created":1700000000,"model":%s,"choices":[{"index":0,"message":{"role":"assistant","content":%s},"finish_reason":"stop"}],"usage":{"prompt_tokens":%d,"completion_tokens":%d,"total_tokens":%d}}`,
		r.N, quote(r.Model), quote(allText(a)), u.Input, u.Output, u.Input+u.Output)
}

func allText(a Answer) string {
	var b strings.Builder
	for _, block := range a.Content {
		if block.Kind == "text" {
			b.WriteString(strings.Join(block.Deltas, ""))
		}
	}
	return b.String()
}

func (a Answer) usage() Usage {
	if a.Usage != nil {
		return *a.Usage
	}
	return DefaultUsage(a.Content)
}

func (a Answer) id(made string) string {
	switch a.ID {
	case "":
		return made
	case "-":
		return ""
	}
	return a.ID
}

func (a Answer) name(r *Request) string {
	switch a.Model {
	case "":
		return r.Model
	case "-":
		return ""
	}
	return a.Model
}
