package demo

import (
	"encoding/json"
	"fmt"
	"path"
	"slices"
	"strings"
)

// manifests are the files that tell how a project is built, most telling
// first, with what they say about it.
func manifests() []string {
	return []string{"go.work", "go.mod", "package.json", "Cargo.toml", "pyproject.toml", "pom.xml", "build.gradle", "Gemfile", "composer.json", "CMakeLists.txt", "Makefile"}
}

// maxManifests is how many of them are read.
const maxManifests = 4

// describe lists the directory, reads what tells most, and sums it up.
func describe(t *turn) action {
	if len(t.steps) == 0 {
		c, ok := listing(t, ".")
		if !ok {
			return missing("ls", "look around")
		}
		return action{say: "Let me look around.", calls: []toolCall{c}}
	}
	first := t.steps[0]
	if first.failed {
		return action{say: "I could not list this directory:\n\n" + fence(first.output)}
	}
	names := entries(first.output)
	if len(names) == 0 {
		return action{say: "This directory is empty. Say \"create FILE with CONTENT\" to begin."}
	}
	if len(t.steps) == 1 && t.tools["read"] {
		if calls := reads(names); len(calls) > 0 {
			return action{calls: calls}
		}
	}
	return action{say: summary(names, t.steps[1:])}
}

// entries are the names in a listing; the tools' own remarks are left out.
func entries(listing string) []string {
	var names []string
	for _, l := range lines(listing) {
		l = strings.TrimSpace(l)
		if l == "" || strings.HasPrefix(l, "[") || strings.HasPrefix(l, "(") {
			continue
		}
		names = append(names, l)
	}
	return names
}

// reads are the calls for the README and the manifests among names.
func reads(names []string) []toolCall {
	var calls []toolCall
	read := func(name string, limit int) {
		calls = append(calls, toolCall{"read", map[string]any{"path": name, "limit": limit}})
	}
	for _, n := range names {
		if strings.HasPrefix(strings.ToLower(n), "readme") && !strings.HasSuffix(n, "/") {
			read(n, 80)
			break
		}
	}
	found := 0
	for _, m := range manifests() {
		if found < maxManifests && slices.Contains(names, m) {
			read(m, 200)
			found++
		}
	}
	return calls
}

// summary puts what was read into words.
func summary(names []string, steps []step) string {
	var b strings.Builder
	files := make(map[string]string)
	for _, s := range steps {
		if name, ok := s.args["path"].(string); ok && !s.failed {
			files[name] = s.output
		}
	}
	for name, text := range files {
		if strings.HasPrefix(strings.ToLower(name), "readme") {
			title, about := readmeGist(text)
			if title != "" {
				fmt.Fprintf(&b, "# %s\n\n", title)
			}
			if about != "" {
				fmt.Fprintf(&b, "%s\n\n", about)
			}
		}
	}
	if facts := manifestFacts(files); len(facts) > 0 {
		b.WriteString("How it is built:\n\n")
		for _, f := range facts {
			fmt.Fprintf(&b, "- %s\n", f)
		}
		b.WriteString("\n")
	}
	var dirs, plain, hidden []string
	for _, n := range names {
		switch {
		case strings.HasPrefix(n, "."):
			hidden = append(hidden, n)
		case strings.HasSuffix(n, "/"):
			dirs = append(dirs, strings.TrimSuffix(n, "/"))
		default:
			plain = append(plain, n)
		}
	}
	b.WriteString("What is here:\n\n")
	for _, part := range []struct {
		noun  string
		names []string
	}{{"directories", dirs}, {"files", plain}, {"hidden", hidden}} {
		if len(part.names) > 0 {
			fmt.Fprintf(&b, "- %s: %s\n", part.noun, shorten(part.names, 25))
		}
	}
	if kinds := extensions(plain); kinds != "" {
		fmt.Fprintf(&b, "- kinds of files at the top: %s\n", kinds)
	}
	b.WriteString("\n(Put together by demo/guide from the files it read; it is not a language model.)")
	return b.String()
}

func shorten(names []string, most int) string {
	if len(names) > most {
		return strings.Join(names[:most], ", ") + fmt.Sprintf(" and %d more", len(names)-most)
	}
	return strings.Join(names, ", ")
}

// readmeGist gives the first heading and the first paragraph of prose.
func readmeGist(text string) (title, about string) {
	var para []string
	fenced := false
	for _, l := range strings.Split(text, "\n") {
		trimmed := strings.TrimSpace(l)
		if strings.HasPrefix(trimmed, "```") {
			fenced = !fenced
			continue
		}
		switch {
		case fenced:
			continue
		case title == "" && strings.HasPrefix(trimmed, "#"):
			title = strings.TrimSpace(strings.TrimLeft(trimmed, "#"))
		case trimmed == "" && len(para) > 0:
			return title, strings.Join(para, " ")
		case trimmed == "" || strings.HasPrefix(trimmed, "#") || strings.HasPrefix(trimmed, "<") || strings.HasPrefix(trimmed, "[!") || strings.HasPrefix(trimmed, "!["):
			if len(para) > 0 {
				return title, strings.Join(para, " ")
			}
		default:
			para = append(para, trimmed)
		}
	}
	return title, strings.Join(para, " ")
}

// manifestFacts says what the manifests tell, in their fixed order.
func manifestFacts(files map[string]string) []string {
	var facts []string
	for _, name := range manifests() {
		text, ok := files[name]
		if !ok {
			continue
		}
		switch name {
		case "go.work":
			if dirs := goWorkModules(text); len(dirs) > 0 {
				facts = append(facts, fmt.Sprintf("Go workspace of %s (go.work): %s", plural(len(dirs), "module"), strings.Join(dirs, ", ")))
			}
		case "go.mod":
			facts = append(facts, "Go module "+wordAfter(text, "module ")+" (go.mod)")
		case "package.json":
			facts = append(facts, packageJSON(text))
		case "Cargo.toml", "pyproject.toml":
			facts = append(facts, strings.TrimSpace(tomlProject(text)+" ("+name+")"))
		case "Makefile":
			if targets := makeTargets(text); len(targets) > 0 {
				facts = append(facts, "make targets: "+shorten(targets, 20))
			}
		default:
			facts = append(facts, "there is a "+name)
		}
	}
	return facts
}

func wordAfter(text, prefix string) string {
	for _, l := range strings.Split(text, "\n") {
		if rest, ok := strings.CutPrefix(strings.TrimSpace(l), prefix); ok {
			return strings.TrimSpace(rest)
		}
	}
	return ""
}

func goWorkModules(text string) []string {
	var dirs []string
	inUse := false
	for _, l := range strings.Split(text, "\n") {
		l = strings.TrimSpace(l)
		switch {
		case strings.HasPrefix(l, "use ("):
			inUse = true
		case l == ")":
			inUse = false
		case inUse && l != "" && !strings.HasPrefix(l, "//"):
			dirs = append(dirs, strings.TrimPrefix(l, "./"))
		case strings.HasPrefix(l, "use ") && !inUse:
			dirs = append(dirs, strings.TrimPrefix(strings.TrimSpace(strings.TrimPrefix(l, "use ")), "./"))
		}
	}
	return dirs
}

func packageJSON(text string) string {
	var p struct {
		Name, Description string
		Scripts           map[string]string
	}
	if err := json.Unmarshal([]byte(text), &p); err != nil {
		return "there is a package.json"
	}
	fact := "npm package " + p.Name
	if p.Description != "" {
		fact += ": " + p.Description
	}
	if len(p.Scripts) > 0 {
		var names []string
		for n := range p.Scripts {
			names = append(names, n)
		}
		slices.Sort(names)
		fact += "; scripts: " + shorten(names, 12)
	}
	return fact + " (package.json)"
}

func tomlProject(text string) string {
	name := strings.Trim(strings.TrimSpace(strings.TrimPrefix(strings.TrimSpace(wordAfter(text, "name")), "=")), `"'`)
	if name == "" {
		return "a project"
	}
	return "project " + name
}

func makeTargets(text string) []string {
	var targets []string
	for _, l := range strings.Split(text, "\n") {
		if l == "" || strings.ContainsAny(l[:1], " \t#.$") {
			continue
		}
		head, rest, ok := strings.Cut(l, ":")
		if !ok || strings.HasPrefix(rest, "=") || strings.ContainsAny(head, "=$%()") {
			continue
		}
		for _, name := range strings.Fields(head) {
			if !slices.Contains(targets, name) {
				targets = append(targets, name)
			}
		}
	}
	return targets
}

// extensions counts the endings of names, most frequent first.
func extensions(names []string) string {
	counts := make(map[string]int)
	for _, n := range names {
		if ext := path.Ext(n); ext != "" && ext != n {
			counts[ext]++
		}
	}
	kinds := make([]string, 0, len(counts))
	for k := range counts {
		kinds = append(kinds, k)
	}
	slices.SortFunc(kinds, func(a, b string) int {
		if counts[a] != counts[b] {
			return counts[b] - counts[a]
		}
		return strings.Compare(a, b)
	})
	for i, k := range kinds {
		kinds[i] = fmt.Sprintf("%s (%d)", k, counts[k])
	}
	return shorten(kinds, 8)
}
