// Package systemprompt puts the system prompt together. It is pure: the same
// input gives the same bytes, with no clock in it, so that vendors' prompt
// caches hold.
package systemprompt

import (
	"fmt"
	"slices"
	"strings"

	"github.com/pi-go/pi/ai"
)

// Section names, in the order in which they appear. All but SectionPreamble
// are wrapped in a tag of their name.
const (
	SectionPreamble       = "preamble"
	SectionTools          = "tools"
	SectionRules          = "rules"
	SectionDocs           = "docs"
	SectionAddendum       = "addendum"
	SectionProjectContext = "project_context"
	SectionSkills         = "skills"
	SectionCWD            = "cwd"
)

// Tool is what the prompt says of one tool.
type Tool struct {
	Name string
	// Snippet is one line for the list of tools; a tool without one is not in it.
	Snippet string
	// Rules are sentences on how to use it.
	Rules []string
}

// ContextFile is an AGENTS.md or CLAUDE.md.
type ContextFile struct {
	Path    string // absolute
	Content string
}

// Input is everything the prompt is made of.
type Input struct {
	// Custom replaces the preamble, and drops the sections tools, rules and
	// docs.
	Custom string
	// Append is added in a section of its own.
	Append []string
	Tools  []Tool
	// Docs says where the program's manual is; "" leaves the section out.
	Docs         string
	ContextFiles []ContextFile
	// Skills is the rendered list of skills; "" leaves the section out.
	Skills string
	CWD    string
}

// preamble says who the model is. It names no person and no vendor.
const preamble = `You are a coding agent that works in the user's own directory, in a terminal program called pi. You read files, run commands, and change files with the tools you are given, until the user's request is done.

Look before you act: read what you are about to change. Do what was asked, no more. When something can not be done, or a choice is the user's to make, say so.`

// Sections builds the prompt as the sections of a system message.
func Sections(in Input) []ai.Section {
	var out []ai.Section
	add := func(name, text string) {
		if text == "" {
			return
		}
		if name != SectionPreamble {
			text = "<" + name + ">\n" + text + "\n</" + name + ">"
		}
		out = append(out, ai.Section{Name: name, Text: &text})
	}
	if in.Custom != "" {
		add(SectionPreamble, in.Custom)
	} else {
		add(SectionPreamble, preamble)
		add(SectionTools, toolList(in.Tools))
		add(SectionRules, rules(in.Tools))
		add(SectionDocs, in.Docs)
	}
	add(SectionAddendum, strings.Join(in.Append, "\n\n"))
	add(SectionProjectContext, projectContext(in.ContextFiles))
	add(SectionSkills, in.Skills)
	add(SectionCWD, in.CWD)
	return out
}

func toolList(tools []Tool) string {
	var b strings.Builder
	for _, t := range tools {
		if t.Snippet != "" {
			fmt.Fprintf(&b, "- %s: %s\n", t.Name, t.Snippet)
		}
	}
	return strings.TrimSuffix(b.String(), "\n")
}

// rules joins the tools' rules and the general ones, each once.
func rules(tools []Tool) string {
	has := func(name string) bool {
		return slices.ContainsFunc(tools, func(t Tool) bool { return t.Name == name })
	}
	var all []string
	add := func(rule string) {
		if !slices.Contains(all, rule) {
			all = append(all, rule)
		}
	}
	if has("bash") && !has("grep") && !has("find") && !has("ls") {
		add("List, find and search files with bash (ls, find, grep).")
	}
	for _, t := range tools {
		for _, r := range t.Rules {
			add(r)
		}
	}
	add("Keep answers short; the user reads them in a terminal.")
	add("Name files by their paths when you talk about them.")
	return "- " + strings.Join(all, "\n- ")
}

func projectContext(files []ContextFile) string {
	var parts []string
	for _, f := range files {
		parts = append(parts, fmt.Sprintf("<project_instructions path=%q>\n%s\n</project_instructions>", f.Path, strings.TrimSpace(f.Content)))
	}
	return strings.Join(parts, "\n\n")
}
