package ai

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

// events reads a stream to its end and gives its events in short.
func events(s *Stream) []string {
	var list []string
	for ev := range s.Events() {
		line := string(ev.Type)
		if !ev.Terminal() && ev.Type != EventStart {
			line += fmt.Sprint(" ", ev.Index)
		}
		if ev.Delta != "" {
			line += " " + ev.Delta
		}
		if ev.Terminal() {
			line += " " + string(ev.Message.StopReason)
		}
		list = append(list, line)
	}
	return list
}

func adapter(run func(out *Emitter) error) *Stream {
	return NewStream(context.Background(), StreamInfo{Model: &Model{ID: "m", Provider: "p", API: "a"}}, func(_ context.Context, out *Emitter) error { return run(out) })
}

// Whatever an adapter does, the events are well-formed.
func TestMisbehavingAdapters(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name string
		run  func(out *Emitter) error
		want []string
		kind ErrorKind
		text string
	}{
		{"nothing at all", func(*Emitter) error { return nil }, []string{"error error"}, KindCutStream, "without a stop reason"},
		{"done without content", func(out *Emitter) error { out.Message().StopReason = StopEnd; return nil }, []string{"start", "done stop"}, "", ""},
		{"blocks left open", func(out *Emitter) error {
			out.Text().Append("a")
			out.ToolCall("1", "t").Append("{}")
			out.Message().StopReason = StopToolUse
			return nil
		}, []string{"start", "text_start 0", "text_delta 0 a", "toolcall_start 1", "toolcall_delta 1 {}", "text_end 0", "toolcall_end 1", "done toolUse"}, "", ""},
		{"error with open blocks", func(out *Emitter) error {
			out.Text().Append("a")
			return errors.New("boom")
		}, []string{"start", "text_start 0", "text_delta 0 a", "text_end 0", "error error"}, KindUnknown, "boom"},
		{"panic", func(out *Emitter) error {
			out.Text().Append("a")
			panic("oops")
		}, []string{"start", "text_start 0", "text_delta 0 a", "text_end 0", "error error"}, KindInternal, "protocol adapter failed: oops"},
		{"writing after the end of a block", func(out *Emitter) error {
			w := out.Text()
			w.Append("a")
			w.End()
			w.Append("b")
			w.Replace("c")
			w.End()
			out.Message().StopReason = StopEnd
			return nil
		}, []string{"start", "text_start 0", "text_delta 0 a", "text_end 0", "done stop"}, "", ""},
		{"empty deltas", func(out *Emitter) error {
			out.Text().Append("")
			out.Message().StopReason = StopLength
			return nil
		}, []string{"start", "text_start 0", "text_end 0", "done length"}, "", ""},
		{"an unknown stop reason", func(out *Emitter) error { out.Message().StopReason = "moon"; return nil }, []string{"error error"}, KindCutStream, ""},
		{"start twice", func(out *Emitter) error {
			out.Start()
			out.Start()
			out.Message().StopReason = StopEnd
			return nil
		}, []string{"start", "done stop"}, "", ""},
		{"deadline", func(*Emitter) error { return fmt.Errorf("read: %w", context.DeadlineExceeded) }, []string{"error error"}, KindTimeout, "deadline exceeded"},
		{"cancelled below", func(*Emitter) error { return fmt.Errorf("read: %w", context.Canceled) }, []string{"error aborted"}, KindAborted, ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			s := adapter(tt.run)
			if diff := cmp.Diff(tt.want, events(s)); diff != "" {
				t.Errorf("events (-want +got):\n%s", diff)
			}
			m := s.Result()
			if tt.kind == "" {
				if m.Err() != nil {
					t.Errorf("failed: %v", m.Err())
				}
				return
			}
			var e *APIError
			if !errors.As(m.Err(), &e) || e.Kind != tt.kind || !strings.Contains(m.ErrorMessage, tt.text) || e.Provider != "p" || e.API != "a" {
				t.Errorf("failure %+v", m.Failure)
			}
		})
	}
}

func TestConsumerLeaves(t *testing.T) {
	t.Parallel()
	var left context.Context
	s := NewStream(t.Context(), StreamInfo{}, func(ctx context.Context, out *Emitter) error {
		left = ctx
		w := out.Text()
		for range 100 {
			w.Append("x")
			if out.Stopped() {
				return errors.New("not what the result says")
			}
		}
		return nil
	})
	n := 0
	for range s.Events() {
		if n++; n == 4 {
			break
		}
	}
	m := s.Result()
	if m.StopReason != StopAborted || m.Text() != "xx" || !errors.Is(m.Err(), context.Canceled) {
		t.Errorf("%s %q %v", m.StopReason, m.Text(), m.Err())
	}
	if left.Err() == nil {
		t.Error("the adapter's context goes on")
	}
}

func TestConsumerPanics(t *testing.T) {
	t.Parallel()
	s := adapter(func(out *Emitter) error {
		out.Text().Append("x")
		return nil
	})
	func() {
		defer func() {
			if r := recover(); r != "mine" {
				t.Errorf("recovered %v", r)
			}
		}()
		for range s.Events() {
			panic("mine")
		}
	}()
	if m := s.Result(); m.StopReason != StopAborted || m.Failure == nil {
		t.Errorf("%s %v", m.StopReason, m.Failure)
	}
}

func TestCancelledContext(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	ran := false
	m := NewStream(ctx, StreamInfo{}, func(context.Context, *Emitter) error { ran = true; return nil }).Result()
	if ran || m.StopReason != StopAborted {
		t.Errorf("ran %v, %s", ran, m.StopReason)
	}
}

func TestAnswerTooLarge(t *testing.T) {
	t.Parallel()
	s := NewStream(t.Context(), StreamInfo{MaxAnswer: 10}, func(_ context.Context, out *Emitter) error {
		w := out.Text()
		w.Append("12345")
		w.Append("67890")
		w.Append("1")
		t.Error("the adapter goes on")
		return nil
	})
	m := s.Result()
	if m.Failure == nil || m.Failure.Kind != KindLimit || m.Text() != "1234567890" {
		t.Errorf("%q, %+v", m.Text(), m.Failure)
	}
}

func TestTooManyBlocks(t *testing.T) {
	t.Parallel()
	m := adapter(func(out *Emitter) error {
		for {
			out.ToolCall("x", "y").End()
		}
	}).Result()
	if m.Failure == nil || m.Failure.Kind != KindLimit || len(m.Content) != maxBlocks {
		t.Errorf("%d blocks, %+v", len(m.Content), m.Failure)
	}
}

func TestBlockWriter(t *testing.T) {
	t.Parallel()
	s := adapter(func(out *Emitter) error {
		w := out.Text()
		w.Append("abc")
		w.Buffer().WriteString("junk")
		w.Rollback()
		w.Buffer().WriteString("d")
		w.Commit()
		if w.String() != "abcd" || w.Len() != 4 {
			t.Errorf("text %q", w.String())
		}
		w.Replace("abcdef")
		w.Replace("other")
		w.SetSignature("sig")
		w.End()
		r := out.Thinking()
		r.Redact("payload", "[hidden]")
		r.End()
		c := out.ToolCall("", "")
		c.Append(`{"a":`)
		c.Call().ID, c.Call().Name = "late", "named"
		c.Replace(`{"a":1}`)
		c.End()
		out.Diagnose("note", map[string]int{"n": 1})
		out.Message().StopReason = StopToolUse
		return nil
	})
	want := []string{
		"start", "text_start 0", "text_delta 0 abc", "text_delta 0 d", "text_delta 0 ef", "text_end 0",
		"thinking_start 1", "thinking_end 1", `toolcall_start 2`, `toolcall_delta 2 {"a":`, `toolcall_delta 2 1}`, "toolcall_end 2", "done toolUse",
	}
	if diff := cmp.Diff(want, events(s)); diff != "" {
		t.Errorf("events (-want +got):\n%s", diff)
	}
	m := s.Result()
	if x := m.Content[0].(*Text); x.Text != "other" || x.Signature != "sig" {
		t.Errorf("%+v", x)
	}
	if x := m.Content[1].(*Thinking); x.Text != "[hidden]" || x.Signature != "payload" || !x.Redacted {
		t.Errorf("%+v", x)
	}
	if x := m.Content[2].(*ToolCall); x.ID != "late" || x.Name != "named" || string(x.Arguments) != `{"a":1}` || x.Partial != "" {
		t.Errorf("%+v", x)
	}
	if len(m.Diagnostics) != 1 || string(m.Diagnostics[0].Details) != `{"n":1}` {
		t.Errorf("%+v", m.Diagnostics)
	}
}

// A call that is cut off can not be run, however whole its arguments look.
func TestCutCall(t *testing.T) {
	t.Parallel()
	m := adapter(func(out *Emitter) error {
		out.ToolCall("1", "t").Append(`{"path":"a"}`)
		return errors.New("cut")
	}).Result()
	c := m.ToolCalls()[0]
	if string(c.Arguments) != "{}" || c.ArgumentsError == "" || c.Partial != `{"path":"a"}` {
		t.Errorf("%+v", c)
	}
}

// Strings taken from a message stay as they are while it grows, and snapshots
// do too.
func TestSnapshotsAreStable(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		pieces := rapid.SliceOfN(rapid.StringN(1, 40, 80), 1, 60).Draw(t, "pieces")
		s := adapter(func(out *Emitter) error {
			w := out.Text()
			for _, p := range pieces {
				w.Append(p)
			}
			out.Message().StopReason = StopEnd
			return nil
		})
		type kept struct{ text, delta, want string }
		var all []kept
		var snaps []*AssistantMessage
		so, n := "", 0
		for ev := range s.Events() {
			if ev.Type != EventTextDelta {
				continue
			}
			so += pieces[n]
			all = append(all, kept{ev.Message.Text(), ev.Delta, so})
			snaps = append(snaps, ev.Snapshot())
			n++
		}
		for i, k := range all {
			if k.text != k.want || k.delta != pieces[i] || snaps[i].Text() != k.want {
				t.Fatalf("delta %d: text %q, delta %q, snapshot %q, want %q", i, k.text, k.delta, snaps[i].Text(), k.want)
			}
		}
	})
}

func TestTimes(t *testing.T) {
	t.Parallel()
	at := time.UnixMilli(5000)
	clock := func() time.Time { at = at.Add(time.Second); return at }
	m := NewStream(t.Context(), StreamInfo{Now: clock, Thinking: ThinkingHigh}, func(_ context.Context, out *Emitter) error {
		out.Message().StopReason = StopEnd
		return nil
	}).Result()
	if m.Timestamp != 6000 || m.DurationMS == nil || *m.DurationMS != 1000 || m.ThinkingLevel != ThinkingHigh {
		t.Errorf("%d, %v, %s", m.Timestamp, m.DurationMS, m.ThinkingLevel)
	}
}

func BenchmarkAppend(b *testing.B) {
	b.ReportAllocs()
	const n = 10_000
	for b.Loop() {
		s := adapter(func(out *Emitter) error {
			w := out.Text()
			for range n {
				w.Append("a word ")
			}
			out.Message().StopReason = StopEnd
			return nil
		})
		for ev := range s.Events() {
			_ = ev.Delta
		}
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/n, "ns/delta")
}

// An adapter that counts tokens gets their sum and price; one that knows the price, or
// that nothing is charged, keeps it.
func TestUsageIsPriced(t *testing.T) {
	model := &Model{ID: "m", Provider: "p", API: "a", Cost: Rates{Input: 1, Output: 10, CacheRead: 0.1}}
	free, billed := Cost{HasFromProvider: true}, Cost{Total: 7, FromProvider: true, HasFromProvider: true}
	for _, tc := range []struct {
		name      string
		set, want Usage
		fails     bool
	}{
		{"counted", Usage{Input: 1e6, Output: 2e6, CacheRead: 1e6}, Usage{Input: 1e6, Output: 2e6, CacheRead: 1e6, Total: 4e6, Cost: Cost{Input: 1, Output: 20, CacheRead: 0.1, Total: 21.1, HasFromProvider: true}}, false},
		{"of an answer that fails", Usage{Input: 1e6}, Usage{Input: 1e6, Total: 1e6, Cost: Cost{Input: 1, Total: 1, HasFromProvider: true}}, true},
		{"the vendor's own sum", Usage{Input: 1e6, Total: 3e6}, Usage{Input: 1e6, Total: 3e6, Cost: Cost{Input: 1, Total: 1, HasFromProvider: true}}, false},
		{"billed", Usage{Input: 5, Cost: billed}, Usage{Input: 5, Total: 5, Cost: billed}, false},
		{"free", Usage{Input: 5, Cost: free}, Usage{Input: 5, Total: 5, Cost: free}, false},
		{"unknown", Usage{Unknown: true}, Usage{Unknown: true}, false},
		{"nothing", Usage{}, Usage{}, false},
	} {
		got := NewStream(t.Context(), StreamInfo{Model: model}, func(_ context.Context, e *Emitter) error {
			e.Message().Usage, e.Message().StopReason = tc.set, StopEnd
			if tc.fails {
				return errors.New("cut")
			}
			return nil
		}).Result().Usage
		if diff := cmp.Diff(tc.want, got); diff != "" {
			t.Errorf("%s: %s", tc.name, diff)
		}
	}
}
