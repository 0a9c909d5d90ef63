package responses

import (
	"encoding/json"
	"slices"
	"strings"

	"github.com/pi-go/pi/ai"
	"github.com/pi-go/pi/ai/internal/openai"
	"github.com/pi-go/pi/ai/jsonobj"
)

// slot is one output item.
type slot struct {
	index   int
	w       *ai.BlockWriter // nil for items that are not ours to show
	itemID  string
	free    *openai.FreeText // of a custom tool call
	input   strings.Builder  // its text so far
	pending bool             // another part of the reasoning begins
}

// item is the union of output items.
type item struct {
	Type      string        `json:"type"`
	ID        string        `json:"id"`
	CallID    string        `json:"call_id"`
	Name      string        `json:"name"`
	Namespace string        `json:"namespace"`
	Arguments *string       `json:"arguments"`
	Input     *string       `json:"input"`
	Phase     string        `json:"phase"`
	Summary   []contentPart `json:"summary"`
	Content   []contentPart `json:"content"`
}

type contentPart struct {
	Type    string `json:"type"`
	Text    string `json:"text"`
	Refusal string `json:"refusal"`
}

// slot finds the block of an output item, nil when there is none to write to.
func (d *Decoder) slot(index int) *slot {
	for _, s := range slices.Backward(d.slots) { // it is one of the last
		if s.index == index && s.w != nil && !s.w.Closed() {
			return s
		}
	}
	return nil
}

// open begins the block of an item.
func (d *Decoder) open(index int, raw json.RawMessage) *slot {
	var it item
	if json.Unmarshal(raw, &it) != nil {
		d.odd("an output item of an unknown shape", raw)
	}
	s := &slot{index: index, itemID: it.ID}
	switch it.Type {
	case "reasoning":
		s.w = d.out.Thinking()
	case "message":
		s.w = d.out.Text()
	case "function_call", "custom_tool_call":
		d.calls++
		id := it.CallID
		if it.ID != "" {
			id += "|" + it.ID
		}
		s.w = d.out.ToolCall(id, it.Name)
		s.w.Call().Namespace = it.Namespace
		if it.Type == "custom_tool_call" {
			s.free = &openai.FreeText{Property: "input"}
			if g := d.r.grammars[it.Name]; g != nil {
				s.free.Property = g.Property
			}
		} else if it.Arguments != nil {
			s.w.Append(*it.Arguments)
		}
	}
	if s.w == nil {
		d.out.Part()
	}
	d.slots = append(d.slots, s)
	return s
}

// append adds a delta to the block of an item; a delta for an item that was never
// announced opens one.
func (d *Decoder) append(index int, kind ai.BlockType, text string) {
	s := d.slot(index)
	if s == nil {
		if kind == ai.BlockToolCall || d.known(index) {
			return // a call without a name, or an item that is over
		}
		s = &slot{index: index}
		if kind == ai.BlockThinking {
			s.w = d.out.Thinking()
		} else {
			s.w = d.out.Text()
		}
		d.slots = append(d.slots, s)
	}
	if s.w.Kind() != kind || s.free != nil {
		return
	}
	if s.pending {
		s.pending = false
		if s.w.Len() > 0 {
			s.w.Append("\n\n")
		}
	}
	s.w.Append(text)
}

func (d *Decoder) known(index int) bool {
	for _, s := range d.slots {
		if s.index == index {
			return true
		}
	}
	return false
}

// separate notes that another part of the reasoning begins.
func (d *Decoder) separate(index int) {
	if s := d.slot(index); s != nil && s.w.Kind() == ai.BlockThinking {
		s.pending = true
	}
}

func (d *Decoder) appendFree(index int, text string) error {
	s := d.slot(index)
	if s == nil || s.free == nil || text == "" {
		return nil
	}
	d.out.Hold(len(text))
	s.input.WriteString(text)
	s.w.Append(s.free.Piece(text))
	return nil
}

// restFree takes the whole text of a custom call; what is missing is sent.
func (d *Decoder) restFree(index int, text string) error {
	s := d.slot(index)
	if s == nil || s.free == nil {
		return nil
	}
	rest, ok := strings.CutPrefix(text, s.input.String())
	if !ok {
		return &ai.APIError{Kind: ai.KindProtocol, Phase: ai.PhaseStream, Message: "the input of the tool call " + s.w.Call().Name + " is not what its deltas said"}
	}
	return d.appendFree(index, rest)
}

// close takes an item that is complete, which has the last word on its block.
func (d *Decoder) close(index int, raw json.RawMessage) error {
	var it item
	if json.Unmarshal(raw, &it) != nil {
		d.odd("an output item of an unknown shape", raw)
	}
	s := d.slot(index)
	if s == nil {
		if d.known(index) {
			return nil
		}
		if s = d.open(index, raw); s.w == nil {
			return nil
		}
	}
	switch s.w.Kind() {
	case ai.BlockThinking:
		if text := it.reasoning(); text != "" {
			s.w.Replace(text)
		}
		if it.Type == "reasoning" {
			s.w.SetSignature(string(raw))
		}
	case ai.BlockText:
		if text, ok := it.message(); ok {
			s.w.Replace(text)
		}
		if it.ID != "" {
			s.w.SetSignature(signature(it.ID, it.Phase))
		}
	case ai.BlockToolCall:
		if c := s.w.Call(); it.CallID != "" {
			c.ID = it.CallID
			if it.ID != "" {
				c.ID += "|" + it.ID
			}
			if it.Name != "" {
				c.Name = it.Name
			}
			if it.Namespace != "" {
				c.Namespace = it.Namespace
			}
		}
		if s.free != nil {
			if it.Input != nil {
				if err := d.restFree(index, *it.Input); err != nil {
					return err
				}
			}
		} else if it.Arguments != nil {
			s.w.Replace(*it.Arguments)
		}
	}
	s.end()
	return nil
}

func (s *slot) end() {
	if s.w == nil || s.w.Closed() {
		return
	}
	if s.free != nil {
		s.w.Append(s.free.Close())
	}
	s.w.End()
}

// reasoning is the text of a reasoning item: its summary, or the reasoning itself
// where the vendor shows that.
func (it *item) reasoning() string {
	parts := it.Summary
	if len(parts) == 0 {
		parts = it.Content
	}
	var texts []string
	for _, p := range parts {
		if p.Text != "" {
			texts = append(texts, p.Text)
		}
	}
	return strings.Join(texts, "\n\n")
}

// message is the text of a message item, refusals included; false when it has no
// content at all.
func (it *item) message() (string, bool) {
	var b strings.Builder
	for _, p := range it.Content {
		b.WriteString(p.Text)
		b.WriteString(p.Refusal)
	}
	return b.String(), len(it.Content) > 0
}

func signature(id, phase string) string {
	dst := append([]byte(nil), `{"v":1,"id":`...)
	dst = jsonobj.AppendString(dst, id)
	if phase != "" {
		dst = append(dst, `,"phase":`...)
		dst = jsonobj.AppendString(dst, phase)
	}
	return string(append(dst, '}'))
}

// backfill completes reasoning items whose encrypted content comes with the end
// of the answer only, as Azure does it.
func (d *Decoder) backfill(output []json.RawMessage) {
	open := make(map[string]*slot)
	for _, s := range d.slots {
		if s.w != nil && s.w.Kind() == ai.BlockThinking {
			open[s.itemID] = s
		}
	}
	for _, raw := range output {
		var it struct {
			Type      string `json:"type"`
			ID        string `json:"id"`
			Encrypted string `json:"encrypted_content"`
		}
		if json.Unmarshal(raw, &it) != nil || it.Type != "reasoning" || it.Encrypted == "" {
			continue
		}
		s := open[it.ID]
		if s == nil {
			continue
		}
		delete(open, it.ID)
		var stored struct {
			Encrypted string `json:"encrypted_content"`
		}
		if sig := s.w.Signature(); sig == "" || json.Unmarshal([]byte(sig), &stored) == nil && stored.Encrypted == "" {
			s.w.SetSignature(string(raw))
		}
	}
}
