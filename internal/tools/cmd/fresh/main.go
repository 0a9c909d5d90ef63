// Command fresh reports generated files that are not what their generators
// write, and exits 1 if there are any. With -run it runs the generators in the
// tree itself.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/signal"

	"github.com/pi-go/pi/internal/tools/fresh"
	"github.com/pi-go/pi/internal/tools/workspace"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	really := flag.Bool("run", false, "run the generators in the tree")
	flag.Parse()
	if err := run(ctx, *really); err != nil {
		fmt.Fprintln(os.Stderr, "fresh:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, really bool) error {
	root, err := workspace.Find(".")
	if err != nil {
		return err
	}
	w, err := workspace.Open(root)
	if err != nil {
		return err
	}
	if really {
		generators, err := fresh.Generators(w)
		if err != nil {
			return err
		}
		fmt.Printf("fresh: %d packages have generators\n", len(generators))
		return fresh.Generate(ctx, root, generators)
	}
	report, err := fresh.Check(ctx, w)
	if err != nil {
		return err
	}
	for _, name := range report.Stale {
		fmt.Fprintf(os.Stderr, "%s: is not what its generator writes\n", name)
	}
	if len(report.Stale) > 0 {
		return fmt.Errorf("%d generated files are stale; run make generate and commit", len(report.Stale))
	}
	fmt.Printf("fresh: generated files of %d packages are up to date\n", len(report.Generators))
	return nil
}
