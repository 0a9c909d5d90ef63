// Package workspace reads what go.work says about this repository, so that the
// list of modules exists in one place only.
//
//	w, err := workspace.Open(root)
//	for _, m := range w.Modules {
//		fmt.Println(m.Dir, m.Path, m.Published())
//	}
//
// Values are read once and not changed afterwards; they may be shared between
// goroutines.
package workspace

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/mod/modfile"
)

// Module is one module of the workspace.
type Module struct {
	// Dir is the module's directory below the root, with slashes: "ai", "internal/tools".
	Dir string
	// Path is the module path: "github.com/pi-go/pi/ai".
	Path string
	// File is the parsed go.mod.
	File *modfile.File
}

// Published reports whether the module is tagged and offered to others. Modules
// under internal/ and the examples take part in the workspace only.
func (m Module) Published() bool {
	return m.Dir != "examples" && m.Dir != "internal" && !strings.HasPrefix(m.Dir, "internal/")
}

// Workspace is a repository of modules tied by go.work.
type Workspace struct {
	// Root is the directory that holds go.work, as an OS path.
	Root string
	// Prefix is the path that every module path starts with: "github.com/pi-go/pi".
	Prefix string
	// Version is the content of VERSION without the leading v: "0.1.0".
	Version string
	// Modules are the members, sorted by Dir.
	Modules []Module
	// Work is the parsed go.work.
	Work *modfile.WorkFile
}

// Find returns the nearest directory at or above dir that holds a go.work file.
func Find(dir string) (string, error) {
	abs, err := filepath.Abs(dir)
	if err != nil {
		return "", fmt.Errorf("find workspace from %s: %w", dir, err)
	}
	for d := abs; ; d = filepath.Dir(d) {
		if _, err := os.Stat(filepath.Join(d, "go.work")); err == nil {
			return d, nil
		} else if !errors.Is(err, fs.ErrNotExist) {
			return "", fmt.Errorf("find workspace from %s: %w", dir, err)
		}
		if d == filepath.Dir(d) {
			return "", fmt.Errorf("find workspace from %s: no go.work here or above; run this inside the repository", dir)
		}
	}
}

// Open reads go.work, VERSION and every member's go.mod below root.
func Open(root string) (*Workspace, error) {
	w := &Workspace{Root: root}
	file := filepath.Join(root, "go.work")
	data, err := os.ReadFile(file)
	if err != nil {
		return nil, fmt.Errorf("read workspace: %w", err)
	}
	if w.Work, err = modfile.ParseWork(file, data, nil); err != nil {
		return nil, fmt.Errorf("parse workspace: %w", err)
	}
	version, err := os.ReadFile(filepath.Join(root, "VERSION"))
	if err != nil {
		return nil, fmt.Errorf("read version: %w", err)
	}
	w.Version = strings.TrimSpace(string(version))
	for _, use := range w.Work.Use {
		m, err := readModule(root, path.Clean(filepath.ToSlash(use.Path)))
		if err != nil {
			return nil, err
		}
		w.Modules = append(w.Modules, m)
	}
	if len(w.Modules) == 0 {
		return nil, fmt.Errorf("%s: no use directive, so no modules", file)
	}
	slices.SortFunc(w.Modules, func(a, b Module) int { return strings.Compare(a.Dir, b.Dir) })
	return w, w.findPrefix()
}

func readModule(root, dir string) (Module, error) {
	file := filepath.Join(root, filepath.FromSlash(dir), "go.mod")
	data, err := os.ReadFile(file)
	if err != nil {
		return Module{}, fmt.Errorf("read module %s: %w", dir, err)
	}
	parsed, err := modfile.Parse(file, data, nil)
	if err != nil {
		return Module{}, fmt.Errorf("parse module %s: %w", dir, err)
	}
	if parsed.Module == nil {
		return Module{}, fmt.Errorf("%s: no module line", file)
	}
	return Module{Dir: dir, Path: parsed.Module.Mod.Path, File: parsed}, nil
}

func (w *Workspace) findPrefix() error {
	for _, m := range w.Modules {
		prefix, ok := strings.CutSuffix(m.Path, "/"+m.Dir)
		if !ok {
			return fmt.Errorf("%s/go.mod: module path %s does not end in its directory /%s", m.Dir, m.Path, m.Dir)
		}
		if w.Prefix == "" {
			w.Prefix = prefix
		}
		if prefix != w.Prefix {
			return fmt.Errorf("%s/go.mod: module path %s does not start with %s as %s does", m.Dir, m.Path, w.Prefix, w.Modules[0].Path)
		}
	}
	return nil
}

// Rel returns an import path of ours without the prefix ("ai/auth") and whether
// it is one of ours.
func (w *Workspace) Rel(importPath string) (string, bool) {
	rel, ok := strings.CutPrefix(importPath, w.Prefix+"/")
	return rel, ok
}

// Owner returns the module that a slash path below the root, or an import path
// without the prefix, belongs to.
func (w *Workspace) Owner(rel string) (Module, bool) {
	var found Module
	for _, m := range w.Modules {
		if (rel == m.Dir || strings.HasPrefix(rel, m.Dir+"/")) && len(m.Dir) > len(found.Dir) {
			found = m
		}
	}
	return found, found.Dir != ""
}

// Siblings returns the requirements of m that name other members of the workspace.
func (w *Workspace) Siblings(m Module) []*modfile.Require {
	var siblings []*modfile.Require
	for _, r := range m.File.Require {
		if w.member(r.Mod.Path) {
			siblings = append(siblings, r)
		}
	}
	return siblings
}

func (w *Workspace) member(modulePath string) bool {
	return slices.ContainsFunc(w.Modules, func(m Module) bool { return m.Path == modulePath })
}

// InDependencyOrder returns the modules so that each comes after all that it
// requires; modules that do not depend on each other are in order of Dir.
func (w *Workspace) InDependencyOrder() ([]Module, error) {
	var ordered []Module
	done := map[string]bool{}
	for len(ordered) < len(w.Modules) {
		before := len(ordered)
		for _, m := range w.Modules {
			if done[m.Path] {
				continue
			}
			waits := slices.ContainsFunc(w.Siblings(m), func(r *modfile.Require) bool { return !done[r.Mod.Path] })
			if !waits {
				done[m.Path] = true
				ordered = append(ordered, m)
			}
		}
		if len(ordered) == before {
			var stuck []string
			for _, m := range w.Modules {
				if !done[m.Path] {
					stuck = append(stuck, m.Dir)
				}
			}
			return nil, fmt.Errorf("modules require each other in a circle: %s", strings.Join(stuck, ", "))
		}
	}
	return ordered, nil
}
