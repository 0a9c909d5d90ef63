package interactive

import (
	"encoding/base64"

	"github.com/pi-go/pi/ai"
	"github.com/pi-go/pi/tui/picture"
	"github.com/pi-go/pi/tui/term"
)

// gallery shows the images of a message, or what they are where the terminal
// can not show any.
type gallery struct {
	ui    *ui
	pics  []*picture.Picture
	notes []string // for those that can not be read
}

// newGallery makes pictures of the images among some blocks; nil if there are
// none.
func newGallery(u *ui, content []ai.Block) *gallery {
	var g *gallery
	for _, b := range content {
		img, ok := b.(*ai.Image)
		if !ok {
			continue
		}
		if g == nil {
			g = &gallery{ui: u}
		}
		data, err := base64.StdEncoding.DecodeString(img.Data)
		var pic *picture.Picture
		if err == nil {
			pic, err = picture.New(data, picture.Options{
				Name: imageNote(img), Capabilities: u.pictureCapabilities(), Send: u.p.Send, Style: u.look.theme.Fg("muted"),
				MaxWidth: u.settings.ImageWidth,
			})
		}
		if err != nil {
			g.notes = append(g.notes, imageNote(img))
			continue
		}
		g.pics = append(g.pics, pic)
	}
	return g
}

// pictureCapabilities are those of the terminal, as far as the person wants them
// used for images.
func (u *ui) pictureCapabilities() term.Capabilities {
	c := u.p.Capabilities()
	c.Images = imagesOf(c, u.settings, u.getenv)
	return c
}

// lines draws the images below each other.
func (g *gallery) lines(width int) []string {
	if g == nil {
		return nil
	}
	var out []string
	for _, p := range g.pics {
		out = append(out, p.Render(width)...)
	}
	for _, n := range g.notes {
		out = append(out, fit([]string{" " + g.ui.look.fg("muted", n)}, width)...)
	}
	return out
}

// invalidate draws anew, for what the terminal is known to do by now.
func (g *gallery) invalidate() {
	if g == nil {
		return
	}
	for _, p := range g.pics {
		p.SetCapabilities(g.ui.pictureCapabilities())
		p.Invalidate()
	}
}
