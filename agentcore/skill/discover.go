package skill

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"

	"github.com/pi-go/pi/agentcore/execenv"
)

// Files is what discovery needs of a file system.
type Files interface {
	Open(ctx context.Context, name string) (fs.File, error)
	Stat(ctx context.Context, name string) (fs.FileInfo, error)
	RealPath(ctx context.Context, name string) (string, error)
	ReadDir(ctx context.Context, name string) ([]fs.DirEntry, error)
}

var _ Files = execenv.FileSystem(nil)

// Root is a place where skills are.
type Root struct {
	Dir string
	// Loose takes Markdown files directly in Dir for skills; those in
	// directories below are taken anyway.
	Loose bool
	// Skip leaves files and directories out, because of a .gitignore say; nil
	// leaves out none.
	Skip func(ctx context.Context, path string, dir bool) bool
}

// Problem is a fault of a file that was worked around.
type Problem struct {
	Path    string
	Message string
}

// MaxFile is the size of the largest skill or template that is read, in bytes.
const MaxFile = 1 << 20

// maxDepth bounds how deep discovery goes.
const maxDepth = 16

// Discover finds the skills below roots, each file once, in order. Roots that
// are not there are passed over; a root may be a file.
func Discover(ctx context.Context, files Files, roots ...Root) ([]Skill, []Problem) {
	d := discovery{files: files, seen: make(map[string]bool)}
	for _, r := range roots {
		info, err := files.Stat(ctx, r.Dir)
		switch {
		case err != nil:
		case info.IsDir():
			d.walk(ctx, r, r.Dir, 0)
		default:
			d.take(ctx, r.Dir, true)
		}
	}
	return d.skills, d.problems
}

type discovery struct {
	files    Files
	seen     map[string]bool // real paths
	skills   []Skill
	problems []Problem
}

func (d *discovery) walk(ctx context.Context, r Root, dir string, depth int) {
	real, err := d.files.RealPath(ctx, dir)
	if err != nil || d.seen[real+"/"] || depth > maxDepth || ctx.Err() != nil {
		return
	}
	d.seen[real+"/"] = true // links may lead in a circle
	entries, err := d.files.ReadDir(ctx, dir)
	if err != nil {
		d.problems = append(d.problems, Problem{dir, fmt.Sprintf("can not be read; its skills are left out: %v", err)})
		return
	}
	if slices.ContainsFunc(entries, func(e fs.DirEntry) bool { return e.Name() == File }) {
		d.take(ctx, filepath.Join(dir, File), true)
		return
	}
	slices.SortFunc(entries, func(a, b fs.DirEntry) int { return cmp.Compare(a.Name(), b.Name()) })
	for _, e := range entries {
		path := filepath.Join(dir, e.Name())
		if strings.HasPrefix(e.Name(), ".") || e.Name() == "node_modules" {
			continue
		}
		info, err := d.files.Stat(ctx, path)
		if err != nil || r.Skip != nil && r.Skip(ctx, path, info.IsDir()) {
			continue
		}
		switch {
		case info.IsDir():
			d.walk(ctx, r, path, depth+1)
		case strings.HasSuffix(e.Name(), ".md") && (depth > 0 || r.Loose):
			d.take(ctx, path, false)
		}
	}
}

// take reads one file. A loose one without a description is no skill, and
// nobody's fault.
func (d *discovery) take(ctx context.Context, path string, meant bool) {
	real, err := d.files.RealPath(ctx, path)
	if err == nil && d.seen[real] {
		return
	}
	d.seen[real] = true
	text, err := Read(ctx, d.files, path)
	if err == nil {
		var s Skill
		var warnings []string
		if s, warnings, err = Parse(path, text); err == nil {
			d.skills = append(d.skills, s)
			for _, w := range warnings {
				d.problems = append(d.problems, Problem{path, w})
			}
			return
		}
	}
	if meant || !errors.Is(err, ErrNoDescription) {
		d.problems = append(d.problems, Problem{path, fmt.Sprintf("is left out: %v", err)})
	}
}

// Read reads the text of a file that is meant for a model: a regular file of at
// most [MaxFile] bytes; bytes that are not UTF-8 are replaced.
func Read(ctx context.Context, files Files, path string) (string, error) {
	info, err := files.Stat(ctx, path)
	if err != nil {
		return "", err
	}
	if !info.Mode().IsRegular() {
		return "", errors.New("it is not a regular file")
	}
	f, err := files.Open(ctx, path)
	if err != nil {
		return "", err
	}
	defer f.Close()
	data, err := io.ReadAll(io.LimitReader(f, MaxFile+1))
	if err != nil {
		return "", err
	}
	if len(data) > MaxFile {
		return "", fmt.Errorf("it is larger than %d bytes", MaxFile)
	}
	return strings.ToValidUTF8(string(data), "\uFFFD"), nil
}
