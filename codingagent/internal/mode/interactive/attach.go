package interactive

import (
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/pi-go/pi/agentcore/execenv"
	"github.com/pi-go/pi/ai"
	"github.com/pi-go/pi/codingagent/tools/picture"
	"github.com/pi-go/pi/tui/clipboard"
	"github.com/pi-go/pi/tui/edit"
	"github.com/pi-go/pi/tui/text"
)

// attachment is an image that goes along with a message for as long as its marker
// stands in the text, so that taking it away is a matter of deleting the marker.
type attachment struct {
	marker string
	image  *ai.Image
	path   string // of its file, "" if it has none
}

// attachments are the images that markers may stand for. A number is never given
// twice, so that texts that come back from the queue or the history keep theirs.
type attachments struct {
	list []attachment
	last int
}

const markerStart = "[image #"

// add takes an image and gives the marker for it.
func (a *attachments) add(img *ai.Image, path string) string {
	a.last++
	marker := fmt.Sprintf("%s%d]", markerStart, a.last)
	if path != "" {
		name := strings.Map(func(r rune) rune {
			if r == '[' || r == ']' {
				return '_'
			}
			return r
		}, oneLine(filepath.Base(path)))
		marker = fmt.Sprintf("%s%d %s]", markerStart, a.last, text.Truncate(name, 40, "…"))
	}
	a.set(marker, img, path)
	return marker
}

// set has a marker stand for an image.
func (a *attachments) set(marker string, img *ai.Image, path string) {
	a.list = slices.DeleteFunc(a.list, func(x attachment) bool { return x.marker == marker })
	a.list = append(a.list, attachment{marker, img, path})
	a.reserve(marker)
}

// reserve keeps the number of a marker from being given again.
func (a *attachments) reserve(marker string) {
	digits := strings.TrimPrefix(marker, markerStart)
	if end := strings.IndexAny(digits, " ]"); end > 0 {
		if n, err := strconv.Atoi(digits[:end]); err == nil {
			a.last = max(a.last, n)
		}
	}
}

// in gives the attachments whose markers stand in a text, in the order in which
// they do.
func (a *attachments) in(s string) []attachment {
	var found []attachment
	for _, m := range markersIn(s) {
		for _, x := range a.list {
			if x.marker == m && !slices.ContainsFunc(found, func(y attachment) bool { return y.marker == m }) {
				found = append(found, x)
			}
		}
	}
	return found
}

// images are the images of a text.
func (a *attachments) images(s string) []*ai.Image {
	var list []*ai.Image
	for _, x := range a.in(s) {
		list = append(list, x.image)
	}
	return list
}

// before gives the marker that ends where a text does, "" if none does.
func (a *attachments) before(s string) string {
	for _, x := range a.list {
		if strings.HasSuffix(s, x.marker) {
			return x.marker
		}
	}
	return ""
}

// markersIn gives what looks like a marker in a text, in order.
func markersIn(s string) []string {
	var found []string
	for {
		at := strings.Index(s, markerStart)
		if at < 0 {
			return found
		}
		s = s[at:]
		end := strings.IndexAny(s, "]\n")
		if end < 0 {
			return found
		}
		if s[end] == ']' {
			found = append(found, s[:end+1])
		}
		s = s[end:]
	}
}

// takeMarker deletes the whole marker before the cursor, if there is one.
func (u *ui) takeMarker() bool {
	b := u.editor.Buffer()
	p := b.Cursor()
	m := u.attached.before(b.Lines()[p.Row][:p.Col])
	if m == "" {
		return false
	}
	b.Replace(edit.Pos{Row: p.Row, Col: p.Col - len(m)}, p, "")
	u.changed()
	return true
}

// pasteTime is how long a program may take to give what is on the clipboard.
const pasteTime = 5 * time.Second

// maxImageFile is how large a file of an image may be.
const maxImageFile = 64 << 20

// pasteFromClipboard takes an image from the clipboard along with the next message,
// or else inserts the text that is there. quiet says nothing if there is neither.
func (u *ui) pasteFromClipboard(quiet bool) {
	o := clipboard.Options{Getenv: u.cfg.Getenv}
	ssh := u.p.Terminal().Facts().SSH
	u.spawn(func() {
		ctx, cancel := context.WithTimeout(u.ctx, pasteTime)
		defer cancel()
		data, err := clipboard.ReadImage(ctx, o)
		var img *ai.Image
		pasted := ""
		switch {
		case err == nil:
			img, err = u.fitImage(ctx, data)
		case errors.Is(err, clipboard.ErrEmpty):
			if s, terr := clipboard.ReadText(ctx, o); terr == nil {
				pasted = s
			}
		}
		u.p.Do(func() {
			switch {
			case img != nil:
				u.attach(img, "")
			case pasted != "":
				u.editor.Paste(pasted)
			case quiet:
			case errors.Is(err, clipboard.ErrNone) && ssh:
				u.hint("The clipboard is on the other side of SSH. Copy the image here and name its file with @, or drag it in.")
			case errors.Is(err, clipboard.ErrNone):
				u.hint("The clipboard can not be read: " + err.Error() + ". An image can be dragged in, too.")
			default:
				u.hint("There is no image to paste: " + err.Error())
			}
		})
	})
}

// fitImage makes an image that a model takes.
func (u *ui) fitImage(ctx context.Context, data []byte) (*ai.Image, error) {
	mime, ok := picture.Detect(data[:min(len(data), picture.SniffLen)])
	if !ok {
		return nil, errors.New("it is in no format that models take")
	}
	img, err := picture.Fit(ctx, data, mime, picture.Limits{Keep: !u.cfg.Settings.Images.AutoResize})
	if err != nil {
		return nil, err
	}
	return &ai.Image{Data: base64.StdEncoding.EncodeToString(img.Data), MIMEType: img.MIME}, nil
}

// readImage makes an image of a file.
func (u *ui) readImage(ctx context.Context, path string) (*ai.Image, error) {
	data, err := execenv.ReadAtMost(ctx, u.cfg.Env.FS, path, maxImageFile)
	if err != nil {
		return nil, err
	}
	return u.fitImage(ctx, data)
}

// attach puts the marker of an image into the text.
func (u *ui) attach(img *ai.Image, path string) {
	u.editor.Insert(u.attached.add(img, path) + " ")
	u.foot.touch()
	if m := u.session().Model(); m != nil && !slices.Contains(m.Input, "image") {
		u.hint(fmt.Sprintf("%s does not look at images; /model chooses another model.", oneLine(m.ID)))
	}
}

// drop takes a paste that consists of the paths of images, as terminals write them
// for files that are dragged into the window. It reports whether the paste was one.
func (u *ui) drop(pasted string) bool {
	if pasted == "" { // some terminals paste nothing for an image
		u.pasteFromClipboard(true)
		return true
	}
	paths := droppedImages(pasted, u.cfg.Home, u.cfg.Env.Windows)
	if len(paths) == 0 {
		return false
	}
	u.spawn(func() {
		images := make([]*ai.Image, len(paths))
		var failed error
		for i, p := range paths {
			if images[i], failed = u.readImage(u.ctx, p); failed != nil {
				break
			}
		}
		u.p.Do(func() {
			if failed != nil { // then it is just a text
				u.editor.Paste(pasted)
				u.hint("Not taken as an image: " + failed.Error())
				return
			}
			for i, img := range images {
				u.attach(img, paths[i])
			}
		})
	})
	return true
}
