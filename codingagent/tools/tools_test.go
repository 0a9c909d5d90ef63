package tools_test

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/pi-go/pi/agentcore"
	"github.com/pi-go/pi/agentcore/execenv"
	"github.com/pi-go/pi/ai"
	"github.com/pi-go/pi/codingagent/tools"
)

// memory is an environment in memory with the given files.
func memory(shell execenv.Shell, files map[string]string) execenv.Env {
	env := execenv.Memory(shell)
	for name, content := range files {
		env.FS.(*execenv.MemoryFS).Put("/work/"+name, content)
	}
	return env
}

// local is an environment in a new directory of this machine.
func local(t testing.TB, files map[string]string) execenv.Env {
	t.Helper()
	env, err := execenv.Local(t.TempDir(), execenv.LocalOptions{Temp: t.TempDir(), Home: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	for name, content := range files {
		put(t, env, name, content)
	}
	return env
}

// put writes a file with its directories.
func put(t testing.TB, env execenv.Env, name, content string) {
	t.Helper()
	file := filepath.Join(env.Dir, name)
	if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, []byte(content), 0o644); err != nil {
		t.Fatal(err)
	}
}

// call runs a tool as the agent does: mended arguments, an error as a result.
func call(ctx context.Context, t testing.TB, o tools.Options, name string, args any, updates ...func(agentcore.ToolResult)) agentcore.ToolResult {
	t.Helper()
	d, ok := tools.Find(tools.New(o), name)
	if !ok {
		t.Fatalf("there is no tool %s", name)
	}
	raw, err := json.Marshal(args)
	if err != nil {
		t.Fatal(err)
	}
	if d.PrepareArguments != nil {
		if raw, err = d.PrepareArguments(raw); err != nil {
			t.Fatal(err)
		}
	}
	update := func(agentcore.ToolResult) {}
	if len(updates) > 0 {
		update = updates[0]
	}
	res, err := d.Execute(ctx, agentcore.ToolCall{ID: "1", Name: name, Arguments: raw}, update)
	if err != nil {
		return agentcore.ErrorResult(err.Error())
	}
	return res
}

type args map[string]any

// text is the text of a result.
func text(r agentcore.ToolResult) string {
	var parts []string
	for _, b := range r.Content {
		if t, ok := b.(*ai.Text); ok {
			parts = append(parts, t.Text)
		}
	}
	return strings.Join(parts, "|")
}

// jsonOf is a value as it is stored.
func jsonOf(t testing.TB, v any) string {
	t.Helper()
	b, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// textOf reads a file of an environment.
func textOf(t testing.TB, env execenv.Env, name string) string {
	t.Helper()
	b, err := env.FS.ReadFile(t.Context(), env.Abs(name))
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// Schemas have a fixed shape: an object with required, properties with
// descriptions, and nothing that forbids further properties.
func TestSchemas(t *testing.T) {
	t.Parallel()
	want := map[string][]string{
		"read": {"path"}, "bash": {"command"}, "powershell": {"command"}, "edit": {"path", "edits"},
		"write": {"path", "content"}, "grep": {"pattern"}, "find": {"pattern"}, "ls": {},
	}
	strict := map[string]bool{"read": true, "bash": true, "powershell": true, "edit": true, "write": true}
	set := tools.New(tools.Options{Env: execenv.Memory(nil)})
	var names []string
	for _, d := range set {
		names = append(names, d.Name)
		var schema struct {
			Type       string
			Required   []string
			Properties map[string]struct{ Type, Description string }
		}
		if err := json.Unmarshal(d.Parameters, &schema); err != nil {
			t.Fatalf("%s: %v", d.Name, err)
		}
		if schema.Type != "object" || strings.Join(schema.Required, " ") != strings.Join(want[d.Name], " ") ||
			strings.Contains(string(d.Parameters), "additionalProperties") {
			t.Errorf("%s has schema %s", d.Name, d.Parameters)
		}
		for name, p := range schema.Properties {
			if p.Type == "" || p.Description == "" {
				t.Errorf("%s: property %s has type %q and description %q", d.Name, name, p.Type, p.Description)
			}
		}
		if d.Description == "" || d.Snippet == "" || strings.Contains(d.Snippet, "\n") {
			t.Errorf("%s: description %q, snippet %q", d.Name, d.Description, d.Snippet)
		}
		if got := jsonOf(t, d.Sampling); strict[d.Name] && got != `{"type":"json_schema","strict":"prefer"}` || !strict[d.Name] && got != "null" {
			t.Errorf("%s: sampling %s", d.Name, got)
		}
	}
	if got := strings.Join(names, " "); got != "read bash powershell edit write grep find ls" {
		t.Errorf("tools are %s", got)
	}
}
