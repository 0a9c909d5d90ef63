package resource

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"strings"

	"github.com/pi-go/pi/agentcore/execenv"
)

// ContextFile is an instruction file for the model.
type ContextFile struct {
	Path    string // absolute
	Content string // valid UTF-8, at most [MaxContextFile] bytes
}

// MaxContextFile is how much of one instruction file is used, in bytes. A
// larger one is cut, with a diagnostic.
const MaxContextFile = 256 << 10

// contextNames are the names of instruction files; in each directory the
// first that is there is used.
var contextNames = [...]string{"AGENTS.override.md", "AGENTS.md", "AGENTS.MD", "CLAUDE.md", "CLAUDE.MD"}

// ContextFiles gives the instruction files for a working directory: the
// user's (in agentDir), then those of the directories from the root of the
// repository down to env.Dir. Outside a repository the walk begins below the
// home directory, or below the file system's root. Directories that everyone
// may write to are passed over, so that a stray file in /tmp says nothing.
func ContextFiles(ctx context.Context, env execenv.Env, agentDir, home string) ([]ContextFile, []Diagnostic) {
	var files []ContextFile
	var notes []Diagnostic
	dirs := append([]string{agentDir}, walk(ctx, env, home)...)
	seen := make(map[string]bool)
	for _, dir := range dirs {
		if dir == "" || seen[dir] {
			continue
		}
		seen[dir] = true
		for _, name := range contextNames {
			path := env.Join(dir, name)
			content, note, found := readContextFile(ctx, env, path)
			if note != "" {
				notes = append(notes, Diagnostic{Path: path, Message: note})
			}
			if found {
				files = append(files, ContextFile{Path: path, Content: content})
				break
			}
		}
	}
	return files, notes
}

// walk lists the directories to look into, outermost first.
func walk(ctx context.Context, env execenv.Env, home string) []string {
	var up []string
	for dir := env.Clean(env.Dir); ; {
		parent := env.Clean(env.Join(dir, ".."))
		if dir == home && dir != env.Clean(env.Dir) {
			break
		}
		if info, err := env.FS.Stat(ctx, dir); err == nil && (info.Mode().Perm()&0o002 == 0 || dir == env.Clean(env.Dir)) {
			up = append(up, dir)
		}
		if _, err := env.FS.Lstat(ctx, env.Join(dir, ".git")); err == nil {
			break
		}
		if parent == dir {
			up = withoutRoot(up, dir, env)
			break
		}
		dir = parent
	}
	for i, j := 0, len(up)-1; i < j; i, j = i+1, j-1 {
		up[i], up[j] = up[j], up[i]
	}
	return up
}

// withoutRoot drops the file system's root, unless one works there.
func withoutRoot(dirs []string, root string, env execenv.Env) []string {
	if n := len(dirs); n > 0 && dirs[n-1] == root && env.Clean(env.Dir) != root {
		return dirs[:n-1]
	}
	return dirs
}

// readContextFile reads one candidate; found says that the name is taken,
// note what was wrong with it.
func readContextFile(ctx context.Context, env execenv.Env, path string) (content, note string, found bool) {
	info, err := env.FS.Stat(ctx, path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		if _, lerr := env.FS.Lstat(ctx, path); lerr == nil {
			return "", "is a link that leads nowhere; ignored", false
		}
		return "", "", false
	case err != nil:
		return "", fmt.Sprintf("can not be looked at; ignored: %v", err), false
	case !info.Mode().IsRegular():
		return "", "is not a regular file; ignored", false
	}
	f, err := env.FS.Open(ctx, path)
	if err != nil {
		return "", fmt.Sprintf("can not be read; ignored: %v", err), false
	}
	defer f.Close()
	data, err := io.ReadAll(io.LimitReader(f, MaxContextFile+1))
	if err != nil {
		return "", fmt.Sprintf("can not be read; ignored: %v", err), false
	}
	if len(data) > MaxContextFile {
		data = data[:MaxContextFile]
		note = fmt.Sprintf("is %d bytes long; only the first %d are used", info.Size(), MaxContextFile)
	}
	text := strings.TrimPrefix(string(data), "\uFEFF")
	if valid := strings.ToValidUTF8(text, "\uFFFD"); valid != text {
		text = valid
		if note == "" {
			note = "is not valid UTF-8; the bad bytes were replaced"
		}
	}
	return text, note, true
}
