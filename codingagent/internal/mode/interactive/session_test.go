//go:build unix

package interactive_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/pi-go/pi/ai/aitest/mockllm"
)

func TestAnAnswerAtEveryWidth(t *testing.T) {
	everyWidth(t, func(t *testing.T, width int) {
		c := place(t)
		c.put("a.go", "package a\n\nfunc A() {}\n")
		c.llm.Queue(
			mockllm.Blocks(
				mockllm.Text("I will look."),
				mockllm.ToolCall("t1", "read", `{"path":"a.go"}`),
				mockllm.ToolCall("t2", "bash", `{"command":"printf 'one\ntwo\n'"}`),
			),
			mockllm.Blocks(mockllm.ToolCall("t3", "edit", `{"path":"a.go","edits":[{"oldText":"func A() {}","newText":"func B() {}"}]}`)),
			mockllm.Say("Done: **A** is `B` now.\n\n", "- one\n- two 한글\n"),
		)
		c.open(width, 40)
		c.ask("rename A", "two 한글", "▱")
		c.golden(fmt.Sprintf("answer-%d", width))
		c.leave()
		if s := strings.Join(c.screen.Screen(), "\n"); !strings.Contains(s, "two 한글") || !strings.Contains(s, "pi -c") {
			t.Errorf("the main screen lacks the conversation or the way back:\n%s", s)
		}
	})
}

func TestQueueAbortAndTakeBack(t *testing.T) {
	t.Parallel()
	c := place(t)
	hold := make(chan struct{})
	t.Cleanup(func() { close(hold) })
	c.llm.Queue(
		mockllm.Say("the first half", "never").Via(mockllm.Delivery{HoldAt: 1, Hold: hold}),
		mockllm.Say("second answer"),
	)
	c.open(80, 24)
	c.keys("go", enter)
	c.wait("Working")
	c.keys("steer me", enter)
	c.wait("next: steer me", "1 queued")
	c.keys("later on", altRet)
	c.wait("then: later on", "2 queued")
	c.keys(altUp)
	c.gone("next:")
	c.wait("steer me", "later on")
	c.keys(ctrlC) // clears the editor
	c.gone("later on")
	c.keys("queued", enter)
	c.wait("next: queued")
	c.keys(escape)
	c.wait("(stopped)")
	c.gone("Stopping")
	s := c.wait("queued") // back in the editor
	if strings.Contains(s, "next:") {
		t.Errorf("the queue still has it:\n%s", s)
	}
	c.keys(enter)
	c.wait("second answer")
	c.gone("Working")
	c.leave()
}

func TestShellAndFolding(t *testing.T) {
	t.Parallel()
	c := place(t)
	c.open(80, 40)
	c.keys("!seq 1 40; printf 'a 10%%\\ra 100%%\\n\\033[1A\\033[2Kdone\\t|\\033[31mred\\033[0m\\n'", enter)
	s := c.wait("done", "red", "30 more lines")
	c.gone("running for")
	if strings.Contains(s, "\n   a 10%") || strings.Contains(s, "\n   5\n") {
		t.Errorf("the screen shows what is folded or gone:\n%s", s)
	}
	c.keys(ctrlO)
	c.wait("\n   12", "\n   40")
	c.keys(ctrlO)
	c.wait("more lines")
	c.keys("!!echo $((6*7)) for me", enter)
	c.wait("42 for me", "not shown to the model")
	c.gone("running for")
	c.keys("!sleep 100", enter)
	c.wait("running for")
	c.keys(escape)
	c.wait("stopped")
	c.llm.Queue(mockllm.Say("I see."))
	c.keys("what was that", enter)
	c.wait("I see.")
	body := string(c.llm.Requests()[0].Body)
	if !strings.Contains(body, "seq 1 40") || strings.Contains(body, "for me") {
		t.Errorf("the model got\n%s", body)
	}
	c.leave()
}

func TestHostileOutput(t *testing.T) {
	t.Parallel()
	c := place(t)
	evil := `\u001b]0;owned\u0007\u001b[2J\u001b[?1049l\u0090q\u001b]52;c;ZXZpbA==\u0007`
	c.llm.Queue(
		mockllm.Blocks(
			mockllm.Text("\x1b]0;owned\a\x1b[2J\x1b]52;c;ZXZpbA==\astart"),
			mockllm.ToolCall("t1", "bash", `{"command":"printf '\\033]0;owned\\007\\033[2J\\033[?1049l\\033]52;c;ZXZpbA==\\007tool'; echo `+evil+`"}`),
			mockllm.ToolCall("t2", "no`\x1b[2J`", `{"x":"`+evil+`"}`),
		),
		mockllm.Say("```go\n\x1b[2Jfunc\x1b]0;owned\a\n```\n[link](http://x/\x1b]0;owned\a) end"),
	)
	c.open(80, 40)
	c.ask("go", "start", "tool", "end")
	c.mu.Lock()
	if title := c.screen.Title(); strings.Contains(title, "owned") {
		t.Errorf("the title is %q", title)
	}
	if c.screen.Clipboard() != "" || !c.screen.AltScreen() {
		t.Error("a sequence of the model or a tool reached the terminal")
	}
	c.mu.Unlock()
	c.keys(ctrlO)
	c.wait("end")
	c.leave()
	if c.screen.Clipboard() != "" || strings.Contains(c.screen.Title(), "owned") {
		t.Error("a sequence reached the terminal at the end")
	}
}

func TestSessionsComeBack(t *testing.T) {
	t.Parallel()
	c := place(t)
	c.llm.Queue(mockllm.Say("the first answer"), mockllm.Say("another one"))
	c.open(80, 30)
	c.ask("first question", "the first answer")
	c.keys("/name my work", enter)
	c.wait("· my work")
	c.keys("/new", enter)
	c.gone("the first answer")
	c.ask("second question", "another one")
	c.keys("/resume", enter)
	c.wait("Resume a session", "my work", "second question")
	c.keys("my work")
	c.gone("second question  ")
	c.keys(enter)
	c.wait("the first answer", "· my work")
	c.keys("/tree", enter)
	c.wait("you: first question", "← here")
	c.keys("\x1b[A", enter)
	c.wait("Leave this branch")
	c.keys(enter)
	c.gone("the first answer")
	c.wait("first question") // in the editor, to be said differently
	c.leave(ctrlC)

	c.start(80, 30, "-c")
	c.wait("another one")
	c.keys("/fork", enter)
	c.wait("Fork from a message", "second question")
	c.keys(enter)
	c.gone("another one")
	c.wait("second question")
	c.keys(ctrlC, "/clone", enter)
	c.wait("nothing to copy")
	c.keys("/session", enter)
	c.wait("Directory", "Cost")
	c.leave()

	c.start(80, 30, "-r")
	c.wait("Resume a session", "second question")
	c.keys("my work")
	c.gone("second question  ")
	c.keys(enter)
	c.gone("Resume a session")
	c.wait("· my work") // where its branch was left: before the first question
	c.leave()
}

func TestModelAndThinking(t *testing.T) {
	t.Parallel()
	c := place(t)
	c.llm.Queue(mockllm.Blocks(mockllm.Thinking("", "deep thought"), mockllm.Text("shallow answer")))
	c.open(80, 24)
	c.ask("go", "deep thought", "shallow answer")
	c.keys("/model", enter)
	c.wait("→ mock/m", "mock/n")
	c.keys("\x1b[B", enter)
	c.wait("The model is mock/n.")
	c.keys("/model mock/m", enter)
	c.wait("The model is mock/m.")
	c.keys("/nothing", enter)
	c.wait("There is no command /nothing")
	c.keys(ctrlC, "!!echo $((6*7)) times", enter)
	if s := c.wait("42 times"); strings.Contains(s, "There is no command") {
		t.Errorf("a hint outlives what comes after it:\n%s", s)
	}
	c.gone("running for")
	c.keys("/modle", enter)
	c.wait("did you mean /model?")
	c.keys(ctrlC, "/theme light", enter)
	c.gone("/theme")
	c.keys("/help", enter)
	c.wait("!!command")
	c.leave()
}

func TestResizeWhileItStreams(t *testing.T) {
	t.Parallel()
	for _, mode := range []string{"fullscreen", "regular"} {
		t.Run(mode, func(t *testing.T) {
			t.Parallel()
			c := place(t)
			var lines []string
			for i := range 80 {
				lines = append(lines, fmt.Sprintf("line %03d\n\n", i+1))
			}
			c.llm.Queue(mockllm.Say(lines...).Via(mockllm.Delivery{Pace: 4_000_000}))
			c.open(100, 30, "--tui-mode", mode)
			c.keys("go", enter)
			for i, size := range [][2]int{{66, 20}, {120, 40}, {100, 30}} {
				c.until("it has come some way", func(screen string) bool {
					for k := 15 * (i + 1); k <= len(lines); k++ { // a line itself may have passed by
						if strings.Contains(screen, fmt.Sprintf("line %03d", k)) {
							return true
						}
					}
					return false
				})
				c.resize(size[0], size[1])
			}
			c.wait("line 080")
			c.gone("Working")
			c.keys("x")
			c.wait("\nx\n")
			if mode == "regular" {
				c.until("each line is there once", func(string) bool {
					all := strings.Join(c.screen.All(), "\n")
					for _, l := range lines {
						if strings.Count(all, strings.TrimSpace(l)) != 1 {
							return false
						}
					}
					return true
				})
			}
			c.leave(ctrlC)
			all := strings.Join(c.screen.All(), "\n")
			at := -1
			for i := range 80 {
				want := fmt.Sprintf("line %03d", i+1)
				if n := strings.Count(all, want); n != 1 {
					t.Fatalf("%s is there %d times:\n%s", want, n, all)
				}
				if i := strings.Index(all, want); i < at {
					t.Fatalf("%s is out of order", want)
				} else {
					at = i
				}
			}
		})
	}
}

func TestEveryWayOut(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		name string
		out  func(c *console)
		code int
	}{
		{"ctrl+d", func(c *console) { c.keys(ctrlD) }, 0},
		{"a storm of ctrl+c", func(c *console) { c.keys(strings.Repeat(ctrlC, 30)) }, 0},
		{"SIGTERM", func(c *console) { c.signal(syscall.SIGTERM) }, 143},
		{"SIGHUP", func(c *console) { c.signal(syscall.SIGHUP) }, 129},
		{"SIGINT twice", func(c *console) {
			c.signal(syscall.SIGINT)
			c.wait("again to exit")
			c.keys(ctrlC)
		}, 0},
	} {
		for _, mode := range []string{"fullscreen", "regular"} {
			for _, busy := range []bool{false, true} {
				t.Run(fmt.Sprintf("%s, %s, busy %v", tc.name, mode, busy), func(t *testing.T) {
					t.Parallel()
					if busy && tc.name == "SIGINT twice" {
						t.Skip("while an answer comes it stops the answer")
					}
					c := place(t)
					hold := make(chan struct{})
					t.Cleanup(func() { close(hold) })
					c.llm.Queue(mockllm.Say("half", "never").Via(mockllm.Delivery{HoldAt: 1, Hold: hold}))
					c.open(80, 24, "--tui-mode", mode)
					if busy {
						c.keys("go", enter)
						c.wait("Working")
					}
					tc.out(c)
					c.finish(tc.code)
				})
			}
		}
	}
}

func (c *console) signal(s syscall.Signal) {
	c.t.Helper()
	if err := c.cmd.Process.Signal(s); err != nil {
		c.t.Fatal(err)
	}
}

func TestTenThousandPastedLines(t *testing.T) {
	t.Parallel()
	c := place(t)
	c.llm.Queue(mockllm.Say("got it"))
	c.open(80, 24)
	var b strings.Builder
	for i := range 10_000 {
		fmt.Fprintf(&b, "row %05d\r", i+1)
	}
	typed := make(chan error, 1)
	go func() { // the terminal holds less than all of it
		_, err := c.tty.WriteString("\x1b[200~" + b.String() + "\x1b[201~")
		typed <- err
	}()
	c.wait("[paste #1 +1000")
	if err := <-typed; err != nil {
		t.Fatal(err)
	}
	c.keys(" end", enter)
	c.wait("got it")
	body := string(c.llm.Requests()[0].Body)
	if strings.Count(body, "row ") != 10_000 || !strings.Contains(body, `row 00001\nrow 00002`) {
		t.Errorf("the model got %d rows", strings.Count(body, "row "))
	}
	c.leave()
}

func TestDumbTerminalGetsLines(t *testing.T) {
	t.Parallel()
	c := place(t)
	c.llm.Queue(mockllm.Say("plain"))
	c.start(80, 24, "--model", "mock/m", "--tui-mode", "line")
	c.wait(">")
	c.keys("hi", enter)
	c.wait("plain")
	c.keys("/quit", enter)
	c.finish(0)
}

func TestErrorsSayWhatToDo(t *testing.T) {
	t.Parallel()
	c := place(t)
	c.llm.Queue(mockllm.Failure(401, "authentication_error", "bad key \x1b[2J"))
	c.open(60, 24)
	c.ask("go", "Error: ", "Check the key")
	c.golden("error-60")
	c.keys("\x1b[A") // the text is in the history
	c.wait("\ngo\n")
	c.leave(ctrlC)
}

func TestKeysOfVi(t *testing.T) {
	t.Parallel()
	c := place(t)
	c.put("../home/.pi/agent/settings.json", `{"theme":"dark","editorKeys":"vi"}`)
	c.llm.Queue(mockllm.Blocks(mockllm.Text("good day")))
	c.open(80, 24)
	c.wait("INSERT")
	c.keys("hello wrold again", escape)
	c.wait("NORMAL")
	c.keys("2bcwworld")
	c.wait("hello world again", "INSERT")
	c.keys(escape)
	c.wait("NORMAL")
	c.keys("x", enter) // the last letter of the word
	c.wait("hello worl again", "good day", "INSERT")
	c.keys("/settings", enter)
	c.wait("── Settings")
	c.keys(escape)
	c.gone("── Settings")
	c.leave()
}

func TestATinyImage(t *testing.T) {
	t.Parallel()
	c := place(t)
	c.put("dot.png", "\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR\x00\x00\x00\x01\x00\x00\x00\x01\x08\x06\x00\x00\x00\x1f\x15\xc4\x89\x00\x00\x00\rIDATx\x9cc\xf8\xcf\xc0\xf0\x1f\x00\x05\x00\x01\xff\x89\x99=\x1d\x00\x00\x00\x00IEND\xaeB`\x82")
	c.llm.Queue(mockllm.Blocks(mockllm.ToolCall("t1", "read", `{"path":"dot.png"}`)), mockllm.Say("a dot"))
	c.open(80, 24)
	c.keys("look", enter)
	c.wait("read dot.png", "a dot")
	c.leave()
}

func TestAHomeThatCanNotBeWritten(t *testing.T) {
	t.Parallel()
	c := place(t)
	c.put("../file", "no directory")
	c.open(80, 24, "--session-dir", "../file/sessions")
	c.keys("do not lose this", enter)
	c.wait("--no-session", "\ndo not lose this\n")
	c.leave(ctrlC)
}

func TestTemplatesSkillsAndThePage(t *testing.T) {
	t.Parallel()
	c := place(t)
	c.put("../home/.pi/agent/prompts/greet.md", "---\ndescription: says good day\n---\nSay good day to $1 in verse.\n")
	c.put("../home/.pi/agent/skills/rhyme/SKILL.md", "---\nname: rhyme\ndescription: how lines are made to rhyme\n---\nThe last sounds are alike.\n")
	c.llm.Queue(mockllm.Say("well met"), mockllm.Say("a rhyme at the end of the line"))
	c.open(80, 30)
	c.keys("/gre")
	c.wait("says good day")
	c.ask("et Ada", "Say good day to Ada in verse", "well met")
	c.ask("/skill:rhyme", "a rhyme at the end of the line")
	c.keys("/help", enter)
	c.wait("/greet", "/skill:rhyme")
	c.keys("/grete", enter)
	c.wait("did you mean /greet?")
	c.keys(ctrlC, "/export page.html", enter)
	c.wait("Written to")
	c.leave()
	page, err := os.ReadFile(filepath.Join(c.dir, "page.html"))
	if err != nil || !strings.Contains(string(page), "well met") || !strings.Contains(string(page), "Content-Security-Policy") {
		t.Errorf("the page is %.300s, %v", page, err)
	}
}
