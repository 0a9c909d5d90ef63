package term

import (
	"strings"

	"github.com/pi-go/pi/tui/text"
)

// Depth is how many colours a terminal shows.
type Depth uint8

// The depths, in the order of how much they can show.
const (
	NoColor Depth = iota
	Colors16
	Colors256
	TrueColor
)

// Facts are what the environment tells of a terminal.
type Facts struct {
	// Dumb tells that the terminal can not move the cursor, or that there is none.
	Dumb  bool
	Depth Depth
	// Multiplexer is "tmux" or "screen" inside one of them, else "".
	Multiplexer string
	// Program is the terminal's name if it gives one, in lower case.
	Program string
	// SSH tells that the terminal is on another machine.
	SSH bool
	// ASCII tells that the locale has no other characters.
	ASCII bool
	// Light tells that COLORFGBG names a light background; LightKnown that it
	// names any.
	Light, LightKnown bool
}

// FactsOf reads the environment.
func FactsOf(getenv func(string) string) Facts {
	name := strings.ToLower(getenv("TERM"))
	f := Facts{
		Program: strings.ToLower(getenv("TERM_PROGRAM")),
		SSH:     getenv("SSH_CONNECTION") != "" || getenv("SSH_TTY") != "",
	}
	windows := getenv("WT_SESSION") != "" || getenv("OS") == "Windows_NT"
	f.Dumb = name == "dumb" || name == "" && !windows
	switch {
	case getenv("TMUX") != "" || strings.HasPrefix(name, "tmux"):
		f.Multiplexer = "tmux"
	case strings.HasPrefix(name, "screen"):
		f.Multiplexer = "screen"
	}
	if f.Program == "" {
		switch {
		case getenv("KITTY_WINDOW_ID") != "":
			f.Program = "kitty"
		case getenv("WT_SESSION") != "":
			f.Program = "windows-terminal"
		case getenv("ITERM_SESSION_ID") != "":
			f.Program = "iterm.app"
		}
	}
	f.ASCII = plainLocale(getenv)
	f.Depth = depth(name, f, windows, getenv)
	if fgbg := getenv("COLORFGBG"); fgbg != "" {
		switch fgbg[strings.LastIndexByte(fgbg, ';')+1:] {
		case "7", "9", "10", "11", "12", "13", "14", "15":
			f.Light, f.LightKnown = true, true
		case "0", "1", "2", "3", "4", "5", "6", "8":
			f.LightKnown = true
		}
	}
	return f
}

func depth(name string, f Facts, windows bool, getenv func(string) string) Depth {
	if getenv("NO_COLOR") != "" { // https://no-color.org: any value but the empty one
		return NoColor
	}
	switch getenv("FORCE_COLOR") {
	case "":
	case "0", "false":
		return NoColor
	case "1", "true":
		return Colors16
	case "2":
		return Colors256
	default:
		return TrueColor
	}
	color := strings.ToLower(getenv("COLORTERM"))
	switch {
	case f.Dumb:
		return NoColor
	case strings.Contains(color, "truecolor") || strings.Contains(color, "24bit"):
		return TrueColor
	case f.Multiplexer == "screen":
		return Colors256
	case strings.Contains(name, "direct"), strings.Contains(name, "kitty"), strings.Contains(name, "ghostty"),
		strings.Contains(name, "alacritty"), strings.Contains(name, "wezterm"), strings.Contains(name, "foot"):
		return TrueColor
	case f.Multiplexer == "" && (windows || f.Program == "iterm.app" || f.Program == "wezterm" || f.Program == "ghostty" || f.Program == "vscode"):
		return TrueColor
	case strings.Contains(name, "256color"), strings.HasPrefix(name, "xterm"), f.Multiplexer == "tmux":
		return Colors256
	}
	return Colors16
}

// Convert returns the colour nearest to c that a terminal of a depth can show;
// the default colour for [NoColor].
func (d Depth) Convert(c text.Color) text.Color {
	if c.IsDefault() || d == NoColor {
		return 0
	}
	if n, ok := c.Index(); ok {
		if n < 16 || d >= Colors256 {
			return c
		}
		return nearest16(cube(n))
	}
	r, g, b, _ := c.RGB()
	switch d {
	case TrueColor:
		return c
	case Colors256:
		return nearest256(rgb{int(r), int(g), int(b)})
	}
	return nearest16(rgb{int(r), int(g), int(b)})
}

// ConvertStyle converts the colours of a style.
func (d Depth) ConvertStyle(st text.Style) text.Style {
	st.Fg, st.Bg, st.UnderlineColor = d.Convert(st.Fg), d.Convert(st.Bg), d.Convert(st.UnderlineColor)
	return st
}

type rgb struct{ r, g, b int }

// distance weighs the parts roughly as the eye does.
func (c rgb) distance(o rgb) int {
	dr, dg, db := c.r-o.r, c.g-o.g, c.b-o.b
	return 2*dr*dr + 4*dg*dg + 3*db*db
}

// cubeLevels are the parts that the colours 16 to 231 of the palette are made of.
var cubeLevels = [6]int{0, 95, 135, 175, 215, 255}

// cube returns the colour of an entry of the palette from 16 on.
func cube(n uint8) rgb {
	if n >= 232 {
		v := 8 + 10*int(n-232)
		return rgb{v, v, v}
	}
	i := int(n) - 16
	return rgb{cubeLevels[i/36], cubeLevels[i/6%6], cubeLevels[i%6]}
}

func nearest256(c rgb) text.Color {
	level := func(v int) int {
		best := 0
		for i, l := range cubeLevels {
			if abs(l-v) < abs(cubeLevels[best]-v) {
				best = i
			}
		}
		return best
	}
	n := uint8(16 + 36*level(c.r) + 6*level(c.g) + level(c.b))
	gray := min(max(((c.r+c.g+c.b)/3-3)/10, 0), 23)
	if g := uint8(232 + gray); cube(g).distance(c) < cube(n).distance(c) {
		n = g
	}
	return text.Indexed(n)
}

func abs(n int) int {
	if n < 0 {
		return -n
	}
	return n
}

// ansi16 are the sixteen colours as xterm shows them. Other terminals have other
// ones, so this is only near.
var ansi16 = [16]rgb{
	{0, 0, 0},
	{205, 0, 0},
	{0, 205, 0},
	{205, 205, 0},
	{0, 0, 238},
	{205, 0, 205},
	{0, 205, 205},
	{229, 229, 229},
	{127, 127, 127},
	{255, 0, 0},
	{0, 255, 0},
	{255, 255, 0},
	{92, 92, 255},
	{255, 0, 255},
	{0, 255, 255},
	{255, 255, 255},
}

func nearest16(c rgb) text.Color {
	best := 0
	for i, a := range ansi16 {
		if a.distance(c) < ansi16[best].distance(c) {
			best = i
		}
	}
	return text.Indexed(uint8(best))
}
