package bench

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/pi-go/pi/internal/tools/workspace"
)

// open opens a session with programs of the given faults.
func open(t *testing.T, faults ...string) *Session {
	t.Helper()
	root, err := workspace.Find(".")
	if err != nil {
		t.Fatal(err)
	}
	c := Config{Root: root}
	for _, f := range faults {
		c.Programs = append(c.Programs, Program{Name: f, Argv: []string{os.Args[0], asPi, f}})
	}
	s, err := Open(t.Context(), c)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	return s
}

func scenario(t *testing.T, name string) Scenario {
	t.Helper()
	all := Scenarios()
	at := slices.IndexFunc(all, func(c Scenario) bool { return c.Name == name })
	if at < 0 {
		t.Fatalf("there is no scenario %s", name)
	}
	return all[at]
}

// figure finds a figure by its name.
func (r Result) figure(t *testing.T, name string) Summary {
	t.Helper()
	for _, f := range r.Figures {
		if f.Name == name {
			return f
		}
	}
	t.Fatalf("%s has no figure %q", r.Scenario.Name, name)
	return Summary{}
}

func TestScenariosMeasureWhatAProgramDoes(t *testing.T) {
	s := open(t, "good", "fail-later")
	for name, figures := range map[string][]string{
		"version":     {"wall", "processor", "wall over that of an empty one"},
		"print":       {"start to first request", "end of stream to exit", "wall"},
		"stream-json": {"processor per delta", "wall"},
		"loop-50":     {"a turn, first 10", "a turn, last 10", "last over first"},
		"arguments":   {"processor per delta, 50 KB", "200 KB over 50 KB, a delta"},

		"sessions-list": {"wall"},
		"grep":          {"end of stream to next request"},
		"rpc-idle":      {"start to first answer", "resident memory"},

		"screen-start":  {"start to footer", "first key to its character", "resident memory"},
		"screen-answer": {"bytes written per delta", "resident memory then"},
	} {
		t.Run(name, func(t *testing.T) {
			if (strings.HasPrefix(name, "screen") || name == "rpc-idle") && runtime.GOOS != "linux" {
				t.Skip("a process that runs is measured on Linux only")
			}
			r, err := s.Measure(t.Context(), scenario(t, name), 1)
			if err != nil {
				t.Fatal(err)
			}
			for _, f := range figures {
				if got := r.figure(t, f); !(got.Values[0] > 0) || got.Ratios[0] != 1 {
					t.Errorf("%s is %v, ratios %v", f, got.Values, got.Ratios)
				}
			}
			// The other program can say its version only.
			if failed := r.Failures["fail-later"] != nil; failed == (name == "version") {
				t.Errorf("the failures are %v", r.Failures)
			}
			var out strings.Builder
			r.Print(&out)
			if name != "version" && !strings.Contains(out.String(), "fail-later was left out: ") {
				t.Errorf("the table hides the failure:\n%s", &out)
			}
		})
	}
}

func TestARunThatDoesSomethingElseIsNoFigure(t *testing.T) {
	for _, tt := range []struct{ fault, scenario, want string }{
		{"good", "resume", "good left 10001 lines in a session that had 10001"},
		{"good", "newest", "good did not go on with the newest session"},
		{"quiet", "stream-print", "quiet printed 0 bytes of an answer that takes at least"},
		{"quiet", "sessions-list", "quiet printed 0 bytes of what takes at least 50000"},
		{"blind", "grep", "blind has told the model"},
		{"lazy", "loop-50", "lazy sent 1 requests instead of 51"},
		{"short", "arguments", "short wrote 15 bytes instead of 16"},
		{"fail-later", "print", "exit code 1: it said:\nError: this program fails in the end"},
	} {
		t.Run(tt.fault, func(t *testing.T) {
			_, err := open(t, tt.fault).Measure(t.Context(), scenario(t, tt.scenario), 1)
			if err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("got %v, want %q", err, tt.want)
			}
		})
	}
}

func TestOpenSaysWhichProgramDoesNotRun(t *testing.T) {
	root, err := workspace.Find(".")
	if err != nil {
		t.Fatal(err)
	}
	for want, argv := range map[string][]string{
		"prepare pi: ":                    {filepath.Join(t.TempDir(), "missing")},
		"this program always fails":       {os.Args[0], asPi, "fail"},
		"prepare pi: there is no command": nil,
	} {
		_, err := Open(t.Context(), Config{Root: root, Programs: []Program{{Name: "pi", Argv: argv}}})
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("got %v, want %q", err, want)
		}
	}
}

// The kernel counts the memory of a parent for its child, so what the test
// binary holds must not show, and what the child takes must.
func TestUsageIsThatOfTheChildAlone(t *testing.T) {
	s := open(t, "good", "memory")
	held := make([]byte, 96<<20)
	for i := range held {
		held[i] = 1
	}
	small, err := s.run(t.Context(), s.subjects[0], "--version")
	if err != nil {
		t.Fatal(err)
	}
	large, err := s.run(t.Context(), s.subjects[1], "--version")
	if err != nil {
		t.Fatal(err)
	}
	if small.Peak == 0 {
		t.Skip("this system does not tell the peak memory of a process")
	}
	if small.Peak > int64(len(held))*3/4 || large.Peak < int64(len(held)) {
		t.Errorf("peaks %d and %d, want them on either side of %d", small.Peak, large.Peak, len(held))
	}
	if small.Wall <= 0 || small.CPU <= 0 || time.Since(small.Start) < small.Wall {
		t.Errorf("usage %+v", small.Usage)
	}
	held[0] = 2
}

// The launcher kills its program when whoever started it goes.
func TestAProgramEndsWithWhoeverStartedIt(t *testing.T) {
	s := open(t, "good")
	report := filepath.Join(t.TempDir(), "report.json")
	cmd := exec.Command(s.launch, report, os.Args[0], asPi, "hang")
	cmd.Env = s.subjects[0].env
	stdin, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	stdout, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	if _, err := io.ReadFull(stdout, make([]byte, len("up\n"))); err != nil {
		t.Fatal(err)
	}
	if err := stdin.Close(); err != nil {
		t.Fatal(err)
	}
	// The end of its output is the end of the program.
	if rest, err := io.ReadAll(stdout); err != nil || len(rest) > 0 {
		t.Errorf("read %q, %v", rest, err)
	}
	if err := cmd.Wait(); err != nil {
		t.Fatal(err)
	}
	data, err := os.ReadFile(report)
	if err != nil || !strings.Contains(string(data), `"exit":-1`) && runtime.GOOS != "windows" {
		t.Errorf("report %s, %v", data, err)
	}
}

func TestARunThatTakesTooLongIsGivenUp(t *testing.T) {
	s := open(t, "good")
	hang := *s.subjects[0]
	hang.Argv = []string{os.Args[0], asPi, "hang"}
	s.patience = time.Millisecond
	if _, err := s.run(t.Context(), &hang); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("got %v", err)
	}
}

func TestSummarize(t *testing.T) {
	round := func(a, b float64) []Figure {
		return []Figure{{Name: "a", Unit: Seconds, Value: a, Budget: 2.5}, {Name: "b", Unit: Bytes, Value: b}}
	}
	got := summarize([][][]Figure{
		{round(1, 10), round(3, 10), round(100, 10)},
		{round(2, 5), round(30, 5), round(100, 5)},
		nil,
	})
	a, b := got[0], got[1]
	// Ratios are of neighbouring runs: 1/2, 3/30 and 100/100.
	if !slices.Equal(a.Values[:2], []float64{3, 30}) || !slices.Equal(a.Ratios[:2], []float64{1, 0.5}) || !a.Over() {
		t.Errorf("got %+v", a)
	}
	if !slices.Equal(b.Values[:2], []float64{10, 5}) || b.Ratios[1] != 2 || b.Over() {
		t.Errorf("got %+v", b)
	}
	if !math.IsNaN(a.Values[2]) || !math.IsNaN(a.Ratios[2]) {
		t.Errorf("a program without samples has %v", a.Values[2])
	}
}

func TestMedian(t *testing.T) {
	for _, tt := range []struct {
		in   []float64
		want float64
	}{{[]float64{3}, 3}, {[]float64{9, 1, 5}, 5}, {[]float64{4, 1, 2, 9}, 3}} {
		if got := median(tt.in); got != tt.want {
			t.Errorf("median of %v is %v, want %v", tt.in, got, tt.want)
		}
	}
}

func sample() Result {
	return Result{
		Scenario: Scenario{Name: "print", About: "one turn"}, Rounds: 7,
		Figures: []Summary{
			{Name: "wall", Unit: Seconds, Budget: 0.01, Values: []float64{0.0123, 1.5}, Ratios: []float64{1, 0.0082}},
			{Name: "a delta", Unit: Seconds, Budget: 0.8e-6, Values: []float64{0.42e-6, 12.5e-6}, Ratios: []float64{1, 0.0336}},
			{Name: "peak memory", Unit: Bytes, Values: []float64{15 << 20, math.NaN()}, Ratios: []float64{1, math.NaN()}},
			{Name: "growth", Unit: Times, Values: []float64{1.04, 153}, Ratios: []float64{1, 0.0068}},
		},
	}
}

func TestTable(t *testing.T) {
	var out strings.Builder
	Header(&out, []string{"pi", "reference"})
	sample().Print(&out)
	want := `                                                pi   reference       ratio      budget
print: one turn [7]
  wall                                     12.3 ms      1.50 s     ×0.0082     10.0 ms  over
  a delta                                   420 ns     12.5 µs     ×0.0336      800 ns
  peak memory                             15.0 MiB           -           -
  growth                                    1.04 ×       153 ×     ×0.0068
`
	if out.String() != want {
		t.Errorf("got\n%s\nwant\n%s", &out, want)
	}
}

func TestJSON(t *testing.T) {
	r := sample()
	r.Failures = map[string]error{"reference": errors.New("exit code 1")}
	data, err := json.Marshal(r)
	if err != nil {
		t.Fatal(err)
	}
	var back struct {
		Scenario string
		Rounds   int
		Figures  []struct {
			Name   string
			Values []*float64
		}
		Failures map[string]string
	}
	if err := json.Unmarshal(data, &back); err != nil {
		t.Fatal(err)
	}
	if back.Scenario != "print" || back.Rounds != 7 || *back.Figures[0].Values[1] != 1.5 || back.Figures[2].Values[1] != nil || back.Failures["reference"] != "exit code 1" {
		t.Errorf("got %s", data)
	}
}

func TestReference(t *testing.T) {
	none := func(string) (string, bool) { return "", false }
	root := t.TempDir()
	if _, found, err := Reference(root, none); found || err != nil {
		t.Errorf("an empty checkout has a reference: %v", err)
	}
	p, found, err := Reference(root, func(name string) (string, bool) { return " node  /x/cli.js ", name == "PI_REFERENCE" })
	if !found || err != nil || !slices.Equal(p.Argv, []string{"node", "/x/cli.js"}) {
		t.Errorf("got %v %v %v", p, found, err)
	}
	home := filepath.Join(root, ".cache/interop/node_modules/@earendil-works/pi-coding-agent")
	put := func(text string) {
		if err := errors.Join(os.MkdirAll(home, 0o700), os.WriteFile(filepath.Join(home, "package.json"), []byte(text), 0o600)); err != nil {
			t.Fatal(err)
		}
	}
	put(`{"bin":{"pi":"dist/cli.js"}}`)
	want := []string{filepath.Join(root, ".cache/interop/node_modules/node/bin/node"), filepath.Join(home, "dist/cli.js")}
	if p, found, err = Reference(root, none); !found || err != nil || !slices.Equal(p.Argv, want) {
		t.Errorf("got %v %v %v", p, found, err)
	}
	for text, want := range map[string]string{"{": "run make interop again", "{}": "names no command pi"} {
		put(text)
		if _, _, err := Reference(root, none); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s gave %v", text, err)
		}
	}
}
