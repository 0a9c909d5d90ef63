package openai

import (
	"encoding/json"
	"maps"
	"slices"

	"github.com/pi-go/pi/ai"
	"github.com/pi-go/pi/ai/jsonobj"
)

// Params are the members of a request body but for the conversation, in order.
// Setting one again replaces its value in place. The zero value is empty.
type Params struct {
	names  []string
	values []json.RawMessage
}

// Set sets a member to a JSON value.
func (b *Params) Set(name string, value json.RawMessage) {
	for i, n := range b.names {
		if n == name {
			b.values[i] = value
			return
		}
	}
	b.names, b.values = append(b.names, name), append(b.values, value)
}

// SetString sets a member to a string.
func (b *Params) SetString(name, value string) {
	b.Set(name, jsonobj.AppendString(nil, value))
}

// SetJSON sets a member to the JSON form of a value that always has one.
func (b *Params) SetJSON(name string, value any) {
	if v, err := json.Marshal(value); err == nil {
		b.Set(name, v)
	}
}

// SetSampling adds the sampling parameters of the model, of the thinking level
// and of the call, in this order; conversation is the one member they can not
// replace.
func (b *Params) SetSampling(call *ai.Call, conversation string) error {
	for _, more := range []map[string]json.RawMessage{
		call.Model.SamplingParams, call.Model.SamplingParamsByThinkingLevel[call.Options.Thinking], call.Options.SamplingParams,
	} {
		for _, name := range slices.Sorted(maps.Keys(more)) {
			if name == conversation {
				continue
			}
			if !json.Valid(more[name]) {
				return ai.Errorf(ai.KindConfig, "sampling parameter %q is not JSON: %s", name, more[name])
			}
			b.Set(name, more[name])
		}
	}
	return nil
}

// AppendTo writes the members, each followed by a comma.
func (b *Params) AppendTo(dst []byte) []byte {
	for i, name := range b.names {
		dst = jsonobj.AppendString(dst, name)
		dst = append(dst, ':')
		dst = append(dst, b.values[i]...)
		dst = append(dst, ',')
	}
	return dst
}

// cacheKeyLength is how many characters of a cache key OpenAI takes.
const cacheKeyLength = 64

// CacheKey cuts a session id to what is taken as a cache key.
func CacheKey(session string) string {
	if r := []rune(session); len(r) > cacheKeyLength {
		return string(r[:cacheKeyLength])
	}
	return session
}
