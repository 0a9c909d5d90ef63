package interactive

import (
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"time"

	"github.com/pi-go/pi/ai"
	"github.com/pi-go/pi/codingagent/tools/picture"
)

// externalEditor lets the person write in a program of their own.
func (u *ui) externalEditor() {
	before := u.editor.Text()
	after, err := u.p.EditExternally(before, u.editorName())
	if err != nil {
		u.fail(err)
		return
	}
	if after = strings.ToValidUTF8(after, "\uFFFD"); after != before {
		u.editor.SetText(after)
	}
}

// editorName is the editor of the settings, of the environment, or one that
// mostly is there.
func (u *ui) editorName() string {
	getenv := u.cfg.Getenv
	if getenv == nil {
		getenv = os.Getenv
	}
	for _, s := range []string{u.settings.ExternalEditor, getenv("VISUAL"), getenv("EDITOR")} {
		if strings.TrimSpace(s) != "" {
			return s
		}
	}
	if runtime.GOOS == "windows" {
		return "notepad"
	}
	return "nano"
}

// pasteTime is how long a program may take to give what is on the clipboard.
const pasteTime = 3 * time.Second

// pasteImage takes an image from the clipboard along with the next message.
func (u *ui) pasteImage() {
	u.spawn(func() {
		ctx, cancel := context.WithTimeout(u.ctx, pasteTime)
		defer cancel()
		data, err := clipboardImage(ctx)
		u.p.Do(func() {
			switch {
			case err != nil:
				u.hint("There is no image to paste: " + err.Error())
			default:
				mime, ok := picture.Detect(data[:min(len(data), picture.SniffLen)])
				if !ok {
					u.hint("What is on the clipboard is no image.")
					return
				}
				u.images = append(u.images, &ai.Image{Data: base64.StdEncoding.EncodeToString(data), MIMEType: mime})
				u.foot.touch()
				u.hint("The image goes along with the next message.")
			}
		})
	})
}

// clipboardImage asks the programs that systems have for it.
func clipboardImage(ctx context.Context) ([]byte, error) {
	tries := [][]string{
		{"wl-paste", "--no-newline", "--type", "image/png"},
		{"xclip", "-selection", "clipboard", "-target", "image/png", "-out"},
	}
	if runtime.GOOS == "darwin" {
		tries = [][]string{{"pngpaste", "-"}}
	}
	found := false
	for _, t := range tries {
		path, err := exec.LookPath(t[0])
		if err != nil {
			continue
		}
		found = true
		if out, err := exec.CommandContext(ctx, path, t[1:]...).Output(); err == nil && len(out) > 0 {
			return out, nil
		}
	}
	if !found {
		var names []string
		for _, t := range tries {
			names = append(names, t[0])
		}
		return nil, fmt.Errorf("it needs one of the programs %s", strings.Join(names, ", "))
	}
	return nil, errors.New("the clipboard holds none")
}
