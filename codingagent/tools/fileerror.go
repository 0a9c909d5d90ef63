package tools

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"
	"syscall"

	"github.com/pi-go/pi/agentcore/execenv"
)

// fileError says what could not be done with which file, and why: the name as it
// was given, the code of the system, and the path it was understood as.
type fileError struct {
	doing, given, path string
	hint               string
	err                error
}

func (e *fileError) Error() string {
	reason := e.err
	var pe *fs.PathError
	if errors.As(e.err, &pe) {
		reason = pe.Err
	}
	msg := fmt.Sprintf("cannot %s %s: %v", e.doing, e.given, reason)
	if code := errorCode(e.err); code != "" {
		msg += " (" + code + ")"
	}
	if e.path != e.given {
		msg += ": " + e.path
	}
	if e.hint != "" {
		msg += ". " + e.hint
	}
	return msg
}

func (e *fileError) Unwrap() error { return e.err }

// errorCode is the name that POSIX has for an error, "" if it is none of the
// usual ones.
func errorCode(err error) string {
	for _, c := range []struct {
		err  error
		code string
	}{
		{fs.ErrNotExist, "ENOENT"},
		{syscall.ENOTDIR, "ENOTDIR"},
		{syscall.EISDIR, "EISDIR"},
		{syscall.ENOSPC, "ENOSPC"},
		{syscall.EROFS, "EROFS"},
		{syscall.ELOOP, "ELOOP"},
		{syscall.ENAMETOOLONG, "ENAMETOOLONG"},
		{syscall.EBUSY, "EBUSY"},
		{syscall.EIO, "EIO"},
		{fs.ErrPermission, "EACCES"},
		{fs.ErrExist, "EEXIST"},
	} {
		if errors.Is(err, c.err) {
			return c.code
		}
	}
	return ""
}

// notFoundHint says what there is in place of a file that does not exist.
func notFoundHint(ctx context.Context, env execenv.Env, name string) string {
	dir := env.ParentDir(name)
	entries, err := env.FS.ReadDir(ctx, dir)
	if errors.Is(err, fs.ErrNotExist) {
		return fmt.Sprintf("The directory %s does not exist either", dir)
	}
	if err != nil {
		return ""
	}
	base := env.BaseName(name)
	var near []string
	for _, e := range entries {
		if alike(e.Name(), base) {
			near = append(near, e.Name())
		}
	}
	if len(near) == 0 {
		return ""
	}
	slices.SortStableFunc(near, func(a, b string) int { return distance(a, base) - distance(b, base) })
	return "Similar names there: " + strings.Join(near[:min(len(near), 3)], ", ")
}

// alike reports whether one name may be meant by the other: another case, another
// extension, or a slip of the keys.
func alike(a, b string) bool {
	a, b = strings.ToLower(a), strings.ToLower(b)
	stem := func(s string) string {
		if i := strings.LastIndexByte(s, '.'); i > 0 {
			return s[:i]
		}
		return s
	}
	return len(stem(a)) > 1 && stem(a) == stem(b) || distance(a, b) <= (len(b)+2)/4
}

// distance is the number of characters to add, remove or replace to make a name
// of another (Levenshtein).
func distance(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		diagonal := row[0]
		row[0] = i + 1
		for j := range len(b) {
			cost := diagonal
			if a[i] != b[j] {
				cost = 1 + min(diagonal, row[j], row[j+1])
			}
			diagonal, row[j+1] = row[j+1], cost
		}
	}
	return row[len(b)]
}
