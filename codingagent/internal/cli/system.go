package cli

import (
	"context"
	"errors"
	"io"
	"net/http"
	"os/exec"
	"slices"
	"time"

	"github.com/pi-go/pi/agentcore/execenv"
	"github.com/pi-go/pi/ai"
	"github.com/pi-go/pi/ai/auth"
	"github.com/pi-go/pi/codingagent/internal/mode/interactive"
)

// System is the world as the command line sees it. cmd/pi fills it in from
// the process; tests put their own.
type System struct {
	In          io.Reader
	Out, Err    io.Writer
	InTerminal  bool // In is a terminal
	OutTerminal bool // Out is a terminal

	// Dir is the working directory, Home the home directory, both absolute.
	Dir, Home string
	Environ   []string // as of os.Environ
	Env       auth.Environment
	Version   string

	// Interrupts gets a value for each Ctrl+C in an interactive chat. In the
	// other modes the context is cancelled instead.
	Interrupts <-chan struct{}
	// Interactive is told that a chat begins, so that Ctrl+C goes to
	// Interrupts from then on.
	Interactive func()
	// Groups gets the processes of commands.
	Groups *execenv.Groups

	// Providers are the built-in vendors, APIs the protocols that models.json
	// may name.
	Providers  []ai.Provider
	APIs       []ai.API
	HTTPClient *http.Client

	rawErr io.Writer // Err as it was given
}

// cleanWriter takes from each write what a terminal would obey.
type cleanWriter struct{ w io.Writer }

func (c cleanWriter) Write(b []byte) (int, error) {
	if _, err := io.WriteString(c.w, interactive.Clean(string(b))); err != nil {
		return 0, err
	}
	return len(b), nil
}

// keyPatience is how long a command that prints a key may leave its output
// open once it has ended or was stopped.
const keyPatience = 500 * time.Millisecond

// runShell runs a command that prints a key, and gives what it printed. It
// shares our terminal: password managers ask there.
func (s *System) runShell(ctx context.Context, command string) (string, error) {
	shell, err := execenv.FindShell("", s.Environ)
	if err != nil {
		return "", err
	}
	cmd := exec.CommandContext(ctx, shell.Path, append(slices.Clone(shell.Args), command)...)
	cmd.Env, cmd.Dir, cmd.Stderr = s.Environ, s.Dir, s.rawErr
	cmd.WaitDelay = keyPatience
	cmd.Cancel = func() error { return execenv.KillTree(cmd.Process) }
	out, err := cmd.Output()
	if errors.Is(err, exec.ErrWaitDelay) && ctx.Err() == nil {
		err = nil // it left something in the background, and that is fine
	}
	return string(out), err
}
