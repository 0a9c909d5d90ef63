package openaicompletions

import (
	"github.com/pi-go/pi/ai"
	"github.com/pi-go/pi/ai/internal/jsonscan"
)

// scan takes the common event without allocating: one piece of text, reasoning
// or arguments for the block that is open. It is false, and nothing has happened,
// for any other; encoding/json then decides.
func (d *decoder) scan(data []byte) bool {
	var p piece
	p.index = -1
	s := jsonscan.New(data)
	var seen uint64
	for s.Open(); s.More(); {
		switch key := s.Key(); string(key) {
		case "choices":
			s.Once(&seen, 0)
			d.scanChoices(&s, &p)
		case "model":
			s.Once(&seen, 1)
			if model := s.Text(); d.msg.ResponseModel == "" && len(model) > 0 && string(model) != d.call.Model.ID {
				s.Refuse()
			}
		case "id":
			s.Once(&seen, 2)
			if id := s.Text(); d.msg.ResponseID == "" && len(id) > 0 {
				s.Refuse()
			}
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
	if !s.End() {
		return false
	}
	return d.take(&p)
}

// piece is what the common event carries.
type piece struct {
	text      []byte
	reasoning [3][]byte // by field, in the order in which they count
	index     int64     // of the call, -1 when there is none
	id, name  []byte
	arguments []byte
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

func (d *decoder) scanChoices(s *jsonscan.Scanner, p *piece) {
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
			d.scanDelta(s, p)
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

func (d *decoder) scanDelta(s *jsonscan.Scanner, p *piece) {
	var seen uint64
	for s.Open(); s.More(); {
		switch key := s.Key(); string(key) {
		case "role":
			s.Skip()
		case "content":
			s.Once(&seen, 0)
			p.text = textOrNull(s)
		case "reasoning_content":
			s.Once(&seen, 1)
			p.reasoning[0] = textOrNull(s)
		case "reasoning":
			s.Once(&seen, 2)
			p.reasoning[1] = textOrNull(s)
		case "reasoning_text":
			s.Once(&seen, 3)
			p.reasoning[2] = textOrNull(s)
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

func textOrNull(s *jsonscan.Scanner) []byte {
	if s.Null() {
		return nil
	}
	return s.Text()
}

func scanCalls(s *jsonscan.Scanner, p *piece) {
	s.OpenArray()
	if !s.Next() {
		return
	}
	var seen uint64
	for s.Open(); s.More(); {
		switch key := s.Key(); string(key) {
		case "index":
			s.Once(&seen, 0)
			if p.index = s.Int(); p.index < 0 {
				s.Refuse()
			}
		case "id":
			s.Once(&seen, 1)
			p.id = textOrNull(s)
		case "type":
			s.Skip()
		case "function":
			s.Once(&seen, 2)
			for s.Open(); s.More(); {
				switch key := s.Key(); string(key) {
				case "name":
					s.Once(&seen, 3)
					p.name = textOrNull(s)
				case "arguments":
					s.Once(&seen, 4)
					p.arguments = textOrNull(s)
				default:
					unknown(s, key)
				}
			}
		default:
			unknown(s, key)
		}
	}
	if p.index < 0 || s.Next() {
		s.Refuse()
	}
}

// take writes an accepted piece into the block that is open.
func (d *decoder) take(p *piece) bool {
	reasoning, field := p.reasoning[0], "reasoning_content"
	if len(reasoning) == 0 {
		reasoning, field = p.reasoning[1], d.t.reasoningAs
	}
	if len(reasoning) == 0 {
		reasoning, field = p.reasoning[2], "reasoning_text"
	}
	switch {
	case p.index >= 0:
		if len(p.text) > 0 || len(reasoning) > 0 || len(p.name) > 0 || len(p.arguments) == 0 {
			return false
		}
		return d.takeArguments(p)
	case len(p.text) > 0:
		return len(reasoning) == 0 && d.text != nil && write(d.text, p.text)
	case len(reasoning) > 0:
		return d.thinking != nil && d.field == field && write(d.thinking, reasoning)
	}
	return true // nothing in it
}

func (d *decoder) takeArguments(p *piece) bool {
	if d.text != nil || d.thinking != nil {
		return false
	}
	for i := len(d.calls) - 1; i >= 0; i-- {
		c := d.calls[i]
		if int64(c.index) != p.index {
			continue
		}
		if c.free != nil || c.w.Closed() || len(p.id) > 0 && string(p.id) != c.id || c.id == "" && len(p.id) > 0 {
			return false
		}
		return write(c.w, p.arguments)
	}
	return false
}

// write decodes text into a block and sends it.
func write(w *ai.BlockWriter, text []byte) bool {
	if !jsonscan.Unquote(w.Buffer(), text) {
		return false
	}
	w.Commit()
	return true
}
