package codingagent_test

import (
	"os"
	"testing"

	"github.com/pi-go/pi/agentcore/execenv"
)

func writeFile(t *testing.T, path, text string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

func localFS() execenv.LocalFS { return execenv.LocalFS{} }
