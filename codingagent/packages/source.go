package packages

import (
	"fmt"
	"net/url"
	"path/filepath"
	"strings"

	"github.com/pi-go/pi/codingagent/internal/npm"
)

// Kind says where a package comes from.
type Kind string

// The kinds.
const (
	NPM   Kind = "npm"
	Git   Kind = "git"
	Local Kind = "local" // a file or directory of this machine
)

// Source says what a package is and where it comes from.
type Source struct {
	Text string // as it was written
	Kind Kind
	// Name and Want are of a package of a registry: Want is a version, a range or a
	// tag, "" for the newest.
	Name, Want string
	// URL is what git clones, Host and Path where that is, and Ref the branch, tag
	// or commit, "" for the default branch.
	URL, Host, Path, Ref string
	// File is the path of a local source, as it was written.
	File string
}

// Parse reads a source:
//
//	npm:[@scope/]name[@version|range|tag]
//	git:host/path[@ref], git:user@host:path[@ref], git:owner/repository[@ref]
//	https://host/path[@ref], also http, ssh and git
//	a path of this machine
//
// What looks like something else than it would be is an error that says what to
// write.
func Parse(text string) (Source, error) {
	s := Source{Text: strings.TrimSpace(text)}
	if s.Text == "" {
		return s, fmt.Errorf("the source of the package is empty: write npm:NAME, git:HOST/PATH, an https address, or a path")
	}
	if strings.ContainsFunc(s.Text, func(r rune) bool { return r < ' ' || r == 0x7f }) {
		return s, fmt.Errorf("the source %q holds control characters", s.Text)
	}
	if rest, ok := strings.CutPrefix(s.Text, "npm:"); ok {
		spec, err := npm.ParseSpec(strings.TrimSpace(rest))
		if err != nil {
			return s, fmt.Errorf("the source %s: %w; write npm:NAME, npm:@SCOPE/NAME, or npm:NAME@VERSION", s.Text, err)
		}
		s.Kind, s.Name, s.Want = NPM, spec.Name, spec.Want
		return s, nil
	}
	rest, isGit := strings.CutPrefix(s.Text, "git:")
	if isGit && !strings.HasPrefix(rest, "//") || isAddress(s.Text) {
		if !isGit || strings.HasPrefix(rest, "//") {
			rest = s.Text
		}
		if err := s.parseGit(strings.TrimSpace(rest)); err != nil {
			return s, fmt.Errorf("the source %s: %w", s.Text, err)
		}
		return s, nil
	}
	if better := mistaken(s.Text); better != "" {
		return s, fmt.Errorf("the source %s would be a path of this machine; write %s, or ./%s if it is one", s.Text, better, s.Text)
	}
	s.Kind = Local
	s.File = strings.TrimPrefix(s.Text, "file:")
	if u, ok := strings.CutPrefix(s.Text, "file://"); ok {
		s.File = u
		if p, err := url.PathUnescape(u); err == nil {
			s.File = p
		}
	}
	if s.File == "" {
		return s, fmt.Errorf("the source %s names no file", s.Text)
	}
	return s, nil
}

// isAddress reports whether a source without a prefix is an address for git.
func isAddress(s string) bool {
	scheme, _, ok := strings.Cut(s, "://")
	switch scheme {
	case "https", "http", "ssh", "git":
		return ok
	}
	return false
}

// mistaken gives what was probably meant by something that would be taken for a
// path, "" if it looks like one.
func mistaken(s string) string {
	prefix, rest, ok := strings.Cut(s, ":")
	if ok {
		switch strings.ToLower(prefix) {
		case "github":
			return "git:github.com/" + rest
		case "gitlab":
			return "git:gitlab.com/" + rest
		case "bitbucket":
			return "git:bitbucket.org/" + rest
		case "npm", "git", "https", "http", "ssh":
			return strings.ToLower(prefix) + ":" + rest
		case "git+https", "git+ssh", "git+http":
			return "git:" + s[len("git+"):]
		}
		if strings.Contains(prefix, "@") && !strings.ContainsAny(prefix, `/\`) {
			return "git:" + s // user@host:path
		}
	}
	return ""
}

// parseGit reads what follows "git:".
func (s *Source) parseGit(text string) error {
	s.Kind = Git
	address, path := "", ""
	switch scheme, after, isURL := strings.Cut(text, "://"); {
	case isURL && !isAddress(text):
		if scheme == "file" {
			return fmt.Errorf("git is used with https, http, ssh and git addresses; name a repository of this machine by its path: %s", after)
		}
		return fmt.Errorf("git is used with https, http, ssh and git addresses, not with %s", scheme)
	case isURL:
		host, p, _ := strings.Cut(after, "/")
		path = p
		u, err := url.Parse(scheme + "://" + host + "/")
		if err != nil {
			return fmt.Errorf("the address can not be read: %w", err)
		}
		s.Host, address = u.Hostname(), scheme+"://"+host+"/"
	default:
		first, p, slash := strings.Cut(text, "/")
		user, hostPath, scp := strings.Cut(text, ":")
		if scp && (!slash || len(user) < len(first)) {
			_, s.Host, _ = strings.Cut("@"+user, "@")
			if i := strings.LastIndexByte(user, '@'); i >= 0 {
				s.Host = user[i+1:]
			}
			address, path = user+":", strings.TrimPrefix(hostPath, "/")
			break
		}
		if !slash {
			return fmt.Errorf("a host and a path are needed, as in git:github.com/owner/repository")
		}
		s.Host, path, address = first, p, "https://"+first+"/"
		if !strings.Contains(first, ".") && first != "localhost" {
			// owner/repository
			s.Host, path, address = "github.com", text, "https://github.com/"
		}
	}
	if i := strings.LastIndexAny(path, "@#"); i >= 0 {
		path, s.Ref = path[:i], path[i+1:]
		if s.Ref == "" {
			return fmt.Errorf("it ends in @: a branch, a tag or a commit must follow")
		}
	}
	path = strings.TrimSuffix(strings.Trim(path, "/"), "/")
	s.URL = address + path
	s.Path = strings.TrimSuffix(path, ".git")
	return s.checkGit()
}

// checkGit refuses what git or the file system would understand in another way.
func (s *Source) checkGit() error {
	s.Host = strings.ToLower(s.Host)
	if s.Host == "" || strings.HasPrefix(s.Host, "-") || strings.Trim(s.Host, "abcdefghijklmnopqrstuvwxyz0123456789.-_:") != "" || strings.Contains(s.Host, "..") || s.Host[0] == '.' {
		return fmt.Errorf("%q is not the name of a host", s.Host)
	}
	if strings.Contains(s.Host, ":") {
		return fmt.Errorf("addresses with an IPv6 host are not supported; give the host a name")
	}
	if !strings.Contains(s.Host, ".") && s.Host != "localhost" {
		return fmt.Errorf("the host %q has no dot; write the whole name, as in git:github.com/owner/repository", s.Host)
	}
	parts := strings.Split(s.Path, "/")
	if len(parts) < 2 {
		return fmt.Errorf("the path of a repository has at least two parts, as in git:github.com/owner/repository")
	}
	for _, p := range parts {
		if p == "" || p == "." || p == ".." || p == ".git" || strings.HasPrefix(p, "-") || strings.ContainsAny(p, "\\:*?\"<>|") || !filepath.IsLocal(p) {
			return fmt.Errorf("%q can not be a part of the path of a repository", p)
		}
	}
	if known := s.Host == "github.com" || s.Host == "bitbucket.org"; known && len(parts) != 2 {
		better := "git:" + s.Host + "/" + parts[0] + "/" + parts[1]
		if len(parts) > 3 && (parts[2] == "tree" || parts[2] == "commit") {
			better += "@" + strings.Join(parts[3:], "/")
		}
		return fmt.Errorf("%s has repositories of the form owner/repository only; write %s", s.Host, better)
	}
	if strings.HasPrefix(s.Ref, "-") || strings.ContainsAny(s.Ref, " ~^:?*[\\") || strings.Contains(s.Ref, "..") {
		return fmt.Errorf("%q is not a branch, a tag or a commit", s.Ref)
	}
	return nil
}

// Pinned reports whether the source names one version for good, so that an update
// does not look for another.
func (s Source) Pinned() bool {
	switch s.Kind {
	case NPM:
		_, exact := npm.ParseVersion(s.Want)
		return exact
	case Git:
		return s.Ref != ""
	}
	return true
}

// Identity is the same for sources of the same package: versions and ways to reach
// it do not count. base is where relative paths begin, home what ~ is.
func (s Source) Identity(base, home string) string {
	switch s.Kind {
	case NPM:
		return "npm:" + s.Name
	case Git:
		return "git:" + s.Host + "/" + s.Path
	}
	return "local:" + s.local(base, home)
}

// local gives the absolute path of a local source.
func (s Source) local(base, home string) string {
	path := filepath.FromSlash(s.File)
	if path == "~" || strings.HasPrefix(path, "~"+string(filepath.Separator)) {
		path = filepath.Join(home, path[1:])
	}
	if !filepath.IsAbs(path) {
		path = filepath.Join(base, path)
	}
	return filepath.Clean(path)
}

// spec is what a registry is asked for.
func (s Source) spec() npm.Spec { return npm.Spec{Name: s.Name, Want: s.Want} }
