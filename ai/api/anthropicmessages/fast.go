package anthropicmessages

import (
	"strings"

	"github.com/pi-go/pi/ai"
	"github.com/pi-go/pi/ai/internal/jsonscan"
)

// fast takes the common frames, a delta of text, thinking or arguments for an
// open block, without allocating. For any other frame it is false and nothing
// has happened.
func (d *decoder) fast(data []byte) bool {
	var (
		seen, inner             uint64
		typ, kind, field, value []byte
		index                   int64
	)
	s := jsonscan.New(data)
	for s.Open(); s.More(); {
		switch key := s.Key(); string(key) {
		case "type":
			s.Once(&seen, 0)
			typ = s.Text()
		case "index":
			s.Once(&seen, 1)
			index = s.Int()
		case "delta":
			s.Once(&seen, 2)
			for s.Open(); s.More(); {
				switch key := s.Key(); string(key) {
				case "type":
					s.Once(&inner, 0)
					kind = s.Text()
				case "text", "thinking", "partial_json":
					s.Once(&inner, 1)
					field, value = key, s.Text()
				default:
					s.NullOnly()
				}
			}
		default:
			// encoding/json would take another spelling of these for them.
			if foldsTo(key, "delta") || foldsTo(key, "index") || foldsTo(key, "type") {
				s.Refuse()
			}
			s.NullOnly()
		}
	}
	if !s.End() || seen != 0b111 || inner != 0b11 || string(typ) != "content_block_delta" {
		return false
	}
	b := d.find(index)
	if b == nil || b.w == nil {
		return false
	}
	want := ai.BlockText
	switch string(kind) {
	case "text_delta":
		if string(field) != "text" {
			return false
		}
	case "thinking_delta":
		want = ai.BlockThinking
		if string(field) != "thinking" {
			return false
		}
	case "input_json_delta":
		want = ai.BlockToolCall
		if string(field) != "partial_json" {
			return false
		}
	default:
		return false
	}
	if b.w.Kind() != want || !jsonscan.Unquote(b.w.Buffer(), value) {
		return false
	}
	b.w.Commit()
	return true
}

func foldsTo(key []byte, name string) bool {
	return len(key) == len(name) && strings.EqualFold(string(key), name)
}
