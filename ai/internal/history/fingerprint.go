package history

import (
	"encoding/binary"
	"hash/maphash"

	"github.com/pi-go/pi/ai"
)

// fingerprint hashes what a request can depend on. Every value is preceded by
// its length or by a tag, so that different contents give different input.
type fingerprint struct {
	h   maphash.Hash
	num [8]byte
}

func (f *fingerprint) unit(u Unit) uint64 {
	f.h.Reset()
	f.int(u.At)
	f.int(len(u.Messages))
	for _, m := range u.Messages {
		f.message(m)
	}
	return f.h.Sum64()
}

func (f *fingerprint) message(m ai.Message) {
	f.int(int(m.Time().UnixMilli()))
	switch m := m.(type) {
	case *ai.SystemMessage:
		f.h.WriteByte('s')
		f.str(m.Content)
		f.int(len(m.Sections))
		for _, s := range m.Sections {
			f.str(s.Name)
			f.bool(s.Text != nil)
			if s.Text != nil {
				f.str(*s.Text)
			}
		}
		f.int(len(m.ToolsAdded))
		for i := range m.ToolsAdded {
			f.tool(&m.ToolsAdded[i])
		}
		f.int(len(m.ToolsRemoved))
		for _, name := range m.ToolsRemoved {
			f.str(name)
		}
	case *ai.UserMessage:
		f.h.WriteByte('u')
		f.blocks(m.Content)
	case *ai.AssistantMessage:
		f.h.WriteByte('a')
		f.str(m.API)
		f.str(m.Provider)
		f.str(m.Model)
		f.str(m.ResponseID)
		f.str(m.ResponseModel)
		f.str(string(m.ThinkingLevel))
		f.str(m.ProviderThinkingLevel)
		f.str(string(m.StopReason))
		f.str(m.ErrorMessage)
		u := &m.Usage
		for _, n := range [...]int64{u.Input, u.Output, u.CacheRead, u.CacheWrite, u.CacheWrite1h, u.Reasoning, u.Total} {
			f.int(int(n))
		}
		f.blocks(m.Content)
	case *ai.ToolResultMessage:
		f.h.WriteByte('r')
		f.str(m.ToolCallID)
		f.str(m.ToolName)
		f.bool(m.IsError)
		f.blocks(m.Content)
	}
}

func (f *fingerprint) tool(t *ai.Tool) {
	f.str(t.Name)
	f.str(t.Description)
	f.bytes(t.Parameters)
	f.bool(t.Sampling != nil)
	if t.Sampling != nil {
		f.str(string(t.Sampling.Type))
		f.str(t.Sampling.Strict)
		f.int(len(t.Sampling.Variants))
		var sum uint64 // maps have no order
		for k, v := range t.Sampling.Variants {
			sum += maphash.String(f.h.Seed(), k+"\x00"+v)
		}
		f.int(int(sum))
	}
}

func (f *fingerprint) blocks(blocks []ai.Block) {
	f.int(len(blocks))
	for _, b := range blocks {
		switch b := b.(type) {
		case *ai.Text:
			f.h.WriteByte('t')
			f.str(b.Text)
			f.str(b.Signature)
		case *ai.Thinking:
			f.h.WriteByte('h')
			f.str(b.Text)
			f.str(b.Signature)
			f.bool(b.Redacted)
		case *ai.Image:
			f.h.WriteByte('i')
			f.str(b.Data)
			f.str(b.MIMEType)
		case *ai.ToolCall:
			f.h.WriteByte('c')
			f.str(b.ID)
			f.str(b.Name)
			f.bytes(b.Arguments)
			f.str(b.ThoughtSignature)
			f.str(b.Namespace)
		case *ai.UnknownBlock:
			f.h.WriteByte('?')
			f.str(string(b.Kind))
			f.bytes(b.Raw)
		}
	}
}

func (f *fingerprint) str(s string) {
	f.int(len(s))
	f.h.WriteString(s)
}

func (f *fingerprint) bytes(b []byte) {
	f.int(len(b))
	f.h.Write(b)
}

func (f *fingerprint) int(n int) {
	binary.LittleEndian.PutUint64(f.num[:], uint64(n))
	f.h.Write(f.num[:])
}

func (f *fingerprint) bool(b bool) {
	if b {
		f.h.WriteByte(1)
	} else {
		f.h.WriteByte(0)
	}
}
