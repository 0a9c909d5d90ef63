package evals

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"sync"
	"time"

	"github.com/pi-go/pi/agentcore/execenv"
	"github.com/pi-go/pi/agentcore/session"
	"github.com/pi-go/pi/ai"
	"github.com/pi-go/pi/codingagent"
	"github.com/pi-go/pi/codingagent/models"
)

// Runner runs tasks. Options.Models is required, and a model from somewhere.
type Runner struct {
	// Options are those of every session. Dir, Home, Session, Env and
	// Loop.FinishTurn are the runner's own; Model, Thinking and Tools are used
	// where a task names none. AgentDir is best left empty, so that no
	// instructions of a user reach the model.
	Options codingagent.Options
	// Model, if not empty, is used for all tasks, whatever they name.
	Model string
	// Runs is how often each task is done; 0 means once.
	Runs int
	// Parallel is how many are done at a time; 0 means 4.
	Parallel int
	// Keep is a directory for workspaces and session files, by task and run;
	// "" keeps neither.
	Keep string
	// Done, if not nil, is told of each outcome as it comes, one at a time.
	Done func(Outcome)
}

// Run runs the tasks. When ctx ends, what is under way is aborted and counts as
// failed, like what was not begun.
func (r Runner) Run(ctx context.Context, tasks []Task) Report {
	runs := max(r.Runs, 1)
	outcomes := make([]Outcome, len(tasks)*runs)
	next := make(chan int)
	var done sync.Mutex
	var workers sync.WaitGroup
	for range max(1, min(cmp.Or(r.Parallel, 4), len(outcomes))) {
		workers.Go(func() {
			for i := range next {
				outcomes[i] = r.run(ctx, tasks[i/runs], i%runs+1)
				if r.Done != nil {
					done.Lock()
					r.Done(outcomes[i])
					done.Unlock()
				}
			}
		})
	}
	for i := range outcomes {
		next <- i
	}
	close(next)
	workers.Wait()
	return Report{Outcomes: outcomes}
}

// run does a task once.
func (r Runner) run(ctx context.Context, t Task, n int) Outcome {
	o := Outcome{Task: t.Name, Run: n, Checks: []CheckResult{}, Calls: make(map[string]*Calls)}
	start := time.Now()
	ctx, cancel := context.WithTimeoutCause(ctx, t.Timeout, fmt.Errorf("the time is over (%v)", t.Timeout))
	defer cancel()
	if err := r.do(ctx, t, &o); err != nil {
		o.Error = err.Error()
		if ctx.Err() != nil {
			o.Error = context.Cause(ctx).Error()
		}
	}
	o.Passed = o.Error == "" && o.passedChecks() == len(t.Checks)
	o.Seconds = time.Since(start).Seconds()
	return o
}

func (r Runner) do(ctx context.Context, t Task, o *Outcome) (err error) {
	if err := context.Cause(ctx); err != nil {
		return err
	}
	choice, err := r.model(ctx, t)
	if err != nil {
		return err
	}
	o.Model = choice.Model.Ref()
	place, err := r.place(t, o.Run)
	if err != nil {
		return err
	}
	if r.Keep == "" {
		defer func() { err = errors.Join(err, os.RemoveAll(place.root)) }()
	} else {
		o.Workspace = place.dir
	}
	if err := place.write(t.Files); err != nil {
		return err
	}
	env, err := execenv.Local(place.dir, execenv.LocalOptions{
		Home: place.root, Shell: execenv.LocalShellOptions{Environ: r.Options.Environ, Groups: r.Options.Groups},
	})
	if err != nil {
		return err
	}
	for _, script := range t.Setup {
		out, code, err := runCommand(ctx, env, script, 0)
		if err != nil {
			return fmt.Errorf("setup: %w", err)
		}
		if code != 0 {
			return fmt.Errorf("setup: %s exited with %d and printed %s", short(script), code, short(out))
		}
	}
	if err := r.converse(ctx, t, choice, place, env, o); err != nil {
		return err
	}
	for _, c := range t.Checks {
		fault := c.fault(ctx, evidence{dir: place.dir, env: env, answer: o.Answer, calls: o.Calls})
		o.Checks = append(o.Checks, CheckResult{Check: c.String(), Passed: fault == "", Fault: fault})
	}
	return context.Cause(ctx)
}

// model resolves the model of a task.
func (r Runner) model(ctx context.Context, t Task) (models.Choice, error) {
	ref := cmp.Or(r.Model, t.Model)
	choice := models.Choice{Model: r.Options.Model}
	if ref != "" {
		var err error
		if choice, err = (&models.Runtime{Models: r.Options.Models}).Catalog(ctx).Resolve(ref, ""); err != nil {
			return choice, err
		}
	}
	if choice.Model == nil {
		return choice, errors.New("neither the task nor the runner names a model")
	}
	choice.Thinking = cmp.Or(choice.Thinking, t.Thinking, r.Options.Thinking)
	return choice, nil
}

// converse lets the agent work on the prompts.
func (r Runner) converse(ctx context.Context, t Task, choice models.Choice, p place, env execenv.Env, o *Outcome) (err error) {
	options := r.Options
	// Instructions are looked for from below the home directory down.
	options.Dir, options.Home, options.Env = p.dir, p.root, &env
	options.Model, options.Thinking = choice.Model, choice.Thinking
	options.Session = codingagent.InMemory()
	if r.Keep != "" {
		options.Session = codingagent.NewIn(session.NewDir(p.root))
	}
	if t.Tools != nil {
		options.Tools.Allow = t.Tools
	}
	w := &watch{outcome: o, most: t.MaxTurns}
	options.Loop.FinishTurn = w.finishTurn
	s, err := codingagent.NewSession(ctx, options)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, s.Close(context.WithoutCancel(ctx))) }()
	s.Subscribe(w.hear)
	for _, prompt := range t.Prompts {
		result, err := s.Prompt(ctx, codingagent.Prompt{Text: prompt}, codingagent.PromptOptions{})
		switch {
		case err != nil:
			return err
		case result.Answer == nil:
			return errors.New("there was no answer")
		}
		o.Answer = result.Answer.Text()
		switch {
		case w.stopped:
			return fmt.Errorf("it was not done after %d turns", t.MaxTurns)
		case result.Answer.Err() != nil:
			return result.Answer.Err()
		case result.Answer.StopReason == ai.StopLength:
			return errors.New("the answer was cut off at the model's output limit")
		}
	}
	return nil
}

// place is where a task is done.
type place struct {
	root string // holds the session file and
	dir  string // the workspace
}

func (r Runner) place(t Task, n int) (place, error) {
	var root string
	var err error
	if r.Keep == "" {
		root, err = os.MkdirTemp("", "eval-")
	} else {
		root, err = filepath.Abs(filepath.Join(r.Keep, t.Name, strconv.Itoa(n)))
		if err == nil {
			err = os.MkdirAll(filepath.Dir(root), 0o700)
		}
		if err == nil {
			// What an earlier evaluation left would be taken for this one's.
			err = os.Mkdir(root, 0o700)
		}
	}
	if err != nil {
		return place{}, fmt.Errorf("make workspace: %w", err)
	}
	p := place{root: root, dir: filepath.Join(root, "workspace")}
	if err := os.Mkdir(p.dir, 0o700); err != nil {
		return place{}, fmt.Errorf("make workspace: %w", err)
	}
	return p, nil
}

// write puts the files of a task into the workspace.
func (p place) write(files map[string]string) error {
	root, err := os.OpenRoot(p.dir)
	if err != nil {
		return fmt.Errorf("fill workspace: %w", err)
	}
	defer root.Close()
	for name, text := range files {
		name = filepath.FromSlash(name)
		if err := root.MkdirAll(filepath.Dir(name), 0o755); err != nil {
			return fmt.Errorf("fill workspace: %w", err)
		}
		if err := root.WriteFile(name, []byte(text), 0o644); err != nil {
			return fmt.Errorf("fill workspace: %w", err)
		}
	}
	return nil
}
