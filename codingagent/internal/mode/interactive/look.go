package interactive

import (
	"sync/atomic"

	"github.com/pi-go/pi/tui"
	"github.com/pi-go/pi/tui/diffview"
	"github.com/pi-go/pi/tui/highlight"
	"github.com/pi-go/pi/tui/markdown"
	"github.com/pi-go/pi/tui/term"
	"github.com/pi-go/pi/tui/text"
	"github.com/pi-go/pi/tui/theme"
)

// look is how everything looks: a theme in the colours that the terminal can
// show. All components share one; a change of it is followed by a redraw.
type look struct {
	depth    term.Depth
	now      atomic.Pointer[theme.Theme] // the one in force, for any goroutine
	theme    *theme.Theme
	md       markdown.Theme
	thinking markdown.Theme
	diff     diffview.Theme
	syntax   highlight.Styles
	list     tui.ListStyle
}

func (l *look) set(t *theme.Theme) {
	l.theme = t.For(l.depth)
	l.now.Store(l.theme)
	fg := l.theme.Fg
	l.syntax = l.theme.Syntax()
	l.md = markdown.Theme{
		Text: fg("text"), Heading: bold(fg("mdHeading")), Link: underlined(fg("mdLink")), LinkURL: fg("mdLinkUrl"), Code: fg("mdCode"),
		CodeBlock: fg("mdCodeBlock"), CodeBlockBorder: fg("mdCodeBlockBorder"),
		Quote: fg("mdQuote"), QuoteBorder: fg("mdQuoteBorder"), Rule: fg("mdHr"), ListBullet: fg("mdListBullet"),
		TableBorder: fg("borderMuted"), Syntax: l.syntax, Diagram: markdown.DiagramOf(l.theme),
	}
	quiet := fg("thinkingText")
	quiet.Attr |= text.Italic
	l.thinking = markdown.Theme{
		Text: quiet, Heading: bold(quiet), Link: quiet, LinkURL: quiet, Code: quiet, CodeBlock: quiet, CodeBlockBorder: quiet,
		Quote: quiet, QuoteBorder: quiet, Rule: quiet, ListBullet: quiet, TableBorder: quiet,
	}
	l.diff = diffview.Theme{
		Added: fg("toolDiffAdded"), Removed: fg("toolDiffRemoved"), Context: fg("toolDiffContext"),
		AddedWord: inverse(fg("toolDiffAdded")), RemovedWord: inverse(fg("toolDiffRemoved")),
		Number: fg("dim"), Gap: fg("dim"), Info: fg("muted"),
	}
	l.list = tui.ListStyle{Selected: bold(fg("accent")), Description: fg("muted"), Match: underlined(text.Style{}), Hint: fg("dim")}
}

func bold(s text.Style) text.Style    { s.Attr |= text.Bold; return s }
func inverse(s text.Style) text.Style { s.Attr |= text.Inverse; return s }

func underlined(s text.Style) text.Style { s.Underline = text.UnderlineSingle; return s }

// fg renders a text in the colour of a token.
func (l *look) fg(token, s string) string { return l.theme.Fg(token).Render(s) }

// bold renders a text in the colour of a token, and bold.
func (l *look) bold(token, s string) string { return bold(l.theme.Fg(token)).Render(s) }

// themeFor gives the theme of a setting: a name, or a pair of which one is for
// dark terminals. extra are those of files. ok is false when there is none of
// that name; the theme is then the terminal's own.
func themeFor(setting string, c term.Capabilities, extra map[string]*theme.Theme) (t *theme.Theme, ok bool) {
	own := func() *theme.Theme {
		return theme.System(theme.Palette{Foreground: c.Foreground, Background: c.Background}, c.Dark)
	}
	name, err := theme.Select(setting, c.Dark)
	if err != nil {
		return own(), false
	}
	switch name {
	case "system", "":
		return own(), true
	case "dark":
		return theme.Dark(), true
	case "light":
		return theme.Light(), true
	case "high-contrast-dark":
		return theme.HighContrast(true), true
	case "high-contrast-light":
		return theme.HighContrast(false), true
	}
	if t := extra[name]; t != nil {
		return t, true
	}
	return own(), false
}
