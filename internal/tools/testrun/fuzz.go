package testrun

import (
	"context"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"strings"

	"github.com/pi-go/pi/internal/tools/workspace"
)

// shrink is how many tries the engine has to make an input shorter that reached new code.
// Its own default is a minute, in which it looks at nothing else: of ten seconds of
// fuzzing a second would be left. A crasher is made shorter with go test -fuzz.
const shrink = "100x"

// fuzzTest is one FuzzXxx function.
type fuzzTest struct{ pkg, name string }

// Fuzz runs every fuzz test for the given time (a go test -fuzztime value), one
// after the other, and reports whether none found anything. A crasher stays
// under testdata/fuzz of its package, to be fixed and committed.
func Fuzz(ctx context.Context, w *workspace.Workspace, o Options, each string) (bool, error) {
	tests, err := findFuzzTests(w, o.Patterns)
	if err != nil {
		return false, err
	}
	env, err := environment(ctx, w.Root)
	if err != nil {
		return false, fmt.Errorf("prepare fuzzing: %w", err)
	}
	var failed []string
	for _, t := range tests {
		cmd := exec.CommandContext(ctx, "go", append([]string{"test", "-run=^$", "-fuzz=^" + t.name + "$", "-fuzztime=" + each, "-fuzzminimizetime=" + shrink}, append(o.Args, "./"+t.pkg)...)...)
		cmd.Dir = w.Root
		cmd.Env = env
		cmd.Cancel = func() error { return cmd.Process.Signal(os.Interrupt) }
		output, err := cmd.CombinedOutput()
		if ctx.Err() != nil {
			return false, fmt.Errorf("fuzz %s: %w", t.pkg, context.Cause(ctx))
		}
		if err != nil && !outOfTime(string(output)) {
			failed = append(failed, t.pkg+" "+t.name)
			fmt.Fprintf(o.Out, "--- FAIL: %s\n%s\n", t.name, strings.TrimSpace(string(output)))
			continue
		}
		fmt.Fprintf(o.Out, "ok  \t%s/%s\t%s\t%s\n", w.Prefix, t.pkg, t.name, lastProgress(string(output)))
	}
	fmt.Fprintf(o.Out, "\n%d fuzz tests ran for %s each, %d failed\n", len(tests), each, len(failed))
	for _, name := range failed {
		fmt.Fprintf(o.Out, "  %s\n", name)
	}
	return len(failed) == 0, nil
}

// outOfTime reports whether a fuzz test failed for no other reason than that its time
// was over. The engine takes its own end for a failure now and then, on a busy machine
// (golang/go#75804); nothing was found then and no input is written.
func outOfTime(output string) bool {
	_, report, failed := strings.Cut(output, "--- FAIL: ")
	_, report, _ = strings.Cut(report, "\n")
	reason, _, _ := strings.Cut(report, "\n")
	return failed && strings.TrimSpace(reason) == "context deadline exceeded" && !strings.Contains(output, "Failing input written")
}

// lastProgress returns the last counters that the fuzzing engine printed.
func lastProgress(output string) string {
	last := ""
	for line := range strings.Lines(output) {
		if _, counters, ok := strings.Cut(line, ", execs: "); ok && strings.HasPrefix(line, "fuzz: ") {
			last = "execs: " + strings.TrimSpace(counters)
		}
	}
	return last
}

func findFuzzTests(w *workspace.Workspace, patterns []string) ([]fuzzTest, error) {
	files, err := w.GoFiles()
	if err != nil {
		return nil, err
	}
	var found []fuzzTest
	for _, f := range files {
		if !f.Test || !selected(patterns, f.Package) {
			continue
		}
		parsed, err := parser.ParseFile(token.NewFileSet(), filepath.Join(w.Root, filepath.FromSlash(f.Path)), nil, parser.SkipObjectResolution)
		if err != nil {
			return nil, fmt.Errorf("look for fuzz tests in %s: %w", f.Path, err)
		}
		for _, d := range parsed.Decls {
			if fn, ok := d.(*ast.FuncDecl); ok && fn.Recv == nil && strings.HasPrefix(fn.Name.Name, "Fuzz") {
				found = append(found, fuzzTest{f.Package, fn.Name.Name})
			}
		}
	}
	return found, nil
}

// selected reports whether one of the patterns ("./ai/...", "./ai") names pkg.
func selected(patterns []string, pkg string) bool {
	for _, p := range patterns {
		base, tree := strings.CutSuffix(path.Clean(p), "...")
		base = strings.TrimSuffix(base, "/")
		if pkg == base || tree && (base == "." || base == "" || strings.HasPrefix(pkg, base+"/")) {
			return true
		}
	}
	return len(patterns) == 0
}
