package ai

import (
	"math/bits"
	"slices"
	"unicode/utf8"
)

// Sizes for estimating tokens before a vendor has counted them. English and
// code take about 3.5 bytes a token; scripts outside ASCII about one token a
// character, which 3.5 bytes a token would underrate by half or more.
const (
	asciiPerToken  = 3.5
	imageTokens    = 1200
	messageTokens  = 4
	fitMarginTiny  = 4096
	fitMarginShare = 15 // percent
	fitSmallRoom   = 32768
)

// EstimateText estimates the tokens of a text.
func EstimateText[S ~string | ~[]byte](s S) int64 {
	const high = 0x8080808080808080 // of each of eight bytes
	more, other := 0, 0             // bytes of longer characters, and the first ones of them
	i := 0
	for ; i+8 <= len(s); i += 8 { // a conversation is read at each turn
		w := uint64(s[i]) | uint64(s[i+1])<<8 | uint64(s[i+2])<<16 | uint64(s[i+3])<<24 |
			uint64(s[i+4])<<32 | uint64(s[i+5])<<40 | uint64(s[i+6])<<48 | uint64(s[i+7])<<56
		if w&high != 0 {
			more += bits.OnesCount64(w & high)
			other += bits.OnesCount64(w & (w << 1) & high)
		}
	}
	for ; i < len(s); i++ {
		if s[i] >= utf8.RuneSelf {
			more++
		}
		if s[i] >= 0xC0 {
			other++
		}
	}
	ascii := len(s) - more
	return int64(float64(ascii)/asciiPerToken+0.999) + int64(other)
}

// EstimateMessage estimates the tokens of one message.
func EstimateMessage(m Message) int64 {
	switch m := m.(type) {
	case *SystemMessage:
		n := EstimateText(m.Text())
		for i := range m.ToolsAdded {
			n += EstimateText(m.ToolsAdded[i].AppendJSON(nil))
		}
		return n + messageTokens
	case *UserMessage:
		return estimateBlocks(m.Content) + messageTokens
	case *AssistantMessage:
		return estimateBlocks(m.Content) + messageTokens
	case *ToolResultMessage:
		return estimateBlocks(m.Content) + messageTokens
	}
	return 0
}

func estimateBlocks(blocks []Block) int64 {
	var n int64
	for _, b := range blocks {
		switch b := b.(type) {
		case *Text:
			n += EstimateText(b.Text)
		case *Thinking:
			n += EstimateText(b.Text)
		case *Image:
			n += imageTokens
		case *ToolCall:
			n += EstimateText(b.Name) + EstimateText(b.Arguments)
		}
	}
	return n
}

// EstimateContext estimates the tokens of a conversation: what the vendor
// counted at the last successful answer, plus estimates of what came after;
// everything estimated when no answer has counts, or when a message before that
// answer is younger than it (a summary that took the place of what was counted).
func EstimateContext(messages []Message) int64 {
	var n int64
	from, counts := 0, int64(0)
	for i := len(messages) - 1; i >= 0; i-- {
		a, ok := messages[i].(*AssistantMessage)
		if !ok || a.StopReason == StopError || a.StopReason == StopAborted {
			continue
		}
		if used := a.Usage.ContextTokens(); used > 0 {
			if !slices.ContainsFunc(messages[:i], func(m Message) bool { return m.Time().After(a.Time()) }) {
				from, counts = i+1, used
			}
			break
		}
	}
	for _, m := range messages[from:] {
		n += EstimateMessage(m)
	}
	return n + counts
}

// FitMaxTokens gives the output cap to ask for: the wanted one (0 means the
// model's), or what the context window leaves free after the estimated prompt
// and a margin of 15 % (at least 4096 tokens), whichever is smaller; at least
// 1. A model of unknown window gets what is wanted. When neither the caller nor
// the model names a cap it is 0: none is asked for.
func FitMaxTokens(m *Model, messages []Message, want int64) int64 {
	return (&Call{Model: m, Messages: messages}).FitMaxTokens(want)
}

// fit is FitMaxTokens for a prompt of so many tokens and a model of known window.
func fit(m *Model, input, want int64) int64 {
	room := m.ContextWindow - input - max(fitMarginTiny, input*fitMarginShare/100)
	if room < fitSmallRoom {
		room = min(fitSmallRoom, m.ContextWindow-input-fitMarginTiny)
	}
	return min(want, max(1, room))
}

// FitMaxTokens is [FitMaxTokens] for the call's model and conversation, which is
// estimated once only. A Call belongs to one goroutine.
func (c *Call) FitMaxTokens(want int64) int64 {
	if want <= 0 {
		want = c.Model.MaxTokens
	}
	if c.Model.ContextWindow <= 0 || want <= 0 {
		return max(want, 0)
	}
	if !c.estimated {
		c.contextTokens, c.estimated = EstimateContext(c.Messages), true
	}
	return fit(c.Model, c.contextTokens, want)
}
