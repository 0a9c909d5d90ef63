package interactive

import (
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/pi-go/pi/ai"
	"github.com/pi-go/pi/codingagent/extension"
	"github.com/pi-go/pi/tui"
	"github.com/pi-go/pi/tui/markdown"
	"github.com/pi-go/pi/tui/text"
)

// prose is a piece of an answer, or of thinking, as Markdown. Thinking may be
// folded to one line.
type prose struct {
	ui       *ui
	md       *markdown.Markdown
	thinking bool
	folded   []string
	width    int
}

func newProse(u *ui, thinking bool) *prose {
	p := &prose{ui: u, thinking: thinking}
	p.md = markdown.New(markdown.Options{})
	p.md.Change(p.options)
	return p
}

// options are how it is drawn, as the settings are now.
func (p *prose) options(o *markdown.Options) {
	u := p.ui
	o.Theme, o.PadX, o.CodeIndent = p.theme(), u.settings.OutputPadding, &u.cfg.Settings.Markdown.CodeBlockIndent
	links := u.settings.Hyperlinks
	if links == "auto" || links == "" {
		links = u.getenv("PI_HYPERLINKS")
	}
	o.HideURLs, o.NoLinks = links == "true" || links == "1", links == "false" || links == "0"
	if !p.thinking {
		u.diagrams(o)
	}
}

// diagrams are how diagrams in a text are shown, as the settings are now.
func (u *ui) diagrams(o *markdown.Options) {
	switch u.cfg.Settings.Markdown.Mermaid {
	case "streaming":
		o.Mermaid = markdown.DiagramsStreaming
	case "final":
		o.Mermaid = markdown.DiagramsFinal
	default:
		o.Mermaid = markdown.DiagramsOff
	}
	o.PlainSigns = u.access.ascii
}

func (p *prose) theme() markdown.Theme {
	if p.thinking {
		return p.ui.look.thinking
	}
	return p.ui.look.md
}

// Render gives the lines.
func (p *prose) Render(width int) []string {
	switch {
	case p.thinking && p.ui.noThinking:
		return nil
	case !p.thinking || !p.ui.hideThinking:
		return p.md.Render(width)
	}
	if p.folded == nil || p.width != width {
		hint := ""
		if k := p.ui.keys.Text("app.thinking.toggle"); k != "" {
			hint = " (" + k + " shows it)"
		}
		pad, label := text.Blanks(p.ui.settings.OutputPadding), "Thinking"+hint
		if p.ui.guests.thinking != "" {
			label = p.ui.guests.thinking
		}
		p.folded, p.width = fit([]string{pad + p.ui.look.theme.Fg("thinkingText").Render(label)}, width), width
	}
	return p.folded
}

// Invalidate makes it be drawn anew.
func (p *prose) Invalidate() {
	p.folded = nil
	p.md.Change(p.options)
}

// gap is the empty line above a piece of an answer.
type gap struct{ below *prose }

// Render gives a line, unless nothing is below it.
func (g *gap) Render(int) []string {
	if g.below.thinking && g.below.ui.noThinking {
		return nil
	}
	return []string{""}
}

// answer shows one message of the model: an item of the transcript for each of
// its blocks, so that what is finished is not looked at again.
type answer struct {
	ui    *ui
	id    string // of the entry that keeps it, "" while it comes
	at    time.Time
	parts []part
	items []*tui.Item // all that is shown of it
}

func (a *answer) append(c tui.Component) *tui.Item {
	it := a.ui.append(c)
	a.items = append(a.items, it)
	return it
}

// part is a block of an answer; a blank text has no item yet.
type part struct {
	item  *tui.Item
	prose *prose
	card  *toolCard
}

// update shows the answer as far as it has come. All blocks but the last are
// complete.
func (a *answer) update(m *ai.AssistantMessage, final bool) {
	a.at = m.Time()
	from := max(len(a.parts)-1, 0)
	if final {
		from = 0
	}
	for i := from; i < len(m.Content); i++ {
		if i == len(a.parts) {
			a.parts = append(a.parts, part{})
		}
		a.block(&a.parts[i], m.Content[i], final || i < len(m.Content)-1)
	}
}

func (a *answer) block(p *part, b ai.Block, done bool) {
	switch b := b.(type) {
	case *ai.Text:
		a.prose(p, b.Text, false, done)
	case *ai.Thinking:
		t := b.Text
		if b.Redacted && strings.TrimSpace(t) == "" {
			t = "(hidden by the vendor)"
		}
		a.prose(p, t, true, done)
	case *ai.ToolCall:
		if p.card == nil {
			p.card = newToolCard(a.ui, b.ID, b.Name)
			p.item = a.append(p.card)
			p.card.item = p.item
		}
		p.card.call(b, done)
		if b.ID != "" {
			a.ui.currentCards()[b.ID] = p.card
		}
	}
}

func (a *answer) prose(p *part, s string, thinking, done bool) {
	if p.prose == nil {
		if strings.TrimSpace(s) == "" {
			return
		}
		p.prose = newProse(a.ui, thinking)
		a.append(&gap{p.prose})
		p.item = a.append(p.prose)
	}
	p.prose.md.SetStreaming(!done)
	v := extension.MarkdownView{MessageType: extension.MarkdownAssistant, Streaming: !done, EntryID: a.id, Time: a.at}
	if thinking {
		v.MessageType = extension.MarkdownThinking
	}
	p.prose.md.SetText(a.ui.transform(s, v))
	p.item.Touch()
}

// finish shows the whole answer, and how it ended when that was not well.
func (a *answer) finish(m *ai.AssistantMessage) {
	a.update(m, true)
	switch m.StopReason {
	case ai.StopAborted:
		a.drop("stopped")
		a.ui.note("dim", "(stopped)")
	case ai.StopError:
		a.drop("the answer failed")
		a.append(tui.Spacer(1))
		a.append(&note{ui: a.ui, token: "error", body: Clean("Error: " + failureText(m))})
	case ai.StopLength:
		a.ui.note("warning", "The answer was cut off at the model's output limit. Say \"go on\" to get the rest.")
	}
}

// drop tells the calls of an answer that they will not be run.
func (a *answer) drop(why string) {
	for _, p := range a.parts {
		if p.card != nil {
			p.card.drop(why)
		}
	}
}

// failureText says what went wrong and what can be done.
func failureText(m *ai.AssistantMessage) string {
	message := m.ErrorMessage
	if message == "" && m.Err() != nil {
		message = m.Err().Error()
	}
	if message == "" {
		message = "the answer failed, and nothing is known of the reason"
	}
	if advice := adviceFor(m.Err()); advice != "" {
		message += "\n" + advice
	}
	return message
}

// adviceFor says what to do about an error of a model, "" if there is nothing
// to say.
func adviceFor(err error) string {
	var e *ai.APIError
	if !errors.As(err, &e) {
		return ""
	}
	switch e.Kind {
	case ai.KindAuth:
		return "Check the key: its variable, or the entry in models.json. /model chooses another model."
	case ai.KindBilling:
		return "Waiting does not help: look at the vendor's billing page, or choose another model with /model."
	case ai.KindRateLimit, ai.KindOverloaded:
		return "The vendor asks to wait. Send the message again later, or choose another model with /model."
	case ai.KindServer, ai.KindCutStream, ai.KindTimeout:
		return "This is the vendor's fault and often passes: send the message again (up brings it back)."
	case ai.KindNetwork:
		return "The vendor was not reached: check the network, a proxy, or whether the local server runs."
	case ai.KindOverflow:
		return "The conversation does not fit any more: /compact sums it up, /new begins another."
	case ai.KindNotFound:
		return "The vendor does not know this model: /model chooses another one."
	case ai.KindRefusal:
		return "Put it differently, or choose another model with /model."
	}
	return ""
}

// userMessage shows what the person said.
type userMessage struct {
	ui    *ui
	body  string
	box   *tui.Text
	below *gallery
	lines []string
	width int
}

func newUserMessage(u *ui, m *ai.UserMessage, id string) *userMessage {
	v := extension.MarkdownView{MessageType: extension.MarkdownUser, EntryID: id, Time: m.Time()}
	return &userMessage{ui: u, body: Clean(u.transform(strings.TrimSpace(ai.TextOf(m.Content, "\n")), v)), below: newGallery(u, m.Content)}
}

// imageNote stands for an image.
func imageNote(img *ai.Image) string {
	return fmt.Sprintf("[image %s, %s]", oneLine(img.MIMEType), byteSize(len(img.Data)/4*3))
}

func (v *userMessage) build() *tui.Text {
	body := v.body
	l := v.ui.look
	st := l.theme.Style("userMessageText", "userMessageBg", 0)
	t := tui.NewText(l.theme.Fg("userMessageText").Render(body))
	if st.Bg.IsDefault() {
		t.SetText(l.bold("accent", "> ") + bold(l.theme.Fg("userMessageText")).Render(body))
	} else {
		t.Background = text.Style{Bg: st.Bg}
	}
	t.PadX = 1
	return t
}

// Render gives the lines.
func (v *userMessage) Render(width int) []string {
	if v.box == nil {
		v.box = v.build()
	}
	if v.below == nil {
		return v.box.Render(width)
	}
	if v.lines == nil || v.width != width {
		v.width = width
		v.lines = append(append([]string(nil), v.box.Render(width)...), v.below.lines(width)...)
	}
	return v.lines
}

// Invalidate makes it be drawn anew.
func (v *userMessage) Invalidate() {
	v.box, v.lines = nil, nil
	v.below.invalidate()
}

// note is a remark of the program, in a colour of the theme.
type note struct {
	ui    *ui
	token string
	body  string
	box   *tui.Text
}

// Render gives the lines.
func (n *note) Render(width int) []string {
	if n.box == nil {
		n.box = tui.NewText(n.ui.look.fg(n.token, n.body))
		n.box.PadX = 1
	}
	return n.box.Render(width)
}

// Invalidate makes it be drawn anew.
func (n *note) Invalidate() { n.box = nil }

// folded is a summary: a line, and its whole text when output is unfolded.
type folded struct {
	ui          *ui
	title, body string
	id          string // of the entry, "" if it is not known
	at          time.Time
	md          *markdown.Markdown
	lines       []string
	width       int
	open        bool
}

// Render gives the lines.
func (f *folded) Render(width int) []string {
	if f.lines != nil && f.width == width && f.open == f.ui.expanded {
		return f.lines
	}
	f.width, f.open = width, f.ui.expanded
	hint := ""
	if k := f.ui.keys.Text("app.tools.expand"); k != "" && !f.open && f.body != "" {
		hint = f.ui.look.fg("dim", " ("+k+" shows it)")
	}
	f.lines = fit([]string{" " + f.ui.look.bold("customMessageLabel", f.title) + hint}, width)
	if f.open && f.body != "" {
		if f.md == nil {
			f.md = markdown.New(markdown.Options{Theme: f.ui.look.md, PadX: 2, CodeIndent: &f.ui.cfg.Settings.Markdown.CodeBlockIndent})
			f.md.Change(f.ui.diagrams)
			f.md.SetText(f.ui.transform(f.body, extension.MarkdownView{MessageType: extension.MarkdownSummary, EntryID: f.id, Time: f.at}))
		}
		f.lines = append(f.lines, f.md.Render(width)...)
	}
	return f.lines
}

// Invalidate makes it be drawn anew.
func (f *folded) Invalidate() { f.lines, f.md = nil, nil }

// byteSize is a size for people.
func byteSize(n int) string {
	switch {
	case n < 1024:
		return fmt.Sprintf("%d B", n)
	case n < 1024*1024:
		return fmt.Sprintf("%.1f KB", float64(n)/1024)
	}
	return fmt.Sprintf("%.1f MB", float64(n)/1024/1024)
}
