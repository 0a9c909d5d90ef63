package mockllm

import (
	"fmt"
	"strings"
)

// anthropic renders an answer as Anthropic's message events.
func anthropic(r *Request, a Answer) []Frame {
	var frames []Frame
	event := func(name, rest string) {
		frames = append(frames, Frame{Event: name, Data: `{"type":` + quote(name) + rest + `}`})
	}
	u := a.usage()
	input := fmt.Sprintf(`"input_tokens":%d,"cache_creation_input_tokens":%d,"cache_read_input_tokens":%d,"cache_creation":{"ephemeral_5m_input_tokens":%d,"ephemeral_1h_input_tokens":%d}`,
		u.Input, u.CacheWrite, u.CacheRead, u.CacheWrite-u.CacheWrite1h, u.CacheWrite1h)
	output := fmt.Sprintf(`"output_tokens":%d`, u.Output)
	if u.Reasoning > 0 {
		output += fmt.Sprintf(`,"output_tokens_details":{"thinking_tokens":%d}`, u.Reasoning)
	}
	startUsage, endUsage := "", ""
	switch a.UsageAt {
	case UsageUsual:
		startUsage, endUsage = `,"usage":{`+input+`,"output_tokens":1,"service_tier":"standard"}`, `,"usage":{`+output+`}`
	case UsageEarly:
		startUsage = `,"usage":{` + input + `,` + output + `}`
	case UsageWithStop:
		endUsage = `,"usage":{` + input + `,` + output + `}`
	}
	start := `,"message":{`
	if id := a.id(fmt.Sprintf("msg_%d", r.N)); id != "" {
		start += `"id":` + quote(id) + `,`
	}
	start += `"type":"message","role":"assistant"`
	if model := a.name(r); model != "" {
		start += `,"model":` + quote(model)
	}
	event("message_start", start+`,"content":[],"stop_reason":null,"stop_sequence":null`+startUsage+`}`)
	calls := false
	for i, b := range a.Content {
		index := fmt.Sprintf(`,"index":%d`, i)
		delta := func(kind, field, text string) {
			event("content_block_delta", index+`,"delta":{"type":"`+kind+`","`+field+`":`+quote(text)+`}`)
		}
		switch b.Kind {
		case "tool":
			calls = true
			event("content_block_start", index+`,"content_block":{"type":"tool_use","id":`+quote(b.ID)+`,"name":`+quote(b.Name)+`,"input":{}}`)
			for _, d := range b.Deltas {
				delta("input_json_delta", "partial_json", d)
			}
		case "thinking":
			event("content_block_start", index+`,"content_block":{"type":"thinking","thinking":"","signature":""}`)
			for _, d := range b.Deltas {
				delta("thinking_delta", "thinking", d)
			}
			if b.Signature != "" {
				delta("signature_delta", "signature", b.Signature)
			}
		case "redacted":
			event("content_block_start", index+`,"content_block":{"type":"redacted_thinking","data":`+quote(b.Signature)+`}`)
		default:
			event("content_block_start", index+`,"content_block":{"type":"text","text":""}`)
			for _, d := range b.Deltas {
				delta("text_delta", "text", d)
			}
		}
		event("content_block_stop", index)
	}
	if a.Error != nil {
		return append(frames, Frame{Event: "error", Data: anthropicError(a.Error)})
	}
	stop := a.Stop
	if stop == "" {
		stop = "end_turn"
		if calls {
			stop = "tool_use"
		}
	}
	if stop != "-" {
		event("message_delta", `,"delta":{"stop_reason":`+quote(stop)+`,"stop_sequence":null}`+endUsage)
	}
	event("message_stop", "")
	return frames
}

func anthropicError(e *Error) string {
	return `{"type":"error","error":{"type":` + quote(e.Type) + `,"message":` + quote(e.Message) + `},"request_id":"req_mock"}`
}

func anthropicWhole(r *Request, a Answer) string {
	u := a.usage()
	return fmt.Sprintf(`{"id":"msg_%d","type":"message","role":"assistant","model":%s,"content":[{"type":"text","text":%s}],"stop_reason":"end_turn","stop_sequence":null,"usage":{"input_tokens":%d,"output_tokens":%d}}`,
		r.N, quote(r.Model), quote(allText(a)), u.Input, u.Output)
}

// Encode gives the bytes of an event stream.
func Encode(frames []Frame, d Delivery) []byte {
	var b strings.Builder
	for i, f := range frames {
		if d.Keepalives {
			b.WriteString([]string{": ping\n\n", ":\n\n", "event: ping\ndata: {\"type\": \"ping\"}\n\n", "id: 7\n: still here\n\n", "retry: 1000\n\n"}[i%5])
		}
		if f.Event != "" {
			b.WriteString("event: " + f.Event + "\n")
		}
		for line := range strings.SplitSeq(f.Data, "\n") {
			b.WriteString("data: " + line + "\n")
		}
		b.WriteByte('\n')
	}
	if d.CRLF {
		return []byte(strings.ReplaceAll(b.String(), "\n", "\r\n"))
	}
	return []byte(b.String())
}
