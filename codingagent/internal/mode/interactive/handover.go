package interactive

import (
	"os"
	"runtime"
	"strings"
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
