// Command testrun runs the tests of all modules with a summary.
//
//	testrun test  [-pkg "PATTERN ..."] [-norace] [go test flags]
//	testrun cover [-pkg "PATTERN ..."] [go test flags]
//	testrun fuzz  [-pkg "PATTERN ..."] [-time 10s]
//	testrun golden [-pkg "PATTERN ..."]
//
// Flags of testrun come first; everything after them is handed to go test.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"

	"github.com/pi-go/pi/internal/tools/testrun"
	"github.com/pi-go/pi/internal/tools/workspace"
)

var errFailed = errors.New("tests failed")

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	err := run(ctx, os.Args[1:])
	if err != nil && !errors.Is(err, errFailed) {
		fmt.Fprintln(os.Stderr, "testrun:", err)
	}
	if err != nil {
		os.Exit(1)
	}
}

func run(ctx context.Context, args []string) error {
	if len(args) == 0 {
		return errors.New("usage: testrun test | cover | fuzz | golden, each with -h for its flags")
	}
	root, err := workspace.Find(".")
	if err != nil {
		return err
	}
	w, err := workspace.Open(root)
	if err != nil {
		return err
	}
	own, rest := split(args[1:])
	flags := flag.NewFlagSet("testrun "+args[0], flag.ContinueOnError)
	pkg := flags.String("pkg", "", "package patterns, separated by spaces; none means all modules")
	noRace := flags.Bool("norace", false, "leave the race detector off")
	fuzzTime := flags.String("time", "10s", "how long to run each fuzz test")
	if err := flags.Parse(own); err != nil {
		return err
	}
	cache := filepath.Join(root, ".cache", "testrun")
	o := testrun.Options{
		Patterns: strings.Fields(*pkg), Args: rest, NoRace: *noRace,
		Events: filepath.Join(cache, args[0]+".jsonl"), Out: os.Stdout,
	}
	var passed bool
	switch args[0] {
	case "test":
		passed, err = testrun.Run(ctx, w, o)
	case "cover":
		passed, err = testrun.Cover(ctx, w, o, filepath.Join(cache, "cover.out"))
	case "fuzz":
		passed, err = testrun.Fuzz(ctx, w, o, *fuzzTime)
	case "golden":
		passed, err = testrun.Golden(ctx, w, o)
	default:
		return fmt.Errorf("unknown command %q; one of test, cover, fuzz, golden", args[0])
	}
	if err != nil {
		return err
	}
	if !passed {
		return errFailed
	}
	return nil
}

// split separates our flags, which come first, from those of go test.
func split(args []string) (own, rest []string) {
	for i := 0; i < len(args); i++ {
		name, _, hasValue := strings.Cut(strings.TrimLeft(args[i], "-"), "=")
		switch {
		case name == "norace" || name == "h" || name == "help":
			own = append(own, args[i])
		case name == "pkg" || name == "time":
			own = append(own, args[i])
			if !hasValue && i+1 < len(args) {
				i++
				own = append(own, args[i])
			}
		default:
			return own, args[i:]
		}
	}
	return own, nil
}
