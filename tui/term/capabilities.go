package term

import (
	"strconv"
	"strings"
	"time"

	"github.com/pi-go/pi/tui/input"
	"github.com/pi-go/pi/tui/text"
)

// QueryTime is how long to wait for the answers to [Queries] before a terminal
// counts as one that does not answer.
const QueryTime = 200 * time.Millisecond

// Images is a way to show images.
type Images uint8

// The ways to show images.
const (
	NoImages Images = iota
	KittyImages
	ITermImages
)

// Capabilities are what a terminal says it can do. The zero value is a terminal
// that has not said anything.
type Capabilities struct {
	// Done tells that all answers are there.
	Done bool
	// Sync tells that the terminal knows synchronized output. SyncKnown tells
	// that it has answered.
	Sync, SyncKnown bool
	// Kitty tells that the terminal knows the kitty keyboard protocol.
	Kitty bool
	// Name is the terminal's name and version, "" if it does not tell.
	Name string
	// Foreground and Background are the default colours, if the terminal told.
	Foreground, Background text.Color
	// Palette are the sixteen colours, those that the terminal told.
	Palette [16]text.Color
	// Dark tells whether the background is dark, if DarkKnown.
	Dark, DarkKnown bool
	// CellWidth and CellHeight are the size of a cell in pixels, 0 if not known.
	CellWidth, CellHeight int
	Images                Images
}

// Queries returns what to write to ask a terminal for its capabilities. Every
// terminal answers the last question, so that answer is the end.
func Queries(f Facts) string {
	q := "\x1b[?u" + "\x1b[?2026$p" + ColorQueries() + "\x1b[?996n" + "\x1b[16t" + "\x1b[>q"
	if f.Multiplexer == "" {
		// One pixel, only to see whether graphics are understood.
		q += "\x1b_Gi=31,s=1,v=1,a=q,t=d,f=24;AAAA\x1b\\"
	}
	return q + "\x1b[c"
}

// ColorQueries returns what to write to ask a terminal for its colours: when it
// tells that its colour scheme is another one now, they may be, too.
func ColorQueries() string {
	q := "\x1b]10;?\x1b\\" + "\x1b]11;?\x1b\\"
	for i := range 16 {
		q += "\x1b]4;" + strconv.Itoa(i) + ";?\x1b\\"
	}
	return q
}

// NewCapabilities returns what can be known before the terminal has answered.
func NewCapabilities(f Facts) Capabilities {
	c := Capabilities{Dark: !f.Light, DarkKnown: f.LightKnown}
	if f.Multiplexer == "" && (f.Program == "iterm.app" || f.Program == "wezterm") {
		c.Images = ITermImages
	}
	return c
}

// Learn takes an answer of the terminal and reports whether something changed.
func (c *Capabilities) Learn(ev input.Event) (changed bool) {
	before := *c
	switch e := ev.(type) {
	case input.KittyFlags:
		c.Kitty = true
	case input.ModeReport:
		if e.Mode == 2026 {
			c.Sync, c.SyncKnown = e.State == 1 || e.State == 2, true
		}
	case input.Version:
		c.Name = text.Sanitize(e.Name)
	case input.Color:
		color := text.RGB(e.R, e.G, e.B)
		if e.Index >= 0 && e.Index < len(c.Palette) {
			c.Palette[e.Index] = color
		}
		switch e.Index {
		case input.Foreground:
			c.Foreground = color
		case input.Background:
			c.Background = color
			c.Dark, c.DarkKnown = luminance(e.R, e.G, e.B) < 128, true
		}
	case input.ColorScheme:
		// What the background really is counts more than what the user prefers.
		if c.Background == 0 {
			c.Dark, c.DarkKnown = e.Dark, true
		}
	case input.CellSize:
		c.CellWidth, c.CellHeight = e.Width, e.Height
	case input.Graphics:
		if strings.HasPrefix(e.Keys, "i=31") && e.Message == "OK" {
			c.Images = KittyImages
		}
	case input.Attributes:
		c.Done = true
	}
	return before != *c
}

func luminance(r, g, b uint8) int { return (299*int(r) + 587*int(g) + 114*int(b)) / 1000 }
