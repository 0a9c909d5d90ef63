//go:build unix

package postgres_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/pi-go/pi/storage/postgres"
)

// server is a throw-away PostgreSQL that listens on a socket in a directory
// of its own.
type server struct {
	dir string
	cmd *exec.Cmd
	mu  sync.Mutex
	n   int
}

var (
	theServer *server
	noServer  string // why there is none
)

func TestMain(m *testing.M) {
	if os.Getenv(child) == "" { // the writer that is to be killed uses its parent's
		var err error
		if theServer, err = startServer(); err != nil {
			noServer = err.Error()
		}
	}
	code := m.Run()
	if theServer != nil {
		theServer.stop()
	}
	os.Exit(code)
}

// binaries finds the directory of initdb and postgres.
func binaries() (string, error) {
	places, err := filepath.Glob("/usr/lib/postgresql/*/bin")
	if err != nil {
		return "", err
	}
	for _, dir := range append(places, filepath.SplitList(os.Getenv("PATH"))...) {
		if _, err := os.Stat(filepath.Join(dir, "initdb")); err == nil {
			return dir, nil
		}
	}
	return "", errors.New("PostgreSQL is not installed (Debian: apt-get install postgresql)")
}

func startServer() (*server, error) {
	bin, err := binaries()
	if err != nil {
		return nil, err
	}
	dir, err := os.MkdirTemp("", "pg")
	if err != nil {
		return nil, err
	}
	s := &server{dir: dir}
	attr, err := unprivileged(dir)
	if err != nil {
		return nil, err
	}
	initdb := exec.Command(filepath.Join(bin, "initdb"), "-D", filepath.Join(dir, "data"), "-U", "pi", "-A", "trust", "-E", "UTF8", "--locale=C", "--no-sync")
	initdb.SysProcAttr, initdb.Dir = attr, dir
	if out, err := initdb.CombinedOutput(); err != nil {
		return nil, fmt.Errorf("initdb: %w: %s", err, out)
	}
	s.cmd = exec.Command(filepath.Join(bin, "postgres"), "-D", filepath.Join(dir, "data"), "-k", dir,
		"-c", "listen_addresses=", "-c", "fsync=off", "-c", "max_connections=200")
	s.cmd.SysProcAttr, s.cmd.Dir = attr, dir
	if err := s.cmd.Start(); err != nil {
		return nil, fmt.Errorf("postgres: %w", err)
	}
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	for {
		c, err := pgx.Connect(ctx, s.url("postgres"))
		if err == nil {
			return s, c.Close(ctx)
		}
		if ctx.Err() != nil {
			s.stop()
			return nil, fmt.Errorf("postgres does not answer: %w", err)
		}
		time.Sleep(20 * time.Millisecond) // another process starts: there is nothing to wait on
	}
}

// unprivileged gives the user to run the server as, which refuses to be root.
func unprivileged(dir string) (*syscall.SysProcAttr, error) {
	if os.Getuid() != 0 {
		return &syscall.SysProcAttr{}, nil
	}
	for _, name := range []string{"postgres", "nobody"} {
		u, err := user.Lookup(name)
		if err != nil {
			continue
		}
		uid, err1 := strconv.Atoi(u.Uid)
		gid, err2 := strconv.Atoi(u.Gid)
		if err := errors.Join(err1, err2, os.Chown(dir, uid, gid)); err != nil {
			return nil, err
		}
		return &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: uint32(uid), Gid: uint32(gid)}}, nil
	}
	return nil, errors.New("there is no user to run PostgreSQL as")
}

func (s *server) url(database string) string {
	return fmt.Sprintf("host=%s user=pi dbname=%s", s.dir, database)
}

func (s *server) stop() {
	_ = s.cmd.Process.Signal(syscall.SIGQUIT)
	_ = s.cmd.Wait()
	_ = os.RemoveAll(s.dir)
}

// database makes an empty database, or skips the test where there is no
// server.
func database(t testing.TB) string {
	t.Helper()
	if theServer == nil {
		t.Skip(noServer)
	}
	theServer.mu.Lock()
	defer theServer.mu.Unlock()
	theServer.n++
	name := fmt.Sprintf("t%d", theServer.n)
	c, err := pgx.Connect(t.Context(), theServer.url("postgres"))
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close(t.Context())
	if _, err := c.Exec(t.Context(), "CREATE DATABASE "+name); err != nil {
		t.Fatal(err)
	}
	return theServer.url(name)
}

func open(t testing.TB, url string, o postgres.Options) *postgres.Repo {
	t.Helper()
	r, err := postgres.Open(t.Context(), url, o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(r.Close)
	return r
}

// poolSize keeps many repos of one test within the server's connections.
func poolSize(url string, n int) string {
	return strings.TrimSpace(url) + fmt.Sprintf(" pool_max_conns=%d", n)
}

// run runs a statement.
func run(t *testing.T, url, statement string) {
	t.Helper()
	c, err := pgx.Connect(t.Context(), url)
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close(t.Context())
	if _, err := c.Exec(t.Context(), statement); err != nil {
		t.Fatal(err)
	}
}

// expire lets all leases run out.
func expire(t *testing.T, url string) {
	t.Helper()
	run(t, url, "UPDATE pi_sessions SET until = now() - interval '1 hour'")
}

// leaseEnd is when the one lease runs out.
func leaseEnd(t *testing.T, url string) (end time.Time) {
	t.Helper()
	c, err := pgx.Connect(t.Context(), url)
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close(t.Context())
	if err := c.QueryRow(t.Context(), "SELECT until FROM pi_sessions").Scan(&end); err != nil {
		t.Fatal(err)
	}
	return end
}
