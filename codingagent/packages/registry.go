package packages

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/pi-go/pi/ai/jsonobj"
	"github.com/pi-go/pi/ai/lockfile"
	"github.com/pi-go/pi/codingagent/internal/npm"
)

// prepareRoot makes the directory that holds packages of one kind, with what
// keeps it out of the project's repository.
func prepareRoot(root string, isNPM bool) error {
	if err := os.MkdirAll(root, 0o755); err != nil {
		return err
	}
	files := map[string]string{".gitignore": "*\n!.gitignore\n"}
	if isNPM {
		files["package.json"] = "{\n  \"name\": \"pi-extensions\",\n  \"private\": true\n}"
	}
	for name, text := range files {
		f, err := os.OpenFile(filepath.Join(root, name), os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o644)
		if errors.Is(err, fs.ErrExist) {
			continue
		}
		if err != nil {
			return err
		}
		_, err = f.WriteString(text)
		if err = errors.Join(err, f.Close()); err != nil {
			return err
		}
	}
	return nil
}

// fetchNPM installs a package of a registry below root. Each package has what it
// depends on in its own directory: so it can be replaced in one step, and another
// package never changes what it runs with.
func (m *Manager) fetchNPM(ctx context.Context, root string, s Source) (notes []string, err error) {
	if m.o.Offline {
		return nil, ErrOffline
	}
	if len(m.o.NPMCommand) > 0 {
		return nil, m.locked(ctx, root, func() error {
			if err := prepareRoot(root, true); err != nil {
				return err
			}
			return m.npmInstall(ctx, root, s.spec().String())
		})
	}
	r, release, err := m.npmFor(ctx, root)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, release()) }()
	tree, err := r.Resolve(ctx, s.spec(), nil)
	if err != nil {
		return nil, err
	}
	err = m.locked(ctx, root, func() (err error) {
		if err := prepareRoot(root, true); err != nil {
			return err
		}
		dir, err := stage(root)
		if err != nil {
			return err
		}
		defer func() { err = errors.Join(err, unstage(root)) }()
		if err := r.Unpack(ctx, tree, dir); err != nil {
			return err
		}
		if err := os.Chmod(dir, 0o755); err != nil {
			return err
		}
		// npm removes what package.json does not name, and brings back what its lock
		// file says; both must know the package before it is there.
		if err := recordPackage(root, s.Name, new(s.spec()), tree); err != nil {
			return err
		}
		if err := put(root, filepath.Join("node_modules", filepath.FromSlash(s.Name)), dir); err != nil {
			return err
		}
		return prune(root)
	})
	return tree.Notes, err
}

// dropNPM removes a package of a registry.
func (m *Manager) dropNPM(ctx context.Context, root string, s Source) error {
	if !exists(root) {
		return nil
	}
	return m.locked(ctx, root, func() error {
		if len(m.o.NPMCommand) > 0 {
			return m.npmUninstall(ctx, root, s.Name)
		}
		if err := recordPackage(root, s.Name, nil, nil); err != nil {
			return err
		}
		if err := drop(root, filepath.Join("node_modules", filepath.FromSlash(s.Name))); err != nil {
			return err
		}
		return prune(root)
	})
}

// recordPackage writes what is installed into package.json and package-lock.json,
// for npm; without a tree the package is taken out.
func recordPackage(root, name string, spec *npm.Spec, tree *npm.Tree) error {
	file := filepath.Join(root, "package.json")
	data, err := lockfile.ReadFile(file)
	if err != nil {
		return err
	}
	doc, err := jsonobj.Open(file, data, jsonobj.Strict)
	if err != nil {
		return err
	}
	want := ""
	if tree != nil {
		switch _, isRange := npm.ParseRange(spec.Want); {
		case spec.Want == "" || !isRange: // a tag
			want = "^" + tree.Root.Version
		default:
			want = spec.Want
		}
		err = doc.Set(want, "dependencies", name)
	} else {
		_, err = doc.Delete("dependencies", name)
	}
	if err != nil {
		return err
	}
	if err := lockfile.WriteFile(file, doc.Bytes(), 0o644); err != nil {
		return err
	}
	if err := recordLock(root, name, doc, tree); err != nil {
		return err
	}
	// npm's own picture of what is on the disk is wrong now; it makes another.
	err = os.Remove(filepath.Join(root, "node_modules", ".package-lock.json"))
	if errors.Is(err, fs.ErrNotExist) {
		err = nil
	}
	return err
}

// lockEntry is a package in package-lock.json.
type lockEntry struct {
	Name                 string            `json:"name,omitempty"` // where the directory has another
	Version              string            `json:"version"`
	Resolved             string            `json:"resolved,omitempty"`
	Integrity            string            `json:"integrity,omitempty"`
	HasInstallScript     bool              `json:"hasInstallScript,omitempty"`
	Dependencies         map[string]string `json:"dependencies,omitempty"`
	OptionalDependencies map[string]string `json:"optionalDependencies,omitempty"`
	OS                   []string          `json:"os,omitempty"`
	CPU                  []string          `json:"cpu,omitempty"`
}

// recordLock changes the entries of one package in package-lock.json.
func recordLock(root, name string, manifest *jsonobj.Document, tree *npm.Tree) error {
	file := filepath.Join(root, "package-lock.json")
	lock := map[string]json.RawMessage{}
	if data, err := lockfile.ReadFile(file); err == nil {
		if json.Unmarshal(data, &lock) != nil {
			lock = map[string]json.RawMessage{} // it is made again
		}
	} else if !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	packages := map[string]json.RawMessage{}
	if raw := lock["packages"]; raw != nil && json.Unmarshal(raw, &packages) != nil {
		packages = map[string]json.RawMessage{}
	}
	own := "node_modules/" + name
	maps.DeleteFunc(packages, func(key string, _ json.RawMessage) bool { return key == own || strings.HasPrefix(key, own+"/") })
	set := func(key string, v any) error {
		raw, err := json.Marshal(v)
		packages[key] = raw
		return err
	}
	if tree != nil {
		for _, p := range tree.Places {
			man := p.Manifest
			e := lockEntry{
				Version: man.Version, Resolved: man.Dist.Tarball, Integrity: man.Dist.Integrity, HasInstallScript: man.HasInstallScript,
				Dependencies: man.Dependencies, OptionalDependencies: man.OptionalDependencies, OS: man.OS, CPU: man.CPU,
			}
			key := path.Join(own, p.Dir)
			if !strings.HasSuffix(key, "node_modules/"+man.Name) {
				e.Name = man.Name
			}
			if err := set(key, e); err != nil {
				return err
			}
		}
	}
	deps, _ := manifest.Get("dependencies")
	if err := set("", struct {
		Name         string          `json:"name"`
		Dependencies json.RawMessage `json:"dependencies,omitempty"`
	}{"pi-extensions", deps}); err != nil {
		return err
	}
	raw, err := json.Marshal(packages)
	if err != nil {
		return err
	}
	delete(lock, "dependencies") // what versions of npm before 7 read
	lock["name"], lock["lockfileVersion"], lock["requires"], lock["packages"] = json.RawMessage(`"pi-extensions"`), json.RawMessage("3"), json.RawMessage("true"), raw
	var out bytes.Buffer
	encoder := json.NewEncoder(&out)
	encoder.SetEscapeHTML(false)
	encoder.SetIndent("", "  ")
	if err := encoder.Encode(lock); err != nil {
		return err
	}
	return lockfile.WriteFile(file, out.Bytes(), 0o644)
}

// readLock reads the versions that the lock file of a checkout names.
func readLock(dir string) npm.Locked {
	for _, name := range []string{"npm-shrinkwrap.json", "package-lock.json"} {
		data, err := lockfile.ReadFile(filepath.Join(dir, name))
		if err != nil {
			continue
		}
		var lock struct {
			Packages map[string]lockEntry `json:"packages"`
		}
		if json.Unmarshal(data, &lock) != nil {
			continue
		}
		out := npm.Locked{}
		for _, key := range slices.Sorted(maps.Keys(lock.Packages)) {
			i := strings.LastIndex(key, "node_modules/")
			e := lock.Packages[key]
			if i < 0 || e.Version == "" {
				continue
			}
			if e.Name == "" {
				e.Name = key[i+len("node_modules/"):]
			}
			out[e.Name] = append(out[e.Name], npm.LockedVersion{Version: e.Version, Integrity: e.Integrity})
		}
		return out
	}
	return nil
}

// fetchDependencies installs what the package in a directory depends on, into that
// directory. A checkout that holds a node_modules has them already.
func (m *Manager) fetchDependencies(ctx context.Context, dir string) (notes []string, err error) {
	man, err := readManifest(dir)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, nil
	case err != nil:
		return nil, err
	case len(man.Dependencies)+len(man.OptionalDependencies) == 0 || exists(filepath.Join(dir, "node_modules")):
		return nil, nil
	}
	if len(m.o.NPMCommand) > 0 {
		return nil, m.npmInstallHere(ctx, dir)
	}
	r, release, err := m.npmFor(ctx, dir)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, release()) }()
	man.Dist = npm.Dist{} // it is here
	tree, err := r.ResolveManifest(ctx, man, readLock(dir))
	if err != nil {
		return nil, fmt.Errorf("find what it depends on: %w", err)
	}
	return tree.Notes, r.Unpack(ctx, tree, dir)
}
