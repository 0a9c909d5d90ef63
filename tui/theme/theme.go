// Package theme holds colours by name: themes are data, read from JSON files.
//
//	th, err := theme.Parse(data)
//	th = th.For(term.Colors256)     // what the terminal can show
//	th.Fg("accent").Render("hello")
//	th.Bg("selectedBg").Paint(line)
//
// A file has a name, colours for every token, and variables to write them with:
//
//	{"name": "mine", "vars": {"blue": "#4af"}, "colors": {"accent": "blue", ...}}
//
// A colour is "#rgb", "#rrggbb", "oklch(L% C H)", "okhsl(H S% L%)", a number
// from 0 to 255 of the terminal's palette, the name of a variable, or "" for the
// terminal's own colour. [Dark], [Light] and [HighContrast] are built in, and
// [System] makes a theme of the colours of the terminal itself.
//
// The tokens for any program are text, dim, muted, accent, success, error and
// warning, border, borderAccent and borderMuted, selectedBg, scrollbarTrack and
// scrollbarThumb, searchMatchBg and searchMatchText. Those that begin with md are for
// documents, toolDiff for differences, syntax for program text; functions named
// ThemeOf in the packages that draw these take them. The others are those of a chat
// with an agent: its messages, tools, and levels of thinking. [Theme.Tokens] lists
// all. A name that is no token is no error: it has the terminal's own colour.
package theme

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/pi-go/pi/tui/highlight"
	"github.com/pi-go/pi/tui/term"
	"github.com/pi-go/pi/tui/text"
)

// Theme is a set of colours. Its methods may be called from several goroutines.
type Theme struct {
	name   string
	dark   bool
	colors map[string]text.Color
	export map[string]text.Color
}

// Name returns the theme's name.
func (t *Theme) Name() string { return t.name }

// Dark reports whether the theme is for dark backgrounds.
func (t *Theme) Dark() bool { return t.dark }

// Color returns the colour of a token; the terminal's own for unknown ones.
func (t *Theme) Color(token string) text.Color { return t.colors[token] }

// Has reports whether there is a token of that name.
func (t *Theme) Has(token string) bool {
	_, ok := t.colors[token]
	return ok
}

// Tokens returns the names of all colours, in the order of the alphabet.
func (t *Theme) Tokens() []string { return slices.Sorted(maps.Keys(t.colors)) }

// Export returns a colour for exported pages: "pageBg", "cardBg" or "infoBg".
func (t *Theme) Export(name string) (text.Color, bool) {
	c, ok := t.export[name]
	return c, ok
}

// Fg returns the style that has a token's colour as its foreground.
func (t *Theme) Fg(token string) text.Style { return text.Style{Fg: t.colors[token]} }

// Bg returns the style that has a token's colour as its background.
func (t *Theme) Bg(token string) text.Style { return text.Style{Bg: t.colors[token]} }

// Style returns a style of two tokens, of which each may be "".
func (t *Theme) Style(fg, bg string, attr text.Attr) text.Style {
	return text.Style{Fg: t.colors[fg], Bg: t.colors[bg], Attr: attr}
}

// For returns the theme with colours that a terminal of a depth can show.
func (t *Theme) For(d term.Depth) *Theme {
	if d == term.TrueColor {
		return t
	}
	c := *t
	c.colors = make(map[string]text.Color, len(t.colors))
	for k, v := range t.colors {
		c.colors[k] = d.Convert(v)
	}
	return &c
}

// Syntax returns the styles of program text.
func (t *Theme) Syntax() highlight.Styles {
	return highlight.Styles{
		highlight.Comment: t.Fg("syntaxComment"), highlight.Keyword: t.Fg("syntaxKeyword"), highlight.Function: t.Fg("syntaxFunction"),
		highlight.Variable: t.Fg("syntaxVariable"), highlight.String: t.Fg("syntaxString"), highlight.Number: t.Fg("syntaxNumber"),
		highlight.Type: t.Fg("syntaxType"), highlight.Operator: t.Fg("syntaxOperator"), highlight.Punctuation: t.Fg("syntaxPunctuation"),
		highlight.Inserted: t.Fg("toolDiffAdded"), highlight.Deleted: t.Fg("toolDiffRemoved"), highlight.Heading: t.Fg("mdHeading"),
	}
}

// required are the tokens that every theme file must have.
const required = `accent border borderAccent borderMuted success error warning muted dim text thinkingText
selectedBg
userMessageBg userMessageText customMessageBg customMessageText customMessageLabel
toolPendingBg toolSuccessBg toolErrorBg toolTitle toolOutput
mdHeading mdLink mdLinkUrl mdCode mdCodeBlock mdCodeBlockBorder mdQuote mdQuoteBorder mdHr mdListBullet
toolDiffAdded toolDiffRemoved toolDiffContext
syntaxComment syntaxKeyword syntaxFunction syntaxVariable syntaxString syntaxNumber syntaxType syntaxOperator syntaxPunctuation
thinkingOff thinkingMinimal thinkingLow thinkingMedium thinkingHigh thinkingXhigh bashMode`

// optional are tokens that a file may have, each with the one that stands in.
var optional = [][2]string{
	{"scrollbarTrack", "muted"}, {"scrollbarThumb", "text"}, {"searchMatchBg", "selectedBg"}, {"searchMatchText", "text"}, {"thinkingMax", "thinkingXhigh"},
}

// file is a theme as it is written.
type file struct {
	Schema     string             `json:"$schema"`
	Name       string             `json:"name"`
	Appearance string             `json:"appearance"`
	Vars       map[string]literal `json:"vars"`
	Colors     map[string]literal `json:"colors"`
	Export     map[string]literal `json:"export"`
}

// literal is a colour as it is written: a string or a number.
type literal string

// UnmarshalJSON takes a string or an integer from 0 to 255.
func (l *literal) UnmarshalJSON(b []byte) error {
	var s string
	if err := json.Unmarshal(b, &s); err == nil {
		*l = literal(s)
		return nil
	}
	var n int
	if err := json.Unmarshal(b, &n); err != nil || n < 0 || n > 255 {
		return fmt.Errorf("colour %s: use a string, or a number from 0 to 255", b)
	}
	*l = literal(fmt.Sprintf("ansi:%d", n))
	return nil
}

// Parse reads a theme file. Errors say what is wrong and where.
func Parse(data []byte) (*Theme, error) {
	var f file
	dec := json.NewDecoder(bytes.NewReader(data))
	dec.DisallowUnknownFields()
	if err := dec.Decode(&f); err != nil {
		return nil, fmt.Errorf("read theme: %w", err)
	}
	switch {
	case f.Name == "":
		return nil, fmt.Errorf("read theme: it has no name")
	case strings.Contains(f.Name, "/"):
		return nil, fmt.Errorf("theme %q: a name can not have a slash", f.Name)
	case f.Name == "system":
		return nil, fmt.Errorf("theme %q: the name is reserved", f.Name)
	case f.Appearance != "" && f.Appearance != "dark" && f.Appearance != "light":
		return nil, fmt.Errorf("theme %q: appearance %q: use dark or light", f.Name, f.Appearance)
	}
	t := &Theme{name: f.Name, colors: map[string]text.Color{}, export: map[string]text.Color{}}
	known := map[string]bool{}
	var missing []string
	for token := range strings.FieldsSeq(required) {
		known[token] = true
		if _, ok := f.Colors[token]; !ok {
			missing = append(missing, token)
		}
	}
	if len(missing) > 0 {
		return nil, fmt.Errorf("theme %q: colours are missing: %s", f.Name, strings.Join(missing, ", "))
	}
	for _, o := range optional {
		known[o[0]] = true
	}
	for _, token := range slices.Sorted(maps.Keys(f.Colors)) {
		if !known[token] {
			return nil, fmt.Errorf("theme %q: there is no colour %q", f.Name, token)
		}
		c, err := resolve(f.Vars, string(f.Colors[token]), nil)
		if err != nil {
			return nil, fmt.Errorf("theme %q: colour %q: %w", f.Name, token, err)
		}
		t.colors[token] = c
	}
	for _, o := range optional {
		if _, ok := f.Colors[o[0]]; !ok {
			t.colors[o[0]] = t.colors[o[1]]
		}
	}
	for _, name := range slices.Sorted(maps.Keys(f.Export)) {
		if name != "pageBg" && name != "cardBg" && name != "infoBg" {
			return nil, fmt.Errorf("theme %q: export has no colour %q; it may have pageBg, cardBg, infoBg", f.Name, name)
		}
		c, err := resolve(f.Vars, string(f.Export[name]), nil)
		if err != nil {
			return nil, fmt.Errorf("theme %q: export %q: %w", f.Name, name, err)
		}
		t.export[name] = c
	}
	switch f.Appearance {
	case "dark":
		t.dark = true
	case "":
		t.dark = t.looksDark()
	}
	return t, nil
}

// looksDark guesses from the lightness of the colours: dark themes have light
// text.
func (t *Theme) looksDark() bool {
	for _, token := range []string{"userMessageBg", "toolPendingBg", "selectedBg"} {
		if r, g, b, ok := t.colors[token].RGB(); ok {
			return luminance(r, g, b) < 0.3
		}
	}
	if r, g, b, ok := t.colors["text"].RGB(); ok {
		return luminance(r, g, b) > 0.3
	}
	return true
}

// resolve turns a literal into a colour, through variables.
func resolve(vars map[string]literal, s string, seen []string) (text.Color, error) {
	if c, ok, err := ParseColor(s); ok || err != nil {
		return c, err
	}
	v, ok := vars[s]
	if !ok {
		return 0, fmt.Errorf("%q is no colour and no variable", s)
	}
	if slices.Contains(seen, s) {
		return 0, fmt.Errorf("the variables %s refer to each other", strings.Join(append(seen, s), ", "))
	}
	return resolve(vars, string(v), append(seen, s))
}
