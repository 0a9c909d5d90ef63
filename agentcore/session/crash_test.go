package session

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/pi-go/pi/ai"
)

// crashDir makes the test binary run as a writer that is to be killed.
const crashDir = "SESSION_TEST_CRASH_PATH"

func TestMain(m *testing.M) {
	if path := os.Getenv(crashDir); path != "" {
		if err := writeUntilKilled(path); err != nil {
			fmt.Println("error", err)
			os.Exit(1)
		}
		return
	}
	os.Exit(m.Run())
}

// writeUntilKilled appends entries and prints the id of each once it is
// stored.
func writeUntilKilled(path string) error {
	ctx := context.Background()
	f, err := OpenFile(ctx, path, ReadWrite, Header{})
	if errors.Is(err, os.ErrNotExist) {
		f, err = CreateFile(ctx, path, Header{ID: "crash", Version: Version}, nil)
	}
	if err != nil {
		return err
	}
	s, err := Load(ctx, f, Options{})
	if err != nil {
		return err
	}
	ids := []string{}
	for i := 0; ; i++ {
		text := strings.Repeat("x", rand.IntN(1<<rand.IntN(18)))
		id, err := s.AppendMessage(ctx, ai.UserText(text))
		if err != nil {
			return err
		}
		fmt.Println("stored", id, len(text))
		ids = append(ids, id)
		switch i % 5 {
		case 1:
			s.StartSync()
		case 2:
			to := ids[rand.IntN(len(ids))]
			if err := s.MoveTo(ctx, to); err != nil {
				return err
			}
			fmt.Println("moved", to, 0)
		}
	}
}

// A writer is killed at random points: every entry that it reported as stored
// is there, whole; the leaf is where it was or one step on; the next writer
// takes over at once.
func TestKilledWriterLosesNothing(t *testing.T) {
	if testing.Short() {
		t.Skip("starts processes")
	}
	rounds := 30
	if n, err := strconv.Atoi(os.Getenv("SESSION_TEST_CRASH_ROUNDS")); err == nil {
		rounds = n
	}
	t.Parallel()
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "sub", "s.jsonl")
	stored := make(map[string]int) // id to length of text
	total := 0
	for round := range rounds {
		if round%10 == 9 { // begin anew, so that creation is hit too
			path = filepath.Join(t.TempDir(), "sub", "s.jsonl")
			clear(stored)
		}
		cmd := exec.Command(exe)
		cmd.Env = append(os.Environ(), crashDir+"="+path)
		out, err := cmd.StdoutPipe()
		if err != nil {
			t.Fatal(err)
		}
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		lines := bufio.NewScanner(out)
		killer := make(chan struct{})
		stop := rand.IntN(60)
		last := ""
		killed := false
		for n := 0; lines.Scan(); n++ {
			if n == stop {
				killed = true
				time.AfterFunc(time.Duration(rand.IntN(3000))*time.Microsecond, func() {
					cmd.Process.Kill()
					close(killer)
				})
			}
			var what, id string
			var size int
			if _, err := fmt.Sscan(lines.Text(), &what, &id, &size); err != nil || what == "error" {
				t.Fatalf("writer says: %s", lines.Text())
			}
			last = id
			if what == "stored" {
				stored[id] = size
				total++
			}
		}
		if !killed {
			t.Fatal("the writer ended by itself")
		}
		<-killer
		cmd.Wait()
		s := openPath(t, path, ReadWrite)
		for id, size := range stored {
			e, err := s.Entry(t.Context(), id)
			if err != nil {
				t.Fatalf("round %d: %v", round, err)
			}
			if m, ok := e.(*MessageEntry); !ok || len(ai.TextOf(m.Message.(*ai.UserMessage).Content, "")) != size {
				t.Fatalf("round %d: entry %s is not what was stored", round, id)
			}
		}
		leaf, _ := s.Stub(s.Leaf())
		if _, known := stored[leaf.ID]; known && leaf.ID != last {
			// A move may have been stored without having been reported.
			if !strings.Contains(lastLine(t, path), LeafType) {
				t.Fatalf("round %d: leaf %s, want %s", round, leaf.ID, last)
			}
		}
		say(t, s, "taken over")
		if err := s.Close(); err != nil {
			t.Fatal(err)
		}
	}
	t.Logf("%d rounds, %d entries", rounds, total)
}

func lastLine(t *testing.T, path string) string {
	all := strings.Split(strings.TrimRight(readFile(t, path), "\n"), "\n")
	return all[len(all)-1]
}
