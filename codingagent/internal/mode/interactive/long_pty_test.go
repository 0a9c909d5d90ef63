//go:build unix

package interactive_test

import (
	"fmt"
	"strings"
	"testing"
)

const (
	ctrlHome   = "\x1b[1;5H"
	ctrlEnd    = "\x1b[1;5F"
	ctrlShiftF = "\x1b[102;6u"
)

// longSession keeps a conversation of 2,000 messages and gives its file.
func (c *console) longSession() string {
	c.t.Helper()
	texts := make([]string, 2000)
	for i := range texts {
		texts[i] = fmt.Sprintf("message %04d.\n\n- it is\n- rather long", i)
	}
	texts[11] += "\n\nthe needle of the haystack"
	c.kept("dddd4444", c.dir, "", texts...)
	return "dddd4444"
}

// Of a long session the end is shown first; all of it is there when one looks.
func TestALongSession(t *testing.T) {
	t.Parallel()
	c := place(t)
	id := c.longSession()
	c.open(80, 24, "--session", id)
	s := c.wait("message 1999.")
	if strings.Contains(s, "left out") || !strings.Contains(s, "message 1998.") {
		t.Errorf("the end is not what is shown:\n%s", s)
	}
	c.keys(ctrlHome)
	c.wait("message 0000.", "message 0001.")
	c.keys("\x1b[1;5B", "\x1b[1;5B") // ctrl+down: this message of the person, and the next one
	c.gone("message 0000.")
	c.wait("message 0002.")
	c.keys(ctrlEnd)
	c.wait("message 1999.")
	c.keys(ctrlShiftF, "needle of")
	c.wait("Search: needle of", "the needle of the haystack", "message 0011.")
	c.keys(escape)
	c.gone("Search:")
	c.keys("\x1b[A") // what was said is in the history
	c.wait("\nmessage 1998.\n")
	c.leave(ctrlC)
	all := strings.Join(c.screen.All(), "\n")
	if !strings.Contains(all, "message 1999.") || !strings.Contains(all, "the beginning is left out") {
		t.Error("the end of the conversation is not left on the main screen")
	}
}

// A scrollback gets the end of it, each line once, and a screen of the program's own
// shows the rest.
func TestALongSessionInTheScrollback(t *testing.T) {
	t.Parallel()
	c := place(t)
	id := c.longSession()
	c.open(80, 24, "--session", id, "--tui-mode", "regular")
	c.wait("message 1999.")
	c.mu.Lock()
	all := strings.Join(c.screen.All(), "\n")
	c.mu.Unlock()
	first := -1
	for i := range 2000 {
		switch n := strings.Count(all, fmt.Sprintf("message %04d.", i)); {
		case n == 1 && first < 0:
			first = i
		case n != 1 && first >= 0:
			t.Fatalf("message %d is there %d times", i, n)
		}
	}
	if first < 100 || first > 1900 || !strings.Contains(all, fmt.Sprintf("only its last %d parts are here", 2000-first)) {
		t.Errorf("the first message is %d:\n%.2000s", first, all)
	}
	c.keys("/settings", enter)
	c.wait("── Settings", "regular")
	c.keys(enter) // the other screen
	c.until("the other screen is on", func(s string) bool {
		return c.screen.AltScreen() && strings.Contains(s, "→ Screen                   fullscreen")
	})
	c.keys(escape)
	c.gone("── Settings")
	c.keys(ctrlHome)
	s := c.wait("message 0000.")
	if strings.Contains(s, "are here") {
		t.Errorf("it says that something is left out:\n%s", s)
	}
	c.keys("/settings", enter)
	c.wait("── Settings")
	c.keys(enter)
	c.until("the main screen is back", func(s string) bool {
		return !c.screen.AltScreen() && strings.Contains(s, "→ Screen                   regular")
	})
	c.keys(escape)
	c.gone("── Settings")
	c.wait("message 1999.")
	c.leave()
}
