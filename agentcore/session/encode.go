package session

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"time"

	"github.com/pi-go/pi/ai"
	"github.com/pi-go/pi/ai/jsonobj"
)

// encodeLine gives the entry as it is stored: one line of valid JSON, without
// the line feed. JSON from outside (tool arguments, details) may hold line
// feeds between its tokens, which would tear the line; they are squeezed out.
func encodeLine(e Entry) ([]byte, error) {
	line, err := e.AppendJSON(make([]byte, 0, 512))
	if err != nil {
		return nil, err
	}
	if !json.Valid(line) {
		return nil, fmt.Errorf("%s entry holds a field that is not valid JSON", e.Type())
	}
	return oneLine(line)
}

// oneLine squeezes line ends out of valid JSON.
func oneLine(text []byte) ([]byte, error) {
	if bytes.IndexByte(text, '\n') < 0 && bytes.IndexByte(text, '\r') < 0 {
		return text, nil
	}
	var b bytes.Buffer
	if err := json.Compact(&b, text); err != nil {
		return nil, err
	}
	return b.Bytes(), nil
}

func (m *Meta) appendHead(dst []byte, t Type) []byte {
	dst = append(dst, `{"type":`...)
	dst = jsonobj.AppendString(dst, string(t))
	dst = append(dst, `,"id":`...)
	dst = jsonobj.AppendString(dst, m.ID)
	if m.Parent == "" {
		dst = append(dst, `,"parentId":null,"timestamp":"`...)
	} else {
		dst = append(dst, `,"parentId":`...)
		dst = jsonobj.AppendString(dst, m.Parent)
		dst = append(dst, `,"timestamp":"`...)
	}
	dst = appendTime(dst, m.Time)
	return append(dst, '"')
}

// appendTail appends the unknown fields, sorted, and closes the object.
func (m *Meta) appendTail(dst []byte) []byte { return appendExtra(dst, m.Extra) }

func appendExtra(dst []byte, extra map[string]json.RawMessage) []byte {
	if len(extra) > 0 {
		names := make([]string, 0, len(extra))
		for k := range extra {
			names = append(names, k)
		}
		slices.Sort(names)
		for _, k := range names {
			dst = append(dst, ',')
			dst = jsonobj.AppendString(dst, k)
			dst = append(dst, ':')
			dst = append(dst, extra[k]...)
		}
	}
	return append(dst, '}')
}

func appendTime(dst []byte, t time.Time) []byte { return t.UTC().AppendFormat(dst, timeLayout) }

// appendText appends ,"name":"value".
func appendText(dst []byte, name, value string) []byte {
	dst = append(dst, ',', '"')
	dst = append(dst, name...)
	dst = append(dst, '"', ':')
	return jsonobj.AppendString(dst, value)
}

// appendRaw appends ,"name":value unless value is empty.
func appendRaw(dst []byte, name string, value json.RawMessage) []byte {
	if len(value) == 0 {
		return dst
	}
	dst = append(dst, ',', '"')
	dst = append(dst, name...)
	dst = append(dst, '"', ':')
	return append(dst, value...)
}

func appendUsage(dst []byte, u *ai.Usage) []byte {
	if u == nil {
		return dst
	}
	dst = append(dst, `,"usage":`...)
	return u.AppendJSON(dst)
}

func appendBool(dst []byte, name string, v *bool) []byte {
	if v == nil {
		return dst
	}
	dst = append(dst, ',', '"')
	dst = append(dst, name...)
	dst = append(dst, '"', ':')
	return strconv.AppendBool(dst, *v)
}

// appendContent appends ,"content":… as a string when plain says so and it
// can be one.
func appendContent(dst []byte, content []ai.Block, plain bool) []byte {
	dst = append(dst, `,"content":`...)
	if plain {
		if len(content) == 0 {
			return append(dst, `""`...)
		}
		if t, ok := content[0].(*ai.Text); ok && len(content) == 1 && t.Signature == "" && t.Extra == nil {
			return jsonobj.AppendString(dst, t.Text)
		}
	}
	return ai.AppendBlocks(dst, content)
}

// AppendJSON implements [Entry].
func (e *MessageEntry) AppendJSON(dst []byte) ([]byte, error) {
	dst = e.appendHead(dst, TypeMessage)
	dst = append(dst, `,"message":`...)
	dst, err := appendMessage(dst, e.Message)
	if err != nil {
		return nil, err
	}
	return e.appendTail(dst), nil
}

// AppendJSON implements [Entry].
func (e *ModelEntry) AppendJSON(dst []byte) ([]byte, error) {
	dst = e.appendHead(dst, TypeModelChange)
	dst = appendText(dst, "provider", e.Provider)
	dst = appendText(dst, "modelId", e.ModelID)
	return e.appendTail(dst), nil
}

// AppendJSON implements [Entry].
func (e *ThinkingEntry) AppendJSON(dst []byte) ([]byte, error) {
	dst = e.appendHead(dst, TypeThinkingChange)
	dst = appendText(dst, "thinkingLevel", string(e.Level))
	return e.appendTail(dst), nil
}

// AppendJSON implements [Entry].
func (e *UsageEntry) AppendJSON(dst []byte) ([]byte, error) {
	dst = e.appendHead(dst, TypeUsage)
	dst = appendText(dst, "kind", e.Kind)
	dst = appendText(dst, "provider", e.Provider)
	dst = appendText(dst, "model", e.Model)
	dst = appendUsage(dst, &e.Usage)
	if e.Note != "" {
		dst = appendText(dst, "note", e.Note)
	}
	return e.appendTail(dst), nil
}

// AppendJSON implements [Entry].
func (e *CompactionEntry) AppendJSON(dst []byte) ([]byte, error) {
	dst = e.appendHead(dst, TypeCompaction)
	dst = appendText(dst, "summary", e.Summary)
	if e.FirstKept != "" {
		dst = appendText(dst, "firstKeptEntryId", e.FirstKept)
	}
	dst = append(dst, `,"tokensBefore":`...)
	dst = strconv.AppendInt(dst, e.TokensBefore, 10)
	dst = appendRaw(dst, "details", e.Details)
	dst = appendUsage(dst, e.Usage)
	dst = appendBool(dst, "fromHook", e.FromHook)
	if e.System != nil {
		dst = append(dst, `,"systemMessage":`...)
		dst = e.System.AppendJSON(dst)
	}
	return e.appendTail(dst), nil
}

// AppendJSON implements [Entry].
func (e *BranchSummaryEntry) AppendJSON(dst []byte) ([]byte, error) {
	dst = e.appendHead(dst, TypeBranchSummary)
	dst = appendText(dst, "fromId", e.FromID)
	dst = appendText(dst, "summary", e.Summary)
	dst = appendRaw(dst, "details", e.Details)
	dst = appendUsage(dst, e.Usage)
	dst = appendBool(dst, "fromHook", e.FromHook)
	return e.appendTail(dst), nil
}

// AppendJSON implements [Entry].
func (e *CustomEntry) AppendJSON(dst []byte) ([]byte, error) {
	dst = e.appendHead(dst, TypeCustom)
	dst = appendText(dst, "customType", e.CustomType)
	dst = appendRaw(dst, "data", e.Data)
	return e.appendTail(dst), nil
}

// AppendJSON implements [Entry].
func (e *CustomMessageEntry) AppendJSON(dst []byte) ([]byte, error) {
	dst = e.appendHead(dst, TypeCustomMessage)
	dst = appendText(dst, "customType", e.CustomType)
	dst = appendContent(dst, e.Content, e.Plain)
	dst = appendBool(dst, "display", &e.Display)
	dst = appendRaw(dst, "details", e.Details)
	return e.appendTail(dst), nil
}

// AppendJSON implements [Entry].
func (e *ContextEditEntry) AppendJSON(dst []byte) ([]byte, error) {
	dst = e.appendHead(dst, TypeContextEdit)
	dst = appendText(dst, "targetId", e.TargetID)
	if e.Replacement == nil {
		dst = append(dst, `,"replacement":null`...)
	} else {
		dst = append(dst, `,"replacement":{"content":`...)
		dst = ai.AppendBlocks(dst, e.Replacement.Content)
		dst = append(dst, '}')
	}
	return e.appendTail(dst), nil
}

// AppendJSON implements [Entry].
func (e *LabelEntry) AppendJSON(dst []byte) ([]byte, error) {
	dst = e.appendHead(dst, TypeLabel)
	dst = appendText(dst, "targetId", e.TargetID)
	if e.Label != "" {
		dst = appendText(dst, "label", e.Label)
	}
	return e.appendTail(dst), nil
}

// AppendJSON implements [Entry].
func (e *InfoEntry) AppendJSON(dst []byte) ([]byte, error) {
	dst = e.appendHead(dst, TypeInfo)
	if e.Name != "" {
		dst = appendText(dst, "name", e.Name)
	}
	return e.appendTail(dst), nil
}

// AppendJSON appends the entry as it was read.
func (e *UnknownEntry) AppendJSON(dst []byte) ([]byte, error) {
	if len(e.Raw) == 0 {
		return nil, fmt.Errorf("entry of unknown type %q has no text", e.Kind)
	}
	return append(dst, e.Raw...), nil
}
