package bedrockconversestream

import (
	"github.com/pi-go/pi/ai"
	"github.com/pi-go/pi/ai/internal/jsonscan"
)

// fast takes the common events, a delta of text, thinking or arguments for an open
// block, without allocating. For any other event it is false and nothing has
// happened.
func (d *decoder) fast(data []byte) bool {
	var (
		seen, inner uint64
		index       int64
		kind        ai.BlockType
		text        []byte
	)
	s := jsonscan.New(data)
	for s.Open(); s.More(); {
		switch string(s.Key()) {
		case "contentBlockIndex":
			s.Once(&seen, 0)
			index = s.Int()
		case "delta":
			s.Once(&seen, 1)
			for s.Open(); s.More(); {
				s.Once(&inner, 0) // one kind of delta at a time
				switch string(s.Key()) {
				case "text":
					kind, text = ai.BlockText, s.Text()
				case "toolUse":
					kind, text = ai.BlockToolCall, only(&s, "input")
				case "reasoningContent":
					kind, text = ai.BlockThinking, only(&s, "text")
				default:
					s.Refuse()
				}
			}
		case "p": // padding against listeners
			s.Text()
		default:
			s.Refuse()
		}
	}
	if !s.End() || seen != 0b11 || text == nil {
		return false
	}
	b := d.find(index)
	if b == nil || b.w.Kind() != kind || !jsonscan.Unquote(b.w.Buffer(), text) {
		return false
	}
	b.w.Commit()
	return true
}

// only reads the one text member of an object.
func only(s *jsonscan.Scanner, name string) []byte {
	var text []byte
	var seen uint64
	for s.Open(); s.More(); {
		if string(s.Key()) != name {
			s.Refuse()
			return nil
		}
		s.Once(&seen, 0)
		text = s.Text()
	}
	return text
}
