package testrun

import (
	"encoding/json"
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/pi-go/pi/internal/tools/workspace"
)

// event is a line of go test -json (see "go doc test2json" and, for the build
// actions, "go help buildjson").
type event struct {
	Action      string
	Package     string
	Test        string
	Elapsed     float64
	Output      string
	FailedBuild string
	ImportPath  string
}

// record collects the events of one go test run. It is used by one goroutine.
type record struct {
	w        *workspace.Workspace
	order    []string // packages in order of their end
	packages map[string]*packageRecord
	builds   map[string][]string // output of the compiler and of vet by import path
}

// packageRecord is what is known of one package.
type packageRecord struct {
	lines   []outputLine
	results map[string]string // test -> pass, fail or skip; "" while it runs
	tests   []string          // in order of start
	result  string            // of the package: pass, fail, or skip (no test files)
	elapsed float64
	reasons map[string]string // skipped test -> reason
}

type outputLine struct{ test, text string }

func newRecord(w *workspace.Workspace) *record {
	return &record{w: w, packages: map[string]*packageRecord{}, builds: map[string][]string{}}
}

// line takes one line of output and prints what should be seen at once.
func (r *record) line(line []byte, out io.Writer) {
	var e event
	if err := json.Unmarshal(line, &e); err != nil || e.Action == "" {
		fmt.Fprintf(out, "%s", line)
		return
	}
	switch e.Action {
	case "build-output":
		r.builds[e.ImportPath] = append(r.builds[e.ImportPath], e.Output)
		return
	case "build-fail":
		return
	}
	p := r.packages[e.Package]
	if p == nil {
		p = &packageRecord{results: map[string]string{}, reasons: map[string]string{}}
		r.packages[e.Package] = p
	}
	switch e.Action {
	case "run":
		p.results[e.Test] = ""
		p.tests = append(p.tests, e.Test)
	case "output":
		p.lines = append(p.lines, outputLine{e.Test, e.Output})
	case "pass", "fail", "skip":
		if e.Test != "" {
			p.finish(e)
			return
		}
		p.result, p.elapsed = e.Action, e.Elapsed
		r.order = append(r.order, e.Package)
		r.printPackage(e, p, out)
		p.lines = nil
	}
}

func (p *packageRecord) finish(e event) {
	p.results[e.Test] = e.Action
	switch e.Action {
	case "skip":
		p.reasons[e.Test] = p.reason(e.Test)
	case "pass":
		// What a passing test wrote is of no interest and may be much.
		kept := p.lines[:0]
		for _, l := range p.lines {
			if l.test != e.Test {
				kept = append(kept, l)
			}
		}
		p.lines = kept
	}
}

// reason is what a skipped test said, without the file position in front.
func (p *packageRecord) reason(test string) string {
	var said []string
	for _, l := range p.lines {
		text := strings.TrimSpace(l.text)
		if l.test != test || text == "" || strings.HasPrefix(text, "=== ") || strings.HasPrefix(text, "--- SKIP") {
			continue
		}
		if text = withoutPosition(text); text != "" {
			said = append(said, text)
		}
	}
	if len(said) == 0 {
		return "no reason given"
	}
	return strings.Join(said, " ")
}

// withoutPosition cuts "file.go:12: " off the front of what a test logged.
func withoutPosition(text string) string {
	file, rest, ok := strings.Cut(text, ".go:")
	line, message, ok2 := strings.Cut(rest, ":")
	if _, err := strconv.Atoi(line); !ok || !ok2 || err != nil || strings.ContainsAny(file, " \t") {
		return text
	}
	return strings.TrimSpace(message)
}

func (r *record) printPackage(e event, p *packageRecord, out io.Writer) {
	if p.result == "fail" {
		r.printFailure(e, p, out)
	}
	closing := p.closingLine()
	if closing == "" {
		// A package that does not build has no line of its own in some versions.
		closing = fmt.Sprintf("FAIL\t%s\t[build failed]", e.Package)
	}
	if n := len(p.tests); n > 0 {
		closing += fmt.Sprintf("\t%d tests", n)
	}
	fmt.Fprintln(out, closing)
}

// closingLine is the line of go test about the whole package.
func (p *packageRecord) closingLine() string {
	for i := len(p.lines) - 1; i >= 0; i-- {
		l := p.lines[i]
		if l.test != "" {
			continue
		}
		for _, prefix := range []string{"ok  \t", "FAIL\t", "?   \t", "---\t"} {
			if strings.HasPrefix(l.text, prefix) {
				return strings.TrimRight(l.text, "\n")
			}
		}
		if rest, ok := strings.CutPrefix(l.text, "\t"); ok { // a package without tests, with coverage
			return "?   \t" + strings.TrimRight(rest, "\n")
		}
	}
	return ""
}

func (r *record) printFailure(e event, p *packageRecord, out io.Writer) {
	if e.FailedBuild != "" {
		for _, text := range r.builds[e.FailedBuild] {
			fmt.Fprint(out, text)
		}
	}
	closing := p.closingLine()
	for _, l := range p.lines {
		result, isTest := p.results[l.test]
		trimmed := strings.TrimRight(l.text, "\n")
		switch {
		case strings.HasPrefix(trimmed, "=== "), trimmed == "PASS", trimmed == "FAIL", trimmed == closing:
		case !isTest, result == "fail", result == "": // of the package, failed, or cut off in the middle
			fmt.Fprint(out, l.text)
		}
	}
}

// failures counts failed packages and tests that never ended.
func (r *record) failures() int {
	n := 0
	for _, p := range r.packages {
		if p.result != "pass" && p.result != "skip" {
			n++
		}
	}
	return n
}
