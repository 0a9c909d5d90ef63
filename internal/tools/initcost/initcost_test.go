package initcost

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

const trace = `init internal/bytealg @0.008 ms, 0.25 ms clock, 0 bytes, 0 allocs
some other line of the program
init example.test/slow @1.2 ms, 1.5 ms clock, 1024 bytes, 3 allocs
init broken line
init example.test/large @2.9 ms, 0.1 ms clock, 300000 bytes, 9 allocs
`

func TestParseReadsTraceLinesOnly(t *testing.T) {
	got, err := parse(strings.NewReader(trace))
	if err != nil {
		t.Fatal(err)
	}
	want := []Package{
		{"internal/bytealg", 250 * time.Microsecond, 0, 0},
		{"example.test/slow", 1500 * time.Microsecond, 1024, 3},
		{"example.test/large", 100 * time.Microsecond, 300000, 9},
	}
	if len(got) != len(want) {
		t.Fatalf("want %v, got %v", want, got)
	}
	for i := range want {
		if got[i] != want[i] {
			t.Errorf("want %v, got %v", want[i], got[i])
		}
	}
	if _, err := parse(strings.NewReader("init x @0.1 ms, much ms clock, 0 bytes, 0 allocs\n")); err == nil {
		t.Error("a time that is no number was accepted")
	}
}

// One slow run among many does not count.
func TestSummarizeTakesMedians(t *testing.T) {
	run := func(ms time.Duration) []Package {
		return []Package{{"a", ms * time.Millisecond, 10, 1}, {"b", time.Microsecond, 5, 1}}
	}
	m := summarize([][]Package{run(1), run(90), run(2)})
	if m.Total != 2*time.Millisecond+time.Microsecond || m.Bytes != 15 || m.Runs != 3 {
		t.Errorf("got %+v", m)
	}
	if m.Packages[0].Path != "a" || m.Packages[0].Time != 2*time.Millisecond {
		t.Errorf("most expensive first, by median: got %+v", m.Packages)
	}
}

func TestOver(t *testing.T) {
	for name, c := range map[string]struct {
		m     Measurement
		want  string
		timed bool
	}{
		"total":     {Measurement{Total: maxTotal + 1}, "all packages together", true},
		"slow":      {Measurement{Packages: []Package{{Path: "x/y", Time: maxTime + 1}}}, "x/y takes", true},
		"large":     {Measurement{Packages: []Package{{Path: "x/y", Bytes: maxBytes + 1}}}, "x/y allocates", false},
		"at limits": {Measurement{Total: maxTotal, Packages: []Package{{Path: "x/y", Time: maxTime, Bytes: maxBytes}}}, "", false},
		"allowed":   {Measurement{Packages: []Package{{Path: "github.com/santhosh-tekuri/jsonschema/v5", Time: time.Second, Bytes: 1 << 30}}}, "", false},
	} {
		t.Run(name, func(t *testing.T) {
			over := c.m.Over()
			if c.want == "" {
				if len(over) > 0 {
					t.Errorf("got %v", over)
				}
				return
			}
			if len(over) != 1 || !strings.Contains(over[0].What, c.want) || over[0].Timed != c.timed {
				t.Errorf("want one with %q, got %v", c.want, over)
			}
		})
	}
}

// A real program whose own initialisation allocates a megabyte.
func TestMeasureARealProgram(t *testing.T) {
	dir := t.TempDir()
	source := "package main\n\nvar table = make([]byte, 1<<20)\n\nfunc init() {\n\tfor i := range table {\n\t\ttable[i] = byte(i)\n\t}\n}\n\nfunc main() { println(len(table)) }\n"
	if err := os.WriteFile(filepath.Join(dir, "main.go"), []byte(source), 0o644); err != nil {
		t.Fatal(err)
	}
	program := filepath.Join(dir, "program.exe")
	cmd := exec.Command("go", "build", "-o", program, filepath.Join(dir, "main.go"))
	cmd.Env = append(os.Environ(), "GOWORK=off")
	if output, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("build: %v\n%s", err, output)
	}
	m, err := Measure(t.Context(), program, nil, 3)
	if err != nil {
		t.Fatal(err)
	}
	if m.Bytes < 1<<20 || len(m.Packages) == 0 {
		t.Errorf("want at least a megabyte, got %+v", m)
	}
	found := false
	for _, e := range m.Over() {
		found = found || strings.HasPrefix(e.What, "main allocates ")
	}
	if !found {
		t.Errorf("package main is over the budget and not reported: %v", m.Over())
	}
	var out strings.Builder
	m.Print(&out, 1)
	if got := strings.Count(out.String(), "\n"); got != 2 {
		t.Errorf("want a sum and one package, got:\n%s", &out)
	}
}

func TestMeasureSaysWhichProgramDidNotRun(t *testing.T) {
	_, err := Measure(t.Context(), filepath.Join(t.TempDir(), "missing"), []string{"--version"}, 1)
	if err == nil || !strings.Contains(err.Error(), "missing --version") {
		t.Errorf("got %v", err)
	}
}
