package screenshot

import (
	"image/color"

	"github.com/charmbracelet/x/ansi"
)

// Look are the colours of the terminal in a picture.
type Look struct {
	Foreground, Background color.RGBA
	// Palette are the sixteen colours.
	Palette [16]color.RGBA
}

// DarkLook is a terminal with light text on a dark ground.
func DarkLook() Look {
	return Look{
		Foreground: hex(0xd7dae0), Background: hex(0x16181d),
		Palette: [16]color.RGBA{
			hex(0x24272e), hex(0xe0616b), hex(0x8fbf6a), hex(0xdfb45f), hex(0x5fa3e8), hex(0xc07add), hex(0x4fb6c2), hex(0xb4b9c4),
			hex(0x5d6470), hex(0xf2828b), hex(0xa9d98a), hex(0xf2cf86), hex(0x86bdf5), hex(0xd69bee), hex(0x7ad3dd), hex(0xf2f4f8),
		},
	}
}

// LightLook is a terminal with dark text on a light ground.
func LightLook() Look {
	return Look{
		Foreground: hex(0x24272e), Background: hex(0xfafafa),
		Palette: [16]color.RGBA{
			hex(0x24272e), hex(0xc4323f), hex(0x3f7f2a), hex(0x9a6a00), hex(0x1f62b5), hex(0x8a3fb0), hex(0x0f7a86), hex(0xa0a5b0),
			hex(0x5d6470), hex(0xd94a56), hex(0x549a3c), hex(0xb58318), hex(0x3a7fd6), hex(0xa557cc), hex(0x2495a2), hex(0xe4e6ea),
		},
	}
}

func hex(v uint32) color.RGBA { return color.RGBA{uint8(v >> 16), uint8(v >> 8), uint8(v), 0xff} }

// solid gives a colour of a cell as it is drawn; nil stands for missing.
func (l *Look) solid(c color.Color, missing color.RGBA) color.RGBA {
	switch c := c.(type) {
	case nil:
		return missing
	case ansi.BasicColor:
		return l.Palette[c&15]
	case ansi.IndexedColor:
		if c < 16 {
			return l.Palette[c]
		}
	}
	r, g, b, _ := c.RGBA()
	return color.RGBA{uint8(r >> 8), uint8(g >> 8), uint8(b >> 8), 0xff}
}

// mix lays a over b.
func mix(a, b color.RGBA, alpha uint8) color.RGBA {
	part := func(x, y uint8) uint8 {
		return uint8((int(x)*int(alpha) + int(y)*(255-int(alpha)) + 127) / 255)
	}
	return color.RGBA{part(a.R, b.R), part(a.G, b.G), part(a.B, b.B), 0xff}
}
