// Package lockstep keeps all modules of the repository at one version. The file
// VERSION is the source; what every go.mod requires of its siblings, what
// go.work replaces, and marked constants in the code follow it.
//
//	problems, err := lockstep.Verify(w)   // who disagrees
//	err = lockstep.Bump(w, "0.2.0")       // set a new version everywhere
//	results, err := lockstep.Tidy(ctx, w) // go mod tidy that knows the siblings
//	plan, err := lockstep.Plan(ctx, w)    // the tags of a release, in order
//
// The go command resolves a sibling that is not published yet by the versioned
// replace lines of go.work. A replace line in a go.mod would do it too, but the
// go command refuses to install a command from a module that has one.
package lockstep

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/mod/modfile"
	"golang.org/x/mod/semver"

	"github.com/pi-go/pi/internal/tools/workspace"
)

// Problem is one place that disagrees with VERSION or with go.work.
type Problem struct {
	// Where is a file, with a line where there is one: "ai/go.mod:7".
	Where string
	// What says what stands there, what should, and what to do.
	What string
}

func (p Problem) String() string { return p.Where + ": " + p.What }

// Verify returns every disagreement; none means that the modules are in lockstep.
func Verify(w *workspace.Workspace) ([]Problem, error) {
	if err := validVersion(w.Version); err != nil {
		return []Problem{{"VERSION", err.Error()}}, nil
	}
	var problems []Problem
	problems = append(problems, verifyWork(w)...)
	for _, m := range w.Modules {
		problems = append(problems, verifyModule(w, m)...)
	}
	unlisted, err := w.UnlistedModules()
	if err != nil {
		return nil, err
	}
	for _, dir := range unlisted {
		if _, known := outside[dir]; !known {
			problems = append(problems, Problem{dir + "/go.mod", "module is not in go.work; add a use line there (or name it in internal/tools/lockstep/rules.go with the reason)"})
		}
	}
	constants, err := findConstants(w)
	if err != nil {
		return nil, err
	}
	for _, c := range constants {
		if c.value != w.Version {
			problems = append(problems, Problem{c.file + ":" + strconv.Itoa(c.line), fmt.Sprintf("says version %q, VERSION says %s", c.value, w.Version)})
		}
	}
	return problems, nil
}

func validVersion(version string) error {
	if v := "v" + version; !semver.IsValid(v) || semver.Canonical(v) != v {
		return fmt.Errorf("%q is not a version of the form 1.2.3 or 1.2.3-rc.1", version)
	}
	return nil
}

func verifyWork(w *workspace.Workspace) []Problem {
	var problems []Problem
	replaced := map[string]bool{}
	for _, r := range w.Work.Replace {
		where := "go.work:" + strconv.Itoa(r.Syntax.Start.Line)
		rel, ours := w.Rel(r.Old.Path)
		switch {
		case !ours:
			problems = append(problems, Problem{where, "replaces " + r.Old.Path + ", which is not ours: a release would be built from something else than the tests"})
		case r.Old.Version != "v"+w.Version:
			problems = append(problems, Problem{where, fmt.Sprintf("replaces %s %s, VERSION says %s; run make bump", rel, r.Old.Version, w.Version)})
		case r.New.Path != "./"+rel:
			problems = append(problems, Problem{where, fmt.Sprintf("replaces %s by %s, expected ./%s", rel, r.New.Path, rel)})
		}
		replaced[r.Old.Path] = true
	}
	for _, m := range w.Modules {
		for _, r := range w.Siblings(m) {
			if !replaced[r.Mod.Path] {
				replaced[r.Mod.Path] = true
				problems = append(problems, Problem{"go.work", fmt.Sprintf("no replace line for %s, which %s/go.mod requires; add %s v%s => ./%s",
					r.Mod.Path, m.Dir, r.Mod.Path, w.Version, strings.TrimPrefix(r.Mod.Path, w.Prefix+"/"))})
			}
		}
	}
	return problems
}

func verifyModule(w *workspace.Workspace, m workspace.Module) []Problem {
	var problems []Problem
	file := m.Dir + "/go.mod"
	switch {
	case m.File.Go == nil:
		problems = append(problems, Problem{file, "has no go line, expected go " + w.Work.Go.Version + " as in go.work"})
	case m.File.Go.Version != w.Work.Go.Version:
		problems = append(problems, Problem{file + ":" + strconv.Itoa(m.File.Go.Syntax.Start.Line), fmt.Sprintf("says go %s, go.work says go %s", m.File.Go.Version, w.Work.Go.Version)})
	}
	for _, r := range m.File.Replace {
		problems = append(problems, Problem{file + ":" + strconv.Itoa(r.Syntax.Start.Line), "has a replace line; go install refuses such a module, put it in go.work"})
	}
	for _, r := range w.Siblings(m) {
		if r.Mod.Version != "v"+w.Version {
			problems = append(problems, Problem{file + ":" + strconv.Itoa(r.Syntax.Start.Line), fmt.Sprintf("requires %s %s, VERSION says %s; run make bump", r.Mod.Path, r.Mod.Version, w.Version)})
		}
	}
	return problems
}

// constant is a string in the code that repeats the version.
type constant struct {
	file  string
	line  int
	value string
}

// marked matches a whole line that ends in the marker: everything before the
// string, the string, and the rest.
func marked() *regexp.Regexp {
	return regexp.MustCompile(`^(.*?")([^"]*)(".*` + regexp.QuoteMeta(marker) + `\s*)$`)
}

func findConstants(w *workspace.Workspace) ([]constant, error) {
	files, err := w.GoFiles()
	if err != nil {
		return nil, err
	}
	line := marked()
	var found []constant
	for _, f := range files {
		data, err := os.ReadFile(filepath.Join(w.Root, filepath.FromSlash(f.Path)))
		if err != nil {
			return nil, fmt.Errorf("look for version constants: %w", err)
		}
		if !bytes.Contains(data, []byte(marker)) {
			continue
		}
		for i, text := range strings.Split(string(data), "\n") {
			if m := line.FindStringSubmatch(text); m != nil && !strings.HasPrefix(strings.TrimSpace(text), "//") {
				found = append(found, constant{f.Path, i + 1, m[2]})
			}
		}
	}
	return found, nil
}

// Bump sets version (without a leading v) everywhere and writes the files that
// change. The workspace value keeps what it had read before.
func Bump(w *workspace.Workspace, version string) error {
	if err := validVersion(version); err != nil {
		return fmt.Errorf("bump: %w", err)
	}
	edits := map[string][]byte{"VERSION": []byte(version + "\n")}
	for _, m := range w.Modules {
		file, err := modfile.Parse(m.Dir+"/go.mod", modfile.Format(m.File.Syntax), nil)
		if err != nil {
			return fmt.Errorf("bump %s: %w", m.Dir, err)
		}
		for _, r := range w.Siblings(m) {
			if err := file.AddRequire(r.Mod.Path, "v"+version); err != nil {
				return fmt.Errorf("bump %s: %w", m.Dir, err)
			}
		}
		if edits[m.Dir+"/go.mod"], err = file.Format(); err != nil {
			return fmt.Errorf("bump %s: %w", m.Dir, err)
		}
	}
	work, err := modfile.ParseWork("go.work", modfile.Format(w.Work.Syntax), nil)
	if err != nil {
		return fmt.Errorf("bump go.work: %w", err)
	}
	// The lines are edited in place, so that their comments stay where they are.
	for _, r := range work.Replace {
		if _, ours := w.Rel(r.Old.Path); ours {
			if at := slices.Index(r.Syntax.Token, r.Old.Version); r.Old.Version != "" && at >= 0 {
				r.Syntax.Token[at] = "v" + version
			}
		}
	}
	edits["go.work"] = modfile.Format(work.Syntax)
	if err := bumpConstants(w, version, edits); err != nil {
		return err
	}
	for name, data := range edits {
		if err := writeIfChanged(filepath.Join(w.Root, filepath.FromSlash(name)), data); err != nil {
			return fmt.Errorf("bump: %w", err)
		}
	}
	return nil
}

func bumpConstants(w *workspace.Workspace, version string, edits map[string][]byte) error {
	constants, err := findConstants(w)
	if err != nil {
		return err
	}
	line := marked()
	for _, c := range constants {
		data, ok := edits[c.file]
		if !ok {
			if data, err = os.ReadFile(filepath.Join(w.Root, filepath.FromSlash(c.file))); err != nil {
				return fmt.Errorf("bump %s: %w", c.file, err)
			}
		}
		lines := strings.Split(string(data), "\n")
		lines[c.line-1] = line.ReplaceAllString(lines[c.line-1], "${1}"+version+"${3}")
		edits[c.file] = []byte(strings.Join(lines, "\n"))
	}
	return nil
}

func writeIfChanged(file string, data []byte) error {
	if old, err := os.ReadFile(file); err == nil && bytes.Equal(old, data) {
		return nil
	}
	return os.WriteFile(file, data, 0o644)
}
