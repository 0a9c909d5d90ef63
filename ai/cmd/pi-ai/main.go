// Command pi-ai is the client library as a tool: sign in, list models, ask.
//
//	pi-ai status                        which providers can be used, and why
//	pi-ai models [text]                 models whose name holds a text
//	pi-ai login PROVIDER [-key]         sign in, or store a key
//	pi-ai logout PROVIDER               remove what is stored
//	pi-ai ask -m PROVIDER/MODEL TEXT    ask a model and show its answer as it comes
//	pi-ai check [PROVIDER[/MODEL] …]    try the keys with a very small request
//
// Credentials are those of pi: auth.json in ~/.pi/agent, or in the folder that
// PI_CODING_AGENT_DIR names.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"runtime"
	"strings"

	"github.com/pi-go/pi/ai"
	"github.com/pi-go/pi/ai/auth"
	"github.com/pi-go/pi/ai/provider/all"
)

func main() { os.Exit(program()) }

func program() int {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	a := &app{in: os.Stdin, out: os.Stdout, err: os.Stderr}
	path, err := authFile()
	if err == nil {
		a.open(path)
		err = a.run(ctx, os.Args[1:])
		a.models.Close()
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "pi-ai: "+err.Error())
	}
	return exitCode(err)
}

// authFile is where credentials are stored.
func authFile() (string, error) {
	dir := os.Getenv("PI_CODING_AGENT_DIR")
	if dir == "" {
		dir = "~/.pi/agent"
	}
	if rest, ok := strings.CutPrefix(dir, "~"); ok && (rest == "" || os.IsPathSeparator(rest[0])) {
		home, err := os.UserHomeDir()
		if err != nil {
			return "", fmt.Errorf("find the home directory: %w", err)
		}
		dir = filepath.Join(home, rest)
	}
	return filepath.Join(dir, "auth.json"), nil
}

// app is the program with everything that it touches.
type app struct {
	in       io.Reader
	out, err io.Writer
	models   *ai.Models
	terminal *terminal
}

// open makes the collection over the stored credentials and the environment.
func (a *app) open(authPath string) {
	resolver := &auth.Resolver{Env: auth.OSEnvironment(), Run: shell}
	a.models = ai.ModelsConfig{
		Credentials: auth.NewFileStore(authPath), ResolveKey: resolver.Resolve,
	}.New(all.Providers()...)
}

// shell runs a key command.
func shell(ctx context.Context, command string) (string, error) {
	name, flag := "sh", "-c"
	if runtime.GOOS == "windows" {
		name, flag = "cmd", "/c"
	}
	out, err := exec.CommandContext(ctx, name, flag, command).Output()
	return string(out), err
}

// usageError is a command line that is wrong.
type usageError struct{ text string }

func (e usageError) Error() string { return e.text }

func exitCode(err error) int {
	var usage usageError
	switch {
	case err == nil:
		return 0
	case errors.As(err, &usage):
		return 2
	}
	return 1
}

const help = `pi-ai: one client for many vendors of language models

  pi-ai status                        which providers can be used, and why
  pi-ai models [text]                 models whose name holds a text
  pi-ai login PROVIDER [-key]         sign in, or store a key
  pi-ai logout PROVIDER               remove what is stored
  pi-ai ask -m PROVIDER/MODEL TEXT    ask a model and show its answer as it comes
        -system TEXT  -thinking LEVEL  -max TOKENS  -json (one event a line)
        the text may also come from standard input
  pi-ai check [PROVIDER[/MODEL] …]    try the keys with a very small request
`

// run executes one command line.
func (a *app) run(ctx context.Context, args []string) error {
	if len(args) == 0 {
		return usageError{"name a command; pi-ai help lists them"}
	}
	switch command, rest := args[0], args[1:]; command {
	case "status":
		return a.status(ctx)
	case "models":
		return a.list(strings.Join(rest, " "))
	case "login":
		return a.login(ctx, rest)
	case "logout":
		return a.logout(ctx, rest)
	case "ask":
		return a.ask(ctx, rest)
	case "check":
		return a.check(ctx, rest)
	case "help", "-h", "-help", "--help":
		_, err := io.WriteString(a.out, help)
		return err
	case "version", "-version", "--version":
		_, err := fmt.Fprintln(a.out, ai.Version)
		return err
	default:
		near := ""
		if names := ai.Nearest(command, []string{"status", "models", "login", "logout", "ask", "check", "help", "version"}, 1); len(names) > 0 {
			near = "; did you mean " + names[0] + "?"
		}
		return usageError{fmt.Sprintf("there is no command %q%s", command, near)}
	}
}
