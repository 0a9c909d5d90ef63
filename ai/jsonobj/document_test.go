package jsonobj

import (
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"pgregory.net/rapid"
)

func TestDocumentEdits(t *testing.T) {
	t.Parallel()
	set := func(value any, path ...string) func(*Document) error {
		return func(d *Document) error { return d.Set(value, path...) }
	}
	del := func(path ...string) func(*Document) error {
		return func(d *Document) error {
			found, err := d.Delete(path...)
			if !found {
				return fmt.Errorf("%q was not there", path)
			}
			return err
		}
	}
	raw := func(s string) json.RawMessage { return json.RawMessage(s) }
	for _, c := range []struct {
		name, in string
		edit     func(*Document) error
		want     string
	}{
		{"blank file", "", set("dark", "theme"), "{\n  \"theme\": \"dark\"\n}"},
		{"empty object", "{}\n", set("dark", "theme"), "{\n  \"theme\": \"dark\"\n}\n"},
		{"missing objects are made", "{}", set(true, "retry", "provider", "on"), "{\n  \"retry\": {\n    \"provider\": {\n      \"on\": true\n    }\n  }\n}"},
		{"in the place of null", "{\n  \"retry\": null\n}", set(true, "retry", "on"), "{\n  \"retry\": {\n    \"on\": true\n  }\n}"},
		{"scalar for scalar", "{\n  \"a\" : 1.50 ,\n  \"b\":2\n}", set("x", "a"), "{\n  \"a\" : \"x\" ,\n  \"b\":2\n}"},
		{"same value, other writing", "{\n  \"a\": { \"x\" : 1 }\n}", set(raw(`{"x":1}`), "a"), "{\n  \"a\": { \"x\" : 1 }\n}"},
		{"object for scalar", "{\n  \"a\": {\n    \"b\": 1\n  }\n}", set(raw(`{"x":[1,{}],"y":[]}`), "a", "b"), "{\n  \"a\": {\n    \"b\": {\n      \"x\": [\n        1,\n        {}\n      ],\n      \"y\": []\n    }\n  }\n}"},
		{"HTML stays", "{}", set("<a&b>", "x"), "{\n  \"x\": \"<a&b>\"\n}"},
		{"new key at the end", "{\n  \"a\": 1\n}\n", set(2, "b"), "{\n  \"a\": 1,\n  \"b\": 2\n}\n"},
		{"new key in an inner object", "{\n  \"a\": {\n    \"x\": 1\n  },\n  \"z\": 0\n}", set(2, "a", "y"), "{\n  \"a\": {\n    \"x\": 1,\n    \"y\": 2\n  },\n  \"z\": 0\n}"},
		{"new key in an empty inner object", "{\n  \"a\": {},\n  \"z\": 0\n}", set(2, "a", "y"), "{\n  \"a\": {\n    \"y\": 2\n  },\n  \"z\": 0\n}"},
		{"tabs", "{\n\t\"a\": 1\n}", set(raw(`[1]`), "b"), "{\n\t\"a\": 1,\n\t\"b\": [\n\t\t1\n\t]\n}"},
		{"four spaces", "{\n    \"a\": {}\n}", set(1, "a", "b"), "{\n    \"a\": {\n        \"b\": 1\n    }\n}"},
		{"CRLF", "{\r\n  \"a\": 1\r\n}\r\n", set(raw(`[1]`), "b"), "{\r\n  \"a\": 1,\r\n  \"b\": [\r\n    1\r\n  ]\r\n}\r\n"},
		{"byte order mark", "\uFEFF{\n  \"a\": 1\n}", set(2, "a"), "\uFEFF{\n  \"a\": 2\n}"},
		{"odd indentation is followed", "{\n  \"a\": {\n      \"x\": 1\n  }\n}", set(raw(`[2]`), "a", "y"), "{\n  \"a\": {\n      \"x\": 1,\n      \"y\": [\n        2\n      ]\n  }\n}"},
		{"one line", `{"a":1,"b":2}`, set(raw(`{"x": 1}`), "c"), `{"a":1,"b":2,"c":{"x":1}}`},
		{"one line with spaces", `{ "a": 1, "b": 2 }`, set(3, "c"), `{ "a": 1, "b": 2, "c": 3 }`},
		{"empty object on one line", `{"a": {}}`, set(1, "a", "b"), `{"a": {"b": 1}}`},
		{"bracket on the member's line", "{\n  \"a\": 1}", set(2, "b"), "{\n  \"a\": 1,\n  \"b\": 2\n}"},
		{"the last of two keys", "{\n  \"a\": 1,\n  \"a\": 2\n}", set(3, "a"), "{\n  \"a\": 1,\n  \"a\": 3\n}"},

		{"comments stay", "{\n  // one\n  \"a\": 1, // two\n  /* three */ \"b\": 2 // four\n  // five\n}", set(3, "b"), "{\n  // one\n  \"a\": 1, // two\n  /* three */ \"b\": 3 // four\n  // five\n}"},
		{"new key behind the last one's comment", "{\n  \"a\": 1 // one\n  // two\n}", set(2, "b"), "{\n  \"a\": 1, // one\n  \"b\": 2\n  // two\n}"},
		{"new key behind a long comment", "{\n  \"a\": 1 /* one\n  more */\n}", set(2, "b"), "{\n  \"a\": 1, /* one\n  more */\n  \"b\": 2\n}"},
		{"new key in a file that likes trailing commas", "{\n  \"a\": 1, // one\n}", set(2, "b"), "{\n  \"a\": 1, // one\n  \"b\": 2,\n}"},
		{"the same on one line", `{"a": 1,}`, set(2, "b"), `{"a": 1, "b": 2,}`},
		{"new key before a bracket with a comment", "{\n  \"a\": 1 /* one */ }", set(2, "b"), "{\n  \"a\": 1, /* one */\n  \"b\": 2\n }"},
		{"new key where only a comment is", "{ // nothing yet\n}", set(2, "b"), "{ // nothing yet\n  \"b\": 2\n}"},

		{"delete the first", "{\n  \"a\": 1,\n  \"b\": 2\n}", del("a"), "{\n  \"b\": 2\n}"},
		{"delete the last", "{\n  \"a\": 1,\n  \"b\": 2\n}\n", del("b"), "{\n  \"a\": 1\n}\n"},
		{"delete the only one", "{\n  \"a\": {\n    \"x\": 1\n  }\n}", del("a", "x"), "{\n  \"a\": {}\n}"},
		{"delete on one line: first", `{"a": 1, "b": 2, "c": 3}`, del("a"), `{"b": 2, "c": 3}`},
		{"delete on one line: middle", `{"a": 1, "b": 2, "c": 3}`, del("b"), `{"a": 1, "c": 3}`},
		{"delete on one line: last", `{"a": 1, "b": 2, "c": 3}`, del("c"), `{"a": 1, "b": 2}`},
		{"delete on one line: only", `{ "a": 1 }`, del("a"), `{}`},
		{"delete both of a double key", "{\n  \"a\": 1,\n  \"b\": 2,\n  \"a\": 3\n}", del("a"), "{\n  \"b\": 2\n}"},
		{"delete with CRLF", "{\r\n  \"a\": 1,\r\n  \"b\": 2\r\n}", del("a"), "{\r\n  \"b\": 2\r\n}"},
		{"its comment goes, others stay", "{\n  // one\n  \"a\": 1, // two\n  // three\n  \"b\": 2 // four\n}", del("a"), "{\n  // one\n  // three\n  \"b\": 2 // four\n}"},
		{"the comma before goes, the comment stays", "{\n  \"a\": 1, // one\n  \"b\": 2 // two\n}", del("b"), "{\n  \"a\": 1 // one\n}"},
		{"a comment must not swallow what follows", "{\n  // one\n  \"a\": 1, \"b\": 2\n}", del("a"), "{\n  // one\n  \"b\": 2\n}"},
		{"nor the bracket", "{\n  \"b\": 2, // one\n  \"a\": 1}", del("a"), "{\n  \"b\": 2 // one\n}"},
		{"no space is left at the line's end", "{\n  \"a\": 1, \"b\": 2,\n  \"c\": 3\n}", del("b"), "{\n  \"a\": 1,\n  \"c\": 3\n}"},
		{"trailing comma stays", "{\n  \"a\": 1,\n  \"b\": 2,\n}", del("b"), "{\n  \"a\": 1,\n}"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			d, err := Open("s.json", []byte(c.in), Relaxed)
			if err != nil {
				t.Fatal(err)
			}
			if err := c.edit(d); err != nil {
				t.Fatal(err)
			}
			if got := string(d.Bytes()); got != c.want {
				t.Errorf("%q\n got %q\nwant %q", c.in, got, c.want)
			}
		})
	}
}

func TestDocumentReading(t *testing.T) {
	t.Parallel()
	d, err := Open("s.json", []byte("{\n  \"a\": {\"x\": [1, /* c */ 2,]},\n  \"b\": 1, \"b\": 2\n}"), Relaxed)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		path []string
		want string
		ok   bool
	}{
		{[]string{"b"}, "2", true},
		{[]string{"a", "x"}, "[1,         2 ]", true},
		{[]string{"c"}, "", false},
		{[]string{"b", "x"}, "", false},
		{[]string{"a", "x", "0"}, "", false},
	} {
		if got, ok := d.Get(c.path...); string(got) != c.want || ok != c.ok {
			t.Errorf("%q is %q, %v", c.path, got, ok)
		}
	}
	if got := d.Keys(); !slices.Equal(got, []string{"a", "b"}) {
		t.Errorf("keys %q", got)
	}
	if got := d.Keys("a"); !slices.Equal(got, []string{"x"}) {
		t.Errorf("keys of a %q", got)
	}
	if got := append(d.Keys("b"), d.Keys("zz")...); got != nil {
		t.Errorf("keys of no object %q", got)
	}
	var v struct{ A struct{ X []string } }
	if err := d.Decode(&v); err == nil || err.Error() != "s.json:2:15: a.x[0]: expected a string, found the number 1" {
		t.Errorf("Decode: %v", err)
	}
	if found, err := d.Delete("c"); found || err != nil {
		t.Errorf("Delete of nothing: %v, %v", found, err)
	}
	if found, err := d.Delete(); found || err != nil {
		t.Errorf("Delete without a path: %v, %v", found, err)
	}
}

func TestDocumentErrors(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]string{
		"{\"theme\":\"dark\",\"m\":\"m1\",}": "s.json:1:26: expected a key in double quotes after the comma, found }; remove the comma",
		"[]":                                 "s.json:1:1: expected an object, found an array",
	} {
		_, err := Open("s.json", []byte(in), Strict)
		var syntax *SyntaxError
		if !errors.As(err, &syntax) || err.Error() != want {
			t.Errorf("%s: %v, want %s", in, err, want)
		}
	}
	d, err := Open("s.json", []byte(`{"a": {"b": 5}}`), Strict)
	if err != nil {
		t.Fatal(err)
	}
	for want, err := range map[string]error{
		"s.json:1:13: a.b: expected an object, found the number 5": d.Set(1, "a", "b", "c"),
		"set a value in s.json: no key given":                      d.Set(1),
		"set a.x in s.json: json: unsupported type: func()":        d.Set(func() {}, "a", "x"),
	} {
		if err == nil || err.Error() != want {
			t.Errorf("got %v, want %s", err, want)
		}
	}
	if got := string(d.Bytes()); got != `{"a": {"b": 5}}` {
		t.Errorf("a failed edit changed the text to %s", got)
	}
}

// ordered is a JSON object with its order, as JavaScript keeps it.
type ordered []pair

type pair struct {
	key   string
	value any // ordered, []any, string, int, bool or nil
}

// stringify is JSON.stringify(v, null, 2).
func stringify(v any, indent string) string {
	inner := indent + "  "
	var parts []string
	brackets := "[]"
	switch v := v.(type) {
	case ordered:
		brackets = "{}"
		for _, p := range v {
			parts = append(parts, string(AppendString(nil, p.key))+": "+stringify(p.value, inner))
		}
	case []any:
		for _, e := range v {
			parts = append(parts, stringify(e, inner))
		}
	default:
		out, err := Marshal(v)
		if err != nil {
			panic(err)
		}
		return string(out)
	}
	if len(parts) == 0 {
		return brackets
	}
	return brackets[:1] + "\n" + inner + strings.Join(parts, ",\n"+inner) + "\n" + indent + brackets[1:]
}

func (o ordered) set(value any, path []string) (ordered, bool) {
	for i, p := range o {
		if p.key != path[0] {
			continue
		}
		o = slices.Clone(o)
		if len(path) == 1 {
			o[i].value = value
			return o, true
		}
		inner, ok := p.value.(ordered)
		if !ok && p.value != nil {
			return o, false
		}
		o[i].value, ok = inner.set(value, path[1:])
		return o, ok
	}
	if len(path) > 1 {
		value, _ = ordered(nil).set(value, path[1:])
	}
	return append(slices.Clip(o), pair{path[0], value}), true
}

func (o ordered) remove(path []string) ordered {
	var out ordered
	for _, p := range o {
		if p.key == path[0] {
			if len(path) == 1 {
				continue
			}
			if inner, ok := p.value.(ordered); ok {
				p.value = inner.remove(path[1:])
			}
		}
		out = append(out, p)
	}
	return out
}

// A file that JSON.stringify wrote stays one, whatever is edited: the reference
// and this program leave the same bytes.
func TestDocumentEqualsStringify(t *testing.T) {
	keys := rapid.SampledFrom([]string{"a", "b", "c", "x y", "é\"\n", ""})
	var value func(depth int) *rapid.Generator[any]
	object := func(depth int) *rapid.Generator[ordered] {
		return rapid.Custom(func(t *rapid.T) ordered {
			var o ordered
			for _, key := range rapid.SliceOfNDistinct(keys, 0, 4, rapid.ID).Draw(t, "keys") {
				o = append(o, pair{key, value(depth-1).Draw(t, "value")})
			}
			return o
		})
	}
	value = func(depth int) *rapid.Generator[any] {
		return rapid.Custom(func(t *rapid.T) any {
			n := 7
			if depth <= 0 {
				n = 5
			}
			switch rapid.IntRange(0, n-1).Draw(t, "kind") {
			case 0:
				return rapid.Int().Draw(t, "n")
			case 1:
				return rapid.String().Filter(func(s string) bool { return !strings.ContainsAny(s, "\u2028\u2029") }).Draw(t, "s")
			case 2:
				return rapid.Bool().Draw(t, "b")
			case 3:
				return nil
			case 4:
				return []any{}
			case 5:
				return rapid.SliceOfN(value(depth-1), 0, 3).Draw(t, "array")
			}
			return object(depth).Draw(t, "object")
		})
	}
	rapid.Check(t, func(t *rapid.T) {
		model := object(3).Draw(t, "document")
		d, err := Open("", []byte(stringify(model, "")), Strict)
		if err != nil {
			t.Fatal(err)
		}
		for range rapid.IntRange(1, 8).Draw(t, "edits") {
			path := rapid.SliceOfN(keys, 1, 3).Draw(t, "path")
			if rapid.Bool().Draw(t, "delete") {
				model = model.remove(path)
				if _, err := d.Delete(path...); err != nil {
					t.Fatal(err)
				}
			} else {
				v := value(2).Draw(t, "new")
				next, ok := model.set(v, path)
				err := d.Set(json.RawMessage(stringify(v, "")), path...)
				if ok != (err == nil) {
					t.Fatalf("Set of %q: %v, in the model %v", path, err, ok)
				}
				if ok {
					model = next
				}
			}
			if got, want := string(d.Bytes()), stringify(model, ""); got != want {
				t.Fatalf("after an edit of %q\n got %s\nwant %s", path, got, want)
			}
		}
	})
}

// However odd the text: an edit does what it says, and nothing else.
func FuzzDocument(f *testing.F) {
	for _, s := range []string{"{}", "{\n // c\n \"a\": 1, \"b\": 2 // d\n}", `{"a":{"b":1,},}`, "{\"a\":1,\n\"b\":{}}", "\uFEFF{ /* x */ \"a\": null }", "{\r\n\t\"a\": [1],\r\n}", "{\"a\":1/**/,//\n\"a\":2}"} {
		f.Add([]byte(s), "a", "b", false)
		f.Add([]byte(s), "b", "", true)
	}
	f.Fuzz(func(t *testing.T, in []byte, key, inner string, remove bool) {
		if !utf8.ValidString(key) || !utf8.ValidString(inner) || !utf8.Valid(in) {
			return // the model, encoding/json, would mend them
		}
		d, err := Open("", in, Relaxed)
		if err != nil {
			return
		}
		path := []string{key}
		if inner != "" {
			path = append(path, inner)
		}
		before := map[string]any{}
		if err := d.Decode(&before); err != nil {
			return
		}
		if remove {
			if _, err := d.Delete(path...); err != nil {
				t.Fatalf("delete %q from %q: %v", path, in, err)
			}
			if v, ok := d.Get(path...); ok {
				t.Errorf("%q deleted from %q is still %s in %q", path, in, v, d.Bytes())
			}
			drop(before, path)
		} else {
			comments := len(d.t.extra)
			if err := d.Set([]any{"new", 1.0}, path...); err != nil {
				if _, wrong := before[key].(map[string]any); wrong || inner == "" {
					t.Fatalf("set %q in %q: %v", path, in, err)
				}
				return
			}
			if old, _ := before[key].(map[string]any); inner != "" && before[key] != nil {
				old[inner] = []any{"new", 1.0}
			} else if inner != "" {
				before[key] = map[string]any{inner: []any{"new", 1.0}}
			} else {
				if _, nested := before[key].(map[string]any); nested {
					comments = 0 // those inside go
				}
				if _, nested := before[key].([]any); nested {
					comments = 0
				}
				before[key] = []any{"new", 1.0}
			}
			if len(d.t.extra) < comments {
				t.Errorf("a comment was lost: %q became %q", in, d.Bytes())
			}
		}
		after := map[string]any{}
		if err := d.Decode(&after); err != nil {
			t.Fatalf("%q became %q: %v", in, d.Bytes(), err)
		}
		if !reflect.DeepEqual(before, after) {
			t.Errorf("%q became %q\n got %v\nwant %v", in, d.Bytes(), after, before)
		}
	})
}

func drop(m map[string]any, path []string) {
	if len(path) == 1 {
		delete(m, path[0])
	} else if inner, ok := m[path[0]].(map[string]any); ok {
		delete(inner, path[1])
	}
}
