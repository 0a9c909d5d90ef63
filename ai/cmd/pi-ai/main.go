// Command pi-ai is the client library as a tool: sign in, list models, ask.
//
//	pi-ai status [PROVIDER …]           which providers can be used, and why
//	pi-ai models [-refresh] [text]      models whose name holds a text
//	pi-ai login [PROVIDER] [-key]       sign in, or store a key, and try it
//	pi-ai logout PROVIDER               remove what is stored
//	pi-ai ask -m PROVIDER/MODEL TEXT    ask a model and show its answer as it comes
//	pi-ai check [PROVIDER[/MODEL] …]    try the keys with a very small request
//
// A session looks like this; the key is not shown while it is typed, and never
// afterwards:
//
//	$ pi-ai login groq
//	API key (not shown):
//	Signed in to Groq.
//	groq/openai/gpt-oss-20b  ok (412ms)
//	$ pi-ai ask -m groq/openai/gpt-oss-20b "One word for a small river?"
//	Brook.
//
// check is for before the work starts: whether each key is accepted, and whether the
// models that settings.json names are known. Its exit status is 1 when something is
// wrong, and 2 for a command line that is.
//
// Files are those of pi, in ~/.pi/agent or the directory that PI_CODING_AGENT_DIR
// names: auth.json holds the credentials, models-store.json the lists of models that
// vendors gave, models.json the providers of one's own and what is changed of built-in
// ones, and settings.json the id of this installation, which some vendors want.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log"
	"net/http"
	"os"
	"os/exec"
	"os/signal"
	"runtime"
	"time"

	"github.com/pi-go/pi/ai"
	"github.com/pi-go/pi/ai/auth"
	"github.com/pi-go/pi/ai/auth/console"
	"github.com/pi-go/pi/ai/modelstore"
	"github.com/pi-go/pi/ai/provider/all"
)

func main() {
	log.SetOutput(io.Discard) // net/http logs what a server sends behind its answer
	os.Exit(program(nil))
}

// program runs the command line of the process and gives its exit status. client, if
// it is not nil, sends all requests.
func program(client *http.Client) int {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	a := &app{in: os.Stdin, out: os.Stdout, err: os.Stderr}
	home, err := findHome()
	if err == nil {
		a.open(ctx, home, client)
		err = a.run(ctx, os.Args[1:])
		a.models.Close()
	}
	if err == nil {
		return 0
	}
	if ctx.Err() != nil || errors.Is(err, auth.ErrCancelled) {
		fmt.Fprintln(os.Stderr, "pi-ai: interrupted")
		return 130
	}
	fmt.Fprintln(os.Stderr, "pi-ai: "+err.Error())
	return exitCode(err)
}

// app is the program with everything that it touches.
type app struct {
	in       io.Reader
	out, err io.Writer
	models   *ai.Models
	home     home
	terminal *console.Terminal
}

// open makes the collection over the stored credentials and the environment. client,
// if it is not nil, sends all requests.
func (a *app) open(ctx context.Context, h home, client *http.Client) {
	resolver := &auth.Resolver{Env: auth.OSEnvironment(), Run: shell}
	own, faults := h.describe(all.Providers(), resolver.ResolveFresh)
	for _, err := range faults {
		fmt.Fprintf(a.err, "pi-ai: %v\n", err)
	}
	a.home = h
	a.models = ai.ModelsConfig{
		Credentials: auth.NewFileStore(h.credentials()), ResolveKey: resolver.Resolve, Lists: modelstore.New(h.lists()),
		Amend: own.amend, OAuthClientID: own.clientID, InstallationID: h.installationID, HTTPClient: client,
	}.New(own.providers...)
	for id, err := range a.models.Refresh(ctx, ai.RefreshOptions{}).Errors {
		fmt.Fprintf(a.err, "pi-ai: models of %s: %v\n", id, err)
	}
	a.terminal = console.New(a.in, a.err)
	if a.terminal.Interactive() {
		a.terminal.Browser = func(address string) bool { return console.OpenBrowser(auth.OSEnvironment(), address) }
	}
}

// shell runs a key command.
func shell(ctx context.Context, command string) (string, error) {
	name, flag := "sh", "-c"
	if runtime.GOOS == "windows" {
		name, flag = "cmd", "/c"
	}
	cmd := exec.CommandContext(ctx, name, flag, command)
	var out auth.KeyOutput
	cmd.Stdout = &out
	cmd.WaitDelay = 500 * time.Millisecond // for what it leaves in the background
	return out.Text(cmd.Run())
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

  pi-ai status [PROVIDER …]           which providers can be used, and why
  pi-ai models [text]                 models whose name holds a text
        -refresh (ask the vendors for their lists first)
  pi-ai login [PROVIDER]              sign in, or store a key, and try it
        -key (a key although there is a login)  -no-browser  -no-check
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
		return a.status(ctx, rest)
	case "models":
		return a.list(ctx, rest)
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
		near := ai.DidYouMean(command, []string{"status", "models", "login", "logout", "ask", "check", "help", "version"})
		return usageError{fmt.Sprintf("there is no command %q%s", command, near)}
	}
}
