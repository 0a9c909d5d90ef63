//go:build unix

package interactive_test

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/pi-go/pi/ai/aitest/mockllm"
)

// caret waits until the terminal's own cursor, which input methods go by, stands in
// a column of the row that has a text.
func (c *console) caret(row string, column int) {
	c.t.Helper()
	at := -1
	c.until(fmt.Sprintf("the cursor is in column %d of %q", column, row), func(string) bool {
		x, y, _ := c.screen.Cursor()
		rows := c.screen.Screen()
		at = x
		return y < len(rows) && strings.Contains(rows[y], row) && x == column
	})
	_ = at
}

// TestTheCaretIsWhereTextGoes types characters of all widths and checks the place of
// the cursor, at which an input method opens its window.
func TestTheCaretIsWhereTextGoes(t *testing.T) {
	t.Parallel()
	for _, mode := range []string{"fullscreen", "regular"} {
		t.Run(mode, func(t *testing.T) {
			t.Parallel()
			c := place(t)
			c.open(60, 20, "--tui-mode", mode)
			column := 0
			for _, s := range []struct {
				typed string
				width int
			}{{"한글", 4}, {"e\u0301", 1}, {"東京", 4}, {"👩\u200d🚀", 2}, {"🇯🇵", 2}, {"ｱ", 1}, {"ก\u0e49", 1}, {"❄\ufe0f", 2}, {"x", 1}} {
				c.keys(s.typed)
				column += s.width
				c.caret("한글", column)
			}
			c.keys("\x1b[D", "\x1b[D") // left over x and the snowflake
			c.caret("한글", column-3)
			c.keys(backspace) // takes the whole Thai cluster
			c.caret("한글", column-4)
			c.keys("\x1b[H")
			c.caret("한글", 0)
			c.keys(ctrlC)
			c.gone("한글")
			c.leave()
		})
	}
}

// TestWideCharactersKeepColumns shows a table of them: all its right edges are in one
// column of the terminal.
func TestWideCharactersKeepColumns(t *testing.T) {
	t.Parallel()
	c := place(t)
	c.llm.Queue(mockllm.Say("| sign | name |\n|---|---|\n| 👩‍🚀 | astronaut |\n| 🇯🇵 | 日本 |\n| ❄️ | snow |\n| é | 한국어 |\n\nend of it"))
	c.open(60, 30)
	c.ask("go", "end of it")
	c.mu.Lock()
	edges := map[int]int{}
	_, height := c.screen.Size()
	for y := range height {
		last := -1
		for x := range 60 {
			if c.screen.Cell(x, y).Text == "│" {
				last = x
			}
		}
		if last > 2 && last < 59 { // the last column has the scrollbar
			edges[last]++
		}
	}
	c.mu.Unlock()
	if len(edges) != 1 {
		t.Errorf("right edges in columns %v:\n%s", edges, c.until("", func(string) bool { return true }))
	}
	c.leave()
}

// TestNoFlicker streams a long answer and counts what makes a screen flicker.
func TestNoFlicker(t *testing.T) {
	t.Parallel()
	for _, mode := range []string{"fullscreen", "regular"} {
		t.Run(mode, func(t *testing.T) {
			t.Parallel()
			c := place(t)
			var lines []string
			for i := range 120 {
				lines = append(lines, fmt.Sprintf("line %03d of an answer\n\n", i+1))
			}
			c.llm.Queue(mockllm.Say(lines...).Via(mockllm.Delivery{Pace: 2_000_000}))
			c.open(80, 24, "--tui-mode", mode)
			c.mu.Lock()
			clears, before := c.screen.Clears(), c.raw.Len()
			c.mu.Unlock()
			c.keys("go", enter)
			for i := range 20 { // and somebody types meanwhile
				c.keys(string(rune('a' + i)))
			}
			c.wait("line 120 of", "abcdefghijklmnopqrst")
			c.gone("Working")
			c.mu.Lock()
			sent := c.raw.String()[before:]
			if n := c.screen.Clears(); n != clears {
				t.Errorf("the screen was cleared %d times", n-clears)
			}
			c.mu.Unlock()
			for _, s := range []string{"\x1b[3J", "\x1b[2J", "\x1b[?1049"} {
				if strings.Contains(sent, s) {
					t.Errorf("%q was sent while nothing changed its size", s)
				}
			}
			// All that is drawn is within frames that the terminal shows at once.
			open := false
			for rest := sent; ; {
				at := strings.Index(rest, "\x1b[?2026")
				if at < 0 {
					break
				}
				if !open && strings.Contains(rest[:at], "line ") {
					t.Errorf("drawn outside of a frame: %.200q", rest[:at])
					break
				}
				open = rest[at+len("\x1b[?2026")] == 'h'
				rest = rest[at+len("\x1b[?2026h"):]
			}
			if mode == "regular" {
				all := strings.Join(c.screen.All(), "\n")
				for i := range 120 {
					if n := strings.Count(all, fmt.Sprintf("line %03d of", i+1)); n != 1 {
						t.Errorf("line %d is there %d times", i+1, n)
					}
				}
			}
			c.keys(ctrlC)
			c.gone("abcdef")
			c.leave()
		})
	}
}

// TestScrollbackIsKept runs pi below what a shell has written.
func TestScrollbackIsKept(t *testing.T) {
	t.Parallel()
	for _, mode := range []string{"fullscreen", "regular"} {
		t.Run(mode, func(t *testing.T) {
			t.Parallel()
			c := place(t)
			c.llm.Queue(mockllm.Say(strings.Repeat("a line of the answer\n\n", 40)))
			c.shell, c.env = true, []string{"PS1=shell> "}
			c.first = "for i in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22 23 24 25 26 27 28 29 30; do echo before $i; done"
			c.open(80, 24, "--tui-mode", mode)
			c.ask("go", "a line of the answer")
			c.keys(ctrlD)
			c.until("the shell is back", func(s string) bool {
				return strings.HasSuffix(strings.TrimRight(s, "\n"), "shell>") && !c.screen.Mode(2004)
			})
			c.keys("exit", enter)
			c.finish(0)
			all := strings.Join(c.screen.All(), "\n")
			at := -1
			for i := range 30 {
				want := fmt.Sprintf("before %d\n", i+1) // the shell may repeat what is typed ahead in front of the first
				now := strings.Index(all, want)
				if now < at || now < 0 {
					t.Fatalf("%q is lost or out of place:\n%s", want, all)
				}
				at = now
			}
			if n := strings.Count(all, "a line of the answer"); n != 40 {
				t.Errorf("%d lines of the answer are left", n)
			}
		})
	}
}

// A conversation that began on the terminal's own screen and ended on one of the
// program's is left behind whole, each line once.
func TestBegunInRegularModeEndedInFullScreen(t *testing.T) {
	t.Parallel()
	for _, left := range []string{"transcript", "resume-hint"} {
		t.Run(left, func(t *testing.T) {
			t.Parallel()
			c := place(t)
			c.put(agentFiles+"settings.json", `{"fullscreenExitOutput":"`+left+`"}`)
			c.llm.Queue(mockllm.Say("the first answer"), mockllm.Say("the second answer"))
			c.open(80, 24, "--tui-mode", "regular")
			c.ask("one", "the first answer")
			c.keys("/settings", enter)
			c.wait("→ Screen")
			c.keys(enter)
			c.until("it has a screen of its own", func(string) bool { return c.screen.AltScreen() })
			c.wait("→ Screen")
			c.keys(escape)
			c.gone("── Settings")
			c.ask("two", "the second answer")
			c.keys(ctrlD)
			c.finish(0)
			all := strings.Join(c.screen.All(), "\n")
			want := map[string]int{"the first answer": 1, "the second answer": 1, "To go on": 1}
			if left == "resume-hint" {
				want = map[string]int{"the first answer": 1, "To go on": 1, "Filter": 0, "──": 0}
			}
			for text, n := range want {
				if got := strings.Count(all, text); got != n {
					t.Errorf("%q is left %d times instead of %d", text, got, n)
				}
			}
			if t.Failed() {
				t.Log(all)
			}
		})
	}
}

// TestKeysInTmux sends keys as tmux and older terminals encode them.
func TestKeysInTmux(t *testing.T) {
	t.Parallel()
	c := place(t)
	hold := make(chan struct{})
	c.llm.Queue(mockllm.Say("half", "whole").Via(mockllm.Delivery{HoldAt: 1, Hold: hold}), mockllm.Say("then this"))
	c.env = []string{"TERM=tmux-256color", "TMUX=/tmp/tmux-0/default,1,0"}
	c.open(80, 24)
	c.keys("one", "\x1b[27;2;13~", "two", "\x1b[13;2u", "three", "\x1b\x1b[D") // shift+enter twice, alt+left as ESC ESC [ D
	c.wait("\none\n", "\ntwo\n", "\nthree")
	c.keys("x ", "\x1b[1;5C", "\x1bb", "\x1bf", " end") // ctrl+right, alt+b, alt+f
	c.wait("\nx three end\n")
	c.keys("\x1bOH", ">", "\x1bOF", "<") // home and end of the application mode
	c.wait("\n>x three end<\n")
	c.keys("\x1b[1~", ".", "\x1b[4~", ".") // and of the VT220
	c.wait("\n.>x three end<.\n")
	c.keys(enter)
	c.wait("Working")
	c.keys("a follow-up", "\x1b[27;3;13~") // alt+enter
	c.wait("then: a follow-up")
	c.keys("\x1b\x1b[A") // alt+up as ESC ESC [ A
	c.gone("then: a follow-up")
	c.wait("\na follow-up\n")
	c.keys("\x1b\r") // alt+enter again, the old way
	c.wait("then: a follow-up")
	close(hold)
	c.wait("then this")
	c.gone("Working")
	c.keys("\x1b[200~pasted\ntext\x1b[201~")
	c.wait("\npasted\n", "\ntext\n")
	c.keys(ctrlC)
	c.gone("pasted")
	c.leave()
	if body := string(c.llm.Requests()[0].Body); !strings.Contains(body, `one\ntwo\n.\u003ex three end\u003c.`) && !strings.Contains(body, `one\ntwo\n.>x three end<.`) {
		t.Errorf("the model got %s", body)
	}
}

// TestALargePasteIsOneStep has control characters and tabs in it.
func TestALargePasteIsOneStep(t *testing.T) {
	t.Parallel()
	c := place(t)
	seen := filepath.Join(filepath.Dir(c.dir), "seen")
	c.put("../bin/edit", "#!/bin/sh\ncp \"$1\" '"+seen+"'\n")
	tool := filepath.Join(filepath.Dir(c.dir), "bin", "edit")
	if err := os.Chmod(tool, 0o755); err != nil {
		t.Fatal(err)
	}
	c.env = []string{"EDITOR=" + tool}
	c.llm.Queue(mockllm.Say("got it"))
	c.open(80, 24)
	var lines []string
	for i := range 40 {
		lines = append(lines, fmt.Sprintf("row %02d", i+1))
	}
	lines[3] += "\twith a tab"
	lines[7] += "\x1b[31mred"
	c.keys("see ", "\x1b[200~"+strings.Join(lines, "\r")+"\x1b[201~")
	c.wait("see [paste #1")
	c.keys("\x1f") // ctrl+-: undo
	c.gone("[paste #1")
	c.keys("\x1b[45;6u") // shift+ctrl+-: redo, where a terminal can say so
	c.keys("\x07")       // ctrl+g: all of it is in the other editor
	c.until("the editor has seen it", func(string) bool {
		data, err := os.ReadFile(seen)
		return err == nil && len(data) > 0
	})
	c.wait("of 100k")
	c.keys(ctrlC)
	c.keys("\x1b[200~" + strings.Join(lines, "\r") + "\x1b[201~")
	c.wait("[paste #")
	c.keys(enter)
	c.wait("got it")
	c.gone("Working")
	c.leave()
	var body struct {
		Messages []struct {
			Role    string
			Content json.RawMessage
		}
	}
	if err := json.Unmarshal(c.llm.Requests()[0].Body, &body); err != nil {
		t.Fatal(err)
	}
	last := string(body.Messages[len(body.Messages)-1].Content)
	if !strings.Contains(last, `row 04\twith a tab\n`) || !strings.Contains(last, `row 08\u001b[31mred\n`) || strings.Count(last, "row ") != 40 {
		t.Errorf("the model got %s", last)
	}
}

// TestOutputOfProgramsStaysInItsPlace runs commands that print what a terminal obeys,
// by the model and by the person, and looks while they run and afterwards.
func TestOutputOfProgramsStaysInItsPlace(t *testing.T) {
	t.Parallel()
	c := place(t)
	gate := filepath.Join(c.dir, "gate")
	command := `printf 'a 10%%\ra 50%%\ra 100%%\n\033[1A\033[2Kdone\t|\033[31mred\033[0m\n\033[5A\033[2J'; while [ ! -e gate ]; do sleep 0.05; done; head -c 1048576 /dev/zero | tr '\0' x; echo; echo the end`
	arguments, err := json.Marshal(map[string]string{"command": command})
	if err != nil {
		t.Fatal(err)
	}
	c.llm.Queue(mockllm.Blocks(mockllm.ToolCall("t1", "bash", string(arguments))), mockllm.Say("that was it"))
	c.open(80, 30)
	for _, by := range []string{"run it", "!" + command} {
		_ = os.Remove(gate)
		c.keys(by, enter)
		live := c.wait("|red")
		if strings.Contains(live, "a 10%") && strings.Contains(live[strings.LastIndex(live, "a 10%"):], "a 50%") && !strings.Contains(live, "printf 'a 10%") {
			t.Errorf("old states are shown while it runs:\n%s", live)
		}
		for _, row := range strings.Split(live, "\n") {
			if strings.HasPrefix(strings.TrimSpace(row), "a 10%a") || strings.HasPrefix(strings.TrimSpace(row), "a 10%\\") {
				t.Errorf("states of a progress bar stand side by side: %q", row)
			}
		}
		c.put("gate", "")
		c.wait("the end")
		c.gone("running for")
		c.gone("Working")
	}
	c.wait("that was it")
	c.leave()
}

// TestLeavingAtOnce presses Ctrl+C before anything is drawn.
func TestLeavingAtOnce(t *testing.T) {
	t.Parallel()
	for range 5 {
		c := place(t)
		c.start(80, 24, "--model", "mock/m")
		c.keys(ctrlC)
		c.keys(ctrlC)
		c.until("pi runs or has ended", func(s string) bool { return strings.Contains(s, "of 100k") || c.closed })
		c.mu.Lock()
		closed := c.closed
		c.mu.Unlock()
		if !closed {
			c.keys(ctrlC, ctrlC, ctrlD)
		}
		c.finish(anyCode)
	}
}
