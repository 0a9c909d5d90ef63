package vttest

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/pi-go/pi/tui/render"
	"github.com/pi-go/pi/tui/tuitest"
)

// A few programs run in a real terminal multiplexer, through a real pty. What
// tmux shows must be what our own terminal shows.
func TestProgramsInTmux(t *testing.T) {
	t.Parallel()
	if _, err := exec.LookPath("tmux"); err != nil {
		t.Skip("tmux is not installed: programs are not run in it")
	}
	shapes := newShape(t)
	for seed := range uint64(5) {
		const width, height = 70, 16
		in := &inlineProgram{rand: rand.New(rand.NewPCG(seed, 3)), width: width, height: height, shape: shapes, fixedSize: true}
		if err := in.run(render.Options{}); err != nil {
			t.Fatal(err)
		}
		compareInTmux(t, fmt.Sprintf("inline%d", seed), width, height, in.log, in.own)
		full := &fullProgram{rand: rand.New(rand.NewPCG(seed, 4)), width: width, height: height, shape: shapes, fixedSize: true}
		if err := full.run(render.Options{}); err != nil {
			t.Fatal(err)
		}
		compareInTmux(t, fmt.Sprintf("full%d", seed), width, height, full.log, full.own)
	}
}

// unsure are clusters that old versions of tmux draw in another width than
// other terminals; rows with them are not compared.
const unsure = "\ufe0f\u200d\u20e3🇯"

func compareInTmux(t *testing.T, name string, width, height int, log []byte, own *tuitest.Terminal) {
	t.Helper()
	dir := t.TempDir()
	file := filepath.Join(dir, "bytes")
	// Rows hold what tmux draws differently; those are left out from the start.
	if err := os.WriteFile(file, log, 0o600); err != nil {
		t.Fatal(err)
	}
	socket := filepath.Join(dir, "tmux")
	tmux := func(args ...string) (string, error) {
		ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
		defer cancel()
		cmd := exec.CommandContext(ctx, "tmux", append([]string{"-S", socket, "-f", "/dev/null"}, args...)...)
		cmd.Env = append(os.Environ(), "LC_ALL=C.UTF-8", "TERM=xterm-256color", "TMUX=")
		out, err := cmd.CombinedOutput()
		return string(out), err
	}
	script := fmt.Sprintf("stty raw -echo; cat %q; printf '\\033]2;all-drawn\\033\\\\'; sleep 60", file)
	if out, err := tmux("new-session", "-d", "-x", fmt.Sprint(width), "-y", fmt.Sprint(height), script, ";", "set", "status", "off"); err != nil {
		t.Skipf("tmux does not start here: %v: %s", err, out)
	}
	defer func() { _, _ = tmux("kill-server") }()
	deadline := time.Now().Add(15 * time.Second)
	for {
		if out, _ := tmux("display", "-p", "#{pane_title} #{pane_height}"); strings.HasPrefix(out, "all-drawn") {
			if !strings.Contains(out, fmt.Sprint(height)) {
				t.Skipf("tmux gives the pane another height: %s", out)
			}
			break
		}
		if time.Now().After(deadline) {
			t.Fatalf("%s: tmux has not drawn everything in time", name)
		}
		<-time.After(20 * time.Millisecond) // the state of another process: it can only be asked for
	}
	out, err := tmux("capture-pane", "-p")
	if err != nil {
		t.Fatal(err)
	}
	got, want := strings.Split(strings.TrimSuffix(out, "\n"), "\n"), own.Screen()
	for i := range want {
		if strings.ContainsAny(want[i], unsure) {
			want[i] = "(not compared)"
			if i < len(got) {
				got[i] = want[i]
			}
		} else if i < len(got) {
			got[i] = strings.TrimRight(got[i], " ")
		}
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("%s: tmux shows another screen than our own terminal (-ours +tmux):\n%s", name, diff)
	}
	if own.AltScreen() {
		return
	}
	out, err = tmux("display", "-p", "#{history_size}")
	if err != nil {
		t.Fatal(err)
	}
	if n := strings.TrimSpace(out); n != fmt.Sprint(len(own.Scrollback())) {
		t.Errorf("%s: tmux has %s lines of history, our own terminal %d", name, n, len(own.Scrollback()))
	}
}
