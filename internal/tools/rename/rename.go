// Package rename gives all modules a new path prefix: in go.mod and go.work, in
// imports, documentation and scripts.
//
//	changed, err := rename.Prefix(ctx, w, "example.org/agent")
package rename

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"go/format"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"golang.org/x/mod/module"

	"github.com/pi-go/pi/internal/tools/workspace"
)

// Prefix replaces the prefix of all module paths by another in every text file
// that git tracks or would add, and returns the files that changed. Go files are
// formatted again, since the order of imports may have changed.
func Prefix(ctx context.Context, w *workspace.Workspace, to string) ([]string, error) {
	if err := module.CheckPath(to); err != nil {
		return nil, fmt.Errorf("rename to %s: %w", to, err)
	}
	if to == w.Prefix {
		return nil, fmt.Errorf("rename to %s: that is the prefix already", to)
	}
	cmd := exec.CommandContext(ctx, "git", "ls-files", "-z", "--cached", "--others", "--exclude-standard")
	cmd.Dir = w.Root
	output, err := cmd.Output()
	if err != nil {
		return nil, fmt.Errorf("list files with git: %w", err)
	}
	var changed []string
	for name := range strings.SplitSeq(strings.TrimRight(string(output), "\x00"), "\x00") {
		done, err := rewrite(filepath.Join(w.Root, filepath.FromSlash(name)), w.Prefix, to)
		if err != nil {
			return changed, fmt.Errorf("rename in %s: %w", name, err)
		}
		if done {
			changed = append(changed, name)
		}
	}
	return changed, nil
}

func rewrite(file, from, to string) (bool, error) {
	info, err := os.Lstat(file)
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil // deleted in the tree, still in the index
	}
	if err != nil || !info.Mode().IsRegular() {
		return false, err
	}
	data, err := os.ReadFile(file)
	if err != nil {
		return false, err
	}
	if !bytes.Contains(data, []byte(from)) || bytes.IndexByte(data, 0) >= 0 {
		return false, nil
	}
	renamed := replace(data, from, to)
	if bytes.Equal(renamed, data) {
		return false, nil
	}
	// Formatting again is only for files that were formatted before: test data
	// may be odd on purpose.
	if strings.HasSuffix(file, ".go") {
		if old, err := format.Source(data); err == nil && bytes.Equal(old, data) {
			if renamed, err = format.Source(renamed); err != nil {
				return false, err
			}
		}
	}
	return true, os.WriteFile(file, renamed, info.Mode().Perm())
}

// replace exchanges the prefix where it ends as a path: "x/pi/ai" and "x/pi",
// but not "x/pilot".
func replace(data []byte, from, to string) []byte {
	var out bytes.Buffer
	for {
		at := bytes.Index(data, []byte(from))
		if at < 0 {
			out.Write(data)
			return out.Bytes()
		}
		end := at + len(from)
		out.Write(data[:at])
		if end < len(data) && isNameByte(data[end]) {
			out.Write(data[at:end])
		} else {
			out.WriteString(to)
		}
		data = data[end:]
	}
}

func isNameByte(c byte) bool {
	return c == '-' || c == '_' || c >= '0' && c <= '9' || c >= 'A' && c <= 'Z' || c >= 'a' && c <= 'z'
}
