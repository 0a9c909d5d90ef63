package tui_test

import (
	"errors"
	"testing"
	"testing/synctest"

	"github.com/google/go-cmp/cmp"
	"github.com/pi-go/pi/tui"
)

func TestForm(t *testing.T) {
	t.Parallel()
	needed := func(s string) error {
		if s == "" {
			return errors.New("this is needed")
		}
		return nil
	}
	f := tui.NewForm(nil,
		tui.Field{ID: "name", Label: "Name", Check: needed},
		tui.Field{ID: "key", Label: "Key", Masked: true, Placeholder: "secret"})
	f.Hint = "enter sends"
	f.SetFocused(true)
	var got []map[string]string
	canceled := 0
	f.OnSubmit = func(v map[string]string) { got = append(got, v) }
	f.OnCancel = func() { canceled++ }
	for _, step := range []struct {
		keys string
		want []string
	}{
		{"", []string{"Name", "> ▮", "Key", "> secret", "", "enter sends"}},
		{"\r", []string{"Name", "> ▮", "  this is needed", "Key", "> secret", "", "enter sends"}},
		{"\t", []string{"Name", ">", "  this is needed", "Key", "> ▮secret", "", "enter sends"}},
		{"abc\r", []string{"Name", "> ▮", "  this is needed", "Key", "> •••", "", "enter sends"}},
		{"Ann", []string{"Name", "> Ann▮", "Key", "> •••", "", "enter sends"}},
		{"\x1b[A", []string{"Name", "> Ann", "Key", "> •••▮", "", "enter sends"}},
		{"\x1b[Z", []string{"Name", "> Ann▮", "Key", "> •••", "", "enter sends"}},
		{"\r\r", []string{"Name", "> Ann", "Key", "> •••▮", "", "enter sends"}},
		{"\x1b", []string{"Name", "> Ann", "Key", "> •••▮", "", "enter sends"}},
	} {
		for _, k := range split(step.keys) {
			send(f, k)
		}
		if diff := cmp.Diff(step.want, see(t, f, 20)); diff != "" {
			t.Errorf("after %q (-want +got):\n%s", step.keys, diff)
		}
	}
	if diff := cmp.Diff([]map[string]string{{"name": "Ann", "key": "abc"}}, got); diff != "" || canceled != 1 {
		t.Errorf("submitted %v, canceled %d times", got, canceled)
	}
	for width := 1; width < 20; width++ {
		see(t, f, width)
	}
	if tui.NewForm(nil).HandleInput(nil) {
		t.Error("a form without fields uses input")
	}
}

func TestSettingsOfAProgramChangeWhileItRuns(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var sizes [][2]int
		r := run(t, 20, 4, tui.Options{OnResize: func(w, h int) { sizes = append(sizes, [2]int{w, h}) }}, true, func(p *tui.Program) {
			p.Transcript.Append(numbered(9))
		})
		r.screen("line 005", "line 006", "line 007", "line 008")
		r.do(func() { r.Change(func(o *tui.Options) { o.ScrollbarThumb, o.Terminal = "#", nil }) })
		if got := r.tty.Screen()[3]; got != "line 008           #" {
			t.Errorf("the scrollbar is not there: %q", got)
		}
		r.tty.Resize(30, 5)
		r.settle()
		if diff := cmp.Diff([][2]int{{20, 4}, {30, 5}}, sizes); diff != "" {
			t.Error(diff)
		}
		if err := r.finish(); err != nil {
			t.Error(err)
		}
	})
}
