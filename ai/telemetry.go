package ai

import (
	"context"
	"time"
	"unicode/utf8"
)

// Telemetry takes the spans and figures of requests. Implementations are safe for
// concurrent use, and quick: they are called on the goroutine of the request.
// Package otel hands them to OpenTelemetry.
//
// A request is one span "pi.ai.request" ("pi.ai.poll" for [Models.FetchDeferred])
// from before its key is looked up to the end of its answer. It begins with provider,
// api, model, type (image, classifier; chat is not said) and, when the model is asked
// to think, reasoning; it ends with stop, usage.input, usage.output, usage.cache_read, usage.cache_write, cost.total and
// response.id. On the way it has an event "pi.ai.first_chunk", and an event
// "pi.ai.block" for each block that ended: type (text, thinking, tool_call), index,
// chars (UTF-16 units) and, for a call, tool.
//
// What was asked and what was answered is in none of them; see [ContentSpan].
type Telemetry interface {
	// Span begins a span as the child of the one in ctx, and gives the context that
	// carries it.
	Span(ctx context.Context, name string, attrs ...Attr) (context.Context, Span)
	// Count adds to a counter: "pi.ai.tokens" by kind (input, output, cache_read,
	// cache_write) and "pi.ai.cost" in USD.
	Count(ctx context.Context, name, unit string, n float64, attrs ...Attr)
	// Measure adds a value to a histogram: "pi.ai.request.duration" by provider,
	// model and stop, and "pi.ai.first_chunk.duration" by provider and model; both in
	// milliseconds.
	Measure(ctx context.Context, name, unit string, value float64, attrs ...Attr)
}

// Span is one piece of work that [Telemetry] was told of.
type Span interface {
	// Event notes something that happened within.
	Event(name string, attrs ...Attr)
	// Fail marks the span as failed; name sorts the failure ("provider_error"), text
	// says it in at most 500 characters.
	Fail(name, text string)
	// End ends the span. It is called once, as the last.
	End(attrs ...Attr)
}

// ContentSpan is a [Span] that wants to see what was asked and answered. Only who
// was asked to record that should be one.
type ContentSpan interface {
	// Content is called before End. Neither may be changed or kept.
	Content(asked []Message, answer *AssistantMessage)
}

// Attr is one attribute; its value is a string, an int64, a float64 or a bool.
type Attr struct {
	Key   string
	Value any
}

const (
	spanRequest = "pi.ai.request"
	spanPoll    = "pi.ai.poll"

	maxSpanText = 500
)

// watch follows one request for [Telemetry]; nil follows nothing.
type watch struct {
	to    Telemetry
	ctx   context.Context
	span  Span
	model *Model
	now   func() time.Time
	begin time.Time
	asked []Message
	first bool
	poll  bool
}

// watch begins the span of a request.
func (m *Models) watch(ctx context.Context, name string, model *Model, level ThinkingLevel) (context.Context, *watch) {
	if m.cfg.Telemetry == nil {
		return ctx, nil
	}
	w := &watch{to: m.cfg.Telemetry, model: model, now: m.cfg.Now, begin: m.cfg.Now(), poll: name == spanPoll}
	attrs := []Attr{{"provider", model.Provider}, {"api", model.API}, {"model", model.ID}}
	if kind := model.kind(); kind != ModelChat {
		attrs = append(attrs, Attr{"type", string(kind)})
	}
	if level != "" && level != ThinkingOff {
		attrs = append(attrs, Attr{"reasoning", string(level)})
	}
	w.ctx, w.span = w.to.Span(ctx, name, attrs...)
	return w.ctx, w
}

// watchCall begins the span of a call that does not stream.
func (m *Models) watchCall(ctx context.Context, model *Model) (context.Context, *watch) {
	if model == nil {
		return ctx, nil
	}
	return m.watch(ctx, spanRequest, model, "")
}

// event is called with each event of a stream.
func (w *watch) event(t EventType, index int, m *AssistantMessage) {
	switch t {
	case EventStart, EventDone, EventError:
		return
	}
	if !w.first {
		w.first = true
		w.span.Event("pi.ai.first_chunk")
		w.to.Measure(w.ctx, "pi.ai.first_chunk.duration", "ms", w.since(), Attr{"provider", w.model.Provider}, Attr{"model", w.model.ID})
	}
	switch t {
	case EventTextEnd, EventThinkingEnd, EventToolCallEnd:
		w.span.Event("pi.ai.block", blockAttrs(index, m.Content[index])...)
	}
}

func (w *watch) since() float64 { return float64(w.now().Sub(w.begin)) / float64(time.Millisecond) }

func blockAttrs(index int, b Block) []Attr {
	kind, chars, tool := "", 0, ""
	switch b := b.(type) {
	case *Text:
		kind, chars = "text", utf16Len(b.Text)
	case *Thinking:
		kind, chars = "thinking", utf16Len(b.Text)
	case *ToolCall:
		kind, chars, tool = "tool_call", utf16Len(string(b.Arguments)), b.Name
	}
	attrs := []Attr{{"type", kind}, {"index", int64(index)}, {"chars", int64(chars)}}
	if tool != "" {
		attrs = append(attrs, Attr{"tool", tool})
	}
	return attrs
}

// utf16Len counts the UTF-16 units of a text.
func utf16Len(s string) int {
	n := utf8.RuneCountInString(s)
	for _, r := range s {
		if r > 0xFFFF {
			n++
		}
	}
	return n
}

// message ends the span of an answer that is a message.
func (w *watch) message(m *AssistantMessage) {
	if w == nil {
		return
	}
	if c, ok := w.span.(ContentSpan); ok {
		c.Content(w.asked, m)
	}
	w.end(m.StopReason, m.ErrorMessage, &m.Usage, m.ResponseID)
}

// end ends the span and gives the figures. usage may be nil.
func (w *watch) end(stop StopReason, problem string, usage *Usage, responseID string) {
	if w == nil {
		return
	}
	if usage == nil {
		usage = new(Usage)
	}
	if stop == StopError {
		w.span.Fail("provider_error", clip(problem, maxSpanText))
	}
	attrs := []Attr{
		{"stop", string(stop)},
		{"usage.input", usage.Input},
		{"usage.output", usage.Output},
		{"usage.cache_read", usage.CacheRead},
		{"usage.cache_write", usage.CacheWrite},
		{"cost.total", usage.Cost.Total},
	}
	if responseID != "" {
		attrs = append(attrs, Attr{"response.id", responseID})
	}
	w.span.End(attrs...)
	if w.poll && stop == StopDeferred {
		return // a look is no request
	}
	provider, model := Attr{"provider", w.model.Provider}, Attr{"model", w.model.ID}
	w.to.Measure(w.ctx, "pi.ai.request.duration", "ms", w.since(), provider, model, Attr{"stop", string(stop)})
	for _, c := range []struct {
		kind string
		n    int64
	}{{"input", usage.Input}, {"output", usage.Output}, {"cache_read", usage.CacheRead}, {"cache_write", usage.CacheWrite}} {
		if c.n > 0 {
			w.to.Count(w.ctx, "pi.ai.tokens", "{token}", float64(c.n), Attr{"kind", c.kind}, provider, model)
		}
	}
	if usage.Cost.Total > 0 {
		w.to.Count(w.ctx, "pi.ai.cost", "USD", usage.Cost.Total, provider, model)
	}
}
