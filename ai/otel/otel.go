package otel

import (
	"context"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/pi-go/pi/ai"
	global "go.opentelemetry.io/otel"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/metric"
	"go.opentelemetry.io/otel/trace"
)

// scope names the instrumentation.
const scope = "github.com/pi-go/pi/ai/otel"

// Config says where telemetry goes. The zero value uses the global providers of
// OpenTelemetry, as they are when New is called, and records no content.
type Config struct {
	Tracers trace.TracerProvider
	Meters  metric.MeterProvider
	// Content records what was asked and answered on each span
	// (gen_ai.system_instructions, gen_ai.input.messages, gen_ai.output.messages):
	// prompts, answers, arguments and results of tools, but not the data of images.
	// Whoever can read the spans can read all of it.
	Content bool
	// Now is the clock; nil means [time.Now].
	Now func() time.Time
}

// New makes the adapter. It is safe for concurrent use.
func New(c Config) ai.Telemetry {
	if c.Tracers == nil {
		c.Tracers = global.GetTracerProvider()
	}
	if c.Meters == nil {
		c.Meters = global.GetMeterProvider()
	}
	if c.Now == nil {
		c.Now = time.Now
	}
	version := ai.Version
	return &adapter{
		tracer:  c.Tracers.Tracer(scope, trace.WithInstrumentationVersion(version)),
		meter:   c.Meters.Meter(scope, metric.WithInstrumentationVersion(version)),
		content: c.Content, now: c.Now, counters: make(map[string]metric.Float64Counter), histograms: make(map[string]metric.Float64Histogram),
	}
}

type adapter struct {
	tracer  trace.Tracer
	meter   metric.Meter
	content bool
	now     func() time.Time

	mu         sync.Mutex
	counters   map[string]metric.Float64Counter
	histograms map[string]metric.Float64Histogram
}

// Span begins a span. Those of requests get the names of the conventions; others
// keep theirs.
func (a *adapter) Span(ctx context.Context, name string, attrs ...ai.Attr) (context.Context, ai.Span) {
	if name != "pi.ai.request" && name != "pi.ai.poll" {
		ctx, s := a.tracer.Start(ctx, name, trace.WithAttributes(plain(attrs)...))
		return ctx, span{s}
	}
	r := &request{a: a, common: common(attrs), begin: a.now()}
	spanName := operation(attrs)
	if model := text(attrs, "model"); model != "" {
		spanName += " " + model
	}
	list := slices.Clone(r.common)
	for _, key := range []string{"api", "reasoning"} {
		if v := text(attrs, key); v != "" {
			list = append(list, attribute.String("pi.ai."+key, v))
		}
	}
	if name == "pi.ai.poll" {
		list = append(list, attribute.Bool("pi.ai.poll", true))
	}
	ctx, s := a.tracer.Start(ctx, spanName, trace.WithSpanKind(trace.SpanKindClient), trace.WithAttributes(list...))
	r.span, r.ctx = span{s}, ctx
	if a.content {
		return ctx, recorder{r}
	}
	return ctx, r
}

// Count adds to the counter of this name.
func (a *adapter) Count(ctx context.Context, name, unit string, n float64, attrs ...ai.Attr) {
	a.mu.Lock()
	c, known := a.counters[name]
	if !known {
		var err error
		if c, err = a.meter.Float64Counter(name, metric.WithUnit(unit)); err != nil {
			global.Handle(err) // the counter works, or does nothing
		}
		a.counters[name] = c
	}
	a.mu.Unlock()
	c.Add(ctx, n, metric.WithAttributes(plain(attrs)...))
}

// Measure adds to the histogram of this name.
func (a *adapter) Measure(ctx context.Context, name, unit string, value float64, attrs ...ai.Attr) {
	a.record(ctx, name, unit, value, plain(attrs))
}

func (a *adapter) record(ctx context.Context, name, unit string, value float64, attrs []attribute.KeyValue) {
	a.mu.Lock()
	h, known := a.histograms[name]
	if !known {
		var err error
		if h, err = a.meter.Float64Histogram(name, metric.WithUnit(unit)); err != nil {
			global.Handle(err)
		}
		a.histograms[name] = h
	}
	a.mu.Unlock()
	h.Record(ctx, value, metric.WithAttributes(attrs...))
}

// common are the attributes that spans and metrics of a request share.
func common(attrs []ai.Attr) []attribute.KeyValue {
	return []attribute.KeyValue{
		attribute.String("gen_ai.operation.name", operation(attrs)),
		attribute.String("gen_ai.provider.name", vendor(text(attrs, "provider"))),
		attribute.String("gen_ai.request.model", text(attrs, "model")),
	}
}

func operation(attrs []ai.Attr) string {
	switch text(attrs, "type") {
	case string(ai.ModelImage):
		return "generate_content"
	case string(ai.ModelClassifier):
		return "classify"
	}
	return "chat"
}

// vendor is the conventions' name of a provider, where they have one.
func vendor(provider string) string {
	switch provider {
	case "amazon-bedrock":
		return "aws.bedrock"
	case "azure":
		return "azure.ai.openai"
	case "google":
		return "gcp.gemini"
	case "google-vertex":
		return "gcp.vertex_ai"
	case "mistral":
		return "mistral_ai"
	case "openai-codex":
		return "openai"
	case "xai":
		return "x_ai"
	}
	return provider
}

// text gives the value of an attribute that is a text.
func text(attrs []ai.Attr, key string) string {
	for _, a := range attrs {
		if s, ok := a.Value.(string); ok && a.Key == key {
			return s
		}
	}
	return ""
}

// number gives the value of an attribute that counts.
func number(attrs []ai.Attr, key string) int64 {
	for _, a := range attrs {
		if n, ok := a.Value.(int64); ok && a.Key == key {
			return n
		}
	}
	return 0
}

// plain turns attributes into those of OpenTelemetry, as they are.
func plain(attrs []ai.Attr) []attribute.KeyValue {
	list := make([]attribute.KeyValue, 0, len(attrs))
	for _, a := range attrs {
		switch v := a.Value.(type) {
		case string:
			list = append(list, attribute.String(a.Key, v))
		case int64:
			list = append(list, attribute.Int64(a.Key, v))
		case float64:
			list = append(list, attribute.Float64(a.Key, v))
		case bool:
			list = append(list, attribute.Bool(a.Key, v))
		}
	}
	return list
}

// span is any span.
type span struct{ s trace.Span }

func (s span) Event(name string, attrs ...ai.Attr) {
	s.s.AddEvent(name, trace.WithAttributes(plain(attrs)...))
}

func (s span) Fail(name, text string) {
	s.s.SetAttributes(attribute.String("error.type", name))
	s.s.SetStatus(codes.Error, text)
}

func (s span) End(attrs ...ai.Attr) {
	s.s.SetAttributes(plain(attrs)...)
	s.s.End()
}

// request is the span of a request.
type request struct {
	span
	a      *adapter
	ctx    context.Context
	common []attribute.KeyValue
	begin  time.Time
	failed string
}

func (r *request) Fail(name, text string) {
	r.failed = name
	r.span.Fail(name, text)
}

func (r *request) End(attrs ...ai.Attr) {
	input := number(attrs, "usage.input") + number(attrs, "usage.cache_read") + number(attrs, "usage.cache_write")
	output := number(attrs, "usage.output")
	list := []attribute.KeyValue{
		attribute.StringSlice("gen_ai.response.finish_reasons", []string{finish(text(attrs, "stop"))}),
		attribute.Int64("gen_ai.usage.input_tokens", input),
		attribute.Int64("gen_ai.usage.output_tokens", output),
		attribute.Int64("gen_ai.usage.cache_read.input_tokens", number(attrs, "usage.cache_read")),
		attribute.Int64("gen_ai.usage.cache_creation.input_tokens", number(attrs, "usage.cache_write")),
	}
	if id := text(attrs, "response.id"); id != "" {
		list = append(list, attribute.String("gen_ai.response.id", id))
	}
	for _, a := range attrs {
		if cost, ok := a.Value.(float64); ok && a.Key == "cost.total" {
			list = append(list, attribute.Float64("pi.ai.cost.total", cost))
		}
	}
	r.s.SetAttributes(list...)
	outcome := slices.Clone(r.common)
	if r.failed != "" {
		outcome = append(outcome, attribute.String("error.type", r.failed))
	}
	r.a.record(r.ctx, "gen_ai.client.operation.duration", "s", r.a.now().Sub(r.begin).Seconds(), outcome)
	for kind, n := range map[string]int64{"input": input, "output": output} {
		if n > 0 {
			r.a.record(r.ctx, "gen_ai.client.token.usage", "{token}", float64(n), append(slices.Clone(r.common), attribute.String("gen_ai.token.type", kind)))
		}
	}
	r.s.End()
}

// finish is the conventions' word for why an answer ended.
func finish(stop string) string {
	if stop == string(ai.StopToolUse) {
		return "tool_call"
	}
	return strings.ToLower(stop)
}
