package sse

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/google/go-cmp/cmp"
)

// event is a Frame that lives on.
type event struct{ Event, Data, ID string }

func collect(r io.Reader, opt Options) ([]event, error) {
	return drain(NewScanner(r, opt))
}

func drain(sc *Scanner) ([]event, error) {
	var out []event
	for f, err := range sc.All() {
		if err != nil {
			return out, err
		}
		out = append(out, event{string(f.Event), string(f.Data), string(f.ID)})
	}
	return out, nil
}

// reference decodes a whole stream the slow and obvious way.
func reference(in []byte) []event {
	text := strings.TrimPrefix(string(in), "\uFEFF")
	text = strings.ReplaceAll(text, "\r\n", "\n")
	text = strings.ReplaceAll(text, "\r", "\n")
	var (
		out  []event
		name string
		id   string
		data []string
	)
	for _, line := range append(strings.Split(text, "\n"), "") {
		if line == "" {
			joined := strings.Join(data, "\n")
			if t := strings.TrimLeft(joined, " \t\n"); t != "" && t[0] != ':' {
				out = append(out, event{name, joined, id})
			}
			name, data = "", nil
			continue
		}
		field, value, _ := strings.Cut(line, ":")
		value = strings.TrimPrefix(value, " ")
		switch field {
		case "data":
			data = append(data, value)
		case "event":
			name = value
		case "id":
			if !strings.Contains(value, "\x00") {
				id = value
			}
		}
	}
	return out
}

func TestFormat(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name, in string
		want     []event
	}{
		{"nothing", "", nil},
		{"blank lines only", "\n\r\n\r", nil},
		{"one", "data: a\n\n", []event{{Data: "a"}}},
		{"no space after the colon", "data:a\n\n", []event{{Data: "a"}}},
		{"one space of two is content", "data:  a\n\n", []event{{Data: " a"}}},
		{"name", "event: x\ndata: a\n\n", []event{{Event: "x", Data: "a"}}},
		{"name behind the data", "data: a\nevent: x\n\n", []event{{Event: "x", Data: "a"}}},
		{"name between data", "data: a\nevent: long-name-here\ndata: b\n\n", []event{{Event: "long-name-here", Data: "a\nb"}}},
		{"the last name wins", "event: x\nevent: y\ndata: a\n\n", []event{{Event: "y", Data: "a"}}},
		{"a name lasts one event", "event: x\ndata: a\n\ndata: b\n\n", []event{{Event: "x", Data: "a"}, {Data: "b"}}},
		{"a name without data is dropped", "event: x\n\ndata: b\n\n", []event{{Data: "b"}}},
		{"an id lasts", "id: 7\ndata: a\n\ndata: b\n\nid\ndata: c\n\n", []event{{Data: "a", ID: "7"}, {Data: "b", ID: "7"}, {Data: "c"}}},
		{"an id without data counts", "id: 7\n\ndata: b\n\n", []event{{Data: "b", ID: "7"}}},
		{"an id with NUL is ignored", "id: 7\nid: 8\x00\ndata: a\n\n", []event{{Data: "a", ID: "7"}}},
		{"lines are joined", "data: a\ndata\ndata:b\n\n", []event{{Data: "a\n\nb"}}},
		{"comment between data lines", "data: a\n: hm\ndata: b\n\n", []event{{Data: "a\nb"}}},
		{"CRLF", "event: x\r\ndata: a\r\ndata: b\r\n\r\n", []event{{Event: "x", Data: "a\nb"}}},
		{"CR", "event: x\rdata: a\rdata: b\r\r", []event{{Event: "x", Data: "a\nb"}}},
		{"mixed ends", "data: a\rdata: b\ndata: c\r\n\ndata: d\n\r", []event{{Data: "a\nb\nc"}, {Data: "d"}}},
		{"byte order mark", "\uFEFFdata: a\n\n", []event{{Data: "a"}}},
		{"byte order mark only at the start", "data: a\n\n\uFEFFdata: b\n\n", []event{{Data: "a"}}},
		{"no blank line at the end", "data: a\n\ndata: b\n", []event{{Data: "a"}, {Data: "b"}}},
		{"no line end at the end", "data: a\n\ndata: b", []event{{Data: "a"}, {Data: "b"}}},
		{"unknown fields", "retry: 9\nfoo\nbar: x\ndata: a\nData: b\n data: c\n\n", []event{{Data: "a"}}},
		{"colons in the value", "data: a: b:c\n\n", []event{{Data: "a: b:c"}}},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			got, err := collect(strings.NewReader(c.in), Options{})
			if err != nil {
				t.Fatal(err)
			}
			if d := cmp.Diff(c.want, got); d != "" {
				t.Errorf("frames (-want +got):\n%s", d)
			}
			if d := cmp.Diff(reference([]byte(c.in)), got); d != "" {
				t.Errorf("the reference decoder differs (-reference +got):\n%s", d)
			}
		})
	}
}

// Servers cut their writes anywhere: in a rune, between CR and LF, in a field
// name. The frames must not depend on it.
func TestEverySplit(t *testing.T) {
	t.Parallel()
	crlf := ": warming up\r\n\r\ndata:{\"id\":\"c1\",\"choices\":[{\"index\":0,\"delta\":{\"content\":\"na\u00efve \u6771\"}}]}\r\n\r\n" +
		"event: message\r\ndata: {\"id\":\"c1\",\"choices\":[{\"index\":0,\"delta\":{\"content\":\"\u4eac \U0001F9ED\"},\"finish_reason\":\"stop\"}]}\r\n\r\ndata: [DONE]\r\n\r\n"
	want := []event{
		{Data: `{"id":"c1","choices":[{"index":0,"delta":{"content":"naïve 東"}}]}`},
		{Event: "message", Data: `{"id":"c1","choices":[{"index":0,"delta":{"content":"京 🧭"},"finish_reason":"stop"}]}`},
		{Data: "[DONE]"},
	}
	for name, in := range map[string]string{
		"CRLF": crlf,
		"LF":   strings.ReplaceAll(crlf, "\r\n", "\n"),
		"CR":   strings.ReplaceAll(crlf, "\r\n", "\r"),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			check := func(what string, r io.Reader) {
				t.Helper()
				got, err := collect(r, Options{})
				if err != nil {
					t.Fatalf("%s: %v", what, err)
				}
				if d := cmp.Diff(want, got); d != "" {
					t.Fatalf("%s: frames (-want +got):\n%s", what, d)
				}
			}
			for k := range len(in) + 1 {
				check(fmt.Sprintf("split at %d", k), io.MultiReader(strings.NewReader(in[:k]), strings.NewReader(in[k:])))
			}
			check("one byte at a time", iotest.OneByteReader(strings.NewReader(in)))
			check("end and last data at once", iotest.DataErrReader(strings.NewReader(in)))
		})
	}
}

// What servers send to keep a connection open is never a frame.
func TestKeepalives(t *testing.T) {
	t.Parallel()
	for _, ka := range []string{
		": ping\n\n", ":\n\n", "data:\n\n", "data\n\n", "data: : keepalive\n\n", "id: 7\n: ping\n\n", "data:  \ndata:\t\n\n", "event: ping\n\n", "\n\n\n",
	} {
		got, err := collect(strings.NewReader("data: a\n\n"+ka+"data: b\n\n"), Options{})
		if err != nil {
			t.Fatalf("%q: %v", ka, err)
		}
		for i := range got {
			got[i].ID = ""
		}
		if d := cmp.Diff([]event{{Data: "a"}, {Data: "b"}}, got); d != "" {
			t.Errorf("%q between two frames (-want +got):\n%s", ka, d)
		}
	}
	// These are for the protocol to judge, so they must come through.
	got, err := collect(strings.NewReader("event: ping\ndata: {}\n\ndata: {\"broken\n\n"), Options{})
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff([]event{{Event: "ping", Data: "{}"}, {Data: `{"broken`}}, got); d != "" {
		t.Errorf("frames (-want +got):\n%s", d)
	}
}

func TestLimits(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name, in string
		opt      Options
		want     []event
		what     string // of the error, "" for none
	}{
		{"line at the limit", "data: abcd\n\n", Options{MaxLine: 10}, []event{{Data: "abcd"}}, ""},
		{"line over it", "data: a\n\ndata: abcde\n\n", Options{MaxLine: 10}, []event{{Data: "a"}}, "line"},
		{"line over it with no end", "data: a\n\ndata: abcde", Options{MaxLine: 10}, []event{{Data: "a"}}, "line"},
		{"comment over it", "data: a\n\n: abcdefghijkl\ndata: b\n\n", Options{MaxLine: 10}, []event{{Data: "a"}}, "line"},
		{"event at the limit", "data: ab\ndata: cd\n\n", Options{MaxEvent: 5}, []event{{Data: "ab\ncd"}}, ""},
		{"event over it", "data: ab\ndata: cde\n\n", Options{MaxEvent: 5}, nil, "event"},
		{"event over it in one line", "data: abcdef\n\n", Options{MaxEvent: 5}, nil, "event"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			for how, r := range map[string]io.Reader{
				"whole":   strings.NewReader(c.in),
				"by byte": iotest.OneByteReader(strings.NewReader(c.in)),
			} {
				got, err := collect(r, c.opt)
				if d := cmp.Diff(c.want, got); d != "" {
					t.Errorf("%s: frames (-want +got):\n%s", how, d)
				}
				var tooLarge *TooLargeError
				if what := ""; errors.As(err, &tooLarge) {
					what = tooLarge.What
					if what != c.what {
						t.Errorf("%s: error about %q, want %q", how, what, c.what)
					}
				} else if err != nil || c.what != "" {
					t.Errorf("%s: error %v, want one about %q", how, err, c.what)
				}
			}
		})
	}
}

// A server that never ends its line must not fill the memory before the limit
// is seen, and one that never ends its event but sends comments must not at all.
func TestMemoryStaysBounded(t *testing.T) {
	t.Parallel()
	endless := func(piece string) io.Reader {
		return readerFunc(func(p []byte) (int, error) { return copy(p, piece), nil })
	}

	sc := NewScanner(endless("data: 123456789 "), Options{MaxLine: 1 << 20})
	if _, err := sc.Next(); err == nil {
		t.Fatal("an endless line was taken")
	}
	if len(sc.buf) > 4<<20 {
		t.Errorf("buffer grew to %d bytes for a limit of %d", len(sc.buf), 1<<20)
	}

	comments := io.MultiReader(strings.NewReader("data: a\n"), io.LimitReader(endless(": 1234567890123\n"), 8<<20), strings.NewReader("data: b\n\n"))
	sc = NewScanner(comments, Options{})
	f, err := sc.Next()
	if err != nil || string(f.Data) != "a\nb" {
		t.Fatalf("got %q, %v", f.Data, err)
	}
	if len(sc.buf) > 64<<10 {
		t.Errorf("buffer grew to %d bytes over comments", len(sc.buf))
	}
}

type readerFunc func([]byte) (int, error)

func (f readerFunc) Read(p []byte) (int, error) { return f(p) }

func TestReaderFailures(t *testing.T) {
	t.Parallel()
	broken := errors.New("cable cut")
	sc := NewScanner(io.MultiReader(strings.NewReader("data: a\n\ndata: b\n"), iotest.ErrReader(broken)), Options{})
	if f, err := sc.Next(); err != nil || string(f.Data) != "a" {
		t.Fatalf("first frame: %q, %v", f.Data, err)
	}
	for range 2 { // the error stays, and the half event is not delivered
		if f, err := sc.Next(); err != broken {
			t.Fatalf("got %q, %v, want the reader's error", f.Data, err)
		}
	}

	// Data and error in one Read: the whole frame counts.
	together := readerFunc(func(p []byte) (int, error) { return copy(p, "data: a\n\nda"), broken })
	got, err := collect(together, Options{})
	if d := cmp.Diff([]event{{Data: "a"}}, got); d != "" || err != broken {
		t.Errorf("error %v, frames (-want +got):\n%s", err, d)
	}

	if _, err := collect(readerFunc(func([]byte) (int, error) { return 0, nil }), Options{}); err != io.ErrNoProgress {
		t.Errorf("a reader that gives nothing: %v, want io.ErrNoProgress", err)
	}
	if _, err := collect(readerFunc(func(p []byte) (int, error) { return len(p) + 1, nil }), Options{}); err == nil {
		t.Error("an impossible count was believed")
	}
	sc = NewScanner(strings.NewReader("data: a"), Options{})
	if f, err := sc.Next(); err != nil || string(f.Data) != "a" {
		t.Fatalf("got %q, %v", f.Data, err)
	}
	for range 2 {
		if _, err := sc.Next(); err != io.EOF {
			t.Fatalf("after the end: %v, want io.EOF", err)
		}
	}
}

func TestStoppingEarlyLeavesTheRest(t *testing.T) {
	t.Parallel()
	sc := NewScanner(strings.NewReader("data: a\n\ndata: b\n\n"), Options{})
	for f := range sc.All() {
		if string(f.Data) != "a" {
			t.Fatalf("first frame is %q", f.Data)
		}
		break
	}
	if f, err := sc.Next(); err != nil || string(f.Data) != "b" {
		t.Errorf("after the break: %q, %v", f.Data, err)
	}
}

// A large frame in small pieces must not be copied over and over.
func TestLargeFrame(t *testing.T) {
	t.Parallel()
	big := strings.Repeat("0123456789abcdef", 1<<18) // 4 MiB
	in := "data: small\n\nevent: image\ndata: " + big + "\ndata: " + big + "\n\ndata: small\n\n"
	small := readerFunc(func(r io.Reader) func(p []byte) (int, error) {
		return func(p []byte) (int, error) { return r.Read(p[:min(len(p), 777)]) }
	}(strings.NewReader(in)))
	got, err := collect(small, Options{})
	if err != nil {
		t.Fatal(err)
	}
	if len(got) != 3 || got[1].Event != "image" || got[1].Data != big+"\n"+big || got[2].Data != "small" {
		t.Errorf("got %d frames, or their content differs", len(got))
	}
}

func FuzzScanner(f *testing.F) {
	for _, s := range []string{
		"data: a\n\n", "event: x\r\ndata:a\r\ndata: b\r\n\r\n", "\uFEFFid: 1\rdata\r\r", "data: a\n: c\ndata: b\n\ndata:\n\n", "data: : k\n\n\n\ndata: z",
		"data: {\"a\":1}\n\nevent: done\ndata: [DONE]\n\n", "\xEF\xBBdata: a\n\n", "data\r\n\r\ndata: \r\n\n\r", "id: \x00\ndata: \xff\n\n",
	} {
		f.Add([]byte(s), uint8(3))
	}
	f.Fuzz(func(t *testing.T, in []byte, piece uint8) {
		want := reference(in)
		r := bytes.NewReader(in)
		cut := readerFunc(func(p []byte) (int, error) { return r.Read(p[:min(len(p), int(piece)+1)]) })
		sc := NewScanner(cut, Options{})
		sc.size = 8 // so that the buffer moves and grows in small inputs too
		got, err := drain(sc)
		if err != nil {
			t.Fatal(err)
		}
		if d := cmp.Diff(want, got); d != "" {
			t.Errorf("%q in pieces of %d (-reference +got):\n%s", in, int(piece)+1, d)
		}
	})
}

// stream serves one frame over and over.
type stream struct {
	frame string
	at    int
	left  int
}

func (s *stream) Read(p []byte) (n int, err error) {
	for n < len(p) {
		if s.left == 0 {
			if n == 0 {
				return 0, io.EOF
			}
			return n, nil
		}
		m := copy(p[n:], s.frame[s.at:])
		n += m
		if s.at += m; s.at == len(s.frame) {
			s.at = 0
			s.left--
		}
	}
	return n, nil
}

const benchFrame = "event: content_block_delta\ndata: {\"type\":\"content_block_delta\",\"index\":0,\"delta\":{\"type\":\"text_delta\",\"text\":\"hello\"}}\n\n"

func TestNoAllocationPerFrame(t *testing.T) {
	sc := NewScanner(&stream{frame: benchFrame, left: 1 << 30}, Options{})
	if _, err := sc.Next(); err != nil { // buffers are made here
		t.Fatal(err)
	}
	if n := testing.AllocsPerRun(2000, func() {
		if _, err := sc.Next(); err != nil {
			t.Fatal(err)
		}
	}); n != 0 {
		t.Errorf("%v allocations per frame, want 0", n)
	}
}

func BenchmarkScanner(b *testing.B) {
	for _, c := range []struct{ name, frame string }{
		{"LF", benchFrame},
		{"CRLF", strings.ReplaceAll(benchFrame, "\n", "\r\n")},
		{"CR", strings.ReplaceAll(benchFrame, "\n", "\r")},
		{"1MiB", "data: " + strings.Repeat("x", 1<<20) + "\n\n"},
	} {
		b.Run(c.name, func(b *testing.B) {
			sc := NewScanner(&stream{frame: c.frame, left: 1 << 62}, Options{})
			b.SetBytes(int64(len(c.frame)))
			b.ReportAllocs()
			for b.Loop() {
				if _, err := sc.Next(); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
