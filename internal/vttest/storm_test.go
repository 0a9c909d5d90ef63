//go:build linux

package vttest

import (
	"fmt"
	"math/rand/v2"
	"os/exec"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/creack/pty"
)

// TestStormsOnARealPty sends sizes down to nothing, signals, halves of pastes and of
// answers, and stops, in any order and as fast as it can. The program goes on until it
// is told to end, and leaves the terminal as it found it.
func TestStormsOnARealPty(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("it builds and runs a program")
	}
	gallery := filepath.Join(t.TempDir(), "gallery")
	if out, err := exec.Command("go", "build", "-o", gallery, "github.com/pi-go/pi/tui/cmd/gallery").CombinedOutput(); err != nil {
		t.Fatalf("build the gallery: %v\n%s", err, out)
	}
	for seed := range uint64(4) {
		for _, args := range [][]string{nil, {"-full"}} {
			t.Run(fmt.Sprint(seed, args), func(t *testing.T) {
				t.Parallel()
				r := rand.New(rand.NewPCG(seed, 1))
				s := startSession(t, gallery, args...)
				s.until("the gallery", shows("type something"))
				for range 300 {
					s.disturb(r)
				}
				s.resize(80, 24)
				_ = s.cmd.Process.Signal(syscall.SIGTERM)
				if code := s.wait(); code != 1 {
					t.Errorf("exit code %d", code)
				}
				// What the program wrote comes before what is written now.
				if _, err := s.tty.WriteString("\r\nTHE END"); err != nil {
					t.Fatal(err)
				}
				s.until("the end", shows("THE END"))
				s.restored()
			})
		}
	}
}

func (s *session) resize(width, height int) {
	s.t.Helper()
	if err := pty.Setsize(s.pty, &pty.Winsize{Cols: uint16(width), Rows: uint16(height)}); err != nil {
		s.t.Fatal(err)
	}
}

// disturb does one thing of many. A key that sends a signal is not among them: in the
// moment in which the terminal is handed back, the system would drop what was written
// and is not read yet.
func (s *session) disturb(r *rand.Rand) {
	signal := func(sig syscall.Signal) { _ = s.cmd.Process.Signal(sig) }
	switch r.IntN(6) {
	case 0:
		s.resize(r.IntN(90), r.IntN(30))
	case 1:
		signal(syscall.SIGWINCH)
	case 2:
		signal(syscall.SIGCONT)
	case 3:
		signal(syscall.SIGSTOP)
		signal(syscall.SIGCONT)
	case 4:
		signal(syscall.SIGTSTP)
	case 5:
		s.send([]string{"\x1b[200~half", "\x1b[201~", "abc", "\x1b[", "\x1b]11;rgb:", "\x1b\\", "\x1b[<64;1;1M"}[r.IntN(7)])
	}
}
