package lockstep

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"github.com/pi-go/pi/internal/tools/workspace"
)

// Plan returns the tags of a release of the current commit, each module after
// those that it requires ("ai/v0.3.0", ...). It refuses, with all reasons at
// once, when the modules are not in lockstep, the change log has no section for
// the version, the tree has changes, or a tag exists already: a published module
// version can not be taken back.
func Plan(ctx context.Context, w *workspace.Workspace) ([]string, error) {
	var reasons []error
	problems, err := Verify(w)
	if err != nil {
		return nil, err
	}
	for _, p := range problems {
		reasons = append(reasons, errors.New(p.String()))
	}
	if err := changelogNames(w); err != nil {
		reasons = append(reasons, err)
	}
	if dirty, err := git(ctx, w, "status", "--porcelain"); err != nil {
		return nil, err
	} else if dirty != "" {
		reasons = append(reasons, fmt.Errorf("the tree has uncommitted changes:\n%s", dirty))
	}
	ordered, err := w.InDependencyOrder()
	if err != nil {
		return nil, err
	}
	var tags []string
	for _, m := range ordered {
		if !m.Published() {
			continue
		}
		tag := m.Dir + "/v" + w.Version
		tags = append(tags, tag)
		if exists, err := git(ctx, w, "tag", "--list", tag); err != nil {
			return nil, err
		} else if exists != "" {
			reasons = append(reasons, fmt.Errorf("tag %s exists already; choose a new version with make bump", tag))
		}
	}
	if err := errors.Join(reasons...); err != nil {
		return nil, fmt.Errorf("not ready to tag %s:\n%w", w.Version, err)
	}
	return tags, nil
}

// Tag makes the annotated tags of a plan on the current commit.
func Tag(ctx context.Context, w *workspace.Workspace, tags []string) error {
	for _, tag := range tags {
		if _, err := git(ctx, w, "tag", "-a", tag, "-m", tag); err != nil {
			return err
		}
	}
	return nil
}

func changelogNames(w *workspace.Workspace) error {
	data, err := os.ReadFile(filepath.Join(w.Root, "CHANGELOG.md"))
	if err != nil {
		return fmt.Errorf("read change log: %w", err)
	}
	if !strings.Contains(string(data), "\n## ["+w.Version+"]") {
		return fmt.Errorf("CHANGELOG.md has no section ## [%s]; rename Unreleased and start a new one", w.Version)
	}
	return nil
}

func git(ctx context.Context, w *workspace.Workspace, args ...string) (string, error) {
	cmd := exec.CommandContext(ctx, "git", args...)
	cmd.Dir = w.Root
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	output, err := cmd.Output()
	if err != nil {
		return "", fmt.Errorf("git %s: %w: %s", strings.Join(args, " "), err, strings.TrimSpace(stderr.String()))
	}
	return strings.TrimSpace(string(output)), nil
}
