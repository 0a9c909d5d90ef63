// Command pi-server hosts coding-agent sessions over HTTP on this machine, with
// the models, keys and settings of the pi command.
//
//	pi-server [-addr 127.0.0.1:7717] [-token-file FILE] [-v]
//
// It prints its address and the token that clients must show; package server
// describes the requests. The token is random and printed once, unless the
// variable PI_SERVER_TOKEN or a file gives one; then it is not printed.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"log/slog"
	"os"
	"os/signal"
	"strings"
	"syscall"

	"github.com/pi-go/pi/codingagent/world"
	"github.com/pi-go/pi/server"
)

// tokenVariable holds the token, where nobody can read it in a list of
// processes.
const tokenVariable = "PI_SERVER_TOKEN"

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	process, err := world.OS()
	if err == nil {
		err = run(ctx, os.Args[1:], process)
	}
	if err != nil && !errors.Is(err, flag.ErrHelp) {
		fmt.Fprintln(os.Stderr, "Error:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, args []string, w world.Process) error {
	flags := flag.NewFlagSet("pi-server", flag.ContinueOnError)
	flags.SetOutput(w.Err)
	flags.Usage = func() {
		fmt.Fprint(w.Err, "pi-server hosts coding-agent sessions over HTTP on this machine.\n\n  pi-server [-addr 127.0.0.1:7717] [-token-file FILE] [-v]\n\nOptions:\n")
		flags.PrintDefaults()
	}
	addr := flags.String("addr", "127.0.0.1:7717", "loopback `address` to listen on; port 0 takes a free one")
	tokenFile := flags.String("token-file", "", "`file` that holds the token")
	verbose := flags.Bool("v", false, "log what happens to standard error")
	if err := flags.Parse(args); err != nil {
		return err
	}
	if flags.NArg() > 0 {
		return fmt.Errorf("there is an argument too much: %q", flags.Arg(0))
	}
	token, err := givenToken(w, *tokenFile)
	if err != nil {
		return err
	}
	template, err := template(ctx, w)
	if err != nil {
		return err
	}
	level := slog.LevelWarn
	if *verbose {
		level = slog.LevelInfo
	}
	s, err := server.New(server.Config{
		Open: template.Open, Token: token, Logger: slog.New(slog.NewTextHandler(w.Err, &slog.HandlerOptions{Level: level})),
	})
	if err != nil {
		return err
	}
	l, err := server.Listen(ctx, *addr)
	if err != nil {
		return err
	}
	fmt.Fprintf(w.Out, "http://%s\n", l.Addr())
	if token == "" {
		fmt.Fprintf(w.Out, "token: %s\n", s.Token())
	}
	return s.Serve(ctx, l)
}

// givenToken is the one that the user chose, "" for a random one.
func givenToken(w world.Process, file string) (string, error) {
	if file == "" {
		return w.Env.Lookup(tokenVariable), nil
	}
	data, err := os.ReadFile(file)
	if err != nil {
		return "", fmt.Errorf("read token: %w", err)
	}
	token := strings.TrimSpace(string(data))
	if token == "" {
		return "", fmt.Errorf("read token: %s is empty", file)
	}
	return token, nil
}
