package session

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/pi-go/pi/agentcore"
	"github.com/pi-go/pi/ai"
	"github.com/pi-go/pi/ai/jsonobj"
)

// Codec says how stored messages of a program's own kinds are read: a decoder
// per role. The messages of package ai and of this package need none. A role
// that is not in it becomes an [OpaqueMessage]. The nil Codec is empty.
//
// A message is written by its AppendJSON([]byte) []byte method if it has one,
// else by [json.Marshal]; the result is an object with a "role" member.
type Codec map[ai.Role]func(data json.RawMessage) (agentcore.Message, error)

// Decode reads one stored message.
func (c Codec) Decode(data json.RawMessage) (agentcore.Message, error) {
	m, err := ai.DecodeMessage(data)
	var unknown ai.UnknownRoleError
	switch {
	case err == nil:
		return m, nil
	case !errors.As(err, &unknown):
		return nil, err
	}
	role := ai.Role(unknown)
	if decode, ok := c[role]; ok {
		m, err := decode(data)
		if err != nil {
			return nil, fmt.Errorf("decode %s message: %w", role, err)
		}
		return m, nil
	}
	var own interface {
		agentcore.Message
		json.Unmarshaler
	}
	switch role {
	case RoleCustom:
		own = new(CustomMessage)
	case RoleCompactionSummary:
		own = new(CompactionSummary)
	case RoleBranchSummary:
		own = new(BranchSummary)
	default:
		return decodeOpaque(role, data)
	}
	if err := own.UnmarshalJSON(data); err != nil {
		return nil, fmt.Errorf("decode %s message: %w", role, err)
	}
	return own, nil
}

// Encode appends a message in the stored format.
func (Codec) Encode(dst []byte, m agentcore.Message) ([]byte, error) { return appendMessage(dst, m) }

func appendMessage(dst []byte, m agentcore.Message) ([]byte, error) {
	switch m := m.(type) {
	case nil:
		return nil, errors.New("entry holds no message")
	case interface{ AppendJSON([]byte) []byte }:
		return m.AppendJSON(dst), nil
	default:
		b, err := json.Marshal(m)
		if err != nil {
			return nil, fmt.Errorf("encode %s message: %w", m.Role(), err)
		}
		return append(dst, b...), nil
	}
}

// OpaqueMessage is a message of a kind that nobody registered. It is written
// back unchanged and never shown to a model.
type OpaqueMessage struct {
	Kind ai.Role
	Raw  json.RawMessage
	// Timestamp is in Unix milliseconds, 0 when the message has none.
	Timestamp int64
}

// Role gives the role named in the stored message.
func (m *OpaqueMessage) Role() ai.Role { return m.Kind }

// Time gives the timestamp.
func (m *OpaqueMessage) Time() time.Time { return time.UnixMilli(m.Timestamp) }

// AppendJSON appends the message as it was read.
func (m *OpaqueMessage) AppendJSON(dst []byte) []byte { return append(dst, m.Raw...) }

// MarshalJSON implements [json.Marshaler].
func (m *OpaqueMessage) MarshalJSON() ([]byte, error) { return m.Raw, nil }

func decodeOpaque(role ai.Role, data json.RawMessage) (*OpaqueMessage, error) {
	if !json.Valid(data) {
		return nil, fmt.Errorf("decode %s message: not valid JSON", role)
	}
	m := &OpaqueMessage{Kind: role, Raw: slices.Clone(data)}
	err := jsonobj.Walk(data, func(key string, v json.RawMessage) error {
		if key == "timestamp" && len(v) > 0 && (v[0] == '-' || v[0] >= '0' && v[0] <= '9') {
			return integer(v, &m.Timestamp)
		}
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("decode %s message: %w", role, err)
	}
	return m, nil
}
