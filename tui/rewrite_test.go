package tui_test

import (
	"testing"
	"testing/synctest"

	"github.com/pi-go/pi/tui"
	"github.com/pi-go/pi/tui/input"
)

func TestEventsAreRewritten(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		in := tui.NewInput(nil)
		key := func(s string) input.Key { return input.Key{ID: input.ID{Name: s}, Text: s} }
		seen := ""
		var stop func()
		r := run(t, 20, 5, tui.Options{}, false, func(p *tui.Program) {
			p.Bottom.Add(in)
			p.SetFocus(in)
			stop = p.Rewrite(func(ev input.Event) []input.Event {
				switch k, _ := ev.(input.Key); k.Text {
				case "a":
					return []input.Event{key("b"), ev}
				case "b":
					return nil
				}
				return []input.Event{ev}
			})
			p.Filter(func(ev input.Event) bool {
				if k, ok := ev.(input.Key); ok {
					seen += k.Text
				}
				return false
			})
		})
		r.tty.Type("xab")
		r.settle()
		if in.Value() != "xba" || seen != "xba" {
			t.Errorf("the input has %q, a later filter saw %q", in.Value(), seen)
		}
		r.Do(stop)
		r.tty.Type("b")
		r.settle()
		if in.Value() != "xbab" {
			t.Errorf("without it the input has %q", in.Value())
		}
		if err := r.finish(); err != nil {
			t.Error(err)
		}
	})
}
