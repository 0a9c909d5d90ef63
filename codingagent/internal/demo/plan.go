package demo

import (
	"fmt"
	"path"
	"strings"
)

// decide picks the next action for a turn.
func decide(t *turn) action {
	in := parseIntent(t.text)
	switch in.kind {
	case intentDescribe:
		return describe(t)
	case intentList:
		return list(t, in)
	case intentFind:
		return find(t, in)
	case intentShow:
		return show(t, in)
	case intentCreate:
		return create(t, in)
	case intentReplace:
		return replace(t, in)
	case intentRun:
		return run(t, in)
	}
	return action{say: introduction(in.kind == intentUnknown)}
}

// introduction says what this model is, what it can do, and how to get a real
// one.
func introduction(puzzled bool) string {
	var b strings.Builder
	if puzzled {
		b.WriteString("I did not understand that. ")
	}
	b.WriteString(`I am demo/guide, a small built-in helper: no language model, no network, just a few fixed skills that use the same tools as a real model. You can say:

- describe this project
- find TEXT (or: find TEXT in PATH)
- show FILE
- create FILE with CONTENT
- replace A with B in FILE
- run COMMAND

To work with a real model, do one of these:

- sign in, or store a key: /login in the chat, "pi auth login PROVIDER" outside
- set a key, such as ANTHROPIC_API_KEY or OPENAI_API_KEY, and start pi again
- use a server of this machine (Ollama, LM Studio, llama.cpp): "pi models local" finds it, "pi models add" takes it in

Then choose: /model in the chat, --model PROVIDER/MODEL outside; --list-models shows what is available.
`)
	return b.String()
}

// missing says that a tool is needed that is switched off.
func missing(tool, purpose string) action {
	return action{say: fmt.Sprintf("I need the %s tool to %s, and it is switched off in this session. Start pi with --tools +%s, or without --no-tools.", tool, purpose, tool)}
}

func list(t *turn, in intent) action {
	if s := t.last(); s != nil {
		if s.failed {
			return action{say: fmt.Sprintf("I could not list %s:\n\n%s\n\nWhich directory did you mean?", in.path, strings.TrimSpace(s.output))}
		}
		return action{say: fmt.Sprintf("In %s:\n\n%s", in.path, fence(s.output))}
	}
	if c, ok := listing(t, in.path); ok {
		return action{calls: []toolCall{c}}
	}
	return missing("ls", "list files")
}

// listing is the call that lists a directory with the tools at hand.
func listing(t *turn, dir string) (toolCall, bool) {
	switch {
	case t.tools["ls"]:
		return toolCall{"ls", map[string]any{"path": dir}}, true
	case t.tools["bash"]:
		return toolCall{"bash", map[string]any{"command": "ls -1Ap -- " + shellQuote(dir)}}, true
	}
	return toolCall{}, false
}

func find(t *turn, in intent) action {
	where := in.path
	if where == "" {
		where = "."
	}
	s := t.last()
	if s == nil {
		switch {
		case t.tools["grep"]:
			return action{
				say:   fmt.Sprintf("Searching for %q.", in.text),
				calls: []toolCall{{"grep", map[string]any{"pattern": in.text, "path": where, "literal": true, "limit": 50}}},
			}
		case t.tools["bash"]:
			command := fmt.Sprintf("grep -rnIF --exclude-dir=.git --exclude-dir=node_modules -- %s %s | head -n 50", shellQuote(in.text), shellQuote(where))
			return action{say: fmt.Sprintf("Searching for %q.", in.text), calls: []toolCall{{"bash", map[string]any{"command": command}}}}
		}
		return missing("grep", "search")
	}
	out := strings.TrimSpace(s.output)
	switch {
	case s.failed:
		return action{say: fmt.Sprintf("The search failed:\n\n%s", fence(out))}
	case out == "" || noMatches(out):
		return action{say: fmt.Sprintf("I found no %q in %s.", in.text, place(where))}
	}
	hits := len(strings.Split(out, "\n"))
	return action{say: fmt.Sprintf("%s of %q in %s:\n\n%s", plural(hits, "line"), in.text, place(where), fence(out))}
}

// noMatches recognises the placeholder texts of the tools for "nothing".
func noMatches(out string) bool {
	low := strings.ToLower(out)
	return !strings.Contains(out, "\n") && (strings.HasPrefix(low, "no matches") || strings.HasPrefix(low, "(no output") || strings.HasPrefix(low, "no output"))
}

func show(t *turn, in intent) action {
	s := t.last()
	switch {
	case s == nil && !t.tools["read"]:
		return missing("read", "show files")
	case s == nil:
		return action{calls: []toolCall{{"read", map[string]any{"path": in.path}}}}
	case s.tool == "read" && s.failed:
		return lookAround(t, in.path)
	case s.tool == "read":
		return action{say: fmt.Sprintf("%s:\n\n%s", in.path, fence(s.output))}
	}
	return askWhichFile(in.path, s.output)
}

// lookAround lists the directory of a file that could not be read, to ask a
// useful question.
func lookAround(t *turn, file string) action {
	s := t.last()
	if c, ok := listing(t, path.Dir(file)); ok {
		return action{say: fmt.Sprintf("I can not read %s. Let me see what is there.", file), calls: []toolCall{c}}
	}
	return action{say: fmt.Sprintf("I can not read %s:\n\n%s\n\nWhich file did you mean?", file, strings.TrimSpace(s.output))}
}

func askWhichFile(file, listing string) action {
	names := lines(listing)
	if len(names) == 0 {
		return action{say: fmt.Sprintf("There is no %s, and nothing else near it. Which file did you mean?", file)}
	}
	if len(names) > 30 {
		names = append(names[:30], "…")
	}
	return action{say: fmt.Sprintf("There is no %s. Which file did you mean? Here are the ones I see:\n\n%s", file, fence(strings.Join(names, "\n")))}
}

func create(t *turn, in intent) action {
	if in.path == "" {
		return action{say: "Which file should I create, and with what in it? For example: create notes.txt with buy milk"}
	}
	s := t.last()
	switch {
	case s == nil && !t.tools["write"]:
		return missing("write", "create files")
	case s == nil && t.tools["bash"]:
		// A file that is already there is someone's work.
		q := shellQuote(in.path)
		return action{
			say:   fmt.Sprintf("I will create %s, if that name is free.", in.path),
			calls: []toolCall{{"bash", map[string]any{"command": "if test -e " + q + "; then echo taken; else echo free; fi"}}},
		}
	case s == nil, s.tool == "bash" && strings.TrimSpace(s.output) != "taken" && !s.failed:
		return action{calls: []toolCall{{"write", map[string]any{"path": in.path, "content": withNewline(in.text)}}}}
	case s.tool == "bash" && s.failed:
		return action{say: fmt.Sprintf("I could not look at %s first, so I left it alone:\n\n%s", in.path, fence(s.output))}
	case s.tool == "bash":
		return action{say: fmt.Sprintf("%s is already there, so I left it alone. Say \"replace A with B in %s\" to change it, or name another file.", in.path, in.path)}
	case s.failed:
		return action{say: fmt.Sprintf("I could not write %s:\n\n%s", in.path, fence(s.output))}
	}
	return action{say: fmt.Sprintf("Done: %s now holds %s.", in.path, plural(len(lines(withNewline(in.text))), "line"))}
}

func replace(t *turn, in intent) action {
	s := t.last()
	switch {
	case s == nil && !t.tools["edit"]:
		return missing("edit", "change files")
	case s == nil:
		edits := []map[string]any{{"oldText": in.text, "newText": in.newText}}
		return action{calls: []toolCall{{"edit", map[string]any{"path": in.path, "edits": edits}}}}
	case s.tool == "edit" && s.failed:
		return action{say: fmt.Sprintf("I could not change %s:\n\n%s\n\nIs the file name right, and is the text in it exactly once?", in.path, fence(s.output))}
	}
	return action{say: fmt.Sprintf("Done: %q is now %q in %s.", in.text, in.newText, in.path)}
}

func run(t *turn, in intent) action {
	s := t.last()
	switch {
	case s == nil && !t.tools["bash"]:
		return missing("bash", "run commands")
	case s == nil:
		return action{calls: []toolCall{{"bash", map[string]any{"command": in.text}}}}
	case s.failed:
		return action{say: fmt.Sprintf("The command did not succeed:\n\n%s", fence(s.output))}
	}
	return action{say: fmt.Sprintf("It ran and printed:\n\n%s", fence(s.output))}
}

// shellQuote makes one shell word of s.
func shellQuote(s string) string {
	plain := func(r rune) bool {
		return r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || strings.ContainsRune("./_-", r)
	}
	if s != "" && strings.TrimFunc(s, plain) == "" {
		return s
	}
	return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'"
}

func withNewline(s string) string {
	if s == "" || strings.HasSuffix(s, "\n") {
		return s
	}
	return s + "\n"
}

// fence puts text into a code block that its own backticks can not close.
func fence(s string) string {
	marks := "```"
	for strings.Contains(s, marks) {
		marks += "`"
	}
	return marks + "\n" + strings.TrimRight(s, "\n") + "\n" + marks
}

func lines(s string) []string {
	s = strings.TrimRight(s, "\n")
	if s == "" {
		return nil
	}
	return strings.Split(s, "\n")
}

func place(dir string) string {
	if dir == "." {
		return "this directory"
	}
	return dir
}

func plural(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}
