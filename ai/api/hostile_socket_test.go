package api_test

import (
	"bufio"
	"crypto/sha1" //nolint:gosec // the handshake of RFC 6455 wants it
	"encoding/base64"
	"encoding/binary"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/pi-go/pi/ai"
	"github.com/pi-go/pi/ai/aitest/mockllm"
	"github.com/pi-go/pi/ai/api/openaicodexresponses"
)

// The opcodes of RFC 6455, those of a message's last frame.
const (
	socketPart  = 0x00 // the rest of a message follows
	socketText  = 0x81
	socketClose = 0x88
	socketPing  = 0x89
)

// socketFrame is a frame of a server.
func socketFrame(first byte, payload string) string {
	b := []byte{first, byte(len(payload))}
	if len(payload) > 125 {
		b[1] = 126
		b = binary.BigEndian.AppendUint16(b, uint16(len(payload)))
	}
	return string(b) + payload
}

// shake accepts a WebSocket.
func (p *peer) shake() bool {
	asked := p.s.requests()
	r, err := http.ReadRequest(bufio.NewReader(strings.NewReader(asked[p.n-1])))
	if err != nil {
		return false
	}
	sum := sha1.Sum([]byte(r.Header.Get("Sec-WebSocket-Key") + "258EAFA5-E914-47DA-95CA-C5AB0DC85B11"))
	return p.say("HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Accept: " +
		base64.StdEncoding.EncodeToString(sum[:]) + "\r\n\r\n")
}

// The same as TestHostileServers for answers that come over a WebSocket.
func TestHostileSockets(t *testing.T) {
	at := slices.IndexFunc(protocols(), func(p protocol) bool { return p.api.ID() == openaicodexresponses.ID })
	p := protocols()[at]
	p.options = openaicodexresponses.Options{Transport: openaicodexresponses.TransportWebSocket}
	shortly := p
	shortly.options = openaicodexresponses.Options{Transport: openaicodexresponses.TransportWebSocket, ConnectTimeout: 20 * time.Millisecond}
	limit, cut := []ai.ErrorKind{ai.KindLimit}, []ai.ErrorKind{ai.KindCutStream, ai.KindNetwork}
	timeout := []ai.ErrorKind{ai.KindTimeout}
	word := func(s script) string {
		list := s.frames(mockllm.Say(piece, piece))
		return list[slices.IndexFunc(list, func(f mockllm.Frame) bool { return strings.Contains(f.Data, piece) })].Data
	}
	// open accepts the socket and begins an answer.
	open := func(s script, p *peer) {
		p.shake()
		for _, f := range s.frames(mockllm.Say(piece))[:3] {
			p.say(socketFrame(socketText, f.Data))
		}
	}
	after := func(more func(s script) string) func(script, *peer) {
		return func(s script, p *peer) {
			open(s, p)
			p.forever(more(s))
		}
	}
	for _, a := range []struct {
		attack
		by protocol
	}{
		{attack{name: "no handshake", kinds: timeout, do: func(_ script, p *peer) { p.hold() }}, shortly},
		{attack{name: "handshake without end", kinds: cut, do: func(_ script, p *peer) {
			p.say("HTTP/1.1 101 Switching Protocols\r\n")
			p.forever("X-More: 0123456789012345678901234567890123456789\r\n")
		}}, p},
		{attack{name: "refusal without end", kinds: []ai.ErrorKind{ai.KindAuth}, do: func(_ script, p *peer) {
			p.say("HTTP/1.1 401 No\r\n\r\n")
			p.forever("no ")
		}}, p},
		{attack{name: "answer that is no handshake", kinds: cut, do: func(_ script, p *peer) {
			p.say("HTTP/1.1 200 OK\r\n\r\n")
			p.forever("no ")
		}}, p},
		{attack{name: "handshake of another", kinds: cut, do: func(_ script, p *peer) {
			p.say("HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Accept: AAAA\r\n\r\n")
		}}, p},
		{attack{name: "words without end", kinds: limit, do: after(func(s script) string { return socketFrame(socketText, word(s)) })}, p},
		{attack{name: "empty messages without end", kinds: cut, do: after(func(script) string { return socketFrame(socketText, "") })}, p},
		{attack{name: "message without end", kinds: limit, do: func(s script, p *peer) {
			open(s, p)
			p.say(socketFrame(0x01, "{"))
			p.forever(socketFrame(socketPart, "                                        "))
		}}, p},
		{attack{name: "frame of all the world", kinds: limit, do: func(s script, p *peer) {
			open(s, p)
			p.say("\x81\x7f\x3f\xff\xff\xff\xff\xff\xff\xff")
			p.forever("x")
		}}, p},
		{attack{name: "pings without end", kinds: timeout, tune: func(o *ai.Options) { o.Timeouts.Idle = 50 * time.Millisecond }, do: func(s script, p *peer) {
			open(s, p)
			go p.hold() // its pongs
			p.forever(socketFrame(socketPing, "x"))
		}}, p},
		{attack{name: "signs of life only", kinds: timeout, tune: func(o *ai.Options) { o.Timeouts.Progress = 20 * time.Millisecond }, do: func(s script, p *peer) {
			open(s, p)
			for p.say(socketFrame(socketText, `{"type":"keepalive"}`)) && pause(t.Context()) == nil {
			}
		}}, p},
		{attack{name: "silence", kinds: timeout, tune: func(o *ai.Options) { o.Timeouts.Idle = 20 * time.Millisecond }, do: func(s script, p *peer) {
			open(s, p)
			p.hold()
		}}, p},
		{attack{name: "farewell", kinds: cut, do: func(s script, p *peer) {
			open(s, p)
			p.say(socketFrame(socketClose, "\x0f\xa0you sent "+s.p.key[:60]))
		}}, p},
		{attack{name: "broken", kinds: cut, do: func(s script, p *peer) {
			open(s, p)
			p.say("\x81\x7d{")
			p.reset()
		}}, p},
		{attack{name: "compressed without having agreed", kinds: cut, do: func(s script, p *peer) {
			open(s, p)
			p.forever(socketFrame(0xc1, "\x00\x01\x02"))
		}}, p},
		{attack{name: "masked", kinds: []ai.ErrorKind{ai.KindCutStream, ai.KindProtocol}, do: func(s script, p *peer) {
			open(s, p)
			p.forever("\x81\x81abcdx")
		}}, p},
	} {
		t.Run(a.name, func(t *testing.T) { a.run(t, a.by) })
	}
}
