package textedit

import (
	"bytes"
	"sort"
	"strings"
)

var bom = []byte("\uFEFF")

// source is a text as it is stored, and its view with LF line breaks and no byte
// order mark, in which edits are looked up.
type source struct {
	content []byte
	bom     int    // length of the byte order mark
	lf      []byte // the view
	crlf    []int  // positions in lf of the line breaks that are CRLF in content
	hasLF   bool   // content has a line break other than a lone CR
}

func newSource(content []byte) *source {
	s := &source{content: content}
	if bytes.HasPrefix(content, bom) {
		s.bom = len(bom)
	}
	body := content[s.bom:]
	if bytes.IndexByte(body, '\r') < 0 {
		s.lf, s.hasLF = body, bytes.IndexByte(body, '\n') >= 0
		return s
	}
	s.lf = make([]byte, 0, len(body))
	for i := 0; i < len(body); i++ {
		c := body[i]
		switch {
		case c == '\n':
			s.hasLF = true
		case c == '\r' && i+1 < len(body) && body[i+1] == '\n':
			s.hasLF = true
			s.crlf = append(s.crlf, len(s.lf))
			i++
			c = '\n'
		case c == '\r':
			c = '\n'
		}
		s.lf = append(s.lf, c)
	}
	return s
}

// offset is the position in content of a position in the view.
func (s *source) offset(pos int) int { return s.bom + pos + sort.SearchInts(s.crlf, pos) }

// breakAt is how the line break at a position of the view is stored.
func (s *source) breakAt(pos int) string {
	i := s.offset(pos)
	switch {
	case s.content[i] == '\n':
		return "\n"
	case i+1 < len(s.content) && s.content[i+1] == '\n':
		return "\r\n"
	default:
		return "\r"
	}
}

// lineBreak is the line break for text that is put in at a position of the view:
// that of the line there, or of the line before if that line has none. A lone CR
// is taken for a line break only in files that have no other.
func (s *source) lineBreak(pos int) string {
	at := -1
	if i := bytes.IndexByte(s.lf[pos:], '\n'); i >= 0 {
		at = pos + i
	} else {
		at = bytes.LastIndexByte(s.lf[:pos], '\n')
	}
	if at < 0 {
		return "\n"
	}
	if br := s.breakAt(at); br != "\r" || !s.hasLF {
		return br
	}
	return "\n"
}

// lineNumber is the number, from 1, of the line that holds a position of the view.
func (s *source) lineNumber(pos int) int { return 1 + bytes.Count(s.lf[:pos], []byte("\n")) }

// normalBreaks returns text with LF line breaks.
func normalBreaks(text string) string {
	if !strings.Contains(text, "\r") {
		return text
	}
	return strings.ReplaceAll(strings.ReplaceAll(text, "\r\n", "\n"), "\r", "\n")
}

// splitLines cuts text after each line break; the last line may have none.
func splitLines(text string) []string {
	if text == "" {
		return nil
	}
	lines := strings.SplitAfter(text, "\n")
	if last := len(lines) - 1; lines[last] == "" {
		lines = lines[:last]
	}
	return lines
}
