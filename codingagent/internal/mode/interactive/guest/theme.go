package guest

import (
	"github.com/pi-go/pi/codingagent/extension"
	"github.com/pi-go/pi/tui/text"
	"github.com/pi-go/pi/tui/theme"
)

// Theme makes a theme for extensions. current gives the theme in force, from any
// goroutine, so that one that an extension keeps follows the person's choice.
func Theme(current func() *theme.Theme) extension.Theme { return painter(current) }

// ThemeOf gives what is behind a theme that [Theme] has made; ok is false for others.
func ThemeOf(t extension.Theme) (own *theme.Theme, ok bool) {
	p, ok := t.(painter)
	if !ok {
		return nil, false
	}
	return p(), true
}

type painter func() *theme.Theme

func (p painter) Name() string { return p().Name() }
func (p painter) Dark() bool   { return p().Dark() }

func (p painter) Foreground(token, s string) string { return p().Fg(token).Paint(s) }
func (p painter) Background(token, s string) string { return p().Bg(token).Paint(s) }

func (painter) Bold(s string) string   { return text.Style{Attr: text.Bold}.Paint(s) }
func (painter) Italic(s string) string { return text.Style{Attr: text.Italic}.Paint(s) }
func (painter) Strikethrough(s string) string {
	return text.Style{Attr: text.Strike}.Paint(s)
}

func (painter) Underline(s string) string {
	return text.Style{Underline: text.UnderlineSingle}.Paint(s)
}
