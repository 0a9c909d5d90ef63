package screenshot

import (
	"bytes"
	"cmp"
	"fmt"
	"image"
	"image/color"
	"image/png"
	"slices"

	"github.com/pi-go/pi/internal/vttest"
)

// margin is the empty border of a picture in pixels.
const margin = 12

// Draw draws a screen.
func Draw(s vttest.Snapshot, look Look) (image.Image, error) {
	g, err := newGlyphs()
	if err != nil {
		return nil, err
	}
	width := 0
	if len(s.Rows) > 0 {
		width = len(s.Rows[0])
	}
	img := image.NewRGBA(image.Rect(0, 0, width*cellWidth+2*margin, len(s.Rows)*cellHeight+2*margin))
	paint(img, img.Rect, look.Background)
	for y, row := range s.Rows {
		for x, c := range row {
			if c.Width == 0 && c.Text == "" {
				continue // the second half of a wide one
			}
			at := image.Pt(margin+x*cellWidth, margin+y*cellHeight)
			cursor := s.CursorShown && x == s.CursorX && y == s.CursorY
			drawCell(img, at, c, g, &look, cursor)
		}
	}
	return fewColors(img), nil
}

func drawCell(img *image.RGBA, at image.Point, c vttest.Cell, g *glyphs, look *Look, cursor bool) {
	fg, bg := look.solid(c.Foreground, look.Foreground), look.solid(c.Background, look.Background)
	if c.Swapped != cursor {
		fg, bg = bg, fg
	}
	if c.Faint {
		fg = mix(fg, bg, 140)
	}
	width := max(c.Width, 1)
	area := image.Rect(0, 0, width*cellWidth, cellHeight).Add(at)
	if bg != look.Background {
		paint(img, area, bg)
	}
	if c.Text != "" && c.Text != " " {
		m := g.mask(c.Text, width, c.Bold, c.Italic)
		for y := range cellHeight {
			for x := range width * cellWidth {
				if a := m.Pix[m.PixOffset(x, y)]; a > 0 {
					img.SetRGBA(at.X+x, at.Y+y, mix(fg, bg, a))
				}
			}
		}
	}
	if c.Underline {
		paint(img, image.Rect(area.Min.X, area.Max.Y-4, area.Max.X, area.Max.Y-3), fg)
	}
	if c.Strike {
		paint(img, image.Rect(area.Min.X, area.Min.Y+12, area.Max.X, area.Min.Y+13), fg)
	}
}

func paint(img *image.RGBA, r image.Rectangle, c color.RGBA) {
	r = r.Intersect(img.Rect)
	for y := r.Min.Y; y < r.Max.Y; y++ {
		for x := r.Min.X; x < r.Max.X; x++ {
			img.SetRGBA(x, y, c)
		}
	}
}

// fewColors gives the picture a palette if that can hold its colours: the file is
// then a third of the size.
func fewColors(img *image.RGBA) image.Image {
	index := map[color.RGBA]uint8{}
	var colors []color.RGBA
	for i := 0; i < len(img.Pix); i += 4 {
		c := color.RGBA{img.Pix[i], img.Pix[i+1], img.Pix[i+2], img.Pix[i+3]}
		if _, ok := index[c]; !ok {
			index[c] = 0
			if colors = append(colors, c); len(colors) > 256 {
				return img
			}
		}
	}
	slices.SortFunc(colors, func(a, b color.RGBA) int {
		return cmp.Or(cmp.Compare(a.R, b.R), cmp.Compare(a.G, b.G), cmp.Compare(a.B, b.B))
	})
	palette := make(color.Palette, len(colors))
	for i, c := range colors {
		palette[i], index[c] = c, uint8(i)
	}
	out := image.NewPaletted(img.Rect, palette)
	for i := range out.Pix {
		out.Pix[i] = index[color.RGBA{img.Pix[4*i], img.Pix[4*i+1], img.Pix[4*i+2], img.Pix[4*i+3]}]
	}
	return out
}

// PNG returns the picture of a screen as a file. The same screen gives the same
// bytes.
func PNG(s vttest.Snapshot, look Look) ([]byte, error) {
	img, err := Draw(s, look)
	if err != nil {
		return nil, err
	}
	var out bytes.Buffer
	if err := (&png.Encoder{CompressionLevel: png.BestCompression}).Encode(&out, img); err != nil {
		return nil, fmt.Errorf("encode a screenshot: %w", err)
	}
	return out.Bytes(), nil
}
