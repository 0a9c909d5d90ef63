package client

import (
	"context"
	"fmt"
	"io"
	"os/exec"
)

// Process says which program to start.
type Process struct {
	// Path of the program; "" means pi, from PATH.
	Path string
	// Args come behind --mode rpc.
	Args []string
	// Dir is the working directory, Env the environment; "" and nil mean those
	// of this process.
	Dir string
	Env []string
	// Stderr gets what the program has to say to people; nil drops it.
	Stderr io.Writer
	// Exact leaves --mode rpc out: Args are all there is.
	Exact bool
	Options
}

// Start runs a program in rpc mode. It is killed when ctx ends.
func Start(ctx context.Context, p Process) (*Client, error) {
	path := p.Path
	if path == "" {
		path = "pi"
	}
	args := p.Args
	if !p.Exact {
		args = append([]string{"--mode", "rpc"}, args...)
	}
	cmd := exec.CommandContext(ctx, path, args...)
	cmd.Dir, cmd.Env, cmd.Stderr = p.Dir, p.Env, p.Stderr
	in, err := cmd.StdinPipe()
	if err != nil {
		return nil, fmt.Errorf("start %s: %w", path, err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		return nil, fmt.Errorf("start %s: %w", path, err)
	}
	if err := cmd.Start(); err != nil {
		return nil, fmt.Errorf("start %s: %w", path, err)
	}
	c := New(in, out, p.Options)
	c.wait = func() error {
		if err := cmd.Wait(); err != nil {
			return fmt.Errorf("%s: %w", path, err)
		}
		return nil
	}
	return c, nil
}
