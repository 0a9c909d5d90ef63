//go:build unix

package interactive_test

import (
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/pi-go/pi/ai/aitest/mockllm"
)

// An edit is a difference, and a file that is written is seen, while the model still
// writes them; a command shows the end of what it prints while it runs, and the lines
// that are read are named.
func TestCallsUnderWay(t *testing.T) {
	everyWidth(t, func(t *testing.T, width int) {
		c := place(t)
		c.put("a.go", "package a\n\nfunc A() {}\n")
		gate := filepath.Join(c.dir, "gate")
		if err := syscall.Mkfifo(gate, 0o600); err != nil {
			t.Fatal(err)
		}
		edit, write := make(chan struct{}), make(chan struct{})
		held := func(hold chan struct{}, tool, first, last string) mockllm.Answer {
			// The stream is held in the middle of the blanks.
			last = strings.TrimSuffix(last, "}") + strings.Repeat(" ", 6000) + "}"
			return mockllm.Blocks(mockllm.ToolCall("t-"+tool, tool, first, last)).Via(mockllm.Delivery{HoldAt: 3000, Hold: hold})
		}
		c.llm.Queue(
			held(edit, "edit", `{"path":"a.go","edits":[{"oldText":"func A() {}","newText":"func B() {}\n`, `"}]}`),
			held(write, "write", `{"path":"b.go","content":"package b\n\nfunc C() {}\n`, `// end\n"}`),
			mockllm.Blocks(mockllm.ToolCall("t3", "read", `{"path":"a.go","offset":2,"limit":1}`)),
			mockllm.Blocks(mockllm.ToolCall("t4", "bash", `{"command":"seq -f 'row %.0f' 1 40; cat gate"}`)),
			mockllm.Say("that is all"),
		)
		c.open(width, 40)
		c.keys("go", enter)
		c.wait("edit a.go", "- func A() {}", "+ func B() {}")
		if got := c.file("a.go"); !strings.Contains(got, "func A") {
			t.Errorf("it was edited before the model had written all of it: %s", got)
		}
		c.resized(width+9, 36, "- func A() {}", "+ func B() {}")
		close(edit)
		c.wait("write b.go", "func C() {}")
		if got := c.file("b.go"); got != "" {
			t.Errorf("it was written before the model had: %s", got)
		}
		close(write)
		c.wait("read a.go", "row 40", "running for")
		s := c.wait("more lines", "read a.go lines 2–2")
		if strings.Contains(s, "row 1\n") {
			t.Errorf("not only the end is shown:\n%s", s)
		}
		c.resized(width, 40, "row 40", "running for")
		if err := os.WriteFile(gate, []byte("opened\n"), 0o600); err != nil {
			t.Fatal(err)
		}
		c.wait("opened", "that is all")
		c.gone("Working")
		c.leave()
	})
}
