package interactive

import (
	"fmt"
	"slices"

	"github.com/pi-go/pi/agentcore/session"
	"github.com/pi-go/pi/ai"
	"github.com/pi-go/pi/codingagent/extension"
	"github.com/pi-go/pi/codingagent/internal/mode/interactive/guest"
	"github.com/pi-go/pi/tui"
)

// renderer draws something with a component that an extension makes, and with
// what the program has where it makes none.
type renderer struct {
	g    *guests
	what string
	// make asks the extension; it runs on a goroutine of the extension's.
	make func(v extension.MessageView) extension.Component
	own  tui.Component // may be nil: nothing is shown
	item *tui.Item

	calls *guest.Calls
	c     *guest.Component
	asked bool
	open  bool
	tries int
}

// moreTries is how often something that was too slow is asked for again.
const moreTries = 3

// Render gives the lines.
func (r *renderer) Render(width int) []string {
	if !r.asked || r.open != r.g.ui.expanded {
		r.ask()
	}
	switch {
	case r.c != nil:
		return append([]string{""}, r.c.Render(width)...)
	case r.own != nil:
		return append([]string{""}, r.own.Render(width)...)
	}
	return nil
}

// ask has the component made.
func (r *renderer) ask() {
	r.asked, r.open = true, r.g.ui.expanded
	v := extension.MessageView{Expanded: r.open, Padding: r.g.ui.settings.OutputPadding, Theme: r.g.theme(), KeyText: r.g.keyText}
	made := make(chan extension.Component, 1)
	if r.calls == nil {
		r.calls = r.g.hostFor(r.touch).Calls(r.what)
	}
	if !r.calls.Do(func() { made <- r.make(v) }) {
		r.tries++
		r.asked = r.tries > moreTries // else look again when it is done
		return
	}
	if r.c != nil {
		r.c.Close()
		r.c = nil
	}
	select {
	case c := <-made:
		if c != nil {
			r.c = r.g.hostFor(r.touch).Component(r.what, c)
		}
	default: // it panicked, which was told
	}
}

func (r *renderer) touch() { r.g.ui.p.Do(r.item.Touch) }

// hostFor shows components that are told of through late.
func (g *guests) hostFor(late func()) *guest.Host {
	return &guest.Host{Late: late, Fault: g.faultOf("")}
}

// Invalidate makes it be drawn anew.
func (r *renderer) Invalidate() {
	r.asked = false
	if r.c != nil {
		r.c.Invalidate()
	}
	tui.Invalidate(orNothing(r.own))
}

func orNothing(c tui.Component) tui.Component {
	if c == nil {
		return tui.Spacer(0)
	}
	return c
}

// showCustom shows a message of an extension, which an entry keeps already if it has an
// id.
func (u *ui) showCustom(m *session.CustomMessage, id string) {
	if !m.Display {
		return
	}
	body := u.transform(ai.TextOf(m.Content, "\n"), extension.MarkdownView{MessageType: extension.MarkdownCustom, EntryID: id, Time: m.Time()})
	own := &note{ui: u, token: "customMessageText", body: Clean(body)}
	show := u.session().Extensions().MessageRenderer(m.CustomType)
	if show == nil {
		u.append(tui.Spacer(1))
		u.append(own)
		return
	}
	r := &renderer{
		g: u.guests, what: "message " + oneLine(m.CustomType), own: own,
		make: func(v extension.MessageView) extension.Component { return show(m, v) },
	}
	r.item = u.append(r)
}

// showEntry shows an entry of an extension, if it has something to show it with.
func (u *ui) showEntry(e session.Entry) {
	c, ok := e.(*session.CustomEntry)
	if !ok {
		return
	}
	show := u.session().Extensions().EntryRenderer(c.CustomType)
	if show == nil {
		return
	}
	r := &renderer{
		g: u.guests, what: "entry " + oneLine(c.CustomType),
		make: func(v extension.MessageView) extension.Component { return show(c, v) },
	}
	r.item = u.append(r)
}

// transform passes a text through the transformers of the extensions, which are
// waited for a moment only.
func (u *ui) transform(s string, v extension.MarkdownView) string {
	r := u.session().Extensions()
	if u.guests == nil || !r.TransformsMarkdown(v.MessageType) {
		return s
	}
	width, _ := u.p.Size()
	v.Width = max(width-2*u.settings.OutputPadding, 1)
	got := make(chan string, 1)
	u.guests.markdown.Do(func() {
		got <- r.Markdown(s, v)
	})
	select {
	case s = <-got:
	default:
	}
	return s
}

// guestCard is what extensions show of a call.
type guestCard struct {
	runner       *extension.Runner
	renderers    extension.ToolRenderers
	calls        *guest.Calls
	tries        int
	call, result *guest.Component
	state        map[string]any // for the code of extensions only
}

// do runs code of an extension for the card, and has the card drawn again later
// when that is not done in time.
func (c *toolCard) do(f func()) bool {
	if c.guest.calls == nil {
		c.guest.calls = c.ui.guests.hostFor(func() {
			c.ui.p.Do(func() {
				if c.guest.tries++; c.guest.tries <= moreTries {
					c.touch()
				}
			})
		}).Calls("tool " + oneLine(c.name))
	}
	return c.guest.calls.Do(f)
}

// guestView lets extensions show a call: the title, the body, or both.
func (c *toolCard) guestView(v *toolView) {
	g := c.ui.guests
	if g == nil {
		return
	}
	runner := c.ui.session().Extensions()
	if c.guest.runner != runner {
		found := make(chan extension.ToolRenderers, 1)
		name := c.name
		if !c.do(func() { found <- runner.ToolRenderers(name) }) {
			return
		}
		c.guest.runner, c.guest.renderers = runner, extension.ToolRenderers{}
		select {
		case c.guest.renderers = <-found:
		default:
		}
	}
	with := c.guest.renderers
	if with.Call == nil && with.Result == nil {
		return
	}
	v.bare = with.OwnFrame
	if c.guest.state == nil {
		c.guest.state = make(map[string]any)
	}
	args := c.args
	if !c.complete {
		args = ai.CompleteJSON(c.partial)
	}
	view := extension.ToolView{
		Name: c.name, CallID: c.id, Arguments: args, Complete: c.complete,
		Started: c.state == cardRunning || c.state == cardDone || c.state == cardFailed, Partial: c.state == cardRunning, Failed: c.state == cardFailed,
		Expanded: c.open, Duration: c.took, Dir: c.ui.session().Dir(), Images: c.ui.settings.ShowImages, Padding: c.ui.settings.OutputPadding,
		Theme: g.theme(), State: c.guest.state, Redraw: func() { c.ui.p.Do(c.touch) }, KeyText: g.keyText,
	}
	width := c.inner()
	if v.bare {
		width = c.width
	}
	if with.Call != nil && c.state != cardDropped {
		view.Last = shownBy(c.guest.call)
		if lines := c.guestLines(&c.guest.call, "call of "+c.name, width, func() extension.Component { return with.Call(view) }); lines != nil {
			v.title = lines
		}
	}
	if with.Result != nil && (c.state == cardRunning && c.result.Content != nil || c.state == cardDone || c.state == cardFailed) {
		result := extension.ToolResult{ToolCall: extension.ToolCall{CallID: c.id, Name: c.name, Arguments: args}, Result: c.result}
		view := view // the function before may still use its own
		view.Last = shownBy(c.guest.result)
		if lines := c.guestLines(&c.guest.result, "result of "+c.name, width, func() extension.Component { return with.Result(view, result) }); lines != nil {
			v.body = lines
		}
	}
}

// shownBy is what was made before, nil at first.
func shownBy(c *guest.Component) extension.Component {
	if c == nil {
		return nil
	}
	return c.Inner()
}

// guestLines has a part of a card drawn; nil leaves it to the program.
func (c *toolCard) guestLines(old **guest.Component, what string, width int, show func() extension.Component) []string {
	g := c.ui.guests
	made := make(chan extension.Component, 1)
	if !c.do(func() { made <- show() }) {
		return nil
	}
	var inner extension.Component
	select {
	case inner = <-made:
	default:
	}
	n := *old
	if n == nil || !n.Shows(inner) {
		if n != nil {
			n.Close()
			*old = nil
		}
		if inner == nil {
			return nil
		}
		n = g.hostFor(func() { c.ui.p.Do(c.touch) }).Component(what, inner)
		*old = n
	}
	lines := n.Render(width)
	if n.Failed() {
		return nil
	}
	return slices.Clone(lines)
}

// guestFacts tells of extensions, and of what they did wrong, for the report of
// the program's state.
func (u *ui) guestFacts() string {
	r := u.session().Extensions()
	out := ""
	for _, e := range r.Extensions() {
		if !e.Hidden {
			out += fmt.Sprintf("extension: %s (%s)\n", oneLine(e.Name), e.Origin.Source)
		}
	}
	return out + u.guests.faults.facts()
}
