package execenv

import (
	"context"
	"os"
	"os/exec"
	"strconv"
	"sync"
	"syscall"
	"time"
)

// tree is a shell and the processes below it. The handle that exec.Cmd holds
// until Wait keeps the process id from being used again.
type tree struct {
	cmd *exec.Cmd

	mu     sync.Mutex
	reaped bool
	code   int
}

// OwnSession hides the console window that a console program would open.
func OwnSession(c *exec.Cmd) {
	c.SysProcAttr = &syscall.SysProcAttr{HideWindow: true, CreationFlags: syscall.CREATE_NEW_PROCESS_GROUP}
}

func newTree(c *exec.Cmd) *tree { return &tree{cmd: c} }

func (t *tree) awaitLeader() { t.reap() }

func (t *tree) reap() int {
	t.cmd.Wait()
	t.mu.Lock()
	defer t.mu.Unlock()
	if !t.reaped {
		t.reaped = true
		t.code = -1
		if t.cmd.ProcessState != nil {
			t.code = t.cmd.ProcessState.ExitCode()
		}
	}
	return t.code
}

// kill ends the shell and all its descendants with taskkill, or the shell alone
// where that fails.
func (t *tree) kill() {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.reaped {
		return
	}
	KillTree(t.cmd.Process)
}

// KillTree kills a process that was started here, and its descendants.
func KillTree(p *os.Process) error {
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Second)
	defer cancel()
	kill := exec.CommandContext(ctx, "taskkill", "/F", "/T", "/PID", strconv.Itoa(p.Pid))
	kill.SysProcAttr = &syscall.SysProcAttr{HideWindow: true}
	if kill.Run() == nil {
		return nil
	}
	return p.Kill()
}

// KillRest does nothing: what a program has started can not be found once it has ended.
func KillRest(*os.Process) {}

// stopReading unblocks a pending Read: closing a pipe cancels its reads.
func stopReading(f *os.File) { f.Close() }

// drain finds nothing: the pipe is closed.
func drain(*os.File, func([]byte)) (eof bool) { return false }

// handOver does nothing: anonymous pipes of Windows have no program like cat to
// be left to, and the pipe is closed already.
func handOver(*os.File, func() string) {}

// killTrees kills several trees.
func killTrees(trees map[*tree]struct{}) {
	for t := range trees {
		t.kill()
	}
}
