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
