package screenshot

import "image"

// This file draws what must join at the edges of cells: lines, blocks, shades,
// and the dots of Braille. Fonts leave gaps between them.

// The arms of a box-drawing character, two bits each: 0 none, 1 light, 2 heavy,
// 3 double; up, right, down, left from the highest bits on.
const boxArms = "" +
	// ─ ━ │ ┃, then dashes, which are drawn as whole lines
	"\x11\x22\x44\x88\x11\x22\x44\x88\x11\x22\x44\x88" +
	// ┌┍┎┏ ┐┑┒┓ └┕┖┗ ┘┙┚┛
	"\x14\x24\x18\x28\x05\x06\x09\x0a\x50\x60\x90\xa0\x41\x42\x81\x82" +
	// ├┝┞┟┠┡┢┣
	"\x54\x64\x94\x58\x98\xa4\x68\xa8" +
	// ┤┥┦┧┨┩┪┫
	"\x45\x46\x85\x49\x89\x86\x4a\x8a" +
	// ┬┭┮┯┰┱┲┳
	"\x15\x16\x25\x26\x19\x1a\x29\x2a" +
	// ┴┵┶┷┸┹┺┻
	"\x51\x52\x61\x62\x91\x92\xa1\xa2" +
	// ┼┽┾┿╀╁╂╃╄╅╆╇╈╉╊╋
	"\x55\x56\x65\x66\x95\x59\x99\x96\xa5\x5a\x69\xa6\x6a\x9a\xa9\xaa" +
	// ╌╍╎╏
	"\x11\x22\x44\x88" +
	// ═║╒╓╔╕╖╗╘╙╚╛╜╝
	"\x33\xcc\x34\x1c\x3c\x07\x0d\x0f\x70\xd0\xf0\x43\xc1\xc3" +
	// ╞╟╠╡╢╣╤╥╦╧╨╩╪╫╬
	"\x74\xdc\xfc\x47\xcd\xcf\x37\x1d\x3f\x73\xd1\xf3\x77\xdd\xff" +
	// ╭╮╯╰: corners, drawn as such
	"\x14\x05\x41\x50"

// The half lines from U+2574 on: ╴╵╶╷╸╹╺╻╼╽╾╿
const boxHalves = "\x01\x40\x10\x04\x02\x80\x20\x08\x21\x48\x12\x84"

func arms(r rune) (byte, bool) {
	switch {
	case r >= 0x2500 && int(r-0x2500) < len(boxArms):
		return boxArms[r-0x2500], true
	case r >= 0x2574 && int(r-0x2574) < len(boxHalves):
		return boxHalves[r-0x2574], true
	}
	return 0, false
}

// shape draws a character of lines or blocks into a mask of a cell, and reports
// whether it is one.
func shape(m *image.Alpha, r rune) bool {
	w, h := m.Rect.Dx(), m.Rect.Dy()
	if a, ok := arms(r); ok {
		box(m, a)
		return true
	}
	switch {
	case r == 0x2580: // upper half
		fill(m, 0, 0, w, h/2, 255)
	case r >= 0x2581 && r <= 0x2588: // lower eighths
		fill(m, 0, h-h*int(r-0x2580)/8, w, h, 255)
	case r >= 0x2589 && r <= 0x258f: // left eighths
		fill(m, 0, 0, max(1, w*int(0x2590-r)/8), h, 255)
	case r == 0x2590: // right half
		fill(m, w/2, 0, w, h, 255)
	case r >= 0x2591 && r <= 0x2593: // shades
		fill(m, 0, 0, w, h, uint8(64*(r-0x2590)))
	case r == 0x2594: // upper eighth
		fill(m, 0, 0, w, h/8, 255)
	case r == 0x2595: // right eighth
		fill(m, w-max(1, w/8), 0, w, h, 255)
	case r >= 0x2596 && r <= 0x259f: // quadrants: upper left, upper right, lower left, lower right
		q := "\x04\x08\x01\x0d\x09\x07\x0b\x02\x06\x0e"[r-0x2596]
		for i, at := range []image.Point{{0, 0}, {w / 2, 0}, {0, h / 2}, {w / 2, h / 2}} {
			if q&(1<<i) != 0 {
				fill(m, at.X, at.Y, at.X+w/2, at.Y+h/2, 255)
			}
		}
	case r >= 0x2800 && r <= 0x28ff: // Braille
		for bit := range 8 {
			if (r-0x2800)>>bit&1 == 0 {
				continue
			}
			col, row := bit/3, bit%3
			if bit >= 6 {
				col, row = bit-6, 3
			}
			x, y := w/4+col*w/2, h/8+row*h/4
			fill(m, x-1, y-1, x+2, y+2, 255)
		}
	default:
		return false
	}
	return true
}

// box draws the arms of a box-drawing character from the middle of the cell.
func box(m *image.Alpha, a byte) {
	w, h := m.Rect.Dx(), m.Rect.Dy()
	cx, cy := w/2, h/2
	for i := range 4 {
		weight := int(a >> (6 - 2*i) & 3)
		if weight == 0 {
			continue
		}
		// From and to, across the middle so that corners are closed.
		offsets, thick := []int{0}, 2*weight
		if weight == 3 {
			offsets, thick = []int{-2, 2}, 1
		}
		half := max(1, thick/2)
		for _, off := range offsets {
			switch i {
			case 0:
				fill(m, cx-half+off, 0, cx-half+off+thick, cy+half, 255)
			case 1:
				fill(m, cx-half, cy-half+off, w, cy-half+off+thick, 255)
			case 2:
				fill(m, cx-half+off, cy-half, cx-half+off+thick, h, 255)
			case 3:
				fill(m, 0, cy-half+off, cx+half, cy-half+off+thick, 255)
			}
		}
	}
}

func fill(m *image.Alpha, x0, y0, x1, y1 int, v uint8) {
	r := image.Rect(x0, y0, x1, y1).Intersect(m.Rect)
	for y := r.Min.Y; y < r.Max.Y; y++ {
		for x := r.Min.X; x < r.Max.X; x++ {
			m.Pix[m.PixOffset(x, y)] = v
		}
	}
}
