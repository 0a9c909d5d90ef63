// Package evals gives tasks to the coding agent and checks what came of them.
//
// A task is a YAML file: a workspace, something to say, and how to tell whether
// it was done.
//
//	description: The agent finds the place by itself.
//	files:
//	  greet.py: |
//	    def greet(name):
//	        return "Helo " + name
//	prompt: There is a typo in what greet returns. Fix it.
//	checks:
//	  - file: {path: greet.py, contains: '"Hello "', lacks: Helo}
//	  - command: {run: python3 -c 'import greet; print(greet.greet("Ann"))', output: {contains: Hello Ann}}
//	  - tool: {name: edit}
//
// A [Runner] runs tasks, several at a time, each in a directory of its own, and
// gives a [Report]:
//
//	tasks, err := evals.Load(os.DirFS("evals/tasks"), ".")
//	if err != nil { … }
//	report := evals.Runner{Options: codingagent.Options{Models: models, Model: model}}.Run(ctx, tasks)
//	report.Print(os.Stdout)
//
// The package uses nothing that other programs can not use: sessions come from
// package codingagent. See [Task] for all fields, [Samples] for tasks that the
// built-in demo model solves, and the command pi-evals.
//
// The agent and the commands of a task run as the user who runs the evaluation,
// with nothing around them. Run tasks of others, or models that you do not
// trust, in a container.
package evals
