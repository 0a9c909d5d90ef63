package evals_test

import (
	"slices"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"github.com/pi-go/pi/ai"
	"github.com/pi-go/pi/evals"
)

func TestParseTask(t *testing.T) {
	got, err := evals.ParseTask("tasks/fix.yaml", []byte(`
description: |
  Fix it.
files: {a/b.txt: "x\n"}
setup: git init -q
prompts: [first, second]
model: demo/guide
thinking: high
tools: [read]
max_turns: 3
timeout: 1m30s
checks:
  - file: {path: a/b.txt, equals: "", lacks: [a, b]}
  - answer: {contains: done}
  - tool: {name: read, times: 0}
  - command: {run: "true", exit: 1, output: {matches: "^x"}, timeout: 5s}
`))
	if err != nil {
		t.Fatal(err)
	}
	if got.Name != "fix" || got.Description != "Fix it." || got.Files["a/b.txt"] != "x\n" || !slices.Equal(got.Setup, []string{"git init -q"}) ||
		!slices.Equal(got.Prompts, []string{"first", "second"}) || got.Model != "demo/guide" || got.Thinking != ai.ThinkingHigh ||
		!slices.Equal(got.Tools, []string{"read"}) || got.MaxTurns != 3 || got.Timeout != 90*time.Second || len(got.Checks) != 4 {
		t.Errorf("got %+v", got)
	}
	var checks []string
	for _, c := range got.Checks {
		checks = append(checks, c.String())
	}
	want := `file a/b.txt equals "", lacks "a", lacks "b"; answer contains "done"; tool read is called 0 times; command "true" exits with 1`
	if s := strings.Join(checks, "; "); s != want {
		t.Errorf("checks\n%s\nwant\n%s", s, want)
	}
	got, err = evals.ParseTask("x.yml", []byte("name: other\nprompt: hi\nchecks: [{answer: {equals: x}}]"))
	if err != nil || got.Name != "other" || got.MaxTurns == 0 || got.Timeout == 0 || got.Tools != nil {
		t.Errorf("got %+v, %v", got, err)
	}
}

func TestTasksThatAreWrong(t *testing.T) {
	const ok = "prompt: hi\n"
	check := func(s string) string { return ok + "checks:\n  - " + s + "\n" }
	for text, want := range map[string]string{
		"":                                "t.yaml: the file is empty",
		"prompt: [":                       "line 1",
		"- a":                             "line 1: cannot unmarshal",
		"promt: hi":                       "line 1: there is no field promt",
		ok:                                "there are no checks",
		"checks: [{answer: {equals: x}}]": "there is no prompt",
		"prompts: ['']\nchecks: [{answer: {equals: x}}]": "prompts[0] is empty",
		"prompts: [x]\nprompt: y":                        "prompt or prompts, not both",
		ok + "timeout: soon":                             `line 2: "soon" is no length of time; write 90s or 2m`,
		ok + "timeout: -1s":                              "is no length of time",
		ok + "max_turns: -1":                             "max_turns is -1",
		ok + "thinking: deep":                            "thinking is \"deep\"; it may be one of",
		ok + "name: ../x":                                "can not be that of a directory",
		ok + "name: .git":                                "can not be that of a directory",
		ok + "files: {../x: y}":                          `files: the path "../x" leads out of the workspace`,
		ok + "files: {/etc/x: y}":                        "leads out of the workspace",
		ok + "files: {a/../../x: y}":                     "leads out of the workspace",
		ok + "files: {x: {y: z}}":                        "line 2: cannot unmarshal",
		ok + "prompt: again":                             "line 2",
		ok + "checks: [{answer: {equals: x}}]\n---\nprompt: again": "more than one document",
		check("{}"): "checks[0]: a check has exactly one of",
		check("{answer: {equals: x}, tool: {name: x}}"):     "checks[0]: a check has exactly one of",
		check("answer: {}"):                                 "says nothing of the text",
		check("answer: {contain: x}"):                       "line 3: there is no field contain",
		check("answer: {contains: ''}"):                     "an empty text is in every text",
		check("answer: {matches: '('}"):                     "matches: error parsing regexp",
		check("file: {path: ''}"):                           "leads out of the workspace",
		check("file: {path: x, absent: true, contains: y}"): "file x: a file that is absent has no text",
		check("tool: {times: 1}"):                           "tool: name is missing",
		check("tool: {name: x, times: -1}"):                 "tool x: times is -1",
		check("tool: {name: x, never: true, times: 1}"):     "never goes with nothing else",
		check("command: {exit: 1}"):                         "command: run is missing",
		check("command: {run: x, output: {}}"):              "says nothing of the text",
	} {
		got, err := evals.ParseTask("t.yaml", []byte(text))
		if err == nil || !strings.HasPrefix(err.Error(), "t.yaml: ") || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %+v, %v; want %q", text, got, err, want)
		}
	}
}

func TestLoad(t *testing.T) {
	task := &fstest.MapFile{Data: []byte("prompt: hi\nchecks: [{answer: {equals: x}}]")}
	fsys := fstest.MapFS{
		"d/b.yaml": task, "d/a.yml": task, "d/notes.txt": {}, "d/sub/c.yaml": task, "e/a.yaml": task, "none/x.txt": {}, "bad.yaml": {Data: []byte("x")},
	}
	tasks, err := evals.Load(fsys, "d", "d/sub/c.yaml")
	var names []string
	for _, task := range tasks {
		names = append(names, task.Name)
	}
	if err != nil || !slices.Equal(names, []string{"a", "b", "c"}) {
		t.Errorf("got %v, %v", names, err)
	}
	for want, list := range map[string][]string{
		"the task of d/a.yml has the name \"a\" too": {"d", "e"},
		"none has no file that ends in .yaml":        {"none"},
		"missing":                                    {"missing"},
		"bad.yaml: ":                                 {"bad.yaml"},
	} {
		if _, err := evals.Load(fsys, list...); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v: %v, want %q", list, err, want)
		}
	}
}

func FuzzParseTask(f *testing.F) {
	f.Add("prompt: hi\nchecks:\n  - file: {path: x, equals: y}\n  - command: {run: x, timeout: 1s}")
	f.Add("prompts: [a, b]\nsetup: [x]\nfiles: {a: b}\nchecks: [{answer: {matches: 'x+', contains: [a]}}]")
	f.Add("a: &a [*a]")
	f.Add("timeout: {}")
	f.Fuzz(func(t *testing.T, text string) {
		task, err := evals.ParseTask("t.yaml", []byte(text))
		if err != nil {
			return
		}
		if len(task.Prompts) == 0 || len(task.Checks) == 0 || task.Timeout <= 0 || task.MaxTurns <= 0 {
			t.Errorf("%q gave %+v", text, task)
		}
		for _, c := range task.Checks {
			if s := c.String(); s == "" || s == "nothing" {
				t.Errorf("%q has the check %q", text, s)
			}
		}
	})
}
