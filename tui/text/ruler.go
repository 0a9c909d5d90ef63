package text

import (
	"strings"
	"unicode/utf8"

	"github.com/mattn/go-runewidth"
	"github.com/rivo/uniseg"
)

// DefaultTab is how many columns a tab takes unless [RulerOptions] says otherwise.
// Every tab takes the same number of columns, wherever it stands in the line.
const DefaultTab = 4

// RulerOptions are the choices of a user about widths. The zero value is the default.
type RulerOptions struct {
	// AmbiguousWide makes the characters that Unicode calls ambiguous (Greek,
	// Cyrillic, box drawing and others) two columns wide. Set it only if the
	// terminal is configured so, as is sometimes done for CJK fonts.
	AmbiguousWide bool
	// Tab is the number of columns a tab takes; 0 means [DefaultTab].
	Tab int
}

// Ruler says how many columns text takes. A nil *Ruler measures with the
// default options and is safe for concurrent use. One made by [NewRuler]
// remembers clusters that are slow to measure and belongs to one goroutine.
type Ruler struct {
	opts  RulerOptions
	cache map[string]measure
}

// measure is the size of the first cluster of a run, in bytes and columns.
type measure struct{ size, width uint8 }

// The cache is cleared when it is full: scripts of a text repeat, so it soon
// holds the common clusters again, and nothing has to be ordered by age.
const (
	cacheEntries = 4096
	cacheKey     = 40 // longest run, in bytes, that is worth remembering
)

// NewRuler returns a Ruler with a cache of its own.
func NewRuler(opts RulerOptions) *Ruler {
	return &Ruler{opts: opts, cache: make(map[string]measure)}
}

// Tab returns how many columns a tab takes.
func (r *Ruler) Tab() int {
	if r == nil || r.opts.Tab <= 0 {
		return DefaultTab
	}
	return r.opts.Tab
}

// Width returns the number of columns s takes with the default [Ruler].
func Width(s string) int { return (*Ruler)(nil).Width(s) }

// Width returns the number of columns s takes in one line. Escape sequences and
// control characters other than tab take none.
func (r *Ruler) Width(s string) int {
	if n := plainASCII(s); n == len(s) {
		return n
	}
	width := 0
	for len(s) > 0 {
		n := plainASCII(s)
		// The last plain byte may be the base of a mark that follows it.
		if n > 1 {
			width += n - 1
			s = s[n-1:]
		}
		t := r.next(s)
		width += t.width
		s = s[t.size:]
	}
	return width
}

// Cluster returns the size in bytes and the width in columns of the first unit
// of s that is never split: a grapheme cluster, a control character, or a whole
// escape sequence. Both are 0 only for an empty string.
func (r *Ruler) Cluster(s string) (size, width int) {
	t := r.next(s)
	return t.size, t.width
}

// Cluster is [Ruler.Cluster] of the default Ruler.
func Cluster(s string) (size, width int) { return (*Ruler)(nil).Cluster(s) }

// plainASCII returns the length of the prefix of s that is printable ASCII.
func plainASCII(s string) int {
	i := 0
	for i < len(s) && s[i]-0x20 < 0x5f {
		i++
	}
	return i
}

type kind uint8

const (
	kindText     kind = iota // a grapheme cluster
	kindTab                  // a tab
	kindControl              // any other control character
	kindSequence             // an escape sequence
)

// token is the first unit of a string: what must not be split.
type token struct {
	size, width int
	kind        kind
}

func (r *Ruler) next(s string) token {
	if len(s) == 0 {
		return token{}
	}
	c := s[0]
	if c-0x20 < 0x5f && (len(s) == 1 || s[1] < utf8.RuneSelf) {
		return token{size: 1, width: 1}
	}
	switch {
	case c == escape:
		return token{size: sequenceLen(s), kind: kindSequence}
	case c == '\t':
		return token{size: 1, width: r.Tab(), kind: kindTab}
	case c < 0x20 || c == 0x7f:
		return token{size: 1, kind: kindControl}
	}
	first, n := utf8.DecodeRuneInString(s)
	if first == utf8.RuneError && n == 1 {
		return token{size: 1, width: 1} // the terminal shows one replacement character
	}
	if first >= 0x80 && first < 0xa0 {
		return token{size: n, kind: kindControl}
	}
	if w := lone(first); w > 0 {
		alone := n == len(s)
		if !alone {
			following, _ := utf8.DecodeRuneInString(s[n:])
			alone = following < 0x300 && following != 0xad || lone(following) > 0
		}
		if alone {
			return token{size: n, width: r.ambiguous(first, w)}
		}
	}
	return r.segment(s)
}

// lone returns the width of runes that are a cluster of their own unless a mark
// follows, and 0 for all others. It spares most text the segmenter, which is
// twenty times slower. Two lone runes beside each other never join.
func lone(r rune) int {
	switch {
	case r < 0x7f:
		if r >= 0x20 {
			return 1
		}
	case r < 0xa1:
	case r < 0x300:
		if r != 0xad {
			return 1
		}
	case r < 0x530: // Greek, Cyrillic
		if r >= 0x370 && (r < 0x483 || r >= 0x48a) {
			return 1
		}
	case r >= 0x2010 && r < 0x2028, r >= 0x2030 && r < 0x203c, // punctuation
		r >= 0x2190 && r < 0x2300, // arrows, mathematics
		r >= 0x2500 && r < 0x25fd, // box drawing, blocks, shapes
		r >= 0x2801 && r < 0x2900, // Braille
		r >= 0xff61 && r < 0xff9e: // half-width katakana
		return 1
	case r >= 0x3001 && r < 0x302a, r >= 0x3041 && r < 0x3097, r >= 0x30a1 && r < 0x30fd, // kana
		r >= 0x3400 && r < 0x4dc0, r >= 0x4e00 && r < 0xa000, // Han
		r >= 0xac00 && r < 0xd7a4, // Hangul syllables
		r >= 0xff01 && r < 0xff61: // full-width forms
		return 2
	}
	return 0
}

func (r *Ruler) ambiguous(first rune, width int) int {
	if width == 1 && first >= 0xa1 && r != nil && r.opts.AmbiguousWide && runewidth.IsAmbiguousWidth(first) {
		return 2
	}
	return width
}

func (r *Ruler) segment(s string) token {
	if r == nil || r.cache == nil {
		size, width := r.cluster(s)
		return token{size: size, width: width}
	}
	// A run up to the next ASCII character segments the same wherever it stands,
	// unless its end joins that character, as a few Indic and Arabic signs do.
	end := 1
	for end < len(s) && end <= cacheKey && s[end] >= utf8.RuneSelf {
		end++
	}
	key := s[:end]
	if end <= cacheKey {
		if m, ok := r.cache[key]; ok {
			return token{size: int(m.size), width: int(m.width)}
		}
	}
	size, width := r.cluster(s)
	if end > cacheKey || size > end {
		return token{size: size, width: width}
	}
	if size == end {
		if joined, _ := r.cluster(key + "a"); joined > size {
			return token{size: size, width: width}
		}
	}
	if len(r.cache) >= cacheEntries {
		clear(r.cache)
	}
	r.cache[strings.Clone(key)] = measure{uint8(size), uint8(width)}
	return token{size: size, width: width}
}

const (
	textSelector  = 0xfe0e // VS15: draw as text
	emojiSelector = 0xfe0f // VS16: draw as emoji
)

// cluster segments with uniseg, whose tables are of Unicode 15, and corrects
// its width where terminals differ from it.
func (r *Ruler) cluster(s string) (size, width int) {
	if first, n := utf8.DecodeRuneInString(s); standsBefore(first, s[n:]) {
		_, _, width, _ = uniseg.FirstGraphemeClusterInString(s[:n], -1)
		return n, width
	}
	cl, _, width, _ := uniseg.FirstGraphemeClusterInString(s, -1)
	first, n := utf8.DecodeRuneInString(cl)
	rest := cl[n:]
	switch {
	case first < utf8.RuneSelf:
		// Keycaps and other digits with a selector are emoji: two columns. A
		// plain base keeps its one column whatever marks it carries.
		width = 1
		if sel, _ := utf8.DecodeRuneInString(rest); sel == emojiSelector && (first == '#' || first == '*' || first >= '0' && first <= '9') {
			width = 2
		}
	case first == 0x2e3a || first == 0x2e3b:
		width = 1 // long dashes: uniseg says 3 and 4, terminals give them one cell
	case newEmoji(first):
		width = 2
	case rest != "":
		sel, _ := utf8.DecodeRuneInString(rest)
		switch {
		case sel == textSelector:
			// Terminals ignore the request for text where the base is wide.
			_, _, width, _ = uniseg.FirstGraphemeClusterInString(cl[:n], -1)
		case sel >= 0x1f3fb && sel <= 0x1f3ff:
			width = 2 // a skin tone makes an emoji of its base
		}
	}
	// A syllable with a vowel or a final consonant behind it is as wide as without.
	return len(cl), r.ambiguous(first, min(width, 2))
}

// standsBefore reports whether r joins the character behind it, though it has columns
// of its own: a sign such as an Arabic number sign, or a leading consonant in front of
// another one or of a syllable. A run of them would be one cluster of any width, while
// terminals draw each by itself.
func standsBefore(r rune, rest string) bool {
	switch {
	case r < 0x600:
	case leads(r):
		next, _ := utf8.DecodeRuneInString(rest)
		return leads(next) || next >= 0xac00 && next < 0xd7a4
	case r <= 0x605, r == 0x6dd, r == 0x70f, r == 0x890, r == 0x891, r == 0x8e2, r == 0xd4e,
		r == 0x110bd, r == 0x110cd, r == 0x111c2, r == 0x111c3, r == 0x1193f, r == 0x11941,
		r == 0x11a3a, r >= 0x11a84 && r <= 0x11a89, r == 0x11d46, r == 0x11f02:
		return true
	}
	return false
}

// leads reports whether r is a leading consonant of Hangul.
func leads(r rune) bool { return r >= 0x1100 && r < 0x1160 || r >= 0xa960 && r < 0xa97d }

// newEmoji reports whether r is in a block that Unicode reserves for emoji and
// fills year by year. Terminals draw the new ones two columns wide; uniseg's
// tables do not know those after Unicode 15.
func newEmoji(r rune) bool {
	return r >= 0x1fa70 && r <= 0x1faff || r >= 0x1f6d5 && r <= 0x1f6df
}
