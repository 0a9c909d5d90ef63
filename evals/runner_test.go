package evals_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/pi-go/pi/ai"
	"github.com/pi-go/pi/ai/faux"
	"github.com/pi-go/pi/codingagent"
	"github.com/pi-go/pi/evals"
)

func runner(p *faux.Provider) evals.Runner {
	return evals.Runner{Options: codingagent.Options{Models: ai.NewModels(p), Model: p.Model(), Environ: []string{"PATH=" + os.Getenv("PATH")}}}
}

func task(t *testing.T, text string) evals.Task {
	t.Helper()
	got, err := evals.ParseTask("task.yaml", []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return got
}

// one does a task once with a model that gives these responses.
func one(t *testing.T, text string, responses ...faux.Response) evals.Outcome {
	t.Helper()
	p := faux.New(faux.Config{})
	p.Queue(responses...)
	return runner(p).Run(t.Context(), []evals.Task{task(t, text)}).Outcomes[0]
}

func write(path, text string) faux.Step {
	return faux.Call("write", map[string]any{"path": path, "content": text})
}

func bash(command string) faux.Step {
	return faux.Call("bash", map[string]any{"command": command})
}

func TestATaskThatPasses(t *testing.T) {
	o := one(t, `
files: {in.txt: "one\n"}
setup: ["echo two >>in.txt", mkdir d]
prompts: [first, second]
checks:
  - file: {path: in.txt, equals: "one\ntwo\n", matches: '(?m)^two$'}
  - file: {path: d/out.txt, contains: [o, k], lacks: x}
  - file: {path: d}
  - file: {path: gone.txt, absent: true}
  - answer: {equals: all done}
  - tool: {name: write, times: 2}
  - tool: {name: write, times: 1, ok: true}
  - tool: {name: edit, never: true}
  - command: {run: "cat d/out.txt; exit 3", exit: 3, output: {contains: ok}}
`,
		faux.Calls(faux.Text("well"), write("d/out.txt", "ok\n"), faux.Call("write", map[string]any{"path": "x"})),
		faux.Say("so far"), faux.Say("  all done\n"))
	if !strings.Contains(o.Checks[2].Fault, "directory") {
		t.Errorf("a directory is taken for a file: %+v", o.Checks[2])
	}
	for i, c := range o.Checks {
		if !c.Passed && i != 2 {
			t.Errorf("%s: %s", c.Check, c.Fault)
		}
	}
	if o.Error != "" || o.Turns != 3 || o.Calls["write"].Made != 2 || o.Calls["write"].Failed != 1 || o.Usage.Total == 0 || o.Model != "faux/faux-1" || o.Workspace != "" {
		t.Errorf("got %+v", o)
	}
}

func TestChecksThatFail(t *testing.T) {
	for _, tt := range []struct{ check, fault string }{
		{"file: {path: out.txt, equals: ok}", `want "ok", got "ok\n"`},
		{"file: {path: out.txt, contains: no}", `"no" is not in "ok\n"`},
		{"file: {path: out.txt, lacks: ok}", `"ok" is in it`},
		{"file: {path: out.txt, matches: '^k'}", `"^k" does not match in "ok\n"`},
		{"file: {path: out.txt, absent: true}", "it is there"},
		{"file: {path: missing.txt}", "it is not there"},
		{"file: {path: link.txt}", "path escapes"},
		{"file: {path: link.txt, absent: true}", "it is there"},
		{"answer: {contains: bad}", `"bad" is not in "done"`},
		{"answer: {equals: done!}", `want "done!", got "done"`},
		{"tool: {name: edit}", "it was called 0 times"},
		{"tool: {name: write, never: true}", "it was called 1 times"},
		{"tool: {name: write, times: 2}", "it was called 1 times"},
		{"tool: {name: read, ok: true}", "it was called 0 times"},
		{`command: {run: "echo hm; exit 2"}`, `it exited with 2 and printed "hm\n"`},
		{`command: {run: "true", exit: 1}`, "it exited with 0"},
		{`command: {run: "echo hm", output: {contains: x}}`, `its output: "x" is not in "hm\n"`},
		{`command: {run: "sleep 60", timeout: 10ms}`, "timed out"},
	} {
		t.Run(tt.check, func(t *testing.T) {
			o := one(t, "prompt: hi\nchecks:\n  - "+tt.check+"\n  - answer: {contains: done}",
				faux.Calls(write("out.txt", "ok\n"), bash("ln -s /etc/passwd link.txt"), faux.Call("read", map[string]any{"path": "nope"})), faux.Say("done"))
			if o.Passed || o.Error != "" || o.Checks[0].Passed || !strings.Contains(o.Checks[0].Fault, tt.fault) || !o.Checks[1].Passed {
				t.Errorf("got %+v, want %q", o, tt.fault)
			}
		})
	}
}

func TestWhatKeepsATaskFromItsEnd(t *testing.T) {
	const check = "\nchecks: [{file: {path: x, absent: true}}]"
	again := faux.Calls(bash("true"))
	for name, tt := range map[string]struct {
		task      string
		responses []faux.Response
		want      string
	}{
		"turns":         {"prompt: hi\nmax_turns: 2" + check, []faux.Response{again, again, again}, "it was not done after 2 turns"},
		"time":          {"prompt: hi\ntimeout: 20ms" + check, []faux.Response{faux.Calls(faux.Hang())}, "the time is over (20ms)"},
		"model fails":   {"prompt: hi" + check, []faux.Response{faux.Failure(ai.Errorf(ai.KindAuth, "the key is wrong"))}, "the key is wrong"},
		"cut off":       {"prompt: hi" + check, []faux.Response{{Steps: []faux.Step{faux.Text("x")}, Stop: ai.StopLength}}, "cut off"},
		"setup":         {"prompt: hi\nsetup: echo no; exit 4" + check, nil, `setup: "echo no; exit 4" exited with 4 and printed "no\n"`},
		"model unknown": {"prompt: hi\nmodel: faux-2" + check, nil, "did you mean faux-1?"},
		"files clash":   {"prompt: hi\nfiles: {a: x, a/b: y}" + check, nil, "fill workspace"},
		"tools":         {"prompt: hi\ntools: [read, +ls]" + check, nil, "do not mix"},
	} {
		t.Run(name, func(t *testing.T) {
			o := one(t, tt.task, tt.responses...)
			if o.Passed || !strings.Contains(o.Error, tt.want) || len(o.Checks) != 0 {
				t.Errorf("got %+v, want %q", o, tt.want)
			}
		})
	}
	// The last turn allowed may be the answer.
	if o := one(t, "prompt: hi\nmax_turns: 2"+check, again, faux.Say("done")); !o.Passed || o.Turns != 2 {
		t.Errorf("got %+v", o)
	}
}

func TestTheModelSeesNothingOfTheUser(t *testing.T) {
	p := faux.New(faux.Config{})
	p.Queue(faux.Say("x"))
	// Workspaces are made below a home directory with instructions.
	home := t.TempDir()
	t.Setenv("HOME", home)
	t.Setenv("TMPDIR", home)
	if err := os.WriteFile(filepath.Join(home, "AGENTS.md"), []byte("I am rich."), 0o600); err != nil {
		t.Fatal(err)
	}
	r := runner(p)
	r.Run(t.Context(), []evals.Task{task(t, "prompt: hi\nfiles: {AGENTS.md: Be nice.}\nchecks: [{answer: {equals: x}}]")})
	prompt := ai.ReplaySystem(p.Requests()[0].Call.Messages).Text
	if strings.Contains(prompt, "rich") || !strings.Contains(prompt, "Be nice.") {
		t.Errorf("the prompt is %s", prompt)
	}
}

// All tasks of a report are under way at once, and it is in their order.
func TestParallel(t *testing.T) {
	p := faux.New(faux.Config{})
	const n = 4
	var all sync.WaitGroup
	all.Add(n)
	p.Respond(func(q faux.Request) faux.Response {
		return faux.Calls(faux.Do(func() { all.Done(); all.Wait() }), faux.Text(ai.TextOf(q.Last().(*ai.UserMessage).Content, "")))
	})
	var tasks []evals.Task
	for i := range n / 2 {
		x := task(t, fmt.Sprintf("prompt: say %d\nchecks: [{answer: {equals: say %d}}]", i, i))
		x.Name = fmt.Sprint("task", i)
		tasks = append(tasks, x)
	}
	r := runner(p)
	r.Parallel, r.Runs = n, 2
	told := 0
	r.Done = func(evals.Outcome) { told++ }
	report := r.Run(t.Context(), tasks)
	if report.Passed() != n || told != n {
		t.Errorf("%d passed, %d told", report.Passed(), told)
	}
	for i, o := range report.Outcomes {
		if o.Task != fmt.Sprint("task", i/2) || o.Run != i%2+1 {
			t.Errorf("outcome %d is of %s, run %d", i, o.Task, o.Run)
		}
	}
}

func TestInterrupted(t *testing.T) {
	p := faux.New(faux.Config{})
	ctx, cancel := context.WithCancelCause(t.Context())
	p.Respond(func(faux.Request) faux.Response {
		return faux.Calls(faux.Do(func() { cancel(errors.New("enough")) }), faux.Hang())
	})
	r := runner(p)
	r.Parallel = 1
	r.Runs = 3
	report := r.Run(ctx, []evals.Task{task(t, "prompt: hi\nchecks: [{answer: {equals: x}}]")})
	for _, o := range report.Outcomes {
		if o.Passed || o.Error != "enough" || o.Task != "task" {
			t.Errorf("got %+v", o)
		}
	}
	if n := len(p.Requests()); n != 1 {
		t.Errorf("%d requests were made", n)
	}
}

func TestKeep(t *testing.T) {
	p := faux.New(faux.Config{})
	p.Queue(faux.Calls(write("out.txt", "ok")), faux.Say("done"))
	r := runner(p)
	r.Keep = t.TempDir()
	tasks := []evals.Task{task(t, "prompt: hi\nchecks: [{file: {path: out.txt}}]")}
	o := r.Run(t.Context(), tasks).Outcomes[0]
	data, err := os.ReadFile(filepath.Join(o.Workspace, "out.txt"))
	if err != nil || string(data) != "ok" || !o.Passed {
		t.Errorf("got %+v, %v", o, err)
	}
	if files, err := filepath.Glob(filepath.Join(r.Keep, "task", "1", "*.jsonl")); err != nil || len(files) != 1 {
		t.Errorf("session files %v %v", files, err)
	}
	if o = r.Run(t.Context(), tasks).Outcomes[0]; !strings.Contains(o.Error, "make workspace") {
		t.Errorf("a second evaluation wrote over the first: %+v", o)
	}
}

func TestModelOfTheRunnerWins(t *testing.T) {
	p := faux.New(faux.Config{Models: []*ai.Model{{ID: "a"}, {ID: "b"}, {ID: "c"}}})
	p.Respond(func(faux.Request) faux.Response { return faux.Say("x") })
	r := runner(p)
	named := task(t, "prompt: hi\nmodel: b\nchecks: [{answer: {equals: x}}]")
	unnamed := task(t, "name: u\nprompt: hi\nchecks: [{answer: {equals: x}}]")
	for ref, want := range map[string]string{"": "faux/b faux/a", "c": "faux/c faux/c"} {
		r.Model = ref
		out := r.Run(t.Context(), []evals.Task{named, unnamed}).Outcomes
		if got := out[0].Model + " " + out[1].Model; got != want {
			t.Errorf("-model %q: %s, want %s", ref, got, want)
		}
	}
	r.Model, r.Options.Model = "", nil
	if o := r.Run(t.Context(), []evals.Task{unnamed}).Outcomes[0]; !strings.Contains(o.Error, "neither the task nor the runner") {
		t.Errorf("got %+v", o)
	}
}

func TestReport(t *testing.T) {
	report := evals.Report{Outcomes: []evals.Outcome{
		{
			Task: "fine", Run: 1, Model: "p/m", Passed: true, Turns: 2, Seconds: 1.26, Calls: map[string]*evals.Calls{"read": {Made: 1}},
			Usage: ai.Usage{Input: 900, Output: 100, Total: 1000, Cost: ai.Cost{Total: 0.25}},
		},
		{Task: "fine", Run: 2, Model: "p/m", Turns: 3, Seconds: 1, Checks: []evals.CheckResult{{Check: "a", Passed: true}, {Check: "file x", Fault: "it is\nnot \x1b[31mthere"}}},
		{Task: "broken", Run: 1, Model: "p/other", Error: "the key is wrong", Workspace: "/keep/broken/1/workspace"},
	}}
	var out strings.Builder
	if err := report.Print(&out); err != nil {
		t.Fatal(err)
	}
	want := `task    model    result  turns  calls  tokens  cost     time
fine    p/m      1/2     2.5    0.5    500     $0.1250  1.1 s
broken  p/other  FAIL    0      0      0       $0.0000  0.0 s
fine, run 2:
  file x: it is not ` + "\uFFFD" + `[31mthere
broken, run 1:
  the key is wrong
  see /keep/broken/1/workspace
1 of 3 passed; 1000 tokens, $0.2500, 2.3 s of work
`
	if out.String() != want {
		t.Errorf("got\n%s\nwant\n%s", &out, want)
	}
	data, err := json.Marshal(report)
	if err != nil || !strings.Contains(string(data), `"totalTokens":1000`) || !strings.Contains(string(data), `"fault":"it is\nnot`) {
		t.Errorf("JSON %s, %v", data, err)
	}
}

func TestSamplesPassWithTheDemoModel(t *testing.T) {
	tasks, err := evals.Samples()
	if err != nil || len(tasks) < 3 {
		t.Fatalf("%d samples, %v", len(tasks), err)
	}
	r := evals.Runner{Options: codingagent.Options{Models: ai.NewModels(codingagent.DemoProvider(0)), Environ: []string{"PATH=" + os.Getenv("PATH")}}}
	report := r.Run(t.Context(), tasks)
	if report.Passed() != len(tasks) {
		var out strings.Builder
		if err := report.Print(&out); err != nil {
			t.Error(err)
		}
		t.Error(out.String())
	}
	// The same tasks with a model that does nothing.
	p := faux.New(faux.Config{})
	p.Respond(func(faux.Request) faux.Response { return faux.Say("done") })
	lazy := runner(p)
	lazy.Model = "faux-1"
	if n := lazy.Run(t.Context(), tasks).Passed(); n != 0 {
		t.Errorf("%d samples pass without any work", n)
	}
}
