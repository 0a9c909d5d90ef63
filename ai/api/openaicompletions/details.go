package openaicompletions

import (
	"bytes"
	"encoding/json"
	"strings"

	"github.com/pi-go/pi/ai"
	"github.com/pi-go/pi/ai/jsonobj"
)

// detail is an entry of reasoning_details, OpenRouter's vendor-neutral form of
// reasoning that has to go back: text with a signature, a summary, or encrypted.
type detail struct {
	Type      string          `json:"type"`
	Text      *string         `json:"text"`
	Signature *string         `json:"signature"`
	Summary   *string         `json:"summary"`
	Data      *string         `json:"data"`
	ID        *string         `json:"id"`
	Format    *string         `json:"format"`
	Index     json.RawMessage `json:"index"`
}

// valid reports whether the entry is one that can be sent back.
func (d *detail) valid() bool {
	switch d.Type {
	case "reasoning.text":
		return d.Text != nil || d.Signature != nil
	case "reasoning.summary":
		return d.Summary != nil
	case "reasoning.encrypted":
		return d.Data != nil && *d.Data != ""
	}
	return false
}

// details gathers the entries of one thinking block. Deltas of a text or summary
// become one entry.
type details struct {
	list []*gathered
}

type gathered struct {
	detail
	text strings.Builder
}

func (g *gathered) content() *string {
	if g.Type == "reasoning.summary" {
		return g.Summary
	}
	return g.Text
}

// size is what an entry takes in memory, about.
func (d *detail) size() int {
	n := 128 + len(d.Index)
	for _, s := range []*string{d.Text, d.Summary, d.Data, d.Signature, d.ID, d.Format} {
		if s != nil {
			n += len(*s)
		}
	}
	return n
}

func (l *details) add(d detail) {
	g := &gathered{detail: d}
	if n := len(l.list); n > 0 && d.Type != "reasoning.encrypted" && l.list[n-1].Type == d.Type && !otherIndex(l.list[n-1].Index, d.Index) {
		last := l.list[n-1]
		if c := g.content(); c != nil {
			last.text.WriteString(*c)
		}
		if last.Signature == nil {
			last.Signature = d.Signature
		}
		return
	}
	if c := g.content(); c != nil {
		g.text.WriteString(*c)
	}
	l.list = append(l.list, g)
}

// otherIndex reports that both entries have an index and they differ.
func otherIndex(a, b json.RawMessage) bool {
	return len(a) > 0 && len(b) > 0 && string(a) != "null" && string(b) != "null" && !bytes.Equal(a, b)
}

func (l *details) empty() bool { return len(l.list) == 0 }

// signature is the stored form: a JSON array.
func (l *details) signature() string {
	dst := []byte{'['}
	for i, g := range l.list {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = append(dst, `{"type":`...)
		dst = jsonobj.AppendString(dst, g.Type)
		text := g.text.String()
		switch g.Type {
		case "reasoning.text":
			dst = appendMember(dst, "text", &text)
			dst = appendMember(dst, "signature", g.Signature)
		case "reasoning.summary":
			dst = appendMember(dst, "summary", &text)
		case "reasoning.encrypted":
			dst = appendMember(dst, "data", g.Data)
		}
		dst = appendMember(dst, "id", g.ID)
		dst = appendMember(dst, "format", g.Format)
		if len(g.Index) > 0 && string(g.Index) != "null" {
			dst = append(append(dst, `,"index":`...), g.Index...)
		}
		dst = append(dst, '}')
	}
	return string(append(dst, ']'))
}

func appendMember(dst []byte, name string, value *string) []byte {
	if value == nil {
		return dst
	}
	dst = append(dst, ',', '"')
	dst = append(dst, name...)
	dst = append(dst, '"', ':')
	return jsonobj.AppendString(dst, *value)
}

// replayDetails gives the elements of reasoning_details for an answer, from the
// signatures of its thinking, and from those of its tool calls, where older
// versions kept encrypted entries.
func replayDetails(thinking []*ai.Thinking, calls []*ai.ToolCall) []byte {
	var out []byte
	add := func(raw []byte) {
		if len(out) > 0 {
			out = append(out, ',')
		}
		out = append(out, raw...)
	}
	for _, b := range thinking {
		if !strings.HasPrefix(b.Signature, "[") {
			continue
		}
		var entries []json.RawMessage
		if json.Unmarshal([]byte(b.Signature), &entries) != nil {
			continue
		}
		for _, e := range entries {
			var d detail
			if json.Unmarshal(e, &d) == nil && d.valid() {
				add(e)
			}
		}
	}
	for _, c := range calls {
		if !strings.HasPrefix(c.ThoughtSignature, "{") {
			continue
		}
		var d detail
		if json.Unmarshal([]byte(c.ThoughtSignature), &d) == nil && d.Type == "reasoning.encrypted" && d.valid() {
			add([]byte(c.ThoughtSignature))
		}
	}
	return out
}
