package extension

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"sync"
	"time"

	"github.com/pi-go/pi/agentcore/execenv"
)

// DefaultMaxOutput is how much a program of [API.Exec] may print unless it is said
// otherwise, in bytes.
const DefaultMaxOutput = 256 << 20

// execGrace is how long a program that was asked to end may take.
const execGrace = 5 * time.Second

// ExecOptions say how a program is run.
type ExecOptions struct {
	// Dir is its directory; "" is that of the session, during Setup that of this
	// process.
	Dir     string
	Timeout time.Duration // 0 is none
	// MaxOutput is how much it may print, on both outputs together, before it is
	// ended; 0 means [DefaultMaxOutput], a negative number is an error.
	MaxOutput int
}

// ExecResult is how a program ended.
type ExecResult struct {
	Stdout, Stderr string
	// Code is the exit code: 128 and the number of a signal that ended it, 1 when
	// it could not be started; Stderr says why then.
	Code int
	// Killed says that it was ended by us: its time was over, it printed too much, or
	// ctx ended. Truncated says that output is missing.
	Killed, Truncated bool
}

// Exec runs a program of this machine without a shell and without input, to its
// end. The error is not nil only for options that make no sense.
func (a *API) Exec(ctx context.Context, program string, args []string, o ExecOptions) (ExecResult, error) {
	if o.MaxOutput < 0 {
		return ExecResult{}, fmt.Errorf("run %s: MaxOutput %d is negative", program, o.MaxOutput)
	}
	if err := a.usable(); err != nil {
		return ExecResult{}, err
	}
	if o.Dir == "" {
		if h, err := a.host(); err == nil {
			o.Dir = h.Env().Dir
		}
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	if o.Timeout > 0 {
		ctx, cancel = context.WithTimeout(ctx, o.Timeout)
		defer cancel()
	}
	room := o.MaxOutput
	if room == 0 {
		room = DefaultMaxOutput
	}
	out := &output{room: room, full: cancel}
	cmd := exec.CommandContext(ctx, program, args...)
	cmd.Dir = o.Dir
	cmd.Stdout, cmd.Stderr = (*stdout)(out), (*stderr)(out)
	cmd.Cancel = func() error { return endProgram(cmd.Process) }
	cmd.WaitDelay = execGrace
	err := cmd.Run()
	if cmd.Process != nil && ctx.Err() != nil {
		_ = execenv.KillTree(cmd.Process) // what it has started may still be there
	}
	r := ExecResult{Stdout: out.text[0].String(), Stderr: out.text[1].String(), Truncated: out.truncated, Killed: ctx.Err() != nil}
	var ended *exec.ExitError
	switch {
	case errors.As(err, &ended):
		r.Code = exitCode(ended.ProcessState)
	case err != nil && cmd.ProcessState != nil:
		r.Code = exitCode(cmd.ProcessState) // its output was left open
	case err != nil:
		r.Code, r.Stderr = 1, err.Error()
	}
	if r.Killed && r.Code == 0 {
		r.Code = 1
	}
	return r, nil
}

// output is what a program prints.
type output struct {
	mu        sync.Mutex
	text      [2]bytes.Buffer
	room      int
	truncated bool
	full      func()
}

func (o *output) write(to int, p []byte) {
	o.mu.Lock()
	defer o.mu.Unlock()
	n := min(len(p), o.room)
	o.text[to].Write(p[:n])
	if o.room -= n; n < len(p) {
		o.truncated = true
		o.full()
	}
}

type (
	stdout output
	stderr output
)

func (o *stdout) Write(p []byte) (int, error) { (*output)(o).write(0, p); return len(p), nil }
func (o *stderr) Write(p []byte) (int, error) { (*output)(o).write(1, p); return len(p), nil }

// endProgram asks a program to end, where that can be asked.
func endProgram(p *os.Process) error {
	if err := terminate(p); err == nil || errors.Is(err, os.ErrProcessDone) {
		return err
	}
	return p.Kill()
}
