package mistralconversations

import "github.com/pi-go/pi/ai/internal/jsonscan"

// scan takes the common event, a piece of text for the block that is open,
// without allocating. It is false, and nothing has happened, for any other.
func (d *decoder) scan(data []byte) bool {
	if d.text == nil {
		return false
	}
	s := jsonscan.New(data)
	var seen uint64
	var content []byte
	for s.Open(); s.More(); {
		switch key := s.Key(); string(key) {
		case "choices":
			s.Once(&seen, 0)
			content = scanChoices(&s)
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
		case "created", "p":
			s.Skip()
		default:
			unknown(&s, key)
		}
	}
	if !s.End() || content == nil || !jsonscan.Unquote(d.text.Buffer(), content) {
		return false
	}
	d.text.Commit()
	return true
}

func scanChoices(s *jsonscan.Scanner) (content []byte) {
	s.OpenArray()
	if !s.Next() {
		s.Refuse()
		return nil
	}
	var seen uint64
	for s.Open(); s.More(); {
		switch key := s.Key(); string(key) {
		case "index":
			s.Skip()
		case "delta":
			s.Once(&seen, 0)
			for s.Open(); s.More(); {
				switch key := s.Key(); string(key) {
				case "role":
					s.Skip()
				case "content":
					s.Once(&seen, 1)
					content = s.Text()
				default:
					unknown(s, key)
				}
			}
		default:
			unknown(s, key)
		}
	}
	if s.Next() {
		s.Refuse()
	}
	return content
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
