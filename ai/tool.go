package ai

import (
	"bytes"
	"encoding/json"
	"fmt"

	"github.com/pi-go/pi/ai/jsonobj"
)

// Tool declares a tool to a model.
type Tool struct {
	Name        string
	Description string
	// Parameters is a JSON Schema whose root is an object. Empty means a tool
	// without parameters.
	Parameters json.RawMessage
	// Sampling asks the vendor to sample arguments that fit a grammar or the
	// schema; nil leaves the choice to the vendor.
	Sampling *ConstrainedSampling
	// Extra holds fields this package does not know. They are written back.
	Extra map[string]json.RawMessage
}

// SamplingType says how a vendor is asked to constrain a tool's arguments.
type SamplingType string

// The ways to constrain sampling.
const (
	SamplingOff        SamplingType = ""            // stored as false
	SamplingJSONSchema SamplingType = "json_schema" // arguments fit Parameters
	SamplingGrammar    SamplingType = "grammar"     // the one string argument fits a grammar
)

// ConstrainedSampling describes how arguments of a tool are constrained.
type ConstrainedSampling struct {
	Type SamplingType `json:"type"`
	// Strict is "prefer" (fall back to ordinary sampling where a vendor can
	// not) or "require" (fail then); only for SamplingJSONSchema.
	Strict string `json:"strict,omitempty"`
	// Variants holds a grammar per syntax ("openai_lark", "openai_regex");
	// only for SamplingGrammar.
	Variants map[string]string `json:"variants,omitempty"`
}

// StrictPreferred is what most tools want: strict arguments where the vendor
// supports them, ordinary ones elsewhere.
func StrictPreferred() *ConstrainedSampling {
	return &ConstrainedSampling{Type: SamplingJSONSchema, Strict: "prefer"}
}

// MarshalJSON implements [json.Marshaler]; SamplingOff is stored as false.
func (s ConstrainedSampling) MarshalJSON() ([]byte, error) {
	if s.Type == SamplingOff {
		return []byte("false"), nil
	}
	type plain ConstrainedSampling
	return json.Marshal(plain(s))
}

// UnmarshalJSON implements [json.Unmarshaler].
func (s *ConstrainedSampling) UnmarshalJSON(data []byte) error {
	if string(data) == "false" {
		*s = ConstrainedSampling{}
		return nil
	}
	type plain ConstrainedSampling
	return json.Unmarshal(data, (*plain)(s))
}

// AppendJSON appends the declaration in the stored format.
func (t *Tool) AppendJSON(dst []byte) []byte {
	dst = append(dst, `{"name":`...)
	dst = jsonobj.AppendString(dst, t.Name)
	dst = append(dst, `,"description":`...)
	dst = jsonobj.AppendString(dst, t.Description)
	dst = append(dst, `,"parameters":`...)
	dst = append(dst, t.Schema()...)
	if t.Sampling != nil {
		dst = append(dst, `,"constrainedSampling":`...)
		b, err := json.Marshal(t.Sampling)
		if err != nil { // a map of strings always encodes
			b = []byte("false")
		}
		dst = append(dst, b...)
	}
	return appendExtra(dst, t.Extra)
}

// Schema gives Parameters, or the schema of an object without properties.
func (t *Tool) Schema() json.RawMessage {
	if len(t.Parameters) == 0 {
		return json.RawMessage(`{"type":"object","properties":{}}`)
	}
	return t.Parameters
}

// MarshalJSON implements [json.Marshaler].
func (t Tool) MarshalJSON() ([]byte, error) { return t.AppendJSON(nil), nil }

// UnmarshalJSON implements [json.Unmarshaler].
func (t *Tool) UnmarshalJSON(data []byte) error {
	*t = Tool{}
	err := decodeFields(data, &t.Extra, fields{
		"name": str(&t.Name), "description": str(&t.Description), "parameters": raw(&t.Parameters),
		"constrainedSampling": func(v json.RawMessage) error {
			t.Sampling = new(ConstrainedSampling)
			return json.Unmarshal(v, t.Sampling)
		},
	})
	if err != nil {
		return fmt.Errorf("decode tool declaration: %w", err)
	}
	return nil
}

// Equal reports whether both declare the same tool in the same words; the
// vendor's prompt cache holds only as long as this is true.
func (t *Tool) Equal(o *Tool) bool {
	return bytes.Equal(t.AppendJSON(nil), o.AppendJSON(nil))
}
