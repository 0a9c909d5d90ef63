package skill

import (
	"path"
	"path/filepath"
	"strconv"
	"strings"
	"unicode"
)

// Template is a message with places for arguments.
type Template struct {
	Name        string
	Description string
	// Hint shows the arguments, as in "<file> [focus]".
	Hint string
	Path string
	Body string
}

// ParseTemplate reads a template; its name is that of the file.
func ParseTemplate(file, text string) (Template, error) {
	m, body, err := Split(text)
	if err != nil {
		return Template{}, err
	}
	base := filepath.Base(file)
	t := Template{
		Name: strings.TrimSuffix(base, path.Ext(base)), Path: file, Body: body,
		Description: m.Text("description"), Hint: m.Text("argument-hint"),
	}
	if t.Description == "" {
		t.Description = firstLine(body)
	}
	return t, nil
}

// firstLine gives the first line that is not blank, cut when it is long.
func firstLine(body string) string {
	const most = 60
	for line := range strings.Lines(body) {
		if line = strings.TrimSpace(line); line != "" {
			if r := []rune(line); len(r) > most {
				return string(r[:most]) + "..."
			}
			return line
		}
	}
	return ""
}

// Expand puts arguments into the template.
//
//	$1 $2 …            an argument, or nothing
//	$@ $ARGUMENTS      all, with a space between
//	${1:-text}         an argument, or text if it is missing or empty
//	${@:-text}         all, or text if there are none
//	${@:2} ${@:2:3}    all from the second on; three from the second on
//
// Anything else with a dollar sign stays as it is. What is put in is not
// looked at again.
func (t Template) Expand(args string) string { return substitute(t.Body, SplitArguments(args)) }

// SplitArguments splits at white space. Quotes, " or ', hold an argument
// together if they are at its beginning and closed later; inside, a backslash
// before the same quote stands for the quote.
func SplitArguments(s string) []string {
	var out []string
	rest := []rune(s)
	for {
		for len(rest) > 0 && unicode.IsSpace(rest[0]) {
			rest = rest[1:]
		}
		if len(rest) == 0 {
			return out
		}
		var arg []rune
		if inside, after, ok := quoted(rest); ok {
			arg, rest = inside, after
		}
		for len(rest) > 0 && !unicode.IsSpace(rest[0]) {
			arg, rest = append(arg, rest[0]), rest[1:]
		}
		out = append(out, string(arg))
	}
}

// quoted reads a quoted run at the beginning of s.
func quoted(s []rune) (inside, rest []rune, ok bool) {
	quote := s[0]
	if quote != '"' && quote != '\'' {
		return nil, nil, false
	}
	for i := 1; i < len(s); i++ {
		switch {
		case s[i] == '\\' && i+1 < len(s) && s[i+1] == quote:
			inside = append(inside, quote)
			i++
		case s[i] == quote:
			return inside, s[i+1:], true
		default:
			inside = append(inside, s[i])
		}
	}
	return nil, nil, false
}

// substitute replaces the places in a template in one pass.
func substitute(body string, args []string) string {
	var b strings.Builder
	for {
		i := strings.IndexByte(body, '$')
		if i < 0 {
			b.WriteString(body)
			return b.String()
		}
		b.WriteString(body[:i])
		body = body[i:]
		value, length := place(body, args)
		if length == 0 {
			value, length = "$", 1
		}
		b.WriteString(value)
		body = body[length:]
	}
}

// place reads what a dollar sign at the beginning of s stands for; length 0
// means nothing.
func place(s string, args []string) (value string, length int) {
	all := strings.Join(args, " ")
	switch {
	case strings.HasPrefix(s, "$@"):
		return all, 2
	case strings.HasPrefix(s, "$ARGUMENTS"):
		return all, len("$ARGUMENTS")
	case strings.HasPrefix(s, "${"):
		end := strings.IndexByte(s, '}')
		if end < 0 {
			return "", 0
		}
		if v, ok := braced(s[2:end], args); ok {
			return v, end + 1
		}
		return "", 0
	}
	n := 1
	for n < len(s) && s[n] >= '0' && s[n] <= '9' {
		n++
	}
	if n == 1 {
		return "", 0
	}
	return argument(args, s[1:n]), n
}

// argument gives the argument of a number in decimal, "" if there is none.
func argument(args []string, number string) string {
	n, err := strconv.Atoi(number)
	if err != nil || n < 1 || n > len(args) {
		return ""
	}
	return args[n-1]
}

// braced reads what is between ${ and }.
func braced(s string, args []string) (string, bool) {
	name, rest, ok := strings.Cut(s, ":")
	if !ok {
		return "", false
	}
	every := name == "@" || name == "ARGUMENTS"
	if alt, ok := strings.CutPrefix(rest, "-"); ok {
		value := ""
		switch {
		case every:
			value = strings.Join(args, " ")
		case digits(name):
			value = argument(args, name)
		default:
			return "", false
		}
		if value == "" {
			value = alt
		}
		return value, true
	}
	if name != "@" {
		return "", false
	}
	from, count, limited := strings.Cut(rest, ":")
	if !digits(from) || limited && !digits(count) {
		return "", false
	}
	first := number(from, len(args)+1)
	list := args[min(max(first, 1)-1, len(args)):]
	if limited {
		list = list[:min(number(count, len(list)), len(list))]
	}
	return strings.Join(list, " "), true
}

func digits(s string) bool {
	return s != "" && strings.Trim(s, "0123456789") == ""
}

// number reads a decimal; what is too large is most.
func number(s string, most int) int {
	n, err := strconv.Atoi(s)
	if err != nil {
		return most
	}
	return n
}
