package partialjson

import (
	"bytes"
	"encoding/json"
	"reflect"
	"strings"
	"testing"
	"unicode/utf8"
)

var partial = []struct{ name, in, want string }{
	// an unfinished string: its characters so far, without a begun escape
	{"string begun", `{"a":"`, `{"a":""}`},
	{"string in the middle", `{"a":"xy`, `{"a":"xy"}`},
	{"backslash withheld", `{"a":"x\`, `{"a":"x"}`},
	{"unicode escape withheld", `{"a":"x\u00`, `{"a":"x"}`},
	{"unicode escape complete", `{"a":"x\u00e9`, `{"a":"x\u00e9"}`},
	{"half a surrogate pair withheld", `{"a":"x\ud83e`, `{"a":"x"}`},
	{"three quarters of a pair withheld", `{"a":"x\ud83e\udd`, `{"a":"x"}`},
	{"pair complete", `{"a":"x\ud83e\udded`, `{"a":"x\ud83e\udded"}`},
	{"half a pair that gets no other half", `{"a":"x\ud83ey`, `{"a":"x\ud83ey"}`},
	{"half a pair before another escape", `{"a":"x\ud83e\n`, `{"a":"x\ud83e\n"}`},
	{"half a pair before one that can be no half", `{"a":"x\ud83e\u0`, `{"a":"x\ud83e"}`},
	{"two halves of the same side", `{"a":"\ud83e\ud83e\udded"`, `{"a":"\ud83e\ud83e\udded"}`},
	{"cut rune withheld", "{\"a\":\"x\xe6\x9d", `{"a":"x"}`},
	{"invalid byte", "{\"a\":\"x\xffy", "{\"a\":\"x\uFFFDy\"}"},

	// an unfinished container: its finished and begun members
	{"object begun", `{`, `{}`},
	{"nested", `{"a":{"b":[1,{"c":"d`, `{"a":{"b":[1,{"c":"d"}]}}`},
	{"array begun", `{"a":[`, `{"a":[]}`},
	{"after a comma", `{"a":[1,`, `{"a":[1]}`},
	{"after an object's comma", `{"a":1,`, `{"a":1}`},
	{"white space is dropped", " {\n \"a\" : [ 1 ,\t2 ] ", `{"a":[1,2]}`},

	// a key without value, or value not begun
	{"key begun", `{"a":1,"b`, `{"a":1}`},
	{"key complete", `{"a":1,"b"`, `{"a":1}`},
	{"colon", `{"a":1,"b":`, `{"a":1}`},
	{"white space behind the colon", `{"a":1,"b": `, `{"a":1}`},
	{"key without value, then another", `{"a":,"b":2`, `{"b":2}`},
	{"key without value at the end", `{"a":}`, `{}`},
	{"first key begun", `{"a`, `{}`},

	// the beginning of a literal
	{"t", `{"a":t`, `{"a":true}`},
	{"fals", `{"a":[fals`, `{"a":[false]}`},
	{"n", `{"a":n`, `{"a":null}`},
	{"true whole", `{"a":true,`, `{"a":true}`},
	{"beginning that ended", `{"a":tru,"b":1`, `{"b":1}`},
	{"beginning that went wrong", `{"a":trux`, `{}`},
	{"longer than a literal", `{"a":[falsehood`, `{"a":[]}`},

	// an unfinished number
	{"digits", `{"a":12`, `{"a":12}`},
	{"minus alone", `{"a":-`, `{}`},
	{"minus in an array", `{"a":[1,-`, `{"a":[1]}`},
	{"dangling point", `{"a":1.`, `{"a":1}`},
	{"fraction", `{"a":-1.5`, `{"a":-1.5}`},
	{"dangling exponent", `{"a":1.5e`, `{"a":1.5}`},
	{"dangling exponent sign", `{"a":1E+`, `{"a":1}`},
	{"exponent", `{"a":1e-07`, `{"a":1e-07}`},
	{"64 characters", `{"a":` + strings.Repeat("1", 64), `{"a":` + strings.Repeat("1", 64) + `}`},
	{"65 characters", `{"a":[0,` + strings.Repeat("1", 65), `{"a":[0]}`},
	{"65 characters, finished", `{"a":[0,` + strings.Repeat("1", 65) + ` `, `{"a":[0,` + strings.Repeat("1", 65) + `]}`},
	{"exact digits", `{"a":12345678901234567890.10`, `{"a":12345678901234567890.10}`},
	{"leading zeros", `{"a":-007,"b":00,"c":0.5`, `{"a":-7,"b":0,"c":0.5}`},
	{"dangling point, finished", `{"a":1.,"b":2`, `{"a":1,"b":2}`},
	{"two numbers in one", `{"a":1.5.2-3,"b":2`, `{"a":1.5,"b":2}`},

	// raw control characters
	{"line feed and others", "{\"a\":\"x\n\t\r\b\f\x01\x1f\x7f", `{"a":"x\n\t\r\b\f\u0001\u001f` + "\x7f\"}"},
	{"in a key", "{\"a\nb\":1", `{"a\nb":1}`},

	// a backslash that begins no escape
	{`\d`, `{"a":"\d+`, `{"a":"\\d+"}`},
	{`\u without digits`, `{"a":"\u12g4`, `{"a":"\\u12g4"}`},
	{`\u and the end of the string`, `{"a":"\u12"`, `{"a":"\\u12"}`},
	{`\u before an escape`, `{"a":"\u1\n`, `{"a":"\\u1\n"}`},
	{"backslash before a line feed", "{\"a\":\"x\\\ny", `{"a":"x\\\ny"}`},
	{"backslash before a rune", `{"a":"\é`, `{"a":"\\é"}`},
	{"all escapes", `{"a":"\"\\\/\b\f\n\r\t`, `{"a":"\"\\\/\b\f\n\r\t"}`},

	// missing or additional comma or colon
	{"no colon", `{"a" 1`, `{"a":1}`},
	{"no commas", `{"a":1 "b":[1 2"x"{}[]]"c":true`, `{"a":1,"b":[1,2,"x",{},[]],"c":true}`},
	{"two commas", `{"a":[1,,2,],,"b":2,}`, `{"a":[1,2],"b":2}`},
	{"leading comma", `{,"a":[,1`, `{"a":[1]}`},
	{"two colons", `{"a"::1`, `{"a":1}`},
	{"colon in an array", `{"a":[1:2`, `{"a":[1,2]}`},

	// unknown words, values where none can be, brackets that close nothing
	{"unknown word", `{"a":undefined,"b":1`, `{"b":1}`},
	{"unknown word in hand", `{"b":1,"a":undef`, `{"b":1}`},
	{"unknown word in an array", `{"a":[1,None,2`, `{"a":[1,2]}`},
	{"unquoted key", `{a:1,"b":2`, `{"b":2}`},
	{"number where a key belongs", `{1:2,"b":3`, `{"b":3}`},
	{"object where a key belongs", `{{"x":[1]},"b":3`, `{"b":3}`},
	{"the same, in hand", `{"a":1,{"x":["y`, `{"a":1}`},
	{"array where a key belongs, nested", `{"a":{["x",{}],"b":3`, `{"a":{"b":3}}`},
	{"word behind a number", `{"a":12abc,"b":3`, `{"a":12,"b":3}`},
	{"bracket that closes nothing", `{"a":[1},2],"b":3]`, `{"a":[1,2],"b":3}`},

	// behind and around the root
	{"text behind the root", `{"a":1} and {"b":2}`, `{"a":1}`},
	{"word before the root", "```json\n{\"a\":1", `{"a":1}`},
	{"commas before the root", `,:]}{"a":1`, `{"a":1}`},
	{"byte order mark", "\uFEFF{\"a\":1", `{"a":1}`},
	{"nothing", ``, `{}`},
	{"white space", " \n", `{}`},
	{"root array", `[{"a":1}`, `{}`},
	{"root string", `"{\"a\":1}`, `{}`},
	{"root number", `12 {"a":1}`, `{}`},
	{"root literal", `null {"a":1}`, `{}`},
	{"dash before the root", `- {"a":1`, `{"a":1}`},

	{"__proto__", `{"__proto__":{"a":1`, `{"__proto__":{"a":1}}`},
	{"key twice", `{"a":1,"a":2`, `{"a":1,"a":2}`},
	{"empty key", `{"":"x`, `{"":"x"}`},
}

func TestComplete(t *testing.T) {
	t.Parallel()
	for _, c := range partial {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			if got := Complete(c.in); string(got) != c.want {
				t.Errorf("Complete(%q)\n got %s\nwant %s", c.in, got, c.want)
			}
			var p Parser
			for i := range len(c.in) {
				p.Feed(c.in[i : i+1])
			}
			if got := p.Complete(); string(got) != c.want {
				t.Errorf("byte by byte: %q\n got %s\nwant %s", c.in, got, c.want)
			}
		})
	}
}

func TestDepth(t *testing.T) {
	t.Parallel()
	nested := func(n int) string { return `{"a":` + strings.Repeat("[", n-1) }
	for _, n := range []int{maxDepth - 1, maxDepth, maxDepth + 1, maxDepth + 2} {
		got := Complete(nested(n))
		if !json.Valid(got) {
			t.Fatalf("depth %d: not valid", n)
		}
		if depth := bytes.Count(got, []byte("[")); depth != min(n, maxDepth)-1 {
			t.Errorf("depth %d: %d arrays shown", n, depth)
		}
	}
	// Whatever is too deep goes, what comes behind it stays.
	in := nested(maxDepth) + `[[1],2],{"x":1},3`
	if got := string(Complete(in)); !strings.HasSuffix(strings.TrimRight(got, "]}"), "[3") {
		t.Errorf("the value behind the deep ones is lost: …%s", got[len(got)-maxDepth-20:])
	}
}

func TestSnapshotsStay(t *testing.T) {
	t.Parallel()
	in := `{"a":"some text","b":[1,2,{"c":null}],"d":1e5}`
	var p Parser
	var shots, copies []string
	var raw []json.RawMessage
	for i := range len(in) {
		p.Feed(in[i : i+1])
		raw = append(raw, p.Complete())
		copies = append(copies, string(raw[i]))
	}
	for _, r := range raw {
		shots = append(shots, string(r))
	}
	if !reflect.DeepEqual(shots, copies) {
		t.Error("a value that Complete returned was changed later")
	}
	if got := string(p.AppendComplete([]byte("x="))); got != "x="+in {
		t.Errorf("AppendComplete: %s", got)
	}
	p.Feed(`{"z":1}`)
	if got := string(p.Complete()); got != in {
		t.Errorf("text behind the root was read: %s", got)
	}
	p.Reset()
	p.Feed(`{"z":1`)
	if got := string(p.Complete()); got != `{"z":1}` {
		t.Errorf("after Reset: %s", got)
	}
}

func FuzzParser(f *testing.F) {
	for _, c := range partial {
		f.Add(c.in, uint8(5))
	}
	f.Add(`{"path":"a","edits":[{"oldText":"x\n","newText":"y"}],"n":-1.25e+3,"b":false}`, uint8(1))
	f.Fuzz(func(t *testing.T, in string, piece uint8) {
		var p Parser
		for from := 0; from < len(in); {
			to := min(from+int(piece)%16+1, len(in))
			p.Feed(in[from:to])
			from = to
			if len(p.in) > 11 {
				t.Fatalf("%d bytes withheld: %q", len(p.in), p.in)
			}
			got := p.Complete()
			if !json.Valid(got) || got[0] != '{' || !utf8.Valid(got) {
				t.Fatalf("%q gives %q, no valid object", in[:to], got)
			}
			if once := Complete(in[:to]); !bytes.Equal(once, got) {
				t.Fatalf("%q in pieces gives\n%s\nat once\n%s", in[:to], got, once)
			}
		}
		trimmed := strings.TrimLeft(in, " \t\r\n")
		if !json.Valid([]byte(in)) || trimmed[0] != '{' {
			return
		}
		if want, got := decode(t, []byte(in)), decode(t, p.Complete()); !reflect.DeepEqual(want, got) {
			t.Errorf("%q\nis read as    %v\nencoding/json %v", in, got, want)
		}
	})
}

func decode(t *testing.T, in []byte) (v any) {
	t.Helper()
	d := json.NewDecoder(bytes.NewReader(in))
	d.UseNumber()
	if err := d.Decode(&v); err != nil {
		t.Fatalf("%q: %v", in, err)
	}
	return v
}

func BenchmarkFeed(b *testing.B) {
	text := `{"path":"a.go","text":"` + strings.Repeat(`package main // some \"text\"\n`, 1<<15) + `"}`
	b.SetBytes(int64(len(text)))
	b.ReportAllocs()
	deltas := 0
	for b.Loop() {
		var p Parser
		for i := 0; i < len(text); i += 8 {
			p.Feed(text[i:min(i+8, len(text))])
			deltas++
		}
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(deltas), "ns/delta")
}
