package otel_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/pi-go/pi/ai"
	"github.com/pi-go/pi/ai/faux"
	"github.com/pi-go/pi/ai/otel"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/metric"
	metricnoop "go.opentelemetry.io/otel/metric/noop"
	"go.opentelemetry.io/otel/trace"
	tracenoop "go.opentelemetry.io/otel/trace/noop"
)

// backend writes down what an exporter would get.
type backend struct {
	tracenoop.TracerProvider
	list []string
}

func (b *backend) say(format string, args ...any) {
	b.list = append(b.list, fmt.Sprintf(format, args...))
}

func attrs(list []attribute.KeyValue) string {
	words := make([]string, 0, len(list))
	for _, a := range list {
		words = append(words, fmt.Sprintf("%s=%v", a.Key, a.Value.AsInterface()))
	}
	slices.Sort(words)
	return strings.Join(words, " ")
}

func (b *backend) Tracer(name string, opts ...trace.TracerOption) trace.Tracer {
	c := trace.NewTracerConfig(opts...)
	b.say("tracer %s %s", name, c.InstrumentationVersion())
	return tracer{b: b}
}

type tracer struct {
	tracenoop.Tracer
	b *backend
}

func (t tracer) Start(ctx context.Context, name string, opts ...trace.SpanStartOption) (context.Context, trace.Span) {
	c := trace.NewSpanStartConfig(opts...)
	t.b.say("start %q %s: %s", name, c.SpanKind(), attrs(c.Attributes()))
	s := &recorded{b: t.b}
	return trace.ContextWithSpan(ctx, s), s
}

type recorded struct {
	tracenoop.Span
	b *backend
}

func (s *recorded) SetAttributes(list ...attribute.KeyValue) { s.b.say("set %s", attrs(list)) }
func (s *recorded) SetStatus(code codes.Code, text string)   { s.b.say("status %s %s", code, text) }
func (s *recorded) End(...trace.SpanEndOption)               { s.b.say("end") }
func (s *recorded) AddEvent(name string, opts ...trace.EventOption) {
	c := trace.NewEventConfig(opts...)
	s.b.say("event %s: %s", name, attrs(c.Attributes()))
}

// meters is the other half of a backend.
type meters struct {
	metricnoop.MeterProvider
	b *backend
}

func (m meters) Meter(string, ...metric.MeterOption) metric.Meter { return meter{b: m.b} }

type meter struct {
	metricnoop.Meter
	b *backend
}

type counter struct {
	metricnoop.Float64Counter
	b    *backend
	name string
}

type histogram struct {
	metricnoop.Float64Histogram
	b    *backend
	name string
}

func (m meter) Float64Counter(name string, opts ...metric.Float64CounterOption) (metric.Float64Counter, error) {
	return counter{b: m.b, name: name + " " + metric.NewFloat64CounterConfig(opts...).Unit()}, nil
}

func (m meter) Float64Histogram(name string, opts ...metric.Float64HistogramOption) (metric.Float64Histogram, error) {
	return histogram{b: m.b, name: name + " " + metric.NewFloat64HistogramConfig(opts...).Unit()}, nil
}

func (c counter) Add(ctx context.Context, n float64, opts ...metric.AddOption) {
	set := metric.NewAddConfig(opts).Attributes()
	c.b.say("count %s %v: %s%s", c.name, n, attrs(set.ToSlice()), within(ctx))
}

func (h histogram) Record(ctx context.Context, v float64, opts ...metric.RecordOption) {
	value := fmt.Sprint(v)
	if strings.Contains(h.name, "duration") {
		value = "t"
	}
	set := metric.NewRecordConfig(opts).Attributes()
	h.b.say("measure %s %s: %s%s", h.name, value, attrs(set.ToSlice()), within(ctx))
}

func within(ctx context.Context) string {
	if _, ok := trace.SpanFromContext(ctx).(*recorded); ok {
		return ""
	}
	return " outside of its span"
}

func ask(t *testing.T, content bool, r faux.Response) []string {
	t.Helper()
	b := new(backend)
	p := faux.New(faux.Config{ID: "google", Models: []*ai.Model{{ID: "m", Reasoning: true, ContextWindow: 100_000, MaxTokens: 1000}}})
	p.Queue(r)
	models := ai.ModelsConfig{Telemetry: otel.New(otel.Config{Tracers: b, Meters: meters{b: b}, Content: content})}.New(p)
	models.Stream(t.Context(), p.Model(), ai.Request{System: "the rules", Messages: []ai.Message{
		&ai.UserMessage{Content: []ai.Block{&ai.Text{Text: "the question"}, &ai.Image{Data: "aGk=", MIMEType: "image/png"}}},
		&ai.AssistantMessage{Content: []ai.Block{&ai.ToolCall{ID: "c1", Name: "read", Arguments: []byte(`{"a":1}`)}}},
		&ai.ToolResultMessage{ToolCallID: "c1", Content: []ai.Block{&ai.Text{Text: "the file"}}},
	}}, ai.Options{Thinking: ai.ThinkingHigh}).Result()
	return b.list
}

const who = "gen_ai.operation.name=chat gen_ai.provider.name=gcp.gemini gen_ai.request.model=m"

func TestARequest(t *testing.T) {
	got := ask(t, false, faux.Response{
		ResponseID: "r1", Usage: &ai.Usage{Input: 10, Output: 4, CacheRead: 3, CacheWrite: 2, Cost: ai.Cost{Total: 0.25}},
		Steps: []faux.Step{faux.Thinking("the thought", ""), faux.Text("the answer"), faux.Call("read", `{"secret":1}`)},
	})
	// The two kinds of tokens come in any order.
	at := slices.IndexFunc(got, func(s string) bool { return strings.HasPrefix(s, "measure gen_ai.client.token.usage") })
	slices.Sort(got[at : at+2])
	want := []string{
		"tracer github.com/pi-go/pi/ai/otel " + ai.Version,
		`start "chat m" client: ` + who + " pi.ai.api=faux pi.ai.reasoning=high",
		"event pi.ai.first_chunk: ",
		"measure pi.ai.first_chunk.duration ms t: model=m provider=google",
		"event pi.ai.block: chars=11 index=0 type=thinking",
		"event pi.ai.block: chars=10 index=1 type=text",
		"event pi.ai.block: chars=12 index=2 tool=read type=tool_call",
		"set gen_ai.response.finish_reasons=[tool_call] gen_ai.response.id=r1 gen_ai.usage.cache_creation.input_tokens=2 gen_ai.usage.cache_read.input_tokens=3" +
			" gen_ai.usage.input_tokens=15 gen_ai.usage.output_tokens=4 pi.ai.cost.total=0.25",
		"measure gen_ai.client.operation.duration s t: " + who,
		"measure gen_ai.client.token.usage {token} 15: " + strings.Replace(who, " gen_ai.request.model=m", " gen_ai.request.model=m gen_ai.token.type=input", 1),
		"measure gen_ai.client.token.usage {token} 4: " + strings.Replace(who, " gen_ai.request.model=m", " gen_ai.request.model=m gen_ai.token.type=output", 1),
		"end",
		"measure pi.ai.request.duration ms t: model=m provider=google stop=toolUse",
		"count pi.ai.tokens {token} 10: kind=input model=m provider=google",
		"count pi.ai.tokens {token} 4: kind=output model=m provider=google",
		"count pi.ai.tokens {token} 3: kind=cache_read model=m provider=google",
		"count pi.ai.tokens {token} 2: kind=cache_write model=m provider=google",
		"count pi.ai.cost USD 0.25: model=m provider=google",
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Errorf("(-want +got)\n%s", d)
	}
}

func TestAFailure(t *testing.T) {
	failure := faux.Failure(ai.Errorf(ai.KindServer, "down"))
	failure.Usage = new(ai.Usage)
	got := strings.Join(ask(t, false, failure), "\n")
	for _, want := range []string{
		"set error.type=provider_error\nstatus Error down\n", "gen_ai.response.finish_reasons=[error]",
		"measure gen_ai.client.operation.duration s t: error.type=provider_error " + who, "\nend\n",
	} {
		if !strings.Contains(got, want) {
			t.Errorf("%q is missing in\n%s", want, got)
		}
	}
}

// Prompts and answers are recorded only where that was asked for.
func TestContent(t *testing.T) {
	r := func() faux.Response {
		return faux.Response{Steps: []faux.Step{faux.Thinking("the thought", ""), faux.Text("the answer"), faux.Call("read", `{"secret":1}`)}}
	}
	secrets := []string{"the rules", "the question", "the file", "the thought", "the answer", "secret", "aGk="}
	without := strings.Join(ask(t, false, r()), "\n")
	with := strings.Join(ask(t, true, r()), "\n")
	for _, s := range secrets {
		if strings.Contains(without, s) {
			t.Errorf("%q was recorded:\n%s", s, without)
		}
		if recorded := strings.Contains(with, s); recorded == (s == "aGk=") {
			t.Errorf("%q recorded: %v\n%s", s, recorded, with)
		}
	}
	for _, want := range []string{
		`gen_ai.system_instructions=[{"type":"text","content":"the rules"}]`,
		`gen_ai.input.messages=[{"role":"user","parts":[{"type":"text","content":"the question"},{"type":"blob","modality":"image","mime_type":"image/png"}]},` +
			`{"role":"assistant","parts":[{"type":"tool_call","id":"c1","name":"read","arguments":{"a":1}}]},` +
			`{"role":"tool","parts":[{"type":"tool_call_response","id":"c1","response":"the file"}]}]`,
		`gen_ai.output.messages=[{"role":"assistant","parts":[{"type":"reasoning","content":"the thought"},{"type":"text","content":"the answer"},` +
			`{"type":"tool_call","id":"call_1","name":"read","arguments":{"secret":1}}],"finish_reason":"tool_call"}]`,
	} {
		if !strings.Contains(with, want) {
			t.Errorf("%s is missing in\n%s", want, with)
		}
	}
}

// Spans of others than this package keep their names.
func TestOtherSpans(t *testing.T) {
	b := new(backend)
	tel := otel.New(otel.Config{Tracers: b, Meters: meters{b: b}})
	_, s := tel.Span(t.Context(), "pi.agent.turn", ai.Attr{Key: "n", Value: int64(1)})
	s.Event("e", ai.Attr{Key: "ok", Value: true})
	s.End(ai.Attr{Key: "f", Value: 0.5})
	if d := cmp.Diff([]string{`start "pi.agent.turn" unspecified: n=1`, "event e: ok=true", "set f=0.5", "end"}, b.list[1:]); d != "" {
		t.Error(d)
	}
}

func ExampleNew() {
	provider := faux.New(faux.Config{})
	provider.Queue(faux.Say("Hello."))
	models := ai.ModelsConfig{Telemetry: otel.New(otel.Config{})}.New(provider)
	answer, err := models.Complete(context.Background(), provider.Model(), ai.Request{Messages: []ai.Message{ai.UserText("Hi!")}}, ai.Options{})
	fmt.Println(answer.Text(), err)
	// Output: Hello. <nil>
}
