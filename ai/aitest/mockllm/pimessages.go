package mockllm

import (
	"encoding/json"
	"fmt"
	"strings"
)

// piMessages renders an answer as the events of a gateway.
func piMessages(r *Request, a Answer) []Frame {
	frames := []Frame{{Data: `{"type":"start"}`}}
	event := func(format string, args ...any) { frames = append(frames, Frame{Data: fmt.Sprintf(format, args...)}) }
	reason := "stop"
	for i, b := range a.Content {
		kind, start, end := "text", "", `,"content":`+quote(strings.Join(b.Deltas, ""))
		switch b.Kind {
		case "tool":
			kind, start, end, reason = "toolcall", `,"id":`+quote(b.ID)+`,"toolName":`+quote(b.Name), "", "toolUse"
		case "thinking":
			kind = "thinking"
			if b.Signature != "" {
				end += `,"contentSignature":` + quote(b.Signature)
			}
		case "redacted":
			kind, end = "thinking", `,"content":"[Reasoning redacted]","redacted":true,"contentSignature":`+quote(b.Signature)
		}
		event(`{"type":"%s_start","contentIndex":%d%s}`, kind, i, start)
		for _, d := range b.Deltas {
			event(`{"type":"%s_delta","contentIndex":%d,"delta":%s}`, kind, i, quote(d))
		}
		event(`{"type":"%s_end","contentIndex":%d%s}`, kind, i, end)
	}
	if a.Stop != "" {
		reason = a.Stop
	}
	tail := ""
	if id := a.id(fmt.Sprintf("gw_%d", r.N)); id != "" {
		tail += `,"responseId":` + quote(id)
	}
	if model := a.name(r); model != "" {
		tail += `,"responseModel":` + quote(model)
	}
	if u := a.usage(); a.UsageAt != UsageNone {
		tail += fmt.Sprintf(`,"usage":{"input":%d,"output":%d,"cacheRead":%d,"cacheWrite":%d,"reasoning":%d,"totalTokens":%d}`,
			u.Input, u.Output, u.CacheRead, u.CacheWrite, u.Reasoning, u.Input+u.Output+u.CacheRead+u.CacheWrite)
	}
	switch {
	case a.Error != nil:
		event(`{"type":"error","reason":"error","errorMessage":%s%s}`, quote(a.Error.Type+": "+a.Error.Message), tail)
	case reason == "-":
	case reason != "stop" && reason != "length" && reason != "toolUse" && reason != "deferred":
		event(`{"type":"error","reason":"error","errorMessage":%s%s}`, quote(reason), tail)
	default:
		event(`{"type":"done","reason":"%s"%s}`, reason, tail)
	}
	return frames
}

func piMessagesError(e *Error) string {
	return fmt.Sprintf(`{"error":{"message":%s,"code":%s}}`, quote(e.Message), quote(e.Type))
}

// mistral renders an answer as Mistral's chunks: like those of chat completions, but
// for the thinking, which is among the content.
func mistral(r *Request, a Answer) []Frame {
	frames := completions(r, a)
	for i, f := range frames {
		const field = `"delta":{"reasoning_content":`
		at := strings.Index(f.Data, field)
		if at < 0 {
			continue
		}
		rest := f.Data[at+len(field):]
		var text string
		d := json.NewDecoder(strings.NewReader(rest))
		if d.Decode(&text) == nil {
			rest = rest[d.InputOffset():]
			frames[i].Data = f.Data[:at] + `"delta":{"content":[{"type":"thinking","thinking":[{"type":"text","text":` + quote(text) + `}]}]` + rest
		}
	}
	return frames
}
