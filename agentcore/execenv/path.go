package execenv

import (
	"path"
	"slices"
	"strings"
)

// The path arithmetic below follows the style of the environment and not that
// of the machine this program runs on, because the two can differ and because
// both styles should be testable everywhere.

// IsAbs reports whether name is an absolute path in the style of e. On Windows
// that is a drive with a root (C:\x) or a share (\\host\share).
func (e Env) IsAbs(name string) bool {
	if e.mounted(name) {
		return true
	}
	if !e.Windows {
		return strings.HasPrefix(name, "/")
	}
	vol, rest := splitVolume(name)
	if strings.HasPrefix(vol, `\\`) {
		return true
	}
	return vol != "" && rest != "" && isSlash(rest[0])
}

// Join puts names one below the other and cleans the result. Empty names are
// left out.
func (e Env) Join(names ...string) string {
	if i := slices.IndexFunc(names, func(n string) bool { return n != "" }); i >= 0 && e.mounted(names[i]) {
		return e.cleanMounted(names[i] + "/" + path.Join(names[i+1:]...))
	}
	if !e.Windows {
		return path.Join(names...)
	}
	var joined string
	for _, name := range names {
		switch {
		case name == "":
		case joined == "":
			joined = name
		default:
			joined = strings.TrimRight(joined, `\/`) + `\` + strings.TrimLeft(name, `\/`)
		}
	}
	if joined == "" {
		return ""
	}
	return cleanWindows(joined)
}

// Clean returns the shortest name that means the same: no ".", no "..", no
// doubled separators.
func (e Env) Clean(name string) string {
	if e.mounted(name) {
		return e.cleanMounted(name)
	}
	if !e.Windows {
		return path.Clean(name)
	}
	return cleanWindows(name)
}

// ParentDir returns all but the last element of name.
func (e Env) ParentDir(name string) string {
	if e.mounted(name) {
		return e.cleanMounted(name + "/..")
	}
	if !e.Windows {
		return path.Dir(name)
	}
	vol, rest := splitVolume(name)
	i := strings.LastIndexAny(strings.TrimRight(rest, `\/`), `\/`)
	return cleanWindows(vol + rest[:i+1])
}

// BaseName returns the last element of name.
func (e Env) BaseName(name string) string {
	if !e.Windows || e.mounted(name) {
		return path.Base(name)
	}
	_, rest := splitVolume(name)
	rest = strings.TrimRight(rest, `\/`)
	if rest == "" {
		return `\`
	}
	return rest[strings.LastIndexAny(rest, `\/`)+1:]
}

// Rel returns name relative to dir with "/" between its elements, and false when
// name is not below dir. Both are absolute and clean. The directory itself is ".".
func (e Env) Rel(dir, name string) (string, bool) {
	if e.Windows && !e.mounted(name) {
		dir, name = strings.ReplaceAll(dir, `\`, "/"), strings.ReplaceAll(name, `\`, "/")
		if len(name) >= len(dir) && strings.EqualFold(dir, name[:len(dir)]) {
			name = dir + name[len(dir):]
		}
	}
	if name == dir {
		return ".", true
	}
	if !strings.HasSuffix(dir, "/") {
		dir += "/"
	}
	rel, ok := strings.CutPrefix(name, dir)
	return rel, ok
}

func isSlash(c byte) bool { return c == '/' || c == '\\' }

// splitVolume cuts a Windows path after its drive ("C:") or share
// ("\\host\share"). The share part comes back with backslashes.
func splitVolume(name string) (vol, rest string) {
	if len(name) >= 2 && name[1] == ':' && isLetter(name[0]) {
		return name[:2], name[2:]
	}
	if len(name) < 3 || !isSlash(name[0]) || !isSlash(name[1]) || isSlash(name[2]) {
		return "", name
	}
	host, tail := cutElement(name[2:])
	share, tail := cutElement(strings.TrimLeft(tail, `\/`))
	if share == "" {
		return `\\` + host, ""
	}
	return `\\` + host + `\` + share, tail
}

// cutElement cuts a path behind its first element.
func cutElement(name string) (elem, rest string) {
	if i := strings.IndexAny(name, `\/`); i >= 0 {
		return name[:i], name[i:]
	}
	return name, ""
}

func isLetter(c byte) bool { return 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' }

func cleanWindows(name string) string {
	vol, rest := splitVolume(name)
	if rest == "" {
		if strings.HasPrefix(vol, `\\`) {
			return vol + `\`
		}
		return vol + "."
	}
	rest = path.Clean(strings.ReplaceAll(rest, `\`, "/"))
	return vol + strings.ReplaceAll(rest, "/", `\`)
}
