package skill

import (
	"encoding/xml"
	"errors"
	"fmt"
	"path"
	"path/filepath"
	"strings"
)

// File is the name of the file that makes a directory a skill.
const File = "SKILL.md"

// Skill is a set of instructions for the model.
type Skill struct {
	Name        string
	Description string
	Path        string // of the file, absolute
	Dir         string // where it is: references are relative to it
	// Hidden keeps it out of [List]: only people use it.
	Hidden bool
	// Body is the text behind the front matter.
	Body string
}

// ErrNoDescription says that a file has no description, and so is no skill.
var ErrNoDescription = errors.New("it has no description, so the model could not know when to use it")

// Parse reads a skill. Warnings are about things that are wrong but do no
// harm.
func Parse(file, text string) (s Skill, warnings []string, err error) {
	m, body, err := Split(text)
	if err != nil {
		return Skill{}, nil, err
	}
	dir := filepath.Dir(file)
	s = Skill{Name: m.Text("name"), Description: strings.TrimSpace(m.Text("description")), Path: file, Dir: dir, Body: body}
	s.Hidden, _ = m["disable-model-invocation"].(bool)
	if s.Description == "" {
		return Skill{}, nil, ErrNoDescription
	}
	if s.Name == "" {
		s.Name = nameOf(file)
	}
	return s, s.check(), nil
}

// nameOf names a skill after its directory; one that is a file among others
// after the file.
func nameOf(file string) string {
	if base := filepath.Base(file); base != File {
		return strings.TrimSuffix(base, path.Ext(base))
	}
	return filepath.Base(filepath.Dir(file))
}

// check finds what other programs may not accept.
func (s Skill) check() (warnings []string) {
	warn := func(bad bool, text string) {
		if bad {
			warnings = append(warnings, text)
		}
	}
	odd := strings.ContainsFunc(s.Name, func(r rune) bool { return (r < 'a' || r > 'z') && (r < '0' || r > '9') && r != '-' })
	warn(len(s.Name) > 64, "its name is longer than 64 characters")
	warn(odd, "its name has other characters than a-z, 0-9 and -")
	warn(strings.HasPrefix(s.Name, "-") || strings.HasSuffix(s.Name, "-"), "its name begins or ends with -")
	warn(strings.Contains(s.Name, "--"), "its name has -- in it")
	warn(len(s.Description) > 1024, "its description is longer than 1024 characters")
	return warnings
}

// Expand gives the whole skill as a message, with what else the person said.
func (s Skill) Expand(args string) string {
	out := fmt.Sprintf("<skill name=\"%s\" location=\"%s\">\nReferences are relative to %s.\n\n%s\n</skill>",
		escape(s.Name), escape(s.Path), s.Dir, s.Body)
	if args = strings.TrimSpace(args); args != "" {
		out += "\n\n" + args
	}
	return out
}

// List tells a model which skills there are; "" if there are none to tell of.
func List(skills []Skill) string {
	var b strings.Builder
	for _, s := range skills {
		if s.Hidden {
			continue
		}
		fmt.Fprintf(&b, "  <skill>\n    <name>%s</name>\n    <description>%s</description>\n    <location>%s</location>\n  </skill>\n",
			escape(s.Name), escape(s.Description), escape(s.Path))
	}
	if b.Len() == 0 {
		return ""
	}
	return "Skills are instructions for particular tasks. When a task fits a description, read the file at its location first, and follow it. " +
		"Paths in it are relative to the directory of the file.\n\n<available_skills>\n" + b.String() + "</available_skills>"
}

func escape(s string) string {
	var b strings.Builder
	_ = xml.EscapeText(&b, []byte(s)) // a builder takes everything
	return b.String()
}
