package catalog_test

import (
	"encoding/json"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/pi-go/pi/ai/catalog/internal/facts"
)

// folder copies facts into a folder of the test's own; none named means all.
func folder(t *testing.T, providers ...string) string {
	t.Helper()
	dir := t.TempDir()
	paths, err := filepath.Glob("facts/*.json")
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range paths {
		name := strings.TrimSuffix(filepath.Base(p), ".json")
		if len(providers) > 0 && !slices.Contains(providers, name) {
			continue
		}
		data, err := os.ReadFile(p)
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, name+".json"), data, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

func contents(t *testing.T, dir string) map[string]string {
	t.Helper()
	files := make(map[string]string)
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		data, err := os.ReadFile(filepath.Join(dir, e.Name()))
		if err != nil {
			t.Fatal(err)
		}
		files[e.Name()] = string(data)
	}
	return files
}

// A list that says what the facts say changes no byte of any of them.
func TestImportOfWhatIsKnown(t *testing.T) {
	t.Parallel()
	dir := folder(t)
	files, err := facts.LoadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	list := make(map[string]any)
	for _, f := range files {
		models := make(map[string]any)
		for _, e := range f.Models {
			if e.Kind != "" {
				continue
			}
			input := e.Input
			if input == nil {
				input = []string{"text"}
			}
			models[e.ID] = map[string]any{
				"id": e.ID, "name": "another name", "reasoning": e.Reasoning, "tool_call": true, "modalities": map[string]any{"input": append(input, "pdf"), "output": []string{"text"}},
				"limit": map[string]any{"context": e.ContextWindow, "output": e.MaxTokens},
				"cost":  map[string]any{"input": e.Cost.Input, "output": e.Cost.Output, "cache_read": e.Cost.CacheRead, "cache_write": e.Cost.CacheWrite},
			}
		}
		list[f.Provider] = map[string]any{"id": f.Provider, "models": models}
	}
	data, err := json.Marshal(list)
	if err != nil {
		t.Fatal(err)
	}
	before := contents(t, dir)
	notes, err := facts.Import(dir, data, facts.ImportOptions{Prune: true})
	if err != nil || len(notes) > 0 {
		t.Errorf("%v, %v", notes, err)
	}
	if diff := cmp.Diff(before, contents(t, dir)); diff != "" {
		t.Errorf("(-before +after)\n%s", diff)
	}
}

const news = `{
	"xai": {"id": "xai", "env": ["XAI_API_KEY"], "models": {
		"grok-4.3": {"id": "grok-4.3", "name": "X", "reasoning": true, "tool_call": true, "modalities": {"input": ["text", "image", "video"], "output": ["text"]},
			"limit": {"context": 2000000, "output": 30000}, "cost": {"input": 1.5, "output": 2.5, "cache_read": 0.2, "context_over_200k": {"input": 3, "output": 5}}},
		"grok-5 mini": {"id": "grok-5 mini", "name": "Grok 5\nMini", "tool_call": true, "limit": {"context": 100, "output": 10}, "cost": {"input": 0.1, "output": 0}},
		"grok-5": {"id": "grok-5", "name": "grok-5", "reasoning": true, "tool_call": true, "modalities": {"input": ["image", "text"]}, "limit": {"context": 100, "output": 10}},
		"grok-paint": {"id": "grok-paint", "tool_call": false, "limit": {"context": 100, "output": 10}},
		"grok-old": {"id": "grok-old", "tool_call": true, "status": "deprecated", "limit": {"context": 100, "output": 10}},
		"grok-vague": {"id": "grok-vague", "tool_call": true}}},
	"nobody": {"models": {"m": {}}}}`

func TestImport(t *testing.T) {
	t.Parallel()
	dir := folder(t, "xai", "groq")
	before, err := facts.LoadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	was := contents(t, dir)
	notes, err := facts.Import(dir, []byte(news), facts.ImportOptions{})
	if err != nil {
		t.Fatal(err)
	}
	after, err := facts.LoadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	diff := facts.Diff(before, after)
	wantDiff := `changed  xai/grok-4.3: window 1000000 -> 2000000
changed  xai/grok-4.3: price 1.25/2.5/0.2/0 above 200000: 2.5/5/0.4/0 -> 1.5/2.5/0.2/0 above 200000: 3/5/0/0
new      xai/grok-5 (window 100, cap 10, 0/0/0/0)
new      xai/grok-5 mini (window 100, cap 10, 0.1/0/0/0)
`
	if d := cmp.Diff(wantDiff, diff); d != "" {
		t.Errorf("report (-want +got)\n%s", d)
	}
	wantNotes := []string{
		"not listed  xai/grok-4.5: kept", "not listed  xai/grok-4.7: kept",
		"left out    xai/grok-old: it is deprecated", "left out    xai/grok-paint: it calls no tools", "left out    xai/grok-vague: its window or cap is not known",
	}
	for _, w := range wantNotes {
		if !slices.Contains(notes, w) {
			t.Errorf("%q is missing in %q", w, notes)
		}
	}
	now := contents(t, dir)
	if now["groq.json"] != was["groq.json"] {
		t.Error("a provider that the list does not have was changed")
	}
	for line := range strings.Lines(was["xai.json"]) {
		if !strings.Contains(line, `"grok-4.3"`) && !strings.Contains(now["xai.json"], strings.TrimRight(line, ",\n")) {
			t.Errorf("a line that nothing was said about is gone: %s", line)
		}
	}
	for _, w := range []string{
		`{"id":"grok-5","reasoning":true,"input":["text","image"],"contextWindow":100,"maxTokens":10},` + "\n" + `{"id":"grok-5 mini","name":"Grok 5 Mini","contextWindow":100,"maxTokens":10,"cost":{"input":0.1}}`,
		`"name":"Grok 4.3"`, `"thinkingLevels":{"off":"none"`,
	} {
		if !strings.Contains(now["xai.json"], w) {
			t.Errorf("%s is missing in\n%s", w, now["xai.json"])
		}
	}
	// Once more, and in another order, it changes nothing.
	var list map[string]any
	if err := json.Unmarshal([]byte(news), &list); err != nil {
		t.Fatal(err)
	}
	again, err := json.MarshalIndent(list, "", " ")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := facts.Import(dir, again, facts.ImportOptions{}); err != nil || !maps.Equal(contents(t, dir), now) {
		t.Errorf("the same list changes more: %v", err)
	}
	if _, err := facts.Import(dir, []byte(news), facts.ImportOptions{Prune: true}); err != nil || strings.Contains(contents(t, dir)["xai.json"], "grok-4.5") {
		t.Errorf("what is not listed was not removed: %v", err)
	}
}

// A list that is none, or one that would break the facts, changes nothing.
func TestImportRefuses(t *testing.T) {
	t.Parallel()
	for list, want := range map[string]string{
		`[]`:            "read the list of models",
		`{"models":{}}`: "names none of the 2 providers",
		`{"xai":{"models":{"a\tb":{"tool_call":true,"limit":{"context":1,"output":1}}}},"groq":{"models":{"good":{"tool_call":true,"limit":{"context":1,"output":1}}}}}`: "control characters",
		`{"xai":{"models":{"a":{"tool_call":true,"limit":{"context":1,"output":1},"cost":{"input":-1}}}}}`:                                                               "negative price",
	} {
		dir := folder(t, "xai", "groq")
		was := contents(t, dir)
		if _, err := facts.Import(dir, []byte(list), facts.ImportOptions{}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", list, err, want)
		}
		if diff := cmp.Diff(was, contents(t, dir)); diff != "" {
			t.Errorf("%s: (-before +after)\n%s", list, diff)
		}
	}
}

// The generator as it is run: an import writes facts, day, data and source, the same
// ones each time, and says what changed.
func TestGeneratorImports(t *testing.T) {
	if testing.Short() {
		t.Skip("builds the generator")
	}
	t.Parallel()
	bin := filepath.Join(t.TempDir(), "gen")
	if out, err := exec.CommandContext(t.Context(), "go", "build", "-o", bin, "./internal/gen").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	run := func() (string, map[string]string) {
		dir := t.TempDir()
		if err := os.Rename(folder(t, "xai", "groq"), filepath.Join(dir, "facts")); err != nil {
			t.Fatal(err)
		}
		if err := os.Mkdir(filepath.Join(dir, "data"), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, "list.json"), []byte(news), 0o600); err != nil {
			t.Fatal(err)
		}
		cmd := exec.CommandContext(t.Context(), bin, "-import", "list.json", "-date", "2026-11-30")
		cmd.Dir = dir
		out, err := cmd.CombinedOutput()
		if err != nil {
			t.Fatalf("%v\n%s", err, out)
		}
		files := contents(t, filepath.Join(dir, "facts"))
		maps.Copy(files, contents(t, filepath.Join(dir, "data")))
		source, err := os.ReadFile(filepath.Join(dir, "providers.go"))
		if err != nil {
			t.Fatal(err)
		}
		files["providers.go"] = string(source)
		return string(out), files
	}
	out, files := run()
	if !strings.Contains(out, "new      xai/grok-5 ") || files["SOURCE"] != "2026-11-30\n" || !strings.Contains(files["providers.go"], `SourceDate = "2026-11-30"`) || !strings.Contains(files["xai.txt"], "grok-5") {
		t.Errorf("%s\n%v", out, slices.Collect(maps.Keys(files)))
	}
	if again, same := run(); again != out || !maps.Equal(files, same) {
		t.Error("the same list gave something else")
	}
}
