package textedit

import (
	"bytes"
	"cmp"
	"slices"
	"strings"
	"unicode/utf8"
)

// Edit is one replacement. Line breaks in both texts may have any form.
type Edit struct {
	Old string
	New string
}

// Outcome is an edited text.
type Outcome struct {
	// Content is the whole text after the edits.
	Content []byte
	// Changes are the lines that differ, in order.
	Changes Changes
}

// place is a piece of a source, as positions in its view.
type place struct{ lo, hi int }

// replacement is an edit whose place is known.
type replacement struct {
	place        // where the old text is
	index int    // of the edit
	cut   place  // the part that is replaced
	text  string // what it is replaced with, LF line breaks
}

// Apply makes all edits or none. The error is a *MatchError if the edits do not
// fit the text.
func Apply(content []byte, edits []Edit) (Outcome, error) {
	if len(edits) == 0 {
		return Outcome{}, &MatchError{Problem: NoEdits}
	}
	s := newSource(content)
	found := make([]replacement, 0, len(edits))
	var view *tolerant // made when it is needed
	for i, e := range edits {
		r, err := locate(s, &view, normalBreaks(e.Old), normalBreaks(e.New))
		if err != nil {
			err.Index, err.Of = i, len(edits)
			return Outcome{}, err
		}
		r.index = i
		found = append(found, r)
	}
	slices.SortStableFunc(found, func(a, b replacement) int { return cmp.Compare(a.lo, b.lo) })
	for i := 1; i < len(found); i++ {
		if a, b := found[i-1], found[i]; b.lo < a.hi {
			return Outcome{}, &MatchError{
				Problem: Overlap, Index: min(a.index, b.index), Other: max(a.index, b.index), Of: len(edits),
			}
		}
	}
	found = slices.DeleteFunc(found, func(r replacement) bool { return string(s.lf[r.cut.lo:r.cut.hi]) == r.text })
	out := s.replace(found)
	if bytes.Equal(out, content) {
		return Outcome{}, &MatchError{Problem: NoChange}
	}
	return Outcome{Content: out, Changes: changesOf(s, found)}, nil
}

// locate finds the one place of an edit and what to replace there.
func locate(s *source, view **tolerant, old, text string) (replacement, *MatchError) {
	if old == "" {
		return replacement{}, &MatchError{Problem: EmptyOld}
	}
	places := occurrences(s.lf, []byte(old))
	exact := len(places) > 0
	if !exact {
		if *view == nil {
			*view = newTolerant(s.lf)
		}
		places = (*view).find(old)
	}
	switch {
	case len(places) == 0:
		e := &MatchError{Problem: NotFound, Binary: !utf8.Valid(s.content)}
		e.Near = nearest(s, old)
		return replacement{}, e
	case len(places) > 1:
		e := &MatchError{Problem: NotUnique, Tolerant: !exact, Count: len(places)}
		for _, p := range places[:min(len(places), mostLines)] {
			e.Lines = append(e.Lines, s.lineNumber(p.lo))
		}
		return replacement{}, e
	}
	r := replacement{place: places[0]}
	r.cut, r.text = narrow(s.lf, r.place, old, text)
	if strings.ContainsRune(r.text, utf8.RuneError) && !utf8.Valid(s.content) {
		return replacement{}, &MatchError{Problem: NotText}
	}
	return r, nil
}

// mostPlaces is where looking for further places of an old text ends. More than
// one is an error already; counting on only makes the message exact.
const mostPlaces = 1000

// occurrences finds the places of old, also where two overlap.
func occurrences(text, old []byte) (places []place) {
	for pos := 0; ; {
		i := bytes.Index(text[pos:], old)
		if i < 0 || len(places) == mostPlaces {
			return places
		}
		places = append(places, place{pos + i, pos + i + len(old)})
		pos += i + 1
	}
}

// narrow leaves out the lines at the start and at the end of a place that are the
// same in the old and the new text, so that they keep the bytes they have.
func narrow(lf []byte, p place, old, text string) (place, string) {
	for {
		i := strings.IndexByte(old, '\n')
		if i < 0 || !strings.HasPrefix(text, old[:i+1]) {
			break
		}
		old, text = old[i+1:], text[i+1:]
		p.lo += bytes.IndexByte(lf[p.lo:], '\n') + 1
	}
	for {
		i, j := strings.LastIndexByte(old, '\n'), strings.LastIndexByte(text, '\n')
		if i < 0 || j < 0 || old[i:] != text[j:] {
			break
		}
		old, text = old[:i], text[:j]
		p.hi = p.lo + bytes.LastIndexByte(lf[p.lo:p.hi], '\n')
	}
	return p, text
}

// replace returns the content with the replacements, which are in order.
func (s *source) replace(found []replacement) []byte {
	out := make([]byte, 0, len(s.content)+64)
	add := func(piece string) {
		// Two line breaks must not become one by meeting.
		if n := len(out); n > 0 && out[n-1] == '\r' && strings.HasPrefix(piece, "\n") {
			out = append(out, '\n')
		}
		out = append(out, piece...)
	}
	done := 0
	for _, r := range found {
		add(string(s.content[done:s.offset(r.cut.lo)]))
		text := r.text
		if br := s.lineBreak(r.cut.lo); br != "\n" {
			text = strings.ReplaceAll(text, "\n", br)
		}
		add(text)
		done = s.offset(r.cut.hi)
	}
	add(string(s.content[done:]))
	return out
}
