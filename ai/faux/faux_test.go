package faux_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/pi-go/pi/ai"
	"github.com/pi-go/pi/ai/faux"
)

func ask(t *testing.T, p *faux.Provider, text string) *ai.Stream {
	t.Helper()
	req := ai.Request{Messages: []ai.Message{ai.UserText(text)}}
	return ai.NewModels(p).Stream(t.Context(), p.Model(), req, ai.Options{})
}

func TestQueuedResponses(t *testing.T) {
	p := faux.New(faux.Config{Chunk: 4})
	p.Queue(
		faux.Response{Steps: []faux.Step{faux.Thinking("let me look", "sig"), faux.Text("Reading. 東京東京!"), faux.Call("read", map[string]any{"path": "a.txt"}), faux.Call("ls", nil)}},
		faux.Say("done"),
	)
	var types []string
	var text strings.Builder
	s := ask(t, p, "hi")
	for ev := range s.Events() {
		if len(types) == 0 || types[len(types)-1] != string(ev.Type) {
			types = append(types, string(ev.Type))
		}
		if ev.Type == ai.EventTextDelta {
			text.WriteString(ev.Delta)
			if n := len([]rune(ev.Delta)); n > 4 {
				t.Errorf("delta %q has %d characters, want at most 4", ev.Delta, n)
			}
		}
	}
	want := "start thinking_start thinking_delta thinking_end text_start text_delta text_end " +
		"toolcall_start toolcall_delta toolcall_end toolcall_start toolcall_end done"
	if got := strings.Join(types, " "); got != want {
		t.Errorf("events\n got %s\nwant %s", got, want)
	}
	m := s.Result()
	if text.String() != m.Text() || m.Text() != "Reading. 東京東京!" {
		t.Errorf("deltas gave %q, the result %q", text.String(), m.Text())
	}
	calls := m.ToolCalls()
	if m.StopReason != ai.StopToolUse || len(calls) != 2 || calls[0].ID != "call_1" || calls[1].ID != "call_2" ||
		string(calls[0].Arguments) != `{"path":"a.txt"}` || string(calls[1].Arguments) != "{}" {
		t.Errorf("calls %v, stop %s", calls, m.StopReason)
	}
	if th := m.Content[0].(*ai.Thinking); th.Signature != "sig" {
		t.Errorf("signature %q", th.Signature)
	}
	if m.Usage.Input == 0 || m.Usage.Output == 0 || m.Usage.Total != m.Usage.Input+m.Usage.Output {
		t.Errorf("usage %+v", m.Usage)
	}
	if got := ask(t, p, "and?").Result(); got.Text() != "done" || got.StopReason != ai.StopEnd {
		t.Errorf("second answer %q, %s", got.Text(), got.StopReason)
	}
	if got := ask(t, p, "more?").Result(); got.StopReason != ai.StopError || !strings.Contains(got.ErrorMessage, "no response left for request 3") {
		t.Errorf("third answer %s: %s", got.StopReason, got.ErrorMessage)
	}
	reqs := p.Requests()
	if len(reqs) != 3 || reqs[1].N != 2 || ai.TextOf(reqs[1].Last().(*ai.UserMessage).Content, "") != "and?" || p.Pending() != 0 {
		t.Errorf("requests %+v", reqs)
	}
}

func TestRespondFunction(t *testing.T) {
	p := faux.New(faux.Config{ID: "echo"})
	p.Respond(func(r faux.Request) faux.Response {
		return faux.Say(fmt.Sprintf("%d: %s", r.N, ai.TextOf(r.Last().(*ai.UserMessage).Content, "")))
	})
	p.Queue(faux.Say("queued first"))
	for _, want := range []string{"queued first", "2: b", "3: c"} {
		if got := ask(t, p, want[len(want)-1:]).Result().Text(); got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}

func TestFailures(t *testing.T) {
	busy := &ai.APIError{Kind: ai.KindOverloaded, Status: 529, Message: "busy"}
	for _, tt := range []struct {
		name     string
		response faux.Response
		kind     ai.ErrorKind
		text     string
	}{
		{"at once", faux.Failure(busy), ai.KindOverloaded, ""},
		{"after text", faux.Calls(faux.Text("half"), faux.Fail(busy)), ai.KindOverloaded, "half"},
		{"in a block", faux.Calls(faux.Partial(ai.BlockText, "hal"), faux.Cut()), ai.KindCutStream, "hal"},
		{"in a call", faux.Calls(faux.Text("x"), faux.Partial(ai.BlockToolCall, `{"a":1}`), faux.Cut()), ai.KindCutStream, "x"},
		{"scripted stop", faux.Response{Steps: []faux.Step{faux.Text("x")}, Stop: ai.StopError}, ai.KindServer, "x"},
		{"panic", faux.Calls(faux.Do(func() { panic("boom") })), ai.KindInternal, ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			p := faux.New(faux.Config{})
			p.Queue(tt.response)
			m := ask(t, p, "x").Result()
			if m.StopReason != ai.StopError || m.Failure == nil || m.Failure.Kind != tt.kind || m.Text() != tt.text {
				t.Fatalf("got %s %+v %q", m.StopReason, m.Failure, m.Text())
			}
			for _, c := range m.ToolCalls() {
				if c.ArgumentsError == "" {
					t.Errorf("call %s could be run", c.ID)
				}
			}
		})
	}
}

func TestDeferred(t *testing.T) {
	p := faux.New(faux.Config{})
	p.Queue(faux.Response{Deferred: json.RawMessage(`{"id":"d1"}`)})
	m := ask(t, p, "later").Result()
	if m.StopReason != ai.StopDeferred || string(m.Deferred) != `{"id":"d1"}` {
		t.Errorf("got %s %s", m.StopReason, m.Deferred)
	}
}

func TestPace(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := faux.New(faux.Config{Chunk: 2, Delay: 10 * time.Millisecond})
		p.Queue(faux.Say("abcdef"))
		begin := time.Now()
		m := ask(t, p, "x").Result()
		if took := time.Since(begin); took != 30*time.Millisecond || *m.DurationMS != 30 {
			t.Errorf("three deltas took %v, reported %d ms", took, *m.DurationMS)
		}
	})
}

func TestWaitAndCancel(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		release := make(chan struct{})
		p := faux.New(faux.Config{})
		p.Queue(faux.Calls(faux.Text("a"), faux.Wait(release), faux.Text("b")), faux.Calls(faux.Text("a"), faux.Hang()))
		go func() {
			time.Sleep(time.Hour)
			close(release)
		}()
		if got := ask(t, p, "x").Result().Text(); got != "ab" {
			t.Errorf("got %q", got)
		}
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		m := ai.NewModels(p).Stream(ctx, p.Model(), ai.Request{}, ai.Options{}).Result()
		if m.StopReason != ai.StopError || m.Failure.Kind != ai.KindTimeout || m.Text() != "a" {
			t.Errorf("deadline gave %s %v", m.StopReason, m.Failure)
		}
		p.Queue(faux.Calls(faux.Text("a"), faux.Hang()))
		ctx, stop := context.WithCancel(t.Context())
		time.AfterFunc(time.Minute, stop)
		m = ai.NewModels(p).Stream(ctx, p.Model(), ai.Request{}, ai.Options{}).Result()
		if m.StopReason != ai.StopAborted || !errors.Is(m.Err(), context.Canceled) {
			t.Errorf("cancel gave %s %v", m.StopReason, m.Failure)
		}
	})
}

func TestModels(t *testing.T) {
	p := faux.New(faux.Config{ID: "x", Models: []*ai.Model{{ID: "a"}, {ID: "b", Provider: "y"}}})
	var refs []string
	for _, m := range p.Models() {
		refs = append(refs, m.Ref()+" "+m.API)
	}
	if want := []string{"x/a faux", "y/b faux"}; !slices.Equal(refs, want) {
		t.Errorf("models %v", refs)
	}
}

func ExampleProvider() {
	p := faux.New(faux.Config{})
	p.Queue(
		faux.Calls(faux.Text("Let me see. "), faux.Call("read", map[string]any{"path": "go.mod"})),
		faux.Say("The module is called example."),
	)
	models := ai.NewModels(p)
	req := ai.Request{Messages: []ai.Message{ai.UserText("What is the module called?")}}
	answer, err := models.Complete(context.Background(), p.Model(), req, ai.Options{})
	if err != nil {
		fmt.Println(err)
		return
	}
	call := answer.ToolCalls()[0]
	fmt.Println(answer.StopReason, call.Name, string(call.Arguments))
	// Output: toolUse read {"path":"go.mod"}
}
