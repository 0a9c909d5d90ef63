package theme

import (
	_ "embed"
	"fmt"
	"math"
	"strings"
	"sync"

	"github.com/pi-go/pi/tui/term"
	"github.com/pi-go/pi/tui/text"
)

//go:embed dark.json
var darkJSON []byte

//go:embed light.json
var lightJSON []byte

//go:embed high-contrast-dark.json
var contrastDarkJSON []byte

//go:embed high-contrast-light.json
var contrastLightJSON []byte

var builtin = sync.OnceValue(func() [4]*Theme {
	var out [4]*Theme
	for i, data := range [][]byte{darkJSON, lightJSON, contrastDarkJSON, contrastLightJSON} {
		t, err := Parse(data)
		if err != nil {
			panic(fmt.Sprintf("a built-in theme is broken: %v", err)) // a test parses them all
		}
		out[i] = t
	}
	return out
})

// Dark returns the built-in theme for dark backgrounds.
func Dark() *Theme { return builtin()[0] }

// Light returns the built-in theme for light backgrounds.
func Light() *Theme { return builtin()[1] }

// HighContrast returns the built-in theme whose text has a contrast of at least 7
// to its backgrounds, and to black or white: the one for dark backgrounds, or for
// light ones.
func HighContrast(dark bool) *Theme {
	if dark {
		return builtin()[2]
	}
	return builtin()[3]
}

// Palette is what a terminal tells of its colours. Colours that it did not tell
// are the zero Color.
type Palette struct {
	Foreground, Background text.Color
	ANSI                   [16]text.Color
}

// PaletteOf returns what a terminal has told.
func PaletteOf(c term.Capabilities) Palette {
	return Palette{Foreground: c.Foreground, Background: c.Background, ANSI: c.Palette}
}

// System returns a theme of the terminal's own colours. What the terminal did
// not tell is taken from its palette by index, of which every terminal has some
// colour. Body text has a contrast of at least 4.5 to the backgrounds that the
// theme makes.
func System(p Palette, dark bool) *Theme {
	base := Light()
	if dark {
		base = Dark()
	}
	t := &Theme{name: "system", dark: dark, colors: map[string]text.Color{}, export: map[string]text.Color{}}
	ansi := func(n int) text.Color {
		c := p.ANSI[n]
		if c.IsDefault() {
			return text.Indexed(uint8(n))
		}
		if !p.Background.IsDefault() {
			return readable(c, p.Background, p.Foreground, 3)
		}
		return c
	}
	shade := func(part float64, tint text.Color, strength float64) text.Color {
		if p.Background.IsDefault() || p.Foreground.IsDefault() {
			return 0
		}
		c := mix(p.Background, p.Foreground, part)
		if _, _, _, ok := tint.RGB(); ok {
			c = mix(c, tint, strength)
		}
		// Text on it must stay readable.
		for range 20 {
			if Contrast(p.Foreground, c) >= min(4.5, Contrast(p.Foreground, p.Background)) {
				break
			}
			c = mix(c, p.Background, 0.25)
		}
		return c
	}
	const red, green, yellow, blue, magenta, cyan, gray = 1, 2, 3, 4, 5, 6, 8
	muted := ansi(gray)
	if !p.Background.IsDefault() && !p.Foreground.IsDefault() {
		muted = readable(mix(p.Foreground, p.Background, 0.4), p.Background, p.Foreground, 3)
	}
	by := map[string]text.Color{
		"accent": ansi(blue), "border": muted, "borderAccent": ansi(blue), "borderMuted": muted,
		"success": ansi(green), "error": ansi(red), "warning": ansi(yellow), "muted": muted, "dim": muted, "text": 0, "thinkingText": muted,
		"selectedBg": shade(0.12, p.ANSI[blue], 0.2), "searchMatchBg": shade(0.1, p.ANSI[yellow], 0.35), "searchMatchText": 0,
		"userMessageBg": shade(0.08, 0, 0), "customMessageBg": shade(0.06, p.ANSI[magenta], 0.1), "customMessageLabel": ansi(magenta),
		"toolPendingBg": shade(0.05, 0, 0), "toolSuccessBg": shade(0.05, p.ANSI[green], 0.08), "toolErrorBg": shade(0.05, p.ANSI[red], 0.1),
		"toolOutput": muted, "mdHeading": ansi(yellow), "mdLink": ansi(blue), "mdLinkUrl": muted, "mdCode": ansi(cyan), "mdCodeBlockBorder": muted,
		"mdQuote": muted, "mdQuoteBorder": muted, "mdHr": muted, "mdListBullet": ansi(cyan),
		"toolDiffAdded": ansi(green), "toolDiffRemoved": ansi(red), "toolDiffContext": muted,
		"syntaxComment": muted, "syntaxKeyword": ansi(blue), "syntaxFunction": ansi(yellow), "syntaxVariable": ansi(cyan), "syntaxString": ansi(green),
		"syntaxNumber": ansi(magenta), "syntaxType": ansi(cyan), "syntaxOperator": 0, "syntaxPunctuation": muted,
		"thinkingOff": muted, "thinkingMinimal": muted, "thinkingLow": ansi(blue), "thinkingMedium": ansi(cyan), "thinkingHigh": ansi(magenta),
		"thinkingXhigh": ansi(red), "thinkingMax": ansi(red), "bashMode": ansi(green), "scrollbarTrack": muted, "scrollbarThumb": 0,
	}
	for token := range base.colors {
		t.colors[token] = by[token]
	}
	return t
}

// readable moves a colour towards the foreground until it has a contrast to the
// background.
func readable(c, background, foreground text.Color, contrast float64) text.Color {
	for range 10 {
		if got := Contrast(c, background); got == 0 || got >= contrast || math.IsNaN(got) {
			break
		}
		c = mix(c, foreground, 0.25)
	}
	return c
}

// Select returns the name in a setting that is either one name or a pair
// "light/dark" of which one is for each kind of terminal.
func Select(setting string, dark bool) (name string, err error) {
	first, second, pair := strings.Cut(setting, "/")
	if !pair {
		return setting, nil
	}
	if first == "" || second == "" || strings.Contains(second, "/") {
		return "", fmt.Errorf("theme %q: use one name, or two with a slash: light/dark", setting)
	}
	if dark {
		return second, nil
	}
	return first, nil
}
