package jsonobj

import (
	"encoding/json"
	"errors"
	"reflect"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

func TestObjectIsWrittenAsItWasRead(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]string{
		`{}`: `{}`,
		`{"b":1.50,"a":"\u00e9\/","\u0061":[ 1, 2 ],"a":null}`: `{"b":1.50,"a":"\u00e9\/","\u0061":[ 1, 2 ],"a":null}`,
		" { \"a\" : { } ,\n \"b\":1e5 } \n":                    `{"a":{ },"b":1e5}`,
	} {
		o, err := Parse([]byte(in))
		if err != nil {
			t.Fatal(err)
		}
		if got := string(o.AppendJSON([]byte("x"))); got != "x"+want {
			t.Errorf("%s\n got %s\nwant %s", in, got[1:], want)
		}
	}
}

func TestObjectChanges(t *testing.T) {
	t.Parallel()
	o, err := Parse([]byte(`{"a":1,"b":2,"a":3,"c":4}`))
	if err != nil {
		t.Fatal(err)
	}
	if got := string(o.Get("a")); got != "3" {
		t.Errorf("of two values the last one counts, got %s", got)
	}
	if o.Get("x") != nil || o.Len() != 4 {
		t.Errorf("Get of a missing key or Len is wrong")
	}
	kept := o.Clone()
	for key, value := range map[string]any{"a": "<é>", "b": json.RawMessage(` { "x" : 1 } `)} {
		if err := o.Set(key, value); err != nil {
			t.Fatal(err)
		}
	}
	if err := o.Set("d", []int{1}); err != nil {
		t.Fatal(err)
	}
	if want, got := `{"b":{"x":1},"a":"<é>","c":4,"d":[1]}`, string(o.AppendJSON(nil)); got != want {
		t.Errorf("after Set\n got %s\nwant %s", got, want)
	}
	if !o.Delete("b") || o.Delete("b") {
		t.Error("Delete tells wrongly whether a key was there")
	}
	if want, got := `{"a":"<é>","c":4,"d":[1]}`, string(o.AppendJSON(nil)); got != want {
		t.Errorf("after Delete\n got %s\nwant %s", got, want)
	}
	if want, got := `{"a":1,"b":2,"a":3,"c":4}`, string(kept.AppendJSON(nil)); got != want {
		t.Errorf("the clone changed to %s", got)
	}
	var keys []string
	for k := range o.All() {
		keys = append(keys, k)
		if k == "c" {
			break
		}
	}
	if !reflect.DeepEqual(keys, []string{"a", "c"}) {
		t.Errorf("All gives %q", keys)
	}

	before := string(o.AppendJSON(nil))
	for _, bad := range []any{json.RawMessage(`{`), func() {}} {
		if err := o.Set("a", bad); err == nil || !strings.Contains(err.Error(), `"a"`) {
			t.Errorf("Set of %v: %v", bad, err)
		}
	}
	if got := string(o.AppendJSON(nil)); got != before {
		t.Errorf("a failed Set changed the object to %s", got)
	}
}

func TestObjectWithEncodingJSON(t *testing.T) {
	t.Parallel()
	var v struct {
		Known int
		Rest  Object
		Ptr   *Object
	}
	in := []byte(`{"Known":1,"Rest":{"b":[1, 2],"a":1.0},"Ptr":null}`)
	if err := json.Unmarshal(in, &v); err != nil {
		t.Fatal(err)
	}
	copy(in, strings.Repeat("x", len(in)))
	if got := string(v.Rest.AppendJSON(nil)); got != `{"b":[1, 2],"a":1.0}` || v.Ptr != nil {
		t.Errorf("read %s, %v", got, v.Ptr)
	}
	out, err := json.Marshal(&v)
	if err != nil || string(out) != `{"Known":1,"Rest":{"b":[1,2],"a":1.0},"Ptr":null}` {
		t.Errorf("wrote %s, %v", out, err)
	}
	if err := v.Rest.UnmarshalJSON([]byte("null")); err != nil || v.Rest.Len() != 0 {
		t.Errorf("null: %v, %d members", err, v.Rest.Len())
	}
}

func TestParseErrors(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]string{
		"":                  "1:1: expected a value, found the end of the file",
		"[1]":               "1:1: expected an object, found an array",
		"\n 12":             "2:2: expected an object, found the number 12",
		"{\"a\":1,}":        "1:8: expected a key in double quotes after the comma, found }; remove the comma",
		"\uFEFF{}":          "1:1: expected an object, found a byte order mark",
		"{\"a\":\n [1 2]}":  "2:5: expected a comma or ] after the value, found \"2\"",
		"{\"a\":1} {}":      "1:9: expected the end of the file, found {",
		"{\"a\":1// x\n}":   "1:7: expected a comma or } after the value, found a comment, which is not allowed in this file",
		"{\"a\":\"x\ty\"}":  "1:8: found the control character U+0009 in a string; write \\u0009",
		"{\"a\":\"\\x41\"}": "1:7: found the invalid escape \\x in a string; a backslash is written \\\\",
	} {
		_, err := Parse([]byte(in))
		var syntax *SyntaxError
		if !errors.As(err, &syntax) || err.Error() != want {
			t.Errorf("%q\n got %v\nwant %s", in, err, want)
		}
	}
}

// An Object behaves as a list of members does.
func TestObjectModel(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		type member struct {
			key   string
			value int
		}
		var model []member
		text := func() string {
			var parts []string
			for _, m := range model {
				parts = append(parts, string(AppendString(nil, m.key))+":"+string(AppendInt(nil, m.value)))
			}
			return "{" + strings.Join(parts, ",") + "}"
		}
		keys := rapid.SampledFrom([]string{"a", "b", "c", "", "é\"\n"})
		for range rapid.IntRange(0, 6).Draw(t, "members") {
			model = append(model, member{keys.Draw(t, "key"), rapid.Int().Draw(t, "value")})
		}
		o, err := Parse([]byte(text()))
		if err != nil {
			t.Fatal(err)
		}
		for range rapid.IntRange(0, 10).Draw(t, "changes") {
			key := keys.Draw(t, "key")
			last := -1
			for i, m := range model {
				if m.key == key {
					last = i
				}
			}
			var kept []member
			set := rapid.Bool().Draw(t, "set")
			value := rapid.Int().Draw(t, "value")
			for i, m := range model {
				if m.key != key {
					kept = append(kept, m)
				} else if set && i == last {
					kept = append(kept, member{key, value})
				}
			}
			if set {
				if last < 0 {
					kept = append(kept, member{key, value})
				}
				if err := o.Set(key, value); err != nil {
					t.Fatal(err)
				}
			} else if got := o.Delete(key); got != (last >= 0) {
				t.Fatalf("Delete(%q) is %v", key, got)
			}
			model = kept
			if got := string(o.AppendJSON(nil)); got != text() {
				t.Fatalf("got %s, want %s", got, text())
			}
		}
	})
}

func FuzzParse(f *testing.F) {
	for _, s := range []string{`{}`, `{"a":1,"b":[{"c":"}"}]}`, ` {"a\n":"\ud83e"} `, `[]`, `{"a":1,}`, "\uFEFF{}", `{"a"`} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, in []byte) {
		o, err := Parse(in)
		var want map[string]json.RawMessage
		if jsonErr := json.Unmarshal(in, &want); (jsonErr == nil && want != nil) != (err == nil) {
			t.Fatalf("%q: %v, encoding/json: %v", in, err, jsonErr)
		}
		if err != nil {
			return
		}
		out := o.AppendJSON(nil)
		again, err := Parse(out)
		if err != nil || string(again.AppendJSON(nil)) != string(out) {
			t.Errorf("%q is written as %q and then as %q, %v", in, out, again.AppendJSON(nil), err)
		}
		for key, value := range want {
			// encoding/json mends keys that are not UTF-8.
			if !strings.Contains(key, "\uFFFD") && string(o.Get(key)) != string(value) {
				t.Errorf("%q: %q is %s, encoding/json reads %s", in, key, o.Get(key), value)
			}
		}
	})
}

func FuzzWalk(f *testing.F) {
	for _, s := range []string{`{}`, `{"a":1,"b":[{"c":"}"}]}`, `{"a":1,}`, `{"a":1}x`, `{"a"`, `{"a":[}`, "{\"a\":\"\\"} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, in []byte) {
		got := map[string]json.RawMessage{}
		err := Walk(in, func(key string, value json.RawMessage) error {
			got[key] = value
			return nil
		})
		var want map[string]json.RawMessage
		if json.Unmarshal(in, &want) != nil || want == nil {
			return // Walk may take what is broken inside of values
		}
		if err != nil {
			t.Fatalf("%q: %v", in, err)
		}
		for key, value := range want {
			if !strings.Contains(key, "\uFFFD") && string(got[key]) != string(value) {
				t.Errorf("%q: %q is %s, encoding/json reads %s", in, key, got[key], value)
			}
		}
	})
}
