// Package picture shows images in terminals that can do so, and says what there
// is to see in the others.
//
//	pic, err := picture.New(data, picture.Options{
//		Name: "screenshot.png", Capabilities: p.Capabilities(), Send: p.Send,
//	})
//	p.Transcript.Append(pic)
//
// In kitty and Ghostty the image is sent once, and drawn with placeholder
// characters, which scroll, are cut, and are covered like any other text. In
// iTerm2 and WezTerm it is drawn with an inline image. Inside tmux there are no
// images.
package picture

import (
	"bytes"
	"encoding/base64"
	"fmt"
	"image"
	_ "image/gif"  // a format that New reads
	_ "image/jpeg" // likewise
	"image/png"
	"strings"

	"github.com/pi-go/pi/tui/term"
	"github.com/pi-go/pi/tui/text"
)

// Options are the settings of a [Picture].
type Options struct {
	// Name is shown where images are not.
	Name string
	// Capabilities are those of the terminal.
	Capabilities term.Capabilities
	// Send writes to the terminal outside of a frame. Nil shows no images.
	Send func(string)
	// ID tells images apart in kitty; it must be another one for each image that
	// is shown at a time, from 1 to 16777215. 0 derives one from the data.
	ID int
	// MaxWidth and MaxHeight limit the size in cells; 60 and 20 if 0.
	MaxWidth, MaxHeight int
	// Style is for the words that stand in for an image.
	Style text.Style
}

// Picture is a component that shows an image.
type Picture struct {
	opts          Options
	data          []byte // as it came
	format        string
	width, height int // in pixels
	sentAt        [2]int
	drawnWidth    int
	lines         []string
}

// maxPixels is the size of an image above which it is not decoded: a small file
// can claim to be huge.
const maxPixels = 64 << 20

// New returns a picture of a PNG, JPEG or GIF file.
func New(data []byte, opts Options) (*Picture, error) {
	cfg, format, err := image.DecodeConfig(bytes.NewReader(data))
	if err != nil {
		return nil, fmt.Errorf("read image %s: %w", opts.Name, err)
	}
	if cfg.Width <= 0 || cfg.Height <= 0 || cfg.Width > maxPixels/cfg.Height {
		return nil, fmt.Errorf("read image %s: its size of %d by %d is out of range", opts.Name, cfg.Width, cfg.Height)
	}
	if opts.MaxWidth <= 0 {
		opts.MaxWidth = 60
	}
	if opts.MaxHeight <= 0 {
		opts.MaxHeight = 20
	}
	if opts.ID <= 0 {
		h := uint32(2166136261) // FNV-1a
		for _, b := range data {
			h = (h ^ uint32(b)) * 16777619
		}
		opts.ID = int(h%0xfffffe) + 1
	}
	opts.MaxHeight = min(opts.MaxHeight, len(rowMarks))
	return &Picture{opts: opts, data: data, format: format, width: cfg.Width, height: cfg.Height}, nil
}

// Invalidate makes the next Render send the image again, as after another
// program had the terminal.
func (p *Picture) Invalidate() { p.sentAt, p.drawnWidth = [2]int{}, 0 }

// SetCapabilities tells what the terminal has told meanwhile.
func (p *Picture) SetCapabilities(c term.Capabilities) {
	p.opts.Capabilities = c
	p.Invalidate()
}

// Size returns the size in cells for a width.
func (p *Picture) Size(width int) (columns, rows int) {
	cellW, cellH := p.opts.Capabilities.CellWidth, p.opts.Capabilities.CellHeight
	if cellW <= 0 || cellH <= 0 {
		cellW, cellH = 9, 18 // as good a guess as any
	}
	maxW := max(1, min(p.opts.MaxWidth, width))
	scale := min(1, float64(maxW*cellW)/float64(p.width), float64(p.opts.MaxHeight*cellH)/float64(p.height))
	columns = min(max(1, ceil(float64(p.width)*scale/float64(cellW))), maxW)
	rows = min(max(1, ceil(float64(p.height)*scale/float64(cellH))), p.opts.MaxHeight)
	return columns, rows
}

func ceil(v float64) int {
	n := int(v)
	if float64(n) < v-1e-9 {
		n++
	}
	return n
}

// Render returns the lines of the image, or one that tells what it is.
func (p *Picture) Render(width int) []string {
	if p.drawnWidth == width {
		return p.lines
	}
	p.drawnWidth = width
	columns, rows := p.Size(width)
	switch {
	case p.opts.Send == nil:
	case p.placeholders():
		if p.transmit(columns, rows) {
			p.lines = p.placeholderLines(columns, rows)
			return p.lines
		}
	case p.opts.Capabilities.Images == term.ITermImages:
		p.lines = make([]string, rows)
		p.lines[0] = fmt.Sprintf("\x1b]1337;File=inline=1;size=%d;width=%d;height=%d;preserveAspectRatio=1;doNotMoveCursor=1:%s\a",
			len(p.data), columns, rows, base64.StdEncoding.EncodeToString(p.data))
		return p.lines
	}
	s := fmt.Sprintf("[image: %s %d×%d]", strings.Join(strings.Fields(text.Sanitize(p.opts.Name)), " "), p.width, p.height)
	p.lines = []string{text.Truncate(p.opts.Style.Render(strings.ReplaceAll(s, ":  ", ": ")), width, "…")}
	return p.lines
}

// placeholders reports whether the terminal draws images in the place of
// characters. Others that know kitty's graphics do not.
func (p *Picture) placeholders() bool {
	name := strings.ToLower(p.opts.Capabilities.Name)
	return p.opts.Capabilities.Images == term.KittyImages && (strings.HasPrefix(name, "kitty") || strings.HasPrefix(name, "ghostty"))
}

// transmit sends the image for a size in cells, if that was not done.
func (p *Picture) transmit(columns, rows int) bool {
	if p.sentAt == [2]int{columns, rows} {
		return true
	}
	data := p.data
	if p.format != "png" { // the only format that kitty reads
		img, _, err := image.Decode(bytes.NewReader(p.data))
		if err != nil {
			return false
		}
		var b bytes.Buffer
		if err := png.Encode(&b, img); err != nil {
			return false
		}
		data = b.Bytes()
	}
	var out strings.Builder
	encoded := base64.StdEncoding.EncodeToString(data)
	head := fmt.Sprintf("a=T,U=1,q=2,f=100,i=%d,c=%d,r=%d,", p.opts.ID, columns, rows)
	const chunk = 4096 // the most that one command may carry
	for at := 0; at < len(encoded) || at == 0; at += chunk {
		more := 0
		if at+chunk < len(encoded) {
			more = 1
		}
		fmt.Fprintf(&out, "\x1b_G%sm=%d;%s\x1b\\", head, more, encoded[at:min(at+chunk, len(encoded))])
		head = ""
	}
	p.opts.Send(out.String())
	p.sentAt = [2]int{columns, rows}
	return true
}

const placeholder = "\U0010eeee"

// rowMarks are the combining marks that tell a placeholder's row, in the order
// of kitty's protocol: https://sw.kovidgoyal.net/kitty/graphics-protocol.
var rowMarks = []rune("\u0305\u030d\u030e\u0310\u0312\u033d\u033e\u033f\u0346\u034a\u034b\u034c\u0350\u0351\u0352\u0357" +
	"\u035b\u0363\u0364\u0365\u0366\u0367\u0368\u0369\u036a\u036b\u036c\u036d\u036e\u036f\u0483\u0484" +
	"\u0485\u0486\u0487\u0592\u0593\u0594\u0595\u0597\u0598\u0599\u059c\u059d\u059e\u059f\u05a0\u05a1" +
	"\u05a8\u05a9\u05ab\u05ac\u05af\u05c4\u0610\u0611\u0612\u0613\u0614\u0615\u0616\u0617\u0657\u0658")

// placeholderLines are rows of placeholders; their colour tells the image.
func (p *Picture) placeholderLines(columns, rows int) []string {
	id := p.opts.ID
	st := text.Style{Fg: text.RGB(uint8(id>>16), uint8(id>>8), uint8(id))}
	lines := make([]string, rows)
	for y := range lines {
		var b strings.Builder
		for x := range columns {
			b.WriteString(placeholder)
			b.WriteRune(rowMarks[y])
			// Rows are told for every cell, so that a row that is drawn in part is
			// still the right one; columns as far as there are marks.
			if x < len(rowMarks) {
				b.WriteRune(rowMarks[x])
			}
		}
		lines[y] = st.Render(b.String())
	}
	return lines
}

// Forget returns the sequence that makes the terminal forget the image.
func (p *Picture) Forget() string { return fmt.Sprintf("\x1b_Ga=d,d=I,q=2,i=%d;\x1b\\", p.opts.ID) }
