package tools

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"slices"
	"strings"

	"golang.org/x/text/unicode/norm"

	"github.com/pi-go/pi/agentcore/execenv"
)

// ResolveExisting returns the absolute path of a file or directory that a model
// or a person names, in the forms they use: relative to the working directory,
// from the home directory ("~/x"), as a file:// URL, with an "@" in front, and on
// Windows in the way of Unix shells (/c/x).
//
// A name that exists as it is given wins. If none does, a name that looks the
// same is taken: other kinds of spaces, quotes and dashes, other composition of
// accents. macOS, for one, puts a narrow no-break space into the names of
// screenshots, which no model repeats. If several look the same the error lists
// them. If nothing does the path is returned as it was understood, for the caller
// to fail on.
func ResolveExisting(ctx context.Context, env execenv.Env, given string) (string, error) {
	var last string
	for _, form := range spellings(given) {
		name, err := expand(env, form)
		if err != nil {
			return "", err
		}
		if exists(ctx, env, name) {
			return name, nil
		}
		last = name
	}
	like, err := lookAlikes(ctx, env, last)
	if err != nil {
		return "", err
	}
	switch len(like) {
	case 0:
		return last, nil
	case 1:
		return like[0], nil
	}
	quoted := make([]string, len(like))
	for i, name := range like {
		quoted[i] = fmt.Sprintf("%+q", name)
	}
	return "", fmt.Errorf("%s does not exist, and several names look like it: %s; use one of these as it is", given, strings.Join(quoted, ", "))
}

// ResolveNew returns the absolute path of a file that may have to be made. It
// understands the same forms as ResolveExisting but never takes a name for
// another one that merely looks the same.
func ResolveNew(ctx context.Context, env execenv.Env, given string) (string, error) {
	forms := spellings(given)
	for _, form := range forms {
		name, err := expand(env, form)
		if err != nil {
			return "", err
		}
		if exists(ctx, env, name) {
			return name, nil
		}
	}
	name := given
	if rest, ok := strings.CutPrefix(given, "@"); ok {
		// "@types/new.ts" belongs into a directory @types, if there is one.
		first, _, deeper := strings.Cut(given, "/")
		if at, err := expand(env, first); err != nil || !deeper || !exists(ctx, env, at) {
			name = rest
		}
	}
	return expand(env, name)
}

// spellings lists the ways to read a name, the most literal one first.
func spellings(given string) []string {
	forms := []string{given}
	add := func(s string) {
		if !slices.Contains(forms, s) {
			forms = append(forms, s)
		}
	}
	bare := strings.TrimPrefix(given, "@")
	add(bare)
	add(strings.Map(plainSpace, bare))
	return forms
}

func exists(ctx context.Context, env execenv.Env, name string) bool {
	_, err := env.FS.Lstat(ctx, name)
	return err == nil
}

// expand makes a name absolute without looking at files.
func expand(env execenv.Env, name string) (string, error) {
	if strings.ContainsRune(name, 0) {
		return "", fmt.Errorf("the path %q contains a NUL character", name)
	}
	if len(name) >= 7 && strings.EqualFold(name[:7], "file://") {
		file, err := fromURL(env, name)
		if err != nil {
			return "", err
		}
		name = file
	}
	if env.Windows {
		name = fromUnixShell(name)
	}
	if rest, ok := strings.CutPrefix(name, "~"); ok && (rest == "" || rest[0] == '/' || env.Windows && rest[0] == '\\') {
		if env.Home == "" {
			return "", fmt.Errorf("the path %s needs a home directory, and none is known", name)
		}
		return env.Join(env.Home, rest), nil
	}
	return env.Abs(name), nil
}

// fromURL returns the path of a file: URL.
func fromURL(env execenv.Env, name string) (string, error) {
	u, err := url.Parse(name)
	if err != nil {
		return "", fmt.Errorf("the path is no valid file URL: %w", err)
	}
	if u.Host != "" && !strings.EqualFold(u.Host, "localhost") {
		if !env.Windows {
			return "", fmt.Errorf("the file URL %s names another machine", name)
		}
		return `\\` + u.Host + strings.ReplaceAll(u.Path, "/", `\`), nil
	}
	file := u.Path
	// file:///C:/x
	if env.Windows && len(file) >= 3 && file[0] == '/' && file[2] == ':' {
		file = file[1:]
	}
	if file == "" {
		return "", fmt.Errorf("the file URL %s has no path", name)
	}
	return file, nil
}

// fromUnixShell turns the way in which the Unix shells of Windows write drives
// (Git Bash: /c/x, WSL: /mnt/c/x, Cygwin: /cygdrive/c/x) into that of Windows.
func fromUnixShell(name string) string {
	if !strings.HasPrefix(name, "/") || strings.HasPrefix(name, "//") || strings.Contains(name, `\`) {
		return name
	}
	rest := name[1:]
	for _, prefix := range []string{"mnt/", "cygdrive/"} {
		if r, ok := strings.CutPrefix(rest, prefix); ok {
			rest = r
			break
		}
	}
	drive, tail, _ := strings.Cut(rest, "/")
	if len(drive) != 1 || !('a' <= drive[0]|0x20 && drive[0]|0x20 <= 'z') {
		return name
	}
	return strings.ToUpper(drive) + `:\` + strings.ReplaceAll(tail, "/", `\`)
}

// lookAlikes lists the existing paths that look like name, which does not exist.
func lookAlikes(ctx context.Context, env execenv.Env, name string) ([]string, error) {
	// Go up to what exists, then down again by looks.
	var elems []string
	dir := name
	for {
		parent := env.ParentDir(dir)
		if parent == dir {
			return nil, nil
		}
		elems = append(elems, env.BaseName(dir))
		dir = parent
		if info, err := env.FS.Stat(ctx, dir); err == nil {
			if !info.IsDir() {
				return nil, nil
			}
			break
		} else if ctx.Err() != nil {
			return nil, context.Cause(ctx)
		}
	}
	dirs := []string{dir}
	for _, elem := range slices.Backward(elems) {
		var next []string
		want := looks(elem)
		for _, dir := range dirs {
			entries, err := env.FS.ReadDir(ctx, dir)
			if errors.Is(err, fs.ErrPermission) || err != nil && len(dirs) > 1 {
				continue
			}
			if err != nil {
				return nil, nil
			}
			for _, e := range entries {
				if looks(e.Name()) == want {
					next = append(next, env.Join(dir, e.Name()))
				}
			}
		}
		if len(next) == 0 {
			return nil, nil
		}
		dirs = next
	}
	return dirs, nil
}

// looks is the same for names that look the same.
func looks(name string) string {
	for i := range len(name) {
		if name[i] >= 0x80 {
			return norm.NFC.String(strings.Map(plain, name))
		}
	}
	return name
}

// plain replaces typographic characters by those of a keyboard.
func plain(r rune) rune {
	switch {
	case '\u2018' <= r && r <= '\u201B', r == '\u02BC':
		return '\''
	case '\u201C' <= r && r <= '\u201F':
		return '"'
	case '\u2010' <= r && r <= '\u2015', r == '\u2212':
		return '-'
	}
	return plainSpace(r)
}

// plainSpace replaces the kinds of spaces by the ordinary one.
func plainSpace(r rune) rune {
	switch {
	case r == '\u00A0', '\u2000' <= r && r <= '\u200A', r == '\u202F', r == '\u205F', r == '\u3000':
		return ' '
	}
	return r
}
