package testrun

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/pi-go/pi/internal/tools/workspace"
)

// Cover runs the tests with coverage, without the race detector, and prints the
// share of statements covered in each module. The profile, for go tool cover,
// is left in the named file.
func Cover(ctx context.Context, w *workspace.Workspace, o Options, profile string) (bool, error) {
	if err := os.MkdirAll(filepath.Dir(profile), 0o755); err != nil {
		return false, fmt.Errorf("keep coverage: %w", err)
	}
	o.NoRace = true
	o.Args = append([]string{"-coverprofile=" + profile}, o.Args...)
	passed, err := Run(ctx, w, o)
	if err != nil {
		return false, err
	}
	file, err := os.Open(profile)
	if os.IsNotExist(err) {
		return passed, nil // nothing was built; the report says so
	}
	if err != nil {
		return false, fmt.Errorf("read coverage: %w", err)
	}
	defer file.Close()
	covered, err := readProfile(file, w)
	if err != nil {
		return false, fmt.Errorf("read coverage %s: %w", profile, err)
	}
	printCoverage(o.Out, w, covered)
	fmt.Fprintf(o.Out, "profile: %s (go tool cover -html shows it)\n", profile)
	return passed, nil
}

// statements counts the statements of a module and those that ran.
type statements struct{ total, ran int }

// readProfile sums up a coverage profile by module. Its lines are
// "path/file.go:1.2,3.4 statements count"; a block that several tests ran is
// listed more than once.
func readProfile(r io.Reader, w *workspace.Workspace) (map[string]statements, error) {
	type block struct {
		n   int
		ran bool
	}
	blocks := map[string]block{}
	lines := bufio.NewScanner(r)
	for number := 1; lines.Scan(); number++ {
		line := lines.Text()
		if strings.HasPrefix(line, "mode:") || line == "" {
			continue
		}
		fields := strings.Fields(line)
		if len(fields) != 3 {
			return nil, fmt.Errorf("line %d: %q is no coverage block", number, line)
		}
		n, err := strconv.Atoi(fields[1])
		if err != nil {
			return nil, fmt.Errorf("line %d: %w", number, err)
		}
		ran := fields[2] != "0" || blocks[fields[0]].ran
		blocks[fields[0]] = block{n, ran}
	}
	if err := lines.Err(); err != nil {
		return nil, err
	}
	sums := map[string]statements{}
	for place, b := range blocks {
		rel, _ := w.Rel(place)
		file, _, _ := strings.Cut(rel, ":")
		m, _ := w.Owner(file)
		s := sums[m.Dir]
		s.total += b.n
		if b.ran {
			s.ran += b.n
		}
		sums[m.Dir] = s
	}
	return sums, nil
}

func printCoverage(out io.Writer, w *workspace.Workspace, sums map[string]statements) {
	fmt.Fprintln(out, "\nCoverage of statements, each package by its own tests:")
	row := func(name string, s statements) {
		fmt.Fprintf(out, "  %-16s %10d %8.1f %%\n", name, s.total, 100*float64(s.ran)/float64(s.total))
	}
	fmt.Fprintf(out, "  %-16s %10s %10s\n", "module", "statements", "covered")
	var all statements
	for _, m := range w.Modules {
		s := sums[m.Dir]
		if s.total == 0 {
			continue
		}
		all.total += s.total
		all.ran += s.ran
		row(m.Dir, s)
	}
	if all.total > 0 {
		row("total", all)
	}
}
