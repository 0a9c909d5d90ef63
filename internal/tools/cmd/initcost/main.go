// Command initcost prints what package initialisation costs a program and exits
// 1 if it is over the budget.
//
//	initcost [-n 11] [-top 5] [-report-times] PROGRAM [ARGUMENT ...]
//
// The arguments should make the program end at once; without any, --version is
// used. Times over the budget are measured once more, with more runs, before
// they count. With -report-times, for machines of which nobody knows how fast or how
// busy they are, they are only reported: what is allocated says as much there.
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
	report := flag.Bool("report-times", false, "report times over the budget, without counting them")
	flag.Parse()
	if err := run(ctx, flag.Args(), max(*runs, 9), *top, *report); err != nil {
		fmt.Fprintln(os.Stderr, "initcost:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, args []string, runs, top int, reportTimes bool) error {
	if len(args) == 0 {
		return errors.New("which program? usage: initcost [-n 11] [-top 5] [-report-times] PROGRAM [ARGUMENT ...]")
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
	counted := 0
	for _, e := range over {
		fmt.Fprintln(os.Stderr, "over budget:", e.What)
		if !e.Timed || !reportTimes {
			counted++
		}
	}
	if counted > 0 {
		return fmt.Errorf("%d figures over the budget of internal/tools/initcost/rules.go", counted)
	}
	return nil
}
