package history

import (
	"hash/maphash"
	"maps"
	"slices"

	"github.com/pi-go/pi/ai"
)

// snapshot is what a unit was when it was encoded: everything in it that a request
// can depend on. Texts are shared with the messages, as they can not change, so
// comparing one with itself costs nothing, however long it is. Bytes can change; of
// them the snapshot knows a hash.
type snapshot struct {
	at       int
	messages []ai.Message
	sums     []uint64 // of the byte slices, in the order of a walk
}

// take makes the snapshot of a unit.
func take(u Unit, seed maphash.Seed) snapshot {
	s := snapshot{at: u.At, messages: make([]ai.Message, len(u.Messages))}
	for i, m := range u.Messages {
		switch m := m.(type) {
		case *ai.SystemMessage:
			c := *m
			c.Sections = slices.Clone(m.Sections)
			for j := range c.Sections {
				if t := c.Sections[j].Text; t != nil {
					c.Sections[j].Text = new(*t)
				}
			}
			c.ToolsAdded = slices.Clone(m.ToolsAdded)
			for j := range c.ToolsAdded {
				if sampling := c.ToolsAdded[j].Sampling; sampling != nil {
					own := *sampling
					own.Variants = maps.Clone(sampling.Variants)
					c.ToolsAdded[j].Sampling = &own
				}
				s.sums = append(s.sums, maphash.Bytes(seed, c.ToolsAdded[j].Parameters))
			}
			c.ToolsRemoved = slices.Clone(m.ToolsRemoved)
			s.messages[i] = &c
		case *ai.UserMessage:
			c := *m
			c.Content = s.copy(m.Content, seed)
			s.messages[i] = &c
		case *ai.AssistantMessage:
			c := *m
			c.Content = s.copy(m.Content, seed)
			s.messages[i] = &c
		case *ai.ToolResultMessage:
			c := *m
			c.Content = s.copy(m.Content, seed)
			s.messages[i] = &c
		}
	}
	return s
}

func (s *snapshot) copy(blocks []ai.Block, seed maphash.Seed) []ai.Block {
	list := make([]ai.Block, len(blocks))
	for i, b := range blocks {
		switch b := b.(type) {
		case *ai.Text:
			list[i] = new(*b)
		case *ai.Thinking:
			list[i] = new(*b)
		case *ai.Image:
			list[i] = new(*b)
		case *ai.ToolCall:
			list[i] = new(*b)
			s.sums = append(s.sums, maphash.Bytes(seed, b.Arguments))
		case *ai.UnknownBlock:
			list[i] = new(*b)
			s.sums = append(s.sums, maphash.Bytes(seed, b.Raw))
		}
	}
	return list
}

// of reports whether the unit is what it was.
func (s *snapshot) of(u Unit, seed maphash.Seed) bool {
	if u.At != s.at || len(u.Messages) != len(s.messages) {
		return false
	}
	w := walk{seed: seed, sums: s.sums}
	for i, m := range u.Messages {
		if !w.message(m, s.messages[i]) {
			return false
		}
	}
	return true
}

// walk compares a unit with its snapshot, and consumes the hashes on the way.
type walk struct {
	seed maphash.Seed
	sums []uint64
}

func (w *walk) bytes(b []byte) bool {
	sum := w.sums[0]
	w.sums = w.sums[1:]
	return maphash.Bytes(w.seed, b) == sum
}

func (w *walk) message(m, was ai.Message) bool {
	switch m := m.(type) {
	case *ai.SystemMessage:
		c, ok := was.(*ai.SystemMessage)
		return ok && m.Timestamp == c.Timestamp && m.Content == c.Content &&
			slices.EqualFunc(m.Sections, c.Sections, sameSection) &&
			slices.Equal(m.ToolsRemoved, c.ToolsRemoved) && slices.EqualFunc(m.ToolsAdded, c.ToolsAdded, w.tool)
	case *ai.UserMessage:
		c, ok := was.(*ai.UserMessage)
		return ok && m.Timestamp == c.Timestamp && slices.EqualFunc(m.Content, c.Content, w.block)
	case *ai.AssistantMessage:
		c, ok := was.(*ai.AssistantMessage)
		return ok && m.Timestamp == c.Timestamp &&
			m.API == c.API && m.Provider == c.Provider && m.Model == c.Model && m.ResponseID == c.ResponseID && m.ResponseModel == c.ResponseModel &&
			m.ThinkingLevel == c.ThinkingLevel && m.ProviderThinkingLevel == c.ProviderThinkingLevel && m.StopReason == c.StopReason &&
			m.RawStopReason == c.RawStopReason && m.ErrorMessage == c.ErrorMessage && sameCounts(&m.Usage, &c.Usage) && slices.EqualFunc(m.Content, c.Content, w.block)
	case *ai.ToolResultMessage:
		c, ok := was.(*ai.ToolResultMessage)
		return ok && m.Timestamp == c.Timestamp && m.ToolCallID == c.ToolCallID && m.ToolName == c.ToolName && m.IsError == c.IsError &&
			slices.EqualFunc(m.Content, c.Content, w.block)
	}
	return false
}

func sameSection(a, b ai.Section) bool {
	if a.Name != b.Name || (a.Text == nil) != (b.Text == nil) {
		return false
	}
	return a.Text == nil || *a.Text == *b.Text
}

func sameCounts(a, b *ai.Usage) bool {
	return a.Input == b.Input && a.Output == b.Output && a.CacheRead == b.CacheRead && a.CacheWrite == b.CacheWrite &&
		a.CacheWrite1h == b.CacheWrite1h && a.Reasoning == b.Reasoning && a.HasReasoning == b.HasReasoning && a.Total == b.Total && a.Cost == b.Cost
}

func (w *walk) tool(t, was ai.Tool) bool {
	if t.Name != was.Name || t.Description != was.Description || !w.bytes(t.Parameters) || (t.Sampling == nil) != (was.Sampling == nil) {
		return false
	}
	return t.Sampling == nil ||
		t.Sampling.Type == was.Sampling.Type && t.Sampling.Strict == was.Sampling.Strict && maps.Equal(t.Sampling.Variants, was.Sampling.Variants)
}

func (w *walk) block(b, was ai.Block) bool {
	switch b := b.(type) {
	case *ai.Text:
		c, ok := was.(*ai.Text)
		return ok && b.Text == c.Text && b.Signature == c.Signature
	case *ai.Thinking:
		c, ok := was.(*ai.Thinking)
		return ok && b.Text == c.Text && b.Signature == c.Signature && b.Redacted == c.Redacted
	case *ai.Image:
		c, ok := was.(*ai.Image)
		return ok && b.Data == c.Data && b.MIMEType == c.MIMEType
	case *ai.ToolCall:
		c, ok := was.(*ai.ToolCall)
		return ok && b.ID == c.ID && b.Name == c.Name && b.ThoughtSignature == c.ThoughtSignature && b.Namespace == c.Namespace &&
			b.ArgumentsError == c.ArgumentsError && w.bytes(b.Arguments)
	case *ai.UnknownBlock:
		c, ok := was.(*ai.UnknownBlock)
		return ok && b.Kind == c.Kind && w.bytes(b.Raw)
	}
	return false
}
