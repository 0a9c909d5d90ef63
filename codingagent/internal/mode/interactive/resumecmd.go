package interactive

import (
	"context"
	"fmt"
	"iter"
	"slices"
	"strings"

	"github.com/pi-go/pi/agentcore/session"
	"github.com/pi-go/pi/codingagent"
	"github.com/pi-go/pi/tui"
	"github.com/pi-go/pi/tui/fuzzy"
	"github.com/pi-go/pi/tui/input"
)

// sessionOrder is how sessions are sorted.
type sessionOrder int

const (
	byTime sessionOrder = iota
	byName
	byLength
	sessionOrders
)

func (o sessionOrder) String() string {
	return [...]string{"newest first", "by name", "longest first"}[o]
}

// resumePicker chooses an earlier session.
type resumePicker struct {
	ui    *ui
	p     *picker
	infos []session.Info
	query string
	named bool // only those with a name
	all   bool // of all directories
	order sessionOrder
	// listing counts the lists that were asked for: an older one that comes late
	// is dropped.
	listing int
	preview preview
}

func (u *ui) resumeCommand(string) {
	if u.cfg.Repo == nil {
		u.hint("Sessions are not kept, so there is none to go on with.")
		return
	}
	u.status.work("Looking for sessions")
	repo, dir := u.cfg.Repo, u.cfg.Dir
	u.spawn(func() {
		infos, err := sessionList(repo.List(u.ctx, session.ListOptions{Cwd: dir}))
		u.p.Do(func() {
			u.restOrWork()
			switch {
			case len(infos) == 0 && err != nil:
				u.fail(err)
			case len(infos) == 0 && u.cfg.Everywhere == nil:
				u.hint("There is no earlier session in this directory.")
			default:
				r := &resumePicker{ui: u, infos: infos}
				r.open("")
				r.list(true)
			}
		})
	})
}

// sessionList collects sessions, the newest first. An error that belongs to one of
// them does not hide the others.
func sessionList(seq iter.Seq2[session.Info, error]) ([]session.Info, error) {
	var infos []session.Info
	var first error
	for info, err := range seq {
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

// list looks for the sessions again, with all that was said in them if text is
// set: that takes longer, and is only wanted for searching.
func (r *resumePicker) list(text bool) {
	u, all := r.ui, r.all
	r.listing++
	turn := r.listing
	repo, dir := u.cfg.Repo, u.cfg.Dir
	u.spawn(func() {
		o := session.ListOptions{Text: text}
		var seq iter.Seq2[session.Info, error]
		if all {
			seq = u.cfg.Everywhere(u.ctx, o)
		} else {
			o.Cwd = dir
			seq = repo.List(u.ctx, o)
		}
		infos, err := sessionList(seq)
		u.p.Do(func() {
			if turn != r.listing {
				return
			}
			if len(infos) == 0 {
				u.fail(err)
			}
			r.infos = infos
			r.show()
			if !text {
				r.list(true)
			}
		})
	})
}

// show brings the list up to date.
func (r *resumePicker) show() {
	items := r.items()
	if !sameItems(items, r.p.list.Items()) {
		r.p.list.SetItems(items)
	}
	if it, ok := r.p.list.Selected(); ok && r.preview.on {
		r.look(it)
	}
}

func (r *resumePicker) items() []tui.ListItem {
	list := slices.Clone(r.infos)
	switch r.order {
	case byName:
		slices.SortStableFunc(list, func(a, b session.Info) int {
			return strings.Compare(strings.ToLower(title(a)), strings.ToLower(title(b)))
		})
	case byLength:
		slices.SortStableFunc(list, func(a, b session.Info) int { return b.Messages - a.Messages })
	}
	if r.named {
		list = slices.DeleteFunc(list, func(i session.Info) bool { return i.Name == "" })
	}
	var items []tui.ListItem
	seen := map[string]bool{}
	add := func(i session.Info, about string) {
		if about == "" {
			about = fmt.Sprintf("%s · %s", ago(i.Modified), count(i.Messages, "message"))
			if r.all {
				about += " · " + oneLine(r.ui.homePath(i.Cwd))
			}
			if i.ID == r.ui.session().ID() {
				about += " · this one"
			}
		}
		seen[i.Ref] = true
		items = append(items, tui.ListItem{Value: i.Ref, Label: title(i), Description: about, Data: i})
	}
	if strings.TrimSpace(r.query) == "" {
		for _, i := range list {
			add(i, "")
		}
		return items
	}
	for _, i := range fuzzy.Filter(list, r.query, func(i session.Info) string { return title(i) }) {
		add(i, "")
	}
	for _, i := range list {
		if around, ok := said(i, r.query); ok && !seen[i.Ref] {
			add(i, "… "+around+" …")
		}
	}
	return items
}

// said finds the words of a query in what was said in a session, and gives the
// surroundings of the first.
func said(i session.Info, query string) (around string, ok bool) {
	text := strings.ToLower(i.Text + " " + i.ID + " " + i.Cwd)
	words := strings.Fields(strings.ToLower(query))
	for _, w := range words {
		if !strings.Contains(text, w) {
			return "", false
		}
	}
	const before, room = 12, 60
	at := max(strings.Index(text, words[0])-before, 0)
	for at > 0 && at < len(text) && text[at]&0xC0 == 0x80 {
		at--
	}
	return oneLine(clip(text[at:], room)), true
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
	r.p = u.pick("", r.items(), func(it tui.ListItem) { u.openSession(it.Value, "") })
	r.p.list.Empty, r.p.list.Typing = "No session", false
	r.p.list.OnMove = func(it tui.ListItem) {
		if r.preview.on {
			r.look(it)
		}
	}
	r.p.filter = func() string { return r.query }
	r.p.paste = func(p input.Paste) {
		r.query = tui.FilterWithPaste(r.query, p)
		r.found()
	}
	r.p.list.Select(marked)
	r.p.below = r.preview.render(u)
	r.p.keys = r.key
	r.describe()
}

// describe says in title and hints what is shown and what can be done.
func (r *resumePicker) describe() {
	u := r.ui
	where := ""
	if r.all {
		where = " of any directory"
	}
	if r.named {
		where += ", named"
	}
	r.p.title = "Resume a session" + where + " · " + r.order.String()
	r.p.hint = []string{"type to search", "enter opens"}
	hints := [][2]string{
		{"app.session.preview", "look"},
		{"app.session.toggleSort", "order"},
		{"app.session.toggleNamedFilter", "named only"},
		{"app.session.rename", "rename"},
		{"app.session.delete", "delete"},
	}
	if u.cfg.Everywhere != nil {
		what := "all directories"
		if r.all {
			what = "this directory"
		}
		hints = append(hints, [2]string{"app.session.togglePath", what})
	}
	for _, h := range hints {
		if k := u.keys.Text(h[0]); k != "" {
			r.p.hint = append(r.p.hint, k+" "+h[1])
		}
	}
	r.p.hint = append(r.p.hint, "escape")
}

func (r *resumePicker) key(k input.Key) bool {
	u := r.ui
	it, ok := r.p.list.Selected()
	switch u.keys.First(k, "app.session.toggleSort", "app.session.toggleNamedFilter", "app.session.togglePath", "app.session.preview",
		"app.session.rename", "app.session.delete", "app.session.deleteNoninvasive") {
	case "app.session.toggleSort":
		r.order = (r.order + 1) % sessionOrders
	case "app.session.toggleNamedFilter":
		r.named = !r.named
	case "app.session.togglePath":
		if u.cfg.Everywhere == nil {
			return true
		}
		r.all = !r.all
		r.list(false)
	case "app.session.preview":
		r.preview.on = !r.preview.on
	case "app.session.rename":
		if ok {
			r.rename(it.Data.(session.Info))
		}
		return true
	case "app.session.deleteNoninvasive":
		if r.query != "" {
			r.query = ""
			break
		}
		fallthrough
	case "app.session.delete":
		if ok {
			r.delete(it.Data.(session.Info))
		}
		return true
	default:
		return r.typed(k)
	}
	r.describe()
	r.show()
	return true
}

// typed changes what is searched for.
func (r *resumePicker) typed(k input.Key) bool {
	switch {
	case k.Text != "":
		r.query += k.Text
	case k.Is(input.ID{Name: "backspace"}) && r.query != "":
		runes := []rune(r.query)
		r.query = string(runes[:len(runes)-1])
	case r.ui.keys.Is(k, "tui.select.cancel") && r.query != "":
		r.query = ""
	default:
		return false
	}
	r.found()
	return true
}

// found shows what is found now.
func (r *resumePicker) found() {
	r.p.list.SetItems(r.items())
	r.show()
}

func (r *resumePicker) rename(i session.Info) {
	u := r.ui
	u.ask("New name", i.Name, false, func(name string) {
		r.open(i.Ref)
		repo, agentDir := u.cfg.Repo, u.cfg.AgentDir
		u.later(func(ctx context.Context) error {
			if i.ID == u.session().ID() {
				return u.session().Harness().SetName(ctx, name)
			}
			s, err := session.Open(ctx, repo, i.Ref, session.Options{})
			if err != nil {
				return codingagent.InUse(err, agentDir)
			}
			if err := s.SetName(ctx, name); err != nil {
				_ = s.Close() // the first error is the one that matters
				return err
			}
			return s.Close()
		}, func() {
			for n := range r.infos {
				if r.infos[n].Ref == i.Ref {
					r.infos[n].Name = session.CleanName(name)
				}
			}
			r.show()
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
		r.open(i.Ref)
		if it.Value == "no" {
			return
		}
		repo, agentDir := u.cfg.Repo, u.cfg.AgentDir
		u.later(func(ctx context.Context) error { return codingagent.InUse(repo.Delete(ctx, i.Ref), agentDir) }, func() {
			r.infos = slices.DeleteFunc(r.infos, func(x session.Info) bool { return x.Ref == i.Ref })
			r.show()
			r.list(true) // one that is under way still has it
			u.hint("Deleted.")
		})
	})
	p.list.OnCancel = func() { r.open(i.Ref) }
}
