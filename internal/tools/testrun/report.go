package testrun

import (
	"fmt"
	"io"
	"maps"
	"slices"
	"time"

	"github.com/pi-go/pi/internal/tools/workspace"
)

// tally counts what ran in a module or in all of them. Subtests, examples and
// the seeds of fuzz tests count as tests.
type tally struct {
	packages, untested, broken int
	passed, failed, skipped    int
	seconds                    float64
}

func (t *tally) add(p *packageRecord) {
	t.packages++
	t.seconds += p.elapsed
	if p.result == "skip" {
		t.untested++
	}
	failed := 0
	for _, result := range p.results {
		switch result {
		case "pass":
			t.passed++
		case "skip":
			t.skipped++
		default: // failed, or never ended
			failed++
		}
	}
	t.failed += failed
	if p.result != "pass" && p.result != "skip" && failed == 0 {
		t.broken++ // does not build, or its process ended badly outside of a test
	}
}

// report prints the summary. The last two lines are those of go test for one
// package, so that what reads go test understands them.
func (r *record) report(out io.Writer, race Race, took time.Duration, failed bool) {
	byModule := map[string]*tally{}
	var total tally
	for name, p := range r.packages {
		dir := r.moduleDir(name)
		if byModule[dir] == nil {
			byModule[dir] = &tally{}
		}
		byModule[dir].add(p)
		total.add(p)
	}

	fmt.Fprintln(out, "\nWhat ran (subtests, examples and fuzz seeds count as tests):")
	fmt.Fprintf(out, "  %-16s %8s %13s %8s %8s %8s %8s\n", "module", "packages", "without tests", "passed", "failed", "skipped", "seconds")
	row := func(name string, t *tally) {
		fmt.Fprintf(out, "  %-16s %8d %13d %8d %8d %8d %8.1f\n", name, t.packages, t.untested, t.passed, t.failed, t.skipped, t.seconds)
	}
	for _, m := range append(r.w.Modules, workspace.Module{}) {
		if t := byModule[m.Dir]; t != nil {
			row(orElse(m.Dir, "(other)"), t)
		}
	}
	row("total", &total)

	if race.On {
		fmt.Fprintf(out, "race detector: on (%s)\n", race.Reason)
	} else {
		fmt.Fprintf(out, "race detector: off: %s\n", race.Reason)
	}
	r.list(out, "skipped:", "skip", func(p *packageRecord, test string) string { return ": " + p.reasons[test] })
	r.list(out, "failed:", "fail", func(*packageRecord, string) string { return "" })
	r.listBroken(out)

	verdict, prefix := "PASS", "ok  "
	if failed {
		verdict, prefix = "FAIL", "FAIL"
	}
	broken := ""
	if total.broken > 0 {
		broken = fmt.Sprintf(", %d packages broken", total.broken)
	}
	fmt.Fprintf(out, "%s\n%s\t%s\t%.3fs\t%d passed, %d failed%s, %d skipped in %d packages\n",
		verdict, prefix, r.w.Prefix, took.Seconds(), total.passed, total.failed, broken, total.skipped, total.packages)
}

func (r *record) moduleDir(pkg string) string {
	rel, _ := r.w.Rel(pkg)
	m, _ := r.w.Owner(rel)
	return m.Dir
}

// list names the tests with one result, parents of a listed subtest included.
func (r *record) list(out io.Writer, title, result string, tail func(*packageRecord, string) string) {
	for _, name := range r.order {
		p := r.packages[name]
		for _, test := range p.tests {
			if got := orElse(p.results[test], "fail"); got != result {
				continue
			}
			if title != "" {
				fmt.Fprintln(out, title)
				title = ""
			}
			fmt.Fprintf(out, "  %s %s%s\n", name, test, tail(p, test))
		}
	}
}

// listBroken names the packages that failed without a failed test, and those
// that go test did not finish.
func (r *record) listBroken(out io.Writer) {
	for _, name := range slices.Sorted(maps.Keys(r.packages)) {
		var t tally
		t.add(r.packages[name])
		if t.broken > 0 {
			fmt.Fprintf(out, "broken: %s does not build or its test process ended badly\n", name)
		}
	}
}

func orElse(s, otherwise string) string {
	if s == "" {
		return otherwise
	}
	return s
}
