package ai_test

import (
	"context"
	"errors"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/pi-go/pi/ai"
)

// stuck is an adapter that writes something and does not stop when it is told to.
func stuck(release <-chan struct{}) func(context.Context, *ai.Emitter) error {
	return func(_ context.Context, out *ai.Emitter) error {
		w := out.Thinking()
		w.Append("hm")
		w.End()
		out.ToolCall("id", "tool").Append(`{"a":`)
		t := out.Text()
		t.Append("one ")
		t.Append("two")
		<-release
		t.Append("three")
		out.Message().StopReason = ai.StopEnd
		return nil
	}
}

func TestAnAdapterThatDoesNotStopIsLeftBehind(t *testing.T) {
	for _, how := range []string{"abort", "leave", "in time", "result"} {
		t.Run(how, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				release := make(chan struct{})
				ctx, cancel := context.WithCancelCause(t.Context())
				told := 0
				model := &ai.Model{Provider: "p", ID: "m", API: "a"}
				s := ai.NewStream(ctx, ai.StreamInfo{Model: model, Thinking: ai.ThinkingLow}, stuck(release)).Detach(2*time.Second, func() { told++ })
				begin := time.Now()
				end := func() {
					synctest.Wait()
					cancel(errors.New("enough"))
					if how == "in time" {
						time.Sleep(time.Second)
						close(release)
					}
				}
				last, text, once := ai.Event{}, "", new(sync.Once)
				if how == "result" {
					go end()
				} else {
					for ev := range s.Events() {
						last = ev
						if text += ev.Delta; strings.HasSuffix(text, "two") {
							if how == "leave" {
								break
							}
							once.Do(func() { go end() })
						}
					}
				}
				m := s.Result()
				if how != "in time" && time.Since(begin) != 2*time.Second {
					t.Errorf("it took %v", time.Since(begin))
				}
				want := ai.StopAborted
				if how == "in time" {
					want = ai.StopEnd // it has ended well all the same
				}
				if m.StopReason != want || m.Provider != "p" || m.ThinkingLevel != ai.ThinkingLow || m.DurationMS == nil {
					t.Errorf("the answer is %+v", m)
				}
				if got, want := ai.TextOf(m.Content, ""), "one two"; !strings.HasPrefix(got, want) {
					t.Errorf("the text is %q, want %q", got, want)
				}
				if how != "leave" && how != "result" && (!last.Terminal() || last.Message != m) {
					t.Errorf("the last event is %s", last.Type)
				}
				if want := map[string]int{"in time": 0}[how] + map[bool]int{true: 1}[how != "in time"]; told != want {
					t.Errorf("told %d times, want %d", told, want)
				}
				if how != "in time" {
					if len(m.ToolCalls()) > 0 {
						t.Error("a call that is not whole is in the answer")
					}
					close(release)
					synctest.Wait()
					if got := ai.TextOf(m.Content, ""); got != "one two" {
						t.Errorf("the answer went on: %q", got)
					}
				}
			})
		})
	}
}

func TestADetachedStreamIsLikeOthers(t *testing.T) {
	run := func(_ context.Context, out *ai.Emitter) error {
		w := out.Text()
		w.Append("hello")
		w.End()
		out.Message().StopReason = ai.StopEnd
		return nil
	}
	s := ai.NewStream(t.Context(), ai.StreamInfo{}, run).Detach(time.Second, nil)
	var got []string
	for ev := range s.Events() {
		got = append(got, string(ev.Type))
	}
	if want := "start text_start text_delta text_end done"; strings.Join(got, " ") != want {
		t.Errorf("got %v, want %s", got, want)
	}
	func() {
		defer func() {
			if recover() == nil {
				t.Error("a panic of the reader is eaten")
			}
		}()
		s = ai.NewStream(t.Context(), ai.StreamInfo{}, run).Detach(time.Second, nil)
		for range s.Events() {
			panic("reader")
		}
	}()
	if m := s.Result(); m.StopReason != ai.StopAborted {
		t.Errorf("after a panic of the reader the answer ended with %s", m.StopReason)
	}
	s = ai.NewStream(t.Context(), ai.StreamInfo{}, func(context.Context, *ai.Emitter) error { panic("adapter") }).Detach(time.Second, nil)
	if m := s.Result(); m.Failure == nil || m.Failure.Kind != ai.KindInternal {
		t.Errorf("after a panic of the adapter the failure is %v", m.Failure)
	}
}
