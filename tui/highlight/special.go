package highlight

import "strings"

// keyed is JSON: strings in front of a colon are keys.
func keyed(l *Language, dst []Span, s string, st State) ([]Span, State) {
	from := len(dst)
	dst, st = l.code(dst, s, 0, st)
	for i := from; i < len(dst); i++ {
		sp := &dst[i]
		if sp.Kind != String {
			continue
		}
		j := sp.End
		for j < len(s) && isSpace(s[j]) {
			j++
		}
		if j < len(s) && s[j] == ':' {
			sp.Kind = Variable
		}
	}
	return dst, st
}

// yaml has keys, block strings by indentation, and comments.
func yaml(l *Language, dst []Span, s string, st State) ([]Span, State) {
	indent := 0
	for indent < len(s) && s[indent] == ' ' {
		indent++
	}
	if st.mode == inHeredoc { // a block string: what is indented more than its key
		if indent == len(s) || indent > int(st.depth) {
			return add(dst, indent, len(s), String), st
		}
		st = State{}
	}
	i := indent
	for i+1 < len(s) && s[i] == '-' && s[i+1] == ' ' {
		dst = add(dst, i, i+1, Punctuation)
		for i++; i < len(s) && s[i] == ' '; i++ {
		}
	}
	if strings.HasPrefix(s, "---") || strings.HasPrefix(s, "...") {
		return add(dst, 0, len(s), Punctuation), State{}
	}
	// A key is what stands in front of a colon and a blank, outside of quotes.
	if i < len(s) && s[i] != '#' && s[i] != '{' && s[i] != '[' {
		end := -1
		for j := i; j < len(s); j++ {
			if s[j] == ':' && (j+1 == len(s) || s[j+1] == ' ') {
				end = j
				break
			}
			if s[j] == '#' && j > 0 && s[j-1] == ' ' {
				break
			}
			if (s[j] == '"' || s[j] == '\'') && j == i {
				k := strings.IndexByte(s[j+1:], s[j])
				if k < 0 {
					break
				}
				j += k + 1
			}
		}
		if end > i {
			dst = add(dst, i, end, Variable)
			dst = add(dst, end, end+1, Punctuation)
			i = end + 1
		}
	}
	value := strings.TrimSpace(s[min(i, len(s)):])
	if strings.HasPrefix(value, "|") || strings.HasPrefix(value, ">") {
		at := i + strings.IndexAny(s[i:], "|>")
		return add(dst, at, len(s), Operator), State{mode: inHeredoc, depth: uint8(min(indent, 250))}
	}
	if value != "" && strings.IndexByte("\"'#[{&*!", value[0]) < 0 && !isDigit(value[0]) && value[0] != '-' {
		// A plain value is a string, unless it is one word with a meaning.
		end := len(s)
		if c := strings.Index(s[i:], " #"); c >= 0 {
			end = i + c
		}
		word := strings.TrimSpace(s[i:end])
		start := i + strings.Index(s[i:], word)
		if k, ok := l.words[strings.ToLower(word)]; ok {
			dst = add(dst, start, start+len(word), k)
		} else {
			dst = add(dst, start, start+len(word), String)
		}
		return add(dst, min(end+1, len(s)), len(s), Comment), State{}
	}
	return l.code(dst, s, i, State{})
}

// settings are TOML and INI: sections, and keys in front of an equals sign.
func settings(l *Language, dst []Span, s string, st State) ([]Span, State) {
	if st.mode != inCode {
		return l.code(dst, s, 0, st)
	}
	i := 0
	for i < len(s) && isSpace(s[i]) {
		i++
	}
	if i < len(s) && s[i] == '[' {
		end := strings.LastIndexByte(s, ']')
		if end > i {
			dst = add(dst, i, end+1, Type)
			return l.code(dst, s, end+1, State{})
		}
	}
	if i < len(s) && s[i] != '#' && s[i] != ';' {
		if eq := strings.IndexByte(s, '='); eq > i && strings.IndexByte(s[i:eq], '#') < 0 {
			end := eq
			for end > i && isSpace(s[end-1]) {
				end--
			}
			dst = add(dst, i, end, Variable)
			dst = add(dst, eq, eq+1, Operator)
			return l.code(dst, s, eq+1, State{})
		}
	}
	return l.code(dst, s, i, State{})
}

// markup is HTML and XML: tags, attributes, values.
func markup(l *Language, dst []Span, s string, st State) ([]Span, State) {
	i := 0
	for i < len(s) {
		switch st.mode {
		case inComment:
			j, next := l.comment(s, i, st)
			dst = add(dst, i, j, Comment)
			i, st = j, next
			continue
		case inString:
			r := l.strings[min(int(st.rule), len(l.strings)-1)]
			j, closed := r.find(s, i, "")
			dst = add(dst, i, j, String)
			if !closed {
				return dst, st
			}
			i, st = j, State{mode: inTag}
			continue
		case inTag:
			i, dst, st = l.tag(dst, s, i)
			continue
		}
		j := strings.IndexByte(s[i:], '<')
		amp := strings.IndexByte(s[i:], '&')
		if amp >= 0 && (j < 0 || amp < j) {
			k := i + amp + 1
			for k < len(s) && (isLetter(s[k]) || isDigit(s[k]) || s[k] == '#') {
				k++
			}
			if k < len(s) && s[k] == ';' {
				dst = add(dst, i+amp, k+1, Number)
			}
			i = k
			continue
		}
		if j < 0 {
			break
		}
		i += j
		if strings.HasPrefix(s[i:], l.open) {
			st = State{mode: inComment, depth: 1}
			dst = add(dst, i, i+len(l.open), Comment)
			i += len(l.open)
			continue
		}
		k := i + 1
		for k < len(s) && (s[k] == '/' || s[k] == '!' || s[k] == '?') {
			k++
		}
		dst = add(dst, i, k, Punctuation)
		name := k
		for k < len(s) && l.name[s[k]] {
			k++
		}
		dst = add(dst, name, k, Keyword)
		i = k
		if k > name {
			st = State{mode: inTag}
		}
	}
	return dst, st
}

// tag takes one token inside of a tag.
func (l *Language) tag(dst []Span, s string, i int) (int, []Span, State) {
	in := State{mode: inTag}
	c := s[i]
	switch {
	case c == '>' || (c == '/' || c == '?') && i+1 < len(s) && s[i+1] == '>':
		j := i + 1
		if c != '>' {
			j++
		}
		return j, add(dst, i, j, Punctuation), State{}
	case c == '"' || c == '\'':
		n := 0
		if c == '\'' {
			n = 1
		}
		j, closed := l.strings[n].find(s, i+1, "")
		if !closed {
			return j, add(dst, i, j, String), State{mode: inString, rule: uint8(n)}
		}
		return j, add(dst, i, j, String), in
	case l.name[c] || c == '@' || c == '#':
		j := i + 1
		for j < len(s) && (l.name[s[j]] || s[j] == '.') {
			j++
		}
		return j, add(dst, i, j, Variable), in
	case c == '=':
		return i + 1, add(dst, i, i+1, Operator), in
	}
	return i + 1, dst, in
}

// css has properties, selectors and values.
func css(l *Language, dst []Span, s string, st State) ([]Span, State) {
	from := len(dst)
	dst, next := l.code(dst, s, 0, st)
	if st.mode != inCode {
		return dst, next
	}
	out := dst[:from:from]
	trimmed := strings.TrimSpace(s)
	selector := strings.HasSuffix(trimmed, "{") || strings.HasSuffix(trimmed, ",")
	at := 0
	for i := range s {
		if !isSpace(s[i]) {
			at = i
			break
		}
	}
	// The name in front of the first colon of a declaration is a property.
	if !selector && trimmed != "" && (isLetter(trimmed[0]) || trimmed[0] == '-') {
		if c := strings.IndexByte(s, ':'); c > at {
			out = add(out, at, c, Variable)
			at = c
		}
	} else if selector && !strings.HasPrefix(trimmed, "@") {
		if b := strings.LastIndexAny(s, "{,"); b > at {
			out = add(out, at, b, Type)
			at = b
		}
	}
	// Colours look like comments to the tokenizer of no language, but like
	// operators and names: make numbers of them.
	for _, sp := range dst[from:] {
		if sp.Start < at {
			continue
		}
		if sp.Kind == Operator && s[sp.Start:sp.End] == "#" {
			j := sp.End
			for j < len(s) && (isDigit(s[j]) || isLetter(s[j])) {
				j++
			}
			out = add(out, sp.Start, j, Number)
			at = j
			continue
		}
		out = add(out, sp.Start, sp.End, sp.Kind)
	}
	return out, next
}

// diffLine colours whole lines by their first characters.
func diffLine(_ *Language, dst []Span, s string, _ State) ([]Span, State) {
	k := Plain
	switch {
	case strings.HasPrefix(s, "+++"), strings.HasPrefix(s, "---"), strings.HasPrefix(s, "diff "), strings.HasPrefix(s, "index "):
		k = Keyword
	case strings.HasPrefix(s, "@@"):
		k = Function
	case strings.HasPrefix(s, "+"):
		k = Inserted
	case strings.HasPrefix(s, "-"):
		k = Deleted
	}
	return add(dst, 0, len(s), k), State{}
}

// markdownLine knows headings, fences, lists, quotes, code and links in lines.
func markdownLine(_ *Language, dst []Span, s string, st State) ([]Span, State) {
	trimmed := strings.TrimLeft(s, " ")
	fence := ""
	if strings.HasPrefix(trimmed, "```") || strings.HasPrefix(trimmed, "~~~") {
		fence = trimmed[:3]
	}
	switch {
	case st.mode == inFence:
		if fence == st.end && strings.Trim(trimmed, "`~ ") == "" {
			return add(dst, 0, len(s), Punctuation), State{}
		}
		return add(dst, 0, len(s), String), st
	case fence != "":
		return add(dst, 0, len(s), Punctuation), State{mode: inFence, end: fence}
	case strings.HasPrefix(s, "#"):
		return add(dst, 0, len(s), Heading), State{}
	case strings.HasPrefix(trimmed, ">"):
		return add(dst, 0, len(s), Comment), State{}
	}
	i := len(s) - len(trimmed)
	if len(trimmed) > 1 && strings.IndexByte("-*+", trimmed[0]) >= 0 && trimmed[1] == ' ' {
		dst = add(dst, i, i+1, Punctuation)
		i++
	}
	for i < len(s) {
		switch c := s[i]; c {
		case '`':
			if j := strings.IndexByte(s[i+1:], '`'); j >= 0 {
				dst = add(dst, i, i+j+2, String)
				i += j + 2
				continue
			}
		case '[':
			if j := strings.Index(s[i:], "]("); j > 0 {
				if k := strings.IndexByte(s[i+j:], ')'); k > 0 {
					dst = add(dst, i, i+j+1, Function)
					dst = add(dst, i+j+1, i+j+k+1, Variable)
					i += j + k + 1
					continue
				}
			}
		case '*', '_':
			if strings.HasPrefix(s[i:], "**") || strings.HasPrefix(s[i:], "__") {
				if j := strings.Index(s[i+2:], s[i:i+2]); j > 0 {
					dst = add(dst, i, i+j+4, Keyword)
					i += j + 4
					continue
				}
			}
		}
		i++
	}
	return dst, State{}
}

// makeLine has targets, variables and commands.
func makeLine(l *Language, dst []Span, s string, st State) ([]Span, State) {
	if s == "" || s[0] == '\t' || s[0] == '#' || isSpace(s[0]) {
		return l.code(dst, s, 0, st)
	}
	if i := strings.IndexAny(s, ":="); i > 0 && !strings.ContainsAny(s[:i], "\"'#") {
		end := i
		for end > 0 && strings.IndexByte(" \t:?+!", s[end-1]) >= 0 {
			end--
		}
		word, _, _ := strings.Cut(s[:end], " ")
		if l.words[word] == Keyword {
			return l.code(dst, s, 0, st)
		}
		kind := Variable
		if s[i] == ':' && (i+1 == len(s) || s[i+1] != '=') {
			kind = Function
		}
		dst = add(dst, 0, end, kind)
		return l.code(dst, s, end, State{})
	}
	return l.code(dst, s, 0, st)
}
