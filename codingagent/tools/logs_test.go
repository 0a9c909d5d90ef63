package tools_test

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/pi-go/pi/agentcore/execenv"
	"github.com/pi-go/pi/codingagent/tools"
)

func TestRemoveOldLogs(t *testing.T) {
	t.Parallel()
	env := execenv.Memory(nil)
	m := env.FS.(*execenv.MemoryFS)
	now := time.Date(2030, 1, 2, 0, 0, 0, 0, time.UTC)
	clock := now.Add(-48 * time.Hour)
	m.Now = func() time.Time { return clock }
	m.Put("/tmp/pi-bash-0123456789abcdef.log", "old")
	m.Put("/tmp/pi-powershell-0123456789abcdef.log", "old")
	m.Put("/tmp/pi-bash-0123456789abcdef.log.txt", "mine")
	m.Put("/tmp/pi-bash-notes.log", "mine")
	m.Put("/tmp/dir/pi-bash-0123456789abcdef.log", "mine")
	clock = now
	m.Put("/tmp/pi-bash-fedcba9876543210.log", "new")
	n, err := tools.RemoveOldLogs(t.Context(), env, now.Add(-24*time.Hour))
	entries, _ := m.ReadDir(t.Context(), "/tmp")
	var left []string
	for _, e := range entries {
		left = append(left, e.Name())
	}
	want := "dir pi-bash-0123456789abcdef.log.txt pi-bash-fedcba9876543210.log pi-bash-notes.log"
	if got := strings.Join(left, " "); n != 2 || err != nil || got != want {
		t.Errorf("removed %d, %v; left %s", n, err, got)
	}
	env.Temp = "/gone"
	if _, err := tools.RemoveOldLogs(t.Context(), env, now); err == nil {
		t.Error("a missing directory is no error")
	}
}

func TestGuidelines(t *testing.T) {
	t.Parallel()
	set := tools.New(tools.Options{Env: execenv.Memory(nil)})
	pick := func(names ...string) (active []tools.Definition) {
		for _, name := range names {
			d, ok := tools.Find(set, name)
			if !ok {
				t.Fatalf("there is no %s", name)
			}
			active = append(active, d)
		}
		return active
	}
	instead := "List and search files with bash commands such as ls, rg and find."
	if got := tools.Guidelines(pick(tools.DefaultNames()...)); len(got) != 6 || got[0] != instead {
		t.Errorf("by default: %q", got)
	}
	if got := tools.Guidelines(pick("bash", "grep", "bash")); len(got) != 1 || got[0] == instead {
		t.Errorf("with grep: %q", got)
	}
	if d := cmp.Diff([]string(nil), tools.Guidelines(pick("ls", "find"))); d != "" {
		t.Error(d)
	}
	if _, ok := tools.Find(set, "rm"); ok {
		t.Error("there is a tool rm")
	}
}
