package openaicompletions

import (
	"fmt"
	"strings"

	"github.com/pi-go/pi/ai"
	"github.com/pi-go/pi/ai/internal/jsonscan"
	"github.com/pi-go/pi/ai/internal/openai"
	"github.com/pi-go/pi/ai/internal/partialjson"
)

// callDelta is a piece of a tool call. Vendors leave out any of its fields.
type callDelta struct {
	Index    openai.CallIndex `json:"index"`
	ID       string           `json:"id"`
	Function functionDelta    `json:"function"`
	Custom   *struct {
		Name  string `json:"name"`
		Input string `json:"input"`
	} `json:"custom"`

	first bool // the older form, of one call without an index
}

type functionDelta struct {
	Name      string    `json:"name"`
	Arguments arguments `json:"arguments"`
}

// arguments is JSON in a string; some servers send the object itself.
type arguments string

// UnmarshalJSON implements [json.Unmarshaler].
func (a *arguments) UnmarshalJSON(data []byte) error {
	if text, ok := jsonscan.Text(data); ok {
		*a = arguments(text)
		return nil
	}
	if string(data) != "null" {
		*a = arguments(data)
	}
	return nil
}

// toolCall is a call in the making.
type toolCall struct {
	w     *ai.BlockWriter
	index int    // -1 when the vendor gave none
	id    string // the vendor's, empty when it gave none
	// free wraps the text of a custom tool; nil for a function.
	free *openai.FreeText
	args partialjson.Whole
}

func (d *decoder) callDelta(c *callDelta) {
	name, text := c.Function.Name, string(c.Function.Arguments)
	if c.Custom != nil {
		name, text = c.Custom.Name, c.Custom.Input
	}
	index := c.Index.Index()
	if c.first {
		index = 0
	}
	call := d.find(index, c.ID, name)
	if call == nil && c.ID == "" && name == "" && text == "" {
		return // nothing was said yet
	}
	if call == nil {
		d.closeBlocks()
		call = &toolCall{w: d.out.ToolCall(c.ID, name), index: index, id: c.ID}
		if c.Custom != nil {
			call.free = &openai.FreeText{Property: "input"}
			if g := d.grammars[name]; g != nil {
				call.free.Property = g.Property
			}
		}
		d.calls = append(d.calls, call)
	}
	if call.index < 0 {
		call.index = index
	}
	if call.id == "" {
		call.id = c.ID
		call.w.Call().ID = c.ID
	}
	if call.w.Call().Name == "" {
		call.w.Call().Name = name
	}
	if text == "" {
		return
	}
	if call.w.Closed() {
		// It was whole, so nothing but white space can belong to it.
		if strings.TrimSpace(text) != "" {
			d.odd(fmt.Sprintf("more arguments for the call %q, which were whole", call.w.Call().ID), []byte(text))
		}
		return
	}
	if call.free != nil {
		text = call.free.Piece(text)
	}
	call.w.Append(text)
}

// find gives the call that a piece belongs to, nil for a new one. The index
// tells, then the id; a piece with neither belongs to the last call. A piece that
// names a tool again after the arguments were whole begins another call: there
// are servers that send all calls under index 0, or without index and id.
func (d *decoder) find(index int, id, name string) *toolCall {
	if index >= 0 {
		for i := len(d.calls) - 1; i >= 0; i-- {
			if c := d.calls[i]; c.index == index {
				if another := id != "" && c.id != "" && id != c.id && name != ""; another && c.whole() {
					return d.byID(id)
				}
				return c
			}
		}
	}
	if id != "" {
		if c := d.byID(id); c != nil || index >= 0 {
			return c
		}
		// An id that comes late belongs to a call that has none yet.
		if n := len(d.calls); n > 0 && name == "" && d.calls[n-1].id == "" {
			return d.calls[n-1]
		}
		return nil
	}
	if index >= 0 || len(d.calls) == 0 {
		return nil
	}
	last := d.calls[len(d.calls)-1]
	if name != "" && last.w.Call().Name != "" && last.whole() {
		return nil
	}
	return last
}

func (d *decoder) byID(id string) *toolCall {
	for _, c := range d.calls {
		if c.id == id {
			return c
		}
	}
	return nil
}

// whole reports whether the arguments are a JSON object already.
func (c *toolCall) whole() bool {
	return c.w.Closed() || c.args.Is(c.w.String())
}

func (c *toolCall) closeIfWhole(d *decoder) {
	if !c.w.Closed() && c.free == nil && c.whole() {
		c.end(d)
	}
}

// complete fills in an id where the vendor gave none.
func (c *toolCall) complete(d *decoder) {
	if call := c.w.Call(); call.ID == "" {
		seed := fmt.Sprintf("%s %d", d.msg.ResponseID, d.msg.Timestamp)
		call.ID = fmt.Sprintf("call_%s_%d", ai.ShortHash(seed), c.w.Index())
	}
}

// end closes the call.
func (c *toolCall) end(d *decoder) {
	if c.w.Closed() {
		return
	}
	c.complete(d)
	if c.free != nil {
		c.w.Append(c.free.Close())
	}
	c.w.End()
}
