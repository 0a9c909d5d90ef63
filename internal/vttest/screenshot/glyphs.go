package screenshot

import (
	"fmt"
	"image"
	"image/color"
	"image/draw"
	"unicode"

	"github.com/hajimehoshi/bitmapfont/v3"
	"golang.org/x/image/font"
	"golang.org/x/image/font/gofont/gomono"
	"golang.org/x/image/font/gofont/gomonobold"
	"golang.org/x/image/font/gofont/gomonobolditalic"
	"golang.org/x/image/font/gofont/gomonoitalic"
	"golang.org/x/image/font/opentype"
	"golang.org/x/image/font/sfnt"
	"golang.org/x/image/math/fixed"
)

// The size of a cell in pixels: at 20 pixels the Go Mono fonts are 12 wide.
const (
	cellWidth, cellHeight = 12, 24
	fontSize, baseline    = 20, 18
	bitmapScale           = 2 // the bitmap font has 6 by 12 pixels
)

// glyphs makes masks of clusters. It belongs to one goroutine.
type glyphs struct {
	fonts [4]*sfnt.Font // regular, bold, italic, both
	faces [4]font.Face
	buf   sfnt.Buffer
	known map[glyphKey]*image.Alpha
}

type glyphKey struct {
	text  string
	style int
	width int
}

func newGlyphs() (*glyphs, error) {
	g := &glyphs{known: map[glyphKey]*image.Alpha{}}
	for i, data := range [][]byte{gomono.TTF, gomonobold.TTF, gomonoitalic.TTF, gomonobolditalic.TTF} {
		f, err := opentype.Parse(data)
		if err != nil {
			return nil, fmt.Errorf("read the font: %w", err)
		}
		face, err := opentype.NewFace(f, &opentype.FaceOptions{Size: fontSize, DPI: 72, Hinting: font.HintingNone})
		if err != nil {
			return nil, fmt.Errorf("read the font: %w", err)
		}
		g.fonts[i], g.faces[i] = f, face
	}
	return g, nil
}

// mask returns where a cluster that takes width cells has ink.
func (g *glyphs) mask(text string, width int, bold, italic bool) *image.Alpha {
	k := glyphKey{text: text, width: width}
	if bold {
		k.style |= 1
	}
	if italic {
		k.style |= 2
	}
	if m, ok := g.known[k]; ok {
		return m
	}
	m := image.NewAlpha(image.Rect(0, 0, width*cellWidth, cellHeight))
	runes := []rune(text)
	if !shape(m, runes[0]) {
		g.letter(m, k, runes)
	}
	for i, v := range m.Pix {
		m.Pix[i] = level(v)
	}
	g.known[k] = m
	return m
}

// level leaves sixteen steps of a mask, so that a picture has few colours.
func level(v uint8) uint8 { return uint8((int(v)*15 + 127) / 255 * 17) }

func (g *glyphs) letter(m *image.Alpha, k glyphKey, runes []rune) {
	for i, r := range runes {
		switch {
		case unicode.Is(unicode.Variation_Selector, r) || r == '\u200d':
			if i == 0 || r == '\u200d' {
				return
			}
		case g.has(k.style, r):
			d := font.Drawer{Dst: m, Src: image.Opaque, Face: g.faces[k.style], Dot: fixed.P((m.Rect.Dx()-cellWidth)/2, baseline)}
			d.DrawString(string(r))
		case g.bitmap(m, r, unicode.Is(unicode.Mn, r)):
		case unicode.Is(unicode.Mn, r) || unicode.Is(unicode.Cf, r) || unicode.Is(unicode.Sk, r):
		case i == 0 || unicode.Is(unicode.Regional_Indicator, r):
			disc(m)
		}
	}
}

func (g *glyphs) has(style int, r rune) bool {
	i, err := g.fonts[style].GlyphIndex(&g.buf, r)
	return err == nil && i != 0
}

// bitmap draws a character of the bitmap font, enlarged, in the middle of the
// cells; a mark goes where the font has it.
func (g *glyphs) bitmap(m *image.Alpha, r rune, mark bool) bool {
	dr, src, at, advance, ok := bitmapfont.Face.Glyph(fixed.P(0, 12), r)
	if !ok {
		return false
	}
	small := image.NewAlpha(image.Rect(0, 0, 12, 16))
	draw.DrawMask(small, dr, image.Opaque, image.Point{}, src, at, draw.Over)
	ink := inked(small)
	if ink.Empty() {
		return true
	}
	scale := bitmapScale
	left := (m.Rect.Dx() - advance.Round()*scale) / 2
	top := (cellHeight - ink.Dy()*scale) / 2
	if mark {
		top = 0
	}
	for y := ink.Min.Y; y < ink.Max.Y; y++ {
		for x := ink.Min.X; x < ink.Max.X; x++ {
			if small.AlphaAt(x, y).A > 127 {
				px, py := left+x*scale, top+(y-ink.Min.Y)*scale
				fill(m, px, py, px+scale, py+scale, 255)
			}
		}
	}
	return true
}

// inked is the smallest rectangle around all ink.
func inked(m *image.Alpha) image.Rectangle {
	var r image.Rectangle
	for y := m.Rect.Min.Y; y < m.Rect.Max.Y; y++ {
		for x := m.Rect.Min.X; x < m.Rect.Max.X; x++ {
			if m.AlphaAt(x, y).A > 0 {
				r = r.Union(image.Rect(x, y, x+1, y+1))
			}
		}
	}
	return r
}

// disc stands for what no font has.
func disc(m *image.Alpha) {
	w, h := m.Rect.Dx(), m.Rect.Dy()
	radius := min(w, h)/2 - 2
	const grid = 4 // of samples a pixel
	for y := range h {
		for x := range w {
			in := 0
			for i := range grid * grid {
				dx := (2*x-w)*grid + 2*(i%grid) + 1
				dy := (2*y-h)*grid + 2*(i/grid) + 1
				if limit := 2 * radius * grid; dx*dx+dy*dy <= limit*limit {
					in++
				}
			}
			m.SetAlpha(x, y, color.Alpha{uint8(in * 255 / (grid * grid))})
		}
	}
}
