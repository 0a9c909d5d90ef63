package search

import (
	"strings"

	"github.com/pi-go/pi/codingagent/tools/glob"
)

// Filter selects entries by a glob, in the way of ripgrep's option of that name:
// without a slash the glob is compared with names at any depth, with one with
// paths from the root; with "!" in front it excludes, otherwise everything else
// that is no directory is excluded.
type Filter struct {
	pattern *glob.Pattern
	exclude bool
	dirOnly bool
	names   bool
}

// NewFilter reads a glob. A "./" in front is dropped.
func NewFilter(pattern string) (*Filter, error) {
	f := &Filter{}
	pattern, f.exclude = strings.CutPrefix(pattern, "!")
	pattern = strings.TrimPrefix(pattern, "./")
	pattern, f.dirOnly = strings.CutSuffix(pattern, "/")
	f.names = !strings.Contains(pattern, "/")
	pattern = strings.TrimPrefix(pattern, "/")
	p, err := glob.Compile(pattern, glob.Options{Braces: true})
	if err != nil {
		return nil, err
	}
	f.pattern = p
	return f, nil
}

type verdict int

const (
	unsaid verdict = iota
	wanted
	unwanted
)

// verdict judges a path relative to the root.
func (f *Filter) verdict(path string, isDir bool) verdict {
	if f == nil {
		return unsaid
	}
	text := path
	if f.names {
		text = path[strings.LastIndexByte(path, '/')+1:]
	}
	switch hit := (isDir || !f.dirOnly) && f.pattern.Match(text); {
	case hit && f.exclude:
		return unwanted
	case hit:
		return wanted
	case f.exclude || isDir:
		return unsaid
	}
	return unwanted
}
