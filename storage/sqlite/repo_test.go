package sqlite_test

import (
	"path/filepath"
	"testing"

	"github.com/pi-go/pi/agentcore/session"
	"github.com/pi-go/pi/agentcore/session/sessiontest"
	"github.com/pi-go/pi/storage/sqlite"
)

func open(t testing.TB, path string) *sqlite.Repo {
	t.Helper()
	r, err := sqlite.Open(t.Context(), path, sqlite.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { r.Close() })
	return r
}

func TestConforms(t *testing.T) {
	t.Parallel()
	sessiontest.Run(t, func(t testing.TB) session.Repo {
		return open(t, filepath.Join(t.TempDir(), "sessions.db"))
	})
}
