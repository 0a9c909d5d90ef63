package session

import (
	"bytes"
	"encoding/json"
	"iter"

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
	n := 0
	for block := range elements(content) {
		if t, err := typeOf(block); err == nil && t == Type(ai.BlockToolCall) {
			n++
		}
	}
	return n
}

// elements gives the objects in a JSON array; nothing for any other value. It
// hops from string to string, as most of a content is in strings.
func elements(array []byte) iter.Seq[[]byte] {
	return func(yield func([]byte) bool) {
		if len(array) == 0 || array[0] != '[' {
			return
		}
		depth, start := 0, 0
		for i := 0; i < len(array); i++ {
			switch array[i] {
			case '"':
				end := stringEnd(array, i)
				if end < 0 {
					return
				}
				i = end
			case '{', '[':
				if depth++; depth == 2 {
					start = i
				}
			case '}', ']':
				if depth--; depth == 1 && array[start] == '{' && !yield(array[start:i+1]) {
					return
				}
			}
		}
	}
}

// stringEnd gives the place of the quote that ends the string which begins at
// i, -1 if there is none.
func stringEnd(b []byte, i int) int {
	for j := i + 1; ; j++ {
		k := bytes.IndexByte(b[j:], '"')
		if k < 0 {
			return -1
		}
		j += k
		m := j - 1
		for m > i && b[m] == '\\' {
			m--
		}
		if (j-m)%2 == 1 {
			return j
		}
	}
}
