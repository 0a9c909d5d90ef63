package mockllm

import (
	"encoding/binary"
	"encoding/json"
	"fmt"
	"hash/crc32"
	"net/url"
	"strings"
)

// parseBedrock fills in what the body and the path of a Converse request say.
func (r *Request) parseBedrock() error {
	var body struct {
		Messages []struct {
			Role    string
			Content []struct {
				Text       string
				ToolResult json.RawMessage
			}
		}
		ToolConfig struct {
			Tools []struct {
				ToolSpec struct {
					Name        string
					InputSchema struct {
						JSON struct {
							Properties map[string]json.RawMessage
						}
					}
				}
			}
		}
	}
	if err := json.Unmarshal(r.Body, &body); err != nil {
		return err
	}
	path, _, _ := strings.Cut(r.URL, "?")
	path = strings.TrimSuffix(path, "/converse-stream")
	r.Model, r.Stream, r.Messages = path[strings.LastIndexByte(path, '/')+1:], true, len(body.Messages)
	if name, err := url.PathUnescape(r.Model); err == nil {
		r.Model = name
	}
	for _, t := range body.ToolConfig.Tools {
		r.Tools = append(r.Tools, Tool{t.ToolSpec.Name, t.ToolSpec.InputSchema.JSON.Properties})
	}
	for _, m := range body.Messages {
		text, results := "", 0
		for _, c := range m.Content {
			text += c.Text
			if len(c.ToolResult) > 0 {
				results++
			}
		}
		r.see(m.Role, text, results)
	}
	return nil
}

// exceptionMark is what the event of a frame begins with that is an exception.
const exceptionMark = "exception:"

// bedrock renders an answer as events of Converse.
func bedrock(_ *Request, a Answer) []Frame {
	var frames []Frame
	event := func(name, data string) { frames = append(frames, Frame{Event: name, Data: data}) }
	event("messageStart", `{"role":"assistant","p":"abc"}`)
	calls := false
	for i, b := range a.Content {
		index := fmt.Sprintf(`"contentBlockIndex":%d`, i)
		delta := func(d string) { event("contentBlockDelta", `{`+index+`,"delta":`+d+`,"p":"abcdefgh"}`) }
		switch b.Kind {
		case "tool":
			calls = true
			event("contentBlockStart", `{`+index+`,"start":{"toolUse":{"toolUseId":`+quote(b.ID)+`,"name":`+quote(b.Name)+`}}}`)
			for _, d := range b.Deltas {
				delta(`{"toolUse":{"input":` + quote(d) + `}}`)
			}
		case "thinking":
			for _, d := range b.Deltas {
				delta(`{"reasoningContent":{"text":` + quote(d) + `}}`)
			}
			if b.Signature != "" {
				delta(`{"reasoningContent":{"signature":` + quote(b.Signature) + `}}`)
			}
		case "redacted":
			delta(`{"reasoningContent":{"redactedContent":` + quote(b.Signature) + `}}`)
		default:
			for _, d := range b.Deltas {
				delta(`{"text":` + quote(d) + `}`)
			}
		}
		event("contentBlockStop", `{`+index+`}`)
	}
	if a.Error != nil {
		event(exceptionMark+a.Error.Type, `{"message":`+quote(a.Error.Message)+`}`)
		return frames
	}
	stop := a.Stop
	if stop == "" {
		stop = "end_turn"
		if calls {
			stop = "tool_use"
		}
	}
	if stop != "-" {
		event("messageStop", `{"stopReason":`+quote(stop)+`}`)
	}
	if a.UsageAt != UsageNone {
		u := a.usage()
		event("metadata", fmt.Sprintf(`{"usage":{"inputTokens":%d,"outputTokens":%d,"totalTokens":%d,"cacheReadInputTokens":%d,"cacheWriteInputTokens":%d},"metrics":{"latencyMs":1}}`,
			u.Input, u.Output, u.Input+u.Output+u.CacheRead+u.CacheWrite, u.CacheRead, u.CacheWrite))
	}
	return frames
}

func bedrockError(e *Error) string { return `{"message":` + quote(e.Message) + `}` }

func bedrockWhole(_ *Request, a Answer) string {
	return `{"output":{"message":{"role":"assistant","content":[{"text":` + quote(allText(a)) + `}]}},"stopReason":"end_turn"}`
}

// EncodeBinary gives the bytes of Amazon's event stream. A frame whose event begins
// with "exception:" is sent as that exception.
func EncodeBinary(frames []Frame) []byte {
	var out []byte
	for _, f := range frames {
		var headers []byte
		header := func(name, value string) {
			headers = append(headers, byte(len(name)))
			headers = append(headers, name...)
			headers = append(headers, 7) // a string
			headers = binary.BigEndian.AppendUint16(headers, uint16(len(value)))
			headers = append(headers, value...)
		}
		if name, ok := strings.CutPrefix(f.Event, exceptionMark); ok {
			header(":message-type", "exception")
			header(":exception-type", name)
		} else {
			header(":message-type", "event")
			header(":event-type", f.Event)
		}
		header(":content-type", "application/json")
		start := len(out)
		out = binary.BigEndian.AppendUint32(out, uint32(12+len(headers)+len(f.Data)+4))
		out = binary.BigEndian.AppendUint32(out, uint32(len(headers)))
		out = binary.BigEndian.AppendUint32(out, crc32.ChecksumIEEE(out[start:]))
		out = append(out, headers...)
		out = append(out, f.Data...)
		out = binary.BigEndian.AppendUint32(out, crc32.ChecksumIEEE(out[start:]))
	}
	return out
}

func binaryEnds(stream []byte) []int {
	var ends []int
	for at := 0; at+4 <= len(stream); {
		at += int(binary.BigEndian.Uint32(stream[at:]))
		if at > len(stream) || len(ends) > 0 && at <= ends[len(ends)-1] {
			break
		}
		ends = append(ends, at)
	}
	if len(ends) == 0 || ends[len(ends)-1] != len(stream) {
		ends = append(ends, len(stream))
	}
	return ends
}
