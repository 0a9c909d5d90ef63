//go:build linux

package vttest

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/creack/pty"
	"github.com/google/go-cmp/cmp"
	"github.com/pi-go/pi/tui/tuitest"
	"golang.org/x/sys/unix"
)

// session is a program on a real pty, with our own terminal at its other end.
type session struct {
	t    *testing.T
	cmd  *exec.Cmd
	pty  *os.File
	tty  *os.File // kept open, so that its state can be read after the end
	mu   sync.Mutex
	cond *sync.Cond
	term *tuitest.Terminal
	log  bytes.Buffer
	end  bool
	was  unix.Termios
}

func startSession(t *testing.T, path string, args ...string) *session {
	t.Helper()
	master, slave, err := pty.Open()
	if err != nil {
		t.Skipf("there is no pty here: %v", err)
	}
	s := &session{t: t, pty: master, tty: slave, term: tuitest.New(80, 24)}
	s.cond = sync.NewCond(&s.mu)
	if err := pty.Setsize(master, &pty.Winsize{Rows: 24, Cols: 80}); err != nil {
		t.Fatal(err)
	}
	s.was = s.termios()
	s.term.OnReply(func(r string) { _, _ = master.WriteString(r) })
	s.cmd = exec.Command(path, args...)
	s.cmd.Stdin, s.cmd.Stdout, s.cmd.Stderr = slave, slave, slave
	s.cmd.Env = append(os.Environ(), "TERM=xterm-256color", "TMUX=")
	s.cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Setctty: true}
	if err := s.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	go func() {
		buf := make([]byte, 4096)
		for {
			n, err := master.Read(buf)
			s.mu.Lock()
			s.log.Write(buf[:n])
			_, _ = s.term.Write(buf[:n])
			s.end = err != nil
			s.cond.Broadcast()
			s.mu.Unlock()
			if err != nil {
				return
			}
		}
	}()
	t.Cleanup(func() {
		_ = s.cmd.Process.Kill()
		_, _ = s.cmd.Process.Wait()
		_ = slave.Close()
		_ = master.Close()
	})
	return s
}

func (s *session) termios() unix.Termios {
	s.t.Helper()
	v, err := unix.IoctlGetTermios(int(s.tty.Fd()), unix.TCGETS)
	if err != nil {
		s.t.Fatal(err)
	}
	return *v
}

// until waits for what the terminal shows.
func (s *session) until(what string, ok func(t *tuitest.Terminal) bool) {
	s.t.Helper()
	limit := time.AfterFunc(20*time.Second, func() {
		s.mu.Lock()
		s.end = true
		s.cond.Broadcast()
		s.mu.Unlock()
	})
	defer limit.Stop()
	s.mu.Lock()
	defer s.mu.Unlock()
	for !ok(s.term) {
		if s.end {
			s.t.Fatalf("%s did not come:\n%s", what, s.term)
		}
		s.cond.Wait()
	}
}

func shows(text string) func(t *tuitest.Terminal) bool {
	return func(t *tuitest.Terminal) bool { return strings.Contains(strings.Join(t.Screen(), "\n"), text) }
}

func (s *session) send(keys string) {
	if _, err := io.WriteString(s.pty, keys); err != nil {
		s.t.Fatal(err)
	}
}

// restored fails unless the terminal is as it was before the program.
func (s *session) restored() {
	s.t.Helper()
	if diff := cmp.Diff(s.was, s.termios()); diff != "" {
		s.t.Errorf("termios (-before +after):\n%s", diff)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	t := s.term
	for _, mode := range []int{1002, 1006, 1004, 2004, 2026, 2031} {
		if t.Mode(mode) {
			s.t.Errorf("mode %d is still on", mode)
		}
	}
	_, depth := t.KittyFlags()
	if !t.Mode(25) || !t.Mode(7) || t.AltScreen() || depth != 0 || t.OtherKeys() != 0 {
		s.t.Errorf("cursor %v, wrap %v, alternate screen %v, keyboard flags pushed %d times, other keys %d",
			t.Mode(25), t.Mode(7), t.AltScreen(), depth, t.OtherKeys())
	}
	if u := t.Unknown(); len(u) > 0 {
		s.t.Errorf("unknown sequences %q", u)
	}
}

func TestEveryWayOutOnARealPty(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("it builds and runs a program")
	}
	gallery := filepath.Join(t.TempDir(), "gallery")
	if out, err := exec.Command("go", "build", "-o", gallery, "github.com/pi-go/pi/tui/cmd/gallery").CombinedOutput(); err != nil {
		t.Fatalf("build the gallery: %v\n%s", err, out)
	}
	signal := func(sig syscall.Signal) func(*session) {
		return func(s *session) { _ = s.cmd.Process.Signal(sig) }
	}
	for name, tc := range map[string]struct {
		leave  func(*session)
		code   int
		stderr string
	}{
		"a command":              {func(s *session) { s.send("/quit\r") }, 0, ""},
		"ctrl+d":                 {func(s *session) { s.send("\x04") }, 0, ""},
		"SIGTERM":                {signal(syscall.SIGTERM), 1, "terminated"},
		"SIGHUP":                 {signal(syscall.SIGHUP), 1, "hangup"},
		"a panic in a goroutine": {func(s *session) { s.send("/panic\r") }, 2, "a mistake in a goroutine"},
	} {
		for _, args := range [][]string{nil, {"-full"}} {
			t.Run(fmt.Sprint(name, args), func(t *testing.T) {
				t.Parallel()
				s := startSession(t, gallery, args...)
				s.until("the gallery", shows("type something"))
				tc.leave(s)
				if code := s.wait(); code != tc.code {
					t.Errorf("exit code %d, want %d", code, tc.code)
				}
				if tc.stderr != "" {
					s.until(tc.stderr, func(tt *tuitest.Terminal) bool {
						return strings.Contains(strings.Join(tt.All(), ""), tc.stderr)
					})
				} else {
					s.until("the cursor", func(tt *tuitest.Terminal) bool { return !tt.Mode(2004) })
				}
				s.restored()
			})
		}
	}
	t.Run("ctrl+c at once", func(t *testing.T) {
		t.Parallel()
		s := startSession(t, gallery, "-full")
		s.send("\x03") // whether the terminal is in raw mode yet or not
		s.wait()
		s.until("the main screen", func(tt *tuitest.Terminal) bool { return !tt.AltScreen() })
		s.restored()
	})
	t.Run("suspend and resume", func(t *testing.T) {
		t.Parallel()
		// Job control needs a shell above the program.
		s := startSession(t, "/bin/sh", "-c", "set -m; "+gallery+"; echo STOPPED; read x; fg >/dev/null; echo DONE")
		s.until("the gallery", shows("type something"))
		s.send("\x1a")
		s.until("the shell", shows("STOPPED"))
		s.restored()
		s.send("\n")
		s.until("the program's modes", func(tt *tuitest.Terminal) bool { return tt.Mode(2004) })
		s.send("back\r")
		s.until("what was typed", func(tt *tuitest.Terminal) bool { return slices.Contains(tt.Screen(), " back") })
		s.send("\x04")
		s.until("the shell again", shows("DONE"))
		s.wait()
		s.restored()
	})
}

// A stop from outside can not be caught; when the process goes on, the terminal
// must be taken again.
func TestStopFromOutsideOnARealPty(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("it builds and runs a program")
	}
	gallery := filepath.Join(t.TempDir(), "gallery")
	if out, err := exec.Command("go", "build", "-o", gallery, "github.com/pi-go/pi/tui/cmd/gallery").CombinedOutput(); err != nil {
		t.Fatalf("build the gallery: %v\n%s", err, out)
	}
	s := startSession(t, "/bin/sh", "-c", "set -m; "+gallery+"; stty sane; echo STOPPED; read x; fg >/dev/null; echo DONE")
	s.until("the gallery", shows("type something"))
	shell := s.cmd.Process.Pid
	children, err := os.ReadFile(fmt.Sprintf("/proc/%d/task/%d/children", shell, shell))
	if err != nil {
		t.Skipf("the program's process can not be found: %v", err)
	}
	var pid int
	if _, err := fmt.Sscan(string(children), &pid); err != nil {
		t.Fatal(err)
	}
	if err := syscall.Kill(pid, syscall.SIGSTOP); err != nil {
		t.Fatal(err)
	}
	s.until("the shell", shows("STOPPED"))
	s.send("\n")
	s.until("raw mode", func(*tuitest.Terminal) bool {
		s.send("a") // a key makes the terminal write something, in whatever mode
		return s.termios().Lflag&unix.ICANON == 0
	})
	s.send("\x15back\r")
	s.until("what was typed", func(tt *tuitest.Terminal) bool { return slices.Contains(tt.Screen(), " back") })
	s.send("\x04")
	s.until("the shell again", shows("DONE"))
	s.wait()
	s.restored()
}

// A program whose output goes to a pipe, or whose terminal can not move the cursor,
// prints instead of drawing, even if there is a terminal to draw on.
func TestOutputThatIsNoTerminal(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("it builds and runs a program")
	}
	gallery := filepath.Join(t.TempDir(), "gallery")
	if out, err := exec.Command("go", "build", "-o", gallery, "github.com/pi-go/pi/tui/cmd/gallery").CombinedOutput(); err != nil {
		t.Fatalf("build the gallery: %v\n%s", err, out)
	}
	for name, script := range map[string]string{
		"a pipe":         gallery + " | cat; echo DONE",
		"a file":         gallery + " >" + gallery + ".out; cat " + gallery + ".out; echo DONE",
		"a dumb one":     "TERM=dumb " + gallery + "; echo DONE",
		"none of a name": "TERM= " + gallery + "; echo DONE",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := startSession(t, "/bin/sh", "-c", "stty raw; "+script)
			s.until("the end", shows("DONE"))
			s.mu.Lock()
			defer s.mu.Unlock()
			log := s.log.String()
			if !strings.Contains(log, "An editor of several lines") {
				t.Error("the components are not printed")
			}
			for _, seq := range []string{"\x1b[?", "\x1b[>", "\x1b[H", "\x1b[c"} {
				if strings.Contains(log, seq) {
					t.Errorf("%q was sent to something that is no terminal", seq)
				}
			}
			if strings.Contains(script, "TERM=") && strings.Contains(log, "\x1b") {
				t.Error("sequences were sent to a terminal that knows none")
			}
		})
	}
}

// wait waits for the end of the program and returns its exit code.
func (s *session) wait() int {
	s.t.Helper()
	limit := time.AfterFunc(20*time.Second, func() { _ = s.cmd.Process.Kill() })
	defer limit.Stop()
	state, err := s.cmd.Process.Wait()
	if err != nil {
		s.t.Fatal(err)
	}
	return state.ExitCode()
}
