package session

import (
	"bytes"
	"context"
	"encoding/json"
	"iter"
	"maps"
	"path"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/pi-go/pi/ai"
)

// Query says what to look for in a session. An entry is found when it fits
// all fields that are set; a query without any finds nothing.
type Query struct {
	// Text is looked for in what users, models, tools and programs said, in
	// summaries, labels and names. Case does not matter.
	Text string
	// Tool is the name of a tool that was called, or that answered.
	Tool string
	// Path is a file or directory that a tool call names in its arguments or a
	// summary in its details: the whole path, the end of it, or a directory
	// that leads to it.
	Path string
}

// Match is an entry that was found.
type Match struct {
	Stub
	// Text is the text in which [Query.Text] was found, or the name of the
	// tool, or the path, whichever was asked for first.
	Text string
	// Offset is where in Text the match begins, and Len how long it is, in bytes.
	Offset, Len int
}

// Search looks through all branches, in the order in which entries were
// appended.
func (s *Session) Search(ctx context.Context, q Query) iter.Seq2[Match, error] {
	return func(yield func(Match, error) bool) {
		if q == (Query{}) {
			return
		}
		f := newFinder(q)
		var buf []byte
		for i := 0; ; i++ {
			m, found, more, err := s.searchAt(ctx, i, f, &buf)
			switch {
			case !more:
				return
			case err != nil:
				yield(Match{}, err)
				return
			case found && !yield(m, nil):
				return
			}
		}
	}
}

func (s *Session) searchAt(ctx context.Context, i int, f *finder, buf *[]byte) (m Match, found, more bool, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case i >= len(s.tree.nodes):
		return m, false, false, nil
	case s.closed:
		return m, false, true, ErrClosed
	case ctx.Err() != nil:
		return m, false, true, context.Cause(ctx)
	}
	n := &s.tree.nodes[i]
	if n.hidden() {
		return m, false, true, nil
	}
	e := n.entry
	if e == nil {
		if *buf, err = s.st.Read(ctx, n.Stub, (*buf)[:0]); err != nil {
			return m, false, true, err
		}
		if !f.mayFit(*buf) {
			return m, false, true, nil
		}
		if e, err = s.read(ctx, i); err != nil {
			return m, false, true, err
		}
	}
	m, found = f.find(e)
	m.Stub = n.Stub
	return m, found, true, nil
}

// finder tests entries against a query.
type finder struct {
	q    Query
	text []rune // folded
	path string
	// hint is an ASCII word of the text that stands in the stored JSON as it
	// is, but for its case; "" if there is none.
	hint []byte
}

func newFinder(q Query) *finder {
	f := &finder{q: q, text: fold(q.Text)}
	if q.Path != "" {
		f.path = path.Clean(strings.ReplaceAll(q.Path, `\`, "/"))
	}
	words := strings.FieldsFunc(q.Text, func(r rune) bool {
		// k and s have foreign letters that fold to them: U+212A and U+017F.
		return r >= utf8.RuneSelf || !unicode.IsLetter(r) && !unicode.IsDigit(r) || strings.ContainsRune("kKsS", r)
	})
	for _, w := range words {
		if len(w) > len(f.hint) {
			f.hint = bytes.ToLower([]byte(w))
		}
	}
	return f
}

func fold(s string) []rune {
	out := make([]rune, 0, len(s))
	for _, r := range s {
		out = append(out, foldRune(r))
	}
	return out
}

// foldRune gives one rune for all that differ in case only.
func foldRune(r rune) rune {
	if r < utf8.RuneSelf {
		if 'A' <= r && r <= 'Z' {
			r += 'a' - 'A'
		}
		return r
	}
	least := r
	for o := unicode.SimpleFold(r); o != r; o = unicode.SimpleFold(o) {
		least = min(least, o)
	}
	if least < utf8.RuneSelf {
		return foldRune(least)
	}
	return least
}

// mayFit says no only where an entry can not fit, without decoding it.
func (f *finder) mayFit(stored []byte) bool {
	if bytes.Contains(stored, []byte(`\u00`)) { // a writer may escape what need not be
		return true
	}
	if f.q.Tool != "" && !bytes.Contains(stored, []byte(`"tool`)) {
		return false
	}
	if len(f.hint) == 0 {
		return true
	}
	lower := f.hint[0]
	upper := byte(unicode.ToUpper(rune(lower)))
	for from := 0; ; from++ {
		i := bytes.IndexByte(stored[from:], lower)
		if i < 0 {
			i = len(stored) - from
		}
		if upper != lower {
			if j := bytes.IndexByte(stored[from:from+i], upper); j >= 0 {
				i = j
			}
		}
		from += i
		if len(stored)-from < len(f.hint) {
			return false
		}
		if bytes.EqualFold(stored[from:from+len(f.hint)], f.hint) {
			return true
		}
	}
}

// find tests an entry against all of the query.
func (f *finder) find(e Entry) (Match, bool) {
	var m Match
	found := false
	for _, test := range []struct {
		wanted string
		look   func(Entry) (Match, bool)
	}{{f.q.Text, f.findText}, {f.q.Tool, f.findTool}, {f.q.Path, f.findPath}} {
		if test.wanted == "" {
			continue
		}
		got, ok := test.look(e)
		if !ok {
			return Match{}, false
		}
		if !found {
			m, found = got, true
		}
	}
	return m, found
}

// findText looks for the text in what an entry says.
func (f *finder) findText(e Entry) (Match, bool) {
	for text := range Texts(e) {
		if at, n := f.index(text); at >= 0 {
			return Match{Text: text, Offset: at, Len: n}, true
		}
	}
	return Match{}, false
}

// index finds the text in another, whatever the case.
func (f *finder) index(text string) (at, n int) {
	for i := range text {
		end := i
		for k := 0; ; k++ {
			if k == len(f.text) {
				return i, end - i
			}
			r, size := utf8.DecodeRuneInString(text[end:])
			if size == 0 || foldRune(r) != f.text[k] {
				break
			}
			end += size
		}
	}
	return -1, 0
}

// Texts gives the texts of an entry that people may have read: what was said,
// thought and given to tools, summaries, labels and names.
func Texts(e Entry) iter.Seq[string] {
	return func(yield func(string) bool) {
		switch e := e.(type) {
		case *MessageEntry:
			sayMessage(e, yield)
		case *CustomMessageEntry:
			sayBlocks(e.Content, yield)
		case *CompactionEntry:
			yield(e.Summary)
		case *BranchSummaryEntry:
			yield(e.Summary)
		case *LabelEntry:
			yield(e.Label)
		case *InfoEntry:
			yield(e.Name)
		case *ContextEditEntry:
			if e.Replacement != nil {
				sayBlocks(e.Replacement.Content, yield)
			}
		}
	}
}

func sayMessage(e *MessageEntry, yield func(string) bool) {
	switch m := e.Message.(type) {
	case *ai.UserMessage:
		sayBlocks(m.Content, yield)
	case *ai.AssistantMessage:
		if sayBlocks(m.Content, yield) && m.ErrorMessage != "" {
			yield(m.ErrorMessage)
		}
	case *ai.ToolResultMessage:
		sayBlocks(m.Content, yield)
	case *ai.SystemMessage: // the prompt is not part of the conversation
	case *CustomMessage:
		sayBlocks(m.Content, yield)
	case Convertible:
		switch c := m.ModelMessage().(type) {
		case *ai.UserMessage:
			sayBlocks(c.Content, yield)
		case *ai.AssistantMessage:
			sayBlocks(c.Content, yield)
		}
	case *OpaqueMessage:
		eachString(m.Raw, yield)
	}
}

func sayBlocks(blocks []ai.Block, yield func(string) bool) bool {
	for _, b := range blocks {
		text := ""
		switch b := b.(type) {
		case *ai.Text:
			text = b.Text
		case *ai.Thinking:
			text = b.Text
		case *ai.ToolCall:
			if !eachString(b.Arguments, yield) {
				return false
			}
		}
		if text != "" && !yield(text) {
			return false
		}
	}
	return true
}

// eachString gives the strings in a JSON value until one is refused, and says
// whether none was. What can not be read has none.
func eachString(v json.RawMessage, yield func(string) bool) bool {
	var value any
	if json.Unmarshal(v, &value) != nil {
		return true
	}
	return walkStrings(value, yield)
}

func walkStrings(v any, yield func(string) bool) bool {
	switch v := v.(type) {
	case string:
		return yield(v)
	case []any:
		for _, e := range v {
			if !walkStrings(e, yield) {
				return false
			}
		}
	case map[string]any:
		for _, k := range slices.Sorted(maps.Keys(v)) { // the same match every time
			if !walkStrings(v[k], yield) {
				return false
			}
		}
	}
	return true
}

// findTool looks for calls and results of the tool.
func (f *finder) findTool(e Entry) (Match, bool) {
	name := func(n string) (Match, bool) {
		return Match{Text: n, Len: len(n)}, n == f.q.Tool
	}
	m, ok := e.(*MessageEntry)
	if !ok {
		return Match{}, false
	}
	switch m := m.Message.(type) {
	case *ai.ToolResultMessage:
		return name(m.ToolName)
	case *ai.AssistantMessage:
		for _, c := range m.ToolCalls() {
			if got, ok := name(c.Name); ok {
				return got, true
			}
		}
	}
	return Match{}, false
}

// findPath looks for the path in arguments of calls and in details of
// summaries.
func (f *finder) findPath(e Entry) (Match, bool) {
	var m Match
	look := func(v json.RawMessage) bool {
		return !eachString(v, func(s string) bool {
			if !f.isPath(s) {
				return true
			}
			m = Match{Text: s, Len: len(s)}
			return false
		})
	}
	switch e := e.(type) {
	case *MessageEntry:
		switch msg := e.Message.(type) {
		case *ai.AssistantMessage:
			for _, c := range msg.ToolCalls() {
				if look(c.Arguments) {
					return m, true
				}
			}
		case *ai.ToolResultMessage: // calls that the tool made
			return m, len(msg.NestedCalls) > 0 && look(msg.NestedCalls)
		}
	case *CompactionEntry:
		return m, len(e.Details) > 0 && look(e.Details)
	case *BranchSummaryEntry:
		return m, len(e.Details) > 0 && look(e.Details)
	}
	return m, false
}

// isPath says whether a string is the path, ends in it, or lies below it.
func (f *finder) isPath(s string) bool {
	if len(s) > 4096 || strings.ContainsAny(s, "\n\x00") || !strings.Contains(s, path.Base(f.path)) {
		return false
	}
	s = "/" + strings.TrimPrefix(path.Clean(strings.ReplaceAll(s, `\`, "/")), "/")
	p := "/" + strings.TrimPrefix(f.path, "/")
	if path.IsAbs(f.path) {
		return s == p || strings.HasPrefix(s, p+"/")
	}
	return strings.HasSuffix(s, p) || strings.Contains(s, p+"/")
}
