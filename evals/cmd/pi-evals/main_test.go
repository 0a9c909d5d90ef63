package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/pi-go/pi/codingagent/world"
	"github.com/pi-go/pi/evals"
)

// evaluate runs the program in a world with an empty home.
func evaluate(t *testing.T, args ...string) (string, error) {
	t.Helper()
	var out, errs bytes.Buffer
	w := world.Process{
		Out: &out, Err: &errs, Home: t.TempDir(),
		Environ: []string{"PATH=" + os.Getenv("PATH")}, Env: func(string) string { return "" },
	}
	err := run(t.Context(), args, w)
	return out.String(), err
}

func TestSamplesAreTheDefault(t *testing.T) {
	out, err := evaluate(t)
	if err != nil || !strings.Contains(out, "3 of 3 passed") {
		t.Errorf("%v\n%s", err, out)
	}
	if out, err = evaluate(t, "-list"); err != nil || strings.Count(out, "\n") != 3 || !strings.Contains(out, "run-command") {
		t.Errorf("%v\n%s", err, out)
	}
}

func TestAFailureIsAnError(t *testing.T) {
	dir := t.TempDir()
	good := filepath.Join(dir, "good.yaml")
	bad := filepath.Join(dir, "more", "bad.yaml")
	keep := filepath.Join(dir, "kept")
	for path, text := range map[string]string{
		good: "model: demo/guide\nprompt: help\nchecks: [{answer: {contains: demo/guide}}]",
		bad:  "model: demo/guide\nprompt: help\nchecks: [{answer: {contains: no such word}}]",
	} {
		if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o700), os.WriteFile(path, []byte(text), 0o600)); err != nil {
			t.Fatal(err)
		}
	}
	out, err := evaluate(t, "-json", "-n", "2", "-keep", keep, good, filepath.Join(dir, "more"))
	if !errors.Is(err, errFailed) {
		t.Errorf("got %v", err)
	}
	var report evals.Report
	if err := json.Unmarshal([]byte(out), &report); err != nil {
		t.Fatalf("%v in %s", err, out)
	}
	var passed []bool
	for _, o := range report.Outcomes {
		passed = append(passed, o.Passed)
		if _, err := os.Stat(o.Workspace); err != nil {
			t.Error(err)
		}
	}
	if !slices.Equal(passed, []bool{true, true, false, false}) {
		t.Errorf("got %s", out)
	}
	for want, args := range map[string][]string{
		"is not empty":              {"-keep", keep, good},
		"begin at 1":                {"-n", "0"},
		"has the name \"good\" too": {good, good},
		"missing.yaml":              {filepath.Join(dir, "missing.yaml")},
		"flag provided but not":     {"-nope"},
	} {
		if _, err := evaluate(t, args...); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v: %v, want %q", args, err, want)
		}
	}
}

func TestKeysAreHidden(t *testing.T) {
	got := withoutKeys([]string{"PATH=/bin", "ANTHROPIC_API_KEY=x", "gh_token=x", "MY_SECRET_1=x", "PGPASSWORD=x", "HOME=/h"})
	if !slices.Equal(got, []string{"PATH=/bin", "HOME=/h"}) {
		t.Errorf("left are %v", got)
	}
}
