package schema

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func compile(t testing.TB, text string) *Schema {
	t.Helper()
	s, err := Compile(json.RawMessage(text))
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// wrap makes the schema of an object with one required property x.
func wrap(property string) string {
	return `{"type":"object","properties":{"x":` + property + `},"required":["x"]}`
}

func TestConversions(t *testing.T) {
	cases := []struct {
		name, schema, in, want string // want "" means refused
	}{
		{"number as it is", `{"type":"number"}`, `1.50`, `1.50`},
		{"number from text", `{"type":"number"}`, `"1.50"`, `1.50`},
		{"number from spaced text", `{"type":"number"}`, `" 12 "`, `12`},
		{"number from empty text", `{"type":"number"}`, `""`, `0`},
		{"number from JavaScript's forms", `{"type":"number"}`, `".5"`, `0.5`},
		{"number from text true", `{"type":"number"}`, `"true"`, `1`},
		{"number from text false", `{"type":"number"}`, `"false"`, `0`},
		{"number from true", `{"type":"number"}`, `true`, `1`},
		{"number from false", `{"type":"number"}`, `false`, `0`},
		{"number from null", `{"type":"number"}`, `null`, `0`},
		{"number from a large exact text", `{"type":"number"}`, `"12345678901234567890123"`, `12345678901234567890123`},
		{"no number", `{"type":"number"}`, `"twelve"`, ``},
		{"no number from infinity", `{"type":"number"}`, `"Infinity"`, ``},
		{"no number from a list", `{"type":"number"}`, `[1]`, ``},
		{"integer as it is", `{"type":"integer"}`, `3.0`, `3.0`},
		{"integer from a fraction", `{"type":"integer"}`, `3.7`, `3`},
		{"integer from a negative fraction", `{"type":"integer"}`, `-3.7`, `-3`},
		{"integer from text", `{"type":"integer"}`, `"42"`, `42`},
		{"integer from text with a fraction", `{"type":"integer"}`, `"42.9"`, `42`},
		{"integer from true", `{"type":"integer"}`, `true`, `1`},
		{"boolean from text", `{"type":"boolean"}`, `"TRUE"`, `true`},
		{"boolean from text false", `{"type":"boolean"}`, `"False"`, `false`},
		{"boolean from text 1", `{"type":"boolean"}`, `"1"`, `true`},
		{"boolean from 0", `{"type":"boolean"}`, `0`, `false`},
		{"boolean from null", `{"type":"boolean"}`, `null`, `false`},
		{"no boolean from 2", `{"type":"boolean"}`, `2`, ``},
		{"no boolean from a word", `{"type":"boolean"}`, `"yes"`, ``},
		{"text from number", `{"type":"string"}`, `1.10`, `"1.10"`},
		{"text from boolean", `{"type":"string"}`, `true`, `"true"`},
		{"text from null", `{"type":"string"}`, `null`, `"null"`},
		{"no text from an object", `{"type":"string"}`, `{}`, ``},
		{"list from one", `{"type":"array","items":{"type":"string"}}`, `"a"`, `["a"]`},
		{"list from one, converted", `{"type":"array","items":{"type":"integer"}}`, `"7"`, `[7]`},
		{"list from an object", `{"type":"array","items":{"type":"object"}}`, `{"a":1}`, `[{"a":1}]`},
		{"list items", `{"type":"array","items":{"type":"number"}}`, `["1",2,"x"]`, ``},
		{"list items converted", `{"type":"array","items":{"type":"number"}}`, `["1",2,true]`, `[1,2,1]`},
		{"tuple", `{"type":"array","prefixItems":[{"type":"string"},{"type":"integer"}]}`, `[1,"2"]`, `["1",2]`},
		{"no list from null", `{"type":"array"}`, `null`, ``},
		{"several types, first that can", `{"type":["integer","string"]}`, `true`, `1`},
		{"several types, one fits", `{"type":["string","null"]}`, `null`, `null`},
		{"union, fits as it is", `{"anyOf":[{"type":"integer"},{"type":"string"}]}`, `"5"`, `"5"`},
		{"union, first whose conversion fits", `{"anyOf":[{"type":"integer","minimum":10},{"type":"number"}]}`, `"5"`, `5`},
		{"one of", `{"oneOf":[{"type":"boolean"},{"type":"object"}]}`, `"true"`, `true`},
		{"all of", `{"allOf":[{"type":"integer"},{"minimum":2}]}`, `"3"`, `3`},
		{"reference", `{"$ref":"#/$defs/n"}`, `"3"`, `3`},
		{"map values", `{"type":"object","additionalProperties":{"type":"integer"}}`, `{"a":"1"}`, `{"a":1}`},
		{"constraint stays", `{"type":"integer","maximum":3}`, `"4"`, ``},
		{"enumeration stays", `{"enum":["a","b"]}`, `"c"`, ``},
		{"enumeration of numbers, converted", `{"type":"integer","enum":[1,2]}`, `"2"`, `2`},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			s := compile(t, strings.Replace(wrap(c.schema), "{", `{"$defs":{"n":{"type":"integer"}},`, 1))
			got, problems := s.Check(json.RawMessage(`{"x":` + c.in + `}`))
			if c.want == "" {
				if len(problems) == 0 {
					t.Fatalf("%s was accepted as %s", c.in, got)
				}
				if want := `{"x":` + c.in + `}`; string(got) != want {
					t.Errorf("refused arguments came back as %s, want %s", got, want)
				}
				return
			}
			if want := `{"x":` + c.want + `}`; len(problems) > 0 || string(got) != want {
				t.Errorf("got %s %v, want %s", got, problems, want)
			}
		})
	}
}

func TestNullOfOptionalProperty(t *testing.T) {
	s := compile(t, `{"type":"object","properties":{"s":{"type":"string"},"n":{"type":"integer"},"z":{"type":["string","null"]},"r":{"type":"string"}},"required":["r"]}`)
	got, problems := s.Check(json.RawMessage(`{"s":null,"n":null,"z":null,"r":null,"other":null}`))
	if want := `{"other":null,"r":"null","z":null}`; len(problems) > 0 || string(got) != want {
		t.Errorf("got %s %v, want %s", got, problems, want)
	}
}

func TestFittingArgumentsStayByteForByte(t *testing.T) {
	s := compile(t, wrap(`{"type":"number"}`))
	in := `{ "z" : "\u00e9", "x": 1.000, "big": 123456789012345678901234567890 }`
	got, problems := s.Check(json.RawMessage(in))
	if len(problems) > 0 || string(got) != in {
		t.Errorf("got %s %v, want the same bytes", got, problems)
	}
}

func TestProblems(t *testing.T) {
	edit := `{"type":"object","properties":{
		"path":{"type":"string"},
		"mode":{"enum":["fast","slow"]},
		"edits":{"type":"array","minItems":1,"items":{"type":"object","properties":{"oldText":{"type":"string"},"n":{"type":"integer","minimum":1}},"required":["oldText"]}},
		"target":{"anyOf":[{"type":"string"},{"type":"object","properties":{"id":{"type":"integer"}},"required":["id"]}]}
	},"required":["path","edits"]}`
	cases := []struct{ name, schema, in, want string }{
		{"missing", edit, `{"edits":[{}]}`, "edits.0.oldText: is required, but it is missing\npath: is required, but it is missing"},
		{
			"wrong type", edit, `{"path":{"a":1},"edits":[{"oldText":"x","n":"many"}]}`,
			"edits.0.n: expected integer, got string \"many\"\npath: expected string, got object {\"a\":1}",
		},
		{
			"enumeration", edit, `{"path":"p","edits":[{"oldText":""}],"mode":"medium"}`,
			`mode: expected one of string "fast", string "slow"; got string "medium"`,
		},
		{"limit", edit, `{"path":"p","edits":[]}`, "edits: minimum 1 items required, but found 0 items"},
		{
			"alternatives", edit, `{"path":"p","edits":[{"oldText":""}],"target":{"id":"x"}}`,
			`target: fits none of the alternatives (expected string, or target.id: expected integer, got string "x"); got object {"id":"x"}`,
		},
		{"pattern", wrap(`{"type":"string","pattern":"^a"}`), `{"x":"b"}`, `x: does not match pattern '^a'; got string "b"`},
		{"root", edit, `[]`, "root: expected object, got array []"},
		{"no JSON", edit, `{"path":`, "root: not valid JSON: unexpected EOF"},
		{"several values", edit, `{} {}`, "root: not valid JSON: text after the JSON value"},
		{"monstrous number", wrap(`{"type":"integer"}`), `{"x":1e999999999}`, "x: number 1e999999999 is out of range"},
		{"monstrous text", wrap(`{"type":"integer"}`), `{"x":"1e999999999"}`, `x: expected integer, got string "1e999999999"`},
		{
			"long value", wrap(`{"type":"integer"}`), `{"x":"` + strings.Repeat("é", 60) + `"}`,
			`x: expected integer, got string "` + strings.Repeat("é", 39) + "…",
		},
		{"forbidden property", `{"type":"object","additionalProperties":false}`, `{"x":1}`, "root: additionalProperties 'x' not allowed"},
		{
			"key with dot and slash", `{"type":"object","properties":{"a/b.c~d":{"type":"integer"}}}`, `{"a/b.c~d":"q"}`,
			`a/b.c~d: expected integer, got string "q"`,
		},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			_, problems := compile(t, c.schema).Check(json.RawMessage(c.in))
			var lines []string
			for _, p := range problems {
				lines = append(lines, p.String())
			}
			if d := cmp.Diff(c.want, strings.Join(lines, "\n")); d != "" {
				t.Errorf("problems (-want +got):\n%s", d)
			}
		})
	}
}

func TestCompileErrors(t *testing.T) {
	cases := []struct{ name, schema, want string }{
		{"no JSON", `{`, "read JSON schema: unexpected EOF"},
		{"bad type", `{"type":"text"}`, "compile JSON schema: type:"},
		{"foreign document", `{"$ref":"https://example.com/x.json"}`, "references to other documents are not supported"},
		{"file", `{"$ref":"file:///etc/passwd"}`, "references to other documents are not supported"},
		{"dangling", `{"$ref":"#/$defs/none"}`, "compile JSON schema: "},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			_, err := Compile(json.RawMessage(c.schema))
			if err == nil || !strings.Contains(err.Error(), c.want) || strings.Contains(err.Error(), "mem:") {
				t.Errorf("Compile = %v, want an error with %q and no invented address", err, c.want)
			}
		})
	}
}

func TestForeignPatternsAreIgnored(t *testing.T) {
	s := compile(t, `{"type":"object","properties":{"x":{"type":"string","pattern":"^(?!a)"},"y":{"type":"string","pattern":"^b$"}},"patternProperties":{"(?<=q)":{"type":"integer"}}}`)
	if _, problems := s.Check(json.RawMessage(`{"x":"abc","y":"b"}`)); len(problems) > 0 {
		t.Errorf("refused: %v", problems)
	}
	if _, problems := s.Check(json.RawMessage(`{"y":"c"}`)); len(problems) != 1 {
		t.Errorf("a pattern that Go knows was not applied: %v", problems)
	}
}

func TestEndlessReferences(t *testing.T) {
	text := json.RawMessage(`{"type":"object","properties":{"x":{"$ref":"#/$defs/a"}},"$defs":{"a":{"anyOf":[{"type":"integer"},{"type":"array","items":{"$ref":"#/$defs/a"}}]}}}`)
	s, err := Compile(text)
	if err != nil {
		t.Fatal(err)
	}
	got, problems := s.Check(json.RawMessage(`{"x":[["1"],2]}`))
	if want := `{"x":[[1],2]}`; len(problems) > 0 || string(got) != want {
		t.Errorf("got %s %v, want %s", got, problems, want)
	}
	if s, err = Compile(json.RawMessage(`{"properties":{"x":{"$ref":"#/properties/x"}}}`)); err != nil {
		return // refused when compiled: as good
	}
	if _, problems := s.Check(json.RawMessage(`{"x":1}`)); len(problems) == 0 {
		t.Error("a schema that is nothing but itself accepted a value")
	}
}

func TestCacheCompilesOnce(t *testing.T) {
	var c Cache
	a, err := c.Get(json.RawMessage(wrap(`{"type":"string"}`)))
	if err != nil {
		t.Fatal(err)
	}
	b, _ := c.Get(json.RawMessage(wrap(`{"type":"string"}`)))
	if a != b {
		t.Error("the same text was compiled twice")
	}
	if _, err := c.Get(json.RawMessage(`{`)); err == nil {
		t.Error("a broken schema compiled")
	}
}

func FuzzCheck(f *testing.F) {
	f.Add(wrap(`{"type":"integer"}`), `{"x":"4"}`)
	f.Add(`{"anyOf":[{"type":"object"},{"type":"array","items":{"type":"number"}}]}`, `["1",null]`)
	f.Add(`{"type":"object","properties":{"a":{"$ref":"#"}}}`, `{"a":{"a":null}}`)
	f.Add(`{"type":"object","additionalProperties":{"type":"boolean"}}`, `{"p":"TRUE","q":1e9}`)
	f.Add(`{"oneOf":[{"const":1},{"enum":[null,"2"]}]}`, `3`)
	f.Fuzz(func(t *testing.T, schema, value string) {
		s, err := Compile(json.RawMessage(schema))
		if err != nil {
			return
		}
		got, problems := s.Check(json.RawMessage(value))
		if len(problems) > 0 {
			if string(got) != value {
				t.Errorf("refused value changed from %q to %q", value, got)
			}
			for _, p := range problems {
				if p.Path == "" || p.Text == "" {
					t.Errorf("empty problem %+v", p)
				}
			}
			return
		}
		again, problems := s.Check(got)
		if len(problems) > 0 || string(again) != string(got) {
			t.Errorf("the converted value %s does not fit as it is: %s %v", got, again, problems)
		}
	})
}

func BenchmarkCheck(b *testing.B) {
	s := compile(b, wrap(`{"type":"string"}`))
	b.ReportAllocs()
	for b.Loop() {
		s.Check(json.RawMessage(`{"x":"some text"}`))
	}
}

func BenchmarkCompile(b *testing.B) {
	b.ReportAllocs()
	for b.Loop() {
		compile(b, wrap(`{"type":"string"}`))
	}
}
