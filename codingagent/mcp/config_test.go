package mcp_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/pi-go/pi/agentcore/execenv"
	"github.com/pi-go/pi/codingagent/extension"
	"github.com/pi-go/pi/codingagent/mcp"
)

func write(t *testing.T, name, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	return path
}

func TestEntriesThatAreWrongAreLeftOutAndTheOthersStay(t *testing.T) {
	user := write(t, "mcp.json", `{"mcpServers": {
		"good": {"command": "x", "args": ["a"], "timeout": 1.5, "exposure": "codemode-deferred"},
		"both": {"command": "x", "url": "http://y"},
		"neither": {},
		"bad name": {"command": "x"},
		"sse": {"type": "sse", "url": "http://y"},
		"odd": {"type": "pigeon", "command": "x"},
		"misfit": {"type": "stdio", "url": "http://y"},
		"place": {"url": "ftp://y"},
		"shown": {"command": "x", "exposure": "everywhere"},
		"types": {"command": 5},
		"go_od": {"command": "x"}, "go-od": {"command": "y"}
	}}`)
	set, faults := mcp.Load(t.Context(), execenv.LocalFS{}, user, "")
	var names []string
	for _, s := range set.Servers {
		names = append(names, s.Name)
	}
	if !slices.Equal(names, []string{"go-od", "good"}) {
		t.Errorf("servers %q", names)
	}
	if s := set.Servers[1]; s.Timeout.Seconds() != 1.5 || s.Exposure != extension.ExposeScript || s.File != user {
		t.Errorf("got %+v", s)
	}
	text := fmt.Sprint(faults)
	for _, want := range []string{
		"both: it has a command and a url", "neither: it has neither", `"bad name": a name has`, `the transport "sse"`, `"pigeon" is no transport`,
		"misfit: its type is stdio", `"ftp://y" is no address`, `"everywhere" is no exposure`, `types: "command" is a number`, "go_od: there is one called go-od",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("no fault says %q:\n%s", want, text)
		}
	}
	if _, faults := mcp.Load(t.Context(), execenv.LocalFS{}, write(t, "mcp.json", "{"), ""); len(faults) != 1 {
		t.Errorf("a file that is no JSON: %v", faults)
	}
	if set, faults := mcp.Load(t.Context(), execenv.LocalFS{}, filepath.Join(t.TempDir(), "none"), ""); len(faults)+len(set.Servers) != 0 {
		t.Errorf("no file: %v, %v", set, faults)
	}
}

func TestProjectEntriesReplaceOrOverride(t *testing.T) {
	user := write(t, "mcp.json", `{"mcpServers": {"a": {"command": "x", "env": {"K": "v"}}, "b": {"command": "x"}}}`)
	project := write(t, "mcp.json", `{"mcpServers": {"a": {"enabled": false, "toolExposure": {"get_*": "hidden"}}, "b": {"url": "http://y/"}, "c": {"enabled": true}}}`)
	set, faults := mcp.Load(t.Context(), execenv.LocalFS{}, user, project)
	if len(faults) != 1 || !strings.Contains(faults[0].Error(), "server c: it has neither") {
		t.Errorf("faults %v", faults)
	}
	a, b := set.Servers[0], set.Servers[1]
	if !a.Disabled || a.Command != "x" || a.Env["K"] != "v" || a.Override != project || a.File != user || a.ExposureOf("get_x") != extension.ExposeHidden {
		t.Errorf("a is %+v", a)
	}
	if b.URL != "http://y/" || b.Command != "" || b.File != project {
		t.Errorf("b is %+v", b)
	}
}

func TestExposureOfATool(t *testing.T) {
	s := mcp.Server{Exposure: extension.ExposeDirect, ToolExposure: map[string]extension.Exposure{
		"*": extension.ExposeHidden, "get_*": extension.ExposeDeferred, "get_it": extension.ExposeDirect,
	}}
	for tool, want := range map[string]extension.Exposure{"put": extension.ExposeHidden, "get_x": extension.ExposeDeferred, "get_it": extension.ExposeDirect} {
		if got := s.ExposureOf(tool); got != want {
			t.Errorf("%s: %s, want %s", tool, got, want)
		}
	}
}

func TestChangesKeepTheRestOfTheFile(t *testing.T) {
	file := write(t, "mcp.json", "{\n  \"mine\": 1,\n  \"mcpServers\": {\n    \"a\": {\"command\": \"x\", \"odd\": true}\n  }\n}\n")
	ctx := context.Background()
	if err := mcp.ChangeField(ctx, file, "a", "enabled", false); err != nil {
		t.Fatal(err)
	}
	if err := mcp.Change(ctx, file, "b", map[string]any{"url": "http://y"}); err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{`"mine": 1`, `"odd": true`, `"enabled"`, `"http://y"`} {
		if !strings.Contains(string(text), want) {
			t.Errorf("%s is not in\n%s", want, text)
		}
	}
	if err := mcp.Change(ctx, file, "a", nil); err != nil {
		t.Fatal(err)
	}
	if text, _ = os.ReadFile(file); strings.Contains(string(text), `"odd"`) || !strings.Contains(string(text), `"mine": 1`) {
		t.Errorf("after removal:\n%s", text)
	}
}
