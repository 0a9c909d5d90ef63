package interactive

import (
	"strings"
	"time"

	"github.com/pi-go/pi/codingagent/settings"
	"github.com/pi-go/pi/tui"
	"github.com/pi-go/pi/tui/term"
)

// access is what a person, or a terminal, needs to be otherwise than usual.
type access struct {
	still bool // nothing moves
	ascii bool // signs are drawn in ASCII
}

// accessOf reads the settings, and the variables that count more.
func accessOf(t settings.Terminal, getenv func(string) string) access {
	return access{
		still: switched(getenv("PI_REDUCED_MOTION"), t.ReducedMotion),
		ascii: switched(getenv("PI_ASCII"), t.ASCII),
	}
}

// PlainSigns reports whether signs such as dashes and arrows are to be shown in ASCII:
// by the settings, by PI_ASCII, or because the locale has nothing else.
func PlainSigns(t settings.Terminal, getenv func(string) string) bool {
	return accessOf(t, getenv).ascii || term.FactsOf(getenv).ASCII
}

// switched is what a variable says, or else a setting.
func switched(variable string, setting bool) bool {
	switch strings.ToLower(variable) {
	case "1", "true", "yes", "on":
		return true
	case "0", "false", "no", "off":
		return false
	}
	return setting
}

// loader makes the sign that something is under way. One that must not move is
// drawn again each second, for the time beside it.
func (a access) loader(p *tui.Program) *tui.Loader {
	l := tui.NewLoader(p, "")
	if a.still {
		l.Frames, l.Interval = []string{"•", "•"}, time.Second
	}
	return l
}

// depthOf is how many colours are used: what is known of the terminal, unless the
// settings or PI_TRUE_COLOR know better. Whoever wants no colour gets none.
func depthOf(f term.Facts, setting string, getenv func(string) string) term.Depth {
	if f.Depth == term.NoColor {
		return f.Depth
	}
	if setting == "auto" || setting == "" {
		switch getenv("PI_TRUE_COLOR") {
		case "1":
			setting = "true"
		case "0":
			setting = "false"
		}
	}
	switch setting {
	case "true":
		return term.TrueColor
	case "false":
		return min(f.Depth, term.Colors256)
	}
	return f.Depth
}

// imagesOf is how images are shown: as the terminal says it can, unless the settings
// or PI_IMAGE_PROTOCOL know better.
func imagesOf(c term.Capabilities, t settings.Terminal, getenv func(string) string) term.Images {
	way := t.Images
	if way == "auto" || way == "" || way == "true" {
		way = getenv("PI_IMAGE_PROTOCOL")
	}
	switch {
	case !t.ShowImages, way == "false", way == "none":
		return term.NoImages
	case way == "kitty":
		return term.KittyImages
	case way == "iterm2":
		return term.ITermImages
	}
	return c.Images
}
