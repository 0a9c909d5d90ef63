// Package initcost measures what the initialisation of packages costs a program
// before its main function runs, and holds it against a budget. A dependency
// can not be initialised lazily, only left out, so each is watched.
//
//	m, err := initcost.Measure(ctx, "bin/pi", []string{"--version"}, 11)
//	for _, p := range m.Over() { ... }
//
// The figures are those of the runtime itself (GODEBUG=inittrace=1).
package initcost

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"slices"
	"strconv"
	"strings"
	"time"
)

// Package is what the initialisation of one package costs.
type Package struct {
	// Path is its import path.
	Path string
	// Time is the median of all runs.
	Time time.Duration
	// Bytes and Allocs are what it allocates.
	Bytes, Allocs int64
}

// Measurement sums up several runs of one program.
type Measurement struct {
	// Runs is their number.
	Runs int
	// Total is the median of the sums over all packages.
	Total time.Duration
	// Bytes is what all packages allocate.
	Bytes int64
	// Packages are in order of time, most expensive first.
	Packages []Package
}

// Measure runs the program with the arguments, which should make it end at once,
// and reads what it says about its initialisation. The program sees an empty
// home directory.
func Measure(ctx context.Context, program string, args []string, runs int) (Measurement, error) {
	home, err := os.MkdirTemp("", "initcost-")
	if err != nil {
		return Measurement{}, fmt.Errorf("measure initialisation: %w", err)
	}
	defer os.RemoveAll(home)
	var all [][]Package
	for range runs {
		cmd := exec.CommandContext(ctx, program, args...)
		cmd.Env = append(os.Environ(), "GODEBUG=inittrace=1", "HOME="+home)
		var stderr bytes.Buffer
		cmd.Stderr = &stderr
		if err := cmd.Run(); err != nil {
			return Measurement{}, fmt.Errorf("run %s %s: %w", program, strings.Join(args, " "), err)
		}
		packages, err := parse(&stderr)
		if err != nil {
			return Measurement{}, fmt.Errorf("read the trace of %s: %w", program, err)
		}
		all = append(all, packages)
	}
	return summarize(all), nil
}

// parse reads lines of the form
//
//	init net/http @0.61 ms, 0.031 ms clock, 18456 bytes, 121 allocs
//
// and skips all others.
func parse(r io.Reader) ([]Package, error) {
	var packages []Package
	lines := bufio.NewScanner(r)
	for lines.Scan() {
		f := strings.Fields(lines.Text())
		if len(f) != 11 || f[0] != "init" || f[6] != "clock," {
			continue
		}
		ms, err := strconv.ParseFloat(f[4], 64)
		if err != nil {
			return nil, fmt.Errorf("%q: %w", lines.Text(), err)
		}
		size, err := strconv.ParseInt(f[7], 10, 64)
		if err != nil {
			return nil, fmt.Errorf("%q: %w", lines.Text(), err)
		}
		allocs, err := strconv.ParseInt(f[9], 10, 64)
		if err != nil {
			return nil, fmt.Errorf("%q: %w", lines.Text(), err)
		}
		packages = append(packages, Package{Path: f[1], Time: time.Duration(ms * float64(time.Millisecond)), Bytes: size, Allocs: allocs})
	}
	return packages, lines.Err()
}

func summarize(runs [][]Package) Measurement {
	m := Measurement{Runs: len(runs)}
	var totals []time.Duration
	times := map[string][]time.Duration{}
	sizes := map[string]Package{}
	for _, run := range runs {
		var total time.Duration
		for _, p := range run {
			total += p.Time
			times[p.Path] = append(times[p.Path], p.Time)
			if old, seen := sizes[p.Path]; !seen || p.Bytes < old.Bytes {
				sizes[p.Path] = p
			}
		}
		totals = append(totals, total)
	}
	m.Total = median(totals)
	for path, p := range sizes {
		p.Time = median(times[path])
		m.Bytes += p.Bytes
		m.Packages = append(m.Packages, p)
	}
	slices.SortFunc(m.Packages, func(a, b Package) int {
		return cmp.Or(cmp.Compare(b.Time, a.Time), cmp.Compare(b.Bytes, a.Bytes), strings.Compare(a.Path, b.Path))
	})
	return m
}

func median(values []time.Duration) time.Duration {
	if len(values) == 0 {
		return 0
	}
	sorted := slices.Sorted(slices.Values(values))
	return sorted[len(sorted)/2]
}

// Judge measures a program and gives what is over the budget. Times over it are
// measured once more, with more runs, before they count.
func Judge(ctx context.Context, program string, args []string, runs int) (Measurement, []Excess, error) {
	m, err := Measure(ctx, program, args, runs)
	if err != nil {
		return Measurement{}, nil, err
	}
	over := m.Over()
	if slices.ContainsFunc(over, func(e Excess) bool { return e.Timed }) {
		again, err := Measure(ctx, program, args, 3*runs)
		if err != nil {
			return Measurement{}, nil, err
		}
		if again.Total < m.Total {
			m = again
		}
		over = m.Over()
	}
	return m, over, nil
}

// Excess is one figure over its budget.
type Excess struct {
	// What names the figure and its budget.
	What string
	// Timed says that the figure is a time, which another measurement on a
	// quieter machine may put right.
	Timed bool
}

// Over returns what exceeds the budget.
func (m Measurement) Over() []Excess {
	var over []Excess
	if m.Total > maxTotal {
		over = append(over, Excess{fmt.Sprintf("all packages together take %v, more than %v", m.Total, maxTotal), true})
	}
	for _, p := range m.Packages {
		if isAllowed(p.Path) {
			continue
		}
		if p.Bytes > maxBytes {
			over = append(over, Excess{fmt.Sprintf("%s allocates %d KiB, more than %d KiB", p.Path, p.Bytes>>10, maxBytes>>10), false})
		}
		if p.Time > maxTime {
			over = append(over, Excess{fmt.Sprintf("%s takes %v, more than %v", p.Path, p.Time, maxTime), true})
		}
	}
	return over
}

func isAllowed(path string) bool {
	for pattern := range allowed {
		base, tree := strings.CutSuffix(pattern, "/...")
		if path == base || tree && strings.HasPrefix(path, base+"/") {
			return true
		}
	}
	return false
}

// Print writes the sum and the most expensive packages as a table.
func (m Measurement) Print(out io.Writer, top int) {
	fmt.Fprintf(out, "package initialisation: %.2f ms, %d KiB in %d packages (median of %d runs)\n",
		milliseconds(m.Total), m.Bytes>>10, len(m.Packages), m.Runs)
	for _, p := range m.Packages[:min(top, len(m.Packages))] {
		fmt.Fprintf(out, "  %7.3f ms %6d KiB  %s\n", milliseconds(p.Time), p.Bytes>>10, p.Path)
	}
}

func milliseconds(d time.Duration) float64 { return float64(d) / float64(time.Millisecond) }
