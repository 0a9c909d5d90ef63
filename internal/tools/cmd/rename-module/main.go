// Command rename-module gives all modules a new path prefix.
//
//	rename-module example.org/agent
package main

import (
	"context"
	"errors"
	"fmt"
	"os"

	"github.com/pi-go/pi/internal/tools/rename"
	"github.com/pi-go/pi/internal/tools/workspace"
)

func main() {
	if err := run(context.Background(), os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "rename-module:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, args []string) error {
	if len(args) != 1 {
		return errors.New("usage: rename-module NEW-PREFIX, such as example.org/agent")
	}
	root, err := workspace.Find(".")
	if err != nil {
		return err
	}
	w, err := workspace.Open(root)
	if err != nil {
		return err
	}
	changed, err := rename.Prefix(ctx, w, args[0])
	if err != nil {
		return err
	}
	fmt.Printf("rename-module: %s -> %s in %d files; run make tidy check test next\n", w.Prefix, args[0], len(changed))
	return nil
}
