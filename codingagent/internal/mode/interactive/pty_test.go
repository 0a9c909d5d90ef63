//go:build unix

package interactive_test

import (
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/creack/pty"
	"github.com/google/go-cmp/cmp"

	"github.com/pi-go/pi/ai/aitest/mockllm"
	"github.com/pi-go/pi/tui/tuitest"
)

var update = flag.Bool("update", false, "write the golden screens anew")

// built is where pi is built to.
var built string

// binary builds pi once for all tests.
var binary = sync.OnceValues(func() (string, error) {
	path := filepath.Join(built, "pi")
	cmd := exec.Command("go", "build", "-o", path, "github.com/pi-go/pi/codingagent/cmd/pi")
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := cmd.CombinedOutput(); err != nil {
		return "", fmt.Errorf("build pi: %w\n%s", err, out)
	}
	return path, nil
})

func TestMain(m *testing.M) {
	var err error
	if built, err = os.MkdirTemp("", "pi-pty-"); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	code := m.Run()
	_ = os.RemoveAll(built)
	os.Exit(code)
}

// waitTime is when a screen that was waited for is given up; nothing is
// measured by it.
const waitTime = 30 * time.Second

// console is pi in a terminal.
type console struct {
	t       *testing.T
	dir     string
	home    string
	llm     *mockllm.Server
	tty     *os.File // the terminal's side
	before  string   // state of the line discipline
	env     []string // on top of the usual one
	inside  []string // the command of a multiplexer that is to run pi
	shell   bool     // a shell that is told to start pi,
	first   string   // and to do this before
	cmd     *exec.Cmd
	ended   chan error
	mu      sync.Mutex
	changed *sync.Cond
	screen  *tuitest.Terminal
	raw     strings.Builder
	closed  bool
}

// place makes a home and a directory for sessions of pi.
func place(t *testing.T) *console {
	t.Helper()
	llm, err := mockllm.Start()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := llm.Close(); err != nil {
			t.Error(err)
		}
	})
	root, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	c := &console{t: t, home: filepath.Join(root, "home"), dir: filepath.Join(root, "work"), llm: llm}
	c.changed = sync.NewCond(&c.mu)
	c.put("../home/.pi/agent/settings.json", `{"retry":{"baseDelayMs":1},"theme":"dark"}`)
	c.put("../home/.pi/agent/models.json", c.modelsFile())
	return c
}

// modelsFile describes the model server.
func (c *console) modelsFile() string {
	return fmt.Sprintf(`{"providers": {"mock": {"baseUrl": %q, "api": "openai-completions", "apiKey": "sk-mock-secret",
		"models": [{"id": "m", "maxTokens": 1000, "contextWindow": 100000}, {"id": "n", "maxTokens": 1000}]}}}`, c.llm.URL+"/v1")
}

func (c *console) put(name, text string) {
	c.t.Helper()
	path := filepath.Join(c.dir, name)
	if err := errors.Join(os.MkdirAll(c.dir, 0o755), os.MkdirAll(filepath.Dir(path), 0o755), os.WriteFile(path, []byte(text), 0o644)); err != nil {
		c.t.Fatal(err)
	}
}

// start runs pi in a terminal of a size.
func (c *console) start(width, height int, args ...string) *console {
	c.t.Helper()
	path, err := binary()
	if err != nil {
		c.t.Fatal(err)
	}
	switch {
	case c.shell:
		args = append([]string{path}, args...)
		path = "/bin/sh"
		c.cmd = exec.Command(path, "-i")
	case c.inside != nil:
		c.cmd = exec.Command(c.inside[0], slices.Concat(c.inside[1:], []string{path}, args)...)
	default:
		c.cmd = exec.Command(path, args...)
	}
	c.cmd.Dir = c.dir
	c.cmd.Env = []string{"HOME=" + c.home, "PATH=" + os.Getenv("PATH"), "TERM=xterm-256color", "COLORTERM=truecolor", "SHELL=/bin/sh"}
	c.cmd.Env = append(c.cmd.Env, c.env...)
	master, slave, err := pty.Open()
	if err != nil {
		c.t.Fatal(err)
	}
	if err := pty.Setsize(master, &pty.Winsize{Cols: uint16(width), Rows: uint16(height)}); err != nil {
		c.t.Fatal(err)
	}
	c.before = discipline(c.t, slave)
	c.cmd.Stdin, c.cmd.Stdout, c.cmd.Stderr = slave, slave, slave
	c.cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Setctty: true}
	if err := c.cmd.Start(); err != nil {
		c.t.Fatal(err)
	}
	cmd, ended := c.cmd, make(chan error, 1)
	c.tty, c.closed, c.ended = master, false, ended
	c.screen = tuitest.New(width, height)
	replies, over := make(chan string, 64), make(chan struct{})
	c.screen.OnReply(func(s string) {
		select {
		case replies <- s:
		case <-over:
		}
	})
	go func() {
		for {
			select {
			case s := <-replies:
				_, _ = master.WriteString(s)
			case <-over:
				return
			}
		}
	}()
	read := make(chan struct{})
	go func() {
		defer close(read)
		buf := make([]byte, 64<<10)
		for {
			n, err := master.Read(buf)
			c.mu.Lock()
			_, _ = c.screen.Write(buf[:n])
			c.raw.Write(buf[:n])
			if err != nil {
				c.closed = true
			}
			c.changed.Broadcast()
			c.mu.Unlock()
			if err != nil {
				return
			}
		}
	}()
	gone := make(chan struct{})
	go func() {
		defer close(gone)
		err := cmd.Wait()
		after := discipline(c.t, slave)
		if after != c.before {
			err = errors.Join(err, fmt.Errorf("the terminal was left in another state:\n%s\nbefore:\n%s", after, c.before))
		}
		_ = slave.Close()
		<-read
		ended <- err
	}()
	if c.shell {
		c.wait("shell>")
		if c.first != "" {
			c.keys(c.first, enter)
		}
		c.keys("'"+strings.Join(args, "' '")+"'", enter)
	}
	c.t.Cleanup(func() {
		_ = cmd.Process.Kill()
		close(over)
		_ = master.Close()
		select {
		case <-gone: // what follows the end may still speak to the test
		case <-time.After(waitTime):
		}
	})
	return c
}

// open runs pi with the model server until it waits for the person.
func (c *console) open(width, height int, args ...string) *console {
	c.t.Helper()
	c.start(width, height, append([]string{"--model", "mock/m"}, args...)...)
	c.wait("of 100k")
	return c
}

// ask sends a message and waits until the answer is there, with some texts in it.
func (c *console) ask(message string, answer ...string) string {
	c.t.Helper()
	c.keys(message, enter)
	c.wait(answer...)
	return c.gone("Working")
}

// leave presses keys and then ctrl+d, and waits for the end.
func (c *console) leave(keys ...string) {
	c.t.Helper()
	c.keys(append(keys, ctrlD)...)
	c.finish(0)
}

// discipline describes the state of a terminal's line discipline.
func discipline(t *testing.T, f *os.File) string {
	cmd := exec.Command("stty", "-a")
	cmd.Stdin = f
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Logf("stty: %v", err)
	}
	_, rest, _ := strings.Cut(string(out), "\n") // the first line has the size
	return rest
}

func (c *console) keys(keys ...string) {
	c.t.Helper()
	for _, k := range keys {
		if _, err := c.tty.WriteString(k); err != nil {
			c.t.Fatal(err)
		}
	}
}

func (c *console) resize(width, height int) {
	c.t.Helper()
	c.mu.Lock()
	c.screen.Resize(width, height)
	c.mu.Unlock()
	if err := pty.Setsize(c.tty, &pty.Winsize{Cols: uint16(width), Rows: uint16(height)}); err != nil {
		c.t.Fatal(err)
	}
}

// resized makes the terminal wider and waits until the screen is drawn anew and has all
// of some texts. What is still there from before would let a test go on too early.
func (c *console) resized(width, height int, texts ...string) string {
	c.t.Helper()
	c.resize(width, height)
	return c.until(fmt.Sprintf("the screen is drawn %d wide and shows %q", width, texts), func(s string) bool {
		return slices.ContainsFunc(strings.Split(s, "\n"), func(line string) bool {
			return strings.HasSuffix(line, "──") && len([]rune(line)) == width
		}) && !slices.ContainsFunc(texts, func(t string) bool { return !strings.Contains(s, t) })
	})
}

// wait waits until the screen has all of some texts.
func (c *console) wait(texts ...string) string {
	c.t.Helper()
	return c.until(fmt.Sprintf("the screen shows %q", texts), func(s string) bool {
		for _, t := range texts {
			if !strings.Contains(s, t) {
				return false
			}
		}
		return true
	})
}

// gone waits until the screen does not show a text.
func (c *console) gone(text string) string {
	c.t.Helper()
	return c.until(fmt.Sprintf("%q is gone", text), func(s string) bool { return !strings.Contains(s, text) })
}

func (c *console) until(what string, ok func(screen string) bool) string {
	c.t.Helper()
	late := false
	timer := time.AfterFunc(waitTime, func() {
		c.mu.Lock()
		late = true
		c.changed.Broadcast()
		c.mu.Unlock()
	})
	defer timer.Stop()
	done := make(chan struct{})
	defer close(done)
	go func() { // what is waited for may be a file
		for tick := time.NewTicker(50 * time.Millisecond); ; {
			select {
			case <-tick.C:
				c.changed.Broadcast()
			case <-done:
				tick.Stop()
				return
			}
		}
	}()
	c.mu.Lock()
	defer c.mu.Unlock()
	for {
		s := strings.Join(c.screen.Screen(), "\n")
		switch {
		case !c.screen.Mode(2026) && ok(s): // not in the middle of a frame
			return s
		case late || c.closed:
			c.t.Fatalf("never true: %s. The screen:\n%s%s", what, s, c.goroutines())
		}
		c.changed.Wait()
	}
}

// goroutines has pi, if it is there, say what it is doing, as what was waited for does
// not come. c.mu is held.
func (c *console) goroutines() string {
	if c.closed || c.shell || c.inside != nil {
		return ""
	}
	state, _ := os.ReadFile(fmt.Sprintf("/proc/%d/stat", c.cmd.Process.Pid))
	before := c.raw.Len()
	_ = c.cmd.Process.Signal(syscall.SIGQUIT)
	late := false
	timer := time.AfterFunc(5*time.Second, func() {
		c.mu.Lock()
		late = true
		c.changed.Broadcast()
		c.mu.Unlock()
	})
	defer timer.Stop()
	for !c.closed && !late {
		c.changed.Wait()
	}
	return fmt.Sprintf("\nThe process: %s\nIt said:\n%s", state, c.raw.String()[before:])
}

// anyCode lets [console.finish] take any exit code.
const anyCode = -1

// finish waits for the end and checks that the terminal is as it was.
func (c *console) finish(code int) {
	c.t.Helper()
	select {
	case err := <-c.ended:
		var exit *exec.ExitError
		switch {
		case err == nil && (code == 0 || code == anyCode), errors.As(err, &exit) && (exit.ExitCode() == code || code == anyCode) && !strings.Contains(err.Error(), "another state"):
		default:
			c.t.Errorf("pi ended with %v, want code %d", err, code)
		}
	case <-time.After(waitTime):
		c.t.Fatalf("pi did not end; the screen:\n%s", c.until("", func(string) bool { return true }))
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.screen.AltScreen() {
		raw := c.raw.String()
		c.t.Errorf("the alternate screen was left on; the last bytes were %q", raw[max(len(raw)-600, 0):])
	}
	for mode, name := range map[int]string{2004: "bracketed paste", 1000: "the mouse", 1002: "mouse drags", 1006: "SGR mouse", 1004: "focus events"} {
		if c.screen.Mode(mode) {
			c.t.Errorf("%s was left on", name)
		}
	}
	if _, _, visible := c.screen.Cursor(); !visible {
		c.t.Error("the cursor was left hidden")
	}
	if flags, depth := c.screen.KittyFlags(); flags != 0 || depth != 0 {
		c.t.Errorf("keyboard flags %d were left, %d deep", flags, depth)
	}
	if c.screen.OtherKeys() != 0 {
		c.t.Error("modifyOtherKeys was left on")
	}
	if s := c.raw.String(); strings.Contains(s, "sk-mock-secret") {
		c.t.Error("the key was shown")
	}
}

var (
	elapsed   = regexp.MustCompile(`[⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏]`)
	tempPath  = regexp.MustCompile(`(/[^ ]*)?/work\b`)
	timestamp = regexp.MustCompile(`--session [0-9a-f-]+`)
)

// golden compares the screen with a file.
func (c *console) golden(name string) {
	c.t.Helper()
	got := c.until("a frame is whole", func(string) bool { return true })
	got = elapsed.ReplaceAllString(got, "*")
	got = tempPath.ReplaceAllString(got, "/work")
	got = timestamp.ReplaceAllString(got, "--session ID")
	got = strings.TrimRight(got, "\n") + "\n"
	path := filepath.Join("testdata", "screens", name+".txt")
	if *update {
		if err := os.WriteFile(path, []byte(got), 0o644); err != nil {
			c.t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(path)
	if err != nil {
		c.t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), got); diff != "" {
		c.t.Errorf("the screen differs from %s (-want +got); -update writes it anew:\n%s", path, diff)
	}
}

const (
	enter  = "\r"
	ctrlC  = "\x03"
	ctrlD  = "\x04"
	ctrlO  = "\x0f"
	ctrlT  = "\x14"
	escape = "\x1b"
	altUp  = "\x1b[1;3A"
	altRet = "\x1b\r"
)
