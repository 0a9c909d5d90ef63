// Command initcost prints what package initialisation costs a program and exits
// 1 if it is over the budget.
//
//	initcost [-n 11] [-top 5] PROGRAM [ARGUMENT ...]
//
// The arguments should make the program end at once; without any, --version is
// used. Times over the budget are measured once more, with more runs, before
// they count.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/signal"

	"github.com/pi-go/pi/internal/tools/initcost"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	runs := flag.Int("n", 11, "how many times to run the program, at least 9")
	top := flag.Int("top", 5, "how many packages to list")
	flag.Parse()
	if err := run(ctx, flag.Args(), max(*runs, 9), *top); err != nil {
		fmt.Fprintln(os.Stderr, "initcost:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, args []string, runs, top int) error {
	if len(args) == 0 {
		return errors.New("which program? usage: initcost [-n 11] [-top 5] PROGRAM [ARGUMENT ...]")
	}
	program, args := args[0], args[1:]
	if len(args) == 0 {
		args = []string{"--version"}
	}
	m, over, err := initcost.Judge(ctx, program, args, runs)
	if err != nil {
		return err
	}
	m.Print(os.Stdout, top)
	for _, e := range over {
		fmt.Fprintln(os.Stderr, "over budget:", e.What)
	}
	if len(over) > 0 {
		return fmt.Errorf("%d figures over the budget of internal/tools/initcost/rules.go", len(over))
	}
	return nil
}
