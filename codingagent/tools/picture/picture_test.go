package picture_test

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"image"
	"image/color"
	"image/gif"
	"image/jpeg"
	"image/png"
	"math/rand/v2"
	"strings"
	"testing"

	"golang.org/x/image/bmp"

	"github.com/pi-go/pi/codingagent/tools/picture"
)

// sample is an image with a red top left, green top right, blue bottom left and
// white bottom right quarter.
func sample(w, h int) *image.NRGBA {
	img := image.NewNRGBA(image.Rect(0, 0, w, h))
	for y := range h {
		for x := range w {
			c := color.NRGBA{255, 255, 255, 255}
			switch {
			case y < h/2 && x < w/2:
				c = color.NRGBA{255, 0, 0, 255}
			case y < h/2:
				c = color.NRGBA{0, 255, 0, 255}
			case x < w/2:
				c = color.NRGBA{0, 0, 255, 255}
			}
			img.SetNRGBA(x, y, c)
		}
	}
	return img
}

// noise can not be compressed.
func noise(w, h int) image.Image {
	img := image.NewNRGBA(image.Rect(0, 0, w, h))
	r := rand.NewChaCha8([32]byte{1})
	r.Read(img.Pix)
	for i := 3; i < len(img.Pix); i += 4 {
		img.Pix[i] = 255
	}
	return img
}

func encoded(t testing.TB, mime string, img image.Image) []byte {
	t.Helper()
	var buf bytes.Buffer
	var err error
	switch mime {
	case picture.PNG:
		err = png.Encode(&buf, img)
	case picture.JPEG:
		err = jpeg.Encode(&buf, img, &jpeg.Options{Quality: 95})
	case picture.GIF:
		err = gif.Encode(&buf, img, nil)
	case picture.BMP:
		err = bmp.Encode(&buf, img)
	}
	if err != nil {
		t.Fatal(err)
	}
	return buf.Bytes()
}

// webpPixel is a lossless WebP image of one pixel.
var webpPixel = mustDecode("UklGRhoAAABXRUJQVlA4TA0AAAAvAAAAEAcQERGIiP4HAA==")

func mustDecode(s string) []byte {
	b, err := base64.StdEncoding.DecodeString(s)
	if err != nil {
		panic(err)
	}
	return b
}

// withChunk puts a chunk behind the header of a PNG.
func withChunk(data []byte, kind, body string) []byte {
	const afterHeader = 8 + 12 + 13
	chunk := binary.BigEndian.AppendUint32(nil, uint32(len(body)))
	chunk = append(chunk, kind+body...)
	chunk = binary.BigEndian.AppendUint32(chunk, crc32.ChecksumIEEE([]byte(kind+body)))
	return bytes.Join([][]byte{data[:afterHeader], chunk, data[afterHeader:]}, nil)
}

func TestDetect(t *testing.T) {
	t.Parallel()
	pngData := encoded(t, picture.PNG, sample(4, 4))
	bitmap := encoded(t, picture.BMP, sample(4, 4))
	twoPlanes := bytes.Clone(bitmap)
	twoPlanes[26] = 2
	for name, c := range map[string]struct {
		data []byte
		mime string
		ok   bool
	}{
		"png":            {pngData, picture.PNG, true},
		"png with chunk": {withChunk(pngData, "tEXt", "Author\x00me"), picture.PNG, true},
		"animated png":   {withChunk(pngData, "acTL", "\x00\x00\x00\x02\x00\x00\x00\x00"), picture.PNG, false},
		"png, odd head":  {append([]byte("\x89PNG\r\n\x1a\n\x00\x00\x00\x0eIHDR"), make([]byte, 40)...), picture.PNG, false},
		"png, cut":       {pngData[:10], picture.PNG, false},
		"jpeg":           {encoded(t, picture.JPEG, sample(4, 4)), picture.JPEG, true},
		"lossless jpeg":  {[]byte("\xff\xd8\xff\xf7\x00\x00"), picture.JPEG, false},
		"gif":            {encoded(t, picture.GIF, sample(4, 4)), picture.GIF, true},
		"webp":           {webpPixel, picture.WebP, true},
		"bmp":            {bitmap, picture.BMP, true},
		"bmp, planes":    {twoPlanes, picture.BMP, false},
		"text":           {[]byte("BMW drivers are said to be in a hurry, always."), picture.BMP, false},
		"other":          {[]byte("RIFF1234WAVEfmt "), "", false},
		"empty":          {nil, "", false},
	} {
		mime, ok := picture.Detect(c.data)
		if ok != c.ok || ok && mime != c.mime {
			t.Errorf("%s: %s, %v", name, mime, ok)
		}
	}
}

func TestFitLeavesAlone(t *testing.T) {
	t.Parallel()
	for _, data := range [][]byte{
		encoded(t, picture.PNG, sample(2000, 10)),
		encoded(t, picture.JPEG, sample(10, 2000)),
		encoded(t, picture.GIF, sample(5, 5)),
		webpPixel,
	} {
		mime, _ := picture.Detect(data)
		got, err := picture.Fit(t.Context(), data, mime, picture.Limits{})
		if err != nil || !bytes.Equal(got.Data, data) || got.MIME != mime || got.Notes() != "" {
			t.Errorf("%s: %d bytes of %s, %q, %v", mime, len(got.Data), got.MIME, got.Notes(), err)
		}
	}
	large := encoded(t, picture.PNG, sample(2100, 10))
	got, err := picture.Fit(t.Context(), large, picture.PNG, picture.Limits{Keep: true})
	if err != nil || !bytes.Equal(got.Data, large) {
		t.Errorf("told to keep the size: %v", err)
	}
}

func TestFitShrinks(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name   string
		data   []byte
		mime   string
		limits picture.Limits
		w, h   int
		notes  string
	}{
		{
			"wide", encoded(t, picture.PNG, sample(2500, 101)), picture.PNG,
			picture.Limits{},
			2000, 81,
			"[Shown at 2000x81, original 2500x101. Multiply coordinates by 1.25 to get those of the original.]",
		},
		{
			"high", encoded(t, picture.JPEG, sample(30, 40)), picture.JPEG,
			picture.Limits{Height: 10},
			8, 10,
			"[Shown at 8x10, original 30x40. Multiply coordinates by 3.75 to get those of the original.]",
		},
		{
			"flat", encoded(t, picture.GIF, sample(400, 2)), picture.GIF,
			picture.Limits{Width: 100},
			100, 1,
			"[Shown at 100x1, original 400x2. Multiply coordinates by 4.00 to get those of the original.]",
		},
		{
			"converted", encoded(t, picture.BMP, sample(8, 8)), picture.BMP,
			picture.Limits{},
			8, 8,
			"[Converted from image/bmp to image/png.]",
		},
		{
			"converted, size kept", encoded(t, picture.BMP, sample(8, 8)), picture.BMP,
			picture.Limits{Width: 4, Keep: true},
			8, 8,
			"[Converted from image/bmp to image/png.]",
		},
		{
			"converted and shrunk", encoded(t, picture.BMP, sample(8, 8)), picture.BMP,
			picture.Limits{Width: 4},
			4, 4,
			"[Converted from image/bmp to image/png.]\n[Shown at 4x4, original 8x8. Multiply coordinates by 2.00 to get those of the original.]",
		},
	} {
		got, err := picture.Fit(t.Context(), c.data, c.mime, c.limits)
		if err != nil {
			t.Errorf("%s: %v", c.name, err)
			continue
		}
		img := decoded(t, got)
		if b := img.Bounds(); b.Dx() != c.w || b.Dy() != c.h || got.Width != c.w || got.Height != c.h || got.Notes() != c.notes {
			t.Errorf("%s: %v, notes %q", c.name, b, got.Notes())
		}
	}
}

func decoded(t testing.TB, img picture.Image) image.Image {
	t.Helper()
	if mime, ok := picture.Detect(img.Data); !ok || mime != img.MIME {
		t.Fatalf("data is %s, said to be %s", mime, img.MIME)
	}
	out, _, err := image.Decode(bytes.NewReader(img.Data))
	if err != nil {
		t.Fatal(err)
	}
	return out
}

func TestFitBytes(t *testing.T) {
	t.Parallel()
	data := encoded(t, picture.PNG, noise(200, 100))
	limits := picture.Limits{Bytes: 12_000}
	got, err := picture.Fit(t.Context(), data, picture.PNG, limits)
	if err != nil {
		t.Fatal(err)
	}
	if n := base64.StdEncoding.EncodedLen(len(got.Data)); n >= limits.Bytes || got.MIME != picture.JPEG {
		t.Errorf("%d bytes of %s", n, got.MIME)
	}
	if b := decoded(t, got).Bounds(); b.Dx() != got.Width || got.Width*100 != got.Height*200 {
		t.Errorf("size %v, said to be %dx%d", b, got.Width, got.Height)
	}
	if _, err := picture.Fit(t.Context(), data, picture.PNG, picture.Limits{Bytes: 20}); !errors.Is(err, picture.ErrTooLarge) {
		t.Errorf("an impossible limit: %v", err)
	}
}

// orient puts an Exif segment with an orientation into a JPEG, or a chunk into a
// PNG.
func orient(data []byte, mime string, orientation int, order binary.AppendByteOrder) []byte {
	tiff := []byte("MM\x00*")
	if order == binary.AppendByteOrder(binary.LittleEndian) {
		tiff = []byte("II*\x00")
	}
	tiff = order.AppendUint32(tiff, 8)
	tiff = order.AppendUint16(tiff, 2)
	for _, tag := range []uint16{0x0100, 0x0112} {
		tiff = order.AppendUint16(tiff, tag)
		tiff = order.AppendUint16(tiff, 3)
		tiff = order.AppendUint32(tiff, 1)
		tiff = order.AppendUint16(tiff, uint16(orientation))
		tiff = order.AppendUint16(tiff, 0)
	}
	if mime == picture.PNG {
		return withChunk(data, "eXIf", string(tiff))
	}
	segment := binary.BigEndian.AppendUint16([]byte("\xff\xe1"), uint16(2+6+len(tiff)))
	segment = append(segment, "Exif\x00\x00"...)
	return bytes.Join([][]byte{data[:2], segment, tiff, data[2:]}, nil)
}

func TestOrientation(t *testing.T) {
	t.Parallel()
	const r, g, b, w = 'r', 'g', 'b', 'w'
	corners := map[int]string{ // top left, top right, bottom left, bottom right as they should be seen
		1: "rgbw", 2: "grwb", 3: "wbgr", 4: "bwrg", 5: "rbgw", 6: "brwg", 7: "wgbr", 8: "gwrb",
	}
	name := func(c color.Color) byte {
		cr, cg, _, _ := c.RGBA()
		switch {
		case cr > 0x8000 && cg > 0x8000:
			return w
		case cr > 0x8000:
			return r
		case cg > 0x8000:
			return g
		default:
			return b
		}
	}
	for o, want := range corners {
		for _, mime := range []string{picture.JPEG, picture.PNG} {
			for _, order := range []binary.AppendByteOrder{binary.BigEndian, binary.LittleEndian} {
				data := orient(encoded(t, mime, sample(64, 32)), mime, o, order)
				got, err := picture.Fit(t.Context(), data, mime, picture.Limits{Width: 32, Height: 32})
				if err != nil {
					t.Fatal(err)
				}
				img := decoded(t, got)
				size := img.Bounds().Max
				wantW, wantH := 32, 16
				if o >= 5 {
					wantW, wantH = 16, 32
				}
				x0, y0, x1, y1 := size.X/4, size.Y/4, size.X*3/4, size.Y*3/4
				seen := string([]byte{name(img.At(x0, y0)), name(img.At(x1, y0)), name(img.At(x0, y1)), name(img.At(x1, y1))})
				if seen != want || size.X != wantW || size.Y != wantH {
					t.Errorf("%s, orientation %d: %s of %v, want %s", mime, o, seen, size, want)
				}
			}
		}
	}
}

func TestTransparencyBecomesWhite(t *testing.T) {
	t.Parallel()
	img := noise(64, 64).(*image.NRGBA)
	for i := range img.Pix[:64*16*4] {
		img.Pix[i] = 0
	}
	got, err := picture.Fit(t.Context(), encoded(t, picture.PNG, img), picture.PNG, picture.Limits{Bytes: 6000})
	if err != nil || got.MIME != picture.JPEG {
		t.Fatalf("%s, %v", got.MIME, err)
	}
	if r, g, b, _ := decoded(t, got).At(1, 1).RGBA(); min(r, g, b) < 0xe000 {
		t.Errorf("transparent became %x %x %x", r, g, b)
	}
}

func TestFitRefuses(t *testing.T) {
	t.Parallel()
	good := encoded(t, picture.PNG, sample(16, 16))
	bomb := bytes.Clone(good)
	binary.BigEndian.PutUint32(bomb[16:], 1<<20)
	binary.BigEndian.PutUint32(bomb[20:], 1<<20)
	binary.BigEndian.PutUint32(bomb[29:], crc32.ChecksumIEEE(bomb[12:29]))
	for name, c := range map[string]struct {
		data []byte
		mime string
		want string
	}{
		"cut":       {good[:len(good)-20], picture.PNG, "decode image/png"},
		"cut jpeg":  {encoded(t, picture.JPEG, sample(64, 64))[:400], picture.JPEG, "decode image/jpeg"},
		"no header": {[]byte("GIF89a"), picture.GIF, "decode image/gif"},
		"too large": {bomb, picture.PNG, "1048576 x 1048576 pixels are too many"},
		"unknown":   {good, "image/tiff", "image/tiff is not an image type"},
	} {
		if _, err := picture.Fit(t.Context(), c.data, c.mime, picture.Limits{}); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v", name, err)
		}
	}
	ctx, cancel := context.WithCancelCause(t.Context())
	why := errors.New("enough")
	cancel(why)
	if _, err := picture.Fit(ctx, good, picture.PNG, picture.Limits{Width: 2}); !errors.Is(err, why) {
		t.Errorf("ended context: %v", err)
	}
}

func FuzzFit(f *testing.F) {
	for _, mime := range []string{picture.PNG, picture.JPEG, picture.GIF, picture.BMP} {
		f.Add(encoded(f, mime, sample(9, 7)))
	}
	f.Add(webpPixel)
	f.Add(orient(encoded(f, picture.JPEG, sample(9, 7)), picture.JPEG, 6, binary.BigEndian))
	f.Add(orient(encoded(f, picture.PNG, sample(9, 7)), picture.PNG, 8, binary.LittleEndian))
	f.Fuzz(func(t *testing.T, data []byte) {
		mime, ok := picture.Detect(data)
		if !ok {
			return
		}
		if len(data) > 1<<16 {
			return
		}
		limits := picture.Limits{Width: 8, Height: 8, Bytes: 2000}
		img, err := picture.Fit(t.Context(), data, mime, limits)
		if err != nil {
			return
		}
		if n := base64.StdEncoding.EncodedLen(len(img.Data)); n >= limits.Bytes || img.Width > 8 || img.Height > 8 || img.MIME == picture.BMP {
			t.Fatalf("%dx%d, %d bytes of %s", img.Width, img.Height, n, img.MIME)
		}
	})
}

func ExampleDetect() {
	mime, ok := picture.Detect([]byte("GIF89a\x01\x00\x01\x00"))
	fmt.Println(mime, ok)
	// Output: image/gif true
}
