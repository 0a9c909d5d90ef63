package openaicompletions

import (
	"encoding/json"

	"github.com/pi-go/pi/ai/jsonobj"
)

// params are the members of a request body but for the messages, in order.
// Setting one again replaces its value in place.
type params struct {
	names  []string
	values []json.RawMessage
}

func (b *params) set(name string, value json.RawMessage) {
	for i, n := range b.names {
		if n == name {
			b.values[i] = value
			return
		}
	}
	b.names, b.values = append(b.names, name), append(b.values, value)
}

func (b *params) setString(name, value string) {
	b.set(name, jsonobj.AppendString(nil, value))
}

func (b *params) setJSON(name string, value any) {
	if v, err := json.Marshal(value); err == nil { // maps and scalars of ours always encode
		b.set(name, v)
	}
}

// appendTo writes the members, each followed by a comma.
func (b *params) appendTo(dst []byte) []byte {
	for i, name := range b.names {
		dst = jsonobj.AppendString(dst, name)
		dst = append(dst, ':')
		dst = append(dst, b.values[i]...)
		dst = append(dst, ',')
	}
	return dst
}
