package ai

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"time"
)

// Emitter is how an adapter writes an answer. It enforces the contract of a
// stream: a start before everything else, blocks that open and close, one
// terminal event, and no half-received tool call that could be run.
//
// An adapter writes blocks with [Emitter.Text], [Emitter.Thinking] and
// [Emitter.ToolCall], sets Message().StopReason, and returns. Returning without
// a stop reason makes the answer fail, because it may have been cut off.
//
// An Emitter belongs to the adapter's goroutine for the time of the call.
type Emitter struct {
	yield        func(Event) bool
	stop         context.CancelFunc
	model        *Model
	now          func() time.Time
	begin        time.Time
	msg          AssistantMessage
	open         []*BlockWriter
	room         int64
	began        bool // start was sent
	sent         int64
	parts        int
	gone, inBody bool
	ended        bool
	watch        *watch // nil unless telemetry is wanted
	secrets      *redactor
}

// Message is the answer being built. Adapters set identifiers, usage, stop
// reason and diagnostics on it; content is written through the block writers.
func (e *Emitter) Message() *AssistantMessage { return &e.msg }

// Now gives the time by the stream's clock.
func (e *Emitter) Now() time.Time { return e.now() }

// Stopped reports that the consumer has left; the adapter may return at once.
func (e *Emitter) Stopped() bool { return e.gone }

// Sent is how many events there were. It grows as long as something comes of the
// answer.
func (e *Emitter) Sent() int64 { return e.sent }

// Start announces the answer. It may be called early; the first block does it
// otherwise.
func (e *Emitter) Start() {
	if !e.began && !e.ended {
		e.began = true
		e.send(EventStart, 0, "")
	}
}

// mostDiagnostics is how many notes an answer keeps: they are stored with it, and a
// server could give cause for any number.
const mostDiagnostics = 100

// mostDetails is how many bytes the details of a note may have.
const mostDetails = 64 << 10

// Diagnose notes something that did not make the answer fail.
func (e *Emitter) Diagnose(kind string, details any) {
	if len(e.msg.Diagnostics) >= mostDiagnostics {
		return
	}
	d := Diagnostic{Type: kind, Timestamp: e.now().UnixMilli()}
	if b, err := json.Marshal(details); err == nil && details != nil {
		if len(b) > mostDetails {
			b = fmt.Appendf(nil, `{"omitted":"%d bytes"}`, len(b))
		}
		d.Details = e.secrets.note(b)
	}
	e.msg.Diagnostics = append(e.msg.Diagnostics, d)
}

func (e *Emitter) send(t EventType, index int, delta string) {
	if e.watch != nil {
		e.watch.event(t, index, &e.msg)
	}
	e.sent++
	if e.gone {
		return
	}
	e.inBody = true
	ok := e.yield(Event{Type: t, Index: index, Delta: delta, Message: &e.msg})
	e.inBody = false
	if !ok {
		e.gone = true
		if e.stop != nil {
			e.stop()
		}
	}
}

// BlockWriter writes one content block. Several may be open at once.
type BlockWriter struct {
	e        *Emitter
	index    int
	kind     BlockType
	text     *Text
	thinking *Thinking
	call     *ToolCall
	buf      strings.Builder
	sent     int // bytes of buf that the consumer has seen
	closed   bool
}

// Text opens a text block.
func (e *Emitter) Text() *BlockWriter {
	t := &Text{}
	return e.openBlock(&BlockWriter{kind: BlockText, text: t}, t, EventTextStart)
}

// Thinking opens a thinking block.
func (e *Emitter) Thinking() *BlockWriter {
	t := &Thinking{}
	return e.openBlock(&BlockWriter{kind: BlockThinking, thinking: t}, t, EventThinkingStart)
}

// ToolCall opens a tool call. The id and name may be empty if they come later
// (see [BlockWriter.Call]).
func (e *Emitter) ToolCall(id, name string) *BlockWriter {
	c := &ToolCall{ID: id, Name: name, Arguments: json.RawMessage("{}")}
	return e.openBlock(&BlockWriter{kind: BlockToolCall, call: c}, c, EventToolCallStart)
}

// maxBlocks is far above what any answer has; a server that opens more means to
// fill the memory.
const maxBlocks = 10_000

// Part counts a part of the answer that the adapter follows although it is shown as
// no block. Together with the blocks there may be 10,000; one more unwinds the
// adapter and ends the answer with an error of [KindLimit].
func (e *Emitter) Part() {
	if e.parts++; e.parts > maxBlocks {
		panic(errAnswerTooLarge)
	}
}

// Hold counts n bytes that the adapter keeps besides the texts of the blocks, such as
// signatures in the making, against Limits.Answer; too many end the answer like too
// much text. [BlockWriter.SetSignature] counts by itself.
func (e *Emitter) Hold(n int) {
	if e.room -= int64(n); e.room < 0 {
		panic(errAnswerTooLarge)
	}
}

func (e *Emitter) openBlock(w *BlockWriter, b Block, start EventType) *BlockWriter {
	e.Part()
	e.Start()
	w.e, w.index = e, len(e.msg.Content)
	e.msg.Content = append(e.msg.Content, b)
	e.open = append(e.open, w)
	e.send(start, w.index, "")
	return w
}

// Index is the block's place in the content.
func (w *BlockWriter) Index() int { return w.index }

// Kind is the block's type.
func (w *BlockWriter) Kind() BlockType { return w.kind }

// Closed reports whether the block has ended.
func (w *BlockWriter) Closed() bool { return w.closed }

// Call gives the tool call being written, nil for other blocks. An adapter
// may set its ID, Name and signatures until the block ends.
func (w *BlockWriter) Call() *ToolCall { return w.call }

// Append adds text to the block and sends the delta. Empty text is nothing,
// except for tool calls, where some vendors send empty deltas that consumers
// of the reference format expect; those are dropped too.
func (w *BlockWriter) Append(delta string) {
	if delta == "" || w.closed {
		return
	}
	w.buf.WriteString(delta)
	w.Commit()
}

// Buffer is where a fast decoder may write text directly. [BlockWriter.Commit]
// then sends what was written, [BlockWriter.Rollback] takes it back. Only
// append to it.
func (w *BlockWriter) Buffer() *strings.Builder { return &w.buf }

// Commit sends what has been written to Buffer since the last commit. The
// strings handed out stay valid when the buffer grows: a builder only appends.
func (w *BlockWriter) Commit() {
	n := w.buf.Len() - w.sent
	if n == 0 || w.closed {
		return
	}
	w.e.room -= int64(n)
	if w.e.room < 0 {
		// The adapter is unwound by this panic and nothing else; guard turns
		// it into the error of the stream.
		w.Rollback()
		panic(errAnswerTooLarge)
	}
	s := w.buf.String()
	delta := s[w.sent:]
	w.sent = len(s)
	switch w.kind {
	case BlockText:
		w.text.Text = s
		w.e.send(EventTextDelta, w.index, delta)
	case BlockThinking:
		w.thinking.Text = s
		w.e.send(EventThinkingDelta, w.index, delta)
	case BlockToolCall:
		w.call.Partial = s
		w.e.send(EventToolCallDelta, w.index, delta)
	}
}

// Rollback forgets what has been written to Buffer since the last commit.
func (w *BlockWriter) Rollback() {
	if w.buf.Len() == w.sent {
		return
	}
	keep := w.buf.String()[:w.sent]
	w.buf = strings.Builder{}
	w.buf.WriteString(keep)
}

// Len is the number of bytes of text in the block.
func (w *BlockWriter) Len() int { return w.sent }

// String is the text in the block so far.
func (w *BlockWriter) String() string { return w.buf.String()[:w.sent] }

// SetSignature sets the opaque signature of a text, thinking or tool call
// block.
func (w *BlockWriter) SetSignature(s string) {
	w.e.Hold(len(s))
	switch w.kind {
	case BlockText:
		w.text.Signature = s
	case BlockThinking:
		w.thinking.Signature = s
	case BlockToolCall:
		w.call.ThoughtSignature = s
	}
}

// Signature gives what SetSignature set.
func (w *BlockWriter) Signature() string {
	switch w.kind {
	case BlockText:
		return w.text.Signature
	case BlockThinking:
		return w.thinking.Signature
	case BlockToolCall:
		return w.call.ThoughtSignature
	}
	return ""
}

// Redact marks a thinking block as hidden by the vendor; payload is its
// opaque form and shown what people see instead.
func (w *BlockWriter) Redact(payload, shown string) {
	if w.kind != BlockThinking || w.closed {
		return
	}
	w.thinking.Redacted, w.thinking.Signature, w.thinking.Text = true, payload, shown
	w.buf = strings.Builder{}
	w.buf.WriteString(shown)
	w.sent = len(shown)
}

// Replace sets the final text of the block where a vendor's closing event
// differs from its deltas; a longer text with the same beginning is sent as a
// delta first.
func (w *BlockWriter) Replace(text string) {
	if w.closed || text == w.String() {
		return
	}
	if rest, ok := strings.CutPrefix(text, w.String()); ok {
		w.Append(rest)
		return
	}
	w.buf = strings.Builder{}
	w.buf.WriteString(text)
	w.sent = len(text)
	switch w.kind {
	case BlockText:
		w.text.Text = text
	case BlockThinking:
		w.thinking.Text = text
	case BlockToolCall:
		w.call.Partial = text
	}
}

// End closes the block. For a tool call the arguments are parsed now: text
// that is blank means {}, text that is no JSON object leaves {} with
// ArgumentsError set. Ending twice does nothing.
func (w *BlockWriter) End() { w.end(false) }

func (w *BlockWriter) end(cut bool) {
	if w.closed {
		return
	}
	w.closed = true
	for i, o := range w.e.open {
		if o == w {
			w.e.open = append(w.e.open[:i], w.e.open[i+1:]...)
			break
		}
	}
	switch w.kind {
	case BlockText:
		w.e.send(EventTextEnd, w.index, "")
	case BlockThinking:
		w.e.send(EventThinkingEnd, w.index, "")
	case BlockToolCall:
		w.closeCall(cut)
		w.e.send(EventToolCallEnd, w.index, "")
	}
}

func (w *BlockWriter) closeCall(cut bool) {
	text := w.String()
	if cut {
		w.call.Arguments = json.RawMessage("{}")
		w.call.ArgumentsError = "the answer ended before the arguments were complete"
		return
	}
	args, err := FinalArguments(text)
	w.call.Arguments = args
	if err != nil {
		w.call.Partial, w.call.ArgumentsError = text, err.Error()
		return
	}
	w.call.Partial = ""
}

// errAnswerTooLarge is the panic value that unwinds an adapter whose answer
// exceeds the limit.
var errAnswerTooLarge = &APIError{Kind: KindLimit, Phase: PhaseStream, Message: "the answer is larger than this client accepts (Limits.Answer)"}

// finish closes open blocks and sends the terminal event.
func (e *Emitter) finish(ctx context.Context, err error) {
	if e.ended {
		return
	}
	err = e.secrets.error(err)
	for _, said := range []*string{&e.msg.ResponseID, &e.msg.ResponseModel, &e.msg.RawStopReason} {
		*said = e.secrets.text(*said)
	}
	failed := err != nil || e.gone
	for len(e.open) > 0 {
		e.open[0].end(failed)
	}
	e.bill()
	ms := max(e.now().Sub(e.begin).Milliseconds(), 0)
	e.msg.DurationMS = &ms
	switch {
	case e.gone:
		e.fail(&APIError{Kind: KindAborted, Message: "request was aborted: the consumer stopped reading"})
	case err != nil:
		e.fail(asAPIError(ctx, err, e.model))
	default:
		switch e.msg.StopReason {
		case StopEnd, StopLength, StopToolUse, StopDeferred:
			e.Start()
			e.watch.message(&e.msg)
			e.send(EventDone, 0, "")
			e.ended = true
			return
		}
		e.fail(asAPIError(ctx, Errorf(KindCutStream, "the stream ended without a stop reason"), e.model))
	}
	e.watch.message(&e.msg)
	e.send(EventError, 0, "")
	e.ended = true
}

// bill works out what an adapter leaves open that only counts tokens.
func (e *Emitter) bill() {
	u := &e.msg.Usage
	if u.Unknown || u.ContextTokens() == 0 {
		return
	}
	u.Total = u.ContextTokens()
	if u.Cost == (Cost{}) && e.model != nil {
		u.Cost = e.model.Cost.Price(*u)
	}
}

func (e *Emitter) fail(err *APIError) {
	e.msg.Failure = err
	e.msg.StopReason, e.msg.ErrorMessage = StopError, err.Error()
	if err.Kind == KindAborted {
		e.msg.StopReason = StopAborted
	}
}
