package execenv

import (
	"context"
	"errors"
	"io"
	"time"
)

// Shell runs commands.
type Shell interface {
	// Run runs one command to its end and reports how it went. The error is nil
	// whatever the exit code; it is not nil when the command could not be started,
	// timed out (errors.Is ErrTimeout) or was given up because ctx ended (the cause
	// of ctx). In the last two cases the whole process tree has been killed and the
	// Result still tells what is known.
	//
	// Run may be called from several goroutines.
	Run(ctx context.Context, cmd Command) (Result, error)
}

// ErrTimeout is wrapped by the error of a command that ran longer than its
// Timeout.
var ErrTimeout = errors.New("command timed out")

// ErrUnavailable is wrapped by the error of an environment that has no shell.
var ErrUnavailable = errors.New("no shell is available")

// Command is what to run and how. Only Script is required.
type Command struct {
	// Script is the text that the shell interprets.
	Script string
	// Dir is the working directory, absolute. [Env].Run fills it from the Env; a
	// Shell that is called directly refuses an empty one.
	Dir string
	// Environ, when not nil, is the whole environment in place of the shell's own.
	Environ []string
	// Unset names variables that are taken out of the environment.
	Unset []string
	// Env holds "NAME=value" entries that are added last and win.
	Env []string
	// Stdin is what the command can read. Nil is the null device.
	Stdin io.Reader
	// Timeout ends the command after this time. Zero is no limit.
	Timeout time.Duration
	// Output gets standard output and standard error, merged in the order in which
	// they were written, in pieces that end anywhere (also within a character). It
	// is called from one goroutine at a time, never after Run has returned, and must
	// not keep the slice. A slow Output slows the command.
	Output func(chunk []byte)
	// Late, when not nil, is asked once, after the last Output, if background
	// processes still hold the output when Run returns. It names a file that their
	// further output is appended to; "" throws it away. Where a shell can not do
	// this (Windows), Late is not asked and those processes lose their output.
	Late func() string
}

// Result is how a command ended.
type Result struct {
	// ExitCode is the exit code of the shell, 128+n if signal n killed it.
	ExitCode int
	// Duration is the time Run took.
	Duration time.Duration
	// Exited reports that the shell ended by itself, before a timeout or an abort.
	// ShellTime is when, counted from the start.
	Exited    bool
	ShellTime time.Duration
	// Detached reports that background processes still held the output when Run
	// returned.
	Detached bool
}

// ShellFunc makes a Shell of a function.
type ShellFunc func(ctx context.Context, cmd Command) (Result, error)

// Run calls f.
func (f ShellFunc) Run(ctx context.Context, cmd Command) (Result, error) { return f(ctx, cmd) }

// NoShell is the Shell of an environment without one: it refuses every command
// with ErrUnavailable.
type NoShell struct{}

// Run returns ErrUnavailable.
func (NoShell) Run(context.Context, Command) (Result, error) { return Result{}, ErrUnavailable }
