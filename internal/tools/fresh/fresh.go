// Package fresh checks that committed generated files are what their generators
// write today. A generator takes part by having a //go:generate line; nothing
// else lists it.
//
//	report, err := fresh.Check(ctx, w)
//
// Generators run in a copy of the tree, so a check changes nothing, even if it
// is interrupted.
package fresh

import (
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/pi-go/pi/internal/tools/workspace"
)

// Report says what the generators did to the copy.
type Report struct {
	// Generators are the packages with a //go:generate line, without the prefix.
	Generators []string
	// Stale are the files, as slash paths below the root, that came out different.
	Stale []string
}

// Check runs all generators in a copy and compares.
func Check(ctx context.Context, w *workspace.Workspace) (Report, error) {
	var report Report
	generators, err := Generators(w)
	if err != nil || len(generators) == 0 {
		return report, err
	}
	report.Generators = generators
	files, err := tracked(ctx, w.Root)
	if err != nil {
		return report, err
	}
	parent, err := os.MkdirTemp("", "fresh-")
	if err != nil {
		return report, fmt.Errorf("copy the tree: %w", err)
	}
	defer os.RemoveAll(parent)
	// The name of the checkout is kept: a generator may print it.
	scratch := filepath.Join(parent, filepath.Base(w.Root))
	if err := copyFiles(w.Root, scratch, files); err != nil {
		return report, fmt.Errorf("copy the tree: %w", err)
	}
	before, err := hashes(scratch)
	if err != nil {
		return report, err
	}
	if err := Generate(ctx, scratch, generators); err != nil {
		return report, err
	}
	after, err := hashes(scratch)
	if err != nil {
		return report, err
	}
	report.Stale = differences(before, after)
	return report, nil
}

// Generators returns the packages that have a //go:generate line, sorted.
func Generators(w *workspace.Workspace) ([]string, error) {
	files, err := w.GoFiles()
	if err != nil {
		return nil, err
	}
	var packages []string
	for _, f := range files {
		data, err := os.ReadFile(filepath.Join(w.Root, filepath.FromSlash(f.Path)))
		if err != nil {
			return nil, fmt.Errorf("look for generators: %w", err)
		}
		if bytes.HasPrefix(data, []byte("//go:generate ")) || bytes.Contains(data, []byte("\n//go:generate ")) {
			packages = append(packages, f.Package)
		}
	}
	return slices.Compact(packages), nil
}

// Generate runs go generate for the packages, given without the prefix, in the
// repository at root.
func Generate(ctx context.Context, root string, packages []string) error {
	for _, pkg := range packages {
		cmd := exec.CommandContext(ctx, "go", "generate", "./"+pkg)
		cmd.Dir = root
		if output, err := cmd.CombinedOutput(); err != nil {
			return fmt.Errorf("go generate ./%s: %w\n%s", pkg, err, bytes.TrimSpace(output))
		}
	}
	return nil
}

// tracked lists the files that git knows or would add, as slash paths.
func tracked(ctx context.Context, root string) ([]string, error) {
	cmd := exec.CommandContext(ctx, "git", "ls-files", "-z", "--cached", "--others", "--exclude-standard")
	cmd.Dir = root
	output, err := cmd.Output()
	if err != nil {
		return nil, fmt.Errorf("list files with git: %w", err)
	}
	return slices.DeleteFunc(strings.Split(string(output), "\x00"), func(name string) bool { return name == "" }), nil
}

func copyFiles(from, to string, names []string) error {
	for _, name := range names {
		source := filepath.Join(from, filepath.FromSlash(name))
		info, err := os.Lstat(source)
		if errors.Is(err, fs.ErrNotExist) {
			continue // deleted in the tree, still in the index
		}
		if err != nil {
			return err
		}
		target := filepath.Join(to, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(target), 0o755); err != nil {
			return err
		}
		if info.Mode()&fs.ModeSymlink != 0 {
			link, err := os.Readlink(source)
			if err != nil {
				return err
			}
			if err := os.Symlink(link, target); err != nil {
				return err
			}
			continue
		}
		if err := copyFile(source, target, info.Mode().Perm()); err != nil {
			return err
		}
	}
	return nil
}

func copyFile(source, target string, mode fs.FileMode) (err error) {
	in, err := os.Open(source)
	if err != nil {
		return err
	}
	defer in.Close()
	out, err := os.OpenFile(target, os.O_WRONLY|os.O_CREATE|os.O_EXCL, mode)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, out.Close()) }()
	_, err = io.Copy(out, in)
	return err
}

func hashes(root string) (map[string][sha256.Size]byte, error) {
	sums := map[string][sha256.Size]byte{}
	err := filepath.WalkDir(root, func(p string, d fs.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() {
			return err
		}
		data, err := os.ReadFile(p)
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(root, p)
		if err != nil {
			return err
		}
		sums[path.Clean(filepath.ToSlash(rel))] = sha256.Sum256(data)
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("compare the copy: %w", err)
	}
	return sums, nil
}

// differences names the files that changed, appeared or went away. go.work.sum
// is the go command's own notebook and may grow at any time.
func differences(before, after map[string][sha256.Size]byte) []string {
	var changed []string
	for name, sum := range after {
		if old, ok := before[name]; !ok || old != sum {
			changed = append(changed, name)
		}
	}
	for name := range before {
		if _, ok := after[name]; !ok {
			changed = append(changed, name)
		}
	}
	changed = slices.DeleteFunc(changed, func(name string) bool { return name == "go.work.sum" })
	slices.Sort(changed)
	return changed
}
