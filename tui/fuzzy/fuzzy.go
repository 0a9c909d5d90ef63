// Package fuzzy finds what a person means by a few letters of it.
//
//	fuzzy.Match("gpt5", "openai/gpt-5-mini") // matches
//	fuzzy.Filter(names, "rd tst", func(s string) string { return s })
//
// The letters of a word of the query must occur in the text, in order, upper and
// lower case alike; words, separated by blanks, may occur in any order. Digits
// that stand together in the query may be parted only by punctuation in the
// text, so that "55" finds 5.5 and 5-5, but not 4-5-20250929.
package fuzzy

import (
	"cmp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Result is how well a text matches.
type Result struct {
	// Score is higher for better matches. Scores of the same query can be
	// compared.
	Score int
	// Positions are the byte offsets of the letters that were matched, ascending.
	Positions []int
}

// The parts of a score.
const (
	scoreLetter      = 10
	scoreConsecutive = 20 // the letter follows the one matched before
	scoreBoundary    = 12 // the letter begins a word
	scoreStart       = 8  // the letter begins the text
	scoreWhole       = 20 // the word of the query is a whole word of the text
	costGap          = 1  // a letter that was passed over, up to a limit
	maxGapCost       = 8
	maxText          = 400 // longer texts are cut; nobody fuzzy-matches a book
)

// Match matches a text against a query. An empty query matches everything.
func Match(query, s string) (Result, bool) {
	var m matcher
	return m.match(query, s)
}

// Contains reports whether a text may match a query: the letters of each word occur
// in it, in order. It is much cheaper than [Match], and what it refuses Match does,
// too.
func Contains(query, s string) bool {
	for word := range strings.FieldsSeq(query) {
		if !subsequence(word, s) {
			return false
		}
	}
	return true
}

// matcher is the memory that matching needs, to be used again.
type matcher struct {
	text, word []letter
	best, from []int
}

func (m *matcher) match(query, s string) (Result, bool) {
	if len(s) > maxText {
		s = s[:maxText]
		for len(s) > 0 && !utf8.ValidString(s[max(0, len(s)-4):]) && !utf8.RuneStart(s[len(s)-1]) {
			s = s[:len(s)-1]
		}
	}
	for word := range strings.FieldsSeq(query) {
		if !subsequence(word, s) {
			return Result{}, false
		}
	}
	var total Result
	m.text = runes(m.text[:0], s)
	t := m.text
	for word := range strings.FieldsSeq(query) {
		m.word = runes(m.word[:0], word)
		r, ok := m.matchWord(m.word, t)
		if !ok {
			return Result{}, false
		}
		total.Score += r.Score
		total.Positions = append(total.Positions, r.Positions...)
	}
	slices.Sort(total.Positions)
	total.Positions = slices.Compact(total.Positions)
	// Of two equal matches the shorter text is the more likely one.
	total.Score = total.Score*100 - min(len(t), 99)
	return total, true
}

// subsequence reports whether the letters of a word occur in a text, in order. It
// is the cheap test that most texts fail.
func subsequence(word, s string) bool {
	at := 0
	for i := 0; i < len(s) && at < len(word); i++ {
		c, w := s[i], word[at]
		if c >= utf8.RuneSelf || w >= utf8.RuneSelf {
			return subsequenceOfRunes(word[at:], s[i:])
		}
		if c == w || lowerByte(c) == lowerByte(w) {
			at++
		}
	}
	return at == len(word)
}

func lowerByte(c byte) byte {
	if c >= 'A' && c <= 'Z' {
		return c + 'a' - 'A'
	}
	return c
}

// subsequenceOfRunes is subsequence for all scripts.
func subsequenceOfRunes(word, s string) bool {
	for _, r := range word {
		i := strings.IndexFunc(s, func(x rune) bool {
			return x == r || x >= utf8.RuneSelf && unicode.ToLower(x) == unicode.ToLower(r) ||
				x < utf8.RuneSelf && lower(x) == lower(r)
		})
		if i < 0 {
			return false
		}
		_, n := utf8.DecodeRuneInString(s[i:])
		s = s[i+n:]
	}
	return true
}

func lower(r rune) rune {
	if r >= 'A' && r <= 'Z' {
		return r + 'a' - 'A'
	}
	if r < utf8.RuneSelf {
		return r
	}
	return unicode.ToLower(r)
}

type letter struct {
	r        rune // lower case
	at       int
	boundary bool
}

func runes(out []letter, s string) []letter {
	before := ' '
	for i, r := range s {
		l := letter{r: lower(r), at: i}
		l.boundary = !isWord(before) && isWord(r) || unicode.IsLower(before) && unicode.IsUpper(r) ||
			unicode.IsDigit(r) != unicode.IsDigit(before) && isWord(r)
		out = append(out, l)
		before = r
	}
	return out
}

func isWord(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) }

// matchWord finds the best place for the letters of one word: dynamic programming
// over where the last matched letter is.
func (m *matcher) matchWord(q, t []letter) (Result, bool) {
	if len(q) > len(t) {
		return Result{}, false
	}
	const none = -1 << 30
	// best[i*n+j] is the best score with letter i of q at letter j of t.
	n := len(t)
	m.best = slices.Grow(m.best[:0], len(q)*n)[:len(q)*n]
	m.from = slices.Grow(m.from[:0], len(q)*n)[:len(q)*n]
	best := func(i int) []int { return m.best[i*n : (i+1)*n] }
	from := func(i int) []int { return m.from[i*n : (i+1)*n] }
	for i := range q {
		row, back := best(i), from(i)
		var before []int
		if i > 0 {
			before = best(i - 1)
		}
		// Beyond the largest cost of a gap only the best of all counts.
		far, farAt := none, -1
		for j := range t {
			if k := j - 1 - maxGapCost; i > 0 && k >= 0 && before[k] > far {
				far, farAt = before[k], k
			}
			row[j] = none
			if t[j].r != q[i].r {
				continue
			}
			own := scoreLetter
			if t[j].boundary {
				own += scoreBoundary
			}
			if j == 0 {
				own += scoreStart
			}
			if i == 0 {
				row[j], back[j] = own-min(j*costGap, maxGapCost), -1
				continue
			}
			digits := unicode.IsDigit(q[i].r) && unicode.IsDigit(q[i-1].r)
			limit := max(i-1, j-maxGapCost)
			if digits {
				limit = i - 1
			}
			for k := j - 1; k >= limit; k-- {
				if before[k] != none {
					score := before[k] + own
					if k == j-1 {
						score += scoreConsecutive
					} else {
						score -= min((j-k-1)*costGap, maxGapCost)
					}
					if score > row[j] {
						row[j], back[j] = score, k
					}
				}
				if digits && isWord(t[k].r) {
					break // digits stay together
				}
			}
			if !digits && far != none && far+own-maxGapCost > row[j] {
				row[j], back[j] = far+own-maxGapCost, farAt
			}
		}
	}
	last := len(q) - 1
	end := -1
	for j := range t {
		if best(last)[j] != none && (end < 0 || best(last)[j] > best(last)[end]) {
			end = j
		}
	}
	if end < 0 {
		return Result{}, false
	}
	r := Result{Score: best(last)[end], Positions: make([]int, len(q))}
	j := end
	for i := last; i >= 0; i-- {
		r.Positions[i] = t[j].at
		if i > 0 {
			j = from(i)[j]
		}
	}
	if end-j == last && t[j].boundary && (end == len(t)-1 || !isWord(t[end+1].r)) {
		r.Score += scoreWhole
	}
	return r, true
}

// Filter returns the items whose text matches the query, the best first; items
// that match equally well keep their order. An empty query returns all items.
func Filter[T any](items []T, query string, textOf func(T) string) []T {
	if strings.TrimSpace(query) == "" {
		return slices.Clone(items)
	}
	type scored struct {
		item  T
		score int
	}
	var found []scored
	var m matcher
	for _, it := range items {
		if r, ok := m.match(query, textOf(it)); ok {
			found = append(found, scored{it, r.Score})
		}
	}
	slices.SortStableFunc(found, func(a, b scored) int { return cmp.Compare(b.score, a.score) })
	out := make([]T, len(found))
	for i, f := range found {
		out[i] = f.item
	}
	return out
}
