package aitest

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/pi-go/pi/ai"
)

// Scenario says what the vendor's side of a stream does.
type Scenario string

// The scenarios of the contract. "Half an ans" is the text that comes before
// something goes wrong.
const (
	// Plain answers "Hello, 東京 🧭." in several pieces and is done.
	Plain Scenario = "plain"
	// Thoughtful thinks "Let me see." first.
	Thoughtful Scenario = "thoughtful"
	// Tools says "Looking." and calls read with {"path":"a.txt"} and status
	// without arguments.
	Tools Scenario = "tools"
	// BadArguments calls read with {"path": and ends as if that were right.
	BadArguments Scenario = "bad arguments"
	// Truncated ends at the output cap in the middle of a call.
	Truncated Scenario = "truncated"
	// Unauthorized refuses the key.
	Unauthorized Scenario = "unauthorized"
	// Overloaded fails with an overload error before the answer.
	Overloaded Scenario = "overloaded"
	// FailsMidway reports an overload in the middle of a text.
	FailsMidway Scenario = "fails midway"
	// CutText breaks off in the middle of a text, CutCall behind arguments
	// that look whole.
	CutText Scenario = "cut text"
	CutCall Scenario = "cut call"
	// HangsAtOnce never answers, HangsMidway stops in the middle of a text.
	HangsAtOnce Scenario = "hangs at once"
	HangsMidway Scenario = "hangs midway"
)

// Scenarios lists all scenarios.
func Scenarios() []Scenario {
	return []Scenario{Plain, Thoughtful, Tools, BadArguments, Truncated, Unauthorized, Overloaded, FailsMidway, CutText, CutCall, HangsAtOnce, HangsMidway}
}

// Fixture is what is tested.
type Fixture struct {
	// Stream makes a stream of a scenario. It is called inside a
	// testing/synctest bubble, so it must not use sockets; see [OverMock].
	Stream func(ctx context.Context, t testing.TB, s Scenario) *ai.Stream
	// Settled, if set, is called after a stream has ended or was left, and
	// verifies that the vendor's side saw the connection close.
	Settled func(t testing.TB)
	// Skip names scenarios that the protocol has no way to express.
	Skip []Scenario
}

// Run verifies the contract of streams.
func Run(t *testing.T, f Fixture) {
	t.Helper()
	for _, s := range Scenarios() {
		if slices.Contains(f.Skip, s) {
			continue
		}
		if s != HangsAtOnce && s != HangsMidway {
			t.Run(string(s), func(t *testing.T) { f.bubble(t, f.whole(s)) })
			t.Run(string(s)+"/result only", func(t *testing.T) { f.bubble(t, f.resultOnly(s)) })
		}
		t.Run(string(s)+"/left early", func(t *testing.T) { f.leftEarly(t, s) })
		t.Run(string(s)+"/cancelled before", func(t *testing.T) { f.bubble(t, f.cancelledBefore(s)) })
	}
	for _, s := range []Scenario{HangsAtOnce, HangsMidway} {
		if slices.Contains(f.Skip, s) {
			continue
		}
		t.Run(string(s)+"/cancelled", func(t *testing.T) { f.bubble(t, f.cancelled(s)) })
		t.Run(string(s)+"/deadline", func(t *testing.T) { f.bubble(t, f.deadline(s)) })
	}
}

// bubble runs a test where time is virtual and goroutines must end.
func (f Fixture) bubble(t *testing.T, body func(t *testing.T)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		body(t)
		if f.Settled != nil {
			f.Settled(t)
		}
	})
}

func (f Fixture) whole(s Scenario) func(*testing.T) {
	return func(t *testing.T) {
		m := Check(t, f.Stream(t.Context(), t, s))
		expect(t, s, m)
	}
}

func (f Fixture) resultOnly(s Scenario) func(*testing.T) {
	return func(t *testing.T) {
		stream := f.Stream(t.Context(), t, s)
		m := stream.Result()
		expect(t, s, m)
		if again := stream.Result(); again != m {
			t.Error("a second call of Result gives another message")
		}
	}
}

// leftEarly leaves the loop after each number of events.
func (f Fixture) leftEarly(t *testing.T, s Scenario) {
	most := 200
	if s == HangsAtOnce || s == HangsMidway {
		most = 3 // what comes before the hanging
	}
	if s == HangsAtOnce {
		return // no event to leave at
	}
	for stop := 1; stop <= most; stop++ {
		ended := false
		f.bubble(t, func(t *testing.T) {
			var c Checker
			seen := 0
			stream := f.Stream(t.Context(), t, s)
			for ev := range stream.Events() {
				if err := c.Event(ev); err != nil {
					t.Errorf("left after %d: %v", stop, err)
				}
				ended = ev.Terminal()
				if seen++; seen == stop {
					break
				}
			}
			m := stream.Result()
			if err := c.End(m); err != nil {
				t.Errorf("left after %d events: %v", stop, err)
			}
			if !ended && m.StopReason != ai.StopAborted {
				t.Errorf("left after %d events: stop reason %q", stop, m.StopReason)
			}
			if !ended {
				notRunnable(t, m, seen)
			}
		})
		if ended {
			return
		}
	}
}

// notRunnable verifies that what the consumer did not see end is not run.
func notRunnable(t testing.TB, m *ai.AssistantMessage, seen int) {
	t.Helper()
	if len(m.Content) == 0 {
		return
	}
	if c, ok := m.Content[len(m.Content)-1].(*ai.ToolCall); ok && c.ArgumentsError == "" && c.Partial != "" {
		t.Errorf("left after %d events: the half-received call %s could be run", seen, c.Name)
	}
}

func (f Fixture) cancelledBefore(s Scenario) func(*testing.T) {
	return func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		aborted(t, Check(t, f.Stream(ctx, t, s)))
	}
}

func (f Fixture) cancelled(s Scenario) func(*testing.T) {
	return func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		time.AfterFunc(20*time.Second, cancel)
		m := Check(t, f.Stream(ctx, t, s))
		aborted(t, m)
		half(t, s, m)
	}
}

func (f Fixture) deadline(s Scenario) func(*testing.T) {
	return func(t *testing.T) {
		ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
		defer cancel()
		m := Check(t, f.Stream(ctx, t, s))
		if m.StopReason != ai.StopError || m.Failure == nil || m.Failure.Kind != ai.KindTimeout || !m.Failure.Retryable() {
			t.Errorf("a passed deadline gives %s, %+v; want a retryable time-out", m.StopReason, m.Failure)
		}
		half(t, s, m)
	}
}

func aborted(t testing.TB, m *ai.AssistantMessage) {
	t.Helper()
	if m.StopReason != ai.StopAborted || !errors.Is(m.Err(), context.Canceled) {
		t.Errorf("cancelling gives %s, %v; want aborted", m.StopReason, m.Err())
	}
}

func half(t testing.TB, s Scenario, m *ai.AssistantMessage) {
	t.Helper()
	if s == HangsMidway && m.Text() != "Half an ans" {
		t.Errorf("the text that had come is %q, want %q", m.Text(), "Half an ans")
	}
}

// expect verifies what a whole scenario must give.
func expect(t testing.TB, s Scenario, m *ai.AssistantMessage) {
	t.Helper()
	w := wants()[s]
	if m.StopReason != w.stop {
		t.Errorf("stop reason %q (%s), want %q", m.StopReason, m.ErrorMessage, w.stop)
	}
	if m.Text() != w.text {
		t.Errorf("text %q, want %q", m.Text(), w.text)
	}
	var thinking, calls []string
	for _, b := range m.Content {
		if th, ok := b.(*ai.Thinking); ok {
			thinking = append(thinking, th.Text)
		}
	}
	for _, c := range m.ToolCalls() {
		text := fmt.Sprintf("%s %s", c.Name, c.Arguments)
		if c.ArgumentsError != "" {
			text = c.Name + " not runnable"
		}
		if c.ID == "" {
			text += " without an id"
		}
		calls = append(calls, text)
	}
	if got := strings.Join(thinking, ""); got != w.thinking {
		t.Errorf("thinking %q, want %q", got, w.thinking)
	}
	if !slices.Equal(calls, w.calls) {
		t.Errorf("calls %q, want %q", calls, w.calls)
	}
	if len(w.kinds) > 0 && (m.Failure == nil || !slices.Contains(w.kinds, m.Failure.Kind)) {
		t.Errorf("failure %+v, want one of the kinds %v", m.Failure, w.kinds)
	}
}

type want struct {
	stop           ai.StopReason
	text, thinking string
	calls          []string
	kinds          []ai.ErrorKind
}

func wants() map[Scenario]want {
	const hello, half = "Hello, 東京 🧭.", "Half an ans"
	cut := []ai.ErrorKind{ai.KindCutStream, ai.KindNetwork}
	return map[Scenario]want{
		Plain:        {stop: ai.StopEnd, text: hello},
		Thoughtful:   {stop: ai.StopEnd, text: hello, thinking: "Let me see."},
		Tools:        {stop: ai.StopToolUse, text: "Looking.", calls: []string{`read {"path":"a.txt"}`, "status {}"}},
		BadArguments: {stop: ai.StopToolUse, calls: []string{"read not runnable"}},
		Truncated:    {stop: ai.StopLength, calls: []string{"read not runnable"}},
		Unauthorized: {stop: ai.StopError, kinds: []ai.ErrorKind{ai.KindAuth}},
		Overloaded:   {stop: ai.StopError, kinds: []ai.ErrorKind{ai.KindOverloaded}},
		FailsMidway:  {stop: ai.StopError, text: half, kinds: []ai.ErrorKind{ai.KindOverloaded}},
		CutText:      {stop: ai.StopError, text: half, kinds: cut},
		CutCall:      {stop: ai.StopError, calls: []string{"read not runnable"}, kinds: cut},
	}
}
