package interactive

import (
	"errors"
	"fmt"
	"strings"

	"github.com/pi-go/pi/codingagent"
	"github.com/pi-go/pi/codingagent/resource"
	"github.com/pi-go/pi/codingagent/settings"
	"github.com/pi-go/pi/codingagent/trust"
)

// reloadCommand reads all files again that shape the program: settings, keys,
// themes, skills, templates and instructions.
func (u *ui) reloadCommand(string) {
	if !u.idle("read the files again") {
		return
	}
	s, dir := u.session(), u.cfg.Dir
	u.spawn(func() {
		err := s.Reload(u.ctx)
		found := u.lookAgain(dir, s)
		u.p.Do(func() {
			if errors.Is(err, codingagent.ErrBusy) {
				u.idle("read the files again")
				return
			}
			u.fail(err)
			notes := append(u.readKeys(), u.loadThemes()...)
			u.scope = scope{}
			u.adopt(found.settings)
			u.note("success", "Read again: "+strings.Join(append([]string{"settings", "keys"}, counted(u, s)...), ", ")+".")
			u.showNotes(append(notes, found.notes...))
			u.guests.checkKeys()
			u.foot.refresh()
		})
	})
}

// counted says how many there are of what was found.
func counted(u *ui, s *codingagent.AgentSession) []string {
	skills, templates, extensions := 0, 0, 0
	for _, e := range s.Extensions().Extensions() {
		if !e.Hidden {
			extensions++
		}
	}
	for _, c := range s.Commands() {
		switch c.Source {
		case "skill":
			skills++
		case "prompt":
			templates++
		}
	}
	var out []string
	for _, x := range []struct {
		n    int
		what string
	}{{len(u.themes), "theme"}, {skills, "skill"}, {templates, "template"}, {extensions, "extension"}} {
		if x.n > 0 {
			out = append(out, count(x.n, x.what))
		}
	}
	return out
}

// surroundings are what files say for a directory.
type surroundings struct {
	settings *settings.Settings // nil: as they are
	notes    []string
}

// lookAgain reads what files say for a directory; it may be called on any
// goroutine.
func (u *ui) lookAgain(dir string, s *codingagent.AgentSession) surroundings {
	var out surroundings
	if u.cfg.Load != nil {
		set, v, notes := u.cfg.Load(u.ctx, dir)
		out.settings, out.notes = &set, notes
		if n := skippedNote(v); n != "" {
			out.notes = append(out.notes, n)
		}
	}
	out.notes = append(out.notes, diagnosticTexts(s.Diagnostics())...)
	return out
}

func diagnosticTexts(list []resource.Diagnostic) []string {
	var out []string
	for _, d := range list {
		out = append(out, d.Path+" "+d.Message)
	}
	return out
}

// skippedNote says that the files of a project are left out, "" if they are not.
func skippedNote(v trust.Verdict) string {
	if !v.Skipped() {
		return ""
	}
	return fmt.Sprintf("The files of this project in %s and .agents are not used, for it is not trusted (%s); /trust decides.", trust.ConfigDir, v.Reason)
}

// showNotes shows warnings below each other.
func (u *ui) showNotes(notes []string) {
	if len(notes) > 0 {
		u.note("warning", strings.Join(notes, "\n"))
	}
}

// adopt puts settings in force. What the person changed while the program runs
// and did not keep is gone.
func (u *ui) adopt(set *settings.Settings) {
	if set == nil {
		return
	}
	before := u.cfg.Settings.Terminal
	u.cfg.Settings, u.settings = *set, set.Terminal
	if set.Terminal.Regular != before.Regular {
		u.setScreen(!set.Terminal.Regular)
	}
	if set.Terminal.HideThinking != before.HideThinking {
		u.hideThinking = set.Terminal.HideThinking
	}
	u.editor.PadX = u.settings.EditorPadding
	if set.Terminal.ViKeys != before.ViKeys {
		u.editor.SetVi(u.settings.ViKeys)
	}
	u.noSkills.Store(!set.SkillCommands)
	u.setCompletion()
	u.setScrolling()
	u.applyTheme()
}

// setScreen changes between a screen of the program's own and the terminal's
// scrollback.
func (u *ui) setScreen(full bool) {
	if before := u.pasts.omitted; full != u.p.Terminal().FullScreen() {
		if u.omit(full); u.pasts.omitted != before {
			u.p.Restyle()
		}
	}
	u.wasRegular = u.wasRegular || !u.p.Terminal().FullScreen()
	if err := u.p.SetFullScreen(full); err != nil {
		u.fail(err)
		return
	}
	u.fail(u.p.Terminal().SetMouse(full))
}

// movedTo shows that the session works in another directory: the files of that one
// count now.
func (u *ui) movedTo(dir string) {
	u.cfg.Dir, u.cfg.Repo = dir, u.cfg.Runtime.Repo()
	u.fileList.setRoot(dir)
	u.setTitle()
	u.scope = scope{}
	s := u.session()
	u.spawn(func() {
		found := u.lookAgain(dir, s)
		u.p.Do(func() {
			if u.session() != s {
				return
			}
			u.adopt(found.settings)
			u.showNotes(found.notes)
		})
	})
}
