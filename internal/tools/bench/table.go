package bench

import (
	"encoding/json"
	"fmt"
	"io"
	"math"
	"strings"
)

const (
	nameWidth  = 38
	valueWidth = 12
)

// Header writes the head of the table.
func Header(w io.Writer, programs []string) {
	fmt.Fprintf(w, "%-*s", nameWidth, "")
	for _, p := range programs {
		fmt.Fprintf(w, "%*s", valueWidth, p)
	}
	for range programs[1:] {
		fmt.Fprintf(w, "%*s", valueWidth, "ratio")
	}
	fmt.Fprintf(w, "%*s\n", valueWidth, "budget")
}

// Print writes one scenario as rows of the table.
func (r Result) Print(w io.Writer) {
	fmt.Fprintf(w, "%s: %s [%d]\n", r.Scenario.Name, r.Scenario.About, r.Rounds)
	for _, f := range r.Figures {
		fmt.Fprintf(w, "  %-*s", nameWidth-2, f.Name)
		for _, v := range f.Values {
			fmt.Fprint(w, pad(format(v, f.Unit)))
		}
		for _, q := range f.Ratios[1:] {
			fmt.Fprint(w, pad(formatRatio(q)))
		}
		if f.Budget > 0 {
			fmt.Fprint(w, pad(format(f.Budget, f.Unit)))
		}
		if f.Over() {
			fmt.Fprint(w, "  over")
		}
		fmt.Fprintln(w)
	}
	for name, err := range r.Failures {
		fmt.Fprintf(w, "  %s was left out: %s\n", name, strings.TrimSpace(err.Error()))
	}
}

// pad puts text at the right end of a column; the count is in characters.
func pad(text string) string { return fmt.Sprintf("%*s", valueWidth, text) }

// format writes a value with three digits that count.
func format(v float64, u Unit) string {
	if math.IsNaN(v) {
		return "-"
	}
	switch u {
	case Bytes:
		return fmt.Sprintf("%.1f MiB", v/(1<<20))
	case Times:
		return digits(v) + " ×"
	case Number:
		return fmt.Sprintf("%.0f", v)
	}
	switch a := math.Abs(v); {
	case a >= 1:
		return digits(v) + " s"
	case a >= 1e-3:
		return digits(v*1e3) + " ms"
	case a >= 1e-6:
		return digits(v*1e6) + " µs"
	}
	return fmt.Sprintf("%.0f ns", v*1e9)
}

func digits(v float64) string {
	switch a := math.Abs(v); {
	case a >= 100:
		return fmt.Sprintf("%.0f", v)
	case a >= 10:
		return fmt.Sprintf("%.1f", v)
	}
	return fmt.Sprintf("%.2f", v)
}

func formatRatio(q float64) string {
	if math.IsNaN(q) || math.IsInf(q, 0) {
		return "-"
	}
	return fmt.Sprintf("×%.3g", q)
}

// MarshalJSON writes the result as an object; times are in seconds, sizes in
// bytes, and what there is no value for is left out.
func (r Result) MarshalJSON() ([]byte, error) {
	type figure struct {
		Name   string     `json:"name"`
		Unit   Unit       `json:"unit"`
		Budget float64    `json:"budget,omitempty"`
		Values []*float64 `json:"values"`
		Ratios []*float64 `json:"ratios"`
	}
	out := struct {
		Scenario string            `json:"scenario"`
		About    string            `json:"about"`
		Rounds   int               `json:"rounds"`
		Figures  []figure          `json:"figures"`
		Failures map[string]string `json:"failures,omitempty"`
	}{Scenario: r.Scenario.Name, About: r.Scenario.About, Rounds: r.Rounds}
	for _, f := range r.Figures {
		out.Figures = append(out.Figures, figure{f.Name, f.Unit, f.Budget, finite(f.Values), finite(f.Ratios)})
	}
	for name, err := range r.Failures {
		if out.Failures == nil {
			out.Failures = make(map[string]string)
		}
		out.Failures[name] = err.Error()
	}
	return json.Marshal(out)
}

// finite gives the values with null for those that JSON has no form for.
func finite(values []float64) []*float64 {
	out := make([]*float64, len(values))
	for i, v := range values {
		if !math.IsNaN(v) && !math.IsInf(v, 0) {
			out[i] = &v
		}
	}
	return out
}
