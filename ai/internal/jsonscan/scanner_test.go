package jsonscan

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// frame is what a typical protocol reads of a delta frame.
type frame struct {
	Type    string
	Index   int64
	Final   bool
	Usage   json.RawMessage
	Deltas  []string
	skipped [][2]int // where values stand that the scanner did not look into
}

// fast reads a frame with the scanner. It uses every method.
func fast(b []byte) (frame, bool) {
	var (
		f     frame
		seen  uint64
		typ   []byte
		texts [][]byte
	)
	s := New(b)
	for s.Open(); s.More(); {
		switch string(s.Key()) {
		case "type":
			s.Once(&seen, 0)
			typ = s.Text()
		case "index":
			s.Once(&seen, 1)
			f.Index = s.Int()
		case "final":
			s.Once(&seen, 2)
			f.Final = s.Bool()
		case "usage":
			s.Once(&seen, 3)
			if !s.Null() {
				f.Usage = s.Raw()
				f.skipped = append(f.skipped, [2]int{s.pos - len(f.Usage), s.pos})
			}
		case "deltas":
			s.Once(&seen, 4)
			for s.OpenArray(); s.Next(); {
				var inner uint64
				var text []byte
				for s.Open(); s.More(); {
					switch string(s.Key()) {
					case "text":
						s.Once(&inner, 0)
						text = s.Text()
					default:
						s.NullOnly()
					}
				}
				texts = append(texts, text)
			}
		case "id", "obfuscation":
			n := len(s.Raw())
			f.skipped = append(f.skipped, [2]int{s.pos - n, s.pos})
		default:
			s.NullOnly()
		}
	}
	if !s.End() {
		return frame{}, false
	}
	var b1 strings.Builder
	if !Unquote(&b1, typ) {
		return frame{}, false
	}
	f.Type = b1.String()
	for _, t := range texts {
		var buf strings.Builder
		if !Unquote(&buf, t) {
			return frame{}, false
		}
		f.Deltas = append(f.Deltas, buf.String())
	}
	return f, true
}

// slow reads the same with encoding/json.
func slow(b []byte) (frame, error) {
	var v struct {
		Type   string
		Index  int64
		Final  bool
		Usage  json.RawMessage
		Deltas []struct{ Text string }
	}
	if err := json.Unmarshal(b, &v); err != nil {
		return frame{}, err
	}
	f := frame{Type: v.Type, Index: v.Index, Final: v.Final, Usage: v.Usage}
	if string(f.Usage) == "null" {
		f.Usage = nil
	}
	for _, d := range v.Deltas {
		f.Deltas = append(f.Deltas, d.Text)
	}
	return f, nil
}

var frames = []struct {
	name, in string
	ok       bool
}{
	{"empty object", `{}`, true},
	{"all keys", `{"type":"t","index":3,"final":true,"usage":{"a":[1,{"b":"}"}]},"deltas":[{"text":"x"},{"text":"y"}],"id":"i"}`, true},
	{"white space everywhere", " {\t\"type\" :\n\"t\" , \"index\" : -0 , \"deltas\" : [ { \"text\" : \"x\" } , { } ] }\r\n", true},
	{"any order", `{"deltas":[],"id":12e3,"final":false,"index":0}`, true},
	{"null for known and unknown", `{"usage":null,"other":null,"deltas":[{"x":null}]}`, true},
	{"escapes", `{"type":"a\"\\\/\b\f\n\r\tAé\ud83e\udded"}`, true},
	{"string ends in backslashes", `{"type":"a\\\\","id":"\\\""}`, true},
	{"skipped literals and containers", `{"id":true,"obfuscation":["\"]",{"}":[]}]}`, true},
	{"longest integer", `{"index":-999999999999999999}`, true},

	{"nothing", ``, false},
	{"white space", ` `, false},
	{"another value", `[1]`, false},
	{"unknown key with a value", `{"other":1}`, false},
	{"unknown key with something like null", `{"other":nullx}`, false},
	{"other case, which encoding/json would match", `{"Type":"t"}`, false},
	{"escape in a key", `{"typ\u0065":"t"}`, false},
	{"control byte in a key", "{\"ty\x01pe\":\"t\"}", false},
	{"key that is not ASCII", `{"é":null}`, false},
	{"repeated key", `{"type":"a","type":"b"}`, false},
	{"number for text", `{"type":1}`, false},
	{"null for text", `{"type":null}`, false},
	{"fraction", `{"index":1.5}`, false},
	{"exponent", `{"index":1e2}`, false},
	{"leading zero", `{"index":01}`, false},
	{"nineteen digits", `{"index":1000000000000000000}`, false},
	{"minus alone", `{"index":-}`, false},
	{"word for bool", `{"final":truth}`, false},
	{"lone surrogate", `{"type":"\ud83e"}`, false},
	{"low surrogate first", `{"type":"\udded\ud83e"}`, false},
	{"pair with a gap", `{"type":"\ud83e \udded"}`, false},
	{"bad escape", `{"type":"\x"}`, false},
	{"short escape", `{"type":"\u12"}`, false},
	{"invalid UTF-8", "{\"type\":\"a\xffb\"}", false},
	{"cut rune", "{\"type\":\"12345678\xe6\x9d\"}", false},
	{"control byte", "{\"type\":\"a\x1fb\"}", false},
	{"line feed", "{\"type\":\"a\nb\"}", false},
	{"trailing comma", `{"type":"t",}`, false},
	{"trailing comma in an array", `{"deltas":[{},]}`, false},
	{"leading comma", `{,"type":"t"}`, false},
	{"two commas", `{"type":"t",,"index":1}`, false},
	{"no comma", `{"type":"t" "index":1}`, false},
	{"no colon", `{"type" "t"}`, false},
	{"no value", `{"type":}`, false},
	{"no value to skip", `{"id":}`, false},
	{"quote in a skipped word", `{"id":tr"ue"}`, false},
	{"cut in a string", `{"type":"t`, false},
	{"cut in a skipped string", `{"id":["t`, false},
	{"cut behind a backslash", `{"type":"t\"}`, false},
	{"cut behind a key", `{"type"`, false},
	{"cut behind a colon", `{"type":`, false},
	{"cut behind a value", `{"type":"t"`, false},
	{"cut in a container", `{"id":{"a":[1]`, false},
	{"wrong bracket", `{"deltas":[}`, false},
	{"more behind the end", `{"type":"t"}{}`, false},
	{"NUL behind the end", "{\"type\":\"t\"}\x00", false},
	{"NUL inside", "{\"type\":\"t\"\x00}", false},
}

func TestFrames(t *testing.T) {
	t.Parallel()
	for _, c := range frames {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			got, ok := fast([]byte(c.in))
			if ok != c.ok {
				t.Fatalf("accepted: %v, want %v", ok, c.ok)
			}
			checkFast(t, []byte(c.in), got, ok)
		})
	}
}

// checkFast compares with encoding/json. What was skipped need not be valid, so
// it is replaced by something that is.
func checkFast(t *testing.T, in []byte, got frame, ok bool) {
	t.Helper()
	if !ok {
		return
	}
	valid := in
	if !json.Valid(in) {
		valid = nil
		at := 0
		for _, v := range got.skipped {
			valid = append(append(valid, in[at:v[0]]...), '0')
			at = v[1]
		}
		valid = append(valid, in[at:]...)
		if got.Usage != nil {
			got.Usage = json.RawMessage("0")
		}
	}
	want, err := slow(valid)
	if err != nil {
		t.Fatalf("%q was accepted, but encoding/json says of %q: %v", in, valid, err)
	}
	got.skipped = nil
	if d := cmp.Diff(want, got, cmp.AllowUnexported(frame{})); d != "" {
		t.Errorf("%q (-encoding/json +scanner):\n%s", in, d)
	}
}

func FuzzScanner(f *testing.F) {
	for _, c := range frames {
		f.Add([]byte(c.in))
	}
	f.Fuzz(func(t *testing.T, in []byte) {
		got, ok := fast(in)
		checkFast(t, in, got, ok)
	})
}

// A refusal must stick, whatever is asked afterwards.
func TestRefusalSticks(t *testing.T) {
	t.Parallel()
	s := New([]byte(`{"a":"b"}`))
	s.Open()
	s.Refuse()
	if s.More() || s.Next() || s.Null() || s.Bool() || s.Int() != 0 || s.Text() != nil || s.Key() != nil || s.Raw() != nil {
		t.Error("a method gave something after a refusal")
	}
	if !s.Refused() || s.End() {
		t.Error("the refusal was forgotten")
	}
}

func TestEmptyTextIsNotNil(t *testing.T) {
	t.Parallel()
	s := New([]byte(`""`))
	if got := s.Text(); got == nil || len(got) != 0 {
		t.Errorf("Text of an empty string is %#v, want an empty slice that is not nil", got)
	}
}

const deltaFrame = `{"id":"chatcmpl-0123456789","object":"chat.completion.chunk","created":1795978917,"model":"some-model","choices":[{"index":0,"delta":{"content":" hello"},"finish_reason":null}],"usage":null,"obfuscation":"xk3ldk2"}`

func delta(b *strings.Builder, in []byte) bool {
	var text []byte
	s := New(in)
	for s.Open(); s.More(); {
		switch string(s.Key()) {
		case "id", "object", "created", "model", "obfuscation":
			s.Skip()
		case "choices":
			for s.OpenArray(); s.Next(); {
				for s.Open(); s.More(); {
					switch string(s.Key()) {
					case "index":
						if s.Int() != 0 {
							s.Refuse()
						}
					case "delta":
						for s.Open(); s.More(); {
							switch string(s.Key()) {
							case "content":
								text = s.Text()
							default:
								s.NullOnly()
							}
						}
					default:
						s.NullOnly()
					}
				}
			}
		default:
			s.NullOnly()
		}
	}
	return s.End() && Unquote(b, text)
}

func TestNoAllocation(t *testing.T) {
	var b strings.Builder
	b.Grow(1 << 20)
	in := []byte(deltaFrame)
	if n := testing.AllocsPerRun(1000, func() {
		if !delta(&b, in) {
			t.Fatal("refused")
		}
	}); n != 0 {
		t.Errorf("%v allocations per frame, want 0", n)
	}
}

func BenchmarkDelta(b *testing.B) {
	in := []byte(deltaFrame)
	b.Run("scanner", func(b *testing.B) {
		var out strings.Builder
		b.ReportAllocs()
		for b.Loop() {
			if out.Len() > 1<<20 {
				out = strings.Builder{}
			}
			if !delta(&out, in) {
				b.Fatal("refused")
			}
		}
	})
	b.Run("encoding-json", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			var v struct {
				Choices []struct {
					Delta struct{ Content string }
				}
			}
			if err := json.Unmarshal(in, &v); err != nil {
				b.Fatal(err)
			}
		}
	})
}
