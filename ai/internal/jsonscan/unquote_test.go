package jsonscan

import (
	"encoding/json"
	"strings"
	"testing"
	"unicode/utf8"
)

func FuzzUnquote(f *testing.F) {
	for _, s := range []string{
		"", "plain", "exactly8", "exactly8 and more than sixteen", "12345678\"", "1234567\\n", `a\"\\\/\b\f\n\r\t`, `\u0000\uFFFD\uffff`,
		`\ud83e\udded`, `\ud83e`, `\udded`, `\ud83e\ud83e\udded`, `\ud83e\u0041`, `\u12`, `\u12g4`, `\x`, `\`, "\x7f", "\x1f", "naïve 東京 🧭", "\xff", "1234567\xe6", "\xed\xa0\x80", "\xf4\x90\x80\x80", "\xc0\x80", "12345678\x00",
	} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		var want string
		err := json.Unmarshal([]byte(`"`+string(text)+`"`), &want)
		valid := err == nil && utf8.Valid(text)

		b := &strings.Builder{}
		b.WriteString("before ")
		ok := Unquote(b, text)
		appended, ok2 := AppendUnquote([]byte("before "), text)
		if ok != ok2 || string(appended) != b.String() {
			t.Fatalf("%q: Unquote gives %v %q, AppendUnquote %v %q", text, ok, b, ok2, appended)
		}
		if !ok {
			if b.String() != "before " {
				t.Errorf("%q was refused but wrote %q", text, b)
			}
			// Half a surrogate pair is the one thing encoding/json patches in
			// valid UTF-8; it shows as U+FFFD that the text does not spell.
			if valid && strings.Count(want, "\uFFFD") == strings.Count(strings.ToLower(string(text)), `\ufffd`)+strings.Count(string(text), "\uFFFD") {
				t.Errorf("%q was refused, encoding/json reads %q", text, want)
			}
			return
		}
		if !valid {
			t.Fatalf("%q was taken as %q, encoding/json: %v", text, b, err)
		}
		if got := strings.TrimPrefix(b.String(), "before "); got != want {
			t.Errorf("%q is %q, encoding/json reads %q", text, got, want)
		}
	})
}

func BenchmarkUnquote(b *testing.B) {
	for name, text := range map[string]string{
		"short":   " hello",
		"ascii":   strings.Repeat("plain old text ", 100),
		"cjk":     strings.Repeat("東京は夜の七時", 100),
		"escaped": strings.Repeat(`some \"text\" and\n`, 100),
	} {
		b.Run(name, func(b *testing.B) {
			in := []byte(text)
			dst := make([]byte, 0, len(in))
			b.SetBytes(int64(len(in)))
			b.ReportAllocs()
			for b.Loop() {
				if _, ok := AppendUnquote(dst, in); !ok {
					b.Fatal("refused")
				}
			}
		})
	}
}
