package interactive

import (
	"fmt"

	"github.com/pi-go/pi/codingagent/extension"
	"github.com/pi-go/pi/codingagent/internal/mode/interactive/guest"
	"github.com/pi-go/pi/tui/input"
)

// OnKey sees keys before the program does.
func (s *guestUI) OnKey(f func(extension.Key) bool) (remove func()) {
	calls := s.g.hostOf(s.who).Calls("keys")
	return s.watch(func(u *ui) func() {
		return u.p.Filter(func(ev input.Event) bool {
			k, ok := guest.KeyOf(ev)
			if !ok {
				return false
			}
			used, _ := answered(calls, func() bool { return f(k) })
			return used
		})
	})
}

// RewriteKeys puts other keys in the place of those that are typed.
func (s *guestUI) RewriteKeys(f func(extension.Key) []extension.Key) (remove func()) {
	host := s.g.hostOf(s.who)
	calls := host.Calls("keys")
	return s.watch(func(u *ui) func() {
		return u.p.Rewrite(func(ev input.Event) []input.Event {
			k, ok := guest.KeyOf(ev)
			if !ok {
				return []input.Event{ev}
			}
			keys, ok := answered(calls, func() []extension.Key { return f(k) })
			if !ok {
				return []input.Event{ev}
			}
			var out []input.Event
			for _, other := range keys {
				if other == k {
					out = append(out, ev)
					continue
				}
				typed, err := guest.EventOf(other)
				if err != nil {
					host.Fault("keys", fmt.Errorf("type another key: %w", err))
					continue
				}
				out = append(out, typed)
			}
			return out
		})
	})
}

// answered asks a guest, and does not wait for it for long; ok is false when it has not
// answered.
func answered[T any](calls *guest.Calls, ask func() T) (v T, ok bool) {
	answer := make(chan T, 1)
	calls.Do(func() { answer <- ask() })
	select {
	case v = <-answer:
		return v, true
	default:
		return v, false
	}
}

// watch begins something that lasts until it is removed, or the session ends. begin is
// called on the program's goroutine, and so is what it gives, once.
func (s *guestUI) watch(begin func(u *ui) (end func())) (remove func()) {
	var end func()
	s.do(func(u *ui) {
		off, gone := begin(u), false
		end = func() {
			if !gone {
				gone = true
				off()
			}
		}
		u.guests.watchers = append(u.guests.watchers, end)
	})
	return func() {
		s.do(func(*ui) {
			if end != nil {
				end()
			}
		})
	}
}
