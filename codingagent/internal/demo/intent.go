package demo

import "strings"

// intentKind is what a person wants.
type intentKind int

const (
	intentUnknown intentKind = iota
	intentDescribe
	intentList
	intentFind
	intentShow
	intentCreate
	intentReplace
	intentRun
	intentHelp
)

// intent is an understood request. Which fields are set depends on the kind.
type intent struct {
	kind          intentKind
	path          string
	text, newText string
}

// describePhrases are ways to ask what a directory is about.
func describePhrases() []string {
	return []string{
		"describe this project", "describe the project", "describe this repository", "describe this repo", "describe this directory",
		"describe this", "what is here", "what's here", "whats here", "what is this", "what's this",
		"what is this project", "what is this project about", "what is this repository", "what is this repo", "what's this project", "what does this do",
		"summarise this project", "summarize this project", "summarise", "summarize",
		"explain this", "explain this project", "explain this repository", "explain this repo", "tell me about this project",
		"what does this project do", "what does this program do", "what does this repo do", "what does this repository do", "overview",
	}
}

// parseIntent understands a request, or says intentUnknown. Attached files
// (<file …> blocks) before the request are skipped.
func parseIntent(message string) intent {
	text := message
	if at := strings.LastIndex(text, "</file>"); at >= 0 {
		text = text[at+len("</file>"):]
	}
	text = strings.TrimSpace(text)
	low := strings.ToLower(strings.TrimRight(text, " .!?"))
	low = strings.TrimPrefix(low, "please ")
	for _, p := range describePhrases() {
		if low == p {
			return intent{kind: intentDescribe}
		}
	}
	switch low {
	case "ls", "list", "list files", "list the files", "list all files", "show files", "show the files":
		return intent{kind: intentList, path: "."}
	case "help", "hello", "hi", "hey", "who are you", "what are you", "what can you do":
		return intent{kind: intentHelp}
	}
	words := cutVerb(text)
	switch words.verb {
	case "run", "execute", "exec":
		if words.rest != "" {
			return intent{kind: intentRun, text: unquote(words.rest)}
		}
	case "find", "search", "grep":
		rest := trimWord(words.rest, "for")
		what, where := splitLast(rest, " in ")
		if what = unquote(what); what != "" {
			return intent{kind: intentFind, text: what, path: unquote(where)}
		}
	case "show", "read", "open", "cat", "print", "display", "view":
		rest := trimWord(trimWord(trimWord(words.rest, "me"), "the"), "file")
		if path := unquote(rest); path != "" {
			return intent{kind: intentShow, path: path}
		}
	case "list", "ls":
		rest := trimWord(trimWord(trimWord(words.rest, "the"), "files"), "in")
		if path := unquote(rest); path != "" {
			return intent{kind: intentList, path: path}
		}
	case "create", "make", "add", "write":
		return parseCreate(words)
	case "replace", "change":
		return parseReplace(words)
	case "describe", "explain", "summarise", "summarize":
		if path := unquote(words.rest); path != "" && !strings.Contains(path, " ") {
			return intent{kind: intentShow, path: path}
		}
	}
	return intent{kind: intentUnknown}
}

func parseCreate(w sentence) intent {
	rest := trimWord(trimWord(trimWord(trimWord(w.rest, "a"), "new"), "the"), "file")
	rest = trimWord(trimWord(rest, "called"), "named")
	for _, sep := range []string{" with content ", " with the content ", " with the text ", " with ", " containing ", " saying "} {
		if path, text, ok := cutFold(rest, sep); ok {
			return intent{kind: intentCreate, path: unquote(path), text: unquote(text)}
		}
	}
	for _, sep := range []string{" to ", " into "} {
		if text, path := splitLast(rest, sep); path != "" && w.verb == "write" {
			return intent{kind: intentCreate, path: unquote(path), text: unquote(text)}
		}
	}
	if path := unquote(rest); path != "" && !strings.Contains(path, " ") {
		return intent{kind: intentCreate, path: path}
	}
	return intent{kind: intentUnknown}
}

func parseReplace(w sentence) intent {
	body, path := splitLast(w.rest, " in ")
	sep := " with "
	if w.verb == "change" {
		sep = " to "
	}
	old, replacement, ok := cutFold(body, sep)
	if !ok {
		old, replacement, ok = cutFold(body, " by ")
	}
	if !ok || path == "" || unquote(old) == "" {
		return intent{kind: intentUnknown}
	}
	return intent{kind: intentReplace, path: unquote(path), text: unquote(old), newText: unquote(replacement)}
}

// sentence is a request cut after its first word.
type sentence struct{ verb, rest string }

func cutVerb(text string) sentence {
	text = strings.TrimSpace(text)
	if rest, ok := cutPrefixFold(text, "please "); ok {
		text = strings.TrimSpace(rest)
	}
	verb, rest, _ := strings.Cut(text, " ")
	return sentence{strings.ToLower(verb), strings.TrimSpace(rest)}
}

// trimWord removes a leading word if something follows it.
func trimWord(s, word string) string {
	if rest, ok := cutPrefixFold(s, word+" "); ok {
		return strings.TrimSpace(rest)
	}
	return s
}

func cutPrefixFold(s, prefix string) (string, bool) {
	if len(s) >= len(prefix) && strings.EqualFold(s[:len(prefix)], prefix) {
		return s[len(prefix):], true
	}
	return s, false
}

// cutFold cuts at the first sep outside quotes, whatever its case.
func cutFold(s, sep string) (before, after string, ok bool) {
	for i := range s {
		if !inQuotes(s, i) && i+len(sep) <= len(s) && strings.EqualFold(s[i:i+len(sep)], sep) {
			return s[:i], s[i+len(sep):], true
		}
	}
	return s, "", false
}

// splitLast cuts at the last sep outside quotes; without one all is before.
func splitLast(s, sep string) (before, after string) {
	for i := len(s) - len(sep); i >= 0; i-- {
		if strings.EqualFold(s[i:i+len(sep)], sep) && !inQuotes(s, i) {
			return s[:i], s[i+len(sep):]
		}
	}
	return s, ""
}

// inQuotes reports whether position i of s lies inside a quoted part. A quote
// opens only at the start of a word, so that an apostrophe is none.
func inQuotes(s string, i int) bool {
	var open byte
	for j := 0; j < i; j++ {
		c := s[j]
		switch {
		case open == 0 && (c == '"' || c == '\'' || c == '`') && (j == 0 || s[j-1] == ' ') && strings.IndexByte(s[j+1:], c) >= 0:
			open = c
		case open != 0 && c == open:
			open = 0
		}
	}
	return open != 0
}

// unquote trims white space and one pair of quotes around the whole.
func unquote(s string) string {
	s = strings.TrimSpace(s)
	for _, q := range []string{`"`, "'", "`"} {
		if len(s) >= 2 && strings.HasPrefix(s, q) && strings.HasSuffix(s, q) {
			return s[1 : len(s)-1]
		}
	}
	return s
}
