package harness_test

import (
	"context"
	"errors"
	"testing"

	"github.com/pi-go/pi/agentcore"
	"github.com/pi-go/pi/agentcore/execenv"
	"github.com/pi-go/pi/agentcore/harness"
	"github.com/pi-go/pi/ai"
	"github.com/pi-go/pi/ai/faux"
)

// One tool serves sessions in several places.
func TestToolsFindTheEnvironmentOfTheirSession(t *testing.T) {
	read := agentcore.NewTool("notes", "Gives the notes.", func(ctx context.Context, _ struct{}, _ func(agentcore.ToolResult)) (agentcore.ToolResult, error) {
		env, ok := execenv.FromContext(ctx)
		if !ok {
			return agentcore.ToolResult{}, errors.New("no environment")
		}
		data, err := env.FS.ReadFile(ctx, env.Abs("notes.txt"))
		return agentcore.TextResult(string(data)), err
	})
	for _, text := range []string{"of one place", "of another", ""} {
		var env *execenv.Env
		if text != "" {
			e := execenv.Memory(nil)
			if err := e.FS.WriteFile(t.Context(), e.Abs("notes.txt"), []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
			env = &e
		}
		r := newRig(t, func(c *harness.Config) { c.Tools, c.Env = []*agentcore.Tool{read}, env })
		r.model.Queue(faux.Calls(faux.Call("notes", nil)), faux.Say("done"))
		r.prompt("go")
		if text == "" {
			text = "no environment"
		}
		var got string
		for _, m := range r.Agent().Messages {
			if result, ok := m.(*ai.ToolResultMessage); ok {
				got = ai.TextOf(result.Content, "")
			}
		}
		if got != text {
			t.Errorf("the tool gave %q, want %q", got, text)
		}
	}
}
