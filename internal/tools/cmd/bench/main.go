// Command bench measures the pi command as a process, beside the reference
// implementation where that is installed, and prints one table.
//
//	bench [-n 7] [-only version,loop-*] [-json] [-list] [PROGRAM [ARGUMENT ...]]
//
// The program is bin/pi unless one is named. The reference is the command line
// in PI_REFERENCE, else what make interop installed. Exits 1 if package
// initialisation is over its budget: of all figures that one depends least on
// the machine. See docs/performance.md.
package main

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"path"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"time"

	"github.com/pi-go/pi/internal/tools/bench"
	"github.com/pi-go/pi/internal/tools/initcost"
	"github.com/pi-go/pi/internal/tools/workspace"
)

// initialisation is the name of the scenario that is not a whole process.
const initialisation = "init"

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	var o options
	flag.IntVar(&o.rounds, "n", 7, "how many `rounds`; slow scenarios take fewer")
	flag.StringVar(&o.only, "only", "", "the `names` of scenarios to run, with commas between them; * stands for anything")
	flag.BoolVar(&o.json, "json", false, "print JSON instead of a table")
	flag.BoolVar(&o.list, "list", false, "list the scenarios")
	flag.Parse()
	o.program = flag.Args()
	if err := run(ctx, o); err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1)
	}
}

type options struct {
	rounds     int
	only       string
	json, list bool
	program    []string
}

// wanted reports whether a scenario was chosen.
func (o options) wanted(name string) (bool, error) {
	if o.only == "" {
		return true, nil
	}
	for pattern := range strings.SplitSeq(o.only, ",") {
		ok, err := path.Match(strings.TrimSpace(pattern), name)
		if err != nil {
			return false, fmt.Errorf("-only %s: %w", pattern, err)
		}
		if ok {
			return true, nil
		}
	}
	return false, nil
}

func run(ctx context.Context, o options) error {
	var chosen []bench.Scenario
	names := []string{bench.Terminal, initialisation}
	for _, c := range bench.Scenarios() {
		names = append(names, c.Name)
		ok, err := o.wanted(c.Name)
		if err != nil {
			return err
		}
		if ok {
			chosen = append(chosen, c)
		}
		if o.list {
			fmt.Printf("%-24s %s\n", c.Name, c.About)
		}
	}
	if o.list {
		fmt.Printf("%-24s %s\n", bench.Terminal, bench.TerminalAbout)
		fmt.Printf("%-24s package initialisation, the five most expensive packages\n", initialisation)
		return nil
	}
	withInit, err := o.wanted(initialisation)
	if err != nil {
		return err
	}
	withTerminal, err := o.wanted(bench.Terminal)
	if err != nil {
		return err
	}
	if len(chosen) == 0 && !withInit && !withTerminal {
		return fmt.Errorf("-only %s: there is no such scenario; these are: %s", o.only, strings.Join(names, ", "))
	}
	root, err := workspace.Find(".")
	if err != nil {
		return err
	}
	program := bench.Program{Name: "pi", Argv: o.program}
	if len(program.Argv) == 0 {
		program.Argv = []string{filepath.Join(root, "bin", "pi")}
	}
	out := &report{json: o.json}
	if len(chosen) > 0 {
		if err := out.processes(ctx, root, program, chosen, o.rounds); err != nil {
			return err
		}
	}
	if withTerminal {
		if err := out.terminal(ctx, root, o.rounds); err != nil {
			return err
		}
	}
	var over error
	if withInit {
		over = out.initialisation(ctx, program)
	}
	return errors.Join(over, out.finish())
}

// report collects results, or prints them as they come.
type report struct {
	json    bool
	content struct {
		Machine   string                `json:"machine"`
		Programs  []string              `json:"programs"`
		Results   []bench.Result        `json:"results"`
		Libraries []string              `json:"libraries,omitempty"`
		Terminal  *bench.Result         `json:"terminal,omitempty"`
		Init      *initcost.Measurement `json:"init,omitempty"`
		Seconds   float64               `json:"seconds"`
	}
}

// processes measures the scenarios.
func (r *report) processes(ctx context.Context, root string, program bench.Program, chosen []bench.Scenario, rounds int) (err error) {
	start := time.Now()
	programs := []bench.Program{program}
	reference, found, err := bench.Reference(root, os.LookupEnv)
	if err != nil {
		return err
	}
	if found {
		programs = append(programs, reference)
	}
	s, err := bench.Open(ctx, bench.Config{Root: root, Programs: programs})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, s.Close()) }()
	r.content.Machine, r.content.Programs = machine(), s.Names
	if !r.json {
		fmt.Printf("whole processes on %s; medians of [rounds]\n", r.content.Machine)
		if !found {
			fmt.Println("the reference is not installed (make interop does that), so there are no ratios")
		}
		bench.Header(os.Stdout, s.Names)
	}
	for _, c := range chosen {
		result, err := s.Measure(ctx, c, rounds)
		if err != nil {
			return err
		}
		r.content.Results = append(r.content.Results, result)
		if !r.json {
			result.Print(os.Stdout)
		}
	}
	r.content.Seconds = time.Since(start).Seconds()
	return nil
}

// terminal measures what drawing costs.
func (r *report) terminal(ctx context.Context, root string, rounds int) error {
	names, result, missing, err := bench.MeasureTerminal(ctx, root, os.LookupEnv, rounds)
	if err != nil {
		return err
	}
	r.content.Libraries, r.content.Terminal = names, &result
	if !r.json {
		fmt.Printf("libraries for terminals on %s; medians of [rounds]\n", machine())
		for _, m := range missing {
			fmt.Println(m)
		}
		bench.Header(os.Stdout, names)
		result.Print(os.Stdout)
	}
	return nil
}

// initialisation measures what happens before main, and fails over the budget.
func (r *report) initialisation(ctx context.Context, program bench.Program) error {
	m, over, err := initcost.Judge(ctx, program.Argv[0], append(slices.Clone(program.Argv[1:]), "--version"), 21)
	if err != nil {
		return err
	}
	r.content.Init = &m
	if !r.json {
		m.Print(os.Stdout, 5)
	}
	var errs []error
	for _, e := range over {
		errs = append(errs, fmt.Errorf("over budget: %s", e.What))
	}
	return errors.Join(errs...)
}

func (r *report) finish() error {
	if !r.json {
		if r.content.Seconds > 0 {
			fmt.Printf("measured in %.0f s\n", r.content.Seconds)
		}
		return nil
	}
	e := json.NewEncoder(os.Stdout)
	e.SetIndent("", "  ")
	return e.Encode(r.content)
}

// machine says what the figures were measured on.
func machine() string {
	text := fmt.Sprintf("%s/%s, %d cores", runtime.GOOS, runtime.GOARCH, runtime.NumCPU())
	data, err := os.ReadFile("/proc/cpuinfo")
	if err != nil {
		return text // other systems
	}
	for line := range strings.Lines(string(data)) {
		if name, value, ok := strings.Cut(line, ":"); ok && strings.TrimSpace(name) == "model name" {
			return text + ", " + cmp.Or(strings.TrimSpace(value), "unknown processor")
		}
	}
	return text
}
