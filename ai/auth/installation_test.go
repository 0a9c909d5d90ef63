package auth_test

import (
	"errors"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/pi-go/pi/ai/auth"
)

func TestInstallationID(t *testing.T) {
	path := filepath.Join(t.TempDir(), "agent", "settings.json")
	if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o700), os.WriteFile(path, []byte(`{"theme": "dark"}`), 0o600)); err != nil {
		t.Fatal(err)
	}
	first, err := auth.InstallationID(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	if !regexp.MustCompile(`^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$`).MatchString(first) {
		t.Errorf("%q is not a random UUID", first)
	}
	if again, err := auth.InstallationID(t.Context(), path); err != nil || again != first {
		t.Errorf("the second time: %q, %v; want %q", again, err, first)
	}
	data, err := os.ReadFile(path)
	if err != nil || !strings.Contains(string(data), `"dark"`) {
		t.Errorf("the file is now %s, %v", data, err)
	}
	if err := os.WriteFile(path, []byte("{"), 0o600); err != nil {
		t.Fatal(err)
	}
	if id, err := auth.InstallationID(t.Context(), path); err == nil || id != "" {
		t.Errorf("of a file that is not JSON: %q, %v", id, err)
	}
}
