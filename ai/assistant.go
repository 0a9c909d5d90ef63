package ai

import (
	"encoding/json"
	"strconv"
	"time"

	"github.com/pi-go/pi/ai/jsonobj"
)

// StopReason says why an answer ended.
type StopReason string

// The stop reasons.
const (
	StopPending  StopReason = "pending"  // still streaming; never stored
	StopEnd      StopReason = "stop"     // the model was done
	StopLength   StopReason = "length"   // the output cap was reached
	StopToolUse  StopReason = "toolUse"  // the model wants tools to run
	StopError    StopReason = "error"    // see ErrorMessage and Failure
	StopAborted  StopReason = "aborted"  // the caller cancelled
	StopDeferred StopReason = "deferred" // the answer must be fetched later
)

// AssistantMessage is a model's answer, whole or as far as it came.
type AssistantMessage struct {
	Content []Block // *Text, *Thinking and *ToolCall
	// API, Provider and Model name what answered.
	API      string
	Provider string
	Model    string
	// ResponseModel is the vendor's name of the model when it differs.
	ResponseModel string
	ResponseID    string
	// ThinkingLevel is the level asked for; ProviderThinkingLevel is what the
	// vendor was told.
	ThinkingLevel         ThinkingLevel
	ProviderThinkingLevel string
	Diagnostics           []Diagnostic
	Usage                 Usage
	StopReason            StopReason
	// RawStopReason is the vendor's own word for StopReason.
	RawStopReason string
	// ErrorMessage is for people; set with StopError, and with StopAborted
	// when there is more to say.
	ErrorMessage string
	// Failure is the typed error behind StopError. It is not stored.
	Failure *APIError
	// Deferred tells where to fetch an answer that is not ready; any JSON.
	Deferred json.RawMessage
	// EndTurn is the vendor's wish to end the turn, where it says so.
	EndTurn *bool
	// Timestamp is when the request was made, in Unix milliseconds; DurationMS
	// is from then to the end of the answer.
	Timestamp  int64
	DurationMS *int64
	// Extra holds fields this package does not know. They are written back.
	Extra map[string]json.RawMessage
}

// Diagnostic notes something about an answer that did not make it fail.
type Diagnostic struct {
	Type      string           `json:"type"`
	Timestamp int64            `json:"timestamp"` // Unix milliseconds
	Error     *DiagnosticError `json:"error,omitempty"`
	Details   json.RawMessage  `json:"details,omitempty"`
}

// DiagnosticError is the error behind a [Diagnostic].
type DiagnosticError struct {
	Name    string          `json:"name,omitempty"`
	Message string          `json:"message"`
	Stack   string          `json:"stack,omitempty"`
	Code    json.RawMessage `json:"code,omitempty"`
}

// Role gives [RoleAssistant].
func (*AssistantMessage) Role() Role { return RoleAssistant }

// Time gives the timestamp.
func (m *AssistantMessage) Time() time.Time { return time.UnixMilli(m.Timestamp) }

func (*AssistantMessage) isMessage() {}

// Text joins the text blocks without a separator.
func (m *AssistantMessage) Text() string { return TextOf(m.Content, "") }

// ToolCalls lists the tool calls in order.
func (m *AssistantMessage) ToolCalls() []*ToolCall {
	var calls []*ToolCall
	for _, b := range m.Content {
		if c, ok := b.(*ToolCall); ok {
			calls = append(calls, c)
		}
	}
	return calls
}

// Err gives the failure of an answer that ended with StopError or
// StopAborted, nil for any other. It is an *[APIError] unless the message was
// read from a file by then, in which case only the text is left.
func (m *AssistantMessage) Err() error {
	if m.StopReason != StopError && m.StopReason != StopAborted {
		return nil
	}
	if m.Failure != nil {
		return m.Failure
	}
	kind := KindUnknown
	if m.StopReason == StopAborted {
		kind = KindAborted
	}
	text := m.ErrorMessage
	if text == "" {
		text = "request was aborted"
	}
	return &APIError{Kind: kind, Message: text, Provider: m.Provider, API: m.API}
}

// Clone copies the message and the headers of its blocks, so that it can be
// kept and shared between goroutines while the original goes on streaming.
// Strings are shared: they never change.
func (m *AssistantMessage) Clone() *AssistantMessage {
	c := *m
	c.Content = make([]Block, len(m.Content))
	for i, b := range m.Content {
		switch b := b.(type) {
		case *Text:
			d := *b
			c.Content[i] = &d
		case *Thinking:
			d := *b
			c.Content[i] = &d
		case *Image:
			d := *b
			c.Content[i] = &d
		case *ToolCall:
			d := *b
			c.Content[i] = &d
		case *UnknownBlock:
			d := *b
			c.Content[i] = &d
		}
	}
	c.Diagnostics = append([]Diagnostic(nil), m.Diagnostics...)
	return &c
}

// AppendJSON appends {"role":"assistant",…}.
func (m *AssistantMessage) AppendJSON(dst []byte) []byte {
	dst = append(dst, `{"role":"assistant","content":`...)
	dst = AppendBlocks(dst, m.Content)
	dst = append(dst, `,"api":`...)
	dst = jsonobj.AppendString(dst, m.API)
	dst = append(dst, `,"provider":`...)
	dst = jsonobj.AppendString(dst, m.Provider)
	dst = append(dst, `,"model":`...)
	dst = jsonobj.AppendString(dst, m.Model)
	dst = append(dst, `,"usage":`...)
	dst = m.Usage.AppendJSON(dst)
	dst = append(dst, `,"stopReason":`...)
	dst = jsonobj.AppendString(dst, string(m.StopReason))
	dst = appendTimestamp(dst, m.Timestamp)
	dst = appendOptional(dst, "responseId", m.ResponseID)
	dst = appendOptional(dst, "responseModel", m.ResponseModel)
	dst = appendOptional(dst, "rawStopReason", m.RawStopReason)
	dst = appendOptional(dst, "errorMessage", m.ErrorMessage)
	if m.DurationMS != nil {
		dst = append(dst, `,"durationMs":`...)
		dst = strconv.AppendInt(dst, *m.DurationMS, 10)
	}
	dst = appendOptional(dst, "thinkingLevel", string(m.ThinkingLevel))
	dst = appendOptional(dst, "providerThinkingLevel", m.ProviderThinkingLevel)
	if len(m.Diagnostics) > 0 {
		if b, err := json.Marshal(m.Diagnostics); err == nil {
			dst = append(dst, `,"diagnostics":`...)
			dst = append(dst, b...)
		}
	}
	if len(m.Deferred) > 0 {
		dst = append(dst, `,"deferred":`...)
		dst = append(dst, m.Deferred...)
	}
	if m.EndTurn != nil {
		dst = append(dst, `,"endTurn":`...)
		dst = strconv.AppendBool(dst, *m.EndTurn)
	}
	return appendExtra(dst, m.Extra)
}

// MarshalJSON implements [json.Marshaler].
func (m *AssistantMessage) MarshalJSON() ([]byte, error) { return m.AppendJSON(nil), nil }

// UnmarshalJSON implements [json.Unmarshaler].
func (m *AssistantMessage) UnmarshalJSON(data []byte) error {
	*m = AssistantMessage{}
	var level, stop string
	err := decodeFields(data, &m.Extra, fields{
		"role": skip, "timestamp": integer(&m.Timestamp), "content": content(&m.Content),
		"api": str(&m.API), "provider": str(&m.Provider), "model": str(&m.Model),
		"responseModel": str(&m.ResponseModel), "responseId": str(&m.ResponseID),
		"thinkingLevel": str(&level), "providerThinkingLevel": str(&m.ProviderThinkingLevel),
		"diagnostics": value(&m.Diagnostics), "usage": value(&m.Usage),
		"stopReason": str(&stop), "rawStopReason": str(&m.RawStopReason),
		"errorMessage": str(&m.ErrorMessage), "deferred": raw(&m.Deferred), "endTurn": value(&m.EndTurn),
		"durationMs": func(v json.RawMessage) error {
			m.DurationMS = new(int64)
			return integer(m.DurationMS)(v)
		},
	})
	m.ThinkingLevel, m.StopReason = ThinkingLevel(level), StopReason(stop)
	return err
}
