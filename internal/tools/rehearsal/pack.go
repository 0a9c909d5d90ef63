package rehearsal

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"go/build"
	"go/parser"
	"go/token"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"golang.org/x/mod/module"
	"golang.org/x/mod/zip"

	"github.com/pi-go/pi/internal/tools/workspace"
)

// pack writes list, info, mod and zip of every published module into the proxy
// directory. Only files that git tracks or would add are packed, as a tag would.
func (r *rehearsal) pack(ctx context.Context) error {
	for _, m := range r.w.Modules {
		if !m.Published() {
			continue
		}
		if err := r.packModule(ctx, m); err != nil {
			return fmt.Errorf("%s: %w", m.Dir, err)
		}
	}
	return nil
}

func (r *rehearsal) packModule(ctx context.Context, m workspace.Module) error {
	escaped, err := module.EscapePath(m.Path)
	if err != nil {
		return err
	}
	dir := filepath.Join(r.proxy(), filepath.FromSlash(escaped), "@v")
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	version := "v" + r.w.Version
	info, err := json.Marshal(map[string]any{"Version": version, "Time": time.Now().UTC()})
	if err != nil {
		return err
	}
	mod, err := os.ReadFile(filepath.Join(r.w.Root, filepath.FromSlash(m.Dir), "go.mod"))
	if err != nil {
		return err
	}
	var archive bytes.Buffer
	files, err := r.files(ctx, m)
	if err != nil {
		return err
	}
	if err := zip.Create(&archive, module.Version{Path: m.Path, Version: version}, files); err != nil {
		return fmt.Errorf("make zip: %w", err)
	}
	for name, data := range map[string][]byte{
		"list": []byte(version + "\n"), version + ".info": info, version + ".mod": mod, version + ".zip": archive.Bytes(),
	} {
		if err := os.WriteFile(filepath.Join(dir, name), data, 0o644); err != nil {
			return err
		}
	}
	fmt.Fprintf(r.out, "rehearsal: packed %s %s, %d files, %d KiB\n", m.Path, version, len(files), archive.Len()/1024)
	return nil
}

// files lists what a tag would put into the module: no nested module, nothing
// ignored, and the licence of the repository, which the go command adds to a
// module that has none of its own.
func (r *rehearsal) files(ctx context.Context, m workspace.Module) ([]zip.File, error) {
	cmd := exec.CommandContext(ctx, "git", "ls-files", "-z", "--cached", "--others", "--exclude-standard", "--", m.Dir)
	cmd.Dir = r.w.Root
	output, err := cmd.Output()
	if err != nil {
		return nil, fmt.Errorf("list files with git: %w", err)
	}
	var files []zip.File
	licensed := false
	for name := range strings.SplitSeq(strings.TrimRight(string(output), "\x00"), "\x00") {
		file := packed{name: strings.TrimPrefix(name, m.Dir+"/"), source: filepath.Join(r.w.Root, filepath.FromSlash(name))}
		if owner, _ := r.w.Owner(name); owner.Dir != m.Dir {
			continue
		}
		if _, err := os.Lstat(file.source); os.IsNotExist(err) {
			continue // deleted in the tree, still in the index
		}
		licensed = licensed || file.name == "LICENSE"
		files = append(files, file)
	}
	if license := filepath.Join(r.w.Root, "LICENSE"); !licensed {
		if _, err := os.Stat(license); err == nil {
			files = append(files, packed{name: "LICENSE", source: license})
		}
	}
	return files, nil
}

// packed is a file of the tree under its name in the module.
type packed struct{ name, source string }

func (p packed) Path() string                 { return p.name }
func (p packed) Lstat() (os.FileInfo, error)  { return os.Lstat(p.source) }
func (p packed) Open() (io.ReadCloser, error) { return os.Open(p.source) }

// matchFile reports whether a Go file belongs to a build for this platform
// without cgo, and its package name.
func matchFile(file string) (bool, string, error) {
	platform := build.Default
	platform.CgoEnabled = false
	included, err := platform.MatchFile(filepath.Dir(file), filepath.Base(file))
	if err != nil {
		return false, "", fmt.Errorf("match build constraints of %s: %w", file, err)
	}
	parsed, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.PackageClauseOnly)
	if err != nil {
		return false, "", fmt.Errorf("read package of %s: %w", file, err)
	}
	return included, parsed.Name.Name, nil
}
