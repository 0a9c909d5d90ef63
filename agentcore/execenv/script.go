package execenv

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"sync"
	"time"
)

// Step is what a [ScriptedShell] does for one command.
type Step struct {
	// Script is the command that is expected; empty takes any.
	Script string
	// Output is what the command prints, in these pieces.
	Output []string
	// ExitCode is how it ends.
	ExitCode int
	// Err, when not nil, is returned by Run after the output.
	Err error
	// Block makes the command run until its context ends or its timeout is over.
	Block bool
	// Late pretends that background processes hold the output at the end. They
	// print this once the command has returned; the caller's file gets it through
	// the FS of the shell.
	Late string
	// Do, when not nil, is called before the output, for effects on files.
	Do func(Command) error
}

// ScriptedShell answers commands from a list of steps, in order, and remembers
// what it was asked. It is for tests.
type ScriptedShell struct {
	// FS gets what Step.Late prints. It may be nil if no step has that.
	FS FileSystem

	mu       sync.Mutex
	steps    []Step
	commands []Command
}

var _ Shell = (*ScriptedShell)(nil)

// NewScriptedShell returns a shell that follows the given steps.
func NewScriptedShell(steps ...Step) *ScriptedShell {
	return &ScriptedShell{steps: slices.Clone(steps)}
}

// Commands returns the commands that were run so far.
func (s *ScriptedShell) Commands() []Command {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.commands)
}

// Run follows the next step. It is an error if there is none or if it expects
// another command.
func (s *ScriptedShell) Run(ctx context.Context, cmd Command) (Result, error) {
	step, err := s.next(cmd)
	if err != nil {
		return Result{}, err
	}
	if ctx.Err() != nil {
		return Result{}, fmt.Errorf("run command: %w", context.Cause(ctx))
	}
	start := time.Now()
	if step.Do != nil {
		if err := step.Do(cmd); err != nil {
			return Result{}, err
		}
	}
	if cmd.Output != nil {
		for _, piece := range step.Output {
			cmd.Output([]byte(piece))
		}
	}
	if step.Block {
		var timeout <-chan time.Time
		if cmd.Timeout > 0 {
			timeout = time.After(cmd.Timeout)
		}
		select {
		case <-ctx.Done():
			err = fmt.Errorf("run command: %w", context.Cause(ctx))
		case <-timeout:
			err = fmt.Errorf("%w after %v", ErrTimeout, cmd.Timeout)
		}
		return Result{ExitCode: 137, Duration: time.Since(start)}, err
	}
	res := Result{ExitCode: step.ExitCode, Exited: true, Detached: step.Late != ""}
	if step.Late != "" && cmd.Late != nil {
		if err := s.late(ctx, cmd.Late(), step.Late); err != nil {
			return res, err
		}
	}
	res.Duration = time.Since(start)
	res.ShellTime = res.Duration
	return res, step.Err
}

func (s *ScriptedShell) next(cmd Command) (Step, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.commands = append(s.commands, cmd)
	if len(s.steps) == 0 {
		return Step{}, fmt.Errorf("scripted shell: no step left for %q", cmd.Script)
	}
	step := s.steps[0]
	if step.Script != "" && step.Script != cmd.Script {
		return Step{}, fmt.Errorf("scripted shell: got %q, want %q", cmd.Script, step.Script)
	}
	s.steps = s.steps[1:]
	return step, nil
}

func (s *ScriptedShell) late(ctx context.Context, file, text string) error {
	if file == "" {
		return nil
	}
	old, err := s.FS.ReadFile(ctx, file)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return s.FS.WriteFile(ctx, file, append(old, text...), 0o600)
}
