// Package gittest serves git repositories over HTTP on loopback, for tests. Tests
// that use it are skipped where git is not installed.
package gittest

import (
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
)

// Server serves repositories that tests make.
type Server struct {
	// URL is the address, without a slash at its end.
	URL string
	tb  testing.TB
	dir string

	mu       sync.Mutex
	requests int
}

// Start starts a server, which stops with the test.
func Start(tb testing.TB) *Server {
	tb.Helper()
	if _, err := exec.LookPath("git"); err != nil {
		tb.Skip("git is not installed")
	}
	s := &Server{tb: tb, dir: tb.TempDir()}
	files := http.FileServer(http.Dir(filepath.Join(s.dir, "served")))
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		s.mu.Lock()
		s.requests++
		s.mu.Unlock()
		files.ServeHTTP(w, r)
	}))
	tb.Cleanup(server.Close)
	s.URL = server.URL
	return s
}

// Requests tells how many there were.
func (s *Server) Requests() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.requests
}

// Git runs git in the working copy of a repository.
func (s *Server) Git(repo string, args ...string) string {
	s.tb.Helper()
	cmd := exec.Command("git", args...)
	cmd.Dir = s.work(repo)
	cmd.Env = append(os.Environ(), "GIT_CONFIG_GLOBAL="+os.DevNull, "GIT_CONFIG_SYSTEM="+os.DevNull, "HOME="+s.dir,
		"GIT_AUTHOR_NAME=a", "GIT_AUTHOR_EMAIL=a@example.org", "GIT_COMMITTER_NAME=a", "GIT_COMMITTER_EMAIL=a@example.org")
	out, err := cmd.CombinedOutput()
	if err != nil {
		s.tb.Fatalf("git %v: %v\n%s", args, err, out)
	}
	return strings.TrimSpace(string(out))
}

func (s *Server) work(repo string) string { return filepath.Join(s.dir, "work", repo) }

// Commit writes files into the repository OWNER/NAME, which is made if needed,
// commits them on the branch main, and gives the commit's name. A file without text
// is removed.
func (s *Server) Commit(repo string, files map[string]string) string {
	s.tb.Helper()
	if _, err := os.Stat(s.work(repo)); err != nil {
		if err := os.MkdirAll(s.work(repo), 0o755); err != nil {
			s.tb.Fatal(err)
		}
		s.Git(repo, "init", "--quiet", "--initial-branch=main")
	}
	for name, text := range files {
		path := filepath.Join(s.work(repo), name)
		var err error
		if text == "" {
			err = os.Remove(path)
		} else if err = os.MkdirAll(filepath.Dir(path), 0o755); err == nil {
			err = os.WriteFile(path, []byte(text), 0o755)
		}
		if err != nil {
			s.tb.Fatal(err)
		}
	}
	s.Git(repo, "add", "--all")
	s.Git(repo, "commit", "--quiet", "--allow-empty", "--message=change")
	s.Serve(repo)
	return s.Git(repo, "rev-parse", "HEAD")
}

// Serve makes what the working copy holds, with its branches and tags, that which
// is served.
func (s *Server) Serve(repo string) {
	s.tb.Helper()
	bare := filepath.Join(s.dir, "served", repo)
	if err := os.RemoveAll(bare); err != nil {
		s.tb.Fatal(err)
	}
	s.Git(repo, "clone", "--quiet", "--mirror", ".", bare)
	s.Git(repo, "--git-dir="+bare, "update-server-info")
}
