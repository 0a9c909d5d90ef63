package compaction

import (
	"encoding/json"
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/pi-go/pi/ai"
	"github.com/pi-go/pi/ai/jsonobj"
)

// headAndTail cuts the middle out of a text that is longer than size bytes
// and says how much is missing. Errors tend to stand at the end, so that is
// kept too.
func headAndTail(s string, size int) string {
	if len(s) <= size {
		return s
	}
	head, tail := size*2/3, size/3
	for head > 0 && !utf8.RuneStart(s[head]) {
		head--
	}
	at := len(s) - tail
	for at < len(s) && !utf8.RuneStart(s[at]) {
		at++
	}
	return fmt.Sprintf("%s\n[… %d characters left out …]\n%s", s[:head], utf8.RuneCountInString(s[head:at]), s[at:])
}

// Sizes of parts of a conversation in a request for a summary, in bytes.
const (
	toolResultSize = 2000
	argumentsSize  = 2000
	textSize       = 20_000
)

// transcript writes a conversation as text for a model to sum up; long parts
// lose their middle. scale makes all limits smaller.
func transcript(messages []ai.Message, scale float64) string {
	limit := func(s string, size int) string { return headAndTail(s, max(int(float64(size)*scale), 100)) }
	var parts []string
	add := func(label, text string) {
		if strings.TrimSpace(text) != "" {
			parts = append(parts, "["+label+"]: "+text)
		}
	}
	for _, m := range messages {
		switch m := m.(type) {
		case *ai.UserMessage:
			add("User", limit(withImages(m.Content), textSize))
		case *ai.AssistantMessage:
			add("Assistant", limit(m.Text(), textSize))
			var calls []string
			for _, c := range m.ToolCalls() {
				calls = append(calls, callText(c, limit))
			}
			add("Assistant tool calls", strings.Join(calls, "; "))
		case *ai.ToolResultMessage:
			label := "Tool result"
			if m.IsError {
				label = "Tool error"
			}
			add(label, limit(withImages(m.Content), toolResultSize))
		}
	}
	return strings.Join(parts, "\n\n")
}

// withImages joins texts and says where images were.
func withImages(content []ai.Block) string {
	var parts []string
	for _, b := range content {
		switch b := b.(type) {
		case *ai.Text:
			parts = append(parts, b.Text)
		case *ai.Image:
			parts = append(parts, "("+b.MIMEType+" image)")
		}
	}
	return strings.Join(parts, "\n")
}

// callText writes a call as name(key=value, …).
func callText(c *ai.ToolCall, limit func(string, int) string) string {
	var args []string
	err := jsonobj.Walk(c.Arguments, func(key string, v json.RawMessage) error {
		args = append(args, key+"="+limit(string(v), argumentsSize))
		return nil
	})
	if err != nil {
		args = []string{limit(string(c.Arguments), argumentsSize)}
	}
	return c.Name + "(" + strings.Join(args, ", ") + ")"
}

// fit writes a conversation in at most so many tokens: parts lose more and
// more of their middle, and if that is not enough the beginning goes.
func fit(messages []ai.Message, tokens int64) string {
	for scale := 1.0; scale > 0.02; scale /= 2 {
		if text := transcript(messages, scale); tokens <= 0 || ai.EstimateText(text) <= tokens {
			return text
		}
	}
	dropped := 0
	for len(messages) > 1 {
		n := max(len(messages)/8, 1)
		messages, dropped = messages[n:], dropped+n
		if text := transcript(messages, 0.02); ai.EstimateText(text) <= tokens {
			return fmt.Sprintf("[%d earlier messages left out]\n\n%s", dropped, text)
		}
	}
	return headAndTail(transcript(messages, 0.02), int(tokens)*3)
}
