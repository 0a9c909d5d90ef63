package mockllm

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strconv"
	"time"
)

// Answer is what the server sends for one request.
type Answer struct {
	// Status is the HTTP status; 0 means 200. With another status Body is
	// sent, or if it is empty and Error is set, the error in the protocol's
	// own shape.
	Status int
	Header http.Header
	Body   string

	// Content is the streamed answer.
	Content []Block
	// Stop is the protocol's own stop word; empty means its word for "done",
	// or for "tool calls" when there are some. "-" sends none.
	Stop string
	// Usage is what is counted; nil means [DefaultUsage].
	Usage   *Usage
	UsageAt UsagePlace
	// Error is reported in the stream after the content, instead of its end.
	Error *Error
	// ID and Model are the names of the answer; empty means made-up ones, and
	// "-" sends none.
	ID, Model string
	// Edit changes the frames before they are encoded.
	Edit func([]Frame) []Frame
	// Raw is sent instead of everything above but Status and Header.
	Raw string

	Delivery Delivery

	scenario *Scenario // keeps rendered bytes
}

// Block is one piece of content.
type Block struct {
	Kind      string // "text", "thinking", "redacted" or "tool"
	ID, Name  string // of a tool call
	Signature string // of thinking; the payload of redacted
	Deltas    []string
}

// Text is a text block that arrives in these pieces.
func Text(deltas ...string) Block { return Block{Kind: "text", Deltas: deltas} }

// Thinking is a thinking block; protocols without signatures ignore it.
func Thinking(signature string, deltas ...string) Block {
	return Block{Kind: "thinking", Signature: signature, Deltas: deltas}
}

// Redacted is thinking that the vendor hides.
func Redacted(data string) Block { return Block{Kind: "redacted", Signature: data} }

// ToolCall is a tool call whose arguments arrive in these pieces.
func ToolCall(id, name string, deltas ...string) Block {
	return Block{Kind: "tool", ID: id, Name: name, Deltas: deltas}
}

// Usage counts tokens in neutral terms: Input excludes the cached parts,
// Output includes Reasoning.
type Usage struct {
	Input, Output, CacheRead, CacheWrite, CacheWrite1h, Reasoning int
}

// DefaultUsage is 1000 tokens in and one per delta out.
func DefaultUsage(content []Block) Usage {
	u := Usage{Input: 1000}
	for _, b := range content {
		u.Output += len(b.Deltas)
	}
	return u
}

// UsagePlace says where in a stream the usage stands.
type UsagePlace int

// The places of usage.
const (
	// UsageUsual is where the vendor puts it: in a last chunk without choices,
	// or in message_start and message_delta.
	UsageUsual UsagePlace = iota
	// UsageEarly is in the first frame only.
	UsageEarly
	// UsageWithStop is in the frame that carries the stop word only.
	UsageWithStop
	// UsageNone is nowhere.
	UsageNone
)

// Error is a vendor's error.
type Error struct {
	Type, Message string
	Code          any // only where the protocol has one
}

// Say is an answer of one text block.
func Say(deltas ...string) Answer { return Answer{Content: []Block{Text(deltas...)}} }

// Blocks is an answer of these blocks.
func Blocks(content ...Block) Answer { return Answer{Content: content} }

// Raw is an answer of these bytes of an event stream.
func Raw(stream string) Answer { return Answer{Raw: stream} }

// Status is an answer with an error status and an empty body; header holds
// names and values in turn.
func Status(status int, header ...string) Answer {
	a := Answer{Status: status, Header: http.Header{}}
	for i := 0; i+1 < len(header); i += 2 {
		a.Header.Set(header[i], header[i+1])
	}
	return a
}

// Failure is an answer with an error status and the vendor's error body.
func Failure(status int, kind, message string) Answer {
	return Answer{Status: status, Error: &Error{Type: kind, Message: message}}
}

// HTML is an answer as gateways and captive portals give it.
func HTML(status int) Answer {
	a := Status(status, "content-type", "text/html; charset=utf-8")
	a.Body = fmt.Sprintf("<html>\r\n<head><title>%d %s</title></head>\r\n<body><h1>%[1]d %[2]s</h1></body>\r\n</html>\r\n", status, http.StatusText(status))
	return a
}

// Via returns the answer with this delivery.
func (a Answer) Via(d Delivery) Answer {
	a.Delivery = d
	return a
}

// Delivery says how the bytes of a stream are sent. The zero value sends one
// write per event.
type Delivery struct {
	// CRLF ends lines with carriage return and line feed.
	CRLF bool
	// Keepalives puts comments, pings and empty frames between the events.
	Keepalives bool
	// Chunk is the number of bytes of one write, however that cuts lines and
	// characters. 0 sends one write per event; negative, the whole stream.
	Chunk int
	// SplitAt lists byte offsets at which a write ends; it replaces Chunk.
	SplitAt []int
	// Pace is the pause before each write but the first, on the average: what was
	// late is made up for, so that a second has as many writes as it should.
	Pace time.Duration
	// Drop closes the connection without a word.
	Drop bool
	// CutAt breaks the connection after so many bytes, EndAt ends the body
	// there as if it were whole. 0 means never.
	CutAt, EndAt int
	// HoldHeader delays the status line, Hold the stream at byte HoldAt, until
	// the channel is closed or the client leaves.
	HoldHeader, Hold <-chan struct{}
	HoldAt           int
}

// Hanging delivers nothing after the headers until release is closed; nil
// hangs until the client leaves.
func Hanging(release <-chan struct{}) Delivery {
	if release == nil {
		release = make(chan struct{})
	}
	return Delivery{Hold: release}
}

// Frame is one event of a stream.
type Frame struct {
	Event string // the event line; empty sends none
	Data  string
}

// quote encodes s as a JSON string without HTML escapes.
func quote(s string) string {
	b, err := json.Marshal(s)
	if err != nil {
		return strconv.Quote(s)
	}
	return string(b)
}
