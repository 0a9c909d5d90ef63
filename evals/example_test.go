package evals_test

import (
	"context"
	"fmt"

	"github.com/pi-go/pi/ai"
	"github.com/pi-go/pi/codingagent"
	"github.com/pi-go/pi/evals"
)

// A task, and the demo model that does it.
func Example() {
	task, err := evals.ParseTask("greeting.yaml", []byte(`
prompt: create hello.txt with hi there
checks:
  - file: {path: hello.txt, contains: hi there}
  - file: {path: bye.txt}
`))
	if err != nil {
		fmt.Println(err)
		return
	}
	models := ai.NewModels(codingagent.DemoProvider(0))
	report := evals.Runner{Options: codingagent.Options{Models: models}, Model: "demo/guide"}.Run(context.Background(), []evals.Task{task})
	for _, c := range report.Outcomes[0].Checks {
		if c.Passed {
			fmt.Println(c.Check)
		} else {
			fmt.Printf("%s? %s\n", c.Check, c.Fault)
		}
	}
	// Output:
	// file hello.txt contains "hi there"
	// file bye.txt is there? it is not there
}
