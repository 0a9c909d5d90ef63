package picture

import (
	"bytes"
	"encoding/base64"
	"fmt"
	"image"
	"image/color"
	"image/jpeg"
	"image/png"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/pi-go/pi/tui/term"
	"github.com/pi-go/pi/tui/text"
	"github.com/pi-go/pi/tui/tuitest"
)

func pixels(w, h int) image.Image {
	img := image.NewRGBA(image.Rect(0, 0, w, h))
	for x := range w {
		for y := range h {
			img.Set(x, y, color.RGBA{uint8(x * 7), uint8(y * 5), uint8(x ^ y), 255})
		}
	}
	return img
}

// noise is an image that can not be packed, so it takes several commands.
func noise(t testing.TB, w, h int) []byte {
	t.Helper()
	img := image.NewRGBA(image.Rect(0, 0, w, h))
	r := rand.New(rand.NewPCG(1, 2))
	for i := range img.Pix {
		img.Pix[i] = uint8(r.Uint32()) | uint8(i%4/3*255)
	}
	var b bytes.Buffer
	if err := png.Encode(&b, img); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func pngOf(t testing.TB, w, h int) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := png.Encode(&b, pixels(w, h)); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

var kitty = term.Capabilities{Images: term.KittyImages, Name: "kitty(0.43.1)", CellWidth: 10, CellHeight: 20}

func TestKittyGetsTheImageOnceAndDrawsPlaceholders(t *testing.T) {
	t.Parallel()
	var sent strings.Builder
	data := noise(t, 400, 200)
	p, err := New(data, Options{Capabilities: kitty, Send: func(s string) { sent.WriteString(s) }, ID: 0x010203, MaxWidth: 30})
	if err != nil {
		t.Fatal(err)
	}
	lines := p.Render(80)
	if len(lines) != 8 { // 300 pixels wide, so 150 high
		t.Errorf("%d lines, want 8", len(lines))
	}
	for i, l := range lines {
		if w := text.Width(l); w != 30 {
			t.Errorf("line %d is %d columns wide, want 30", i, w)
		}
		if !strings.HasPrefix(l, "\x1b[38;2;1;2;3m") {
			t.Errorf("line %d does not have the image's number as its colour: %.30q", i, l)
		}
	}
	var encoded strings.Builder
	commands := strings.Count(sent.String(), "\x1b_G")
	if commands < 2 {
		t.Fatal("the image is too small for several commands")
	}
	for i, cmd := range strings.Split(strings.TrimSuffix(sent.String(), "\x1b\\"), "\x1b\\") {
		keys, body, _ := strings.Cut(strings.TrimPrefix(cmd, "\x1b_G"), ";")
		if i == 0 && !strings.HasPrefix(keys, "a=T,U=1,q=2,f=100,i=66051,c=30,r=8,m=") {
			t.Errorf("the first command is %q", keys)
		}
		if len(body) > 4096 {
			t.Errorf("a command carries %d bytes", len(body))
		}
		if more := strings.Contains(keys, "m=1"); more != (i < commands-1) {
			t.Errorf("command %d of %d says that more come: %v", i, commands, more)
		}
		encoded.WriteString(body)
	}
	if got, err := base64.StdEncoding.DecodeString(encoded.String()); err != nil || !bytes.Equal(got, data) {
		t.Errorf("what was sent is not the image: %v", err)
	}
	n := sent.Len()
	p.Render(80)
	p.Render(90) // the image is as large as before
	if sent.Len() != n {
		t.Error("the image is sent again")
	}
	p.Invalidate()
	p.Render(80)
	if sent.Len() != 2*n {
		t.Error("after Invalidate the image is not sent again")
	}
	// Lines of placeholders are lines like others.
	tt := tuitest.New(40, 10)
	fmt.Fprint(tt, lines[0])
	if x, _, _ := tt.Cursor(); x != 30 {
		t.Errorf("a line is drawn in %d columns", x)
	}
	if text.Truncate(lines[0], 30, "") != lines[0] {
		t.Error("a line is not clean")
	}
}

func TestOtherTerminals(t *testing.T) {
	t.Parallel()
	var jpg bytes.Buffer
	if err := jpeg.Encode(&jpg, pixels(90, 90), nil); err != nil {
		t.Fatal(err)
	}
	send := func(string) {}
	for _, tc := range []struct {
		name  string
		data  []byte
		opts  Options
		lines int
		want  string
	}{
		{"none", pngOf(t, 9, 9), Options{Name: "a\x1b[2J b.png", Send: send}, 1, "[image: a b.png 9×9]"},
		{"nobody to send to", pngOf(t, 9, 9), Options{Name: "x", Capabilities: kitty}, 1, "[image: x 9×9]"},
		{"kitty's graphics without placeholders", pngOf(t, 9, 9), Options{Name: "x", Send: send, Capabilities: term.Capabilities{Images: term.KittyImages, Name: "Konsole 24"}}, 1, "[image: x 9×9]"},
		{"iTerm2", pngOf(t, 90, 90), Options{Send: send, Capabilities: term.Capabilities{Images: term.ITermImages}}, 5, ""},
		{"JPEG in kitty", jpg.Bytes(), Options{Send: send, Capabilities: kitty}, 5, ""},
	} {
		p, err := New(tc.data, tc.opts)
		if err != nil {
			t.Fatal(err)
		}
		lines := p.Render(40)
		if len(lines) != tc.lines || tc.want != "" && lines[0] != tc.want {
			t.Errorf("%s: %q", tc.name, lines)
		}
		for w := 1; w < 12; w++ {
			for _, l := range p.Render(w) {
				if text.Width(l) > w {
					t.Errorf("%s: a line is wider than %d", tc.name, w)
				}
			}
		}
	}
}

func TestBadImages(t *testing.T) {
	t.Parallel()
	for name, data := range map[string][]byte{"empty": nil, "text": []byte("hello"), "cut": pngOf(t, 20, 20)[:20]} {
		if _, err := New(data, Options{Name: name}); err == nil || !strings.Contains(err.Error(), name) {
			t.Errorf("%s: error %v", name, err)
		}
	}
}

func FuzzNew(f *testing.F) {
	f.Add(pngOf(f, 3, 3), 10)
	f.Add([]byte("GIF89a"), 1)
	f.Fuzz(func(t *testing.T, data []byte, width int) {
		p, err := New(data, Options{Capabilities: kitty, Send: func(string) {}})
		if err != nil || p.width*p.height > 1<<16 || width < 1 || width > 500 {
			return
		}
		for _, l := range p.Render(width) {
			if text.Width(l) > width {
				t.Fatalf("a line is wider than %d", width)
			}
		}
	})
}
