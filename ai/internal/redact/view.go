package redact

import (
	"encoding/base64"
	"encoding/hex"
	"html"
	"strconv"
	"strings"
	"unicode/utf8"
)

// maxLevels is how often escapes are taken off: quotes of quotes of quotes.
const maxLevels = 3

// view is a text with some levels of escapes taken off, and where each of its bytes
// was in the text that it is a view of.
type view struct {
	text string
	from []int // with one more for the end; nil where nothing was taken off yet
}

func plain(s string) view { return view{text: s} }

// span is a part of the view as a part of the text.
func (v *view) span(from, to int) span {
	if v.from == nil {
		return span{from, to}
	}
	for to > from && to < len(v.text) && v.from[to] == v.from[to-1] {
		to++ // an escape is hidden whole
	}
	return span{v.from[from], v.from[to]}
}

// find gives the places of secrets.
func (v *view) find(secrets []secret) []span {
	var found []span
	for _, s := range secrets {
		for at := 0; ; {
			i := strings.Index(v.text[at:], s.text[:s.least])
			if i < 0 {
				break
			}
			at += i
			n := s.least
			for n < len(s.text) && at+n < len(v.text) && v.text[at+n] == s.text[n] {
				n++
			}
			found = append(found, v.span(at, at+n))
			at += n
		}
	}
	found = append(found, v.webTokens()...)
	if len(secrets) == 0 {
		return found
	}
	for from := 0; from < len(v.text); {
		to := from
		for to < len(v.text) && strings.IndexByte(alphabet, v.text[to]) >= 0 {
			to++
		}
		if run := v.text[from:to]; len(run) >= leastHidden && (hides(unbase64(run), secrets) || hides(unhex(run), secrets)) {
			found = append(found, v.span(from, to))
		}
		from = to + 1
	}
	return found
}

// webTokens gives the places of JSON web tokens: a header and claims, both objects in
// base64, and mostly a signature.
func (v *view) webTokens() []span {
	var found []span
	for at := 0; ; {
		i := strings.Index(v.text[at:], "eyJ")
		if i < 0 {
			return found
		}
		from := at + i
		for at = from; at < len(v.text) && (v.text[at] == '.' || strings.IndexByte(alphabet, v.text[at]) >= 0); {
			at++
		}
		if strings.Contains(v.text[from:at], ".eyJ") {
			found = append(found, v.span(from, at))
		}
	}
}

// alphabet are the characters of both kinds of base64.
const alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/-_"

func hides(decoded []string, secrets []secret) bool {
	for _, text := range decoded {
		for _, s := range secrets {
			if strings.Contains(text, s.text[:s.least]) {
				return true
			}
		}
	}
	return false
}

var toStandard = strings.NewReplacer("-", "+", "_", "/")

// unbase64 decodes a run from each of the places where a group of four may begin, as
// something may stand in front.
func unbase64(run string) []string {
	run = toStandard.Replace(run)
	var list []string
	for skip := range min(4, len(run)) {
		part := run[skip:]
		if len(part)%4 == 1 {
			part = part[:len(part)-1]
		}
		b := make([]byte, base64.RawStdEncoding.DecodedLen(len(part)))
		n, _ := base64.RawStdEncoding.Decode(b, []byte(part)) // the last bits may be cut
		list = append(list, string(b[:n]))
	}
	return list
}

func unhex(run string) []string {
	var list []string
	for skip := range 2 {
		if b, _ := hex.DecodeString(run[min(skip, len(run)):]); len(b) >= leastHidden { // up to what is no digit
			list = append(list, string(b))
		}
	}
	return list
}

// unescape takes one level of escapes off.
func (v *view) unescape() (next view, changed bool) {
	if !strings.ContainsAny(v.text, `\%&`) {
		return *v, false
	}
	var b strings.Builder
	from := make([]int, 0, len(v.text)+1)
	for at := 0; at < len(v.text); {
		decoded, n := escape(v.text[at:])
		if n == 0 {
			decoded, n = v.text[at:at+1], 1
		} else {
			changed = true
		}
		for range len(decoded) {
			from = append(from, v.span(at, at).from)
		}
		b.WriteString(decoded)
		at += n
	}
	end := len(v.text)
	return view{b.String(), append(from, v.span(end, end).from)}, changed
}

// escape decodes the escape at the beginning of s; n is its length, 0 when there is
// none.
func escape(s string) (decoded string, n int) {
	switch s[0] {
	case '%':
		return code(s, 1, 2, false)
	case '&':
		end := 1 // of the name; a semicolon behind it is often forgotten
		for end < min(len(s), 12) && (s[end] == '#' || strings.IndexByte(alphabet, s[end]) >= 0) {
			end++
		}
		if end < len(s) && s[end] == ';' {
			end++
		}
		if text := html.UnescapeString(s[:end]); text != s[:end] {
			return text, end
		}
	case '\\':
		if len(s) < 2 {
			return "", 0
		}
		switch s[1] {
		case 'u':
			return code(s, 2, 4, true)
		case 'x':
			return code(s, 2, 2, false)
		case '/', '"', '\\', '\'':
			return s[1:2], 2
		}
	}
	return "", 0
}

// code decodes so many hexadecimal digits behind the first skip bytes of s.
func code(s string, skip, digits int, character bool) (decoded string, n int) {
	if len(s) < skip+digits {
		return "", 0
	}
	c, err := strconv.ParseUint(s[skip:skip+digits], 16, 32)
	if err != nil {
		return "", 0
	}
	if character {
		return string(utf8.AppendRune(nil, rune(c))), skip + digits
	}
	return string([]byte{byte(c)}), skip + digits
}
