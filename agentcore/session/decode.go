package session

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/pi-go/pi/ai"
	"github.com/pi-go/pi/ai/jsonobj"
)

// DecodeEntry reads one stored entry. The codec decodes messages of kinds
// that this package does not know; nil knows none. An entry of an unknown
// type is no error, see [UnknownEntry].
func DecodeEntry(line []byte, codec Codec) (Entry, error) {
	t, err := typeOf(line)
	if err != nil {
		return nil, fmt.Errorf("decode session entry: %w", err)
	}
	e := newEntry(t)
	if u, ok := e.(*UnknownEntry); ok {
		if !json.Valid(line) {
			return nil, errors.New("decode session entry: not valid JSON")
		}
		u.Raw = slices.Clone(line)
	}
	m := e.Head()
	err = jsonobj.Walk(line, func(key string, v json.RawMessage) error {
		var err error
		switch key {
		case "type":
			return nil
		case "id":
			err = lenient(v, &m.ID)
		case "parentId":
			err = lenient(v, &m.Parent)
		case "timestamp":
			var s string
			if err = lenient(v, &s); err == nil {
				m.Time = parseTime(s)
			}
		default:
			var known bool
			if known, err = e.field(key, v, codec); err == nil && !known {
				err = keep(&m.Extra, key, v)
			}
		}
		if err != nil {
			return fmt.Errorf("field %q: %w", key, err)
		}
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("decode %s entry: %w", t, err)
	}
	switch e := e.(type) {
	case *MessageEntry:
		if e.Message == nil {
			return nil, errors.New("decode message entry: it holds no message")
		}
	case *CompactionEntry:
		if e.System != nil && e.System.Timestamp == 0 {
			e.System.Timestamp = e.Time.UnixMilli()
		}
	}
	return e, nil
}

// typeOf finds the type member of an object; of several the last one counts.
func typeOf(line []byte) (Type, error) {
	var t Type
	err := jsonobj.Walk(line, func(key string, v json.RawMessage) error {
		if key != "type" {
			return nil
		}
		if err := json.Unmarshal(v, &t); err != nil {
			return fmt.Errorf("field \"type\": %w", err)
		}
		return nil
	})
	return t, err
}

// lenient decodes v into p; null leaves p as it is.
func lenient(v json.RawMessage, p any) error {
	if string(v) == "null" {
		return nil
	}
	return json.Unmarshal(v, p)
}

// integer decodes a number as JavaScript writes it: 1e3 is an integer there.
func integer(v json.RawMessage, p *int64) error {
	var f float64
	if err := lenient(v, &f); err != nil {
		return err
	}
	*p = int64(f)
	return nil
}

func keep(extra *map[string]json.RawMessage, key string, v json.RawMessage) error {
	if !json.Valid(v) {
		return errors.New("not valid JSON")
	}
	if *extra == nil {
		*extra = make(map[string]json.RawMessage)
	}
	(*extra)[key] = slices.Clone(v)
	return nil
}

func anyJSON(v json.RawMessage, p *json.RawMessage) error {
	if !json.Valid(v) {
		return errors.New("not valid JSON")
	}
	*p = slices.Clone(v)
	return nil
}

func (e *MessageEntry) field(key string, v json.RawMessage, codec Codec) (bool, error) {
	if key != "message" {
		return false, nil
	}
	var err error
	e.Message, err = codec.Decode(v)
	return true, err
}

func (e *ModelEntry) field(key string, v json.RawMessage, _ Codec) (bool, error) {
	switch key {
	case "provider":
		return true, lenient(v, &e.Provider)
	case "modelId":
		return true, lenient(v, &e.ModelID)
	}
	return false, nil
}

func (e *ThinkingEntry) field(key string, v json.RawMessage, _ Codec) (bool, error) {
	if key != "thinkingLevel" {
		return false, nil
	}
	return true, lenient(v, &e.Level)
}

func (e *UsageEntry) field(key string, v json.RawMessage, _ Codec) (bool, error) {
	switch key {
	case "kind":
		return true, lenient(v, &e.Kind)
	case "provider":
		return true, lenient(v, &e.Provider)
	case "model":
		return true, lenient(v, &e.Model)
	case "usage":
		return true, lenient(v, &e.Usage)
	case "note":
		return true, lenient(v, &e.Note)
	}
	return false, nil
}

func (e *CompactionEntry) field(key string, v json.RawMessage, _ Codec) (bool, error) {
	switch key {
	case "summary":
		return true, lenient(v, &e.Summary)
	case "firstKeptEntryId":
		return true, lenient(v, &e.FirstKept)
	case "tokensBefore":
		return true, integer(v, &e.TokensBefore)
	case "details":
		return true, anyJSON(v, &e.Details)
	case "usage":
		return true, lenient(v, &e.Usage)
	case "fromHook":
		return true, lenient(v, &e.FromHook)
	case "systemMessage":
		return true, lenient(v, &e.System)
	}
	return false, nil
}

func (e *BranchSummaryEntry) field(key string, v json.RawMessage, _ Codec) (bool, error) {
	switch key {
	case "fromId":
		return true, lenient(v, &e.FromID)
	case "summary":
		return true, lenient(v, &e.Summary)
	case "details":
		return true, anyJSON(v, &e.Details)
	case "usage":
		return true, lenient(v, &e.Usage)
	case "fromHook":
		return true, lenient(v, &e.FromHook)
	}
	return false, nil
}

func (e *CustomEntry) field(key string, v json.RawMessage, _ Codec) (bool, error) {
	switch key {
	case "customType":
		return true, lenient(v, &e.CustomType)
	case "data":
		return true, anyJSON(v, &e.Data)
	}
	return false, nil
}

func (e *CustomMessageEntry) field(key string, v json.RawMessage, _ Codec) (bool, error) {
	var err error
	switch key {
	case "customType":
		err = lenient(v, &e.CustomType)
	case "content":
		e.Content, err = ai.DecodeBlocks(v)
		e.Plain = isString(v)
	case "display":
		err = lenient(v, &e.Display)
	case "details":
		err = anyJSON(v, &e.Details)
	default:
		return false, nil
	}
	return true, err
}

func (e *ContextEditEntry) field(key string, v json.RawMessage, _ Codec) (bool, error) {
	switch key {
	case "targetId":
		return true, lenient(v, &e.TargetID)
	case "replacement":
		if string(v) == "null" {
			return true, nil
		}
		e.Replacement = new(Replacement)
		return true, jsonobj.Walk(v, func(key string, v json.RawMessage) error {
			if key != "content" {
				return nil
			}
			var err error
			e.Replacement.Content, err = ai.DecodeBlocks(v)
			return err
		})
	}
	return false, nil
}

func (e *LabelEntry) field(key string, v json.RawMessage, _ Codec) (bool, error) {
	switch key {
	case "targetId":
		return true, lenient(v, &e.TargetID)
	case "label":
		return true, lenient(v, &e.Label)
	}
	return false, nil
}

func (e *InfoEntry) field(key string, v json.RawMessage, _ Codec) (bool, error) {
	if key != "name" {
		return false, nil
	}
	return true, lenient(v, &e.Name)
}

func (*UnknownEntry) field(string, json.RawMessage, Codec) (bool, error) { return true, nil }

func isString(v json.RawMessage) bool { return len(v) > 0 && v[0] == '"' }

// timeLayout is how entries write times: ISO 8601 in UTC with milliseconds.
const timeLayout = "2006-01-02T15:04:05.000Z"

// parseTime reads the time of an entry or header; the zero time when it is
// none.
func parseTime(s string) time.Time {
	t, err := time.Parse(time.RFC3339, s)
	if err != nil {
		return time.Time{}
	}
	return t.UTC()
}
