// Package program is the pi command as a function, to make a pi of one's own: with
// extensions that are written in Go and linked in.
//
//	func main() { os.Exit(program.Main(gate, todo)) }
//
//	var gate = extension.Extension{Name: "gate", Setup: func(ctx context.Context, api *extension.API) error {
//		api.Events.ToolCall.Handle(askBeforeCommands)
//		return nil
//	}}
//
// Such a program takes the command line of pi, with the options that its extensions
// add, and uses the same files. What an extension can do is in package extension;
// examples/ownpi is a whole program. A program that wants the agent without the
// command uses package codingagent.
package program

import (
	"cmp"
	"context"
	"fmt"
	"os"
	"os/signal"
	"os/user"
	"path/filepath"
	"sync"
	"syscall"
	"time"

	"golang.org/x/term"

	"github.com/pi-go/pi/agentcore/execenv"
	"github.com/pi-go/pi/ai"
	"github.com/pi-go/pi/ai/auth"
	"github.com/pi-go/pi/ai/auth/console"
	"github.com/pi-go/pi/codingagent/extension"
	"github.com/pi-go/pi/codingagent/internal/cli"
	"github.com/pi-go/pi/codingagent/world"
)

// Program is a pi command.
type Program struct {
	// Version is what --version says; "" is the version of the module.
	Version string
	// Extensions are set up for each session, in this order. --no-extensions leaves
	// them out.
	Extensions []extension.Extension
	// LoadExtension sets up an extension that --extension names, as the host of a
	// script does; nil can load none.
	LoadExtension func(ctx context.Context, name string) (extension.Extension, error)
}

// Main is [Program.Main] of a program with some extensions.
func Main(extensions ...extension.Extension) int { return Program{Extensions: extensions}.Main() }

// Main runs the command line of the process to its end, and gives the exit code for
// [os.Exit]. It takes the standard streams, the signals and the terminal of the
// process, which should do nothing else.
func (p Program) Main() int {
	// Both may be missing; what needs them says so.
	dir, _ := os.Getwd()
	home := homeDir()
	// Programs that commands start can tell that an agent runs them.
	for name, value := range map[string]string{"PI_CODING_AGENT": "true", "AI_AGENT": "pi"} {
		if err := os.Setenv(name, value); err != nil {
			fmt.Fprintf(os.Stderr, "Error: set %s: %s\n", name, err)
			return 1
		}
	}
	// The output belongs to whoever reads it, a program mostly: what anything
	// else in this process prints goes where people see it.
	out := os.Stdout
	os.Stdout = os.Stderr
	groups := new(execenv.Groups)
	inTerminal, outTerminal := term.IsTerminal(int(os.Stdin.Fd())), term.IsTerminal(int(out.Fd()))
	s := listen(groups, inTerminal && outTerminal)
	defer s.cancel(nil)
	code := cli.Run(s.ctx, os.Args[1:], &cli.System{
		In: os.Stdin, Out: out, Err: os.Stderr,
		InTerminal: inTerminal, OutTerminal: outTerminal,
		Dir: dir, Home: home, Environ: os.Environ(), Env: auth.OSEnvironment(), Version: cmp.Or(p.Version, ai.Version), Extensions: p.Extensions, LoadExtension: p.LoadExtension,
		Interrupts: s.interrupts, Interactive: s.interactive, Groups: groups,
		Browser:   func(address string) bool { return console.OpenBrowser(auth.OSEnvironment(), address) },
		Providers: providers(inTerminal && outTerminal), Protocols: world.Protocols(),
	})
	if s.ctx.Err() != nil {
		groups.KillAll() // the work may have ended before all its processes
	}
	return code
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

// homeDir gives the absolute path of the home directory, "" if there is none.
// Services and containers often run without HOME.
func homeDir() string {
	if dir, err := os.UserHomeDir(); err == nil && filepath.IsAbs(dir) {
		return dir
	}
	if u, err := user.Current(); err == nil && filepath.IsAbs(u.HomeDir) {
		return u.HomeDir
	}
	return ""
}

// orderly is how long the end of the work may take after a signal. What takes
// longer hangs (a dead network mount, a device); all that was received is in
// the session's file by then.
const orderly = 2 * time.Second

// heeded lists the signals to handle. nohup and shells that put a command into
// the background have some ignored, and then they stay so; but a person at a
// terminal can always press Ctrl+C.
func heeded(terminal bool) []os.Signal {
	list := []os.Signal{syscall.SIGTERM}
	if terminal || !signal.Ignored(syscall.SIGINT) {
		list = append(list, syscall.SIGINT)
	}
	if !signal.Ignored(syscall.SIGHUP) {
		list = append(list, syscall.SIGHUP)
	}
	return list
}

// listen begins to handle signals. The first one ends the work in an orderly
// way and kills what commands are running; a second one, or the end of
// patience, ends the program at once.
func listen(groups *execenv.Groups, terminal bool) *signals {
	s := &signals{interrupts: make(chan struct{}, 1)}
	s.ctx, s.cancel = context.WithCancelCause(context.Background())
	// Writing to a closed pipe must be an error, not our death.
	signal.Ignore(syscall.SIGPIPE)
	c := make(chan os.Signal, 4)
	signal.Notify(c, heeded(terminal)...)
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
			time.AfterFunc(orderly, func() { os.Exit(cause.Code) })
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
