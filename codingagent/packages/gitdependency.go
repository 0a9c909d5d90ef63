package packages

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/pi-go/pi/codingagent/internal/npm"
)

// checkouts are repositories that dependencies name, for as long as a tree of packages
// is put together.
type checkouts struct {
	dir string // "" before the first
	n   int
}

// fetch makes a checkout of a repository.
func (c *checkouts) fetch(ctx context.Context, m *Manager, want string) (npm.Checkout, error) {
	if m.o.Offline {
		return npm.Checkout{}, ErrOffline
	}
	s, err := dependencySource(want)
	if err != nil {
		return npm.Checkout{}, err
	}
	if c.dir == "" {
		if c.dir, err = os.MkdirTemp("", "pi-dependencies-"); err != nil {
			return npm.Checkout{}, err
		}
	}
	c.n++
	repo := filepath.Join(c.dir, fmt.Sprint(c.n))
	if err := m.clone(ctx, c.dir, repo, s); err != nil {
		return npm.Checkout{}, fmt.Errorf("fetch %s: %w", s.shownURL(), err)
	}
	address := s.shownURL()
	if !strings.HasPrefix(address, "git") {
		address = "git+" + address
	}
	return npm.Checkout{Dir: repo, Resolved: address + "#" + m.head(ctx, repo)}, nil
}

// remove removes all of them.
func (c *checkouts) remove() error {
	if c.dir == "" {
		return nil
	}
	return os.RemoveAll(c.dir)
}

// dependencySource reads a repository as the dependencies of npm packages name it.
func dependencySource(want string) (Source, error) {
	address, ref, _ := strings.Cut(want, "#")
	if strings.HasPrefix(ref, "semver:") || strings.Contains(ref, "path:") {
		return Source{}, errors.New("versions and paths of a repository can not be asked for; name a branch, a tag or a commit, or set npmCommand to use npm")
	}
	switch scheme, rest, _ := strings.Cut(address, ":"); {
	case strings.HasPrefix(scheme, "git+"):
		address = strings.TrimPrefix(address, "git+")
	case scheme == "github":
		address = "git:github.com/" + rest
	case scheme == "gitlab":
		address = "git:gitlab.com/" + rest
	case scheme == "bitbucket":
		address = "git:bitbucket.org/" + rest
	case scheme == "git" && strings.HasPrefix(rest, "//"), scheme == "http", scheme == "https", scheme == "ssh":
	default: // owner/name, user@host:path
		address = "git:" + address
	}
	if ref != "" {
		address += "#" + ref
	}
	s, err := Parse(address)
	if err == nil && s.Kind != Git {
		err = errors.New("it names no repository")
	}
	return s, err
}
