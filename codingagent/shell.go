package codingagent

import (
	"context"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/pi-go/pi/agentcore/execenv"
	"github.com/pi-go/pi/codingagent/settings"
)

// shellPath gives the shell that the settings name, "" for the usual one.
func shellPath(env execenv.Env, set *settings.Settings) string {
	if rest, ok := strings.CutPrefix(set.ShellPath, "~/"); ok && env.Home != "" {
		return env.Join(env.Home, rest)
	}
	return set.ShellPath
}

// chosenShell runs commands in the shell that the settings name; a reload may name
// another.
type chosenShell struct {
	o   execenv.LocalShellOptions
	now atomic.Pointer[execenv.LocalShell]

	mu   sync.Mutex
	path string
}

// Run runs a command in the shell of the moment.
func (c *chosenShell) Run(ctx context.Context, cmd execenv.Command) (execenv.Result, error) {
	return c.now.Load().Run(ctx, cmd)
}

// choose names the shell for the commands that follow; "" is the usual one.
func (c *chosenShell) choose(path string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.now.Load() != nil && c.path == path {
		return // what was found out about it is kept
	}
	o := c.o
	if path != "" {
		o.Interpreter = func() (execenv.Interpreter, error) { return execenv.FindShell(path, o.Environ) }
	}
	c.path = path
	c.now.Store(execenv.NewLocalShell(o))
}
