// Package testrun runs go test over all modules of the workspace and prints what
// a person wants to know: while it runs, a line for each package and the output
// of what fails; at the end, what ran in each module, what was skipped and why,
// and the two lines with which go test itself closes.
//
//	passed, err := testrun.Run(ctx, w, testrun.Options{Out: os.Stdout})
//
// Tests see an empty home directory and none of the user's keys, so that they
// can neither depend on nor damage what is there (see [environment]).
package testrun

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"github.com/pi-go/pi/internal/tools/workspace"
)

// Options says what to run. The zero value runs everything.
type Options struct {
	// Patterns are package patterns relative to the root; none means all modules.
	Patterns []string
	// Args are further go test flags, such as -count=1 or -run=Name.
	Args []string
	// NoRace leaves the race detector off even where it could be used.
	NoRace bool
	// Events is a file that receives the raw go test -json stream, or empty.
	Events string
	// Out receives the report.
	Out io.Writer
}

// Run runs the tests and reports whether all passed. The error is for what kept
// them from running.
func Run(ctx context.Context, w *workspace.Workspace, o Options) (passed bool, err error) {
	start := time.Now()
	env, err := environment(ctx, w.Root)
	if err != nil {
		return false, fmt.Errorf("prepare tests: %w", err)
	}
	race := Race{Reason: "not asked for"}
	if !o.NoRace {
		race = ProbeRace(ctx)
	}
	args := []string{"test", "-json"}
	if race.On {
		args = append(args, "-race")
		env = append(env, "CGO_ENABLED=1")
	}
	args = append(args, o.Args...)
	if len(o.Patterns) > 0 {
		args = append(args, o.Patterns...)
	} else {
		args = append(args, patterns(w)...)
	}

	record := newRecord(w)
	exit, err := stream(ctx, w.Root, env, args, o, record)
	if err != nil {
		return false, err
	}
	failed := exit != 0 || record.failures() > 0
	record.report(o.Out, race, time.Since(start), failed)
	return !failed, nil
}

func patterns(w *workspace.Workspace) []string {
	var all []string
	for _, m := range w.Modules {
		all = append(all, "./"+m.Dir+"/...")
	}
	return all
}

// stream feeds every line of go test to the record and returns its exit code.
func stream(ctx context.Context, root string, env, args []string, o Options, record *record) (int, error) {
	events := io.Discard
	if o.Events != "" {
		if err := os.MkdirAll(filepath.Dir(o.Events), 0o755); err != nil {
			return 0, fmt.Errorf("keep test events: %w", err)
		}
		file, err := os.Create(o.Events)
		if err != nil {
			return 0, fmt.Errorf("keep test events: %w", err)
		}
		defer file.Close()
		events = file
	}
	cmd := exec.CommandContext(ctx, "go", args...)
	cmd.Dir = root
	cmd.Env = env
	cmd.Cancel = func() error { return cmd.Process.Signal(os.Interrupt) }
	cmd.WaitDelay = 20 * time.Second
	stdout, err := cmd.StdoutPipe()
	if err != nil {
		return 0, fmt.Errorf("run go test: %w", err)
	}
	stderr, err := cmd.StderrPipe()
	if err != nil {
		return 0, fmt.Errorf("run go test: %w", err)
	}
	if err := cmd.Start(); err != nil {
		return 0, fmt.Errorf("run go test: %w", err)
	}
	out := &lockedWriter{w: o.Out}
	var readers sync.WaitGroup
	readers.Go(func() { notices(stderr, out) })
	lines := bufio.NewReader(stdout)
	for {
		line, err := lines.ReadBytes('\n')
		if len(line) > 0 {
			if _, err := events.Write(line); err != nil {
				return 0, fmt.Errorf("keep test events: %w", err)
			}
			record.line(line, out)
		}
		if err != nil {
			break
		}
	}
	readers.Wait()
	err = cmd.Wait()
	var exit *exec.ExitError
	switch {
	case ctx.Err() != nil:
		return 0, fmt.Errorf("run go test: %w", context.Cause(ctx))
	case errors.As(err, &exit):
		return exit.ExitCode(), nil
	case err != nil:
		return 0, fmt.Errorf("run go test: %w", err)
	}
	return 0, nil
}

// notices passes on what the go command says, but not each download.
func notices(r io.Reader, out io.Writer) {
	downloads := 0
	lines := bufio.NewReader(r)
	for {
		line, err := lines.ReadString('\n')
		switch {
		case strings.HasPrefix(line, "go: downloading "):
			downloads++
		case line != "":
			fmt.Fprint(out, line)
		}
		if err != nil {
			break
		}
	}
	if downloads > 0 {
		fmt.Fprintf(out, "go: downloaded %d modules\n", downloads)
	}
}

// lockedWriter lets two readers share one output line by line.
type lockedWriter struct {
	mu sync.Mutex
	w  io.Writer
}

func (l *lockedWriter) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.w.Write(p)
}
