// Command pi-evals runs evaluation tasks and prints what came of them.
//
//	pi-evals                                   the sample tasks, on the demo model
//	pi-evals -model sonnet -n 3 my/tasks       a directory of tasks, three times each
//	pi-evals -keep /tmp/e fix-typo.yaml        keep workspace and session file
//
// Package evals describes tasks. Models and keys are those of the pi command,
// its other settings and instructions are not used. Exits 0 if all passed.
//
// Agent and tasks run commands as you, with nothing around them; variables that
// look like keys are hidden from these.
package main

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"slices"
	"strings"
	"syscall"

	"github.com/pi-go/pi/codingagent"
	"github.com/pi-go/pi/codingagent/tools"
	"github.com/pi-go/pi/codingagent/world"
	"github.com/pi-go/pi/evals"
)

// errFailed says that tasks failed, which the report has said already.
var errFailed = errors.New("not all passed")

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	process, err := world.OS()
	if err == nil {
		err = run(ctx, os.Args[1:], process)
	}
	switch {
	case err == nil, errors.Is(err, flag.ErrHelp):
		return
	case !errors.Is(err, errFailed):
		fmt.Fprintln(os.Stderr, "Error:", err)
	}
	os.Exit(1)
}

func run(ctx context.Context, args []string, w world.Process) error {
	flags := flag.NewFlagSet("pi-evals", flag.ContinueOnError)
	flags.SetOutput(w.Err)
	flags.Usage = func() {
		fmt.Fprint(w.Err, "pi-evals gives tasks to the agent and checks what came of them;\nwithout arguments the samples, on the demo model.\n\n  pi-evals [options] [task.yaml or directory ...]\n\nOptions:\n")
		flags.PrintDefaults()
	}
	model := flags.String("model", "", "`model` for all tasks, whatever they name: PROVIDER/ID or a part of it")
	n := flags.Int("n", 1, "how many `times` to do each task")
	parallel := flags.Int("parallel", 4, "how many `tasks` to do at a time")
	keep := flags.String("keep", "", "new `directory` to keep workspaces and session files in")
	asJSON := flags.Bool("json", false, "print JSON instead of a table")
	list := flags.Bool("list", false, "list the tasks instead of doing them")
	if err := flags.Parse(args); err != nil {
		return err
	}
	if *n < 1 || *parallel < 1 {
		return errors.New("-n and -parallel begin at 1")
	}
	tasks, err := load(flags.Args())
	if err != nil {
		return err
	}
	if *list {
		for _, t := range tasks {
			fmt.Fprintf(w.Out, "%-20s %s\n", t.Name, t.Description)
		}
		return nil
	}
	runner := evals.Runner{
		Options: codingagent.Options{Models: w.Models(ctx).Models, Environ: withoutKeys(w.Environ), FileQueue: new(tools.FileQueue)},
		Model:   *model, Runs: *n, Parallel: *parallel, Keep: *keep,
		Done: func(o evals.Outcome) {
			result := "failed"
			if o.Passed {
				result = "passed"
			}
			fmt.Fprintf(w.Err, "%s, run %d: %s\n", o.Task, o.Run, result)
		},
	}
	if *keep != "" {
		if entries, err := os.ReadDir(*keep); err == nil && len(entries) > 0 {
			return fmt.Errorf("-keep %s: the directory is not empty", *keep)
		}
	}
	report := runner.Run(ctx, tasks)
	if *asJSON {
		e := json.NewEncoder(w.Out)
		e.SetIndent("", "  ")
		e.SetEscapeHTML(false)
		err = e.Encode(report)
	} else {
		err = report.Print(w.Out)
	}
	if err == nil && report.Passed() < len(report.Outcomes) {
		err = errFailed
	}
	return err
}

// load reads tasks from files and directories, the samples if none are named.
func load(names []string) ([]evals.Task, error) {
	if len(names) == 0 {
		return evals.Samples()
	}
	var tasks []evals.Task
	for _, name := range names {
		dir, file := filepath.Split(filepath.Clean(name))
		if info, err := os.Stat(name); err == nil && info.IsDir() {
			dir, file = name, "."
		}
		if dir == "" {
			dir = "."
		}
		more, err := evals.Load(os.DirFS(dir), file)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		for _, t := range more {
			if slices.ContainsFunc(tasks, func(o evals.Task) bool { return o.Name == t.Name }) {
				return nil, fmt.Errorf("%s: another task has the name %q too", name, t.Name)
			}
		}
		tasks = append(tasks, more...)
	}
	return tasks, nil
}

// withoutKeys leaves out variables that a model could print.
func withoutKeys(environ []string) []string {
	return slices.DeleteFunc(slices.Clone(environ), func(v string) bool {
		name, _, _ := strings.Cut(v, "=")
		name = strings.ToUpper(name)
		for _, word := range []string{"KEY", "TOKEN", "SECRET", "PASSWORD", "CREDENTIAL"} {
			if strings.Contains(name, word) {
				return true
			}
		}
		return false
	})
}
