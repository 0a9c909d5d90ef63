package packages

import (
	"encoding/json"
	"errors"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/pi-go/pi/ai/lockfile"
)

// npm puts what packages depend on beside them, where the next run of npm removes
// what nothing needs any more. We do the same, for who never runs npm.

// orphans lists what is in root/node_modules and needed by nothing that package.json
// names, as names of packages. It lists only what the lock file knows: the rest was
// put there by somebody else.
func orphans(root string) ([]string, error) {
	data, err := lockfile.ReadFile(filepath.Join(root, "package.json"))
	if err != nil {
		return nil, err
	}
	var top struct {
		Dependencies map[string]string `json:"dependencies"`
	}
	if err := json.Unmarshal(data, &top); err != nil {
		return nil, err
	}
	locked, err := lockedNames(root)
	if err != nil {
		return nil, err
	}
	base := filepath.Join(root, "node_modules")
	reached := map[string]bool{}
	var visit func(dir string)
	visit = func(dir string) {
		if reached[dir] {
			return
		}
		reached[dir] = true
		man, err := readManifest(dir)
		if err != nil {
			return
		}
		for name := range man.Needs() {
			// The nearest one counts, as Node looks for it.
			for up := dir; ; up = filepath.Dir(up) {
				if found := filepath.Join(up, "node_modules", filepath.FromSlash(name)); filepath.Base(up) != "node_modules" && exists(found) {
					visit(found)
					break
				}
				if up == root || up == filepath.Dir(up) {
					break
				}
			}
		}
	}
	for name := range top.Dependencies {
		visit(filepath.Join(base, filepath.FromSlash(name)))
	}
	return slices.DeleteFunc(locked, func(name string) bool {
		dir := filepath.Join(base, filepath.FromSlash(name))
		return reached[dir] || !exists(dir)
	}), nil
}

// lockedNames lists the packages that package-lock.json has directly in node_modules.
func lockedNames(root string) ([]string, error) {
	data, err := lockfile.ReadFile(filepath.Join(root, "package-lock.json"))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	var lock struct {
		Packages map[string]json.RawMessage `json:"packages"`
	}
	if json.Unmarshal(data, &lock) != nil {
		return nil, nil // it is made again
	}
	var names []string
	for _, key := range slices.Sorted(maps.Keys(lock.Packages)) {
		if name, ok := strings.CutPrefix(key, "node_modules/"); ok && !strings.Contains(name, "/node_modules/") && filepath.IsLocal(filepath.FromSlash(name)) {
			names = append(names, name)
		}
	}
	return names, nil
}

// prune removes what nothing needs. The lock must be held.
func prune(root string) error {
	names, err := orphans(root)
	if err != nil {
		return err
	}
	for _, name := range names {
		if err := recordPackage(root, name, nil, nil); err != nil {
			return err
		}
		if err := drop(root, filepath.Join("node_modules", filepath.FromSlash(name))); err != nil {
			return err
		}
	}
	if entries, err := os.ReadDir(filepath.Join(root, "node_modules")); err == nil && len(entries) == 0 {
		return os.Remove(filepath.Join(root, "node_modules"))
	}
	return nil
}
