package bench

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"time"
)

// Terminal is the name of the scenarios that draw on a terminal: package tui
// beside other libraries that do the same work. They are no whole processes;
// each library has a program that measures itself and prints its figures in the
// form of a Go benchmark.
const Terminal = "terminal"

// TerminalAbout says what they do.
const TerminalAbout = "120x40, transcript of 5,000 lines, whole program with an editor, nothing drawn behind it"

// Budgets of a frame, those of docs/performance.md.
const (
	frameBudget  = 50e-6
	tokenBytes   = 40
	lineBytes    = 300
	frameAllocs  = 20
	resizeBudget = 50e-3
	pasteBudget  = 100e-3
	keyBudget    = 1e-3
	paintBudget  = 50e-3
)

// terminalFigures are the rows of the table.
func terminalFigures() []struct {
	Figure
	bench, unit string
} {
	type row = struct {
		Figure
		bench, unit string
	}
	var rows []row
	for _, b := range []struct {
		bench, name         string
		time, bytes, allocs float64
	}{
		{"token/full", "a token, full screen", frameBudget, tokenBytes, frameAllocs},
		{"token/main", "a token, main screen", frameBudget, tokenBytes, frameAllocs},
		{"line/full", "a line, full screen", frameBudget, lineBytes, frameAllocs},
		{"line/main", "a line, main screen", frameBudget, lineBytes, frameAllocs},
		{"resize/full", "resize, full screen", resizeBudget, 0, 0},
		{"resize/main", "resize, main screen, all again", resizeBudget, 0, 0},
		{"paint/full", "first paint, full screen", paintBudget, 0, 0},
		{"paint/main", "first paint, main screen", paintBudget, 0, 0},
		{"paste", "paste of 1 MiB", pasteBudget, 0, 0},
		{"key", "a key, 2,000 lines in the editor", keyBudget, 0, 0},
	} {
		rows = append(rows, row{Figure{Name: b.name, Unit: Seconds, Budget: b.time}, b.bench, "ns/op"})
		if b.bytes > 0 {
			rows = append(rows, row{Figure{Name: "  bytes", Unit: Number, Budget: b.bytes}, b.bench, "bytes/frame"},
				row{Figure{Name: "  allocations", Unit: Number, Budget: b.allocs}, b.bench, "allocs/op"})
		}
	}
	return rows
}

// library is a library that draws on terminals.
type library struct {
	name string
	cmd  func(ctx context.Context) *exec.Cmd
}

// MeasureTerminal measures package tui, and beside it pi-tui and Bubble Tea where
// those are installed: pi-tui in the folder that PI_TUI names or where make interop
// puts it, Bubble Tea in the cache of Go modules. missing says what was left out
// and how to get it.
func MeasureTerminal(ctx context.Context, root string, lookup func(string) (string, bool), rounds int) (names []string, r Result, missing []string, err error) {
	rounds = max(min(rounds, 5), 1)
	tui, err := buildTest(ctx, root, "tui", filepath.Join(root, ".cache", "bench", "tui.test"), nil)
	if err != nil {
		return nil, r, nil, err
	}
	libraries := []library{{"tui", benchmark(tui)}}
	if node, script, dir, ok := findPiTUI(root, lookup); ok {
		libraries = append(libraries, library{"pi-tui", func(ctx context.Context) *exec.Cmd {
			cmd := exec.CommandContext(ctx, node, script)
			cmd.Env = append(os.Environ(), "PI_TUI="+dir)
			return cmd
		}})
	} else {
		missing = append(missing, "pi-tui is not installed: make interop does that, or PI_TUI names its folder")
	}
	dir := filepath.Join(root, "internal", "tools", "bench", "testdata", "terminal", "bubbletea")
	tea, err := buildTest(ctx, dir, ".", filepath.Join(root, ".cache", "bench", "bubbletea.test"), []string{"GOWORK=off", "GOPROXY=off"})
	if err == nil {
		libraries = append(libraries, library{"bubbletea", benchmark(tea)})
	} else {
		missing = append(missing, "Bubble Tea is not in the module cache: GOWORK=off go mod download in "+dir+" does that")
	}
	r = Result{Scenario: Scenario{Name: Terminal, About: TerminalAbout}, Rounds: rounds, Failures: map[string]error{}}
	samples := make([][][]Figure, len(libraries))
	for range rounds {
		for i, l := range libraries {
			if r.Failures[l.name] != nil {
				continue
			}
			figures, err := l.measure(ctx)
			if err != nil && (i == 0 || ctx.Err() != nil) {
				return nil, r, nil, fmt.Errorf("scenario %s: %w", Terminal, err)
			}
			if err != nil {
				r.Failures[l.name], samples[i] = err, nil
				continue
			}
			samples[i] = append(samples[i], figures)
		}
	}
	for _, l := range libraries {
		names = append(names, l.name)
	}
	r.Figures = summarize(samples)
	return names, r, missing, nil
}

// benchmark runs a test program for its benchmark.
func benchmark(path string) func(ctx context.Context) *exec.Cmd {
	return func(ctx context.Context) *exec.Cmd {
		return exec.CommandContext(ctx, path, "-test.run", "^$", "-test.bench", "^BenchmarkTerminal$", "-test.benchmem", "-test.benchtime", "0.3s")
	}
}

// buildTest compiles the tests of a package.
func buildTest(ctx context.Context, dir, pkg, out string, env []string) (string, error) {
	cmd := exec.CommandContext(ctx, "go", "test", "-c", "-o", out, "./"+pkg)
	cmd.Dir = dir
	cmd.Env = append(append(os.Environ(), "CGO_ENABLED=0", "GOOS=", "GOARCH="), env...)
	if output, err := cmd.CombinedOutput(); err != nil {
		return "", fmt.Errorf("build the benchmark of %s: %w\n%s", pkg, err, output)
	}
	return out, nil
}

// findPiTUI finds the library and a Node to run it.
func findPiTUI(root string, lookup func(string) (string, bool)) (node, script, dir string, ok bool) {
	dir, _ = lookup("PI_TUI")
	if dir == "" {
		dir = filepath.Join(root, ".cache", "interop", "node_modules", "@earendil-works", "pi-tui")
	}
	if _, err := os.Stat(filepath.Join(dir, "package.json")); err != nil {
		return "", "", "", false
	}
	node = filepath.Join(dir, "..", "..", "node", "bin", "node")
	if _, err := os.Stat(node); err != nil {
		if node, err = exec.LookPath("node"); err != nil {
			return "", "", "", false
		}
	}
	return node, filepath.Join(root, "internal", "tools", "bench", "testdata", "terminal", "pitui.mjs"), dir, true
}

// measure runs the program of a library once.
func (l library) measure(ctx context.Context) ([]Figure, error) {
	ctx, cancel := context.WithTimeout(ctx, 2*time.Minute)
	defer cancel()
	cmd := l.cmd(ctx)
	var out, errs bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errs
	if err := cmd.Run(); err != nil {
		return nil, fmt.Errorf("%s: %w: %s", l.name, err, strings.TrimSpace(out.String()+errs.String()))
	}
	values, err := readBenchmark(out.Bytes())
	if err != nil {
		return nil, fmt.Errorf("%s: %w", l.name, err)
	}
	return terminalRow(values), nil
}

// terminalRow puts what was printed into the order of the table; what is missing
// is not a number.
func terminalRow(values map[string]float64) []Figure {
	var figures []Figure
	for _, row := range terminalFigures() {
		f := row.Figure
		v, ok := values[row.bench+" "+row.unit]
		switch {
		case !ok:
			v = math.NaN()
		case f.Unit == Seconds:
			v /= 1e9
		}
		f.Value = v
		figures = append(figures, f)
	}
	return figures
}

// readBenchmark reads lines in the form of a Go benchmark. The keys of the result
// are the name below BenchmarkTerminal and the unit.
func readBenchmark(out []byte) (map[string]float64, error) {
	values := map[string]float64{}
	sc := bufio.NewScanner(bytes.NewReader(out))
	for sc.Scan() {
		name, ok := strings.CutPrefix(sc.Text(), "BenchmarkTerminal/")
		if !ok {
			continue
		}
		fields := strings.Fields(name)
		if len(fields) < 4 || len(fields)%2 != 0 {
			return nil, fmt.Errorf("read the benchmark: %q is no line of one", sc.Text())
		}
		name, _, _ = strings.Cut(fields[0], "-")
		for i := 2; i < len(fields); i += 2 {
			v, err := strconv.ParseFloat(fields[i], 64)
			if err != nil {
				return nil, fmt.Errorf("read the benchmark: %w", err)
			}
			values[name+" "+fields[i+1]] = v
		}
	}
	if len(values) == 0 {
		return nil, errors.New("read the benchmark: it printed no figures")
	}
	return values, nil
}
