//go:build unix

package interactive_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/pi-go/pi/codingagent/extension"
)

// keyed is a component that takes keys.
type keyed struct {
	mu     sync.Mutex
	got    []string
	done   func(any)
	redraw func()
	focus  bool
	closed chan struct{}
}

func (k *keyed) Render(width int) []string {
	k.mu.Lock()
	defer k.mu.Unlock()
	return []string{"keys: " + strings.Join(k.got, " "), fmt.Sprintf("focus %v width %d", k.focus, width)}
}

func (k *keyed) HandleKey(key extension.Key) bool {
	k.mu.Lock()
	defer k.mu.Unlock()
	switch key.ID {
	case "escape":
		return false
	case "enter":
		k.done(strings.Join(k.got, " "))
	default:
		k.got = append(k.got, key.ID+"/"+key.Text)
	}
	return true
}

func (k *keyed) SetFocused(on bool) {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.focus = on
}

func (k *keyed) Close() {
	close(k.closed)
}

func TestCustomComponents(t *testing.T) {
	everyWidth(t, func(t *testing.T, width int) {
		type end struct {
			value any
			err   error
		}
		ends := make(chan end, 1)
		var c *keyed
		d := sit(t, width, 20, within(func(api *extension.API) {
			command(t, api, "custom", func(ctx context.Context, x *extension.CommandContext, where string) error {
				o := extension.CustomOptions{Overlay: where == "overlay", Width: "50%", Anchor: "top-right"}
				if where == "wrong" {
					o.Anchor = "nowhere"
				}
				v, err := x.UI().Screen().Custom(ctx, func(s extension.Surface, done func(any)) extension.Component {
					if columns, _ := s.Size(); columns != width {
						t.Errorf("the surface has %d columns, want %d", columns, width)
					}
					c = &keyed{done: done, redraw: s.Redraw, closed: make(chan struct{})}
					return c
				}, o)
				ends <- end{v, err}
				return nil
			})
		}))
		d.wait("faux")
		for _, where := range []string{"inline", "overlay"} {
			d.keys("/custom "+where, enter)
			d.wait("keys:", "focus true")
			d.keys("a", "\x10")
			d.wait("keys: a/a ctrl+p/")
			d.golden(fmt.Sprintf("ext-custom-%s-%d", where, width))
			d.keys(enter)
			if e := <-ends; e.err != nil || e.value != "a/a ctrl+p/" {
				t.Errorf("it ended with %v, %v", e.value, e.err)
			}
			d.gone("keys:")
		}
		d.keys("/custom overlay", enter)
		d.wait("focus true")
		d.keys(escape)
		if e := <-ends; !errors.Is(e.err, extension.ErrDismissed) {
			t.Errorf("it was sent away, and ended with %v", e.err)
		}
		d.gone("keys:")
		d.keys("/custom wrong", enter)
		if e := <-ends; e.err == nil || !strings.Contains(e.err.Error(), "nowhere") {
			t.Errorf("a wrong anchor gave %v", e.err)
		}
		d.keys("typed")
		d.wait("typed")
		select {
		case <-c.closed:
		case <-time.After(waitTime):
			t.Error("the component was not closed")
		}
	})
}

func TestComponentsThatMisbehave(t *testing.T) {
	everyWidth(t, func(t *testing.T, width int) {
		hold := make(chan struct{})
		d := sit(t, width, 40, within(func(api *extension.API) {
			command(t, api, "bad", func(_ context.Context, x *extension.CommandContext, _ string) error {
				show := func(key string, f func(width int) []string) {
					x.UI().SetWidget(key, extension.Widget{Component: func(extension.Theme) extension.Component { return extension.Lines(f) }})
				}
				show("panics", func(int) []string { panic("secret stack") })
				show("wide", func(width int) []string { return []string{strings.Repeat("w", width+7) + "\x1b[2J\x1b[Hmoved"} })
				show("blocks", func(int) []string {
					<-hold
					return []string{"at last"}
				})
				show("lines", func(int) []string { return []string{"two\nlines\x1b[31m red"} })
				return nil
			})
		}))
		d.wait("faux")
		d.keys("/bad", enter)
		s := d.wait("could not be", "www", "two", "red", "not drawn yet", "it panicked", "it was cut")
		if strings.Contains(s, "goroutine") || strings.Contains(s, "moved") {
			t.Errorf("the screen shows a stack, or what was cut:\n%s", s)
		}
		d.keys("typed meanwhile")
		d.wait("typed meanwhile")
		d.golden(fmt.Sprintf("ext-bad-%d", width))
		close(hold)
		d.wait("at last")
	})
}
