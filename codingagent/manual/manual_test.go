package manual_test

import (
	"errors"
	"flag"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/pi-go/pi/codingagent/manual"
)

var update = flag.Bool("update", false, "write what the tests compare with")

func TestFiles(t *testing.T) {
	var names []string
	for _, topic := range manual.Topics() {
		names = append(names, topic.Name+".md")
		if !strings.HasPrefix(topic.Text, "# "+topic.Title+"\n\n") || !strings.HasSuffix(topic.Text, "\n") {
			t.Errorf("%s does not begin with a title", topic.Name)
		}
	}
	if err := fstest.TestFS(manual.Files(), names...); err != nil {
		t.Error(err)
	}
	files, err := fs.Glob(manual.Files(), "*.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range files {
		if !slices.Contains(names, f) {
			t.Errorf("the index does not name %s", f)
		}
	}
	if len(files) != len(names) {
		t.Errorf("%d pages, %d topics", len(files), len(names))
	}
	if _, ok := manual.Find("no such topic"); ok {
		t.Error("a topic that is not there was found")
	}
}

// Links lead to pages that are there, and lines fit a terminal.
func TestPages(t *testing.T) {
	link := regexp.MustCompile(`\]\(([^)#]+)(#[^)]*)?\)`)
	for _, topic := range manual.Topics() {
		for _, m := range link.FindAllStringSubmatch(topic.Text, -1) {
			if _, ok := manual.Find(strings.TrimSuffix(m[1], ".md")); !ok || !strings.HasSuffix(m[1], ".md") {
				t.Errorf("%s links to %s", topic.Name, m[1])
			}
		}
		for i, line := range strings.Split(topic.Text, "\n") {
			if n := len([]rune(line)); n > 150 && !strings.HasPrefix(line, "|") {
				t.Errorf("%s:%d has %d characters", topic.Name, i+1, n)
			}
			if strings.ContainsRune(line, '\t') && !strings.HasPrefix(line, "\t") || strings.TrimRight(line, " ") != line {
				t.Errorf("%s:%d has tabs or blanks at its end", topic.Name, i+1)
			}
		}
	}
}

// The repository has a copy of the page for newcomers, which ships in the program.
func TestCopy(t *testing.T) {
	const copied = "../../docs/coming-from-pi.md"
	have, err := os.ReadFile(copied)
	if errors.Is(err, fs.ErrNotExist) && !*update {
		t.Skip("this is not the repository")
	}
	page, _ := manual.Find("coming-from-pi")
	if *update {
		if err := os.WriteFile(copied, []byte(page.Text), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	if string(have) != page.Text {
		t.Errorf("%s is not the page; -update copies it", copied)
	}
}

func TestWrite(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "a", "docs")
	if err := manual.Write(dir); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(dir, "index.md")
	before, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	old := filepath.Join(dir, "settings.md")
	if err := errors.Join(os.WriteFile(old, []byte("of an older version"), 0o644), os.WriteFile(filepath.Join(dir, "mine.md"), []byte("mine"), 0o644)); err != nil {
		t.Fatal(err)
	}
	if err := manual.Write(dir); err != nil {
		t.Fatal(err)
	}
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	if len(entries) != len(manual.Topics())+1 {
		t.Errorf("%d files for %d topics and one of the user", len(entries), len(manual.Topics()))
	}
	settings, _ := manual.Find("settings")
	if got, err := os.ReadFile(old); err != nil || string(got) != settings.Text {
		t.Errorf("an older page was not replaced: %v", err)
	}
	if after, err := os.Stat(path); err != nil || !os.SameFile(before, after) {
		t.Error("a page that is the same was written again")
	}
}
