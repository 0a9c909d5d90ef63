package jsonobj

import (
	"bytes"
	"encoding/json"
	"math"
	"os"
	"strconv"
	"strings"
	"testing"
	"unicode/utf8"
)

// The files in testdata hold what JSON.stringify printed (V8 11.3).
func stringified(t *testing.T, file string, check func(name, want string)) {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	n := 0
	for line := range strings.Lines(string(text)) {
		name, want, ok := strings.Cut(strings.TrimSuffix(line, "\n"), "\t")
		if !ok {
			t.Fatalf("%s: line %q has no tab", file, line)
		}
		check(name, want)
		n++
	}
	if n < 200 {
		t.Errorf("%s: only %d lines", file, n)
	}
}

func TestAppendFloatEqualsStringify(t *testing.T) {
	t.Parallel()
	stringified(t, "testdata/numbers.tsv", func(name, want string) {
		bits, err := strconv.ParseUint(name, 16, 64)
		if err != nil {
			t.Fatal(err)
		}
		if got := string(AppendFloat([]byte("x"), math.Float64frombits(bits))); got != "x"+want {
			t.Errorf("%s: got %s, want %s", name, got[1:], want)
		}
	})
}

func TestAppendStringEqualsStringify(t *testing.T) {
	t.Parallel()
	stringified(t, "testdata/characters.tsv", func(name, want string) {
		r, err := strconv.ParseInt(name, 16, 32)
		if err != nil {
			t.Fatal(err)
		}
		if got := string(AppendString([]byte("x"), string(rune(r)))); got != "x"+want {
			t.Errorf("U+%s: got %s, want %s", name, got[1:], want)
		}
	})
}

func TestAppendStringMendsUTF8(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]string{
		"a\xffb":         "\"a\uFFFDb\"",
		"\xe6\x9d":       "\"\uFFFD\uFFFD\"",
		"\xed\xa0\x80":   "\"\uFFFD\uFFFD\uFFFD\"", // half of a surrogate pair
		"ok\xf0\x9f\xa7": "\"ok\uFFFD\uFFFD\uFFFD\"",
		"\uFFFD":         "\"\uFFFD\"",
	} {
		if got := string(AppendString(nil, in)); got != want {
			t.Errorf("%q: got %q, want %q", in, got, want)
		}
		if got := string(AppendString(nil, []byte(in))); got != want {
			t.Errorf("bytes %q: got %q, want %q", in, got, want)
		}
	}
}

func FuzzAppendString(f *testing.F) {
	for _, s := range []string{"", "a\"b\\c", "<&>\u2028", "\x00\x1f\x7f", "a\xff", "東京🧭"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		got := AppendString(nil, s)
		if !bytes.Equal(got, AppendString(nil, []byte(s))) {
			t.Errorf("%q: string and bytes differ", s)
		}
		var back string
		if err := json.Unmarshal(got, &back); err != nil || !utf8.Valid(got) {
			t.Fatalf("%q became %q: %v", s, got, err)
		}
		var want strings.Builder
		for _, r := range s { // one U+FFFD for each bad byte
			want.WriteRune(r)
		}
		if back != want.String() {
			t.Errorf("%q came back as %q", s, back)
		}
	})
}

func FuzzAppendFloat(f *testing.F) {
	for _, v := range []float64{0, 1, 1e21, 1e-7, math.MaxFloat64, math.SmallestNonzeroFloat64} {
		f.Add(v)
	}
	f.Fuzz(func(t *testing.T, v float64) {
		got := string(AppendFloat(nil, v))
		want, err := json.Marshal(v)
		switch {
		case err != nil:
			if got != "null" {
				t.Errorf("%v: got %s", v, got)
			}
		case v == 0:
			if got != "0" {
				t.Errorf("%v: got %s", v, got)
			}
		case got != string(want):
			t.Errorf("%v: got %s, encoding/json writes %s", v, got, want)
		}
	})
}

func TestAppendInt(t *testing.T) {
	t.Parallel()
	if got := string(AppendInt(AppendInt([]byte("["), int64(math.MinInt64)), 7)); got != "[-92233720368547758087" {
		t.Errorf("got %s", got)
	}
}

func BenchmarkAppendString(b *testing.B) {
	for name, s := range map[string]string{"short": " hello", "text": strings.Repeat("some text with a line end\n", 100), "cjk": strings.Repeat("東京", 500)} {
		b.Run(name, func(b *testing.B) {
			dst := make([]byte, 0, 2*len(s)+2)
			b.SetBytes(int64(len(s)))
			b.ReportAllocs()
			for b.Loop() {
				AppendString(dst, s)
			}
		})
	}
}
