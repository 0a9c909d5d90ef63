package bench

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
)

// Program is a program to measure: one that takes the options of pi.
type Program struct {
	// Name is what tables call it.
	Name string
	// Argv is how to start it: a file and arguments that come before all others.
	Argv []string
}

// Reference finds the reference implementation: the command line in the
// variable PI_REFERENCE (words are separated by spaces), else what
// scripts/interop installed below root. It gives false when there is none.
func Reference(root string, lookup func(string) (string, bool)) (Program, bool, error) {
	const name = "reference"
	if line, _ := lookup("PI_REFERENCE"); strings.TrimSpace(line) != "" {
		return Program{Name: name, Argv: strings.Fields(line)}, true, nil
	}
	modules := filepath.Join(root, ".cache", "interop", "node_modules")
	home := filepath.Join(modules, "@earendil-works", "pi-coding-agent")
	data, err := os.ReadFile(filepath.Join(home, "package.json"))
	if errors.Is(err, fs.ErrNotExist) {
		return Program{}, false, nil
	}
	var manifest struct {
		Bin map[string]string `json:"bin"`
	}
	if err == nil {
		err = json.Unmarshal(data, &manifest)
	}
	if err != nil {
		return Program{}, false, fmt.Errorf("find the reference below .cache/interop: %w; remove that folder and run make interop again", err)
	}
	script, ok := manifest.Bin["pi"]
	if !ok {
		return Program{}, false, fmt.Errorf("find the reference: %s names no command pi", filepath.Join(home, "package.json"))
	}
	return Program{Name: name, Argv: []string{filepath.Join(modules, "node", "bin", "node"), filepath.Join(home, script)}}, true, nil
}

// subject is a program with a home and a working directory of its own.
type subject struct {
	Program
	env []string
	dir string
}

// readFile is the file in the working directory that models ask to read.
const readFile = "bench.txt"

// prepare makes a subject below scratch that knows the model server as the
// providers mock (openai-completions) and mocka (anthropic-messages).
func prepare(p Program, scratch, url string) (*subject, error) {
	argv := slices.Clone(p.Argv)
	if len(argv) == 0 {
		return nil, fmt.Errorf("prepare %s: there is no command", p.Name)
	}
	file, err := exec.LookPath(argv[0])
	if err == nil {
		file, err = filepath.Abs(file)
	}
	if err != nil {
		return nil, fmt.Errorf("prepare %s: %w", p.Name, err)
	}
	argv[0] = file
	// The program runs in another directory than its script is named from.
	for i, a := range argv[1:] {
		if _, err := os.Stat(a); err == nil {
			if argv[i+1], err = filepath.Abs(a); err != nil {
				return nil, fmt.Errorf("prepare %s: %w", p.Name, err)
			}
		}
	}
	s := &subject{Program: Program{p.Name, argv}, dir: filepath.Join(scratch, "work-"+p.Name)}
	home := filepath.Join(scratch, "home-"+p.Name)
	agent := filepath.Join(home, ".pi", "agent")
	for _, d := range []string{agent, s.dir} {
		if err := os.MkdirAll(d, 0o700); err != nil {
			return nil, fmt.Errorf("prepare %s: %w", p.Name, err)
		}
	}
	files := map[string]any{
		"models.json": map[string]any{"providers": map[string]any{
			"mock":  provider(url+"/v1", "openai-completions"),
			"mocka": provider(url, "anthropic-messages"),
		}},
		"settings.json": map[string]any{
			"defaultProvider": "mock", "defaultModel": "text-50", "compaction": map[string]any{"enabled": false},
		},
	}
	for name, value := range files {
		data, err := json.Marshal(value)
		if err == nil {
			err = os.WriteFile(filepath.Join(agent, name), data, 0o600)
		}
		if err != nil {
			return nil, fmt.Errorf("prepare %s: %w", p.Name, err)
		}
	}
	var text strings.Builder
	for i := range 40 {
		fmt.Fprintf(&text, "line %d: some text that a tool reads\n", i)
	}
	if err := os.WriteFile(filepath.Join(s.dir, readFile), []byte(text.String()), 0o600); err != nil {
		return nil, fmt.Errorf("prepare %s: %w", p.Name, err)
	}
	s.env = environment(home, scratch)
	return s, nil
}

func provider(url, api string) map[string]any {
	var models []map[string]any
	for _, id := range modelIDs() {
		models = append(models, map[string]any{"id": id, "contextWindow": 100_000_000, "maxTokens": 100_000})
	}
	return map[string]any{"baseUrl": url, "api": api, "apiKey": "x", "models": models}
}

// environment is what the programs see: nothing of the user's, and nothing that
// would make a program look for updates or report home.
func environment(home, scratch string) []string {
	env := []string{
		"HOME=" + home, "USERPROFILE=" + home, "TMPDIR=" + scratch, "TEMP=" + scratch, "TERM=dumb", "NO_PROXY=127.0.0.1",
		"PI_OFFLINE=1", "PI_TELEMETRY=0", "PI_SKIP_VERSION_CHECK=1",
	}
	for _, name := range []string{"PATH", "LANG", "LC_ALL", "SYSTEMROOT", "GOMAXPROCS", "GOGC", "GOMEMLIMIT"} {
		if v, ok := os.LookupEnv(name); ok {
			env = append(env, name+"="+v)
		}
	}
	return env
}
