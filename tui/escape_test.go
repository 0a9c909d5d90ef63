package tui_test

import (
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/pi-go/pi/tui"
	"github.com/pi-go/pi/tui/input"
)

// A key whose sequence comes in two parts stays one key, however long the program was
// busy in between.
func TestAKeyInTwoPartsWhileTheProgramIsBusy(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		e := &keyNames{}
		r := run(t, 20, 5, tui.Options{}, false, func(p *tui.Program) { p.Bottom.Add(e); p.SetFocus(e) })
		const times = 40
		for range times {
			r.tty.Type("\x1b")
			synctest.Wait()
			r.Do(func() { time.Sleep(time.Second) })
			r.tty.Type("[A")
			time.Sleep(2 * time.Second)
			synctest.Wait()
		}
		if got := strings.Join(e.names, " "); got != strings.TrimSpace(strings.Repeat("up ", times)) {
			t.Errorf("the keys are %q", got)
		}
		if err := r.finish(); err != nil {
			t.Error(err)
		}
	})
}

// keyNames notes which keys it gets.
type keyNames struct {
	tui.Text
	names []string
}

func (k *keyNames) HandleInput(ev input.Event) bool {
	if key, ok := ev.(input.Key); ok {
		k.names = append(k.names, key.ID.String())
	}
	return true
}
