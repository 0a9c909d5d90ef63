// Package changelog has the list of changes within the program.
//
//	for _, s := range changelog.Sections() {
//		fmt.Println(s.Title)
//	}
//
// The file is a copy of CHANGELOG.md at the root of the repository, as no file
// outside a module can be built in. The sections of released versions agree, which
// a test sees to; the one of what is not released yet may lag behind.
package changelog

import (
	_ "embed"
	"strings"

	"github.com/pi-go/pi/codingagent/internal/npm"
)

//go:embed CHANGELOG.md
var text string

// Section is what changed in one version.
type Section struct {
	// Title is the version and its date, "Unreleased" for what is in none yet.
	Title string
	// Body is Markdown.
	Body string
}

// Sections gives the versions, the newest first. Those in which nothing changed are
// left out.
func Sections() []Section { return parse(text) }

// parse splits a file in the form of Keep a Changelog.
func parse(text string) []Section {
	var out []Section
	for part := range strings.SplitSeq("\n"+text, "\n## ") {
		title, body, _ := strings.Cut(part, "\n")
		if body = strings.TrimSpace(body); body == "" || !strings.HasPrefix(title, "[") {
			continue
		}
		title = strings.NewReplacer("[", "", "]", "").Replace(title)
		out = append(out, Section{Title: strings.TrimSpace(title), Body: body})
	}
	return out
}

// Version is the version that the section is of; ok is false for what is in none yet.
func (s Section) Version() (v npm.Version, ok bool) {
	number, _, _ := strings.Cut(s.Title, " ")
	return npm.ParseVersion(number)
}

// Items are the entries of the lists in the section, each in one line.
func (s Section) Items() []string {
	var out []string
	for line := range strings.SplitSeq(s.Body, "\n") {
		if item, ok := strings.CutPrefix(line, "- "); ok {
			out = append(out, strings.TrimSpace(item))
		} else if rest := strings.TrimSpace(line); rest != "" && strings.HasPrefix(line, " ") && len(out) > 0 {
			out[len(out)-1] += " " + rest
		}
	}
	return out
}

// Since gives the sections that are newer than one version, and not newer than
// another. Versions that are none, or of another program whose numbers are higher,
// give none.
func Since(sections []Section, last, now string) []Section {
	from, ok1 := npm.ParseVersion(last)
	to, ok2 := npm.ParseVersion(now)
	if !ok1 || !ok2 {
		return nil
	}
	var out []Section
	for _, s := range sections {
		if v, ok := s.Version(); ok && v.Compare(from) > 0 && v.Compare(to) <= 0 {
			out = append(out, s)
		}
	}
	return out
}

// Newer reports whether a version is newer than another one, or the other is none.
func Newer(version, than string) bool {
	v, ok := npm.ParseVersion(version)
	o, known := npm.ParseVersion(than)
	return ok && (!known || v.Compare(o) > 0)
}
