package picture

import (
	"bytes"
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"image"
	"image/color"
	"image/gif"
	"image/jpeg"
	"image/png"
	"math"

	"golang.org/x/image/bmp"
	"golang.org/x/image/draw"
	"golang.org/x/image/webp"
)

// maxPixels is the size of an image, in pixels, beyond which it is not decoded: a
// small file can claim to be as large as memory.
const maxPixels = 128 << 20

// Limits is what a model takes. Zero fields have the defaults given.
type Limits struct {
	// Width and Height in pixels; 2000.
	Width, Height int
	// Bytes is what the image must stay below, base64 encoded; 4.5 MiB.
	Bytes int
	// Quality is the first JPEG quality tried; 80.
	Quality int
	// Keep leaves images at the size they have, whatever the limits. Types that
	// models do not take are converted all the same.
	Keep bool
}

func (l Limits) filled() Limits {
	if l.Width == 0 {
		l.Width = 2000
	}
	if l.Height == 0 {
		l.Height = 2000
	}
	if l.Bytes == 0 {
		l.Bytes = 4718592
	}
	if l.Quality == 0 {
		l.Quality = 80
	}
	return l
}

// Image is an image that fits.
type Image struct {
	Data []byte
	MIME string
	// Width and Height are its size; OriginalWidth and OriginalHeight that of the
	// original, upright. They are the same if it was not resized.
	Width, Height                 int
	OriginalWidth, OriginalHeight int
	// From is the type of the original if that was converted because models do not
	// take it.
	From string
}

// Notes says in one line per fact what was done to the image: what a model has
// to know to speak of the original. It is empty if nothing was done.
func (i Image) Notes() string {
	notes := ""
	if i.From != "" {
		notes = fmt.Sprintf("[Converted from %s to %s.]", i.From, i.MIME)
	}
	if i.Width != i.OriginalWidth || i.Height != i.OriginalHeight {
		if notes != "" {
			notes += "\n"
		}
		notes += fmt.Sprintf("[Shown at %dx%d, original %dx%d. Multiply coordinates by %.2f to get those of the original.]",
			i.Width, i.Height, i.OriginalWidth, i.OriginalHeight, float64(i.OriginalWidth)/float64(i.Width))
	}
	return notes
}

// ErrTooLarge is wrapped by the error of Fit for an image that can not be made
// small enough.
var ErrTooLarge = errors.New("the image can not be made small enough")

// Fit returns data, an image of the type that [Detect] found, in a form within
// the limits. An image that is within them already is returned byte for byte.
func Fit(ctx context.Context, data []byte, mime string, l Limits) (Image, error) {
	l = l.filled()
	size, err := decodeConfig(data, mime)
	if err != nil {
		return Image{}, fmt.Errorf("decode %s: %w", mime, err)
	}
	whole := Image{
		Data: data, MIME: mime, Width: size.Width, Height: size.Height,
		OriginalWidth: size.Width, OriginalHeight: size.Height,
	}
	fits := mime != BMP && (l.Keep || l.allow(size.Width, size.Height, len(data)))
	if size.Width <= 0 || size.Height <= 0 || size.Width > maxPixels/size.Height {
		return Image{}, fmt.Errorf("decode %s: %d x %d pixels are too many", mime, size.Width, size.Height)
	}
	// Also an image that fits is decoded: a vendor refuses every request of a
	// conversation that holds a broken one.
	img, err := decode(data, mime)
	if fits && (err == nil || unsupported(err, mime)) {
		return whole, nil
	}
	if err != nil {
		return Image{}, fmt.Errorf("decode %s: %w", mime, err)
	}
	img = upright(img, orientation(data, mime))
	whole.OriginalWidth, whole.OriginalHeight = img.Bounds().Dx(), img.Bounds().Dy()
	if mime == BMP {
		whole.From, whole.MIME = BMP, PNG
		if whole.Data, err = encodePNG(img); err != nil {
			return Image{}, fmt.Errorf("convert %s to %s: %w", BMP, PNG, err)
		}
		if l.Keep || l.allow(whole.Width, whole.Height, len(whole.Data)) {
			return whole, nil
		}
	}
	return shrink(ctx, img, whole, l)
}

// allow reports whether an image of n bytes is within the limits.
func (l Limits) allow(width, height, n int) bool {
	return width <= l.Width && height <= l.Height && base64.StdEncoding.EncodedLen(n) < l.Bytes
}

// shrink scales img until it is within the limits.
func shrink(ctx context.Context, img image.Image, out Image, l Limits) (Image, error) {
	w, h := out.OriginalWidth, out.OriginalHeight
	scale := min(1, float64(l.Width)/float64(w), float64(l.Height)/float64(h))
	w, h = max(1, round(float64(w)*scale)), max(1, round(float64(h)*scale))
	for {
		if ctx.Err() != nil {
			return Image{}, context.Cause(ctx)
		}
		data, mime, err := smallest(resize(img, w, h), l)
		if err != nil {
			return Image{}, fmt.Errorf("encode image: %w", err)
		}
		if data != nil {
			out.Data, out.MIME, out.Width, out.Height = data, mime, w, h
			return out, nil
		}
		if w == 1 && h == 1 {
			return Image{}, ErrTooLarge
		}
		w, h = max(1, w*3/4), max(1, h*3/4)
	}
}

// smallest encodes img as PNG and JPEG and returns the smaller one that is within
// the limits, or else a JPEG of lower quality that is, or else nil.
func smallest(img image.Image, l Limits) (data []byte, mime string, err error) {
	asPNG, err := encodePNG(img)
	if err != nil {
		return nil, "", err
	}
	flat := onWhite(img)
	asJPEG, err := encodeJPEG(flat, l.Quality)
	if err != nil {
		return nil, "", err
	}
	data, mime = asPNG, PNG
	if len(asJPEG) < len(asPNG) {
		data, mime = asJPEG, JPEG
	}
	for _, quality := range []int{85, 70, 55, 40} {
		if base64.StdEncoding.EncodedLen(len(data)) < l.Bytes {
			return data, mime, nil
		}
		if data, err = encodeJPEG(flat, quality); err != nil {
			return nil, "", err
		}
		mime = JPEG
	}
	if base64.StdEncoding.EncodedLen(len(data)) < l.Bytes {
		return data, mime, nil
	}
	return nil, "", nil
}

func round(f float64) int { return int(math.Round(f)) }

// resize scales an image with a Lanczos filter of three lobes.
func resize(img image.Image, w, h int) image.Image {
	if b := img.Bounds(); b.Dx() == w && b.Dy() == h {
		return img
	}
	lanczos := &draw.Kernel{Support: 3, At: func(t float64) float64 {
		if t == 0 {
			return 1
		}
		x := math.Pi * t
		return 3 * math.Sin(x) * math.Sin(x/3) / (x * x)
	}}
	dst := image.NewRGBA(image.Rect(0, 0, w, h)) // the package is fast with this type
	lanczos.Scale(dst, dst.Bounds(), img, img.Bounds(), draw.Src, nil)
	return dst
}

// onWhite is img without transparency, which JPEG does not have.
func onWhite(img image.Image) image.Image {
	if o, ok := img.(interface{ Opaque() bool }); ok && o.Opaque() {
		return img
	}
	dst := image.NewRGBA(image.Rect(0, 0, img.Bounds().Dx(), img.Bounds().Dy()))
	draw.Draw(dst, dst.Bounds(), image.NewUniform(color.White), image.Point{}, draw.Src)
	draw.Draw(dst, dst.Bounds(), img, img.Bounds().Min, draw.Over)
	return dst
}

func encodePNG(img image.Image) ([]byte, error) {
	var buf bytes.Buffer
	err := png.Encode(&buf, img)
	return buf.Bytes(), err
}

func encodeJPEG(img image.Image, quality int) ([]byte, error) {
	var buf bytes.Buffer
	err := jpeg.Encode(&buf, img, &jpeg.Options{Quality: quality})
	return buf.Bytes(), err
}

// unsupported reports whether an image may be whole although it could not be
// decoded, because the decoder knows only part of the format.
func unsupported(err error, mime string) bool {
	var j jpeg.UnsupportedError
	var p png.UnsupportedError
	return mime == WebP || errors.As(err, &j) || errors.As(err, &p)
}

func decodeConfig(data []byte, mime string) (image.Config, error) {
	r := bytes.NewReader(data)
	switch mime {
	case PNG:
		return png.DecodeConfig(r)
	case JPEG:
		return jpeg.DecodeConfig(r)
	case GIF:
		return gif.DecodeConfig(r)
	case WebP:
		return webp.DecodeConfig(r)
	case BMP:
		return bmp.DecodeConfig(r)
	}
	return image.Config{}, fmt.Errorf("%s is not an image type that can be read", mime)
}

func decode(data []byte, mime string) (image.Image, error) {
	r := bytes.NewReader(data)
	switch mime {
	case PNG:
		return png.Decode(r)
	case JPEG:
		return jpeg.Decode(r)
	case GIF:
		return gif.Decode(r)
	case WebP:
		return webp.Decode(r)
	}
	return bmp.Decode(r)
}
