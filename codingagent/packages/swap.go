package packages

import (
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
)

// Directories in the root of a kind of packages that only we use. A lock is held
// while they are there, so that what is found when a lock was got is garbage.
const (
	stageDir = ".pi-stage" // packages that are made ready
	asideDir = ".pi-aside" // packages that were moved out of the way
)

// stage makes an empty directory on the file system of the packages.
func stage(root string) (dir string, err error) {
	parent := filepath.Join(root, stageDir)
	if err := os.MkdirAll(parent, 0o700); err != nil {
		return "", err
	}
	return os.MkdirTemp(parent, "")
}

// unstage removes what stage has made, and what was left in it.
func unstage(root string) error {
	return errors.Join(removeAll(filepath.Join(root, stageDir)), removeAll(filepath.Join(root, asideDir)))
}

// removeAll removes a tree, also one whose directories may not be written.
func removeAll(path string) error {
	err := os.RemoveAll(path)
	if !errors.Is(err, fs.ErrPermission) {
		return err
	}
	_ = filepath.WalkDir(path, func(p string, d fs.DirEntry, err error) error {
		if err == nil && d.IsDir() {
			_ = os.Chmod(p, 0o700)
		}
		return nil
	})
	return os.RemoveAll(path)
}

// put makes staged the directory at root/rel. What was there stays usable until
// then, and is gone afterwards; a process that is killed meanwhile leaves the one
// or the other.
func put(root, rel, staged string) error {
	to := filepath.Join(root, rel)
	if err := os.MkdirAll(filepath.Dir(to), 0o755); err != nil {
		return err
	}
	if !exists(to) {
		return os.Rename(staged, to)
	}
	if exchange(staged, to) == nil {
		return removeAll(staged)
	}
	// Not every system and file system can exchange two directories in one step.
	// Between the two that it takes then, the name of the old one tells where it
	// belongs.
	aside, err := moveAside(root, rel)
	if err != nil {
		return err
	}
	if err := os.Rename(staged, to); err != nil {
		return errors.Join(err, os.Rename(aside, to))
	}
	return removeAll(aside)
}

// moveAside moves a package out of the way.
func moveAside(root, rel string) (aside string, err error) {
	dir := filepath.Join(root, asideDir)
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return "", err
	}
	aside = filepath.Join(dir, url.PathEscape(filepath.ToSlash(rel)))
	if err := removeAll(aside); err != nil {
		return "", err
	}
	return aside, os.Rename(filepath.Join(root, rel), aside)
}

// drop removes the directory at root/rel, and directories above it that are empty
// then. It is gone at once, not file by file.
func drop(root, rel string) error {
	if !exists(filepath.Join(root, rel)) {
		return nil
	}
	dir, err := stage(root)
	if err != nil {
		return err
	}
	if err := os.Rename(filepath.Join(root, rel), filepath.Join(dir, "gone")); err != nil {
		return err
	}
	for up := filepath.Dir(rel); up != "."; up = filepath.Dir(up) {
		if os.Remove(filepath.Join(root, up)) != nil {
			break // something else is in it
		}
	}
	return unstage(root)
}

// recoverSwaps ends what a process that was killed has begun: a package that was
// only moved out of the way comes back. The lock must be held.
func recoverSwaps(root string) error {
	entries, err := os.ReadDir(filepath.Join(root, asideDir))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	for _, e := range entries {
		rel, err := url.PathUnescape(e.Name())
		if err != nil || !filepath.IsLocal(filepath.FromSlash(rel)) {
			continue
		}
		to := filepath.Join(root, filepath.FromSlash(rel))
		if exists(to) {
			continue
		}
		if err := os.Rename(filepath.Join(root, asideDir, e.Name()), to); err != nil {
			return fmt.Errorf("bring back the package %s: %w", rel, err)
		}
	}
	return unstage(root)
}
