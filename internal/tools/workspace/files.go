package workspace

import (
	"fmt"
	"go/ast"
	"go/build/constraint"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
)

// GoFile names one Go source file of a member module.
type GoFile struct {
	// Path is the slash path below the root: "ai/auth/store.go".
	Path string
	// Package is the import path of its directory without the prefix: "ai/auth".
	Package string
	// Module is the module it belongs to.
	Module Module
	// Test reports whether the name ends in _test.go.
	Test bool
}

// GoFiles lists every Go file of every member in order of path: for all
// platforms, tests included, but nothing under testdata, vendor, or a directory
// that starts with "_" or ".", which the go command does not look at either.
func (w *Workspace) GoFiles() ([]GoFile, error) {
	var files []GoFile
	for _, m := range w.Modules {
		if err := w.walk(m, &files); err != nil {
			return nil, fmt.Errorf("list Go files of %s: %w", m.Dir, err)
		}
	}
	slices.SortFunc(files, func(a, b GoFile) int { return strings.Compare(a.Path, b.Path) })
	return files, nil
}

func (w *Workspace) walk(m Module, files *[]GoFile) error {
	top := filepath.Join(w.Root, filepath.FromSlash(m.Dir))
	return filepath.WalkDir(top, func(p string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		name := d.Name()
		if d.IsDir() {
			if p == top {
				return nil
			}
			if name == "testdata" || name == "vendor" || name[0] == '_' || name[0] == '.' || fileExists(filepath.Join(p, "go.mod")) {
				return fs.SkipDir
			}
			return nil
		}
		if !strings.HasSuffix(name, ".go") || name[0] == '_' || name[0] == '.' {
			return nil
		}
		rel, err := filepath.Rel(w.Root, p)
		if err != nil {
			return err
		}
		rel = filepath.ToSlash(rel)
		*files = append(*files, GoFile{
			Path: rel, Package: path.Dir(rel), Module: m, Test: strings.HasSuffix(name, "_test.go"),
		})
		return nil
	})
}

// Ignored reports whether a build constraint keeps the file out of every build
// (the "ignore" tag, as used for programs that go:generate runs).
func Ignored(file *ast.File) bool {
	for _, group := range file.Comments {
		if group.Pos() >= file.Package {
			break
		}
		for _, line := range group.List {
			if !constraint.IsGoBuild(line.Text) {
				continue
			}
			expr, err := constraint.Parse(line.Text)
			if err == nil && !expr.Eval(func(tag string) bool { return tag != "ignore" }) {
				return true
			}
		}
	}
	return false
}

// UnlistedModules returns the directories, as slash paths below the root, that
// hold a go.mod and are not in go.work. Hidden directories, testdata and vendor
// are not searched.
func (w *Workspace) UnlistedModules() ([]string, error) {
	var found []string
	err := filepath.WalkDir(w.Root, func(p string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		name := d.Name()
		if d.IsDir() {
			if p != w.Root && (name == "testdata" || name == "vendor" || name == "node_modules" || name[0] == '_' || name[0] == '.') {
				return fs.SkipDir
			}
			return nil
		}
		if name != "go.mod" {
			return nil
		}
		rel, err := filepath.Rel(w.Root, filepath.Dir(p))
		if err != nil {
			return err
		}
		rel = filepath.ToSlash(rel)
		if !slices.ContainsFunc(w.Modules, func(m Module) bool { return m.Dir == rel }) {
			found = append(found, rel)
		}
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("look for modules below %s: %w", w.Root, err)
	}
	return found, nil
}

func fileExists(name string) bool {
	info, err := os.Stat(name)
	return err == nil && !info.IsDir()
}
