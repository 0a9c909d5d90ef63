// Command pi is a coding agent for the terminal.
//
//	pi                            chat in this directory
//	pi -p "why does this fail?"   answer once and exit
//	pi --help                     all options
package main

import (
	"context"
	"fmt"
	"os"
	"os/signal"
	"sync"
	"syscall"

	"golang.org/x/term"

	"github.com/pi-go/pi/agentcore/execenv"
	"github.com/pi-go/pi/ai"
	"github.com/pi-go/pi/ai/auth"
	"github.com/pi-go/pi/codingagent/internal/cli"
)

// version is set when the program is built by make; a program that was
// installed by the go command has the version of the module.
var version = ai.Version

func main() { os.Exit(run()) }

func run() int {
	dir, err := os.Getwd()
	if err != nil {
		fmt.Fprintf(os.Stderr, "Error: the working directory is gone: %s\n", err)
		return 1
	}
	home, err := os.UserHomeDir()
	if err != nil {
		fmt.Fprintf(os.Stderr, "Error: there is no home directory: %s\n", err)
		return 1
	}
	// Programs that commands start can tell that an agent runs them.
	for name, value := range map[string]string{"PI_CODING_AGENT": "true", "AI_AGENT": "pi"} {
		if err := os.Setenv(name, value); err != nil {
			fmt.Fprintf(os.Stderr, "Error: set %s: %s\n", name, err)
			return 1
		}
	}
	groups := new(execenv.Groups)
	s := listen(groups)
	defer s.cancel(nil)
	inTerminal, outTerminal := term.IsTerminal(int(os.Stdin.Fd())), term.IsTerminal(int(os.Stdout.Fd()))
	return cli.Run(s.ctx, os.Args[1:], &cli.System{
		In: os.Stdin, Out: os.Stdout, Err: os.Stderr,
		InTerminal: inTerminal, OutTerminal: outTerminal,
		Dir: dir, Home: home, Environ: os.Environ(), Env: auth.OSEnvironment(), Version: version,
		Interrupts: s.interrupts, Interactive: s.interactive, Groups: groups,
		Providers: providers(inTerminal && outTerminal), APIs: protocols(),
	})
}

// signals turns signals into the end of a context, or into interrupts of a
// chat.
type signals struct {
	ctx        context.Context
	cancel     context.CancelCauseFunc
	interrupts chan struct{}

	mu   sync.Mutex
	chat bool
}

// listen begins to handle signals. The first one ends the work in an orderly
// way and kills what commands are running; a second one ends the program at
// once.
func listen(groups *execenv.Groups) *signals {
	s := &signals{interrupts: make(chan struct{}, 1)}
	s.ctx, s.cancel = context.WithCancelCause(context.Background())
	// Writing to a closed pipe must be an error, not our death.
	signal.Ignore(syscall.SIGPIPE)
	c := make(chan os.Signal, 4)
	signal.Notify(c, syscall.SIGINT, syscall.SIGTERM, syscall.SIGHUP)
	go func() {
		for sig := range c {
			if sig == syscall.SIGINT && s.interrupt() {
				continue
			}
			cause := map[os.Signal]cli.Signal{
				syscall.SIGINT: {Name: "SIGINT", Code: 130}, syscall.SIGTERM: {Name: "SIGTERM", Code: 143}, syscall.SIGHUP: {Name: "SIGHUP", Code: 129},
			}[sig]
			if s.ctx.Err() != nil {
				groups.KillAll()
				os.Exit(cause.Code)
			}
			s.cancel(cause)
			groups.KillAll()
		}
	}()
	return s
}

// interrupt hands Ctrl+C to the chat, if there is one.
func (s *signals) interrupt() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.chat {
		return false
	}
	select {
	case s.interrupts <- struct{}{}:
	default: // one is waiting already
	}
	return true
}

func (s *signals) interactive() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.chat = true
}
