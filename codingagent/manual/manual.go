// Package manual is the manual of pi: one Markdown page for each topic, in the
// program itself.
//
// People print it with pi docs; a model reads it through its tools, where the
// pages are mounted under [Scheme]:
//
//	env = env.WithMount(manual.Scheme, manual.Files())
//
// A command of a shell needs real files: [Write] makes them.
package manual

import (
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
)

// Scheme is where the pages are found by the tools of a session:
// pi-docs:/settings.md.
const Scheme = "pi-docs:"

// Index is the topic that lists the others.
const Index = "index"

//go:embed pages/*.md
var pages embed.FS

// Files gives the pages as a tree, with names such as "settings.md".
func Files() fs.FS {
	tree, err := fs.Sub(pages, "pages")
	if err != nil {
		panic(err) // the name is a constant
	}
	return tree
}

// Topic is one page.
type Topic struct {
	// Name is that of the file without ".md".
	Name string
	// Title is the page's heading.
	Title string
	Text  string
}

// Topics gives all pages, in the order in which the index names them; the index
// itself is the first. The slice is shared: do not change it.
func Topics() []Topic { return topics() }

var topics = sync.OnceValue(func() []Topic {
	read := func(name string) Topic {
		text, err := pages.ReadFile("pages/" + name + ".md")
		if err != nil {
			panic(err) // a test reads every page that the index names
		}
		title, _, _ := strings.Cut(strings.TrimPrefix(string(text), "# "), "\n")
		return Topic{name, title, string(text)}
	}
	index := read(Index)
	list := []Topic{index}
	for line := range strings.Lines(index.Text) {
		if name, _, ok := strings.Cut(strings.TrimPrefix(line, "- ["), "]("); ok && strings.HasPrefix(line, "- [") {
			list = append(list, read(name))
		}
	}
	return list
})

// Find gives the page of a topic.
func Find(name string) (Topic, bool) {
	for _, t := range Topics() {
		if t.Name == name {
			return t, true
		}
	}
	return Topic{}, false
}

// Write makes files of all pages in a directory, which is made if it is not
// there. A page that is there already, the same, is left alone; other files stay.
func Write(dir string) error {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return fmt.Errorf("write the manual: %w", err)
	}
	for _, t := range Topics() {
		path := filepath.Join(dir, t.Name+".md")
		if have, err := os.ReadFile(path); err == nil && string(have) == t.Text {
			continue
		}
		if err := replace(path, t.Text); err != nil {
			return fmt.Errorf("write the manual: %w", err)
		}
	}
	return nil
}

// replace writes a file in one step: another pi may do the same now, and a reader
// must not see half of it.
func replace(path, text string) (err error) {
	f, err := os.CreateTemp(filepath.Dir(path), ".page-*")
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, os.Remove(f.Name()))
		}
	}()
	_, err = f.WriteString(text)
	if err = errors.Join(err, f.Chmod(0o644), f.Close()); err != nil {
		return err
	}
	return os.Rename(f.Name(), path)
}
