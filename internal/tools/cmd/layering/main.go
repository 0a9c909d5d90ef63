// Command layering reports imports that the architecture forbids and exits 1 if
// there are any. It takes no arguments and works on the repository around the
// current directory.
package main

import (
	"fmt"
	"os"

	"github.com/pi-go/pi/internal/tools/layering"
	"github.com/pi-go/pi/internal/tools/workspace"
)

func main() {
	if err := run(); err != nil {
		fmt.Fprintln(os.Stderr, "layering:", err)
		os.Exit(1)
	}
}

func run() error {
	root, err := workspace.Find(".")
	if err != nil {
		return err
	}
	w, err := workspace.Open(root)
	if err != nil {
		return err
	}
	violations, err := layering.Check(w)
	if err != nil {
		return err
	}
	for _, v := range violations {
		fmt.Fprintln(os.Stderr, v)
	}
	if len(violations) > 0 {
		return fmt.Errorf("%d imports against the layering (rules: internal/tools/layering/rules.go)", len(violations))
	}
	fmt.Printf("layering: %d modules obey the import rules\n", len(w.Modules))
	return nil
}
