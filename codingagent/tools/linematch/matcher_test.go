package linematch

import (
	"bytes"
	"fmt"
	"regexp"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// matching lists the lines of text that a pattern matches.
func matching(t testing.TB, pattern string, o Options, text string) []string {
	t.Helper()
	m, err := Compile(pattern, o)
	if err != nil {
		t.Fatalf("%q: %v", pattern, err)
	}
	return lines(m.Scanner(), text)
}

func lines(s *Scanner, text string) (found []string) {
	s.Reset([]byte(text))
	for start, end, ok := s.Next(); ok; start, end, ok = s.Next() {
		found = append(found, text[start:end])
	}
	return found
}

func TestLines(t *testing.T) {
	t.Parallel()
	fold, literal := Options{IgnoreCase: true}, Options{Literal: true}
	for _, c := range []struct {
		pattern string
		o       Options
		text    string
		want    string // matching lines, joined by |
	}{
		{"b", Options{}, "abc\nxyz\nb\n", "abc|b"},
		{"b", Options{}, "", ""},
		{"", Options{}, "a\n\nb", "a||b"},
		{"", Options{}, "", ""},
		{"^$", Options{}, "a\n\n\r\nb\n", "|\r"},
		{"^a", Options{}, "ab\nba\na", "ab|a"},
		{"a$", Options{}, "ba\nab\na\r\n\ra\rb\n", "ba|a\r"},
		{"\\Aa|b\\z", Options{}, "ab\nba\ncb\n", "ab|cb"},
		{"a.c", Options{}, "abc\na\nc\naéc\na\xffc\n", "abc|aéc|a\xffc"},
		{"x*", Options{}, "a\n", "a"},
		{"a{2,3}b", Options{}, "ab\naab\naaab\n", "aab|aaab"},
		{"(?i)straße|\\bK\\b", Options{}, "STRAßE\n\u212a\nkk\n", "STRAßE|\u212a"},
		{"error", fold, "Error\nERRORS\nerr\n", "Error|ERRORS"},
		{"mask", fold, "MASK\nma\u017fk\nmas\u212a\nmast\n", "MASK|ma\u017fk|mas\u212a"},
		{"a.b(", literal, "a.b(\naxb(\n", "a.b("},
		{"A.B[", Options{Literal: true, IgnoreCase: true}, "a.b[\n", "a.b["},
		{"foo|bar|foobar", Options{}, "foo\nba\nbar\nxfoobarx\n", "foo|bar|xfoobarx"},
		{"foo|bar", fold, "FOO\nba\nBar\n", "FOO|Bar"},
		{"err(or)? != nil", Options{}, "err != nil\nerror != nil\nerrs != nil\n", "err != nil|error != nil"},
		{"func (\\w+)\\(", Options{}, "func é(\nfunc a b(\n", "func é("},
		{"\\d", Options{}, "1\n\u0661\na\n", "1|\u0661"},
		{"^\\s+$", Options{}, " \n\u00a0\t\na\n", " |\u00a0\t"},
		{"^\\W$", Options{}, "-\né\na\n", "-"},
		{"\\bé\\b", Options{}, "a é b\naéb\né", "a é b|é"},
		{"\\Bb", Options{}, "ab\nb\néb\n", "ab|éb"},
		{"\\<word\\>", Options{}, "a word.\nwords\n", "a word."},
		{"\\b{start}word\\b{end}", Options{}, "a word.\nwords\n", "a word."},
		{"[\\w-]+@", Options{}, "a-é@\n @\n", "a-é@"},
		{"^[^\\W_]+$", Options{}, "ab1\na_b\na-b\n", "ab1"},
		{"^[a-z&&[^aeiou]]+$", Options{}, "xyz\nxaz\n", "xyz"},
		{"^[a-z--[aeiou]]+$", Options{}, "xyz\nxaz\n", "xyz"},
		{"^[a-m~~g-z]+$", Options{}, "az\nahz\n", "az"},
		{"^[[:digit:]x[yz]]+$", Options{}, "1xy\n1a\n", "1xy"},
		{"^[]a]+$", Options{}, "]a\nb\n", "]a"},
		{"^[^]a]+$", Options{}, "]a\nb\n", "b"},
		{"^[-a-c]+$", Options{}, "-b\nd\n", "-b"},
		{"^[a-]+$", Options{}, "-a\nb\n", "-a"},
		{"^[+--]+$", Options{}, "+-\n+,\n", "+-"},
		{"^[\\[\\]]+$", Options{}, "[]\na\n", "[]"},
		{"^[^a]$", fold, "A\nb\n", "b"},
		{"\\u00e9|\\x{e9}|\\U000000e9|\\u{E9}", Options{}, "é\ne\n", "é"},
		{"^\\p{Greek}+$", Options{}, "αβ\nab\n", "αβ"},
		{"^\\p{Uppercase_Letter}\\PL$", Options{}, "A1\na1\nAb\n", "A1"},
		{"a{,2}b$", Options{}, "aab\nb\n", "aab|b"},
		{"\\x0a", Options{}, "a\nb\n", ""},
		{"a[\\n,]b", Options{}, "a\nb\na,b\n", "a,b"},
		{"[\\s,]", Options{}, "ab\na,b\n", "a,b"},
		{"zz.*[\\n]|q", Options{}, "zz\nq\n", "q"},
		{"func main() {", Options{}, "func main {\n", "func main {"},
	} {
		if got := strings.Join(matching(t, c.pattern, c.o, c.text), "|"); got != c.want {
			t.Errorf("%q %+v on %q: %q, want %q", c.pattern, c.o, c.text, got, c.want)
		}
	}
}

func TestErrors(t *testing.T) {
	t.Parallel()
	for pattern, want := range map[string]string{
		"foo(":        `pattern "foo(": missing closing ): foo(`,
		"a\nb":        "the pattern holds a line break, and a match can not reach over a line; search for one of its lines",
		`a\nb`:        `pattern "a\\nb": \n can not match, as a match can not reach over a line`,
		"a[":          `pattern "a[": a [ is not closed; write \[ for a bracket, or search for literal text`,
		"[z-a]":       `pattern "[z-a]": the range z-a in its set goes nowhere`,
		"(?=a)":       `pattern "(?=a)": look-around is not supported: (?=`,
		`(a)\1`:       `pattern "(a)\\1": back references are not supported: \1`,
		"*a":          `pattern "*a": missing argument to repetition operator: *`,
		`a\`:          `pattern "a\\": it ends in a backslash`,
		`\p{Klingon}`: `pattern "\\p{Klingon}": there is no property Klingon`,
		`\u12`:        `pattern "\\u12": \u12 names no character`,
		"a{2000}":     `pattern "a{2000}": invalid repeat count: {2000}`,
	} {
		if _, err := Compile(pattern, Options{}); err == nil || err.Error() != want {
			t.Errorf("%q: %v\nwant %s", pattern, err, want)
		}
	}
}

// The strategy that is chosen.
func TestNeedles(t *testing.T) {
	t.Parallel()
	for pattern, want := range map[string]string{
		"gomaxprocs":           "exact gomaxprocs",
		"err != nil":           "exact err != nil",
		`[a-z]+_test\.go`:      "_test.go",
		"foo|bar":              "exact foo,bar",
		"func (get|set)Config": "exact func getConfig,func setConfig",
		`\bfunc\s+\w+Error\(`:  "Error(",
		"(?i)gomaxprocs":       "gomaxproc",
		"(?i)(foo|bar)_config": "exact foo_config,bar_config",
		"(abc)+":               "abc",
		"_(b|c)?z":             "exact _bz,_cz,_z",
		"x.*(foo|ba[rz])":      "x",
		`[A-Z]{5}[0-9]{2}`:     "",
		"e":                    "exact e",
		`\w+\s+\w+`:            "",
		"(?i)e|t|a|o|n|r|i":    "",
		"colou?r":              "exact colour,color",
	} {
		m, err := Compile(pattern, Options{})
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		if m.needles != nil {
			for i, c := range m.needles.cursors {
				if i == 0 || m.needles.cursors[i-1].needle != c.needle {
					got = append(got, string(c.needle.text))
				}
			}
			if text := strings.Join(got, ","); m.needles.exact {
				got = []string{"exact " + text}
			}
		}
		if strings.Join(got, ",") != want {
			t.Errorf("%s: looks for %q, want %q", pattern, strings.Join(got, ","), want)
		}
	}
}

// plainPattern draws a pattern that package regexp and this one mean the same by.
func plainPattern(t *rapid.T) string {
	atom := rapid.SampledFrom([]string{
		"a", "b", "ab", "abc", "x", "-", ".", "[ab]", "[^a]", "[a-c]", "^", "$", `\b`, `\B`, "é", "東", `\.`, "zq", "(?i:a)", "(?i:qz)", `[^\x{e9}]`,
	})
	var expr func(depth int) string
	expr = func(depth int) string {
		switch kind := rapid.IntRange(0, 9).Draw(t, "kind"); {
		case depth == 0 || kind < 4:
			return atom.Draw(t, "atom")
		case kind < 7:
			return expr(depth-1) + expr(depth-1)
		case kind < 8:
			return "(" + expr(depth-1) + "|" + expr(depth-1) + ")"
		default:
			return "(" + expr(depth-1) + ")" + rapid.SampledFrom([]string{"*", "+", "?", "{2}", "{1,3}", "*?"}).Draw(t, "repeat")
		}
	}
	return expr(4)
}

// oracle is what package regexp says about the lines of a text.
func oracle(re *regexp.Regexp, text string) (found []string) {
	all := strings.SplitAfter(text, "\n")
	if all[len(all)-1] == "" {
		all = all[:len(all)-1]
	}
	for _, line := range all {
		line = strings.TrimSuffix(line, "\n")
		if re.MatchString(line) || re.MatchString(strings.TrimSuffix(line, "\r")) && strings.HasSuffix(line, "\r") {
			found = append(found, line)
		}
	}
	return found
}

func TestAgainstRegexp(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		pattern := plainPattern(t)
		o := Options{IgnoreCase: rapid.Bool().Draw(t, "ignore case")}
		flags := "(?m)"
		if o.IgnoreCase {
			flags = "(?mi)"
		}
		re, err := regexp.Compile(flags + pattern)
		m, err2 := Compile(pattern, o)
		if (err == nil) != (err2 == nil) {
			t.Fatalf("%q: %v, regexp says %v", pattern, err2, err)
		}
		if err != nil {
			return
		}
		s := m.Scanner()
		for range 3 {
			// No word characters beyond ASCII beside \b, which regexp sees otherwise.
			word := rapid.SampledFrom([]string{"a", "b", "c", "ab", "abc", "x", "-", " ", "A", "zq", "ZQ", "qZ", "\n", "\n", "\r", "\r\n", "."})
			if !strings.Contains(strings.ToLower(pattern), `\b`) {
				word = rapid.OneOf(word, rapid.SampledFrom([]string{"é", "É", "東", "\u212a", "\xff", "\xe6\x9d"}))
			}
			text := strings.Join(rapid.SliceOfN(word, 0, 30).Draw(t, "text"), "")
			got, want := lines(s, text), oracle(re, text)
			if fmt.Sprintf("%q", got) != fmt.Sprintf("%q", want) {
				t.Fatalf("%q %+v on %q:\n got %q\nwant %q", pattern, o, text, got, want)
			}
		}
	})
}

func FuzzMatch(f *testing.F) {
	f.Add("a|b$", "ab\r\nb\n", false)
	f.Add("[^a-c]+x{2,3}", "ddxxx\n\xff", true)
	f.Add("(?i)k\\Bs", "\u212a\u017f\n", false)
	f.Fuzz(func(t *testing.T, pattern, text string, ignoreCase bool) {
		if len(pattern) > 60 || strings.ContainsAny(pattern, `\[`) || strings.Contains(pattern, "{,") || strings.Contains(pattern, "(?") {
			return // what the two may see differently
		}
		m, err := Compile(pattern, Options{IgnoreCase: ignoreCase})
		flags := "(?m)"
		if ignoreCase {
			flags = "(?mi)"
		}
		re, err2 := regexp.Compile(flags + pattern)
		if strings.Contains(pattern, "\n") || err != nil || err2 != nil {
			if err == nil != (err2 == nil) && !strings.Contains(pattern, "\n") {
				t.Fatalf("%q: %v, regexp says %v", pattern, err, err2)
			}
			return
		}
		got, want := lines(m.Scanner(), text), oracle(re, text)
		if fmt.Sprintf("%q", got) != fmt.Sprintf("%q", want) {
			t.Fatalf("%q on %q:\n got %q\nwant %q", pattern, text, got, want)
		}
	})
}

// Any pattern at all is refused or works.
func FuzzTranslate(f *testing.F) {
	f.Add(`[\w&&[^a--\p{Greek}]~~[:digit:]]\b{start}\u{e9}{,3}`)
	f.Add(`[^]-\]\x{41}-Z[:^alpha:]`)
	f.Add(`\PL[\W\D]\<`)
	f.Fuzz(func(t *testing.T, pattern string) {
		m, err := Compile(pattern, Options{})
		if err == nil {
			lines(m.Scanner(), "abc é\n\r\n\xff")
		}
	})
}

// A pattern with more states than are kept still gives the right answer.
func TestManyStates(t *testing.T) {
	t.Parallel()
	pattern := "[ab]*a[ab]{14}c"
	m, err := Compile(pattern, Options{})
	if err != nil {
		t.Fatal(err)
	}
	re := regexp.MustCompile(pattern)
	var text bytes.Buffer
	seed := uint32(1)
	for range 3000 {
		for range 40 {
			seed = seed*1664525 + 1013904223
			text.WriteByte("aabbabac"[seed>>29])
		}
		text.WriteByte('\n')
	}
	s := m.Scanner()
	s.dfa.clear()
	gen := s.dfa.gen
	got, want := lines(s, text.String()), oracle(re, text.String())
	if len(got) == 0 || fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("%d lines, want %d", len(got), len(want))
	}
	if s.dfa.gen == gen {
		t.Error("the table was never thrown away")
	}
}

func ExampleCompile() {
	m, err := Compile(`func \w+\(`, Options{})
	if err != nil {
		fmt.Println(err)
		return
	}
	text := []byte("package main\n\nfunc main() {\n}\n")
	s := m.Scanner()
	s.Reset(text)
	for start, end, ok := s.Next(); ok; start, end, ok = s.Next() {
		fmt.Printf("%s\n", text[start:end])
	}
	// Output: func main() {
}
