package testrun

import (
	"context"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"maps"
	"path/filepath"
	"slices"

	"github.com/pi-go/pi/internal/tools/workspace"
)

// Golden rewrites the golden files: it runs the tests of every package that
// knows an -update flag, with that flag. A package knows it if one of its test
// files, or a package that a test file imports, defines it.
func Golden(ctx context.Context, w *workspace.Workspace, o Options) (bool, error) {
	packages, err := withUpdateFlag(w)
	if err != nil {
		return false, err
	}
	packages = slices.DeleteFunc(packages, func(pkg string) bool { return !selected(o.Patterns, pkg) })
	if len(packages) == 0 {
		fmt.Fprintln(o.Out, "no package has golden files (a test that defines an -update flag)")
		return true, nil
	}
	o.Patterns = nil
	for _, pkg := range packages {
		o.Patterns = append(o.Patterns, "./"+pkg)
	}
	o.NoRace = true
	o.Patterns = append(o.Patterns, "-update") // after the packages it is a flag of the test binaries
	return Run(ctx, w, o)
}

func withUpdateFlag(w *workspace.Workspace) ([]string, error) {
	files, err := w.GoFiles()
	if err != nil {
		return nil, err
	}
	tests, libraries := map[string]bool{}, map[string]bool{}
	for _, f := range files {
		parsed, err := parser.ParseFile(token.NewFileSet(), filepath.Join(w.Root, filepath.FromSlash(f.Path)), nil, parser.SkipObjectResolution)
		if err != nil {
			return nil, fmt.Errorf("look for golden files in %s: %w", f.Path, err)
		}
		if definesUpdate(parsed) {
			if f.Test {
				tests[f.Package] = true
			} else {
				libraries[f.Package] = true
			}
		}
	}
	imports, err := w.Imports()
	if err != nil {
		return nil, err
	}
	for _, i := range imports {
		if i.File.Test && libraries[i.Rel] {
			tests[i.File.Package] = true
		}
	}
	return slices.Sorted(maps.Keys(tests)), nil
}

// definesUpdate reports whether a file calls flag.Bool or flag.BoolVar with the
// name "update".
func definesUpdate(file *ast.File) bool {
	found := false
	ast.Inspect(file, func(n ast.Node) bool {
		call, ok := n.(*ast.CallExpr)
		if !ok {
			return true
		}
		fun, ok := call.Fun.(*ast.SelectorExpr)
		if !ok || fun.Sel.Name != "Bool" && fun.Sel.Name != "BoolVar" {
			return true
		}
		pkg, ok := fun.X.(*ast.Ident)
		found = found || ok && pkg.Name == "flag" && slices.ContainsFunc(call.Args, func(arg ast.Expr) bool {
			name, ok := arg.(*ast.BasicLit)
			return ok && name.Value == `"update"`
		})
		return true
	})
	return found
}
