package lockfile

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"testing"
	"time"

	"github.com/pi-go/pi/ai/jsonobj"
)

// These tests need other processes: the test binary runs itself.
const roleVariable = "LOCKFILE_TEST_ROLE"

func TestMain(m *testing.M) {
	if role := os.Getenv(roleVariable); role != "" {
		if err := play(role, os.Args[1:]); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		return
	}
	os.Exit(m.Run())
}

func play(role string, args []string) error {
	switch role {
	case "writer": // dir, key, rounds
		rounds, err := strconv.Atoi(args[2])
		if err != nil {
			return err
		}
		for i := range rounds {
			if err := setKey(filepath.Join(args[0], strconv.Itoa(i), "settings.json"), args[1], i); err != nil {
				return err
			}
		}
		return nil
	case "holder": // path
		l, err := Acquire(context.Background(), args[0], Options{})
		if err != nil {
			return err
		}
		fmt.Println("held")
		io.Copy(io.Discard, os.Stdin) // until killed, or told to go
		return l.Release()
	}
	return fmt.Errorf("no role %q", role)
}

func setKey(path, key string, value int) error {
	opt := Options{Perm: 0o600, MaxDelay: 15 * time.Millisecond}
	return Update(context.Background(), path, opt, func(old []byte) ([]byte, error) {
		d, err := jsonobj.Open(path, old, jsonobj.Strict)
		if err != nil {
			return nil, err
		}
		if err := d.Set(value, key); err != nil {
			return nil, err
		}
		return d.Bytes(), nil
	})
}

func process(t *testing.T, role string, args ...string) *exec.Cmd {
	t.Helper()
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), exe, args...)
	cmd.Env = append(os.Environ(), roleVariable+"="+role)
	cmd.Stderr = os.Stderr
	return cmd
}

// Two programs set different keys of a file that is not there yet; a third looks on.
func TestTwoWriters(t *testing.T) {
	t.Parallel()
	rounds := 100
	if testing.Short() {
		rounds = 20
	}
	dir := t.TempDir()
	for i := range rounds {
		round := filepath.Join(dir, strconv.Itoa(i))
		if err := os.Mkdir(round, 0o700); err != nil {
			t.Fatal(err)
		}
		if i%2 == 0 && runtime.GOOS != "windows" { // half of them behind a link
			if err := os.Symlink("real.json", filepath.Join(round, "settings.json")); err != nil {
				t.Fatal(err)
			}
		}
	}
	theme := process(t, "writer", dir, "theme", strconv.Itoa(rounds))
	model := process(t, "writer", dir, "defaultModel", strconv.Itoa(rounds))
	if err := errors.Join(theme.Start(), model.Start()); err != nil {
		t.Fatal(err)
	}
	ended := make(chan error, 2)
	go func() { ended <- theme.Wait() }()
	go func() { ended <- model.Wait() }()

	looks := 0
	look := func(i int) map[string]int {
		b, err := os.ReadFile(filepath.Join(dir, strconv.Itoa(i), "settings.json"))
		if errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		var v map[string]int
		if err := errors.Join(err, json.Unmarshal(b, &v)); err != nil {
			t.Errorf("round %d: a reader saw %q: %v", i, b, err)
		}
		looks++
		return v
	}
	for running := 2; running > 0; {
		select {
		case err := <-ended:
			if err != nil {
				t.Fatal(err)
			}
			running--
		default:
			for i := range rounds {
				look(i)
			}
		}
	}
	for i := range rounds {
		if v := look(i); len(v) != 2 || v["theme"] != i || v["defaultModel"] != i {
			t.Errorf("round %d ends with %v", i, v)
		}
		names := []string{"settings.json"}
		if i%2 == 0 && runtime.GOOS != "windows" {
			names = []string{"real.json", "settings.json"}
			if target, err := os.Readlink(filepath.Join(dir, strconv.Itoa(i), "settings.json")); err != nil || target != "real.json" {
				t.Errorf("round %d: the link is %q, %v", i, target, err)
			}
		}
		only(t, filepath.Join(dir, strconv.Itoa(i)), names...)
		if info, err := os.Stat(filepath.Join(dir, strconv.Itoa(i), "settings.json")); runtime.GOOS != "windows" && (err != nil || info.Mode().Perm() != 0o600) {
			t.Errorf("round %d: mode %v, %v", i, info.Mode(), err)
		}
	}
	if looks <= rounds {
		t.Errorf("the reader saw nothing while they wrote")
	}
}

func TestKilledHolder(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "auth.json")
	holder := process(t, "holder", path)
	in, err := holder.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	defer in.Close()
	out, err := holder.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := holder.Start(); err != nil {
		t.Fatal(err)
	}
	if line, err := bufio.NewReader(out).ReadString('\n'); line != "held\n" {
		t.Fatalf("the holder says %q, %v", line, err)
	}
	var busy *BusyError
	if _, err := Acquire(t.Context(), path, Options{Wait: -1}); !errors.As(err, &busy) {
		t.Fatalf("while it lives: %v", err)
	}
	if err := holder.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	holder.Wait()
	// It still looks alive, until its last refresh is old enough.
	if _, err := Acquire(t.Context(), path, Options{Wait: -1, Now: later(20 * time.Second)}); !errors.As(err, &busy) {
		t.Fatalf("just after its death: %v", err)
	}
	if err := Update(t.Context(), path, Options{Wait: -1, Now: later(40 * time.Second)}, write("mine")); err != nil {
		t.Fatal(err)
	}
	only(t, filepath.Dir(path), "auth.json")
}
