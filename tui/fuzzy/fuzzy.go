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
	if len(s) > maxText {
		s = s[:maxText]
		for len(s) > 0 && !utf8.ValidString(s[max(0, len(s)-4):]) && !utf8.RuneStart(s[len(s)-1]) {
			s = s[:len(s)-1]
		}
	}
	var total Result
	t := runes(s)
	for word := range strings.FieldsSeq(query) {
		r, ok := matchWord(runes(word), t)
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

type letter struct {
	r        rune // lower case
	at       int
	boundary bool
}

func runes(s string) []letter {
	out := make([]letter, 0, len(s))
	before := ' '
	for i, r := range s {
		l := letter{r: unicode.ToLower(r), at: i}
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
func matchWord(q, t []letter) (Result, bool) {
	if len(q) > len(t) {
		return Result{}, false
	}
	const none = -1 << 30
	// best[i][j] is the best score with letter i of q at letter j of t.
	best := make([][]int, len(q))
	from := make([][]int, len(q))
	for i := range q {
		best[i] = make([]int, len(t))
		from[i] = make([]int, len(t))
		for j := range t {
			best[i][j] = none
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
				best[i][j], from[i][j] = own-min(j*costGap, maxGapCost), -1
				continue
			}
			digits := unicode.IsDigit(q[i].r) && unicode.IsDigit(q[i-1].r)
			for k := j - 1; k >= i-1; k-- {
				if best[i-1][k] != none {
					score := best[i-1][k] + own
					if k == j-1 {
						score += scoreConsecutive
					} else {
						score -= min((j-k-1)*costGap, maxGapCost)
					}
					if score > best[i][j] {
						best[i][j], from[i][j] = score, k
					}
				}
				if digits && isWord(t[k].r) {
					break // digits stay together
				}
			}
		}
	}
	last := len(q) - 1
	end := -1
	for j := range t {
		if best[last][j] != none && (end < 0 || best[last][j] > best[last][end]) {
			end = j
		}
	}
	if end < 0 {
		return Result{}, false
	}
	r := Result{Score: best[last][end], Positions: make([]int, len(q))}
	j := end
	for i := last; i >= 0; i-- {
		r.Positions[i] = t[j].at
		if i > 0 {
			j = from[i][j]
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
	for _, it := range items {
		if r, ok := Match(query, textOf(it)); ok {
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
