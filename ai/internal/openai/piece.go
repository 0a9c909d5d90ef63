package openai

import (
	"encoding/json"

	"github.com/pi-go/pi/ai/internal/jsonscan"
)

// Piece is what the common chunk of a chat completion carries: one piece of text,
// of reasoning, or of the arguments of a call, in the quotes of its JSON. It points
// into the chunk.
type Piece struct {
	ID, Model []byte
	Text      []byte
	// Thinking is what a list of one part has as content.
	Thinking []byte
	// Reasoning is by field, in the order in which they count.
	Reasoning [3][]byte
	// Index is the call's, -1 when the piece belongs to none.
	Index        int64
	CallID, Name []byte
	Arguments    []byte
}

// ScanPiece reads the common chunk without allocating. It is false for any other:
// one with more in it, or with what it does not know.
func ScanPiece(data []byte) (p Piece, ok bool) {
	p.Index = -1
	s := jsonscan.New(data)
	var seen uint64
	for s.Open(); s.More(); {
		switch key := s.Key(); string(key) {
		case "choices":
			s.Once(&seen, 0)
			scanChoices(&s, &p)
		case "model":
			s.Once(&seen, 1)
			p.Model = s.Text()
		case "id":
			s.Once(&seen, 2)
			p.ID = s.Text()
		case "object":
			s.Once(&seen, 3)
			if string(s.Text()) == "error" {
				s.Refuse()
			}
		case "created", "system_fingerprint", "service_tier", "obfuscation", "provider", "p":
			s.Skip()
		default:
			unknown(&s, key)
		}
	}
	return p, s.End()
}

// unknown takes a member that is not known: it must be null. A key in another
// case would be known to encoding/json.
func unknown(s *jsonscan.Scanner, key []byte) {
	for _, c := range key {
		if 'A' <= c && c <= 'Z' {
			s.Refuse()
			return
		}
	}
	s.NullOnly()
}

func scanChoices(s *jsonscan.Scanner, p *Piece) {
	s.OpenArray()
	if !s.Next() {
		s.Refuse()
		return
	}
	var seen uint64
	for s.Open(); s.More(); {
		switch key := s.Key(); string(key) {
		case "index":
			s.Skip()
		case "delta":
			s.Once(&seen, 0)
			scanDelta(s, p)
		case "finish_reason":
			if !s.Null() && len(s.Text()) > 0 {
				s.Refuse()
			}
		default:
			unknown(s, key)
		}
	}
	if s.Next() {
		s.Refuse()
	}
}

func scanDelta(s *jsonscan.Scanner, p *Piece) {
	var seen uint64
	for s.Open(); s.More(); {
		switch key := s.Key(); string(key) {
		case "role":
			s.Skip()
		case "content":
			s.Once(&seen, 0)
			if s.Array() {
				scanThinking(s, p)
			} else {
				p.Text = textOrNull(s)
			}
		case "reasoning_content":
			s.Once(&seen, 1)
			p.Reasoning[0] = textOrNull(s)
		case "reasoning":
			s.Once(&seen, 2)
			p.Reasoning[1] = textOrNull(s)
		case "reasoning_text":
			s.Once(&seen, 3)
			p.Reasoning[2] = textOrNull(s)
		case "tool_calls":
			s.Once(&seen, 4)
			if !s.Null() {
				scanCalls(s, p)
			}
		default:
			unknown(s, key)
		}
	}
}

// scanThinking takes [{"type":"thinking","thinking":[{"type":"text","text":"…"}]}].
func scanThinking(s *jsonscan.Scanner, p *Piece) {
	one := func(kind, field string, value func()) {
		s.OpenArray()
		if !s.Next() {
			s.Refuse()
		}
		var seen uint64
		for s.Open(); s.More(); {
			switch key := s.Key(); string(key) {
			case "type":
				s.Once(&seen, 0)
				if string(s.Text()) != kind {
					s.Refuse()
				}
			case field:
				s.Once(&seen, 1)
				value()
			default:
				unknown(s, key)
			}
		}
		if seen != 3 || s.Next() {
			s.Refuse()
		}
	}
	one("thinking", "thinking", func() {
		one("text", "text", func() { p.Thinking = s.Text() })
	})
}

func textOrNull(s *jsonscan.Scanner) []byte {
	if s.Null() {
		return nil
	}
	return s.Text()
}

func scanCalls(s *jsonscan.Scanner, p *Piece) {
	s.OpenArray()
	if !s.Next() {
		return
	}
	var seen uint64
	for s.Open(); s.More(); {
		switch key := s.Key(); string(key) {
		case "index":
			s.Once(&seen, 0)
			if p.Index = s.Int(); p.Index < 0 {
				s.Refuse()
			}
		case "id":
			s.Once(&seen, 1)
			p.CallID = textOrNull(s)
		case "type":
			s.Skip()
		case "function":
			s.Once(&seen, 2)
			for s.Open(); s.More(); {
				switch key := s.Key(); string(key) {
				case "name":
					s.Once(&seen, 3)
					p.Name = textOrNull(s)
				case "arguments":
					s.Once(&seen, 4)
					p.Arguments = textOrNull(s)
				default:
					unknown(s, key)
				}
			}
		default:
			unknown(s, key)
		}
	}
	if p.Index < 0 || s.Next() {
		s.Refuse()
	}
}

// CallIndex is the number of a call among those of an answer. Vendors leave it out,
// and some write it as a float.
type CallIndex struct {
	n   int
	set bool
}

// Index gives the number, -1 when there is none.
func (i CallIndex) Index() int {
	if !i.set {
		return -1
	}
	return i.n
}

// UnmarshalJSON implements [json.Unmarshaler].
func (i *CallIndex) UnmarshalJSON(data []byte) error {
	*i = CallIndex{}
	if string(data) == "null" {
		return nil
	}
	if len(data) == 1 && '0' <= data[0] && data[0] <= '9' {
		*i = CallIndex{int(data[0] - '0'), true}
		return nil
	}
	var f float64
	if err := json.Unmarshal(data, &f); err != nil {
		return err
	}
	if f >= 0 && f < 1<<31 {
		*i = CallIndex{int(f), true}
	}
	return nil
}
