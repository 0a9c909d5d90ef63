package jsonobj

import (
	"encoding/json"
	"errors"
	"testing"
)

func TestRelax(t *testing.T) {
	in := "\uFEFF{ // first\n  \"a\": [1, 2, /* three */ ],\n  \"url\": \"http://x//y\", \"q\": \"/* no */ \\\",]\",\n}\n"
	out, err := Relax([]byte(in))
	if err != nil {
		t.Fatal(err)
	}
	if len(out) != len(in) {
		t.Errorf("offsets moved: %d bytes became %d", len(in), len(out))
	}
	var got struct {
		A      []int
		URL, Q string
	}
	if err := json.Unmarshal(out, &got); err != nil {
		t.Fatal(err)
	}
	if len(got.A) != 2 || got.URL != "http://x//y" || got.Q != `/* no */ ",]` {
		t.Errorf("%+v", got)
	}
}

func TestRelaxErrorsNameThePlace(t *testing.T) {
	cases := map[string][2]int{
		"{\"a\": 1\n \"b\": 2}": {2, 2},
		"{\"é\": oops}":         {1, 7},
		"{\"a\": \"x}":          {1, 7},
		"{ /* open ":            {1, 3},
		"{\"a\":,}":             {1, 6},
		"[,]":                   {1, 2},
	}
	for text, want := range cases {
		_, err := Relax([]byte(text))
		var syntax *SyntaxError
		if !errors.As(err, &syntax) {
			t.Errorf("%q: %v", text, err)
			continue
		}
		if syntax.Line != want[0] || syntax.Column != want[1] {
			t.Errorf("%q: %d:%d, want %d:%d (%v)", text, syntax.Line, syntax.Column, want[0], want[1], err)
		}
	}
}

func FuzzRelax(f *testing.F) {
	for _, s := range []string{`{"a":1}`, `{"a":1,}`, `// x`, `["/*",]`, `{"a":"\"//"}`, "", `[1,2,,]`} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		out, err := Relax(data)
		if json.Valid(data) && (err != nil || string(out) != string(data)) {
			t.Errorf("strict JSON %q became %q, %v", data, out, err)
		}
		if err == nil && len(out) != len(data) {
			t.Errorf("%q changed its length", data)
		}
	})
}
