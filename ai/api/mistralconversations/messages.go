package mistralconversations

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"strconv"
	"strings"

	"github.com/pi-go/pi/ai"
	"github.com/pi-go/pi/ai/internal/history"
	"github.com/pi-go/pi/ai/jsonobj"
)

// idLength is the length of ids of tool calls; the vendor refuses any other.
const idLength = 9

// toolCallID is the rule for ids: nine letters and digits, those of the id if
// there are exactly nine, else a hash of it.
func toolCallID(id string, _ bool, attempt int) string {
	if attempt > 0 {
		return hashID(id + ":" + strconv.Itoa(attempt))
	}
	clean := strings.Map(func(r rune) rune {
		if r >= '0' && r <= '9' || r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' {
			return r
		}
		return -1
	}, id)
	if len(clean) == idLength {
		return clean
	}
	return hashID(id)
}

func hashID(s string) string {
	sum := sha256.Sum256([]byte(s))
	return hex.EncodeToString(sum[:])[:idLength]
}

// errorMark stands before the text of a failed tool result.
const errorMark = "[tool error] "

// appendMessage appends a message.
func appendMessage(dst []byte, u history.Unit) []byte {
	switch m := u.Messages[0].(type) {
	case *ai.SystemMessage:
		text := m.UpdateText()
		if u.At == 0 {
			text = m.Text()
		}
		if strings.TrimSpace(text) == "" {
			return dst
		}
		dst = append(dst, `{"role":"system","content":`...)
		dst = jsonobj.AppendString(dst, text)
		return append(dst, '}')
	case *ai.UserMessage:
		dst = append(dst, `{"role":"user","content":`...)
		return append(appendContent(dst, m.Content, ""), '}')
	case *ai.AssistantMessage:
		return appendAnswer(dst, m)
	case *ai.ToolResultMessage:
		mark := ""
		if m.IsError {
			mark = errorMark
		}
		dst = append(dst, `{"role":"tool","tool_call_id":`...)
		dst = jsonobj.AppendString(dst, m.ToolCallID)
		dst = append(dst, `,"name":`...)
		dst = jsonobj.AppendString(dst, m.ToolName)
		dst = append(dst, `,"content":`...)
		return append(appendContent(dst, m.Content, mark), '}')
	}
	return dst
}

// appendContent writes texts and images: one string where there is only text.
// mark goes in front of the first text.
func appendContent(dst []byte, content []ai.Block, mark string) []byte {
	var texts []string
	images := false
	for _, b := range content {
		switch b := b.(type) {
		case *ai.Text:
			texts = append(texts, b.Text)
		case *ai.Image:
			images = true
		}
	}
	if !images {
		return jsonobj.AppendString(dst, mark+strings.Join(texts, "\n"))
	}
	dst = append(dst, '[')
	start := len(dst)
	if len(texts) == 0 && mark != "" {
		dst = appendText(dst, mark+ai.NoteSeeImage)
	}
	for _, b := range content {
		if len(dst) > start {
			dst = append(dst, ',')
		}
		switch b := b.(type) {
		case *ai.Text:
			dst = appendText(dst, mark+b.Text)
			mark = ""
		case *ai.Image:
			dst = append(dst, `{"type":"image_url","image_url":`...)
			dst = jsonobj.AppendString(dst, "data:"+b.MIMEType+";base64,"+b.Data)
			dst = append(dst, '}')
		}
	}
	return append(dst, ']')
}

func appendText(dst []byte, text string) []byte {
	dst = append(dst, `{"type":"text","text":`...)
	return append(jsonobj.AppendString(dst, text), '}')
}

func appendAnswer(dst []byte, m *ai.AssistantMessage) []byte {
	before := len(dst)
	dst = append(dst, `{"role":"assistant","prefix":false,"content":[`...)
	start := len(dst)
	calls := 0
	for _, b := range m.Content {
		switch b := b.(type) {
		case *ai.Text:
			if len(dst) > start {
				dst = append(dst, ',')
			}
			dst = appendText(dst, b.Text)
		case *ai.Thinking:
			if strings.TrimSpace(b.Text) == "" {
				continue
			}
			if len(dst) > start {
				dst = append(dst, ',')
			}
			dst = append(dst, `{"type":"thinking","thinking":[`...)
			dst = append(appendText(dst, b.Text), `]}`...)
		case *ai.ToolCall:
			calls++
		}
	}
	switch {
	case len(dst) == start && calls == 0:
		return dst[:before] // thinking without a word
	case len(dst) == start:
		dst = append(dst[:start-1], `""`...)
	default:
		dst = append(dst, ']')
	}
	if calls == 0 {
		return append(dst, '}')
	}
	dst = append(dst, `,"tool_calls":[`...)
	n := 0
	for _, b := range m.Content {
		c, ok := b.(*ai.ToolCall)
		if !ok {
			continue
		}
		if n++; n > 1 {
			dst = append(dst, ',')
		}
		args := []byte(c.Arguments)
		if !json.Valid(args) {
			args = []byte("{}")
		}
		dst = append(dst, `{"id":`...)
		dst = jsonobj.AppendString(dst, c.ID)
		dst = append(dst, `,"type":"function","function":{"name":`...)
		dst = jsonobj.AppendString(dst, c.Name)
		dst = append(dst, `,"arguments":`...)
		dst = jsonobj.AppendString(dst, args)
		dst = append(dst, `}}`...)
	}
	return append(dst, `]}`...)
}
