package testrun

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
)

// Race says whether tests can be run with the race detector here.
type Race struct {
	On bool
	// Reason says why, for the report.
	Reason string
}

// racePlatforms are those that the race detector supports (Go 1.26, "go help build").
var racePlatforms = []string{
	"linux/amd64", "linux/arm64", "linux/ppc64le", "linux/riscv64", "linux/s390x", "linux/loong64",
	"freebsd/amd64", "netbsd/amd64", "darwin/amd64", "darwin/arm64", "windows/amd64",
}

// ProbeRace finds out whether a C compiler is there that works: the race
// detector is linked by cgo, and a compiler without the C library's headers is
// as good as none.
func ProbeRace(ctx context.Context) Race {
	output, err := exec.CommandContext(ctx, "go", "env", "GOOS", "GOARCH", "CC").Output()
	fields := strings.SplitN(strings.TrimSpace(string(output)), "\n", 3)
	if err != nil || len(fields) < 3 {
		return Race{Reason: fmt.Sprintf("go env: %v", err)}
	}
	if platform := fields[0] + "/" + fields[1]; !slices.Contains(racePlatforms, platform) {
		return Race{Reason: "the race detector does not support " + platform}
	}
	compiler := strings.Fields(fields[2])
	if len(compiler) == 0 {
		return Race{Reason: "no C compiler is configured (go env CC)"}
	}
	dir, err := os.MkdirTemp("", "race-probe-")
	if err != nil {
		return Race{Reason: err.Error()}
	}
	defer os.RemoveAll(dir)
	source := filepath.Join(dir, "probe.c")
	if err := os.WriteFile(source, []byte("#include <stdlib.h>\n#include <pthread.h>\nint main(void) { return EXIT_SUCCESS; }\n"), 0o600); err != nil {
		return Race{Reason: err.Error()}
	}
	args := append(compiler[1:len(compiler):len(compiler)], "-o", filepath.Join(dir, "probe"), source)
	if output, err := exec.CommandContext(ctx, compiler[0], args...).CombinedOutput(); err != nil {
		first, _, _ := strings.Cut(strings.TrimSpace(string(output)), "\n")
		return Race{Reason: strings.TrimSpace(fmt.Sprintf("the C compiler %s does not work (%v) %s; install one, such as gcc with libc6-dev, to check for data races", compiler[0], err, first))}
	}
	return Race{On: true, Reason: "C compiler " + compiler[0]}
}
