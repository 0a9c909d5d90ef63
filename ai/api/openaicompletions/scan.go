package openaicompletions

import (
	"github.com/pi-go/pi/ai"
	"github.com/pi-go/pi/ai/internal/jsonscan"
	"github.com/pi-go/pi/ai/internal/openai"
)

// scan takes the common event without allocating: one piece of text, reasoning
// or arguments for the block that is open. It is false, and nothing has happened,
// for any other; encoding/json then decides.
func (d *decoder) scan(data []byte) bool {
	p, ok := openai.ScanPiece(data)
	switch {
	case !ok, p.Thinking != nil,
		d.msg.ResponseID == "" && len(p.ID) > 0,
		d.msg.ResponseModel == "" && len(p.Model) > 0 && string(p.Model) != d.call.Model.ID:
		return false
	}
	return d.take(&p)
}

// take writes an accepted piece into the block that is open.
func (d *decoder) take(p *openai.Piece) bool {
	reasoning, field := p.Reasoning[0], "reasoning_content"
	if len(reasoning) == 0 {
		reasoning, field = p.Reasoning[1], d.t.reasoningAs
	}
	if len(reasoning) == 0 {
		reasoning, field = p.Reasoning[2], "reasoning_text"
	}
	switch {
	case p.Index >= 0:
		if len(p.Text) > 0 || len(reasoning) > 0 || len(p.Name) > 0 || len(p.Arguments) == 0 {
			return false
		}
		return d.takeArguments(p)
	case len(p.Text) > 0:
		return len(reasoning) == 0 && d.text != nil && write(d.text, p.Text)
	case len(reasoning) > 0:
		return d.thinking != nil && d.field == field && write(d.thinking, reasoning)
	}
	return true // nothing in it
}

func (d *decoder) takeArguments(p *openai.Piece) bool {
	if d.text != nil || d.thinking != nil {
		return false
	}
	for i := len(d.calls) - 1; i >= 0; i-- {
		c := d.calls[i]
		if int64(c.index) != p.Index {
			continue
		}
		if c.free != nil || c.w.Closed() || len(p.CallID) > 0 && string(p.CallID) != c.id || c.id == "" && len(p.CallID) > 0 {
			return false
		}
		return write(c.w, p.Arguments)
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
