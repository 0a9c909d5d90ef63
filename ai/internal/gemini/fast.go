package gemini

import (
	"github.com/pi-go/pi/ai"
	"github.com/pi-go/pi/ai/internal/jsonscan"
)

// fast takes the common chunk, one part of text or thinking that continues the
// open block, without allocating. For any other chunk it is false and nothing has
// happened.
func (d *Decoder) fast(data []byte) bool {
	if d.open == nil {
		return false
	}
	var (
		seen, inner, parts uint64
		text, usage        []byte
		thought            bool
	)
	s := jsonscan.New(data)
	for s.Open(); s.More(); {
		switch string(s.Key()) {
		case "candidates":
			s.Once(&seen, 0)
			for s.OpenArray(); s.Next(); {
				s.Once(&inner, 0) // a second candidate
				for s.Open(); s.More(); {
					switch string(s.Key()) {
					case "content":
						s.Once(&inner, 1)
						for s.Open(); s.More(); {
							switch string(s.Key()) {
							case "parts":
								s.Once(&inner, 2)
								for s.OpenArray(); s.Next(); {
									s.Once(&parts, 0) // a second part
									for s.Open(); s.More(); {
										switch string(s.Key()) {
										case "text":
											s.Once(&parts, 1)
											text = s.Text()
										case "thought":
											s.Once(&parts, 2)
											thought = s.Bool()
										default:
											s.Refuse()
										}
									}
								}
							case "role":
								s.Once(&inner, 3)
								s.Text()
							default:
								s.Refuse()
							}
						}
					case "index":
						s.Once(&inner, 4)
						if s.Int() != 0 {
							s.Refuse()
						}
					default:
						s.Refuse()
					}
				}
			}
		case "usageMetadata":
			s.Once(&seen, 1)
			usage = s.Raw()
			if len(usage) == 0 || usage[0] != '{' {
				s.Refuse()
			}
		case "modelVersion":
			s.Once(&seen, 2)
			s.Text()
		case "responseId":
			s.Once(&seen, 3)
			s.Text()
		default:
			s.Refuse()
		}
	}
	want := ai.BlockText
	if thought {
		want = ai.BlockThinking
	}
	if !s.End() || parts&0b11 != 0b11 || d.open.Kind() != want {
		return false
	}
	if seen&(1<<2) != 0 && !d.named || seen&(1<<3) != 0 && d.out.Message().ResponseID == "" {
		return false // names that were not noted yet
	}
	if !jsonscan.Unquote(d.open.Buffer(), text) {
		return false
	}
	d.open.Commit()
	if usage != nil {
		d.usage = append(d.usage[:0], usage...)
	}
	return true
}
