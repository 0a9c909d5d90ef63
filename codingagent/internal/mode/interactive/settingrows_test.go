//go:build unix

package interactive_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/pi-go/pi/ai/api/openaicodexresponses"
	"github.com/pi-go/pi/ai/faux"
	"github.com/pi-go/pi/tui/tuitest"
)

// set changes a setting in the open list: it is found by its label, and changed by a
// number of steps to the right.
func (d *desk) set(label string, steps int, value string) {
	d.t.Helper()
	d.keys(label)
	d.wait("→ " + label)
	d.keys(strings.Repeat("\x1b[C", steps))
	d.until(label+" is "+value, func(s string) bool {
		for line := range strings.Lines(s) {
			if rest, ok := strings.CutPrefix(line, "→ "+label); ok && strings.TrimSpace(rest) == value {
				return true
			}
		}
		return false
	})
	d.keys(escape)
	d.gone("filter:")
}

// Settings of requests count from the next one on.
func TestSettingsOfRequests(t *testing.T) {
	t.Parallel()
	d := sit(t, 80, 30)
	d.llm.Queue(faux.Say("one"), faux.Say("two"))
	d.wait("faux")
	d.keys("hi", enter)
	d.wait("one")
	d.gone("Working")
	d.keys("/settings", enter)
	d.wait("── Settings")
	d.set("Way to the vendor", 1, "sse")
	d.set("Give up a silent answer", 1, "never")
	d.set("Send no images", 1, "on")
	d.set("Keep caches warm", 2, "off")
	d.keys(escape)
	d.gone("── Settings")
	d.keys("again", enter)
	d.wait("two")
	d.gone("Working")
	sent := d.llm.Requests()
	before, after := sent[0].Call.Options, sent[len(sent)-1].Call.Options
	way := func(o any) openaicodexresponses.Transport {
		own, _ := o.(openaicodexresponses.Options)
		return own.Transport
	}
	if way(before.Protocol) != "auto" || before.Timeouts.Idle != 5*time.Minute || way(after.Protocol) != "sse" || after.Timeouts.Idle >= 0 {
		t.Errorf("requests were sent by %q with %v, then by %q with %v", way(before.Protocol), before.Timeouts.Idle, way(after.Protocol), after.Timeouts.Idle)
	}
	if !d.runtime.Session().Settings().Images.BlockImages {
		t.Error("images are sent")
	}
	if w := d.runtime.Session().Settings().Network.CacheWarming; w != "off" {
		t.Errorf("caches are kept warm: %s", w)
	}
}

// Diagrams are drawn, or shown as they are written, as soon as the setting says so.
func TestSettingOfDiagrams(t *testing.T) {
	t.Parallel()
	d := sit(t, 80, 30)
	d.llm.Queue(faux.Say("See:\n\n```mermaid\nflowchart LR\n  A[Client] -->|asks| B[Server]\n```\n\nThat is all."))
	d.wait("faux")
	d.keys("hi", enter)
	d.wait("│ Client ├───asks───▶│ Server │")
	d.gone("Working")
	for _, step := range []struct{ value, shown, gone string }{
		{"final", "│ Client ├───asks───▶│ Server │", "```mermaid"},
		{"off", "A[Client] -->|asks| B[Server]", "▶"},
	} {
		d.keys("/settings", enter)
		d.wait("── Settings")
		d.set("Diagrams", 1, step.value)
		d.keys(escape)
		d.gone("── Settings")
		d.wait(step.shown)
		d.gone(step.gone)
	}
}

// Settings of the screen count at once.
func TestSettingsOfTheScreen(t *testing.T) {
	t.Parallel()
	d := sit(t, 80, 30)
	var lines []string
	for i := range 60 {
		lines = append(lines, fmt.Sprintf("row %02d", i+1))
	}
	d.llm.Queue(faux.Say("see [the page](https://example.org/x)\n\n```\ncode\n```"), faux.Say(strings.Join(lines, "\n\n")))
	link := func() (url string) {
		d.tty.With(func(t *tuitest.Terminal) {
			for y, row := range t.Screen() {
				if x := strings.Index(row, "the page"); x >= 0 {
					url = t.Cell(x, y).Link
				}
			}
		})
		return url
	}
	d.wait("faux")
	d.keys("hi", enter)
	d.wait("the page (https://example.org/x)")
	d.gone("Working")
	if link() == "" {
		t.Error("there is no link")
	}
	change := func(label string, steps int, value string) {
		t.Helper()
		d.keys("/settings", enter)
		d.wait("── Settings")
		d.set(label, steps, value)
		d.keys(escape)
		d.gone("── Settings")
	}
	change("Links", 1, "true")
	d.gone("(https://example.org/x)")
	if link() == "" {
		t.Error("the link is gone with its address")
	}
	change("Links", 1, "false")
	d.wait("the page (https://example.org/x)")
	if u := link(); u != "" {
		t.Errorf("there is a link to %s", u)
	}
	change("Room beside answers", 1, "0")
	d.wait("\nsee the page")
	change("Scrollbar", 1, "always")
	d.wait("┃")
	change("Scrollbar", 1, "hidden")
	d.gone("┃")
	d.keys("more", enter)
	d.wait("row 60")
	d.gone("Working")
	top := func() (n int) {
		_, _ = fmt.Sscanf(strings.TrimSpace(d.until("rows are there", func(s string) bool { return strings.Contains(s, "row ") })), "row %d", &n)
		return n
	}
	change("Mouse wheel", 4, "5")
	d.keys("\x1b[<64;10;5M", "\x1b[<64;10;5M")
	d.gone("row 60")
	before := top()
	d.keys("\x1b[<64;10;5M", "\x1b[<64;10;5M") // ten lines, of which every second has a number
	d.until("ten lines further up", func(s string) bool {
		var n int
		_, err := fmt.Sscanf(strings.TrimSpace(s), "row %d", &n)
		return err == nil && n == before-5
	})
	change("The terminal's cursor", 1, "on")
	d.until("the cursor is shown", func(string) bool {
		shown := false
		d.tty.With(func(t *tuitest.Terminal) { _, _, shown = t.Cursor() })
		return shown
	})
}
