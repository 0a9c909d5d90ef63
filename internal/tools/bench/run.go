package bench

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"time"
)

// Usage is what one process used, by the kernel's accounting.
type Usage struct {
	// Start is when it was started, Wall how long it lived.
	Start time.Time
	Wall  time.Duration
	// CPU is its processor time, in user and system mode.
	CPU time.Duration
	// Peak is its highest resident memory in bytes, 0 where that is not known.
	Peak int64
}

// Run is one run of a program.
type Run struct {
	Usage
	// Printed is how many bytes it wrote to its standard output.
	Printed int64
	// Requests are those it sent to the model server.
	Requests []Request
}

// patience is how long one run may take before it is given up.
const patience = 2 * time.Minute

// launched runs argv in dir and gives what it used and printed. A program that
// fails is an error with what it said.
func (s *Session) launched(ctx context.Context, argv, env []string, dir string) (Run, error) {
	ctx, cancel := context.WithTimeout(ctx, s.patience)
	defer cancel()
	report := filepath.Join(s.scratch, "report.json")
	if err := os.RemoveAll(report); err != nil {
		return Run{}, fmt.Errorf("run %s: %w", argv[0], err)
	}
	cmd := exec.CommandContext(ctx, s.launch, append([]string{report}, argv...)...)
	cmd.Dir, cmd.Env = dir, env
	// The launcher kills its child when this pipe closes; being killed itself
	// it could not.
	hold, err := cmd.StdinPipe()
	if err != nil {
		return Run{}, fmt.Errorf("run %s: %w", argv[0], err)
	}
	cmd.Cancel = hold.Close
	cmd.WaitDelay = 5 * time.Second
	var out counter
	var errs tail
	cmd.Stdout, cmd.Stderr = &out, &errs
	if err := cmd.Run(); err != nil {
		return Run{}, fmt.Errorf("run %s: %w%s", argv[0], errors.Join(err, context.Cause(ctx)), errs.quoted())
	}
	var r struct {
		Start int64 `json:"start_ns"`
		Wall  int64 `json:"wall_ns"`
		User  int64 `json:"user_ns"`
		Sys   int64 `json:"sys_ns"`
		Peak  int64 `json:"peak_bytes"`
		Exit  int   `json:"exit"`
	}
	data, err := os.ReadFile(report)
	if err == nil {
		err = json.Unmarshal(data, &r)
	}
	if err != nil {
		return Run{}, fmt.Errorf("read what %s used: %w", argv[0], err)
	}
	if err := context.Cause(ctx); err != nil {
		return Run{}, fmt.Errorf("run %s: given up: %w%s", argv[0], err, errs.quoted())
	}
	if r.Exit != 0 {
		return Run{}, fmt.Errorf("run %s: exit code %d%s", argv[0], r.Exit, errs.quoted())
	}
	return Run{
		Usage:   Usage{Start: time.Unix(0, r.Start), Wall: time.Duration(r.Wall), CPU: time.Duration(r.User + r.Sys), Peak: r.Peak},
		Printed: int64(out),
	}, nil
}

// counter counts what is written to it.
type counter int64

func (c *counter) Write(p []byte) (int, error) {
	*c += counter(len(p))
	return len(p), nil
}

var _ io.Writer = (*counter)(nil)

// tail keeps the end of what is written to it.
type tail []byte

func (t *tail) Write(p []byte) (int, error) {
	const most = 2000
	*t = append(*t, p...)
	if len(*t) > most {
		*t = append((*t)[:0], (*t)[len(*t)-most:]...)
	}
	return len(p), nil
}

// quoted is the text behind a colon and a line feed, empty if there is none.
func (t tail) quoted() string {
	if len(t) == 0 {
		return ""
	}
	return ": it said:\n" + string(t)
}
