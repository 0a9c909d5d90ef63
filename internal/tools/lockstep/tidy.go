package lockstep

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/mod/modfile"

	"github.com/pi-go/pi/internal/tools/workspace"
)

// Tidied is what go mod tidy makes of one module.
type Tidied struct {
	Module workspace.Module
	// Mod and Sum are the tidy go.mod and go.sum. An empty Sum means no file.
	Mod, Sum []byte
	// Changes are the lines that differ, with a leading + or - and the file's name.
	Changes []string
	// Skipped is the reason why the module was not looked at, or empty.
	Skipped string
}

// Tidy works out the tidy go.mod and go.sum of every module without writing
// them. The go command's own tidy does not look at the workspace and would ask
// the network for siblings, so it is run on a scratch copy with replace lines.
//
// A module that imports nothing yet is skipped: tidy would throw away the
// requirements that its first code is about to use.
func Tidy(ctx context.Context, w *workspace.Workspace) ([]Tidied, error) {
	imports, err := w.Imports()
	if err != nil {
		return nil, err
	}
	var results []Tidied
	for _, m := range w.Modules {
		if !slices.ContainsFunc(imports, func(i workspace.Import) bool { return i.File.Module.Dir == m.Dir }) {
			results = append(results, Tidied{Module: m, Skipped: "it imports nothing yet"})
			continue
		}
		t, err := tidyModule(ctx, w, m, imports)
		if err != nil {
			return nil, fmt.Errorf("tidy %s: %w", m.Dir, err)
		}
		results = append(results, t)
	}
	return results, nil
}

func tidyModule(ctx context.Context, w *workspace.Workspace, m workspace.Module, imports []workspace.Import) (Tidied, error) {
	t := Tidied{Module: m}
	dir := filepath.Join(w.Root, filepath.FromSlash(m.Dir))
	scratch, err := os.MkdirTemp("", "tidy-")
	if err != nil {
		return t, err
	}
	defer os.RemoveAll(scratch)
	mod, sum := filepath.Join(scratch, "go.mod"), filepath.Join(scratch, "go.sum")

	file, err := modfile.Parse("go.mod", modfile.Format(m.File.Syntax), nil)
	if err != nil {
		return t, err
	}
	// A sibling that is imported and not required yet would be looked up on the network.
	for _, i := range imports {
		sibling, member := w.Owner(i.Rel)
		if i.Ours && member && i.File.Module.Dir == m.Dir && sibling.Dir != m.Dir {
			if err := file.AddRequire(sibling.Path, "v"+w.Version); err != nil {
				return t, err
			}
		}
	}
	for _, sibling := range w.Modules {
		if err := file.AddReplace(sibling.Path, "", filepath.Join(w.Root, filepath.FromSlash(sibling.Dir)), ""); err != nil {
			return t, err
		}
	}
	file.Cleanup()
	if err := os.WriteFile(mod, modfile.Format(file.Syntax), 0o644); err != nil {
		return t, err
	}
	oldSum, err := os.ReadFile(filepath.Join(dir, "go.sum"))
	if err == nil {
		err = os.WriteFile(sum, oldSum, 0o644)
	} else if os.IsNotExist(err) {
		err = nil
	}
	if err != nil {
		return t, err
	}

	cmd := exec.CommandContext(ctx, "go", "mod", "tidy", "-modfile="+mod)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "GOWORK=off")
	if output, err := cmd.CombinedOutput(); err != nil {
		return t, fmt.Errorf("go mod tidy: %w\n%s", err, bytes.TrimSpace(output))
	}

	if t.Mod, err = withoutReplaces(mod); err != nil {
		return t, err
	}
	if t.Sum, err = os.ReadFile(sum); err != nil && !os.IsNotExist(err) {
		return t, err
	}
	t.Changes = append(lineChanges("go.mod", modfile.Format(m.File.Syntax), t.Mod), lineChanges("go.sum", oldSum, t.Sum)...)
	return t, nil
}

func withoutReplaces(mod string) ([]byte, error) {
	data, err := os.ReadFile(mod)
	if err != nil {
		return nil, err
	}
	file, err := modfile.Parse("go.mod", data, nil)
	if err != nil {
		return nil, err
	}
	for _, r := range slices.Clone(file.Replace) {
		if err := file.DropReplace(r.Old.Path, r.Old.Version); err != nil {
			return nil, err
		}
	}
	file.Cleanup()
	return file.Format()
}

// lineChanges lists the lines that only one of two files has.
func lineChanges(name string, before, after []byte) []string {
	lines := func(data []byte) []string {
		return slices.DeleteFunc(strings.Split(string(data), "\n"), func(l string) bool { return strings.TrimSpace(l) == "" })
	}
	a, b := lines(before), lines(after)
	var changes []string
	for _, l := range a {
		if !slices.Contains(b, l) {
			changes = append(changes, "- "+name+": "+strings.TrimSpace(l))
		}
	}
	for _, l := range b {
		if !slices.Contains(a, l) {
			changes = append(changes, "+ "+name+": "+strings.TrimSpace(l))
		}
	}
	return changes
}

// Write stores the tidy files in the module's directory.
func (t Tidied) Write(w *workspace.Workspace) error {
	dir := filepath.Join(w.Root, filepath.FromSlash(t.Module.Dir))
	if err := writeIfChanged(filepath.Join(dir, "go.mod"), t.Mod); err != nil {
		return fmt.Errorf("write tidy go.mod of %s: %w", t.Module.Dir, err)
	}
	if len(t.Sum) == 0 {
		if err := os.Remove(filepath.Join(dir, "go.sum")); err != nil && !os.IsNotExist(err) {
			return fmt.Errorf("remove empty go.sum of %s: %w", t.Module.Dir, err)
		}
		return nil
	}
	if err := writeIfChanged(filepath.Join(dir, "go.sum"), t.Sum); err != nil {
		return fmt.Errorf("write tidy go.sum of %s: %w", t.Module.Dir, err)
	}
	return nil
}
