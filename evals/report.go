package evals

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"text/tabwriter"
	"unicode"

	"github.com/pi-go/pi/ai"
)

// Outcome is what came of doing a task once.
type Outcome struct {
	Task string `json:"task"`
	// Run counts the runs of the task from 1.
	Run    int    `json:"run"`
	Model  string `json:"model"`
	Passed bool   `json:"passed"`
	// Error says why the task could not be worked on to its end; the checks
	// were not made then.
	Error  string        `json:"error,omitempty"`
	Checks []CheckResult `json:"checks"`
	// Answer is the text of the last answer.
	Answer string `json:"answer"`
	// Turns counts requests, Calls tool calls by tool.
	Turns   int               `json:"turns"`
	Calls   map[string]*Calls `json:"calls"`
	Usage   ai.Usage          `json:"usage"`
	Seconds float64           `json:"seconds"`
	// Workspace is where the files are, if they were kept.
	Workspace string `json:"workspace,omitempty"`
}

// Calls counts the calls of a tool.
type Calls struct {
	Made   int `json:"made"`
	Failed int `json:"failed"`
}

// CheckResult is what came of a check.
type CheckResult struct {
	Check  string `json:"check"`
	Passed bool   `json:"passed"`
	// Fault says what did not hold.
	Fault string `json:"fault,omitempty"`
}

func (o Outcome) passedChecks() int {
	n := 0
	for _, c := range o.Checks {
		if c.Passed {
			n++
		}
	}
	return n
}

// Report is what came of an evaluation: outcomes in the order of the tasks, and
// of the runs within a task.
type Report struct {
	Outcomes []Outcome `json:"outcomes"`
}

// Passed counts the outcomes that passed.
func (r Report) Passed() int {
	n := 0
	for _, o := range r.Outcomes {
		if o.Passed {
			n++
		}
	}
	return n
}

// row is a task in the table.
type row struct {
	task, model string
	outcomes    []Outcome
}

func (r Report) rows() []row {
	var rows []row
	for _, o := range r.Outcomes {
		at := slices.IndexFunc(rows, func(r row) bool { return r.task == o.Task })
		if at < 0 {
			rows = append(rows, row{task: o.Task, model: o.Model})
			at = len(rows) - 1
		}
		rows[at].outcomes = append(rows[at].outcomes, o)
	}
	return rows
}

// Print writes a table with a line for each task, in which figures are means
// over its runs, then what failed and the sums.
func (r Report) Print(w io.Writer) error {
	var b strings.Builder
	table := tabwriter.NewWriter(&b, 0, 0, 2, ' ', 0)
	fmt.Fprintln(table, "task\tmodel\tresult\tturns\tcalls\ttokens\tcost\ttime")
	var usage ai.Usage
	var seconds float64
	for _, row := range r.rows() {
		var turns, calls, passed int
		var own ai.Usage
		var took float64
		for _, o := range row.outcomes {
			turns += o.Turns
			for _, c := range o.Calls {
				calls += c.Made
			}
			if o.Passed {
				passed++
			}
			own = own.Add(o.Usage)
			took += o.Seconds
		}
		usage, seconds = usage.Add(own), seconds+took
		n := float64(len(row.outcomes))
		fmt.Fprintf(table, "%s\t%s\t%s\t%s\t%s\t%.0f\t$%.4f\t%.1f s\n", printable(row.task), printable(row.model), result(passed, len(row.outcomes)),
			mean(turns, n), mean(calls, n), float64(own.Total)/n, own.Cost.Total/n, took/n)
	}
	if err := table.Flush(); err != nil {
		return fmt.Errorf("write report: %w", err)
	}
	for _, o := range r.Outcomes {
		o.explain(&b)
	}
	fmt.Fprintf(&b, "%d of %d passed; %d tokens, $%.4f, %.1f s of work\n", r.Passed(), len(r.Outcomes), usage.Total, usage.Cost.Total, seconds)
	if _, err := io.WriteString(w, b.String()); err != nil {
		return fmt.Errorf("write report: %w", err)
	}
	return nil
}

func result(passed, of int) string {
	switch {
	case of > 1:
		return fmt.Sprintf("%d/%d", passed, of)
	case passed == 1:
		return "pass"
	}
	return "FAIL"
}

func mean(sum int, n float64) string {
	return strings.TrimSuffix(fmt.Sprintf("%.1f", float64(sum)/n), ".0")
}

// explain says why an outcome failed.
func (o Outcome) explain(b *strings.Builder) {
	if o.Passed {
		return
	}
	fmt.Fprintf(b, "%s, run %d:\n", printable(o.Task), o.Run)
	if o.Error != "" {
		fmt.Fprintf(b, "  %s\n", printable(o.Error))
	}
	for _, c := range o.Checks {
		if !c.Passed {
			fmt.Fprintf(b, "  %s: %s\n", printable(c.Check), printable(c.Fault))
		}
	}
	if o.Workspace != "" {
		fmt.Fprintf(b, "  see %s\n", printable(o.Workspace))
	}
}

// printable is a text on one line that does nothing to a terminal.
func printable(text string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r == '\n' || r == '\t':
			return ' '
		case unicode.IsPrint(r):
			return r
		}
		return unicode.ReplacementChar
	}, text)
}
