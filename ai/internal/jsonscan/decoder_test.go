package jsonscan

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"
)

type nested struct {
	A string `json:"a"`
	B []struct {
		C *int           `json:"c"`
		D map[string]any `json:"d"`
	} `json:"b"`
	E json.RawMessage `json:"e"`
}

// outcome is what a decoding gave, errors with all that they tell.
func outcome(v nested, err error) string {
	text, _ := json.Marshal(v)
	if err == nil {
		return string(text)
	}
	var odd *json.UnmarshalTypeError
	if errors.As(err, &odd) {
		plain := *odd
		return string(text) + " " + err.Error() + fmt.Sprintf(" at %s %d", plain.Field, plain.Offset)
	}
	return "error: " + err.Error() // the value does not count
}

func FuzzDecoder(f *testing.F) {
	f.Add(`{"a":"x"}`, `{"a":1,"b":[{"c":"y"}]}`, `{"b":[{"c":1}]}`)
	f.Add(`{"a":"x"} `, ` {"a":"x"}`, `{"a":"x"}`)
	f.Add(`{"a":"x"}}`, `{"a"`, `{"a":"x"}{"a":"y"}`)
	f.Add(``, ` `, `nul`)
	f.Add(`[1]`, `1`, `"x"`)
	f.Add(`{"a":"x"}]`, "{\"a\":\"x\"}\n", "{\"e\":\"\xff\"}")
	f.Fuzz(func(t *testing.T, a, b, c string) {
		var d Decoder
		for _, data := range []string{a, b, a, c, b} {
			var got, want nested
			gotErr := d.Decode([]byte(data), &got)
			wantErr := json.Unmarshal([]byte(data), &want)
			if g, w := outcome(got, gotErr), outcome(want, wantErr); g != w && strings.TrimLeft(data, " \t\r\n") == data {
				t.Fatalf("%q of %q\ngot  %s\nwant %s", data, []string{a, b, c}, g, w)
			}
		}
	})
}

func TestDecoderAllocates(t *testing.T) {
	var d Decoder
	data := []byte(`{"x":` + strings.Repeat(`[{"y":`, 20) + `1` + strings.Repeat(`}]`, 20) + `,"a":"text"}`)
	var v nested
	few := func(decode func() error) float64 {
		return testing.AllocsPerRun(100, func() {
			if err := decode(); err != nil {
				t.Fatal(err)
			}
		})
	}
	kept := few(func() error { return d.Decode(data, &v) })
	plain := few(func() error { return json.Unmarshal(data, &v) })
	if kept > 2 || plain <= kept {
		t.Errorf("%v allocations, without it %v", kept, plain)
	}
}
