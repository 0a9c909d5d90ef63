package packages

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// git runs git in a directory. Nothing that a repository, a template or the
// environment of a hook configures takes part: no hooks, no submodules, no
// commands in place of addresses; and git asks nobody.
func (m *Manager) git(ctx context.Context, dir string, args ...string) (string, error) {
	program := m.o.GitCommand
	if program == "" {
		program = "git"
	}
	none := os.DevNull
	argv := append([]string{
		program, "-c", "core.hooksPath=" + none, "-c", "core.fsmonitor=false", "-c", "submodule.recurse=false", "-c", "fetch.recurseSubmodules=false",
		"-c", "protocol.ext.allow=never", "-c", "protocol.file.allow=never", "-c", "advice.detachedHead=false", "-c", "gc.auto=0", "-c", "core.longpaths=true",
	}, args...)
	environ := slices.DeleteFunc(slices.Clone(m.o.Environ), func(kv string) bool {
		name, _, _ := strings.Cut(kv, "=")
		switch name {
		case "GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE", "GIT_PREFIX", "GIT_OBJECT_DIRECTORY", "GIT_ALTERNATE_OBJECT_DIRECTORIES",
			"GIT_COMMON_DIR", "GIT_NAMESPACE", "GIT_TEMPLATE_DIR", "GIT_TERMINAL_PROMPT":
			return true
		}
		return false
	})
	out, err := m.run(ctx, dir, append(environ, "GIT_TERMINAL_PROMPT=0", "LC_ALL=C"), argv)
	if err != nil {
		return "", fmt.Errorf("git %s: %w", args[0], err)
	}
	return out, nil
}

// shownURL is the address without a password.
func (s Source) shownURL() string {
	if u, err := url.Parse(s.URL); err == nil {
		return u.Redacted()
	}
	return s.URL
}

// fetchGit clones a repository below root and checks out what the source names.
func (m *Manager) fetchGit(ctx context.Context, root string, s Source) (notes []string, err error) {
	return m.fetchGitAt(ctx, root, filepath.Join(s.Host, filepath.FromSlash(s.Path)), s)
}

// fetchGitAt is fetchGit for a directory root/rel.
func (m *Manager) fetchGitAt(ctx context.Context, root, rel string, s Source) (notes []string, err error) {
	if m.o.Offline {
		return nil, ErrOffline
	}
	for up := filepath.Dir(rel); up != "."; up = filepath.Dir(up) {
		if exists(filepath.Join(root, up, ".git")) {
			return nil, fmt.Errorf("it would be inside the package in %s; remove that first", filepath.Join(root, up))
		}
	}
	err = m.locked(ctx, root, func() (err error) {
		if err := prepareRoot(root, false); err != nil {
			return err
		}
		dir, err := stage(root)
		if err != nil {
			return err
		}
		defer func() { err = errors.Join(err, unstage(root)) }()
		repo := filepath.Join(dir, "repository")
		if err := m.clone(ctx, dir, repo, s); err != nil {
			return fmt.Errorf("fetch %s: %w", s.shownURL(), err)
		}
		if notes, err = m.fetchDependencies(ctx, repo); err != nil {
			return err
		}
		return put(root, rel, repo)
	})
	return notes, err
}

// clone makes a checkout of what the source names.
func (m *Manager) clone(ctx context.Context, dir, repo string, s Source) error {
	if _, err := m.git(ctx, dir, "clone", "--quiet", "--no-checkout", "--no-recurse-submodules", "--template=", "--", s.URL, repo); err != nil {
		return err
	}
	if s.Ref == "" {
		_, err := m.git(ctx, repo, "reset", "--quiet", "--hard")
		return err
	}
	find := func(rev string) string {
		hash, err := m.git(ctx, repo, "rev-parse", "--verify", "--quiet", "--end-of-options", rev+"^{commit}")
		if err != nil {
			return ""
		}
		return hash
	}
	branch := ""
	hash := ""
	switch {
	case isCommit(s.Ref):
		if hash = find(s.Ref); hash == "" { // not on a branch or tag any more
			if _, err := m.git(ctx, repo, "fetch", "--quiet", "--no-tags", "--no-recurse-submodules", "origin", s.Ref); err != nil {
				return err
			}
			hash = find(s.Ref)
		}
	case find("refs/tags/"+s.Ref) != "":
		hash = find("refs/tags/" + s.Ref)
	case find("refs/remotes/origin/"+s.Ref) != "":
		hash, branch = find("refs/remotes/origin/"+s.Ref), s.Ref
	case strings.Trim(s.Ref, "0123456789abcdef") == "":
		hash = find(s.Ref) // the beginning of a commit's name
	}
	if hash == "" {
		return fmt.Errorf("it has no branch, tag or commit %s", s.Ref)
	}
	if isCommit(s.Ref) && !strings.EqualFold(hash, s.Ref) {
		return fmt.Errorf("the commit %s is %s there", s.Ref, hash)
	}
	args := []string{"checkout", "--quiet", "--force", "--detach", hash}
	if branch != "" { // the TypeScript pi updates what follows a branch
		args = []string{"checkout", "--quiet", "--force", "-B", branch, "--track", "origin/" + branch}
	}
	if _, err := m.git(ctx, repo, args...); err != nil {
		return err
	}
	if head, err := m.git(ctx, repo, "rev-parse", "HEAD"); err != nil || head != hash {
		return errors.Join(fmt.Errorf("%s was checked out instead of %s", head, hash), err)
	}
	return nil
}

// isCommit reports whether a ref is the whole name of a commit.
func isCommit(ref string) bool {
	return (len(ref) == 40 || len(ref) == 64) && strings.Trim(strings.ToLower(ref), "0123456789abcdef") == ""
}

// head gives the commit that a checkout is at, "" if that can not be told.
func (m *Manager) head(ctx context.Context, dir string) string {
	hash, err := m.git(ctx, dir, "rev-parse", "--verify", "--quiet", "HEAD")
	if err != nil {
		return ""
	}
	return hash
}

// remoteHead gives the commit that the source names now; "" if the server does not
// tell, as for the beginning of a commit's name.
func (m *Manager) remoteHead(ctx context.Context, dir string, s Source) (string, error) {
	if isCommit(s.Ref) {
		return strings.ToLower(s.Ref), nil
	}
	names := []string{"HEAD"}
	if s.Ref != "" { // a tag that has a text of its own is followed to its commit
		names = []string{"refs/tags/" + s.Ref + "^{}", "refs/tags/" + s.Ref, "refs/heads/" + s.Ref}
	}
	out, err := m.git(ctx, dir, append([]string{"ls-remote", "--quiet", "--", s.URL}, names...)...)
	if err != nil {
		return "", fmt.Errorf("ask %s: %w", s.shownURL(), err)
	}
	found := map[string]string{}
	for line := range strings.Lines(out) {
		if hash, name, ok := strings.Cut(strings.TrimSpace(line), "\t"); ok {
			found[name] = hash
		}
	}
	for _, n := range names {
		if found[n] != "" {
			return found[n], nil
		}
	}
	return "", nil
}

// dropGit removes a checkout.
func (m *Manager) dropGit(ctx context.Context, root string, s Source) error {
	if !exists(root) {
		return nil
	}
	return m.locked(ctx, root, func() error { return drop(root, filepath.Join(s.Host, filepath.FromSlash(s.Path))) })
}
