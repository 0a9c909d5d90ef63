package bench

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"time"
)

// Config says what to measure.
type Config struct {
	// Root is the directory of go.work. What is built goes to .cache/bench
	// below it.
	Root string
	// Programs take turns. The first is the one under test, which the others
	// are compared with.
	Programs []Program
}

// Session is a model server that runs and programs that are set up for it.
// Close it. It belongs to one goroutine.
type Session struct {
	// Names are those of the programs.
	Names []string

	scratch       string
	launch, empty string
	model         *modelServer
	subjects      []*subject
	frames        map[string]int // of the first answer, by model
	patience      time.Duration  // with one run
}

// Open builds what measuring takes and starts the model server. It runs each
// program once, so that disk caches are warm.
func Open(ctx context.Context, c Config) (_ *Session, err error) {
	if len(c.Programs) == 0 {
		return nil, errors.New("open bench: there is no program to measure")
	}
	scratch, err := os.MkdirTemp("", "bench-")
	if err != nil {
		return nil, fmt.Errorf("open bench: %w", err)
	}
	s := &Session{scratch: scratch, frames: make(map[string]int), patience: patience}
	defer func() {
		if err != nil {
			err = errors.Join(err, s.Close())
		}
	}()
	var server string
	for _, b := range []struct {
		to  *string
		pkg string
	}{
		{&s.launch, "internal/tools/bench/launch"},
		{&s.empty, "internal/tools/bench/empty"},
		{&server, "ai/aitest/mockllm/cmd/mockllm"},
	} {
		if *b.to, err = build(ctx, c.Root, b.pkg); err != nil {
			return nil, err
		}
	}
	if s.model, err = startModel(ctx, server, scratch, readFile); err != nil {
		return nil, err
	}
	for _, p := range c.Programs {
		subject, err := prepare(p, scratch, s.model.url)
		if err != nil {
			return nil, err
		}
		if _, err := s.run(ctx, subject, "--version"); err != nil {
			return nil, err
		}
		s.subjects, s.Names = append(s.subjects, subject), append(s.Names, p.Name)
	}
	return s, nil
}

// Close stops the model server and removes all scratch files.
func (s *Session) Close() error {
	var err error
	if s.model != nil {
		err = s.model.stop()
	}
	return errors.Join(err, os.RemoveAll(s.scratch))
}

// build compiles a command of the workspace the way that pi is built.
func build(ctx context.Context, root, pkg string) (string, error) {
	out := filepath.Join(root, ".cache", "bench", filepath.Base(pkg))
	if runtime.GOOS == "windows" {
		out += ".exe"
	}
	out, err := filepath.Abs(out)
	if err != nil {
		return "", fmt.Errorf("build %s: %w", pkg, err)
	}
	cmd := exec.CommandContext(ctx, "go", "build", "-trimpath", "-ldflags", "-s -w", "-o", out, "./"+pkg)
	cmd.Dir = root
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0", "GOOS=", "GOARCH=")
	if output, err := cmd.CombinedOutput(); err != nil {
		return "", fmt.Errorf("build %s: %w\n%s", pkg, err, output)
	}
	return out, nil
}
