package testrun

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
)

// environment returns the variables that tests run with: the user's, with an
// empty home directory instead of the real one, and without whatever configures
// this program or gives access to a paid service. The go command keeps its
// caches and settings, which it would otherwise look for in the home directory;
// only its telemetry counters are made there.
//
// The home directory has the same name in every run of one checkout, because the
// go command repeats tests whose environment has changed.
func environment(ctx context.Context, root string) ([]string, error) {
	output, err := exec.CommandContext(ctx, "go", "env", "-json", "GOPATH", "GOMODCACHE", "GOCACHE", "GOENV").Output()
	if err != nil {
		return nil, fmt.Errorf("go env: %w", err)
	}
	var keep map[string]string
	if err := json.Unmarshal(bytes.TrimSpace(output), &keep); err != nil {
		return nil, fmt.Errorf("go env: %w", err)
	}
	sum := sha256.Sum256([]byte(root))
	home := filepath.Join(os.TempDir(), "pi-test-home-"+hex.EncodeToString(sum[:6]))
	if err := os.RemoveAll(home); err != nil {
		return nil, fmt.Errorf("empty the home directory of tests: %w", err)
	}
	if err := os.Mkdir(home, 0o700); err != nil {
		return nil, fmt.Errorf("make a home directory for tests: %w", err)
	}
	env := slices.DeleteFunc(os.Environ(), func(v string) bool {
		name, _, _ := strings.Cut(v, "=")
		return private(name)
	})
	env = append(env, "HOME="+home, "USERPROFILE="+home,
		// The default credential chain of AWS asks a link-local address.
		"AWS_EC2_METADATA_DISABLED=true")
	for _, name := range []string{"GOPATH", "GOMODCACHE", "GOCACHE", "GOENV"} {
		env = append(env, name+"="+keep[name])
	}
	return env, nil
}

// private reports whether a variable is hidden from tests.
func private(name string) bool {
	name = strings.ToUpper(name)
	for _, prefix := range []string{"PI_", "XDG_", "AWS_", "GOOGLE_", "ANTHROPIC_", "OPENAI_", "AZURE_", "GEMINI_", "HF_"} {
		if strings.HasPrefix(name, prefix) {
			return true
		}
	}
	for _, suffix := range []string{"_API_KEY", "_TOKEN", "_SECRET", "_ACCESS_KEY"} {
		if strings.HasSuffix(name, suffix) {
			return true
		}
	}
	return false
}
