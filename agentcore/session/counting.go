package session

import (
	"encoding/json"

	"github.com/pi-go/pi/ai"
	"github.com/pi-go/pi/ai/jsonobj"
)

// addStored counts a stored entry without decoding its content, which is most
// of it. An entry that can not be read counts for nothing.
func (st *Stats) addStored(t Type, text []byte) {
	if t != TypeMessage {
		if e, err := DecodeEntry(text, nil); err == nil {
			st.add(e)
		}
		return
	}
	var body json.RawMessage
	err := jsonobj.Walk(text, func(key string, v json.RawMessage) error {
		if key == "message" {
			body = v
		}
		return nil
	})
	if err != nil || body == nil {
		return
	}
	var role, provider, model, response string
	var content json.RawMessage
	var usage *ai.Usage
	err = jsonobj.Walk(body, func(key string, v json.RawMessage) error {
		switch key {
		case "role":
			return ifString(v, &role)
		case "provider":
			return ifString(v, &provider)
		case "model":
			return ifString(v, &model)
		case "responseModel":
			return ifString(v, &response)
		case "content":
			content = v
		case "usage":
			return lenient(v, &usage)
		}
		return nil
	})
	if err != nil {
		return
	}
	st.Messages++
	switch ai.Role(role) {
	case ai.RoleUser:
		st.UserMessages++
	case ai.RoleAssistant:
		st.AssistantMessages++
		st.ToolCalls += countCalls(content)
		if usage == nil {
			usage = new(ai.Usage)
		}
		st.spent(provider, model, response, *usage)
	case ai.RoleToolResult:
		st.ToolResults++
		st.other(usage)
	}
}

// countCalls counts the tool calls in a stored content.
func countCalls(content json.RawMessage) int {
	if len(content) == 0 || content[0] != '[' {
		return 0
	}
	var blocks []struct{ Type string }
	if json.Unmarshal(content, &blocks) != nil {
		return 0
	}
	n := 0
	for _, b := range blocks {
		if b.Type == string(ai.BlockToolCall) {
			n++
		}
	}
	return n
}
