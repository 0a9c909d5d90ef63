package responses

import (
	"slices"

	"github.com/pi-go/pi/ai"
	"github.com/pi-go/pi/ai/internal/jsonscan"
)

// scan takes the common event without allocating: a delta for a block that is
// open. It is false, and nothing has happened, for any other.
func (d *Decoder) scan(data []byte) bool {
	s := jsonscan.New(data)
	var seen uint64
	var kind ai.BlockType
	var delta []byte
	index := int64(-1)
	for s.Open(); s.More(); {
		switch key := s.Key(); string(key) {
		case "type":
			s.Once(&seen, 0)
			if kind = kindOf(s.Text()); kind == "" {
				s.Refuse()
			}
		case "delta":
			s.Once(&seen, 1)
			delta = s.Text()
		case "output_index":
			s.Once(&seen, 2)
			index = s.Int()
		case "item_id", "content_index", "summary_index", "sequence_number", "logprobs", "obfuscation":
			s.Skip()
		default:
			for _, c := range key {
				if 'A' <= c && c <= 'Z' {
					s.Refuse() // encoding/json would know it in this case
				}
			}
			s.NullOnly()
		}
	}
	if !s.End() || kind == "" || index < 0 || delta == nil {
		return false
	}
	for _, sl := range slices.Backward(d.slots) {
		if int64(sl.index) == index && sl.w != nil && !sl.w.Closed() {
			if sl.w.Kind() != kind || sl.free != nil || sl.pending || !jsonscan.Unquote(sl.w.Buffer(), delta) {
				return false
			}
			sl.w.Commit()
			return true
		}
	}
	return false
}

// kindOf is the kind of block that an event of this type writes to, "" for other
// events.
func kindOf(event []byte) ai.BlockType {
	switch string(event) {
	case "response.output_text.delta", "response.refusal.delta":
		return ai.BlockText
	case "response.reasoning_summary_text.delta", "response.reasoning_text.delta":
		return ai.BlockThinking
	case "response.function_call_arguments.delta":
		return ai.BlockToolCall
	}
	return ""
}
