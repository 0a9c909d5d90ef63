package house

import (
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/pi-go/pi/internal/tools/workspace"
)

// mapFile is the page that tells where things are. What it and the other pages
// name has to exist, and each package has to be findable by it.
const mapFile = "ARCHITECTURE.md"

// page is a text for people, by lines.
type page struct {
	path  string
	lines []string
}

// pages reads the Markdown files of the root and of docs.
func pages(w *workspace.Workspace) ([]page, error) {
	var list []page
	for _, pattern := range []string{"*.md", "docs/*.md"} {
		names, err := fs.Glob(os.DirFS(w.Root), pattern)
		if err != nil {
			return nil, err
		}
		for _, name := range names {
			data, err := os.ReadFile(filepath.Join(w.Root, filepath.FromSlash(name)))
			if err != nil {
				return nil, fmt.Errorf("check %s: %w", name, err)
			}
			list = append(list, page{name, strings.Split(string(data), "\n")})
		}
	}
	return list, nil
}

// checkPages finds paths and links of pages that lead nowhere, and packages that
// the map does not tell of.
func checkPages(w *workspace.Workspace, files []workspace.GoFile) ([]Finding, error) {
	list, err := pages(w)
	if err != nil {
		return nil, err
	}
	root := os.DirFS(w.Root)
	quoted, link := regexp.MustCompile("`([^`]+)`"), regexp.MustCompile(`\]\(([^)#:\s]+)(?:#[^)]*)?\)`)
	var found []Finding
	var told []string
	mapped := false
	for _, p := range list {
		for i, line := range p.lines {
			where := p.path + ":" + strconv.Itoa(i+1)
			for _, m := range link.FindAllStringSubmatch(line, -1) {
				if !exists(root, path.Join(path.Dir(p.path), m[1])) {
					found = append(found, Finding{Where: where, What: "links to " + m[1] + ", which does not exist"})
				}
			}
			for _, m := range quoted.FindAllStringSubmatch(line, -1) {
				for _, name := range alternatives(m[1]) {
					if !inModule(w, name) {
						continue
					}
					if !exists(root, name) {
						found = append(found, Finding{Where: where, What: "names " + name + ", which does not exist"})
					} else if p.path == mapFile {
						told = append(told, name)
					}
				}
			}
		}
		mapped = mapped || p.path == mapFile
	}
	if !mapped {
		return found, nil
	}
	return append(found, untold(w, files, told)...), nil
}

// alternatives writes out a/{b,c}, and makes patterns of what stands for any name:
// <vendor>, and dots at the end. A word that is no path gives nothing.
func alternatives(text string) []string {
	text = strings.TrimPrefix(text, "./")
	if !strings.Contains(text, "/") || strings.ContainsAny(text, " *[") || strings.Contains(text, "X.Y.Z") {
		return nil
	}
	for _, dots := range []string{"/…", "/..."} {
		text = strings.TrimSuffix(text, dots)
	}
	text = regexp.MustCompile(`<[^>]*>`).ReplaceAllString(text, "*")
	before, rest, ok := strings.Cut(text, "{")
	inner, after, closed := strings.Cut(rest, "}")
	if !ok || !closed {
		return []string{strings.TrimSuffix(text, "/")}
	}
	var all []string
	for _, name := range strings.Split(inner, ",") {
		all = append(all, before+name+after)
	}
	return all
}

// inModule reports whether a path begins with the first directory of a member.
func inModule(w *workspace.Workspace, name string) bool {
	first, _, _ := strings.Cut(name, "/")
	return slices.ContainsFunc(w.Modules, func(m workspace.Module) bool {
		head, _, _ := strings.Cut(m.Dir, "/")
		return head == first
	})
}

func exists(root fs.FS, pattern string) bool {
	names, err := fs.Glob(root, pattern)
	return err == nil && len(names) > 0
}

// untold finds packages that neither have a place in the map themselves nor are
// part of a directory that has. That of the whole module does not count.
func untold(w *workspace.Workspace, files []workspace.GoFile, told []string) []Finding {
	var found []Finding
	seen := map[string]bool{}
	for _, f := range files {
		if seen[f.Package] || f.Package == f.Module.Dir || f.Test || !f.Module.Published() {
			continue
		}
		seen[f.Package] = true
		if command(f.Package) {
			continue
		}
		known := false
		for dir := f.Package; dir != f.Module.Dir && !known; dir = path.Dir(dir) {
			known = slices.ContainsFunc(told, func(pattern string) bool {
				ok, err := path.Match(pattern, dir)
				return ok && err == nil || path.Dir(pattern) == dir && path.Ext(pattern) == ".go"
			})
		}
		if !known {
			found = append(found, Finding{Where: f.Path + ":1", What: mapFile + " does not tell of this package; add it to the table of places"})
		}
	}
	return found
}

// command reports whether a package is a program, which README.md tells of.
func command(pkg string) bool {
	return slices.ContainsFunc(strings.Split(pkg, "/"), func(s string) bool { return s == "cmd" || s == "examples" })
}
