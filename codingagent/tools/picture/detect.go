package picture

import (
	"bytes"
	"encoding/binary"
)

// SniffLen is the number of bytes at the start of a file that Detect looks at.
const SniffLen = 4100

// The types that Detect knows.
const (
	PNG  = "image/png"
	JPEG = "image/jpeg"
	GIF  = "image/gif"
	WebP = "image/webp"
	BMP  = "image/bmp"
)

// Detect tells from the start of a file whether it is an image, and of which
// type. Animated PNG and lossless JPEG are none: models do not take them.
func Detect(head []byte) (mime string, ok bool) {
	head = head[:min(len(head), SniffLen)]
	switch {
	case bytes.HasPrefix(head, []byte("\x89PNG\r\n\x1a\n")):
		return PNG, stillPNG(head)
	case bytes.HasPrefix(head, []byte("\xff\xd8\xff")):
		return JPEG, len(head) > 3 && head[3] != 0xf7
	case bytes.HasPrefix(head, []byte("GIF87a")), bytes.HasPrefix(head, []byte("GIF89a")):
		return GIF, true
	case len(head) >= 12 && string(head[:4]) == "RIFF" && string(head[8:12]) == "WEBP":
		return WebP, true
	case bytes.HasPrefix(head, []byte("BM")):
		return BMP, bitmap(head)
	}
	return "", false
}

// stillPNG checks the header chunk and that no animation control chunk comes
// before the image data.
func stillPNG(head []byte) bool {
	const headerLen = 13
	pos := 8
	for first := true; len(head) >= pos+8; first = false {
		size, kind := binary.BigEndian.Uint32(head[pos:]), string(head[pos+4:pos+8])
		if first && (kind != "IHDR" || size != headerLen) {
			return false
		}
		switch kind {
		case "IDAT":
			return true
		case "acTL":
			return false
		}
		if size > SniffLen {
			break
		}
		pos += 12 + int(size)
	}
	return len(head) >= 8+8+headerLen
}

// bitmap checks the fields of a Windows bitmap header, because "BM" alone starts
// many a text.
func bitmap(head []byte) bool {
	if len(head) < 30 {
		return false
	}
	planes, bits := 0, 0
	switch size := binary.LittleEndian.Uint32(head[14:]); {
	case size == 12: // OS/2
		planes, bits = int(binary.LittleEndian.Uint16(head[22:])), int(binary.LittleEndian.Uint16(head[24:]))
	case size >= 40 && size <= 124:
		planes, bits = int(binary.LittleEndian.Uint16(head[26:])), int(binary.LittleEndian.Uint16(head[28:]))
	}
	switch bits {
	case 1, 4, 8, 16, 24, 32:
		return planes == 1
	}
	return false
}
