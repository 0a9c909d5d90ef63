package partialjson

import (
	"encoding/json"
	"strings"
	"testing"
)

// However a text comes, the answer is the one of encoding/json.
func FuzzWhole(f *testing.F) {
	for _, s := range []string{``, `{}`, " {\"a\":[1,{\"b\":\"}\\\"\"}]}\n", `{}}`, `{"a":}`, `[]`, `{]`, `{"a":"\\"} x`, `{"a":1}{`} {
		f.Add(s, 1)
	}
	f.Fuzz(func(t *testing.T, text string, step int) {
		var w Whole
		step = max(1, step%7)
		for at := 0; at <= len(text); at += step {
			part := text[:at]
			trimmed := strings.Trim(part, " \t\r\n")
			want := strings.HasPrefix(trimmed, "{") && json.Valid([]byte(part))
			if got := w.Is(part); got != want {
				t.Fatalf("%q: %v, want %v", part, got, want)
			}
			if got := w.Is(part); got != want {
				t.Fatalf("%q, asked again: %v", part, got)
			}
		}
	})
}
