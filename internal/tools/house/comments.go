package house

import (
	"fmt"
	"go/ast"
	"go/token"
	"slices"
	"strings"
)

// checkComments asks for a comment at every exported name, and that the comment
// of a function or type begins with the name. For constants and variables the
// comment of their group is enough.
func checkComments(s *source) []Finding {
	if s.main {
		return nil
	}
	var found []Finding
	missing := func(node ast.Node, kind, name string) {
		found = append(found, Finding{Where: s.where(node), What: fmt.Sprintf("exported %s %s has no comment that says what a caller needs", kind, name)})
	}
	misnamed := func(node ast.Node, kind, name string) {
		found = append(found, Finding{Where: s.where(node), What: fmt.Sprintf("comment of %s %s does not begin with its name", kind, name)})
	}
	for _, d := range s.tree.Decls {
		switch d := d.(type) {
		case *ast.FuncDecl:
			if !d.Name.IsExported() || d.Recv != nil && (!exportedReceiver(d) || slices.Contains(wellKnownMethods, d.Name.Name)) {
				continue
			}
			switch {
			case d.Doc == nil:
				missing(d, "function", d.Name.Name)
			case !beginsWith(d.Doc, d.Name.Name):
				misnamed(d, "function", d.Name.Name)
			}
		case *ast.GenDecl:
			for _, spec := range d.Specs {
				switch spec := spec.(type) {
				case *ast.TypeSpec:
					doc := spec.Doc
					if doc == nil && !d.Lparen.IsValid() {
						doc = d.Doc
					}
					switch {
					case !spec.Name.IsExported():
					case doc == nil && (!d.Lparen.IsValid() || d.Doc == nil):
						missing(spec, "type", spec.Name.Name)
					case doc != nil && !beginsWith(doc, spec.Name.Name):
						misnamed(spec, "type", spec.Name.Name)
					}
				case *ast.ValueSpec:
					exported := slices.IndexFunc(spec.Names, (*ast.Ident).IsExported)
					if exported >= 0 && d.Doc == nil && spec.Doc == nil && spec.Comment == nil {
						missing(spec, kindOf(d.Tok), spec.Names[exported].Name)
					}
				}
			}
		}
	}
	return found
}

func kindOf(tok token.Token) string {
	if tok == token.CONST {
		return "constant"
	}
	return "variable"
}

func exportedReceiver(d *ast.FuncDecl) bool {
	typ := d.Recv.List[0].Type
	for {
		switch t := typ.(type) {
		case *ast.StarExpr:
			typ = t.X
		case *ast.IndexExpr:
			typ = t.X
		case *ast.IndexListExpr:
			typ = t.X
		case *ast.Ident:
			return t.IsExported()
		default:
			return false
		}
	}
}

// beginsWith reports whether the first word of a comment is name; an article may
// stand before it, and "Deprecated:" instead of it.
func beginsWith(doc *ast.CommentGroup, name string) bool {
	words := strings.Fields(doc.Text())
	if len(words) > 1 && slices.Contains([]string{"A", "An", "The"}, words[0]) {
		words = words[1:]
	}
	if len(words) == 0 {
		return false
	}
	first := strings.TrimRight(words[0], ",.:;")
	return first == name || first == name+"'s" || first == "Deprecated"
}
