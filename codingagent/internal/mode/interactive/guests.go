package interactive

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/pi-go/pi/codingagent"
	"github.com/pi-go/pi/codingagent/extension"
	"github.com/pi-go/pi/codingagent/internal/mode/interactive/guest"
	"github.com/pi-go/pi/tui"
	"github.com/pi-go/pi/tui/input"
	"github.com/pi-go/pi/tui/theme"
)

// guests are what extensions show on the screen, and what they were told of it.
// Fields belong to the goroutine of the program unless they say otherwise.
type guests struct {
	ui     *ui
	faults *faultList

	prompts      []*prompt // the newest last
	above, below *tui.Container
	widgets      []*widget
	statuses     *statusLine
	header       *header
	footing      *tui.Container // the footer, or what takes its place
	footer       *guest.Component
	editor       *guest.Component // in the place of ours, nil if nothing is
	working      extension.Working
	thinking     string // what stands for hidden thinking, "" is our own
	titled       bool
	watchers     []func() // end the watching of keys
	shared       sharedKeys
	markdown     *guest.Calls

	// What follows may be read on any goroutine. sessions counts those that have
	// ended: what extensions of an earlier one still ask for is not done.
	sessions    atomic.Int64
	size        atomic.Pointer[[2]int]
	expanded    atomic.Bool
	text        atomic.Pointer[string]
	themes      atomic.Pointer[themeSet]
	shown       atomic.Pointer[editorShown]
	keyNames    atomic.Pointer[map[string]string]
	completions completions
	facts       footerFacts
}

func newGuests(u *ui) *guests {
	g := &guests{ui: u, faults: newFaultList(u), above: tui.NewContainer(), below: tui.NewContainer()}
	g.statuses = &statusLine{g: g}
	g.header = &header{g: g}
	g.footing = tui.NewContainer(u.foot)
	g.markdown = g.hostFor(u.p.Update).Calls("a markdown transformer")
	g.facts.statuses = map[string]string{}
	g.facts.providers = func() int {
		vendors := map[string]bool{}
		for _, m := range u.session().Models().Available(u.ctx) {
			vendors[m.Provider] = true
		}
		return len(vendors)
	}
	return g
}

// hostOf is where components of an extension are shown.
func (g *guests) hostOf(who origin) *guest.Host {
	return &guest.Host{Late: g.ui.p.Update, Fault: g.faultOf(who.name, who.path)}
}

// faultOf reports what an extension did wrong on the screen.
func (g *guests) faultOf(name string, path ...string) func(what string, err error) {
	return func(what string, err error) {
		f := &extension.Fault{Extension: name, Event: what, Err: err}
		if len(path) > 0 {
			f.Path = path[0]
		}
		if p, ok := err.(*guest.Panic); ok {
			f.Stack = p.Stack
		}
		g.faults.report(f)
	}
}

// attach tells the sessions of the screen, and extensions that the session begins
// as soon as there is something to see.
func (g *guests) attach(ctx context.Context) {
	u := g.ui
	u.cfg.Runtime.Attach(codingagent.Front{
		Mode: extension.ModeTUI, UI: &guestUI{g: g, session: -1},
		Shutdown: func() { u.p.Do(func() { u.quit(nil) }) },
		Cleared: func() {
			g.sessions.Add(1)
			u.p.Do(g.clear)
		},
		Replaced: func() { u.p.Do(u.another) },
	})
	if u.cfg.Faults != nil {
		u.cfg.Faults.Attach(g.faults.report)
	}
	u.p.Do(func() {
		g.tell()
		g.checkKeys()
		u.spawn(func() { u.cfg.Runtime.Start(ctx) })
	})
}

// another shows that another session is the current one, or another branch of it.
func (u *ui) another() {
	u.restart()
	u.guests.checkKeys()
	if dir := u.session().Dir(); dir != u.cfg.Dir {
		u.movedTo(dir)
	}
}

// clear takes away all that extensions have shown: their session has ended.
func (g *guests) clear() {
	for _, p := range append([]*prompt(nil), g.prompts...) {
		p.cancel()
	}
	for _, w := range g.widgets {
		w.close()
	}
	g.widgets = nil
	g.arrangeWidgets()
	g.statuses.clear()
	g.header.set(nil)
	g.setFooter(nil)
	g.setEditor(nil)
	g.facts.watchers(nil)
	if g.ui.lentTheme != nil {
		g.ui.lentTheme = nil
		g.ui.applyTheme()
	}
	g.working, g.thinking = extension.Working{}, ""
	g.ui.status.dress(g.working)
	for _, end := range g.watchers {
		end()
	}
	g.watchers = nil
	g.completions.clear()
	g.ui.setCompletion()
	if g.titled {
		g.titled = false
		g.ui.setTitle()
	}
	g.ui.p.Restyle()
}

// tell keeps what extensions may ask for at any time.
func (g *guests) tell() {
	u := g.ui
	w, h := u.p.Size()
	g.size.Store(&[2]int{w, h})
	g.expanded.Store(u.expanded)
	g.text.Store(new(u.editor.Text()))
	g.themes.Store(u.themeSet())
	g.tellKeys()
	g.facts.set(u.foot.branch)
}

// Providers counts the vendors that can be used.
func (f *footerFacts) Providers() int { return f.providers() }

// changed is told that the text in the editor is another one.
func (g *guests) changed() { g.text.Store(new(g.ui.editor.Text())) }

// editorShown is what stands in the editor's place, and for which session.
type editorShown struct {
	session int64
	show    func(extension.Surface, extension.Editor) extension.Component
}

// origin says whose something is.
type origin struct{ name, path string }

func (o origin) String() string {
	if o.name != "" {
		return o.name
	}
	return "an extension"
}

// themeInForce gives the theme, on any goroutine.
func (g *guests) themeInForce() *theme.Theme { return g.ui.look.now.Load() }

func (g *guests) theme() extension.Theme { return guest.Theme(g.themeInForce) }

// surface is the screen as a component sees it.
type surface struct {
	g      *guests
	redraw func()
}

// Size is that of the terminal.
func (s surface) Size() (columns, rows int) {
	if p := s.g.size.Load(); p != nil {
		return p[0], p[1]
	}
	return 80, 24
}

// Redraw asks for another drawing.
func (s surface) Redraw() { s.redraw() }

// Theme gives the colours.
func (s surface) Theme() extension.Theme { return s.g.theme() }

// footerFacts are what a footer of an extension may show; safe for concurrent use.
type footerFacts struct {
	providers func() int

	mu       sync.Mutex
	branch   string
	statuses map[string]string
	watched  *branchFacts // by the footer that is shown
}

// set tells of the branch.
func (f *footerFacts) set(branch string) {
	f.mu.Lock()
	changed, watched := f.branch != branch, f.watched
	f.branch = branch
	f.mu.Unlock()
	if changed && watched != nil {
		watched.tell()
	}
}

// watchers says who is told when the branch changes; nil is nobody.
func (f *footerFacts) watchers(b *branchFacts) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.watched = b
}

// branchFacts are the facts of one footer, with its listeners; safe for concurrent use.
type branchFacts struct {
	*footerFacts
	calls *guest.Calls

	mu        sync.Mutex
	listeners []*func()
}

// OnBranchChange adds a listener.
func (b *branchFacts) OnBranchChange(f func()) (remove func()) {
	own := &f
	b.mu.Lock()
	defer b.mu.Unlock()
	b.listeners = append(b.listeners, own)
	return func() {
		b.mu.Lock()
		defer b.mu.Unlock()
		b.listeners = slices.DeleteFunc(b.listeners, func(o *func()) bool { return o == own })
	}
}

func (b *branchFacts) tell() {
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, f := range b.listeners {
		b.calls.Post(*f)
	}
}

// Branch is the git branch.
func (f *footerFacts) Branch() string {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.branch
}

// Statuses are the texts of the extensions.
func (f *footerFacts) Statuses() map[string]string {
	f.mu.Lock()
	defer f.mu.Unlock()
	out := make(map[string]string, len(f.statuses))
	for k, v := range f.statuses {
		out[k] = v
	}
	return out
}

func (f *footerFacts) status(key, s string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if s == "" {
		delete(f.statuses, key)
	} else {
		f.statuses[key] = s
	}
}

// stop reports whether a key is one that cancels.
func (g *guests) cancels(ev input.Event) bool {
	k, ok := ev.(input.Key)
	return ok && k.Action != input.Release && g.ui.keys.Is(k, "tui.select.cancel")
}

// nameOf names what an extension shows, for messages.
func nameOf(kind, key string) string {
	if key == "" {
		return kind
	}
	return fmt.Sprintf("%s %s", kind, oneLine(key))
}
