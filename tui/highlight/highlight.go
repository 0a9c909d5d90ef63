// Package highlight finds keywords, strings, comments and the like in program
// text, line by line.
//
//	lang := highlight.Find("go") // by name, or ByFile("main.go")
//	var st highlight.State
//	for _, line := range lines {
//		spans, st = lang.Line(spans[:0], line, st)
//		out = append(out, highlight.Paint(line, spans, styles))
//	}
//
// What goes on over a line end, such as a comment or a string, is in the [State]
// that one line hands to the next; so text can be highlighted while it arrives,
// and from any line whose state is known. The tokenizers are driven by tables;
// they know the words and marks of a language, not its grammar, and are fast
// enough to run while drawing: well below a microsecond a line.
//
// Languages may be used by several goroutines.
package highlight

import (
	"path"
	"strings"
	"sync"

	"github.com/pi-go/pi/tui/text"
)

// Kind is what a piece of program text is.
type Kind uint8

// The kinds.
const (
	Plain Kind = iota
	Comment
	Keyword
	Function
	Variable
	String
	Number
	Type
	Operator
	Punctuation
	Inserted // a line of a diff
	Deleted
	Heading
	kinds
)

// Span is a part of a line, in bytes. Spans of a line are in order and do not
// overlap; what is between them is [Plain].
type Span struct {
	Start, End int
	Kind       Kind
}

// State is what one line leaves to the next. The zero State is that of the
// first line. States can be compared with ==.
type State struct {
	mode  uint8
	rule  uint8  // index of the string rule that is open
	depth uint8  // of nested comments
	end   string // what ends what is open, where it is not known beforehand
}

// The modes of a state.
const (
	inCode uint8 = iota
	inComment
	inString
	inHeredoc
	inTag
	inFence
	inFront
)

// Language knows how to highlight a language.
type Language struct {
	Name    string
	aliases string // names, separated by blanks
	files   string // file names and endings

	line      []string // what begins a comment up to the end of the line
	open, end string   // what encloses a comment
	nested    bool     // comments nest
	strings   []stringRule
	keywords  string
	types     string
	constants string
	ident     string // signs that may be in a name, besides letters, digits and _
	fold      bool   // upper and lower case are the same
	upper     bool   // a name that begins with a capital letter is a type
	decorator byte   // begins a decorator, such as @
	variable  byte   // begins a variable, such as $
	preproc   bool   // a line that begins with # is for the preprocessor
	regex     bool   // there are regular expressions between slashes
	heredoc   bool
	special   func(l *Language, dst []Span, s string, st State) ([]Span, State)

	once  sync.Once
	words map[string]Kind
	start [256]bool // bytes that may begin a comment or string
	name  [256]bool // bytes that may be in a name
}

// stringRule is one way to write a string.
type stringRule struct {
	open, end string
	escape    byte // makes the next character a part of the string
	multi     bool // may go on over a line end
	kind      Kind // String if Plain
}

func (l *Language) init() {
	l.once.Do(func() {
		l.words = map[string]Kind{}
		for kind, list := range map[Kind]string{Keyword: l.keywords, Type: l.types, Number: l.constants} {
			for w := range strings.FieldsSeq(list) {
				if l.fold {
					w = strings.ToLower(w)
				}
				l.words[w] = kind
			}
		}
		for _, c := range l.line {
			l.start[c[0]] = true
		}
		if l.open != "" {
			l.start[l.open[0]] = true
		}
		for _, r := range l.strings {
			l.start[r.open[0]] = true
		}
		for c := range 256 {
			b := byte(c)
			l.name[c] = isLetter(b) || isDigit(b) || b >= 0x80 || strings.IndexByte(l.ident, b) >= 0
		}
	})
}

func isLetter(c byte) bool { return c|0x20 >= 'a' && c|0x20 <= 'z' || c == '_' }
func isDigit(c byte) bool  { return c >= '0' && c <= '9' }
func isSpace(c byte) bool  { return c == ' ' || c == '\t' || c == '\r' }

// Line appends the spans of a line, without its line end, to dst, and returns
// the state for the next line. A nil Language finds nothing.
func (l *Language) Line(dst []Span, s string, st State) ([]Span, State) {
	if l == nil {
		return dst, State{}
	}
	l.init()
	if l.special != nil {
		return l.special(l, dst, s, st)
	}
	return l.code(dst, s, 0, st)
}

func add(dst []Span, start, end int, k Kind) []Span {
	if start >= end || k == Plain {
		return dst
	}
	if n := len(dst); n > 0 && dst[n-1].Kind == k && dst[n-1].End == start {
		dst[n-1].End = end
		return dst
	}
	return append(dst, Span{start, end, k})
}

// code tokenizes from an offset on.
func (l *Language) code(dst []Span, s string, i int, st State) ([]Span, State) {
	// What was open before this line.
	switch st.mode {
	case inComment:
		i, st = l.comment(s, i, st)
		dst = add(dst, 0, i, Comment)
	case inString:
		r := l.strings[min(int(st.rule), len(l.strings)-1)]
		end, closed := r.find(s, i, st.end)
		dst = add(dst, i, end, r.color())
		if !closed {
			return dst, st
		}
		i, st = end, State{}
	case inHeredoc:
		if strings.TrimSpace(s) == st.end {
			return add(dst, 0, len(s), Keyword), State{}
		}
		return add(dst, 0, len(s), String), st
	}
	heredoc := ""
	value := false // the last token was a value: a slash divides it
	first := true  // only blanks so far
	for i < len(s) {
		c := s[i]
		if isSpace(c) {
			i++
			continue
		}
		if first && l.preproc && c == '#' {
			j := i + 1
			for j < len(s) && (isSpace(s[j]) || isLetter(s[j])) {
				if isSpace(s[j]) && j > i+1 && isLetter(s[j-1]) {
					break
				}
				j++
			}
			dst = add(dst, i, j, Keyword)
			i, first = j, false
			if strings.Contains(s[:j], "include") || strings.Contains(s[:j], "import") {
				if k := strings.IndexByte(s[i:], '<'); k >= 0 && strings.TrimSpace(s[i:i+k]) == "" {
					dst = add(dst, i+k, len(s), String)
					return dst, State{}
				}
			}
			continue
		}
		first = false
		if l.start[c] {
			var done, carried bool
			dst, i, st, done, carried = l.marked(dst, s, i)
			if carried {
				return dst, st
			}
			if done {
				value = true
				continue
			}
		}
		switch {
		case l.name[c] && !isDigit(c):
			j := i + 1
			for j < len(s) && l.name[s[j]] {
				j++
			}
			k := l.word(s, i, j)
			dst = add(dst, i, j, k)
			value = k != Keyword
			i = j
		case isDigit(c) || c == '.' && i+1 < len(s) && isDigit(s[i+1]):
			j := number(s, i)
			dst = add(dst, i, j, Number)
			i, value = j, true
		case c == l.variable && l.variable != 0:
			j := variable(s, i)
			dst = add(dst, i, j, Variable)
			i, value = j, true
		case c == l.decorator && l.decorator != 0 && i+1 < len(s) && isLetter(s[i+1]):
			j := i + 1
			for j < len(s) && (l.name[s[j]] || s[j] == '.') {
				j++
			}
			dst = add(dst, i, j, Function)
			i = j
		case c == '/' && l.regex && !value:
			if j := regex(s, i); j > 0 {
				dst = add(dst, i, j, String)
				i, value = j, true
				continue
			}
			dst = add(dst, i, i+1, Operator)
			i++
		case l.heredoc && c == '<' && strings.HasPrefix(s[i:], "<<") && heredoc == "" && !strings.HasPrefix(s[i:], "<<<"):
			j := i + 2
			for j < len(s) && (s[j] == '-' || s[j] == '~' || s[j] == '\'' || s[j] == '"' || isLetter(s[j]) || isDigit(s[j])) {
				j++
			}
			heredoc = strings.Trim(s[i+2:j], "-~'\"")
			dst = add(dst, i, j, Operator)
			i = j
		case strings.IndexByte("()[]{},;.", c) >= 0:
			dst = add(dst, i, i+1, Punctuation)
			value = c == ')' || c == ']' || c == '}'
			i++
		default:
			dst = add(dst, i, i+1, Operator)
			value = false
			i++
		}
	}
	if heredoc != "" {
		return dst, State{mode: inHeredoc, end: heredoc}
	}
	return dst, State{}
}

// marked takes a comment or string that begins at i. done is false if there is
// none; carried tells that it goes on in the next line.
func (l *Language) marked(dst []Span, s string, i int) (_ []Span, at int, _ State, done, carried bool) {
	rest := s[i:]
	for _, c := range l.line {
		if strings.HasPrefix(rest, c) && (c != "#" || i == 0 || !l.name[s[i-1]] && s[i-1] != '$' && s[i-1] != '{') {
			return add(dst, i, len(s), Comment), len(s), State{}, true, false
		}
	}
	if l.open != "" && strings.HasPrefix(rest, l.open) {
		j, st := l.comment(s, i+len(l.open), State{mode: inComment, depth: 1})
		return add(dst, i, j, Comment), j, st, true, st.mode == inComment
	}
	for n, r := range l.strings {
		if !strings.HasPrefix(rest, r.open) {
			continue
		}
		open, end := len(r.open), r.end
		if r.open == "r#" { // Rust: as many # as there are
			k := i + 1
			for k < len(s) && s[k] == '#' {
				k++
			}
			if k == len(s) || s[k] != '"' {
				continue
			}
			open, end = k+1-i, `"`+strings.Repeat("#", k-i-1)
		}
		if r.open == "'" && r.end == "'" && l.Name == "rust" {
			// A lifetime has no second quote.
			if j := charLiteral(s, i); j > 0 {
				return add(dst, i, j, String), j, State{}, true, false
			}
			j := i + 1
			for j < len(s) && l.name[s[j]] {
				j++
			}
			return add(dst, i, j, Type), j, State{}, true, false
		}
		j, closed := r.find(s, i+open, end)
		dst = add(dst, i, j, r.color())
		if !closed && r.multi {
			st := State{mode: inString, rule: uint8(n)}
			if end != r.end {
				st.end = end
			}
			return dst, j, st, true, true
		}
		return dst, j, State{}, true, false
	}
	return dst, i, State{}, false, false
}

func (r *stringRule) color() Kind {
	if r.kind == Plain {
		return String
	}
	return r.kind
}

// find returns the place after the end of a string whose inside begins at i.
func (r *stringRule) find(s string, i int, end string) (int, bool) {
	if end == "" {
		end = r.end
	}
	for i < len(s) {
		if r.escape != 0 && s[i] == r.escape && i+1 < len(s) {
			i += 2
			continue
		}
		if strings.HasPrefix(s[i:], end) {
			return i + len(end), true
		}
		i++
	}
	return len(s), false
}

// comment returns the place after the end of a comment, and the state there.
func (l *Language) comment(s string, i int, st State) (int, State) {
	for i < len(s) {
		switch {
		case strings.HasPrefix(s[i:], l.end):
			i += len(l.end)
			if st.depth--; st.depth == 0 || !l.nested {
				return i, State{}
			}
		case l.nested && strings.HasPrefix(s[i:], l.open):
			i += len(l.open)
			st.depth = min(st.depth+1, 250)
		default:
			i++
		}
	}
	return len(s), st
}

func charLiteral(s string, i int) int {
	j := i + 1
	if j < len(s) && s[j] == '\\' {
		for j++; j < len(s) && s[j] != '\''; j++ {
		}
		if j < len(s) {
			return j + 1
		}
		return 0
	}
	if n, _ := text.Cluster(s[j:]); n > 0 && j+n < len(s) && s[j+n] == '\'' {
		return j + n + 1
	}
	return 0
}

func (l *Language) word(s string, i, j int) Kind {
	w := s[i:j]
	if l.fold {
		w = strings.ToLower(w)
	}
	if k, ok := l.words[w]; ok {
		return k
	}
	k := j
	for k < len(s) && s[k] == ' ' {
		k++
	}
	switch {
	case k < len(s) && s[k] == '(' || j < len(s) && s[j] == '!' && l.Name == "rust":
		return Function
	case l.upper && s[i] >= 'A' && s[i] <= 'Z':
		return Type
	}
	return Plain
}

func number(s string, i int) int {
	j := i + 1
	hex := s[i] == '0' && j < len(s) && (s[j]|0x20 == 'x')
	for j < len(s) {
		c := s[j]
		switch {
		case isDigit(c) || isLetter(c):
		case c == '.' && j+1 < len(s) && isDigit(s[j+1]):
		case (c == '+' || c == '-') && !hex && s[j-1]|0x20 == 'e':
		default:
			return j
		}
		j++
	}
	return j
}

func variable(s string, i int) int {
	j := i + 1
	if j < len(s) && s[j] == '{' {
		if k := strings.IndexByte(s[j:], '}'); k > 0 {
			return j + k + 1
		}
	}
	for j < len(s) && (isLetter(s[j]) || isDigit(s[j])) {
		j++
	}
	if j == i+1 && j < len(s) && strings.IndexByte("?!#$@*-", s[j]) >= 0 {
		j++
	}
	return j
}

// regex returns the place after a regular expression, 0 if there is none.
func regex(s string, i int) int {
	class := false
	for j := i + 1; j < len(s); j++ {
		switch c := s[j]; {
		case c == '\\':
			j++
		case c == '[':
			class = true
		case c == ']':
			class = false
		case c == '/' && !class:
			if j == i+1 {
				return 0
			}
			for j++; j < len(s) && isLetter(s[j]); j++ {
			}
			return j
		}
	}
	return 0
}

// Styles are the styles of the kinds, by their numbers.
type Styles [kinds]text.Style

// Paint returns the line with the styles of its spans. The line must be clean:
// see text.Sanitize.
func Paint(line string, spans []Span, styles *Styles) string {
	if len(spans) == 0 || styles == nil {
		return line
	}
	b := make([]byte, 0, len(line)+len(spans)*16)
	at := 0
	for _, sp := range spans {
		st := styles[sp.Kind]
		if st == (text.Style{}) {
			continue
		}
		b = append(b, line[at:sp.Start]...)
		b = st.AppendSGR(b)
		b = append(b, line[sp.Start:sp.End]...)
		b = append(b, "\x1b[0m"...)
		at = sp.End
	}
	return string(append(b, line[at:]...))
}

// registry finds languages by names and files.
type registry struct {
	names, files map[string]*Language
}

var known = sync.OnceValue(func() *registry {
	r := &registry{map[string]*Language{}, map[string]*Language{}}
	for _, l := range languages() {
		r.names[l.Name] = l
		for a := range strings.FieldsSeq(l.aliases) {
			r.names[a] = l
		}
		for f := range strings.FieldsSeq(l.files) {
			r.files[f] = l
		}
	}
	return r
})

// Find returns the language of a name, such as that of a fence in Markdown; nil
// if it is not known.
func Find(name string) *Language {
	name = strings.ToLower(strings.TrimSpace(name))
	if i := strings.IndexAny(name, " ,{:"); i > 0 {
		name = name[:i]
	}
	if l, ok := known().names[name]; ok {
		return l
	}
	return known().files["."+name]
}

// ByFile returns the language of a file by its name; nil if it is not known.
func ByFile(name string) *Language {
	base := strings.ToLower(path.Base(strings.ReplaceAll(name, `\`, "/")))
	if l, ok := known().files[base]; ok {
		return l
	}
	return known().files[path.Ext(base)]
}

// Names returns the names of all languages.
func Names() []string {
	var names []string
	for _, l := range languages() {
		names = append(names, l.Name)
	}
	return names
}
