package strictschema

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestConvert(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ name, in, want, err string }{
		{name: "no properties", in: `{"type":"object"}`, want: `{"type":"object","properties":{},"required":[],"additionalProperties":false}`},
		{
			name: "all required", in: `{"type":"object","properties":{"b":{"type":"string"},"a":{"type":"integer","minimum":1}},"required":["a","b"],"description":"d"}`,
			want: `{"type":"object","properties":{"b":{"type":"string"},"a":{"type":"integer","minimum":1}},"description":"d","required":["b","a"],"additionalProperties":false}`,
		},
		{
			name: "optional", in: `{"type":"object","additionalProperties":false,"properties":{"a":{"type":"string","description":"x"}}}`,
			want: `{"type":"object","properties":{"a":{"anyOf":[{"type":"string","description":"x"},{"type":"null"}]}},"required":["a"],"additionalProperties":false}`,
		},
		{
			name: "optional that takes null", in: `{"type":"object","properties":{"a":{"type":["string","null"]},"b":{"anyOf":[{"type":"string"},{"type":"null"}]},"c":{"enum":["x"]}}}`,
			want: `{"type":"object","properties":{"a":{"type":["string","null"]},"b":{"anyOf":[{"type":"string"},{"type":"null"}]},"c":{"anyOf":[{"enum":["x"]},{"type":"null"}]}},"required":["a","b","c"],"additionalProperties":false}`,
		},
		{
			name: "nested", in: `{"type":"object","properties":{"edits":{"type":"array","items":{"type":"object","properties":{"n":{"type":"number"}},"required":["n"]}}},"required":["edits"]}`,
			want: `{"type":"object","properties":{"edits":{"type":"array","items":{"type":"object","properties":{"n":{"type":"number"}},"required":["n"],"additionalProperties":false}}},"required":["edits"],"additionalProperties":false}`,
		},
		{
			name: "property named like a keyword", in: `{"type":"object","properties":{"required":{"type":"string"},"if":{"type":"string"}},"required":["required","if"]}`,
			want: `{"type":"object","properties":{"required":{"type":"string"},"if":{"type":"string"}},"required":["required","if"],"additionalProperties":false}`,
		},
		{name: "not JSON", in: `{`, err: "not JSON"},
		{name: "root", in: `{"type":"array","items":{"type":"string"}}`, err: "root"},
		{name: "root boolean", in: `true`, err: "no object"},
		{name: "boolean", in: `{"type":"object","properties":{"a":true}}`, err: "a: a schema that is no object"},
		{name: "no type", in: `{"type":"object","properties":{"a":{"const":1}}}`, err: "a: a schema without type"},
		{name: "free keys", in: `{"type":"object","properties":{"a":{"type":"object","additionalProperties":{"type":"string"}}}}`, err: "a: additionalProperties"},
		{name: "tuple", in: `{"type":"object","properties":{"a":{"type":"array","items":[{"type":"string"}]}}}`, err: "a: a list of items"},
		{name: "anyOf object", in: `{"type":"object","properties":{"a":{"anyOf":[{"type":"object"}]}}}`, err: "a: anyOf"},
		{name: "required without property", in: `{"type":"object","required":["x"]}`, err: `"x" is required`},
		{name: "deep", in: `{"type":"object","properties":{"a":{"type":"array","items":{"type":"object","properties":{"b":{"$ref":"#"}}}}}}`, err: `a.items.b: the keyword "$ref"`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			got, err := Convert(json.RawMessage(tt.in))
			if tt.err != "" {
				if err == nil || !strings.Contains(err.Error(), tt.err) {
					t.Errorf("got %s, %v; want an error with %q", got, err, tt.err)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tt.want, string(got)); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
			again, err := Convert(got)
			if err != nil || string(again) != string(got) {
				t.Errorf("converted again: %s, %v", again, err)
			}
		})
	}
}

func TestRefusedKeywords(t *testing.T) {
	t.Parallel()
	for _, k := range strings.Fields(refused) {
		in := `{"type":"object","` + k + `":{}}`
		if got, err := Convert(json.RawMessage(in)); err == nil || !strings.Contains(err.Error(), k) {
			t.Errorf("%s: got %s, %v", k, got, err)
		}
	}
}

func FuzzConvert(f *testing.F) {
	f.Add(`{"type":"object","properties":{"a":{"anyOf":[{"type":"string"}]}}}`)
	f.Fuzz(func(t *testing.T, in string) {
		if out, err := Convert(json.RawMessage(in)); err == nil && !json.Valid(out) {
			t.Errorf("%s became %s", in, out)
		}
	})
}
