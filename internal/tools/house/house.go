// Package house checks rules of this code base that no common linter knows.
// What they are is data in rules.go and one function each here.
//
//	findings, err := house.Check(w)
//
// A finding is an error, or a warning that is printed and does not fail.
package house

import (
	"bytes"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/pi-go/pi/internal/tools/workspace"
)

// Finding is one place that breaks a rule.
type Finding struct {
	// Where is a file and line below the root: "ai/models.go:12".
	Where string
	// What says what is wrong and what to do.
	What string
	// Warning says that it should be looked at and does not fail the check.
	Warning bool
}

func (f Finding) String() string {
	if f.Warning {
		return f.Where + ": warning: " + f.What
	}
	return f.Where + ": " + f.What
}

// source is a parsed file with what the rules ask about it.
type source struct {
	workspace.GoFile
	tree      *ast.File
	positions *token.FileSet
	lines     int
	// main says that it belongs to a command; generated that a program wrote it.
	main, generated bool
}

func (s *source) where(node ast.Node) string {
	return s.Path + ":" + strconv.Itoa(s.positions.Position(node.Pos()).Line)
}

// Check returns the findings of all rules: those of code in order of file, then those
// of the pages for people.
func Check(w *workspace.Workspace) ([]Finding, error) {
	files, err := w.GoFiles()
	if err != nil {
		return nil, err
	}
	var found []Finding
	named := map[string]bool{}
	for _, f := range files {
		s, err := parse(w, f)
		if err != nil {
			return nil, err
		}
		if workspace.Ignored(s.tree) {
			continue
		}
		if !named[f.Package] {
			named[f.Package] = true
			found = append(found, checkName(s)...)
		}
		found = append(found, checkLength(s)...)
		if s.Test || s.generated {
			continue
		}
		found = append(found, checkComments(s)...)
		if !s.main && s.Module.Published() {
			found = append(found, checkCalls(s)...)
			found = append(found, checkGlobals(s)...)
		}
	}
	more, err := checkPages(w, files)
	return append(found, more...), err
}

func parse(w *workspace.Workspace, f workspace.GoFile) (*source, error) {
	data, err := os.ReadFile(filepath.Join(w.Root, filepath.FromSlash(f.Path)))
	if err != nil {
		return nil, fmt.Errorf("check %s: %w", f.Path, err)
	}
	s := &source{GoFile: f, positions: token.NewFileSet(), lines: bytes.Count(data, []byte("\n"))}
	if s.tree, err = parser.ParseFile(s.positions, f.Path, data, parser.ParseComments|parser.SkipObjectResolution); err != nil {
		return nil, fmt.Errorf("check %s: %w", f.Path, err)
	}
	s.main = s.tree.Name.Name == "main"
	s.generated = ast.IsGenerated(s.tree)
	return s, nil
}

func checkName(s *source) []Finding {
	for _, name := range []string{strings.TrimSuffix(s.tree.Name.Name, "_test"), path.Base(s.Package)} {
		if slices.Contains(badNames, name) {
			return []Finding{{Where: s.Path + ":1", What: fmt.Sprintf("package name %q says nothing; name it for what it provides", name)}}
		}
	}
	return nil
}

func checkLength(s *source) []Finding {
	if s.generated || s.lines <= maxLines {
		return nil
	}
	return []Finding{{Where: s.Path + ":1", What: fmt.Sprintf("%d lines, more than %d; does it hold more than one idea?", s.lines, maxLines), Warning: true}}
}

func checkCalls(s *source) []Finding {
	imported := importNames(s.tree)
	var found []Finding
	ast.Inspect(s.tree, func(n ast.Node) bool {
		call, ok := n.(*ast.CallExpr)
		if !ok {
			return true
		}
		name := calledName(call, imported)
		for _, r := range callRules {
			if slices.Contains(r.calls, name) && matches(r.in, s.Package) && !excepted(r, s.Package) {
				found = append(found, Finding{Where: s.where(call), What: fmt.Sprintf("calls %s: not allowed here, because %s", strings.TrimPrefix(name, "."), r.why)})
			}
		}
		return true
	})
	return found
}

// importNames maps the names under which a file knows its imports to their paths.
func importNames(tree *ast.File) map[string]string {
	names := map[string]string{}
	for _, spec := range tree.Imports {
		full, err := strconv.Unquote(spec.Path.Value)
		if err != nil {
			continue // the parser has accepted it, so this can not be
		}
		name := path.Base(full)
		if spec.Name != nil {
			name = spec.Name.Name
		}
		names[name] = full
	}
	return names
}

// calledName returns "path.Function" of a call of an imported function and
// ".name" of a plain one.
func calledName(call *ast.CallExpr, imported map[string]string) string {
	switch fun := call.Fun.(type) {
	case *ast.Ident:
		return "." + fun.Name
	case *ast.SelectorExpr:
		if pkg, ok := fun.X.(*ast.Ident); ok && imported[pkg.Name] != "" {
			return imported[pkg.Name] + "." + fun.Sel.Name
		}
	}
	return ""
}

// checkGlobals finds package-level variables that cost every start of every
// program that links the package.
func checkGlobals(s *source) []Finding {
	imported := importNames(s.tree)
	var found []Finding
	for _, d := range s.tree.Decls {
		decl, ok := d.(*ast.GenDecl)
		if !ok || decl.Tok != token.VAR {
			continue
		}
		for _, spec := range decl.Specs {
			for _, value := range spec.(*ast.ValueSpec).Values {
				found = append(found, checkInitializer(s, value, imported)...)
			}
		}
	}
	return found
}

func checkInitializer(s *source, value ast.Expr, imported map[string]string) []Finding {
	var found []Finding
	ast.Inspect(value, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.FuncLit:
			return false // runs when it is called
		case *ast.CallExpr:
			if name := calledName(n, imported); name == "regexp.MustCompile" || name == "regexp.MustCompilePOSIX" {
				found = append(found, Finding{Where: s.where(n), What: "compiles a regular expression at every start; use sync.OnceValue"})
			}
		case *ast.CompositeLit:
			if _, isMap := n.Type.(*ast.MapType); isMap && len(n.Elts) > maxMapEntries {
				found = append(found, Finding{Where: s.where(n), What: fmt.Sprintf("fills a map of %d entries at every start; use sync.OnceValue, a switch, or a sorted slice", len(n.Elts))})
			}
		}
		return true
	})
	return found
}

func excepted(r callRule, pkg string) bool {
	for pattern := range r.except {
		if match(pattern, pkg) {
			return true
		}
	}
	return false
}

func matches(patterns []string, pkg string) bool {
	return slices.ContainsFunc(patterns, func(p string) bool { return match(p, pkg) })
}

func match(pattern, pkg string) bool {
	base, tree := strings.CutSuffix(pattern, "...")
	base = strings.TrimSuffix(base, "/")
	return pkg == base || tree && (base == "" || strings.HasPrefix(pkg, base+"/"))
}
