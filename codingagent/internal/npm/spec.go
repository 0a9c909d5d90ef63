package npm

import (
	"fmt"
	"strings"
)

// Spec names a package of a registry, and which of its versions.
type Spec struct {
	Name string // with its scope, as in "@scope/name"
	// Want is a version, a range or a tag; "" is the tag latest.
	Want string
}

// ParseSpec reads NAME[@WANT].
func ParseSpec(s string) (Spec, error) {
	name, want := s, ""
	if i := strings.LastIndex(s, "@"); i > 0 {
		name, want = s[:i], s[i+1:]
		if want == "" {
			return Spec{}, fmt.Errorf("%q ends in @: a version, a range or a tag must follow it", s)
		}
	}
	if err := CheckName(name); err != nil {
		return Spec{}, err
	}
	if strings.ContainsAny(want, "/:\\") {
		return Spec{}, fmt.Errorf("%q is no version, range or tag of %s", want, name)
	}
	return Spec{name, strings.TrimSpace(want)}, nil
}

// String gives what ParseSpec reads.
func (s Spec) String() string {
	if s.Want == "" {
		return s.Name
	}
	return s.Name + "@" + s.Want
}

// Exact gives the version that is wanted, if it is exactly one.
func (s Spec) Exact() (Version, bool) { return ParseVersion(s.Want) }

// CheckName refuses names that are none of a package; they become parts of URLs
// and of paths.
func CheckName(name string) error {
	bare := name
	if strings.HasPrefix(name, "@") {
		scope, rest, ok := strings.Cut(name[1:], "/")
		if !ok || !nameWord(scope) {
			return fmt.Errorf("%q is not the name of an npm package: after a scope, a slash and a name follow", name)
		}
		bare = rest
	}
	if !nameWord(bare) || len(name) > 214 {
		return fmt.Errorf("%q is not the name of an npm package", name)
	}
	return nil
}

// nameWord is strict about what could leave a directory, and lenient about the
// rest: old packages have capitals and odd characters.
func nameWord(s string) bool {
	const allowed = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_.!~*'()"
	return s != "" && s[0] != '.' && s != "node_modules" && strings.Trim(s, allowed) == ""
}
