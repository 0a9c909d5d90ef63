package auth

import (
	"context"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/pi-go/pi/ai/lockfile"
)

// Another program writes the file in place under its lock: what is read meanwhile
// is half of it, and must not count as the file.
func TestReadWaitsForAWriter(t *testing.T) {
	for _, half := range []string{"", `{"p": {"type": "api_`} {
		path := filepath.Join(t.TempDir(), "auth.json")
		write := func(text string) {
			t.Helper()
			if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		write(half)
		other, err := lockfile.Acquire(t.Context(), path, lockfile.Options{})
		if err != nil {
			t.Fatal(err)
		}
		s := NewFileStore(path)
		waited := false
		s.options.Sleep = func(context.Context, time.Duration) error {
			if !waited {
				waited = true
				write(`{"p": {"type": "api_key", "key": "k"}}`)
				return other.Release()
			}
			return nil
		}
		c, err := s.Read(t.Context(), "p")
		if err != nil || c == nil || c.Key != "k" || !waited {
			t.Errorf("after %q: %v, %v, waited %v", half, c, err, waited)
		}
	}
}
