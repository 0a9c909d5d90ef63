package cli

import (
	"context"
	"io"
	"net/http"

	"github.com/pi-go/pi/agentcore/execenv"
	"github.com/pi-go/pi/ai"
	"github.com/pi-go/pi/ai/auth"
	"github.com/pi-go/pi/ai/modelsfile"
	"github.com/pi-go/pi/codingagent/extension"
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
	// Browser opens an address and reports whether it could; nil opens none.
	Browser func(address string) bool
	// Groups gets the processes of commands.
	Groups *execenv.Groups

	// Providers are the built-in vendors, Protocols those that models.json may name.
	Providers  []ai.Provider
	Protocols  modelsfile.Protocols
	HTTPClient *http.Client

	// Extensions are linked into the program. LoadExtension sets up one that the
	// command line names; nil can load none.
	Extensions    []extension.Extension
	LoadExtension func(ctx context.Context, name string) (extension.Extension, error)

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
