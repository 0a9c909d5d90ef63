// Package linematch finds the lines of a text that match a regular expression,
// fast enough to search a source tree while somebody waits.
//
//	m, err := linematch.Compile(`func \w+\(`, linematch.Options{})
//	if err != nil {
//		return err
//	}
//	s := m.Scanner()
//	s.Reset(text)
//	for start, end, ok := s.Next(); ok; start, end, ok = s.Next() {
//		fmt.Printf("%s\n", text[start:end])
//	}
//
// It tells that a line matches, not where in the line.
//
// # Syntax
//
// The syntax is that of package regexp, in the dialect that users of ripgrep
// know: \w, \d, \s and \b mean Unicode, \< and \> are word boundaries, sets may
// be nested and combined with &&, -- and ~~, and ^ and $ mean the ends of a line,
// $ also before a carriage return at its end. A match never reaches over a line.
//
// # How it works
//
// From the syntax tree comes a set of texts of which every match must hold one.
// If they are rare enough, they are looked for, each by its rarest byte, and only
// the lines around them are looked at. Otherwise, and for these lines, a
// deterministic automaton is run over the text, which is built while it runs, one
// transition at a time, and thrown away when it grows too large.
package linematch
