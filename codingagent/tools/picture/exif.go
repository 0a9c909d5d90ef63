package picture

import (
	"bytes"
	"encoding/binary"
	"image"
	"image/draw"
)

// orientation is the EXIF orientation of an image, 1 to 8; 1 (upright) where
// there is none. The meaning of the numbers is in the Exif standard, tag 0x0112.
func orientation(data []byte, mime string) int {
	var tiff []byte
	switch mime {
	case JPEG:
		tiff = jpegExif(data)
	case PNG:
		tiff = pngExif(data)
	case WebP:
		tiff = webpExif(data)
	}
	return tiffOrientation(tiff)
}

// jpegExif returns the TIFF structure of an APP1 segment.
func jpegExif(data []byte) []byte {
	for pos := 2; pos+4 <= len(data) && data[pos] == 0xff; {
		marker, size := data[pos+1], int(binary.BigEndian.Uint16(data[pos+2:]))
		if marker == 0xff { // fill byte
			pos++
			continue
		}
		if marker == 0xda || size < 2 || pos+2+size > len(data) { // the scan begins
			return nil
		}
		body := data[pos+4 : pos+2+size]
		if tiff, ok := bytes.CutPrefix(body, []byte("Exif\x00\x00")); ok && marker == 0xe1 {
			return tiff
		}
		pos += 2 + size
	}
	return nil
}

// pngExif returns the content of an eXIf chunk.
func pngExif(data []byte) []byte {
	for pos := 8; pos+8 <= len(data); {
		size := int64(binary.BigEndian.Uint32(data[pos:]))
		end := int64(pos) + 8 + size
		if end+4 > int64(len(data)) {
			return nil
		}
		if string(data[pos+4:pos+8]) == "eXIf" {
			return data[pos+8 : end]
		}
		pos = int(end) + 4
	}
	return nil
}

// webpExif returns the content of an EXIF chunk.
func webpExif(data []byte) []byte {
	for pos := 12; pos+8 <= len(data); {
		size := int64(binary.LittleEndian.Uint32(data[pos+4:]))
		end := int64(pos) + 8 + size
		if end > int64(len(data)) {
			return nil
		}
		if string(data[pos:pos+4]) == "EXIF" {
			return bytes.TrimPrefix(data[pos+8:end], []byte("Exif\x00\x00"))
		}
		pos = int(end + size%2)
	}
	return nil
}

// tiffOrientation reads the tag from the first directory of a TIFF structure.
func tiffOrientation(tiff []byte) int {
	if len(tiff) < 8 {
		return 1
	}
	var order binary.ByteOrder
	switch string(tiff[:4]) {
	case "II*\x00":
		order = binary.LittleEndian
	case "MM\x00*":
		order = binary.BigEndian
	default:
		return 1
	}
	dir := int64(order.Uint32(tiff[4:]))
	if dir+2 > int64(len(tiff)) {
		return 1
	}
	count := int(order.Uint16(tiff[dir:]))
	for i := range count {
		entry := dir + 2 + int64(i)*12
		if entry+12 > int64(len(tiff)) {
			return 1
		}
		e := tiff[entry:]
		if order.Uint16(e) != 0x0112 {
			continue
		}
		if v := int(order.Uint16(e[8:])); order.Uint16(e[2:]) == 3 && 1 <= v && v <= 8 {
			return v
		}
		return 1
	}
	return 1
}

// upright turns and mirrors an image as its orientation says.
func upright(src image.Image, orientation int) image.Image {
	if orientation <= 1 {
		return src
	}
	b := src.Bounds()
	w, h := b.Dx(), b.Dy()
	flat := image.NewNRGBA(image.Rect(0, 0, w, h))
	draw.Draw(flat, flat.Bounds(), src, b.Min, draw.Src)
	if orientation >= 5 {
		w, h = h, w
	}
	dst := image.NewNRGBA(image.Rect(0, 0, w, h))
	for y := range h {
		for x := range w {
			sx, sy := x, y
			switch orientation {
			case 2: // mirrored
				sx = w - 1 - x
			case 3: // upside down
				sx, sy = w-1-x, h-1-y
			case 4: // upside down and mirrored
				sy = h - 1 - y
			case 5: // mirrored along the main diagonal
				sx, sy = y, x
			case 6: // to be turned clockwise
				sx, sy = y, w-1-x
			case 7: // mirrored along the other diagonal
				sx, sy = h-1-y, w-1-x
			case 8: // to be turned counter-clockwise
				sx, sy = h-1-y, x
			}
			i, j := dst.PixOffset(x, y), flat.PixOffset(sx, sy)
			copy(dst.Pix[i:i+4], flat.Pix[j:j+4])
		}
	}
	return dst
}
