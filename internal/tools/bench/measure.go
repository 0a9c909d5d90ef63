package bench

import (
	"context"
	"fmt"
	"math"
	"slices"
)

// Result is what came of one scenario.
type Result struct {
	Scenario Scenario
	// Rounds is how often each program did it.
	Rounds  int
	Figures []Summary
	// Failures say why programs other than the first have no figures here, by
	// name.
	Failures map[string]error
}

// Summary is one figure of all programs.
type Summary struct {
	Name   string
	Unit   Unit
	Budget float64 // for the first program; 0 for none
	// Values are the medians in the order of the programs; NaN for a program
	// that failed.
	Values []float64
	// Ratios are those of the first program to each other one: medians over
	// the rounds, NaN where there is none. The first is 1.
	Ratios []float64
}

// Over reports whether the first program exceeds its budget.
func (s Summary) Over() bool { return s.Budget > 0 && s.Values[0] > s.Budget }

// Measure runs a scenario for a number of rounds, in which the programs take
// turns. A failure of the first program is an error; another one that fails
// is left out.
func (s *Session) Measure(ctx context.Context, c Scenario, rounds int) (Result, error) {
	if c.Most > 0 {
		rounds = min(rounds, c.Most)
	}
	rounds = max(rounds, 1)
	res := Result{Scenario: c, Rounds: rounds, Failures: make(map[string]error)}
	samples := make([][][]Figure, len(s.subjects)) // by program and round
	for range rounds {
		for i, p := range s.subjects {
			if res.Failures[p.Name] != nil {
				continue
			}
			figures, err := c.run(ctx, s, p)
			if err != nil && (i == 0 || ctx.Err() != nil) {
				return Result{}, fmt.Errorf("scenario %s: %w", c.Name, err)
			}
			if err != nil {
				res.Failures[p.Name] = err
				samples[i] = nil
				continue
			}
			samples[i] = append(samples[i], figures)
		}
	}
	res.Figures = summarize(samples)
	return res, nil
}

// summarize turns samples by program and round into medians and ratios. The
// first program has samples of all rounds; so has another one, or none.
func summarize(samples [][][]Figure) []Summary {
	var out []Summary
	for at, f := range samples[0][0] {
		sum := Summary{Name: f.Name, Unit: f.Unit, Budget: f.Budget}
		first := column(samples[0], at)
		for _, rounds := range samples {
			if len(rounds) == 0 {
				sum.Values, sum.Ratios = append(sum.Values, math.NaN()), append(sum.Ratios, math.NaN())
				continue
			}
			values := column(rounds, at)
			ratios := make([]float64, len(values))
			for i, v := range values {
				ratios[i] = first[i] / v
			}
			sum.Values, sum.Ratios = append(sum.Values, median(values)), append(sum.Ratios, median(ratios))
		}
		out = append(out, sum)
	}
	return out
}

// column gives one figure of all rounds.
func column(rounds [][]Figure, at int) []float64 {
	values := make([]float64, len(rounds))
	for i, figures := range rounds {
		values[i] = figures[at].Value
	}
	return values
}

// median gives the middle value, the mean of the two middle ones of an even
// number.
func median(values []float64) float64 {
	sorted := slices.Sorted(slices.Values(values))
	n := len(sorted)
	if n == 0 {
		return math.NaN()
	}
	return (sorted[(n-1)/2] + sorted[n/2]) / 2
}
