package mistralconversations

import (
	"github.com/pi-go/pi/ai"
	"github.com/pi-go/pi/ai/internal/jsonscan"
	"github.com/pi-go/pi/ai/internal/openai"
)

// scan takes the common event without allocating: a piece of text or thinking for the
// block that is open, or of the arguments of the last call. It is false, and nothing has
// happened, for any other.
func (d *decoder) scan(data []byte) bool {
	p, ok := openai.ScanPiece(data)
	switch {
	case !ok, p.Reasoning[0] != nil, p.Reasoning[1] != nil, p.Reasoning[2] != nil,
		d.msg.ResponseID == "" && len(p.ID) > 0,
		d.msg.ResponseModel == "" && len(p.Model) > 0 && string(p.Model) != d.call.Model.ID:
		return false
	case p.Thinking != nil:
		return p.Index < 0 && d.thinking != nil && write(d.thinking, p.Thinking)
	case p.Index < 0:
		return d.text != nil && p.Text != nil && write(d.text, p.Text)
	case len(p.Text) > 0, len(p.Name) > 0, len(p.Arguments) == 0, len(d.calls) == 0:
		return false
	}
	c := d.calls[len(d.calls)-1]
	if int64(c.index) != p.Index || c.w.Closed() || len(p.CallID) > 0 && (c.id == "" || string(p.CallID) == "null") {
		return false
	}
	return write(c.w, p.Arguments)
}

// write decodes text into a block and sends it.
func write(w *ai.BlockWriter, text []byte) bool {
	if !jsonscan.Unquote(w.Buffer(), text) {
		return false
	}
	w.Commit()
	return true
}
