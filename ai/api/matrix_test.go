package api_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/pi-go/pi/ai"
	"github.com/pi-go/pi/ai/aitest"
	"github.com/pi-go/pi/ai/aitest/mockllm"
)

// scenario is an answer and what must become of it over every protocol.
type scenario struct {
	name   string
	answer func(p protocol) mockllm.Answer
	want   string
	needs  string // skipped where the protocol cannot
}

func scenarios() []scenario {
	text, call, think := mockllm.Text, mockllm.ToolCall, mockllm.Thinking
	blocks := func(list ...mockllm.Block) func(protocol) mockllm.Answer {
		return func(protocol) mockllm.Answer { return mockllm.Blocks(list...) }
	}
	deep := `{"s":"a\"\\\n\t\u0001é東🧭","n":[0,-1.5e300,12345678901234567890],"b":[true,false,null],"o":{"":{"a":[[[{}]]]}}}`
	return []scenario{
		{"text", blocks(text("Hel", "lo, 東", "京 🧭", "\n\"q\" \\ <b>")), `text "Hello, 東京 🧭\n\"q\" \\ <b>"` + "\nstop", ""},
		{"thinking then text", blocks(think("sig", "Let ", "me."), text("Yes.")), "thinking \"Let me.\"\ntext \"Yes.\"\nstop", "thinking"},
		{"thinking, call", blocks(think("sig", "Hm."), call("t1", "read", `{"path":"a"}`)), "thinking \"Hm.\"\ncall read {\"path\":\"a\"}\ntoolUse", "thinking"},
		{"one call", blocks(call("t1", "read", `{"pa`, `th":"a"}`)), "call read {\"path\":\"a\"}\ntoolUse", ""},
		{
			"three calls", blocks(text("Look."), call("t1", "read", `{"path":"a"}`), call("t2", "read", `{"path":`, `"b"}`), call("t3", "status", `{}`)),
			"text \"Look.\"\ncall read {\"path\":\"a\"}\ncall read {\"path\":\"b\"}\ncall status {}\ntoolUse", "",
		},
		{"call without arguments", blocks(call("t1", "status")), "call status {}\ntoolUse", ""},
		{"arguments of all kinds", blocks(call("t1", "read", pieces(deep, 3)...)), "call read " + deep + "\ntoolUse", ""},
		{"broken arguments", blocks(call("t1", "read", `{"path":`)), "call read {} not runnable\ntoolUse", "broken arguments"},
		{"length", func(p protocol) mockllm.Answer {
			a := mockllm.Say("Half")
			a.Stop = p.length
			return a
		}, "text \"Half\"\nlength", ""},
		{"refusal", func(p protocol) mockllm.Answer {
			a := mockllm.Say("I")
			a.Stop = p.refusal
			return a
		}, "text \"I\"\nerror refusal", ""},
		{"empty answer", blocks(), "stop", ""},
		{"error in the middle", func(protocol) mockllm.Answer {
			a := mockllm.Say("Half")
			a.Error = &mockllm.Error{Type: "overloaded_error", Message: "Overloaded"}
			return a
		}, "text \"Half\"\nerror overloaded", ""},
	}
}

// pieces cuts a text into pieces of n bytes, also in the middle of escapes; only
// characters stay whole.
func pieces(s string, n int) []string {
	var list []string
	for len(s) > 0 {
		at := min(n, len(s))
		for at < len(s) && s[at]&0xC0 == 0x80 {
			at++
		}
		list, s = append(list, s[:at]), s[at:]
	}
	return list
}

func TestScenarios(t *testing.T) {
	t.Parallel()
	deliveries := map[string]mockllm.Delivery{
		"by event": {}, "by encoding/json": {}, "by byte": {Chunk: 1}, "by 7 bytes": {Chunk: 7}, "whole": {Chunk: -1}, "CRLF and keepalives": {CRLF: true, Keepalives: true, Chunk: 5},
	}
	for _, p := range protocols() {
		for _, s := range scenarios() {
			if s.needs != "" && s.needs == p.cannot {
				continue
			}
			t.Run(p.api.ID()+"/"+s.name, func(t *testing.T) {
				t.Parallel()
				first := ""
				for how, d := range deliveries {
					answer := s.answer(p).Via(d)
					if how == "by encoding/json" {
						answer.Edit = strange
					}
					l := p.connect(answer)
					m, events := aitest.Collect(t, l.ask(t, ai.UserText("Go on.")))
					if diff := cmp.Diff(s.want, outline(m)); diff != "" {
						t.Errorf("%s (-want +got):\n%s\n%s", how, diff, m.ErrorMessage)
					}
					// However the bytes are cut and whoever reads them, the events are
					// the same.
					if list := strings.Join(events, "\n"); first == "" {
						first = list
					} else if list != first {
						t.Errorf("%s: other events:\n%s", how, cmp.Diff(first, list))
					}
				}
			})
		}
	}
}

// junk is what a later version of a protocol, a gateway or a broken server may put
// into a stream.
func junk() map[string]func([]mockllm.Frame) []mockllm.Frame {
	member := func(text string) func([]mockllm.Frame) []mockllm.Frame {
		return func(list []mockllm.Frame) []mockllm.Frame {
			for i := range list {
				if body, ok := strings.CutSuffix(list[i].Data, "}"); ok {
					list[i].Data = body + "," + text + "}"
				}
			}
			return list
		}
	}
	between := func(frames ...mockllm.Frame) func([]mockllm.Frame) []mockllm.Frame {
		return func(list []mockllm.Frame) []mockllm.Frame {
			var out []mockllm.Frame
			for _, f := range list {
				out = append(append(out, frames...), f)
			}
			return out
		}
	}
	return map[string]func([]mockllm.Frame) []mockllm.Frame{
		"no member":           func(list []mockllm.Frame) []mockllm.Frame { return list },
		"null member":         member(`"future":null`),
		"number member":       member(`"future":-1.5e300`),
		"huge number member":  member(`"future":` + strings.Repeat("9", 400)),
		"text member":         member(`"future":"\u0000\ud83e\\"`),
		"true member":         member(`"future":true`),
		"list member":         member(`"future":[[],[{}],null]`),
		"object member":       member(`"future":{"a":[1,null,"x"]}`),
		"deep member":         member(`"future":` + strings.Repeat(`{"a":[`, 200) + strings.Repeat(`]}`, 200)),
		"long member":         member(`"future":"` + strings.Repeat("x", 100_000) + `"`),
		"empty name":          member(`"":1`),
		"escaped name":        member(`"\u0066uture":1`),
		"name of a prototype": member(`"__proto__":{"x":1}`),
		"the same twice":      member(`"future":1,"future":2`),
		"broken text member":  member("\"future\":\"\xff\xfe\""),
		"unknown event":       between(mockllm.Frame{Event: "future", Data: `{"type":"future","x":[1]}`}),
		"empty objects":       between(mockllm.Frame{Data: `{}`}),
		"unknown objects":     between(mockllm.Frame{Data: `{"x":{"y":null}}`}),
		"empty lists": func(list []mockllm.Frame) []mockllm.Frame {
			return between(mockllm.Frame{Data: `{"choices":[],"candidates":[],"content":[],"output":[]}`})(list)
		},
		"white space": func(list []mockllm.Frame) []mockllm.Frame {
			for i := range list {
				if strings.HasPrefix(list[i].Data, "{") {
					list[i].Data = " \t" + list[i].Data + " "
				}
			}
			return list
		},
		"names of events gone": func(list []mockllm.Frame) []mockllm.Frame {
			for i := range list {
				if strings.Contains(list[i].Data, `"type":`) && !strings.HasPrefix(list[i].Event, "contentBlock") && !strings.HasPrefix(list[i].Event, "message") {
					list[i].Event = ""
				}
			}
			return list
		},
	}
}

// Fields and events that nobody has heard of change nothing.
func TestUnknownThings(t *testing.T) {
	t.Parallel()
	answer := mockllm.Blocks(mockllm.Thinking("c2ln", "Hm."), mockllm.Text("Hel", "lo"), mockllm.ToolCall("t1", "read", `{"path":`, `"a"}`))
	if n := len(junk()); n < 20 {
		t.Fatalf("only %d kinds of junk", n)
	}
	for _, p := range protocols() {
		plain := aitest.Check(t, p.connect(answer).ask(t, ai.UserText("x")))
		if want := "thinking \"Hm.\"\ntext \"Hello\"\ncall read {\"path\":\"a\"}\ntoolUse"; outline(plain) != want {
			t.Fatalf("%s: got %s (%s), want %s", p.api.ID(), outline(plain), plain.ErrorMessage, want)
		}
		for name, edit := range junk() {
			t.Run(p.api.ID()+"/"+name, func(t *testing.T) {
				t.Parallel()
				a := answer
				a.Edit = edit
				m := aitest.Check(t, p.connect(a).ask(t, ai.UserText("x")))
				if outline(m) != outline(plain) || m.Usage.ContextTokens() != plain.Usage.ContextTokens() {
					t.Errorf("got %s (%s) %+v\nwant %s %+v", outline(m), m.ErrorMessage, m.Usage, outline(plain), plain.Usage)
				}
			})
		}
	}
}

// Wherever the bytes end, nothing that was cut passes for whole.
func TestCutAnywhere(t *testing.T) {
	t.Parallel()
	answer := mockllm.Blocks(mockllm.Text("Hello, 東京", " 🧭."), mockllm.ToolCall("t1", "read", `{"path":"a.txt"}`))
	const whole = "text \"Hello, 東京 🧭.\"\ncall read {\"path\":\"a.txt\"}\ntoolUse"
	for _, p := range protocols() {
		t.Run(p.api.ID(), func(t *testing.T) {
			t.Parallel()
			size := len(mockllm.Stream(p.mock, p.model, answer))
			for at := 1; at < size; at += 11 {
				for how, d := range map[string]mockllm.Delivery{"ends": {EndAt: at, Chunk: 64}, "breaks": {CutAt: at, Chunk: 64}} {
					m := aitest.Check(t, p.connect(answer.Via(d)).ask(t, ai.UserText("x")))
					if m.StopReason != ai.StopError {
						if outline(m) != whole {
							t.Fatalf("%s after %d of %d bytes: %s", how, at, size, outline(m))
						}
						continue
					}
					if k := m.Failure.Kind; k != ai.KindCutStream && k != ai.KindNetwork && k != ai.KindProtocol {
						t.Errorf("%s after %d of %d bytes: %s: %s", how, at, size, k, m.ErrorMessage)
					}
					if !strings.HasPrefix("Hello, 東京 🧭.", m.Text()) {
						t.Errorf("%s after %d of %d bytes: text %q", how, at, size, m.Text())
					}
				}
			}
		})
	}
}

func TestFailuresBeforeTheAnswer(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name   string
		answer mockllm.Answer
		kind   ai.ErrorKind
		text   string
	}{
		{"key refused", mockllm.Failure(401, "authentication_error", "invalid key"), ai.KindAuth, "invalid key"},
		{"rate limit", mockllm.Failure(429, "rate_limit_error", "slow down"), ai.KindRateLimit, "slow down"},
		{"overflow", mockllm.Failure(400, "invalid_request_error", "prompt is too long: 213462 tokens > 200000 maximum"), ai.KindOverflow, "prompt is too long"},
		{"bad request", mockllm.Failure(400, "invalid_request_error", "no such field"), ai.KindBadRequest, "no such field"},
		{"web page", mockllm.HTML(502), ai.KindServer, "web page"},
		{"success that is a web page", mockllm.HTML(200), ai.KindProtocol, "HTML page"},
		{"no body", mockllm.Status(503), ai.KindOverloaded, "503 status code (no body)"},
		{"connection dropped", mockllm.Answer{Delivery: mockllm.Delivery{Drop: true}}, ai.KindNetwork, ""},
		{"empty stream", mockllm.Raw(": nothing\n\n"), ai.KindCutStream, ""},
		{"error under a status of success", mockllm.Answer{Body: `{"error":{"type":"overloaded_error","code":"overloaded_error","message":"Overloaded"}}`}, ai.KindOverloaded, "Overloaded"},
	} {
		for _, p := range protocols() {
			t.Run(p.api.ID()+"/"+tt.name, func(t *testing.T) {
				t.Parallel()
				l := p.connect(tt.answer)
				m := aitest.Check(t, l.ask(t, ai.UserText("x")))
				if m.Failure == nil || m.Failure.Kind != tt.kind || !strings.Contains(m.ErrorMessage, tt.text) {
					t.Errorf("got %s: %s", outline(m), m.ErrorMessage)
				}
				if e := m.Failure; e != nil && (e.Provider != l.model.Provider || e.API != p.api.ID()) {
					t.Errorf("failure of %s over %s", e.Provider, e.API)
				}
			})
		}
	}
}

func TestUsage(t *testing.T) {
	t.Parallel()
	for _, p := range protocols() {
		for name, place := range map[string]mockllm.UsagePlace{"usual": mockllm.UsageUsual, "early": mockllm.UsageEarly, "with the stop word": mockllm.UsageWithStop, "none": mockllm.UsageNone} {
			t.Run(p.api.ID()+"/"+name, func(t *testing.T) {
				t.Parallel()
				a := mockllm.Say("Hi")
				a.Usage, a.UsageAt = &mockllm.Usage{Input: 100, CacheRead: 50, Output: 7, Reasoning: 3}, place
				u := aitest.Check(t, p.connect(a).ask(t, ai.UserText("x"))).Usage
				if place == mockllm.UsageNone {
					if !u.Unknown || u.ContextTokens() != 0 {
						t.Errorf("usage %+v", u)
					}
					return
				}
				if u.Unknown || u.Input != 100 || u.CacheRead != 50 || u.Output != 7 || u.ContextTokens() != 157 {
					t.Errorf("usage %+v", u)
				}
				if want := (100*1 + 50*0.5 + 7*2) / 1e6; u.Cost.Total < want-1e-12 || u.Cost.Total > want+1e-12 {
					t.Errorf("cost %v, want %v", u.Cost.Total, want)
				}
			})
		}
	}
}

// A server that never stops is stopped, whatever it sends.
func TestEndlessAnswers(t *testing.T) {
	t.Parallel()
	long := make([]string, 200)
	for i := range long {
		long[i] = "0123456789"
	}
	for _, p := range protocols() {
		for name, answer := range map[string]mockllm.Answer{"text": mockllm.Say(long...), "arguments": mockllm.Blocks(mockllm.ToolCall("t1", "read", append([]string{`{"path":"`}, append(long, `"}`)...)...))} {
			t.Run(p.api.ID()+"/"+name, func(t *testing.T) {
				t.Parallel()
				l := p.connect(answer)
				opts := l.options()
				opts.Limits.Answer = 1000
				m := aitest.Check(t, l.models.Stream(t.Context(), l.model, ai.Request{Messages: []ai.Message{ai.UserText("x")}}, opts))
				if m.Failure == nil || m.Failure.Kind != ai.KindLimit || len(m.Text()) > 1000 {
					t.Errorf("%s after %d bytes: %s", outline(m), len(m.Text()), m.ErrorMessage)
				}
			})
		}
	}
}
