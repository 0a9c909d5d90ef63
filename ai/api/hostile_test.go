package api_test

import (
	"bytes"
	"compress/gzip"
	"context"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"hash/crc32"
	"os"
	"runtime"
	"runtime/pprof"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/pi-go/pi/ai"
	"github.com/pi-go/pi/ai/aitest"
	"github.com/pi-go/pi/ai/aitest/mockllm"
	"github.com/pi-go/pi/ai/api/azureopenairesponses"
	"github.com/pi-go/pi/ai/api/googlevertex"
	"github.com/pi-go/pi/ai/api/openaicodexresponses"
)

// The limits of the calls below, and what they may cost: the cap of the bytes of an
// answer is a multiple of its content's (wire.MaxBody), and a header may have 1 MiB.
const (
	hostileEvent  = 8 << 10
	hostileAnswer = 8 << 10
	mostRead      = 5 << 19
	mostHeld      = 2 << 20
)

// script is what an attack makes its bytes of.
type script struct {
	p    protocol
	self string // address of the server
	// blocks is an answer of more blocks than any may have.
	blocks []byte
	other  string // of another server
}

func (s script) kind() string {
	if s.p.mock == mockllm.Bedrock {
		return "application/vnd.amazon.eventstream"
	}
	return "text/event-stream"
}

// head begins an answer that ends with the connection.
func (s script) head(more ...string) string {
	lines := append([]string{"HTTP/1.1 200 OK", "Content-Type: " + s.kind()}, more...)
	return strings.Join(append(lines, "\r\n"), "\r\n")
}

// bytes are those of frames in the protocol's framing.
func (s script) bytes(list []mockllm.Frame) string {
	if s.p.mock == mockllm.Bedrock {
		return string(mockllm.EncodeBinary(list))
	}
	return string(mockllm.Encode(list, mockllm.Delivery{}))
}

// frames are those of an answer.
func (s script) frames(a mockllm.Answer) []mockllm.Frame {
	var list []mockllm.Frame
	a.Edit = func(all []mockllm.Frame) []mockllm.Frame {
		list = all
		return all
	}
	mockllm.Stream(s.p.mock, s.p.model, a)
	return list
}

const piece = "a word "

// begun are the bytes of an answer up to its first piece, and those of the word.
func (s script) begun() (start, delta string) {
	list := s.frames(mockllm.Say(piece, piece))
	at := slices.IndexFunc(list, func(f mockllm.Frame) bool { return strings.Contains(f.Data, piece) })
	return s.bytes(list[:at]), s.bytes(list[at : at+1])
}

// alive is a sign of life in the framing.
func (s script) alive() string {
	if s.p.mock == mockllm.Bedrock {
		return s.bytes([]mockllm.Frame{{Event: "ping", Data: `{"p":"abc"}`}})
	}
	return ": alive\n\n"
}

// oversized begins an event that has no end.
func (s script) oversized() string {
	if s.p.mock == mockllm.Bedrock {
		b := binary.BigEndian.AppendUint32(nil, 1<<31)
		b = binary.BigEndian.AppendUint32(b, 1<<30)
		return string(binary.BigEndian.AppendUint32(b, crc32.ChecksumIEEE(b)))
	}
	return "data: "
}

func chunk(text string) string { return fmt.Sprintf("%x\r\n%s\r\n", len(text), text) }

func bomb(text string) string {
	var b bytes.Buffer
	w := gzip.NewWriter(&b)
	for range 1 << 12 {
		_, _ = w.Write([]byte(text))
	}
	_ = w.Close()
	return b.String()
}

// attack is a kind of hostile server.
type attack struct {
	name string
	do   func(s script, p *peer)
	// kinds are those that its error may have. None means that the answer is whole.
	kinds []ai.ErrorKind
	tune  func(o *ai.Options)
	tls   bool
	many  bool // needs s.blocks, which is read to its end
}

func attacks() []attack {
	limit, cut := []ai.ErrorKind{ai.KindLimit}, []ai.ErrorKind{ai.KindCutStream}
	network, timeout := []ai.ErrorKind{ai.KindNetwork}, []ai.ErrorKind{ai.KindTimeout}
	patience := func(o *ai.Options) { o.Timeouts.Idle = 20 * time.Millisecond }
	events := func(f func(s script) string) func(script, *peer) {
		return func(s script, p *peer) {
			start, _ := s.begun()
			p.say(s.head() + start)
			p.forever(f(s))
		}
	}
	return []attack{
		{name: "byte by byte", do: func(s script, p *peer) {
			p.say(s.head())
			for _, b := range []byte(s.bytes(s.frames(mockllm.Say(piece)))) {
				p.say(string([]byte{b}))
			}
		}},
		{name: "line without end", kinds: limit, do: func(s script, p *peer) {
			start, _ := s.begun()
			p.say(s.head() + start + s.oversized())
			p.forever("x")
		}},
		{name: "event of lines without end", kinds: []ai.ErrorKind{ai.KindLimit, ai.KindProtocol}, do: events(func(s script) string { return "data: x\n" })},
		{name: "fields without end", kinds: []ai.ErrorKind{ai.KindLimit, ai.KindProtocol}, do: events(func(s script) string { return "id: 12345678\nevent: x\nretry: 5\n" })},
		{name: "blank lines without end", kinds: []ai.ErrorKind{ai.KindLimit, ai.KindProtocol}, do: events(func(s script) string { return "\n" })},
		{name: "words without end", kinds: limit, do: events(func(s script) string { _, delta := s.begun(); return delta })},
		{name: "signs of life without end", kinds: limit, do: events(script.alive)},
		{name: "pings without end", kinds: limit, do: events(func(s script) string {
			return s.bytes([]mockllm.Frame{{Event: "ping", Data: `{"type":"ping"}`}})
		})},
		{name: "empty objects without end", kinds: limit, do: events(func(s script) string { return s.bytes([]mockllm.Frame{{Data: `{}`}}) })},
		{name: "starts without end", kinds: []ai.ErrorKind{ai.KindLimit, ai.KindProtocol}, do: events(func(s script) string { start, _ := s.begun(); return start + s.alive() })},
		{name: "signs of life only", kinds: timeout, tune: func(o *ai.Options) { o.Timeouts.Progress = 20 * time.Millisecond }, do: func(s script, p *peer) {
			p.say(s.head())
			for p.say(s.alive()) && pause(context.Background()) == nil {
			}
		}},
		{name: "silence", kinds: timeout, tune: patience, do: func(s script, p *peer) {
			start, delta := s.begun()
			p.say(s.head() + start + delta)
			p.hold()
		}},
		{name: "no answer", kinds: timeout, tune: func(o *ai.Options) { o.Timeouts.Header = 20 * time.Millisecond }, do: func(_ script, p *peer) { p.hold() }},
		{name: "headers without end", kinds: network, do: func(s script, p *peer) {
			p.say("HTTP/1.1 200 OK\r\n")
			p.forever("X-More: 0123456789012345678901234567890123456789\r\n")
		}},
		{name: "header line without end", kinds: network, do: func(s script, p *peer) {
			p.say("HTTP/1.1 200 OK\r\nX-More: ")
			p.forever("x")
		}},
		{name: "early hints without end", kinds: network, do: func(s script, p *peer) {
			p.forever("HTTP/1.1 103 Early Hints\r\nLink: </style.css>\r\n\r\n")
		}},
		{name: "garbage for HTTP", kinds: network, do: func(s script, p *peer) { p.forever("\x15\x03\x01\x00\x02\x02\x16") }},
		{name: "garbage for TLS", kinds: network, tls: true, do: func(s script, p *peer) {}},
		{name: "chunks that are none", kinds: cut, do: func(s script, p *peer) {
			start, delta := s.begun()
			p.say(s.head("Transfer-Encoding: chunked") + chunk(start+delta))
			p.forever("zz\r\n")
		}},
		{name: "chunk extension without end", kinds: cut, do: func(s script, p *peer) {
			start, delta := s.begun()
			p.say(s.head("Transfer-Encoding: chunked") + chunk(start+delta) + "5;x=")
			p.forever("x")
		}},
		{name: "chunk of all the world", kinds: limit, do: func(s script, p *peer) {
			start, delta := s.begun()
			p.say(s.head("Transfer-Encoding: chunked") + chunk(start+delta) + "7fffffffffffffff\r\n")
			p.forever(s.alive())
		}},
		{name: "trailer without end", kinds: cut, do: func(s script, p *peer) {
			start, delta := s.begun()
			p.say(s.head("Transfer-Encoding: chunked") + chunk(start+delta) + "0\r\n")
			p.forever("X-More: 0123456789012345678901234567890123456789\r\n")
		}},
		{name: "length that is too long", kinds: cut, do: func(s script, p *peer) {
			start, delta := s.begun()
			p.say(s.head("Content-Length: 1000000") + start + delta)
		}},
		{name: "length that is too short", kinds: cut, do: func(s script, p *peer) {
			all := s.bytes(s.frames(mockllm.Say(piece)))
			p.say(s.head("Connection: close", fmt.Sprint("Content-Length: ", len(all)/3)) + all)
		}},
		{name: "lengths that differ", kinds: network, do: func(s script, p *peer) {
			p.say(s.head("Content-Length: 10", "Content-Length: 1000") + s.alive())
		}},
		{name: "broken in the middle of an event", kinds: cut, do: func(s script, p *peer) {
			start, delta := s.begun()
			p.say(s.head() + start + delta[:len(delta)/2])
			p.reset()
		}},
		{name: "compressed bomb", kinds: limit, do: func(s script, p *peer) {
			start, _ := s.begun()
			var b bytes.Buffer
			w := gzip.NewWriter(&b)
			_, _ = w.Write([]byte(start))
			_ = w.Close()
			p.say(s.head("Content-Encoding: gzip") + b.String())
			p.forever(bomb(strings.Repeat(s.alive(), 8)))
		}},
		{name: "compressed bomb as an error", kinds: []ai.ErrorKind{ai.KindServer}, do: func(s script, p *peer) {
			p.say("HTTP/1.1 500 No\r\nContent-Type: application/json\r\nContent-Encoding: gzip\r\n\r\n")
			p.forever(bomb("no no no"))
		}},
		{name: "error without end", kinds: []ai.ErrorKind{ai.KindBadRequest}, do: func(s script, p *peer) {
			p.say("HTTP/1.1 400 No\r\nContent-Type: application/json\r\n\r\n{\"error\":{\"message\":\"")
			p.forever("no ")
		}},
		{name: "error that stays silent", kinds: []ai.ErrorKind{ai.KindBadRequest}, tune: patience, do: func(s script, p *peer) {
			p.say("HTTP/1.1 400 No\r\nContent-Type: application/json\r\n\r\n{\"error\":")
			p.hold()
		}},
		{name: "page without end", kinds: []ai.ErrorKind{ai.KindProtocol}, do: func(s script, p *peer) {
			p.say("HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n<html><title>")
			p.forever("x")
		}},
		{name: "document without end", kinds: []ai.ErrorKind{ai.KindLimit, ai.KindProtocol, ai.KindUnknown}, do: func(s script, p *peer) {
			p.say("HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n\r\n{\"a\":[")
			p.forever("1,")
		}},
		{name: "come back next year", kinds: []ai.ErrorKind{ai.KindRateLimit}, tune: func(o *ai.Options) { o.MaxRetries = 5 }, do: func(s script, p *peer) {
			p.say("HTTP/1.1 429 No\r\nRetry-After: 31536000\r\nContent-Length: 2\r\n\r\n{}")
		}},
		{name: "redirects in circles", kinds: []ai.ErrorKind{ai.KindProtocol, ai.KindConfig}, do: func(s script, p *peer) {
			p.say("HTTP/1.1 307 There\r\nLocation: " + s.self + "/again\r\nContent-Length: 0\r\nConnection: close\r\n\r\n")
		}},
		{name: "redirect to somebody else", kinds: []ai.ErrorKind{ai.KindProtocol}, do: func(s script, p *peer) {
			p.say("HTTP/1.1 307 There\r\nLocation: " + s.other + "/?q=1\r\nContent-Length: 0\r\n\r\n")
		}},
		{name: "deep arguments", do: func(s script, p *peer) {
			deep := `{"a":` + strings.Repeat("[", 12000) + strings.Repeat("]", 12000) + "}"
			p.say(s.head() + s.bytes(s.frames(mockllm.Blocks(mockllm.ToolCall("t1", "read", deep)))))
		}, tune: func(o *ai.Options) { o.Limits = ai.Limits{} }},
		{name: "blocks without end", kinds: limit, tune: func(o *ai.Options) { o.Limits = ai.Limits{Event: 1 << 20, Answer: 1 << 20} }, many: true, do: func(s script, p *peer) {
			p.say(s.head())
			for part := range slices.Chunk(s.blocks, 64<<10) {
				p.say(string(part))
			}
			p.hold()
		}},
	}
}

// sharedDecoders are protocols that read answers with the code of another one.
var sharedDecoders = []string{azureopenairesponses.ID, openaicodexresponses.ID, googlevertex.ID}

// No server can make a call hold unbounded memory, go on for ever, or leave a
// goroutine or connection behind, and each ends in an error that says what was wrong.
// Memory is counted for a whole process, so that these attacks have one of their own.
func TestHostileServers(t *testing.T) {
	if os.Getenv(aloneVariable) == "" {
		runAlone(t)
		return
	}
	for _, a := range attacks() {
		t.Run(a.name, func(t *testing.T) {
			for _, p := range protocols() {
				if a.many && slices.Contains(sharedDecoders, p.api.ID()) {
					continue
				}
				t.Run(p.api.ID(), func(t *testing.T) { a.run(t, p) })
			}
		})
	}
}

func (a attack) run(t *testing.T, p protocol) {
	s := script{p: p}
	other := newHostileServer(t, func(*peer) {})
	defer other.close()
	server := newHostileServer(t, func(c *peer) { a.do(s, c) })
	defer server.close()
	s.self, s.other = "http://"+server.Addr().String(), "http://"+other.Addr().String()
	if a.many {
		blocks := make([]mockllm.Block, 10_100)
		for i := range blocks {
			blocks[i] = mockllm.Text(piece)
			if i%2 == 0 {
				blocks[i] = mockllm.Thinking("", piece)
			}
		}
		s.blocks = []byte(s.bytes(s.frames(mockllm.Blocks(blocks...))))
	}
	before := inUse()
	client := newCounted()
	var m *ai.AssistantMessage
	pprof.Do(t.Context(), pprof.Labels(mark, t.Name()), func(ctx context.Context) {
		m = a.ask(ctx, t, s, client)
		client.Close()
	})
	if stacks := left(t, t.Name(), client); stacks != "" || client.open.Load() != 0 {
		t.Errorf("%d connections and these goroutines are left:\n%s", client.open.Load(), stacks)
	}
	now := inUse()
	kept := now - min(before, now)
	runtime.KeepAlive(m)
	runtime.KeepAlive(s.blocks)
	held := client.peak.Load() - min(before, client.peak.Load())
	room := uint64(mostHeld)
	if a.many {
		room *= 6 // 10,000 blocks, and what the test notes of them
	}
	if n := client.read.Load(); n > mostRead+int64(len(s.blocks)) || held > room || kept > room {
		t.Errorf("%d bytes read, %d held in between, %d kept", n, held, kept)
	}
	t.Logf("%d bytes read, %d held in between, %d kept: %.100s %.300s", client.read.Load(), held, kept, outline(m), m.ErrorMessage)
	if n := len(other.requests()); n != 0 {
		t.Errorf("somebody else got %q", other.requests())
	}
	a.verdict(t, p, m)
}

func (a attack) ask(ctx context.Context, t *testing.T, s script, client *counted) *ai.AssistantMessage {
	model := s.p.ai()
	model.BaseURL = strings.Replace(s.p.base, "http://mock", s.self, 1)
	if a.tls {
		model.BaseURL = strings.Replace(model.BaseURL, "http://", "https://", 1)
	}
	models := ai.ModelsConfig{HTTPClient: client.HTTPClient(), Env: func(string) string { return "" }}.New(
		ai.NewProvider(ai.ProviderConfig{ID: model.Provider, Models: []*ai.Model{model}, APIs: []ai.API{s.p.api}}))
	opts := (&line{p: s.p}).options()
	opts.Limits = ai.Limits{Event: hostileEvent, Answer: hostileAnswer}
	if a.tune != nil {
		a.tune(&opts)
	}
	return aitest.Check(t, models.Stream(ctx, model, ai.Request{Tools: tools(), Messages: []ai.Message{ai.UserText("x")}}, opts))
}

// verdict looks at how the call ended.
func (a attack) verdict(t *testing.T, p protocol, m *ai.AssistantMessage) {
	if len(a.kinds) == 0 {
		if m.Failure != nil && m.Failure.Kind != ai.KindProtocol {
			t.Errorf("%s: %s", outline(m), m.ErrorMessage)
		}
		return
	}
	if m.Failure == nil || !slices.Contains(a.kinds, m.Failure.Kind) {
		t.Fatalf("%.300s: %s; want one of %s", outline(m), m.ErrorMessage, a.kinds)
	}
	text := m.ErrorMessage
	if len(text) < 12 || len(text) > 5000 || strings.ContainsFunc(text, func(r rune) bool { return r < ' ' && r != '\n' }) {
		t.Errorf("%d bytes of error: %.200q", len(text), text)
	}
	if key := p.key; key != "" && strings.Contains(text, key[:6]) {
		t.Errorf("the key is in %s", text)
	}
	stored, err := json.Marshal(m)
	if err != nil || len(stored) > mostHeld {
		t.Errorf("%d bytes to store, %v", len(stored), err)
	}
	if errors.Is(m.Failure, context.Canceled) {
		t.Error("it looks as if the caller had cancelled")
	}
}
