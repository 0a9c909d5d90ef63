package input

import (
	"fmt"
	"os"
	"reflect"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// show writes events in the form of testdata/sequences.tsv. Pieces of a paste
// are joined.
func show(events []Event) string {
	var out []string
	paste := ""
	for _, ev := range events {
		switch e := ev.(type) {
		case Key:
			var names []string
			for _, n := range e.Names() {
				names = append(names, n.String())
			}
			s := strings.Join(names, "|")
			if e.Text != "" {
				s += fmt.Sprintf("=\"%s\"", e.Text)
			}
			s += [...]string{"", ":repeat", ":release"}[e.Action]
			out = append(out, s)
		case Paste:
			paste += e.Text
			if e.Last {
				q := strconv.Quote(paste)
				out = append(out, "Paste{"+q[1:len(q)-1]+"}")
				paste = ""
			}
		case Unknown:
			out = append(out, "Unknown")
		default:
			out = append(out, reflect.TypeOf(ev).Name()+fmt.Sprint(ev))
		}
	}
	return strings.Join(out, ",")
}

type sequence struct{ name, bytes, want string }

func sequences(t testing.TB) []sequence {
	t.Helper()
	data, err := os.ReadFile("testdata/sequences.tsv")
	if err != nil {
		t.Fatal(err)
	}
	var list []sequence
	for line := range strings.Lines(string(data)) {
		if strings.HasPrefix(line, "#") {
			continue
		}
		f := strings.Split(strings.TrimSuffix(line, "\n"), "\t")
		if len(f) != 3 {
			t.Fatalf("line %q has %d fields, want 3", line, len(f))
		}
		b, err := strconv.Unquote(`"` + strings.ReplaceAll(f[1], `"`, `\"`) + `"`)
		if err != nil {
			t.Fatalf("line %q: %v", line, err)
		}
		list = append(list, sequence{f[0], b, f[2]})
	}
	return list
}

func TestSequences(t *testing.T) {
	t.Parallel()
	for _, tc := range sequences(t) {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			var d Decoder
			events := append(d.Feed([]byte(tc.bytes)), d.Flush()...)
			want, got := tc.want, show(events)
			got = strings.ReplaceAll(strings.ReplaceAll(got, "{{", "{"), "}}", "}")
			if got != want {
				t.Errorf("%q gives %s, want %s", tc.bytes, got, want)
			}
			if rest := d.Flush(); len(rest) > 0 {
				t.Errorf("%q leaves %v", tc.bytes, rest)
			}
		})
	}
}

// The bytes may be cut anywhere, as long as the rest comes in time.
func TestSequencesCutAnywhere(t *testing.T) {
	t.Parallel()
	for _, tc := range sequences(t) {
		if strings.Contains(tc.name, "ZWJ") || strings.Contains(tc.name, "incomplete") || tc.name == "invalid byte" {
			continue // a cluster's first half is a character by itself
		}
		var d Decoder
		whole := show(append(d.Feed([]byte(tc.bytes)), d.Flush()...))
		for cut := 1; cut < len(tc.bytes); cut++ {
			events := append(d.Feed([]byte(tc.bytes[:cut])), d.Feed([]byte(tc.bytes[cut:]))...)
			events = append(events, d.Flush()...)
			if got := show(events); got != whole {
				t.Errorf("%s: cut after %d bytes gives %s, want %s", tc.name, cut, got, whole)
			}
		}
		var events []Event
		for i := range len(tc.bytes) {
			events = append(events, d.Feed([]byte{tc.bytes[i]})...)
		}
		if got := show(append(events, d.Flush()...)); got != whole {
			t.Errorf("%s: byte by byte gives %s, want %s", tc.name, got, whole)
		}
	}
}

func TestWaitTellsHowLongMoreMayTake(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]int64{
		"":                     0,
		"a":                    0,
		"\x1b":                 30,
		"\x1b[":                30,
		"\x1bO":                30,
		"\x1b\x1b[":            30,
		"\x1b[1;":              150,
		"\x1b]11;rgb":          2000,
		"\xed\x95":             30,
		"\x1b[200~paste\x1b[2": 1000,
	} {
		var d Decoder
		d.Feed([]byte(in))
		wait, ok := d.Wait()
		if wait.Milliseconds() != want || ok != (want > 0) {
			t.Errorf("after %q: wait %v, %v; want %d ms", in, wait, ok, want)
		}
	}
}

func TestPasteIsStreamedByteForByte(t *testing.T) {
	t.Parallel()
	var text strings.Builder
	for i := range 10000 {
		fmt.Fprintf(&text, "row %05d\t\x1b[31m\x03\r", i)
	}
	in := pasteBegin + text.String() + "\x1b[201" + pasteEnd + "x"
	var d Decoder
	var got strings.Builder
	var after []Event
	pieces, firsts, lasts := 0, 0, 0
	for len(in) > 0 {
		n := min(4096, len(in))
		if len(in) > 4 && len(in) < 4100 {
			n = len(in) - 4 // a cut inside the end marker
		}
		for _, ev := range d.Feed([]byte(in[:n])) {
			p, ok := ev.(Paste)
			if !ok {
				after = append(after, ev)
				continue
			}
			pieces++
			got.WriteString(p.Text)
			if p.First {
				firsts++
			}
			if p.Last {
				lasts++
			}
		}
		in = in[n:]
	}
	if got.String() != text.String()+"\x1b[201" {
		t.Errorf("the paste is not what was pasted (%d bytes, want %d)", got.Len(), text.Len()+5)
	}
	if pieces < 10 || firsts != 1 || lasts != 1 {
		t.Errorf("%d pieces, %d first, %d last; want many, 1, 1", pieces, firsts, lasts)
	}
	if show(after) != `x="x"` {
		t.Errorf("after the paste: %s, want x", show(after))
	}
}

func TestAnAnswerWithoutEndIsGivenUp(t *testing.T) {
	t.Parallel()
	var d Decoder
	d.Feed([]byte("\x1b]52;c;"))
	for range maxString/4096 + 2 {
		d.Feed(make([]byte, 4096))
	}
	if len(d.rest) > maxString {
		t.Errorf("%d bytes are kept", len(d.rest))
	}
}

func TestParseKey(t *testing.T) {
	t.Parallel()
	if k, ok := ParseKey("\x1b[1;5A"); !ok || !k.Is(MustParse("ctrl+up")) {
		t.Errorf("ctrl+up is %v, %v", k, ok)
	}
	for _, raw := range []string{"", "ab", "\x1b[I", "\x1b[200~x\x1b[201~"} {
		if k, ok := ParseKey(raw); ok {
			t.Errorf("%q is the key %v", raw, k)
		}
	}
}

func TestPosition(t *testing.T) {
	t.Parallel()
	d := Decoder{ExpectPosition: true}
	if diff := cmp.Diff([]Event{Position{X: 4, Y: 0}}, d.Feed([]byte("\x1b[1;5R"))); diff != "" {
		t.Error(diff)
	}
	if got := show(d.Feed([]byte("\x1b[1;5R"))); got != "ctrl+f3" {
		t.Errorf("without a query: %s", got)
	}
}

func FuzzDecoder(f *testing.F) {
	for _, s := range sequences(f) {
		f.Add([]byte(s.bytes), 1)
	}
	f.Fuzz(func(t *testing.T, in []byte, cut int) {
		var whole Decoder
		events := whole.Feed(in)
		raw := 0
		for _, ev := range events {
			if k, ok := ev.(Key); ok {
				raw += len(k.Raw)
				if k.Name == "" {
					t.Fatalf("%q gives a key without a name", in)
				}
				if id, err := Parse(k.ID.String()); err == nil && id != k.ID {
					t.Fatalf("key %q is parsed as %q", k.ID, id)
				}
			}
		}
		if raw > len(in) {
			t.Fatalf("%q: keys have %d bytes, more than there are", in, raw)
		}
		whole.Flush()
		if _, waiting := whole.Wait(); waiting {
			t.Fatalf("%q: something waits after Flush", in)
		}
		if cut < 0 || cut > len(in) {
			return
		}
		var parts Decoder
		parts.Feed(in[:cut])
		parts.Feed(in[cut:])
		parts.Flush()
	})
}

func BenchmarkPaste(b *testing.B) {
	in := []byte(pasteBegin + strings.Repeat("some pasted text\r", 1<<16) + pasteEnd)
	b.SetBytes(int64(len(in)))
	for b.Loop() {
		var d Decoder
		for rest := in; len(rest) > 0; rest = rest[min(4096, len(rest)):] {
			d.Feed(rest[:min(4096, len(rest))])
		}
	}
}

// An answer that is too long is dropped, all of it: the rest must not be typed.
func TestWhatIsTooLongIsDroppedToItsEnd(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("QUJD", maxString/4+100_000)
	a := Key{ID: ID{Name: "a"}, Text: "a", Raw: "a"}
	for name, s := range map[string]string{
		"ended by ST":                   "\x1b]52;c;" + long + "\x1b\\a",
		"ended by BEL":                  "\x1bP" + long + "\aa",
		"a sequence":                    "\x1b[" + strings.Repeat("1;", maxString) + "ma",
		"alt with a sequence":           "\x1b\x1b[" + strings.Repeat("1;", maxString) + "ma",
		"broken off":                    "\x1b]52;c;" + long + "\x1b[Ia",
		"a sequence that is broken off": "\x1b[" + strings.Repeat("1;", maxString) + "\x1b[Ia",
	} {
		for _, piece := range []int{1 << 16, 1<<16 + 3} {
			var d Decoder
			var got []Event
			for rest := s; rest != ""; {
				n := min(piece, len(rest))
				for _, ev := range d.Feed([]byte(rest[:n])) {
					if _, ok := ev.(Unknown); !ok {
						got = append(got, ev)
					}
				}
				rest = rest[n:]
			}
			want := []Event{a}
			if strings.Contains(s, "\x1b[I") {
				want = []Event{Focus{In: true}, a}
			}
			if !reflect.DeepEqual(got, want) {
				t.Errorf("%s in pieces of %d: %d events, beginning with %.300q", name, piece, len(got), fmt.Sprint(got[:min(len(got), 3)]))
			}
			if wait, ok := d.Wait(); ok {
				t.Errorf("%s in pieces of %d: it waits for %v", name, piece, wait)
			}
		}
	}
}

func TestWhatIsTooLongCanEndInTwoPieces(t *testing.T) {
	t.Parallel()
	for _, begin := range []string{"\x1b]52;c;" + strings.Repeat("x", maxString) + "\x1b", "\x1bP" + strings.Repeat("x", maxString)} {
		var d Decoder
		d.Feed([]byte(begin))
		if !strings.HasSuffix(begin, "\x1b") {
			d.Feed([]byte("\x1b"))
		}
		if ev := d.Feed([]byte("\\a")); len(ev) != 1 || ev[0].(Key).Text != "a" {
			t.Errorf("after the second half of the end: %v", ev)
		}
	}
}

// A terminal that dies within such an answer does not take the keyboard with it.
func TestWhatIsTooLongAndNeverEndsIsForgotten(t *testing.T) {
	t.Parallel()
	var d Decoder
	d.Feed([]byte("\x1b]" + strings.Repeat("x", maxString)))
	d.Feed([]byte("still the same"))
	if wait, ok := d.Wait(); !ok || wait != waitString {
		t.Errorf("it waits %v, %v", wait, ok)
	}
	if ev := d.Flush(); len(ev) > 0 {
		t.Errorf("at the end: %v", ev)
	}
	if ev := d.Feed([]byte("a")); len(ev) != 1 {
		t.Errorf("after it: %v", ev)
	}
}

func TestAbandon(t *testing.T) {
	t.Parallel()
	var d Decoder
	d.Feed([]byte("\x1b[200~one\x1b[2"))
	if diff := cmp.Diff([]Event{Paste{Text: "\x1b[2", Last: true}}, d.Abandon()); diff != "" {
		t.Errorf("a paste (-want +got):\n%s", diff)
	}
	d.Feed([]byte("\x1b[200~"))
	if diff := cmp.Diff([]Event{Paste{First: true, Last: true}}, d.Abandon()); diff != "" {
		t.Errorf("a paste without text (-want +got):\n%s", diff)
	}
	d.Feed([]byte("\x1b"))
	if ev := d.Abandon(); len(ev) != 1 {
		t.Errorf("escape: %v", ev)
	}
	if ev := d.Abandon(); len(ev) != 0 {
		t.Errorf("nothing: %v", ev)
	}
}

func TestAReleaseTypesNothing(t *testing.T) {
	t.Parallel()
	for _, s := range []string{"\x1b[97;1:3u", "\x1b[97;1:3;97u", "\x1b[97:65;2:3u", "\x1b[97:65;2:3;65u", "\x1b[97;65:3u"} {
		var d Decoder
		ev := d.Feed([]byte(s))
		if k, ok := ev[0].(Key); !ok || k.Action != Release || k.Text != "" || k.Name != "a" {
			t.Errorf("%q is %#v", s, ev[0])
		}
	}
}

// A connection that breaks takes the end of a paste with it.
func TestAPasteWithoutAnEndEndsWithCtrlC(t *testing.T) {
	t.Parallel()
	for _, ctrlC := range []string{"\x03", "\x1b[99;5u", "\x1b[27;5;99~"} {
		var d Decoder
		got := d.Feed([]byte("\x1b[200~one\x1b[2"))
		got = append(got, d.Feed([]byte(ctrlC))...) // no pause: a part of the paste
		got = append(got, d.Flush()...)
		if wait, ok := d.Wait(); ok {
			t.Errorf("after a pause it waits %v for another one", wait)
		}
		got = append(got, d.Feed([]byte("two\r"))...) // late, and not keys
		got = append(got, d.Feed([]byte(ctrlC))...)
		got = append(got, d.Feed([]byte("a"))...)
		quoted := strings.Trim(strconv.Quote(ctrlC), `"`)
		want := `Paste{one\x1b[2` + quoted + `two\r},ctrl+c,a="a"`
		if got := show(got); got != want {
			t.Errorf("got %s, want %s", got, want)
		}
	}
}
