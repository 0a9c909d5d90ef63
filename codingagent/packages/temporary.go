package packages

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"os"
	"path/filepath"
)

// Temporary makes a package ready for one run, as the option -e does, and gives
// where it is: a file or a directory. It is named in no settings and kept in
// tmp/extensions of the user's files for the next time. Unless its source pins it,
// each call looks for a newer one; a copy that is there is used if that fails, and
// note tells so.
func (m *Manager) Temporary(ctx context.Context, text string) (dir, note string, err error) {
	s, err := Parse(text)
	if err != nil {
		return "", "", err
	}
	if s.Kind == Local {
		done, err := m.checkLocal(s)
		return done.Dir, "", err
	}
	top := filepath.Join(m.o.AgentDir, "tmp", "extensions")
	if err := os.MkdirAll(top, 0o700); err != nil {
		return "", "", err
	}
	root, fetch := "", m.fetchNPM
	switch s.Kind {
	case NPM:
		// The TypeScript pi keeps all of them in one place.
		root = filepath.Join(top, "npm", shortHash("npm-"))
		dir = filepath.Join(root, "node_modules", filepath.FromSlash(s.Name))
	default:
		key := "git-" + s.Host + "-" + s.Path
		if s.Ref != "" {
			key += "@" + s.Ref
		}
		root, fetch = filepath.Join(top, "git-"+s.Host, shortHash(key)), m.fetchGitInto
		dir = filepath.Join(root, filepath.FromSlash(s.Path))
	}
	stale := true
	if m.current(ctx, s, dir) != "" {
		if m.o.Offline {
			return dir, "", nil
		}
		stale, err = m.stale(ctx, s, dir)
	}
	if err == nil && stale {
		_, err = fetch(ctx, root, s)
	}
	switch {
	case err == nil:
		return dir, "", nil
	case ctx.Err() == nil && m.current(ctx, s, dir) != "":
		return dir, fmt.Sprintf("%s could not be brought up to date, so the copy that is there is used: %v", s.Text, err), nil
	}
	return "", "", fmt.Errorf("fetch %s: %w", s.Text, err)
}

func shortHash(s string) string {
	sum := sha256.Sum256([]byte(s))
	return hex.EncodeToString(sum[:4])
}

// fetchGitInto clones a repository to root/PATH, without its host.
func (m *Manager) fetchGitInto(ctx context.Context, root string, s Source) ([]string, error) {
	return m.fetchGitAt(ctx, root, filepath.FromSlash(s.Path), s)
}
