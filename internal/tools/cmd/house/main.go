// Command house reports what breaks the rules of this code base and exits 1 if
// anything but warnings is found.
package main

import (
	"fmt"
	"os"

	"github.com/pi-go/pi/internal/tools/house"
	"github.com/pi-go/pi/internal/tools/workspace"
)

func main() {
	if err := run(); err != nil {
		fmt.Fprintln(os.Stderr, "house:", err)
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
	findings, err := house.Check(w)
	if err != nil {
		return err
	}
	bad := 0
	for _, f := range findings {
		fmt.Fprintln(os.Stderr, f)
		if !f.Warning {
			bad++
		}
	}
	if bad > 0 {
		return fmt.Errorf("%d places break the house rules (internal/tools/house/rules.go)", bad)
	}
	fmt.Printf("house: rules hold, %d warnings\n", len(findings))
	return nil
}
