package auth_test

import (
	"bufio"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/pi-go/pi/ai/auth"
)

const untouched = `  "later": {
    "type": "passkey",
    "blob": [1, 2.50]
  }`

// A process that renews logins and stores keys is killed again and again, wherever it
// is. What it said was stored is there, the file is always whole, all else in it stays
// byte for byte, and the next process goes on.
func TestKilled(t *testing.T) {
	if path := os.Getenv("AUTH_KILL_FILE"); path != "" {
		renewForever(t, path)
		return
	}
	s := write(t, "{\n"+untouched+`,
  "login": {
    "note": "mine",
    "type": "oauth",
    "access": "a0",
    "refresh": "r0",
    "expires": 1,
    "scopes": ["a"]
  }
}`)
	last, locks := 0, 0
	for range 25 {
		last = killed(t, s.Path(), last)
		if locks += grow(t, filepath.Dir(s.Path())); t.Failed() {
			return
		}
	}
	t.Logf("%d logins were renewed, %d times a lock was left", last, locks)
	// Whoever comes next goes on, and clears away.
	if err := count(t.Context(), s, "next"); err != nil {
		t.Fatal(err)
	}
	if entries, err := os.ReadDir(filepath.Dir(s.Path())); err != nil || len(entries) != 1 {
		t.Errorf("left behind: %v, %v", entries, err)
	}
}

// killed runs a process until it is killed and looks at the file. last is the number
// that was stored before.
func killed(t *testing.T, path string, last int) int {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^TestKilled$", "-test.count=1")
	cmd.Env = append(os.Environ(), "AUTH_KILL_FILE="+path)
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	first, until, lines := 0, 1+rand.IntN(8), bufio.NewScanner(out)
	for lines.Scan() {
		n, err := strconv.Atoi(lines.Text())
		if err != nil {
			t.Errorf("the process says %q", lines.Text())
			break
		}
		if first == 0 {
			first = n
		}
		last = n
		if until--; until == 0 {
			for range rand.IntN(1 << 18) { // anywhere in what comes next
			}
			if err := cmd.Process.Kill(); err != nil {
				t.Fatal(err)
			}
		}
	}
	if err := cmd.Wait(); err == nil || until > 0 {
		t.Fatalf("it ended by itself, %d before it was to: %v", until, err)
	}
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	var file struct {
		Login struct {
			Note, Type, Access, Refresh string
			Scopes                      []string
		}
	}
	if err := json.Unmarshal(text, &file); err != nil || !strings.Contains(string(text), untouched) {
		t.Fatalf("the file is %s\n%v", text, err)
	}
	l := file.Login
	now, err := strconv.Atoi(strings.TrimPrefix(l.Refresh, "r"))
	if err != nil || now < last || now > last+1 || l.Access != fmt.Sprint("a", now) || l.Note != "mine" || len(l.Scopes) != 1 || l.Type != "oauth" {
		t.Fatalf("%d was stored last, the login is %+v", last, l)
	}
	if info, err := os.Stat(path); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("mode %v, %v", info.Mode(), err)
	}
	return now
}

// grow makes what was left in a directory older, as if a minute had passed. It counts
// locks.
func grow(t *testing.T, dir string) (locks int) {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	then := time.Now().Add(-time.Minute)
	for _, e := range entries {
		if e.Name() == "auth.json" {
			continue
		}
		if e.IsDir() {
			locks++
		} else if info, err := e.Info(); err != nil || info.Mode().Perm() != 0o600 {
			t.Errorf("%s has mode %v, %v", e.Name(), info.Mode(), err)
		}
		if err := os.Chtimes(filepath.Join(dir, e.Name()), then, then); err != nil {
			t.Fatal(err)
		}
	}
	if locks > 1 {
		t.Errorf("%d locks: %v", locks, entries)
	}
	return locks
}

// renewForever renews a login and stores and removes a key until it is killed, and
// says which login was stored.
func renewForever(t *testing.T, path string) {
	s := auth.NewFileStore(path)
	for {
		c, err := s.Modify(t.Context(), "login", func(c *auth.Credential) (*auth.Credential, error) {
			n, err := strconv.Atoi(strings.TrimPrefix(c.Refresh, "r"))
			c.Refresh, c.Access, c.Expires = fmt.Sprint("r", n+1), fmt.Sprint("a", n+1), int64(n)
			return c, err
		})
		if err == nil {
			fmt.Println(strings.TrimPrefix(c.Refresh, "r"))
			err = count(t.Context(), s, "key")
		}
		if err == nil {
			err = auth.Delete(t.Context(), s, "key")
		}
		if err != nil {
			t.Fatal(err)
		}
	}
}
