package packages

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// run runs a program without a shell and gives what it prints. Its last lines are
// the error, if it fails.
func (m *Manager) run(ctx context.Context, dir string, environ, argv []string) (string, error) {
	cmd := exec.CommandContext(ctx, argv[0], argv[1:]...)
	cmd.Dir, cmd.Env = dir, environ
	cmd.WaitDelay = 5 * time.Second // for children that keep the output open
	var out, errs bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errs
	err := cmd.Run()
	switch {
	case err == nil:
		return strings.TrimSpace(out.String()), nil
	case ctx.Err() != nil:
		return "", context.Cause(ctx)
	case errors.Is(err, exec.ErrNotFound):
		return "", fmt.Errorf("there is no program %s: %w", argv[0], err)
	}
	said := strings.TrimSpace(errs.String())
	if said == "" {
		said = strings.TrimSpace(out.String())
	}
	const most = 2000
	if len(said) > most {
		said = "…" + strings.ToValidUTF8(said[len(said)-most:], "")
	}
	return "", fmt.Errorf("%s: %w: %s", filepath.Base(argv[0]), err, said)
}

// npmKind tells which package manager the setting npmCommand runs, also behind
// wrappers such as "mise exec --".
func npmKind(argv []string) string {
	for _, a := range slices.Backward(argv) {
		base := strings.ToLower(filepath.Base(filepath.FromSlash(a)))
		base = strings.TrimSuffix(strings.TrimSuffix(base, ".exe"), ".cmd")
		if base == "npm" || base == "pnpm" || base == "bun" {
			return base
		}
	}
	return "npm"
}

// npm runs the command of the setting. Scripts are always off, whatever it does by
// default.
func (m *Manager) npm(ctx context.Context, dir string, args ...string) error {
	off := "--ignore-scripts"
	if npmKind(m.o.NPMCommand) == "pnpm" {
		off = "--config.ignore-scripts=true" // not all of its commands know the other
	}
	argv := slices.Concat(m.o.NPMCommand, args, []string{off})
	environ := append(slices.Clone(m.o.Environ), "npm_config_ignore_scripts=true")
	_, err := m.run(ctx, dir, environ, argv)
	return err
}

// npmInstall installs a package below root.
func (m *Manager) npmInstall(ctx context.Context, root, spec string) error {
	switch npmKind(m.o.NPMCommand) {
	case "pnpm":
		return m.npm(ctx, root, "install", spec, "--prefix", root,
			"--config.auto-install-peers=false", "--config.strict-peer-dependencies=false", "--config.strict-dep-builds=false")
	case "bun":
		return m.npm(ctx, root, "install", spec, "--cwd", root, "--omit=peer")
	}
	return m.npm(ctx, root, "install", spec, "--prefix", root, "--legacy-peer-deps", "--no-audit", "--no-fund")
}

func (m *Manager) npmUninstall(ctx context.Context, root, name string) error {
	switch npmKind(m.o.NPMCommand) {
	case "pnpm":
		return m.npm(ctx, root, "uninstall", name, "--prefix", root)
	case "bun":
		return m.npm(ctx, root, "uninstall", name, "--cwd", root)
	}
	return m.npm(ctx, root, "uninstall", name, "--prefix", root, "--legacy-peer-deps", "--no-audit", "--no-fund")
}

// npmInstallHere installs what the package in a directory depends on.
func (m *Manager) npmInstallHere(ctx context.Context, dir string) error {
	switch npmKind(m.o.NPMCommand) {
	case "pnpm":
		return m.npm(ctx, dir, "install", "--prod", "--config.auto-install-peers=false", "--config.strict-peer-dependencies=false", "--config.strict-dep-builds=false")
	case "bun":
		return m.npm(ctx, dir, "install", "--production", "--omit=peer")
	}
	return m.npm(ctx, dir, "install", "--omit=dev", "--legacy-peer-deps", "--no-audit", "--no-fund")
}
