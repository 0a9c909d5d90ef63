package testrun

import (
	"bytes"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/pi-go/pi/internal/tools/fixture"
)

// run runs the tests of a fixture without the race detector, which would take a
// minute to build.
func run(t *testing.T, root string, o Options) (bool, string) {
	t.Helper()
	var out bytes.Buffer
	o.Out, o.NoRace = &out, true
	passed, err := Run(t.Context(), fixture.Open(t, root), o)
	if err != nil {
		t.Fatalf("run: %v\n%s", err, &out)
	}
	return passed, out.String()
}

func TestRunShowsWhatFailsAndSumsUpTheRest(t *testing.T) {
	root, _ := fixture.Repo(t, "testdata/outcomes.txtar")
	events := filepath.Join(t.TempDir(), "deep", "events.jsonl")
	passed, out := run(t, root, Options{Events: events})
	if passed {
		t.Error("a run with failures passed")
	}
	for _, want := range []string{
		`(?m)^ok  \texample\.test/p/ai\t[0-9.]+s\t8 tests$`,
		`tui_test\.go:9: two is not three`,
		`(?m)^ *--- FAIL: TestBad/loud `,
		`(?m)^FAIL\texample\.test/p/tui\t[0-9.]+s\t4 tests$`,
		`panic: assignment to entry in nil map`,
		`agentcore_test\.go:9`,
		`undefined: undefinedName`,
		`(?m)^FAIL\texample\.test/p/evals \[build failed\]$`,
		`the world could not be set up`,
		`(?m)^\?   \texample\.test/p/codingagent\t\[no test files\]$`,
		`(?m)^  agentcore +1 +0 +1 +1 +0 `,
		`(?m)^  ai +1 +0 +5 +0 +3 `,
		`(?m)^  evals +1 +0 +0 +0 +0 `,
		`(?m)^  tui +1 +0 +2 +2 +0 `,
		`(?m)^race detector: off: not asked for$`,
		`(?m)^  example\.test/p/ai TestNotHere: needs a printer: see main\.go:12: there$`,
		`(?m)^  example\.test/p/ai TestEmptySkip: no reason given$`,
		`(?m)^  example\.test/p/ai TestSilentSkip: no reason given$`,
		`(?m)^  example\.test/p/tui TestBad/loud$`,
		`(?m)^  example\.test/p/agentcore TestPanics$`,
		`(?m)^broken: example\.test/p/evals `,
		`(?m)^broken: example\.test/p/server `,
		`FAIL\nFAIL\texample\.test/p\t[0-9.]+s\t8 passed, 3 failed, 2 packages broken, 3 skipped in \d+ packages\n$`,
	} {
		if !regexp.MustCompile(want).MatchString(out) {
			t.Errorf("no match for %s", want)
		}
	}
	for _, noise := range []string{"noise of a passing", "=== RUN", "TestNeverReached"} {
		if strings.Contains(out, noise) {
			t.Errorf("%q should not be shown", noise)
		}
	}
	if t.Failed() {
		t.Logf("the output was:\n%s", out)
	}
	if data, err := os.ReadFile(events); err != nil || !bytes.Contains(data, []byte(`"Action":"fail"`)) {
		t.Errorf("the event stream was not kept: %v", err)
	}
}

func TestRunPassesWhenAllPass(t *testing.T) {
	root, _ := fixture.Repo(t, "")
	fixture.Write(t, root, "ai/ai_test.go", "package ai\n\nimport \"testing\"\n\nfunc TestOne(t *testing.T) {}\n\nfunc TestTwo(t *testing.T) {}\n")
	passed, out := run(t, root, Options{Patterns: []string{"./ai/...", "./tui/..."}})
	if !passed || !strings.HasSuffix(out, " passed, 0 failed, 0 skipped in 2 packages\n") || !strings.Contains(out, "\nPASS\nok  \texample.test/p\t") {
		t.Errorf("passed %v:\n%s", passed, out)
	}
	if strings.Contains(out, "skipped:") || strings.Contains(out, "failed:") || strings.Contains(out, "storage") {
		t.Errorf("lists what did not happen:\n%s", out)
	}
}

func TestArgumentsReachGoTest(t *testing.T) {
	root, _ := fixture.Repo(t, "")
	fixture.Write(t, root, "ai/ai_test.go", "package ai\n\nimport \"testing\"\n\nfunc TestOne(t *testing.T) { t.Fail() }\n\nfunc TestTwo(t *testing.T) {}\n")
	passed, out := run(t, root, Options{Patterns: []string{"./ai"}, Args: []string{"-run=Two", "-count=1"}})
	if !passed || !strings.Contains(out, "1 passed, 0 failed") {
		t.Errorf("passed %v:\n%s", passed, out)
	}
}

// What tests may not see: the user's home, keys and configuration.
func TestTestsSeeAnEmptyHomeAndNoKeys(t *testing.T) {
	t.Setenv("PI_CODING_AGENT_DIR", "/somewhere")
	t.Setenv("MISTRAL_API_KEY", "secret")
	t.Setenv("ORDINARY", "kept")
	root, _ := fixture.Repo(t, "")
	fixture.Write(t, root, "ai/ai_test.go", `package ai

import (
	"os"
	"testing"
)

func TestEnvironment(t *testing.T) {
	home, err := os.UserHomeDir()
	if err != nil {
		t.Fatal(err)
	}
	entries, err := os.ReadDir(home)
	if err != nil {
		t.Error(err)
	}
	for _, e := range entries {
		if e.Name() != ".config" && e.Name() != "Library" && e.Name() != "AppData" { // the go command's own
			t.Errorf("%s is in the home directory", e.Name())
		}
	}
	for _, name := range []string{"PI_CODING_AGENT_DIR", "MISTRAL_API_KEY", "XDG_CONFIG_HOME"} {
		if v, ok := os.LookupEnv(name); ok {
			t.Errorf("%s is %q", name, v)
		}
	}
	if os.Getenv("ORDINARY") != "kept" {
		t.Error("ORDINARY is gone")
	}
}
`)
	if passed, out := run(t, root, Options{Patterns: []string{"./ai"}}); !passed {
		t.Error(out)
	}
}

func TestCoverSumsUpByModule(t *testing.T) {
	root, _ := fixture.Repo(t, "")
	fixture.Write(t, root, "ai/ai.go", "// Package ai is the client.\npackage ai\n\nfunc half(yes bool) int {\n\tif yes {\n\t\treturn 1\n\t}\n\treturn 2\n}\n")
	fixture.Write(t, root, "ai/ai_test.go", "package ai\n\nimport \"testing\"\n\nfunc TestHalf(t *testing.T) { half(true) }\n")
	var out bytes.Buffer
	profile := filepath.Join(t.TempDir(), "sub", "cover.out")
	passed, err := Cover(t.Context(), fixture.Open(t, root), Options{Patterns: []string{"./ai/...", "./tui/..."}, Out: &out}, profile)
	if err != nil || !passed {
		t.Fatalf("passed %v, %v\n%s", passed, err, &out)
	}
	if !regexp.MustCompile(`(?m)^  ai +3 +66\.7 %$`).Match(out.Bytes()) {
		t.Errorf("want two of three statements covered:\n%s", &out)
	}
}

func TestReadProfileCountsABlockOnce(t *testing.T) {
	root, _ := fixture.Repo(t, "")
	w := fixture.Open(t, root)
	profile := "mode: set\n" +
		"example.test/p/ai/a.go:1.1,2.2 4 0\n" +
		"example.test/p/ai/a.go:1.1,2.2 4 3\n" +
		"example.test/p/internal/tools/b.go:1.1,2.2 5 0\n"
	sums, err := readProfile(strings.NewReader(profile), w)
	if err != nil {
		t.Fatal(err)
	}
	if got, want := sums["ai"], (statements{4, 4}); got != want {
		t.Errorf("ai: want %v, got %v", want, got)
	}
	if got, want := sums["internal/tools"], (statements{5, 0}); got != want {
		t.Errorf("internal/tools: want %v, got %v", want, got)
	}
	if _, err := readProfile(strings.NewReader("mode: set\nnonsense\n"), w); err == nil || !strings.Contains(err.Error(), "line 2") {
		t.Errorf("want an error that names line 2, got %v", err)
	}
}

func TestFuzzRunsEveryFuzzTestAndReportsCrashers(t *testing.T) {
	root, _ := fixture.Repo(t, "")
	fixture.Write(t, root, "ai/ai_test.go", "package ai\n\nimport \"testing\"\n\nfunc FuzzGood(f *testing.F) { f.Fuzz(func(t *testing.T, s string) {}) }\n")
	fixture.Write(t, root, "tui/tui_test.go", "package tui\n\nimport \"testing\"\n\nfunc FuzzBad(f *testing.F) {\n\tf.Add(\"x\")\n\tf.Fuzz(func(t *testing.T, s string) { t.Error(\"no string is good\") })\n}\n")
	w := fixture.Open(t, root)
	var out bytes.Buffer
	passed, err := Fuzz(t.Context(), w, Options{Out: &out}, "20x")
	if err != nil || passed {
		t.Errorf("passed %v, %v", passed, err)
	}
	for _, want := range []string{"ok  \texample.test/p/ai\tFuzzGood\texecs: ", "--- FAIL: FuzzBad", "no string is good", "2 fuzz tests ran for 20x each, 1 failed\n  tui FuzzBad\n"} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("want %q in:\n%s", want, &out)
		}
	}
	out.Reset()
	if passed, err := Fuzz(t.Context(), w, Options{Out: &out, Patterns: []string{"./ai/..."}}, "20x"); err != nil || !passed {
		t.Errorf("passed %v, %v\n%s", passed, err, &out)
	}
}

func TestOutOfTimeIsNoFailure(t *testing.T) {
	const over = "fuzz: elapsed: 3s, execs: 40304 (0/sec), new interesting: 104 (total: 108)\n--- FAIL: FuzzX (3.20s)\n    context deadline exceeded\nFAIL\nexit status 1\n"
	for output, want := range map[string]bool{
		over: true,
		over + "    Failing input written to testdata/fuzz/FuzzX/1\n":                                                  false,
		"--- FAIL: FuzzX (3.20s)\n    --- FAIL: FuzzX (0.00s)\n        x_test.go:9: context deadline exceeded\nFAIL\n": false,
		"ok": false,
		"":   false,
	} {
		if got := outOfTime(output); got != want {
			t.Errorf("%v for %q", got, output)
		}
	}
}

func TestSelected(t *testing.T) {
	for _, c := range []struct {
		patterns string
		pkg      string
		want     bool
	}{
		{"", "ai", true},
		{"./ai/...", "ai", true},
		{"./ai/...", "ai/auth", true},
		{"./ai/...", "aid", false},
		{"./ai", "ai/auth", false},
		{"ai", "ai", true},
		{"./...", "tui", true},
		{"./tui ./ai/...", "ai/auth", true},
	} {
		if got := selected(strings.Fields(c.patterns), c.pkg); got != c.want {
			t.Errorf("selected(%q, %q) = %v, want %v", c.patterns, c.pkg, got, c.want)
		}
	}
}

func TestGoldenUpdatesOnlyWhereThereIsAnUpdateFlag(t *testing.T) {
	root, _ := fixture.Repo(t, "")
	golden := `package %s_test

import (
	"flag"
	"os"
	"testing"
)

var update = flag.Bool("update", false, "rewrite golden files")

func TestGolden(t *testing.T) {
	if *update {
		if err := os.WriteFile("golden.txt", []byte("new"), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}
`
	fixture.Write(t, root, "ai/golden_test.go", strings.ReplaceAll(golden, "%s", "ai"))
	// A package whose tests know the flag through a package that they import.
	fixture.Write(t, root, "examples/golden/golden.go", "// Package golden compares.\npackage golden\n\nimport \"flag\"\n\n// Update is set by -update.\nvar Update = flag.Bool(\"update\", false, \"rewrite golden files\")\n")
	fixture.Write(t, root, "examples/draw/draw_test.go", "package main\n\nimport (\n\t\"os\"\n\t\"testing\"\n\n\t\"example.test/p/examples/golden\"\n)\n\nfunc TestGolden(t *testing.T) {\n\tif *golden.Update {\n\t\tos.WriteFile(\"golden.txt\", []byte(\"new\"), 0o644)\n\t}\n}\n")
	fixture.Write(t, root, "tui/tui_test.go", "package tui\n\nimport \"testing\"\n\nfunc TestNoGolden(t *testing.T) {}\n")
	var out bytes.Buffer
	passed, err := Golden(t.Context(), fixture.Open(t, root), Options{Out: &out})
	if err != nil || !passed {
		t.Fatalf("passed %v, %v\n%s", passed, err, &out)
	}
	for _, file := range []string{"ai/golden.txt", "examples/draw/golden.txt"} {
		if got := fixture.Read(t, root, file); got != "new" {
			t.Errorf("%s holds %q", file, got)
		}
	}
	if strings.Contains(out.String(), "example.test/p/tui") {
		t.Errorf("ran a package without golden files:\n%s", &out)
	}
}

func TestProbeRaceExplainsABrokenCompiler(t *testing.T) {
	t.Setenv("CC", "no-such-compiler -O2")
	race := ProbeRace(t.Context())
	if race.On || !strings.Contains(race.Reason, "no-such-compiler") && !strings.Contains(race.Reason, "does not support") {
		t.Errorf("got %+v", race)
	}
	compiler := filepath.Join(t.TempDir(), "cc")
	if err := os.WriteFile(compiler, []byte("#!/bin/sh\necho 'stdlib.h: no such file' >&2\nexit 1\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	t.Setenv("CC", compiler)
	race = ProbeRace(t.Context())
	if race.On || !strings.Contains(race.Reason, "stdlib.h: no such file") && !strings.Contains(race.Reason, "does not support") {
		t.Errorf("got %+v", race)
	}
}
