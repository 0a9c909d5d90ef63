package interactive

import (
	"os"
	"runtime"
	"strings"
	"time"
)

// externalEditor lets the person write in a program of their own.
func (u *ui) externalEditor() {
	before := u.editor.Text()
	if after := u.editExternally(before); after != before {
		u.editor.SetText(after)
	}
}

// editExternally has a text edited in a program of the person's own, and gives what it
// became.
func (u *ui) editExternally(before string) string {
	after, err := u.p.EditExternally(u.ctx, before, u.editorName())
	u.handedBack = time.Now()
	u.fail(err)
	return strings.ToValidUTF8(after, "\uFFFD")
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
