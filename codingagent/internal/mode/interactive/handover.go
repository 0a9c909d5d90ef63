package interactive

import (
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"time"

	"github.com/pi-go/pi/ai"
	"github.com/pi-go/pi/codingagent/tools/picture"
)

// externalEditor lets the person write in a program of their own.
func (u *ui) externalEditor() {
	name := u.editorName()
	before := u.editor.Text()
	dir, err := os.MkdirTemp("", "pi-edit-")
	if err != nil {
		u.fail(fmt.Errorf("edit the message: %w", err))
		return
	}
	defer func() { _ = os.RemoveAll(dir) }() // only a temporary file is left if it can not be removed
	file := filepath.Join(dir, "message.md")
	if err := os.WriteFile(file, []byte(before), 0o600); err != nil {
		u.fail(fmt.Errorf("edit the message: %w", err))
		return
	}
	err = u.p.HandOver(func() error {
		// The name may hold arguments, as EDITOR does, so a shell reads it.
		cmd := exec.Command("/bin/sh", "-c", name+` "$1"`, "sh", file)
		if runtime.GOOS == "windows" {
			cmd = exec.Command("cmd", "/c", name+" "+file)
		}
		cmd.Dir = u.cfg.Dir
		cmd.Stdin, cmd.Stdout, cmd.Stderr = os.Stdin, os.Stdout, os.Stderr
		return cmd.Run()
	})
	if err != nil {
		u.fail(fmt.Errorf("run the editor %q: %w", name, err))
		return
	}
	after, err := os.ReadFile(file)
	if err != nil {
		u.fail(fmt.Errorf("read what was written: %w", err))
		return
	}
	if s := strings.TrimRight(strings.ToValidUTF8(string(after), "\uFFFD"), "\n"); s != before {
		u.editor.SetText(s)
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
