// Command lockstep keeps all modules at the version in VERSION.
//
//	lockstep verify          report disagreements, exit 1 if there are any
//	lockstep bump 0.2.0      set a new version in every file that names it
//	lockstep tidy [-check]   tidy every go.mod; with -check only report, exit 1 if untidy
//	lockstep tag [-run]      print the tags of a release in order; with -run make them
//	lockstep rehearse        install and import the release from a local proxy
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"strings"

	"github.com/pi-go/pi/internal/tools/lockstep"
	"github.com/pi-go/pi/internal/tools/rehearsal"
	"github.com/pi-go/pi/internal/tools/workspace"
)

const usage = "usage: lockstep verify | bump VERSION | tidy [-check] | tag [-run] | rehearse"

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := run(ctx, os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "lockstep:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, args []string) error {
	if len(args) == 0 {
		return errors.New(usage)
	}
	root, err := workspace.Find(".")
	if err != nil {
		return err
	}
	w, err := workspace.Open(root)
	if err != nil {
		return err
	}
	flags := flag.NewFlagSet("lockstep "+args[0], flag.ContinueOnError)
	check := flags.Bool("check", false, "report what is untidy and change nothing")
	really := flags.Bool("run", false, "make the tags")
	if err := flags.Parse(args[1:]); err != nil {
		return err
	}
	switch args[0] {
	case "verify":
		return verify(w)
	case "bump":
		if flags.NArg() != 1 {
			return errors.New("bump needs the new version, such as: make bump TO=0.2.0")
		}
		if err := lockstep.Bump(w, flags.Arg(0)); err != nil {
			return err
		}
		fmt.Printf("lockstep: %s -> %s in %d modules\n", w.Version, flags.Arg(0), len(w.Modules))
		return nil
	case "tidy":
		return tidy(ctx, w, *check)
	case "tag":
		return tag(ctx, w, *really)
	case "rehearse":
		return rehearsal.Run(ctx, w, os.Stdout)
	}
	return fmt.Errorf("unknown command %q; %s", args[0], usage)
}

func verify(w *workspace.Workspace) error {
	problems, err := lockstep.Verify(w)
	if err != nil {
		return err
	}
	for _, p := range problems {
		fmt.Fprintln(os.Stderr, p)
	}
	if len(problems) > 0 {
		return fmt.Errorf("%d places disagree with VERSION (%s) or go.work", len(problems), w.Version)
	}
	fmt.Printf("lockstep: %d modules at %s, go %s\n", len(w.Modules), w.Version, w.Work.Go.Version)
	return nil
}

func tidy(ctx context.Context, w *workspace.Workspace, check bool) error {
	results, err := lockstep.Tidy(ctx, w)
	if err != nil {
		return err
	}
	untidy := 0
	for _, t := range results {
		if t.Skipped != "" {
			fmt.Printf("tidy: %s left alone: %s\n", t.Module.Dir, t.Skipped)
			continue
		}
		if len(t.Changes) == 0 {
			continue
		}
		untidy++
		fmt.Fprintf(os.Stderr, "%s\n\t%s\n", t.Module.Dir, strings.Join(t.Changes, "\n\t"))
		if !check {
			if err := t.Write(w); err != nil {
				return err
			}
		}
	}
	switch {
	case untidy == 0:
		fmt.Println("tidy: every go.mod and go.sum is tidy")
	case check:
		return fmt.Errorf("%d modules are not tidy; run make tidy", untidy)
	default:
		fmt.Printf("tidy: %d modules changed\n", untidy)
	}
	return nil
}

func tag(ctx context.Context, w *workspace.Workspace, really bool) error {
	tags, err := lockstep.Plan(ctx, w)
	if err != nil {
		return err
	}
	if really {
		if err := lockstep.Tag(ctx, w, tags); err != nil {
			return err
		}
	}
	for _, t := range tags {
		fmt.Println(t)
	}
	if really {
		fmt.Printf("lockstep: tagged; publish with: git push --atomic origin %s\n", strings.Join(tags, " "))
	} else {
		fmt.Println("lockstep: nothing done; make the tags with: scripts/tool lockstep tag -run")
	}
	return nil
}
