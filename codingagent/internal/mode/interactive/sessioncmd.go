package interactive

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/pi-go/pi/agentcore"
	"github.com/pi-go/pi/agentcore/session"
	"github.com/pi-go/pi/ai"
	"github.com/pi-go/pi/tui"
	"github.com/pi-go/pi/tui/input"
)

// replaced runs something that replaces the session, and shows the new one.
func (u *ui) replaced(work func(ctx context.Context) (text string, err error), said string) {
	u.status.work("Opening")
	u.spawn(func() {
		text, err := work(u.ctx)
		u.p.Do(func() {
			u.status.rest()
			if err != nil {
				u.fail(err)
				return
			}
			if dir := u.session().Header().Cwd; dir != "" {
				u.cfg.Dir = dir
				u.fileList.mu.Lock()
				u.fileList.root, u.fileList.names = dir, nil
				u.fileList.mu.Unlock()
			}
			u.restart()
			if text != "" {
				u.editor.SetText(text)
			}
			u.hint(said)
		})
	})
}

func (u *ui) newCommand(string) {
	u.replaced(func(ctx context.Context) (string, error) { return "", u.cfg.Runtime.New(ctx, "") }, "A new session.")
}

func (u *ui) cloneCommand(string) {
	if u.untouched() {
		u.hint("There is nothing to copy yet.")
		return
	}
	u.replaced(func(ctx context.Context) (string, error) { return "", u.cfg.Runtime.Clone(ctx) }, "This is a copy now; the original stays as it is.")
}

// untouched reports whether nothing was said in the session yet.
func (u *ui) untouched() bool {
	return !slices.ContainsFunc(u.session().State().Messages, func(m agentcore.Message) bool { return m.Role() != ai.RoleSystem })
}

// forkCommand lets the person choose one of their messages to go on from in a
// new session.
func (u *ui) forkCommand(string) {
	s := u.session().Session()
	u.spawn(func() {
		entries, err := s.Branch(u.ctx, s.Leaf())
		var items []tui.ListItem
		for _, e := range slices.Backward(entries) {
			if m, ok := e.(*session.MessageEntry); ok {
				if um, ok := m.Message.(*ai.UserMessage); ok {
					items = append(items, tui.ListItem{Value: m.ID, Label: firstLine(ai.TextOf(um.Content, "\n"), 200), Description: ago(m.Time)})
				}
			}
		}
		u.p.Do(func() {
			switch {
			case err != nil:
				u.fail(err)
			case len(items) == 0:
				u.hint("There is no message of yours to fork from yet.")
			default:
				u.pick("Fork from a message", items, func(it tui.ListItem) {
					u.replaced(func(ctx context.Context) (string, error) { return u.cfg.Runtime.Fork(ctx, it.Value) }, "A new session, from that message on.")
				})
			}
		})
	})
}

// resumePicker chooses an earlier session.
type resumePicker struct {
	ui     *ui
	p      *picker
	infos  []session.Info
	named  bool // only those with a name
	byName bool // in order of names
}

func (u *ui) resumeCommand(string) {
	if u.cfg.Repo == nil {
		u.hint("Sessions are not kept, so there is none to go on with.")
		return
	}
	u.status.work("Looking for sessions")
	u.spawn(func() {
		infos, err := u.sessions(u.ctx)
		u.p.Do(func() {
			if !u.session().Busy() {
				u.status.rest()
			}
			switch {
			case len(infos) == 0 && err != nil:
				u.fail(err)
			case len(infos) == 0:
				u.hint("There is no earlier session in this directory.")
			default:
				r := &resumePicker{ui: u, infos: infos}
				r.open("")
			}
		})
	})
}

// sessions lists the sessions of the directory, the newest first. An error
// that belongs to one of them does not hide the others.
func (u *ui) sessions(ctx context.Context) ([]session.Info, error) {
	var infos []session.Info
	var first error
	for info, err := range u.cfg.Repo.List(ctx, session.ListOptions{Cwd: u.cfg.Dir}) {
		switch {
		case err != nil && first == nil:
			first = err
		case err == nil:
			infos = append(infos, info)
		}
	}
	session.SortByTime(infos)
	return infos, first
}

func (r *resumePicker) items() []tui.ListItem {
	list := slices.Clone(r.infos)
	if r.byName {
		slices.SortStableFunc(list, func(a, b session.Info) int {
			return strings.Compare(strings.ToLower(title(a)), strings.ToLower(title(b)))
		})
	}
	var items []tui.ListItem
	for _, i := range list {
		if r.named && i.Name == "" {
			continue
		}
		about := fmt.Sprintf("%s · %s", ago(i.Modified), count(i.Messages, "message"))
		if i.ID == r.ui.session().ID() {
			about += " · this one"
		}
		items = append(items, tui.ListItem{Value: i.Ref, Label: title(i), Description: about, Data: i})
	}
	return items
}

// title is what a session is known by.
func title(i session.Info) string {
	switch {
	case i.Name != "":
		return firstLine(i.Name, 100)
	case i.First != "":
		return firstLine(i.First, 100)
	}
	return "(empty)"
}

// open shows the list, with a session marked.
func (r *resumePicker) open(marked string) {
	u := r.ui
	r.p = u.pick("Resume a session", r.items(), func(it tui.ListItem) {
		u.replaced(func(ctx context.Context) (string, error) { return "", u.cfg.Runtime.Open(ctx, it.Value) }, "")
	})
	r.p.list.Empty = "No session"
	r.p.list.Select(marked)
	r.p.hint = fmt.Sprintf("enter opens · %s order · %s named only · %s rename · %s delete · escape", u.keys.Text("app.session.toggleSort"),
		u.keys.Text("app.session.toggleNamedFilter"), u.keys.Text("app.session.rename"), u.keys.Text("app.session.delete"))
	r.p.keys = r.key
}

func (r *resumePicker) key(k input.Key) bool {
	u := r.ui
	it, ok := r.p.list.Selected()
	switch u.keys.First(k, "app.session.toggleSort", "app.session.toggleNamedFilter", "app.session.rename", "app.session.delete") {
	case "app.session.toggleSort":
		r.byName = !r.byName
		r.p.list.SetItems(r.items())
	case "app.session.toggleNamedFilter":
		r.named = !r.named
		r.p.list.SetItems(r.items())
	case "app.session.rename":
		if ok {
			r.rename(it.Data.(session.Info))
		}
	case "app.session.delete":
		if ok {
			r.delete(it.Data.(session.Info))
		}
	default:
		return false
	}
	return true
}

func (r *resumePicker) rename(i session.Info) {
	u := r.ui
	u.ask("New name", i.Name, false, func(name string) {
		u.later(func(ctx context.Context) error {
			if i.ID == u.session().ID() {
				return u.session().Harness().SetName(ctx, name)
			}
			s, err := session.Open(ctx, u.cfg.Repo, i.Ref, session.Options{})
			if err != nil {
				return err
			}
			if err := s.SetName(ctx, name); err != nil {
				_ = s.Close() // the first error is the one that matters
				return err
			}
			return s.Close()
		}, func() {
			for n := range r.infos {
				if r.infos[n].Ref == i.Ref {
					r.infos[n].Name = name
				}
			}
			r.open(i.Ref)
		})
	}, func() { r.open(i.Ref) })
}

func (r *resumePicker) delete(i session.Info) {
	u := r.ui
	if i.ID == u.session().ID() {
		u.hint("This session is open; /new begins another one, then it can be deleted.")
		return
	}
	items := []tui.ListItem{{Value: "no", Label: "No, keep it"}, {Value: "yes", Label: "Yes, delete " + title(i)}}
	p := u.pick("Delete this session for good?", items, func(it tui.ListItem) {
		if it.Value == "no" {
			r.open(i.Ref)
			return
		}
		u.later(func(ctx context.Context) error { return u.cfg.Repo.Delete(ctx, i.Ref) }, func() {
			r.infos = slices.DeleteFunc(r.infos, func(x session.Info) bool { return x.Ref == i.Ref })
			r.open("")
			u.hint("Deleted.")
		})
	})
	p.list.OnCancel = func() { r.open(i.Ref) }
}

// ago says how long ago something was.
func ago(t time.Time) string {
	d := time.Since(t)
	switch {
	case d < time.Minute:
		return "just now"
	case d < time.Hour:
		return fmt.Sprintf("%dm ago", int(d.Minutes()))
	case d < 24*time.Hour:
		return fmt.Sprintf("%dh ago", int(d.Hours()))
	case d < 30*24*time.Hour:
		return fmt.Sprintf("%dd ago", int(d.Hours()/24))
	}
	return t.Local().Format(time.DateOnly)
}
