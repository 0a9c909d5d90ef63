package interactive

import (
	"strings"

	"github.com/pi-go/pi/tui/highlight"
)

// Highlight gives the pieces of a source text in order, each with what it is: a
// keyword, a string, and so on, "" for anything else. language is the name of a
// language or of a file; ok is false, and piece is not called, if it is not known.
func Highlight(language, source string, piece func(text, kind string)) (ok bool) {
	l := highlight.Find(language)
	if l == nil {
		l = highlight.ByFile(language)
	}
	if l == nil {
		return false
	}
	var spans []highlight.Span
	var state highlight.State
	for line := range strings.Lines(source) {
		body := strings.TrimSuffix(line, "\n")
		spans, state = l.Line(spans[:0], body, state)
		at := 0
		for _, s := range spans {
			if s.Start > at {
				piece(body[at:s.Start], "")
			}
			piece(body[s.Start:s.End], spanName(s.Kind))
			at = s.End
		}
		piece(line[at:], "")
	}
	return true
}

func spanName(k highlight.Kind) string {
	names := [...]string{
		highlight.Comment: "comment", highlight.Keyword: "keyword", highlight.Function: "function", highlight.Variable: "variable",
		highlight.String: "string", highlight.Number: "number", highlight.Type: "type", highlight.Operator: "operator",
		highlight.Punctuation: "punctuation", highlight.Inserted: "inserted", highlight.Deleted: "deleted", highlight.Heading: "heading",
	}
	if int(k) < len(names) {
		return names[k]
	}
	return ""
}
