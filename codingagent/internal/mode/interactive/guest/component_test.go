package guest

import (
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/pi-go/pi/codingagent/extension"
	"github.com/pi-go/pi/tui/text"
)

func TestASlowComponentIsNotWaitedForTwice(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		late, faults := 0, 0
		h := &Host{Late: func() { late++ }, Fault: func(string, error) { faults++ }}
		hold := make(chan struct{})
		c := h.Component("slow", extension.Lines(func(int) []string {
			<-hold
			return []string{"done"}
		}))
		begin := time.Now()
		for range 10 {
			if got := c.Render(20); strings.Contains(got[0], "done") {
				t.Errorf("it drew %q", got)
			}
		}
		if took := time.Since(begin); took != patience {
			t.Errorf("the screen stood still for %v, want %v", took, patience)
		}
		time.Sleep(stuckTime + time.Second)
		close(hold)
		synctest.Wait()
		if got := c.Render(20); got[0] != "done" || late != 1 || faults != 1 {
			t.Errorf("it drew %q, late %d, faults %d", got, late, faults)
		}
	})
}

func FuzzLinesAreHarmless(f *testing.F) {
	for _, s := range []string{"plain", "\x1b[31mred", "\x1b[2J\x1b[H", "a\nb\tc", "東京\x1b]0;t\a", "\x1b_pi:c\ax", "\u2028", "\xff"} {
		f.Add(s, 5)
	}
	f.Fuzz(func(t *testing.T, s string, width int) {
		width = min(max(width, 1), 300)
		lines, _ := harmless([]string{s}, width)
		for _, l := range lines {
			if text.Width(l) > width || strings.ContainsAny(l, "\n\r\t") || strings.Contains(l, "\x1b[2J") {
				t.Errorf("%q became %q", s, l)
			}
		}
	})
}
