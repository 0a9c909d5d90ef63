package vttest

import (
	"bufio"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
)

var programs = flag.Int("programs", 400, "how many random programs to run for each renderer")

// seeds returns the seeds of programs that once failed, and then as many others
// as the flag says.
func seeds(t *testing.T, name string) []uint64 {
	t.Helper()
	var list []uint64
	f, err := os.Open(filepath.Join("testdata", name+".seeds"))
	if err == nil {
		defer f.Close()
		for sc := bufio.NewScanner(f); sc.Scan(); {
			line, _, _ := strings.Cut(sc.Text(), "#")
			if line = strings.TrimSpace(line); line == "" {
				continue
			}
			n, err := strconv.ParseUint(line, 10, 64)
			if err != nil {
				t.Fatalf("read %s: %v", f.Name(), err)
			}
			list = append(list, n)
		}
	} else if !os.IsNotExist(err) {
		t.Fatal(err)
	}
	for i := range *programs {
		list = append(list, uint64(i))
	}
	return list
}

// runPrograms runs a program for each seed and says how to keep one that fails.
func runPrograms(t *testing.T, name string, run func(seed uint64) error) {
	t.Helper()
	failed := 0
	for _, seed := range seeds(t, name) {
		if err := run(seed); err != nil {
			t.Errorf("program %d: %v\nadd the number to testdata/%s.seeds to keep it as a test", seed, err, name)
			if failed++; failed == 3 {
				t.Fatal("three programs failed; the rest is not run")
			}
		}
	}
}

// differ compares what is with what should be, row by row.
func differ(what string, got, want []string) error {
	n := max(len(got), len(want))
	at := func(s []string, i int) string {
		if i < len(s) {
			return strconv.Quote(s[i])
		}
		return "(none)"
	}
	for i := range n {
		if at(got, i) != at(want, i) {
			var b strings.Builder
			for j := max(0, i-2); j < min(n, i+3); j++ {
				fmt.Fprintf(&b, "\n  %2d got  %s\n     want %s", j, at(got, j), at(want, j))
			}
			return fmt.Errorf("%s differs at row %d:%s", what, i, b.String())
		}
	}
	return nil
}
