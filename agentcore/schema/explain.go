package schema

import (
	"encoding/json"
	"fmt"
	"net/url"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/santhosh-tekuri/jsonschema/v5"
)

// explain turns the library's tree of errors into one line per fault.
func (s *Schema) explain(e *jsonschema.ValidationError, v any) []Problem {
	var problems []Problem
	s.collect(e, v, &problems)
	if len(problems) == 0 {
		problems = append(problems, Problem{dotted(e.InstanceLocation), e.Message})
	}
	slices.SortStableFunc(problems, func(a, b Problem) int { return strings.Compare(a.Path, b.Path) })
	return slices.Compact(problems)
}

func (s *Schema) collect(e *jsonschema.ValidationError, v any, out *[]Problem) {
	keyword := e.KeywordLocation[strings.LastIndexByte(e.KeywordLocation, '/')+1:]
	switch keyword {
	case "anyOf", "oneOf":
		*out = append(*out, s.alternatives(e, v))
		return
	}
	if len(e.Causes) > 0 {
		for _, c := range e.Causes {
			s.collect(c, v, out)
		}
		return
	}
	at := pointerParts(e.InstanceLocation)
	value, _ := resolve(v, at)
	want, known := s.keyword(e)
	problem := func(path []string, format string, args ...any) {
		*out = append(*out, Problem{join(path), fmt.Sprintf(format, args...)})
	}
	switch keyword {
	case "required":
		object, _ := value.(map[string]any)
		names, _ := want.([]any)
		before := len(*out)
		for _, n := range names {
			name, _ := n.(string)
			if _, has := object[name]; !has {
				problem(append(slices.Clone(at), name), "is required, but it is missing")
			}
		}
		if len(*out) > before {
			return
		}
	case "type":
		if known {
			problem(at, "expected %s, got %s", typeNames(want), show(value))
			return
		}
	case "enum":
		if list, ok := want.([]any); ok {
			var names []string
			for _, w := range list {
				names = append(names, show(w))
			}
			problem(at, "expected one of %s; got %s", strings.Join(names, ", "), show(value))
			return
		}
	case "const":
		if known {
			problem(at, "expected %s, got %s", show(want), show(value))
			return
		}
	case "additionalProperties", "unevaluatedProperties":
		problem(at, "%s", e.Message)
		return
	}
	if strings.Contains(e.Message, "but found") || strings.Contains(e.Message, "but got") {
		problem(at, "%s", e.Message)
		return
	}
	problem(at, "%s; got %s", e.Message, show(value))
}

// alternatives explains a value that fits none of several schemas, or too
// many, in one line.
func (s *Schema) alternatives(e *jsonschema.ValidationError, v any) Problem {
	at := pointerParts(e.InstanceLocation)
	value, _ := resolve(v, at)
	var each []string
	for _, c := range e.Causes {
		var inner []Problem
		s.collect(c, v, &inner)
		var lines []string
		for _, p := range inner {
			if p.Path == join(at) {
				lines = append(lines, strings.TrimSuffix(p.Text, ", got "+show(value)))
			} else {
				lines = append(lines, p.String())
			}
		}
		if text := strings.Join(lines, " and "); text != "" && !slices.Contains(each, text) {
			each = append(each, text)
		}
	}
	if len(each) == 0 {
		return Problem{join(at), fmt.Sprintf("%s; got %s", e.Message, show(value))}
	}
	return Problem{join(at), fmt.Sprintf("fits none of the alternatives (%s); got %s", strings.Join(each, ", or "), show(value))}
}

// keyword gives the value of the keyword that an error is about.
func (s *Schema) keyword(e *jsonschema.ValidationError) (any, bool) {
	_, fragment, ok := strings.Cut(e.AbsoluteKeywordLocation, "#")
	if !ok {
		return nil, false
	}
	if plain, err := url.PathUnescape(fragment); err == nil {
		fragment = plain
	}
	return resolve(s.doc, pointerParts(fragment))
}

func typeNames(want any) string {
	switch want := want.(type) {
	case string:
		return want
	case []any:
		var names []string
		for _, w := range want {
			names = append(names, fmt.Sprint(w))
		}
		return strings.Join(names, " or ")
	}
	return show(want)
}

// shown is how many bytes of a value a message repeats; all arguments follow
// the problems anyway.
const shown = 80

// show renders a value for a message, with its type where the text alone
// could be misread.
func show(v any) string {
	b, err := encode(v)
	if err != nil {
		return fmt.Sprintf("%v", v)
	}
	text := string(b)
	if len(text) > shown {
		cut := shown
		for cut > 0 && !utf8.RuneStart(text[cut]) {
			cut--
		}
		text = text[:cut] + "…"
	}
	switch v.(type) {
	case map[string]any:
		return "object " + text
	case []any:
		return "array " + text
	case string:
		return "string " + text
	case json.Number:
		return "number " + text
	}
	return text
}
