//go:build unix

package main

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/pi-go/pi/ai/aitest/mockllm"
	"github.com/pi-go/pi/codingagent/extension"
)

// strays makes the test binary a pi with an extension that prints what nobody
// asked for.
const strays = "PI_TEST_STRAYS"

func straying() extension.Extension {
	return extension.Extension{Name: "strays", Setup: func(_ context.Context, api *extension.API) error {
		fmt.Println("stray from the start")
		api.Events.BeforeAgentStart.Handle(func(context.Context, *extension.Context, *extension.BeforeAgentStart) (*extension.StartDecision, error) {
			fmt.Print("stray in the middle")
			return nil, nil
		})
		return nil
	}}
}

// The output is the program's: what extensions print goes where people see it, and
// every line on the output stays a record, or the answer.
func TestStrayOutput(t *testing.T) {
	for _, mode := range []string{"text", "json", "rpc"} {
		t.Run(mode, func(t *testing.T) {
			s := newSandbox(t)
			s.llm.Queue(mockllm.Say("the answer"))
			args := []string{"--model", "mock/m", "--mode", mode}
			input := `{"id":"1","type":"prompt","message":"hi"}` + "\n"
			if mode != "rpc" {
				args, input = append(args, "-p", "hi"), ""
			}
			cmd := s.command(t.Context(), args...)
			cmd.Env = append(cmd.Env, strays+"=1")
			cmd.Stdin = strings.NewReader(input)
			var out, errs strings.Builder
			cmd.Stdout, cmd.Stderr = &out, &errs
			if err := cmd.Run(); err != nil {
				t.Fatalf("%v\n%s", err, errs.String())
			}
			if !strings.Contains(errs.String(), "stray from the start\n") || !strings.Contains(errs.String(), "stray in the middle") {
				t.Errorf("the prints of the extension are lost: %q", errs.String())
			}
			if mode == "text" {
				if out.String() != "the answer\n" {
					t.Errorf("the output is %q", out.String())
				}
				return
			}
			for line := range strings.Lines(out.String()) {
				if !json.Valid([]byte(line)) {
					t.Errorf("%q is no record", line)
				}
			}
			if !strings.Contains(out.String(), "agent_settled") {
				t.Errorf("the run has no end: %s", out.String())
			}
		})
	}
}
