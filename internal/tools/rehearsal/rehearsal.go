// Package rehearsal tries a release out before any tag exists: it packs every
// published module into a directory laid out as a module proxy, installs each
// command from there by path@version as a user would, and builds a foreign
// module that imports every public package.
//
//	err := rehearsal.Run(ctx, w, os.Stdout)
//
// What it proves: no go.mod has a replace line or a wrong sibling version, each
// module's zip holds what its packages embed, and internal packages are not
// needed from outside.
package rehearsal

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"time"

	"github.com/pi-go/pi/internal/tools/workspace"
)

// Run rehearses the release of w at its version and reports progress to out.
// Third-party modules come from the module cache of the user where they are
// there, and from the user's proxy otherwise.
func Run(ctx context.Context, w *workspace.Workspace, out io.Writer) (err error) {
	scratch, err := os.MkdirTemp("", "rehearsal-")
	if err != nil {
		return fmt.Errorf("rehearse release: %w", err)
	}
	defer func() {
		if rmErr := os.RemoveAll(scratch); err == nil && rmErr != nil {
			err = fmt.Errorf("remove rehearsal: %w", rmErr)
		}
	}()
	r := &rehearsal{w: w, scratch: scratch, out: out}
	if err := r.pack(ctx); err != nil {
		return fmt.Errorf("pack modules: %w", err)
	}
	if r.env, err = r.environment(ctx); err != nil {
		return fmt.Errorf("rehearse release: %w", err)
	}
	packages, err := r.packages()
	if err != nil {
		return fmt.Errorf("rehearse release: %w", err)
	}
	if err := r.install(ctx, packages); err != nil {
		return fmt.Errorf("install commands at v%s: %w", w.Version, err)
	}
	if err := r.consume(ctx, packages); err != nil {
		return fmt.Errorf("import packages at v%s: %w", w.Version, err)
	}
	return nil
}

type rehearsal struct {
	w       *workspace.Workspace
	scratch string
	out     io.Writer
	env     []string
}

func (r *rehearsal) proxy() string { return filepath.Join(r.scratch, "proxy") }

// environment points the go command at the local proxy, and at a module cache of
// its own: in the user's cache our version would stay and hide the next change.
func (r *rehearsal) environment(ctx context.Context) ([]string, error) {
	output, err := exec.CommandContext(ctx, "go", "env", "-json", "GOMODCACHE", "GOPROXY", "GONOSUMDB", "GOFLAGS").Output()
	if err != nil {
		return nil, fmt.Errorf("go env: %w", err)
	}
	var user struct{ GOMODCACHE, GOPROXY, GONOSUMDB, GOFLAGS string }
	if err := json.Unmarshal(output, &user); err != nil {
		return nil, fmt.Errorf("go env: %w", err)
	}
	proxies := []string{fileURL(r.proxy()), fileURL(filepath.Join(user.GOMODCACHE, "cache", "download")), user.GOPROXY}
	noSum := strings.Trim(user.GONOSUMDB+","+r.w.Prefix, ",")
	return append(os.Environ(),
		"GOWORK=off",
		"GOPROXY="+strings.Join(proxies, ","),
		"GONOSUMDB="+noSum,
		"GONOPROXY=none",
		"GOPRIVATE=",
		"GOFLAGS="+strings.TrimSpace(user.GOFLAGS+" -modcacherw -trimpath"),
		"GOMODCACHE="+filepath.Join(r.scratch, "modcache"),
		"GOBIN="+filepath.Join(r.scratch, "bin"),
		"CGO_ENABLED=0",
	), nil
}

func fileURL(dir string) string {
	p := filepath.ToSlash(dir)
	if !strings.HasPrefix(p, "/") {
		p = "/" + p // a Windows drive
	}
	return "file://" + p
}

// released is one package of a published module.
type released struct {
	path    string
	command bool
}

// packages lists commands and public packages that hold non-test code for this platform.
func (r *rehearsal) packages() ([]released, error) {
	files, err := r.w.GoFiles()
	if err != nil {
		return nil, err
	}
	var found []released
	for _, f := range files {
		full := r.w.Prefix + "/" + f.Package
		known := slices.ContainsFunc(found, func(p released) bool { return p.path == full })
		if f.Test || known || !f.Module.Published() {
			continue
		}
		included, name, err := matchFile(filepath.Join(r.w.Root, filepath.FromSlash(f.Path)))
		if err != nil {
			return nil, err
		}
		internal := slices.Contains(strings.Split(f.Package, "/"), "internal")
		if included && (name == "main" || !internal) {
			found = append(found, released{full, name == "main"})
		}
	}
	return found, nil
}

func (r *rehearsal) install(ctx context.Context, packages []released) error {
	for _, p := range packages {
		if !p.command {
			continue
		}
		start := time.Now()
		target := p.path + "@v" + r.w.Version
		if err := r.run(ctx, r.scratch, "go", "install", target); err != nil {
			return err
		}
		fmt.Fprintf(r.out, "rehearsal: go install %s (%.1f s)\n", target, time.Since(start).Seconds())
		if err := r.checkBuildInfo(ctx, p.path); err != nil {
			return err
		}
	}
	return nil
}

// checkBuildInfo proves that the installed binary was built from the local proxy
// at the right version.
func (r *rehearsal) checkBuildInfo(ctx context.Context, command string) error {
	binary := filepath.Join(r.scratch, "bin", command[strings.LastIndex(command, "/")+1:])
	if runtime.GOOS == "windows" {
		binary += ".exe"
	}
	output, err := exec.CommandContext(ctx, "go", "version", "-m", binary).Output()
	if err != nil {
		return fmt.Errorf("read build information of %s: %w", binary, err)
	}
	rel, _ := r.w.Rel(command)
	module, _ := r.w.Owner(rel)
	for line := range strings.Lines(string(output)) {
		if fields := strings.Fields(line); len(fields) >= 3 && fields[0] == "mod" && fields[1] == module.Path && fields[2] == "v"+r.w.Version {
			return nil
		}
	}
	return fmt.Errorf("%s was not built from %s v%s:\n%s", binary, module.Path, r.w.Version, output)
}

// consume builds a module of somebody else that imports everything public.
func (r *rehearsal) consume(ctx context.Context, packages []released) error {
	dir := filepath.Join(r.scratch, "consumer")
	if err := os.Mkdir(dir, 0o755); err != nil {
		return err
	}
	var source strings.Builder
	source.WriteString("package main\n\nimport (\n")
	count := 0
	for _, p := range packages {
		if !p.command {
			fmt.Fprintf(&source, "\t_ %q\n", p.path)
			count++
		}
	}
	source.WriteString(")\n\nfunc main() {}\n")
	if err := os.WriteFile(filepath.Join(dir, "main.go"), []byte(source.String()), 0o644); err != nil {
		return err
	}
	var mod strings.Builder
	fmt.Fprintf(&mod, "module consumer.example\n\ngo %s\n\nrequire (\n", r.w.Work.Go.Version)
	for _, m := range r.w.Modules {
		if m.Published() {
			fmt.Fprintf(&mod, "\t%s v%s\n", m.Path, r.w.Version)
		}
	}
	mod.WriteString(")\n")
	if err := os.WriteFile(filepath.Join(dir, "go.mod"), []byte(mod.String()), 0o644); err != nil {
		return err
	}
	start := time.Now()
	if err := r.run(ctx, dir, "go", "build", "-mod=mod", "-o", os.DevNull, "."); err != nil {
		return err
	}
	fmt.Fprintf(r.out, "rehearsal: a foreign module imports %d public packages (%.1f s)\n", count, time.Since(start).Seconds())
	return nil
}

func (r *rehearsal) run(ctx context.Context, dir, name string, args ...string) error {
	cmd := exec.CommandContext(ctx, name, args...)
	cmd.Dir = dir
	cmd.Env = r.env
	if output, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("%s %s: %w\n%s", name, strings.Join(args, " "), err, bytes.TrimSpace(output))
	}
	return nil
}
