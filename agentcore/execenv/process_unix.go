//go:build unix

package execenv

import (
	"errors"
	"os"
	"os/exec"
	"sync"
	"syscall"
	"time"
)

// tree is a shell and all processes that it started, known by the session and
// the process group of which the shell is the leader. While the shell is not
// reaped, the system gives neither number to anybody else, so that a kill can not
// hit a stranger.
type tree struct {
	cmd *exec.Cmd
	pid int

	mu     sync.Mutex
	reaped bool
	killed bool // everything in it has been
	code   int
}

// OwnSession makes a command that was not started the leader of a new session and
// process group: the signals of a terminal do not reach it. See [KillRest].
func OwnSession(c *exec.Cmd) { c.SysProcAttr = &syscall.SysProcAttr{Setsid: true} }

func newTree(c *exec.Cmd) *tree { return &tree{cmd: c, pid: c.Process.Pid} }

// awaitLeader returns when the shell has ended. Where the system can tell
// without reaping, the shell is not reaped yet.
func (t *tree) awaitLeader() {
	if !waitUnreaped(t.pid) {
		t.reap()
	}
}

// reap takes the exit code of a shell that has ended.
func (t *tree) reap() int {
	// Not under the lock: Wait blocks where awaitLeader has to use it for waiting.
	err := t.cmd.Wait()
	t.mu.Lock()
	defer t.mu.Unlock()
	if !t.reaped {
		t.reaped = true
		t.code = exitCode(t.cmd.ProcessState, err)
	}
	return t.code
}

func exitCode(state *os.ProcessState, err error) int {
	if state == nil {
		return -1
	}
	if ws, ok := state.Sys().(syscall.WaitStatus); ok && ws.Signaled() {
		return 128 + int(ws.Signal())
	}
	return state.ExitCode()
}

// kill kills every process of the tree. It may be called at any time.
func (t *tree) kill() {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.reaped || t.killed {
		return
	}
	t.killed = true
	killSession(t.pid)
}

// stopReading makes a pending and every later Read of f return at once.
func stopReading(f *os.File) { f.SetReadDeadline(time.Unix(1, 0)) }

// drain passes on what the pipe holds, without waiting, and reports whether its
// writers have all gone. It gives up after a pipe's worth, in case one of them
// writes as fast as it reads.
func drain(f *os.File, emit func([]byte)) (eof bool) {
	raw, err := f.SyscallConn()
	if err != nil {
		return true
	}
	buf := make([]byte, 32<<10)
	for total := 0; total < 1<<20; {
		n := 0
		// Control, not Read: the deadline of f has passed.
		cerr := raw.Control(func(fd uintptr) {
			for {
				n, err = syscall.Read(int(fd), buf)
				if err != syscall.EINTR {
					return
				}
			}
		})
		switch {
		case cerr != nil:
			return true
		case errors.Is(err, syscall.EAGAIN):
			return false
		case err != nil || n <= 0:
			return true
		}
		emit(buf[:n])
		total += n
	}
	return false
}

// handOver leaves the pipe to a small process of its own, which appends what
// comes to a file (or throws it away) until the last writer has gone. Otherwise
// the background processes that hold the pipe would die of their next write: a
// development server that an agent started must survive logging its first request.
func handOver(pipe *os.File, file func() string) {
	name := file()
	if name == "" {
		name = os.DevNull
	}
	// The shell in the middle ends at once, so that nobody here has to wait for cat.
	c := exec.Command("/bin/sh", "-c", `umask 077; cat <&3 3<&- >>"$0" 2>/dev/null &`, name)
	c.ExtraFiles = []*os.File{pipe}
	c.Env = []string{"PATH=/usr/bin:/bin:/usr/local/bin"}
	c.Dir = "/"
	OwnSession(c)
	// If this does not work the processes are left with a broken pipe, which is
	// what they would have had anyway.
	if err := c.Start(); err == nil {
		c.Wait()
	}
}
