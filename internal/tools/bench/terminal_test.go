package bench

import (
	"math"
	"strings"
	"testing"
)

func TestReadBenchmark(t *testing.T) {
	t.Parallel()
	values, err := readBenchmark([]byte("goos: linux\nBenchmarkTerminal/token/full-2 \t 100\t 5290 ns/op\t 34.9 bytes/frame\t 9 allocs/op\n" +
		"BenchmarkTerminal/paste\t3\t243684429 ns/op\t80.0 bytes/frame\nPASS\n"))
	if err != nil {
		t.Fatal(err)
	}
	got := map[string]Figure{}
	name := ""
	for _, f := range terminalRow(values) {
		if !strings.HasPrefix(f.Name, " ") {
			name = f.Name
		}
		got[name+f.Name] = f
	}
	for name, want := range map[string]float64{
		"a token, full screena token, full screen": 5.29e-6,
		"a token, full screen  bytes":              34.9,
		"a token, full screen  allocations":        9,
		"paste of 1 MiBpaste of 1 MiB":             0.243684429,
	} {
		if f := got[name]; math.Abs(f.Value-want) > want*1e-9 || f.Budget == 0 {
			t.Errorf("%q is %v with the budget %v, want %v", name, f.Value, f.Budget, want)
		}
	}
	if f := got["a line, main screena line, main screen"]; !math.IsNaN(f.Value) {
		t.Errorf("what was not measured is %v", f.Value)
	}
	for _, bad := range []string{"", "PASS\n", "BenchmarkTerminal/x 3 y ns/op\n", "BenchmarkTerminal/x 3 ns/op\n"} {
		if _, err := readBenchmark([]byte(bad)); err == nil {
			t.Errorf("%q is read as a benchmark", bad)
		}
	}
}

// What is not installed is left out, and the table says how to get it.
func TestTerminalWithoutOtherLibraries(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	lookup := func(string) (string, bool) { return "", false }
	if _, _, _, ok := findPiTUI(root, lookup); ok {
		t.Error("pi-tui is found in an empty folder")
	}
}
