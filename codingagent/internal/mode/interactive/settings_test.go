//go:build unix

package interactive_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/pi-go/pi/ai"
	"github.com/pi-go/pi/ai/faux"
	"github.com/pi-go/pi/codingagent/settings"
)

// A turn for which the vendor read the prompt again is told of, if the person wants
// that.
func TestCacheMissNotices(t *testing.T) {
	for _, on := range []bool{true, false} {
		t.Run(fmt.Sprint(on), func(t *testing.T) {
			d := sitWith(t, 100, 24, func(s *settings.Settings) { s.CacheMissNotices = on })
			say := func(text string, u ai.Usage) {
				r := faux.Say(text)
				r.Usage = &u
				d.llm.Queue(r)
				d.keys("go on", "\r")
				d.wait(text)
			}
			say("first", ai.Usage{Input: 10, CacheWrite: 50_000})
			say("second", ai.Usage{CacheRead: 50_000, CacheWrite: 100})
			if screen := d.wait("second"); strings.Contains(screen, "again") {
				t.Errorf("a hit is told of:\n%s", screen)
			}
			say("third", ai.Usage{Input: 60_000})
			say("the last one", ai.Usage{Input: 60_000})
			if screen := d.wait("the last one"); strings.Contains(screen, "read 50100 tokens of the prompt again") != on {
				t.Errorf("with the setting %v:\n%s", on, screen)
			}
		})
	}
}

func TestCodeBlockIndent(t *testing.T) {
	d := sitWith(t, 60, 20, func(s *settings.Settings) { s.Markdown.CodeBlockIndent = "| " })
	d.llm.Queue(faux.Say("Here:\n\n```\nx := 1\n```\n"))
	d.keys("show", "\r")
	d.wait("| x := 1")
}

func TestWheelLines(t *testing.T) {
	d := sitWith(t, 40, 12, func(s *settings.Settings) { s.Terminal.WheelLines = 1 })
	var lines []string
	for i := range 40 {
		lines = append(lines, fmt.Sprintf("line %02d", i))
	}
	d.llm.Queue(faux.Say(strings.Join(lines, "\n\n")))
	d.keys("show", "\r")
	top := func(screen string) string { return strings.TrimSpace(strings.SplitN(screen, "\n", 2)[0]) }
	before := top(d.until("the end of the answer", func(s string) bool { return strings.Contains(s, "line 39") }))
	d.tty.Type("\x1b[<64;1;1M")
	d.until("one line further up", func(s string) bool { return top(s) != before })
	if second := strings.TrimSpace(d.tty.Screen()[1]); second != before {
		t.Errorf("the line that was the first is not the second: %q, %q", before, second)
	}
}

// Of two changes that are asked for at once the later one counts.
func TestChangesAtOnce(t *testing.T) {
	d := sit(t, 80, 24)
	for i := range 30 {
		first, second := fmt.Sprint("first-", i), fmt.Sprint("second-", i)
		d.keys("/name "+first, "\r", "/name "+second, "\r")
		d.wait(second)
		d.keys("/name", "\r")
		d.wait("This session is called " + second)
	}
}

// A compaction that ends with its session is not told of in the next one.
func TestACompactionEndsWithItsSession(t *testing.T) {
	d := sitWith(t, 80, 24, func(s *settings.Settings) { s.Compaction.KeepRecent = 1 })
	for _, text := range []string{"first", "second"} {
		d.llm.Queue(faux.Say(text))
		d.keys("go on", "\r")
		d.wait(text)
	}
	asked := make(chan struct{})
	d.llm.Queue(faux.Response{Steps: []faux.Step{faux.Do(func() { close(asked) }), faux.Hang()}})
	d.keys("/compact", "\r")
	<-asked
	d.keys("/new", "\r")
	d.wait("A new session.")
	d.llm.Queue(faux.Say("third"))
	d.keys("go on", "\r")
	if s := d.wait("third"); strings.Contains(s, "Error") || strings.Contains(s, "summed up") {
		t.Errorf("the old session is told of:\n%s", s)
	}
}
