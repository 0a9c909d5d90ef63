package interactive

import (
	"net/url"
	"path/filepath"
	"strings"
)

// maxDropped is how long a list of dropped files is at most.
const maxDropped = 8 << 10

// droppedImages reads the paths of images out of a paste; nil if it holds anything
// else. Terminals write the paths of files that are dragged in quoted, with
// backslashes in front of blanks, or as URLs, and several of them with blanks or
// line ends between.
func droppedImages(s, home string, windows bool) []string {
	s = strings.TrimSpace(s)
	if s == "" || len(s) > maxDropped {
		return nil
	}
	var paths []string
	for _, w := range shellWords(s, windows) {
		p := droppedImage(w, home, windows)
		if p == "" {
			// A path with bare blanks is only ever dropped alone.
			if p = droppedImage(s, home, windows); p != "" && !strings.Contains(s, "\n") {
				return []string{p}
			}
			return nil
		}
		paths = append(paths, p)
	}
	return paths
}

// droppedImage is the path that one word is, "" if it is not the absolute path of
// something that is called as images are.
func droppedImage(w, home string, windows bool) string {
	if rest, ok := strings.CutPrefix(w, "file://"); ok {
		u, err := url.Parse("file://" + rest)
		if err != nil || u.Host != "" && u.Host != "localhost" {
			return ""
		}
		if w = u.Path; windows {
			w = strings.TrimPrefix(w, "/")
		}
	}
	if rest, ok := strings.CutPrefix(w, "~/"); ok && home != "" {
		w = filepath.Join(home, rest)
	}
	if !filepath.IsAbs(w) || strings.ContainsAny(w, "\n\x00") {
		return ""
	}
	switch strings.ToLower(filepath.Ext(w)) {
	case ".png", ".jpg", ".jpeg", ".gif", ".webp", ".bmp":
		return w
	}
	return ""
}

// shellWords splits a text into words as a shell would, without expanding anything.
// On Windows a backslash is part of a path.
func shellWords(s string, windows bool) []string {
	var words []string
	var b strings.Builder
	begun, quote := false, rune(0)
	escaped := false
	for _, r := range s {
		switch {
		case escaped:
			b.WriteRune(r)
			escaped = false
		case r == '\\' && quote != '\'' && !windows:
			escaped, begun = true, true
		case quote != 0 && r == quote:
			quote = 0
		case quote == 0 && (r == '\'' || r == '"'):
			quote, begun = r, true
		case quote == 0 && (r == ' ' || r == '\t' || r == '\n' || r == '\r'):
			if begun {
				words = append(words, b.String())
			}
			b.Reset()
			begun = false
		default:
			b.WriteRune(r)
			begun = true
		}
	}
	if begun {
		words = append(words, b.String())
	}
	return words
}
