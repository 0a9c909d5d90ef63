package tools

import (
	"strings"
	"unicode"

	"golang.org/x/text/unicode/norm"
)

// punctuation is the order of punctuation in the Unicode collation.
const punctuation = " _-,;:!?.'\"()[]{}@*/\\&#%`^+<=>|~$"

// sortKey is a string whose byte order is the order in which people expect file
// names, that of the Unicode collation: the first difference counts that is not
// one of case or accents, and punctuation comes before digits, digits before
// letters. The locale of the machine has no say, so lists are the same everywhere.
func sortKey(name string) string {
	var b strings.Builder
	for _, r := range norm.NFD.String(strings.ToLower(name)) {
		switch {
		case unicode.Is(unicode.Mn, r): // an accent
			continue
		case unicode.IsLetter(r):
			b.WriteByte(4)
		case unicode.IsDigit(r):
			b.WriteByte(3)
		default:
			if i := strings.IndexRune(punctuation, r); i >= 0 {
				b.WriteByte(1)
				b.WriteByte(byte(i))
				continue
			}
			b.WriteByte(2)
		}
		b.WriteRune(r)
	}
	return b.String()
}
