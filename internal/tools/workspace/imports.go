package workspace

import (
	"fmt"
	"go/parser"
	"go/token"
	"path/filepath"
	"strconv"
)

// Import is one import statement of a member module.
type Import struct {
	// File holds the statement, at Line.
	File GoFile
	Line int
	// Path is the import path as written, Rel the same without the prefix if
	// Ours is true and empty otherwise.
	Path, Rel string
	Ours      bool
}

// Imports lists the import statements of all Go files that some build includes,
// whatever the platform, in order of file and line.
func (w *Workspace) Imports() ([]Import, error) {
	files, err := w.GoFiles()
	if err != nil {
		return nil, err
	}
	var imports []Import
	for _, f := range files {
		positions := token.NewFileSet()
		parsed, err := parser.ParseFile(positions, filepath.Join(w.Root, filepath.FromSlash(f.Path)), nil, parser.ImportsOnly|parser.ParseComments)
		if err != nil {
			return nil, fmt.Errorf("read imports of %s: %w", f.Path, err)
		}
		if Ignored(parsed) {
			continue
		}
		for _, spec := range parsed.Imports {
			name, err := strconv.Unquote(spec.Path.Value)
			if err != nil {
				return nil, fmt.Errorf("read imports of %s: %s: %w", f.Path, spec.Path.Value, err)
			}
			i := Import{File: f, Line: positions.Position(spec.Pos()).Line, Path: name}
			if rel, ours := w.Rel(name); ours {
				i.Rel, i.Ours = rel, true
			}
			imports = append(imports, i)
		}
	}
	return imports, nil
}
