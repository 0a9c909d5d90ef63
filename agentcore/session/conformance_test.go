package session_test

import (
	"testing"

	"github.com/pi-go/pi/agentcore/session"
	"github.com/pi-go/pi/agentcore/session/sessiontest"
)

func TestMemoryConforms(t *testing.T) {
	t.Parallel()
	sessiontest.Run(t, func(testing.TB) session.Repo { return session.NewMemory() })
}

func TestDirConforms(t *testing.T) {
	t.Parallel()
	sessiontest.Run(t, func(t testing.TB) session.Repo { return session.NewDir(t.TempDir()) })
}
