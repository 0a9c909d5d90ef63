package ai_test

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/pi-go/pi/ai"
	"github.com/pi-go/pi/ai/faux"
)

// notes writes down what it is told.
type notes struct {
	mu      sync.Mutex
	list    []string
	content bool
}

type noted struct{ n *notes }

func (n *notes) say(format string, args ...any) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.list = append(n.list, fmt.Sprintf(format, args...))
}

func attrs(list []ai.Attr) string {
	var b strings.Builder
	for _, a := range list {
		fmt.Fprintf(&b, " %s=%v", a.Key, a.Value)
	}
	return b.String()
}

type carried struct{}

func (n *notes) Span(ctx context.Context, name string, list ...ai.Attr) (context.Context, ai.Span) {
	n.say("span %s under %v%s", name, ctx.Value(carried{}), attrs(list))
	ctx = context.WithValue(ctx, carried{}, name)
	if n.content {
		return ctx, watcher{noted{n}}
	}
	return ctx, noted{n}
}

func (n *notes) Count(ctx context.Context, name, unit string, v float64, list ...ai.Attr) {
	n.say("count %s %v %s in %v%s", name, v, unit, ctx.Value(carried{}), attrs(list))
}

func (n *notes) Measure(ctx context.Context, name, unit string, v float64, list ...ai.Attr) {
	n.say("measure %s %v %s in %v%s", name, v, unit, ctx.Value(carried{}), attrs(list))
}

func (s noted) Event(name string, list ...ai.Attr) { s.n.say("event %s%s", name, attrs(list)) }
func (s noted) Fail(name, text string)             { s.n.say("fail %s: %s", name, text) }
func (s noted) End(list ...ai.Attr)                { s.n.say("end%s", attrs(list)) }

type watcher struct{ noted }

func (w watcher) Content(asked []ai.Message, answer *ai.AssistantMessage) {
	w.n.say("content: asked %d messages, answered %q", len(asked), answer.Text())
}

func (n *notes) diff(t *testing.T, want ...string) {
	t.Helper()
	n.mu.Lock()
	defer n.mu.Unlock()
	if d := cmp.Diff(want, n.list); d != "" {
		t.Errorf("(-want +got)\n%s", d)
	}
}

func TestTelemetryOfAStream(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		n := new(notes)
		p := faux.New(faux.Config{Chunk: -1, Delay: 10 * time.Millisecond})
		p.Queue(faux.Response{
			ResponseID: "r1", Usage: &ai.Usage{Input: 10, Output: 4, CacheRead: 3, Cost: ai.Cost{Total: 0.25}},
			Steps: []faux.Step{faux.Thinking("secret 🧭", ""), faux.Text("secret"), faux.Call("read", `{"a":1}`)},
		})
		s := ai.ModelsConfig{Telemetry: n}.New(p).Stream(context.WithValue(t.Context(), carried{}, "turn"), p.Model(),
			ai.Request{Messages: []ai.Message{ai.UserText("secret")}}, ai.Options{Thinking: ai.ThinkingHigh})
		n.diff(t) // nothing is asked before it is pulled
		for ev := range s.Events() {
			if ev.Terminal() { // by then the span has ended
				n.say("done")
			}
		}
		const in = " in pi.ai.request"
		n.diff(t,
			"span pi.ai.request under turn provider=faux api=faux model=faux-1 reasoning=high",
			"event pi.ai.first_chunk",
			"measure pi.ai.first_chunk.duration 0 ms"+in+" provider=faux model=faux-1",
			"event pi.ai.block type=thinking index=0 chars=9",
			"event pi.ai.block type=text index=1 chars=6",
			"event pi.ai.block type=tool_call index=2 chars=7 tool=read",
			"end stop=toolUse usage.input=10 usage.output=4 usage.cache_read=3 usage.cache_write=0 cost.total=0.25 response.id=r1",
			"measure pi.ai.request.duration 30 ms"+in+" provider=faux model=faux-1 stop=toolUse",
			"count pi.ai.tokens 10 {token}"+in+" kind=input provider=faux model=faux-1",
			"count pi.ai.tokens 4 {token}"+in+" kind=output provider=faux model=faux-1",
			"count pi.ai.tokens 3 {token}"+in+" kind=cache_read provider=faux model=faux-1",
			"count pi.ai.cost 0.25 USD"+in+" provider=faux model=faux-1",
			"done")
		if all := strings.Join(n.list, "\n"); strings.Contains(all, "secret") {
			t.Errorf("content was told:\n%s", all)
		}
	})
}

func TestTelemetryOfFailures(t *testing.T) {
	t.Parallel()
	ask := func(ctx context.Context, r faux.Response, leave bool) *notes {
		n := new(notes)
		p := faux.New(faux.Config{})
		p.Queue(r)
		s := ai.ModelsConfig{Telemetry: n, Now: func() time.Time { return time.Unix(1, 0) }}.New(p).Stream(ctx, p.Model(), ai.Request{}, ai.Options{})
		for range s.Events() {
			if leave {
				break
			}
		}
		return n
	}
	const begin, zero = "span pi.ai.request under <nil> provider=faux api=faux model=faux-1", " usage.input=0 usage.output=0 usage.cache_read=0 usage.cache_write=0 cost.total=0"
	took := func(stop string) string {
		return "measure pi.ai.request.duration 0 ms in pi.ai.request provider=faux model=faux-1 stop=" + stop
	}
	failure := faux.Failure(ai.Errorf(ai.KindServer, "%s", strings.Repeat("é", 600)))
	failure.Usage = new(ai.Usage)
	n := ask(t.Context(), failure, false)
	n.diff(t, begin, "fail provider_error: "+strings.Repeat("é", 500)+"… (100 more characters)", "end stop=error"+zero, took("error"))
	hang := faux.Calls(faux.Do(func() {}))
	hang.Usage = new(ai.Usage)
	n = ask(t.Context(), hang, true) // aborted is no failure
	n.diff(t, begin, "end stop=aborted"+zero, took("aborted"))
	gone, cancel := context.WithCancel(t.Context())
	cancel()
	ask(gone, hang, false).diff(t) // never asked
	boom := faux.Calls(faux.Do(func() { panic("boom") }))
	n = ask(t.Context(), boom, false)
	n.diff(t, begin, "fail provider_error: protocol adapter failed: boom", "end stop=error"+zero, took("error"))
}

// Only a span that wants to see the content is shown it.
func TestTelemetryOfContent(t *testing.T) {
	t.Parallel()
	n := &notes{content: true}
	p := faux.New(faux.Config{})
	p.Queue(faux.Say("Hi."))
	ai.ModelsConfig{Telemetry: n}.New(p).Stream(t.Context(), p.Model(), ai.Request{System: "x", Messages: []ai.Message{ai.UserText("y")}}, ai.Options{}).Result()
	if !strings.Contains(strings.Join(n.list, "\n"), `content: asked 2 messages, answered "Hi."`+"\nend ") {
		t.Errorf("%q", n.list)
	}
}

// A look at an answer that is not ready counts as no request.
func TestTelemetryOfPolls(t *testing.T) {
	t.Parallel()
	n := new(notes)
	p := faux.New(faux.Config{})
	p.Queue(faux.Later("d", 0), faux.Say("x"))
	models := ai.ModelsConfig{Telemetry: n}.New(p)
	h := ai.DeferredHandle{Provider: "faux", Model: "faux-1", ID: "d"}
	models.FetchDeferred(t.Context(), h, 0, ai.Options{}).Result()
	if len(n.list) != 2 || !strings.HasPrefix(n.list[0], "span pi.ai.poll ") || !strings.HasPrefix(n.list[1], "end stop=deferred") {
		t.Errorf("%q", n.list)
	}
	models.FetchDeferred(t.Context(), h, 0, ai.Options{}).Result()
	if all := strings.Join(n.list[2:], "\n"); !strings.Contains(all, "measure pi.ai.request.duration") || !strings.Contains(all, "end stop=stop") {
		t.Errorf("%s", all)
	}
}

// quickPainter and brokenJudge answer at once.
type (
	quickPainter struct{}
	brokenJudge  struct{}
)

func (quickPainter) ID() string { return "paint" }
func (quickPainter) GenerateImages(context.Context, *ai.Call, ai.ImageRequest) (*ai.ImageAnswer, error) {
	return &ai.ImageAnswer{ResponseID: "i1", Usage: &ai.Usage{Input: 1}}, nil
}

func (brokenJudge) ID() string { return "judge" }
func (brokenJudge) Classify(context.Context, *ai.Call, ai.ClassifyRequest) (*ai.Classification, error) {
	return nil, ai.Errorf(ai.KindServer, "down")
}

func TestTelemetryOfPlainCalls(t *testing.T) {
	t.Parallel()
	n := new(notes)
	image := &ai.Model{ID: "i", Provider: "p", API: "paint", Type: ai.ModelImage, BaseURL: "http://localhost"}
	class := &ai.Model{ID: "c", Provider: "p", API: "judge", Type: ai.ModelClassifier, BaseURL: "http://localhost"}
	models := ai.ModelsConfig{Telemetry: n, Now: func() time.Time { return time.Unix(1, 0) }}.New(
		ai.NewProvider(ai.ProviderConfig{ID: "p", Models: []*ai.Model{image, class}, ImageAPIs: []ai.ImageAPI{quickPainter{}}, ClassifierAPIs: []ai.ClassifierAPI{brokenJudge{}}}))
	models.GenerateImages(t.Context(), image, ai.ImageRequest{}, ai.Options{})
	models.Classify(t.Context(), class, ai.ClassifyRequest{Questions: []ai.Question{{Name: "q", Kind: ai.QuestionBool}}}, ai.Options{})
	models.GenerateImages(t.Context(), nil, ai.ImageRequest{}, ai.Options{})
	n.diff(t,
		"span pi.ai.request under <nil> provider=p api=paint model=i type=image",
		"end stop=stop usage.input=1 usage.output=0 usage.cache_read=0 usage.cache_write=0 cost.total=0 response.id=i1",
		"measure pi.ai.request.duration 0 ms in pi.ai.request provider=p model=i stop=stop",
		"count pi.ai.tokens 1 {token} in pi.ai.request kind=input provider=p model=i",
		"span pi.ai.request under <nil> provider=p api=judge model=c type=classifier",
		"fail provider_error: down",
		"end stop=error usage.input=0 usage.output=0 usage.cache_read=0 usage.cache_write=0 cost.total=0",
		"measure pi.ai.request.duration 0 ms in pi.ai.request provider=p model=c stop=error")
}
