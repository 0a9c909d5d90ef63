package interactive

import (
	"fmt"
	"slices"
	"time"

	"github.com/pi-go/pi/agentcore"
	"github.com/pi-go/pi/agentcore/session"
	"github.com/pi-go/pi/ai"
	"github.com/pi-go/pi/tui"
	"github.com/pi-go/pi/tui/text"
)

// past is a piece of the conversation as it is kept: one entry, or an answer and the
// results of its calls. It is read when it comes into view, and only then, so that a
// long session begins as soon as a short one.
type past struct {
	ui   *ui
	from *session.Session
	ids  []string
	at   int // how many are before it
	item *tui.Item
	size int // of what is stored
	// results says how many of the entries are results of tools, of which a few lines
	// are shown.
	results int

	built bool
	inner tui.Container
	cards map[string]*toolCard
}

// estimatedResult is how many lines the card of a call takes, about.
const estimatedResult = 8

// Estimate says about how many lines it will have.
func (p *past) Estimate(width int) int {
	if p.omitted() {
		return 0
	}
	return min(p.size/max(width, 1), 1000) + 2 + p.results*estimatedResult
}

// omitted says that it is left out, as it is too far back for a scrollback.
func (p *past) omitted() bool { return p.at < p.ui.pasts.omitted }

// Render reads and draws it.
func (p *past) Render(width int) []string {
	if p.omitted() {
		return nil
	}
	p.build()
	return p.inner.Render(width)
}

// Invalidate makes it be drawn anew.
func (p *past) Invalidate() { p.inner.Invalidate() }

// build makes the parts of what is kept.
func (p *past) build() {
	if p.built {
		return
	}
	p.built, p.cards = true, map[string]*toolCard{}
	u := p.ui
	before := u.into
	u.into = p
	defer func() { u.into = before }()
	for _, id := range p.ids {
		e, err := p.from.Entry(u.ctx, id)
		if err != nil {
			u.append(&note{ui: u, token: "error", body: Clean("This part of the conversation can not be read: " + err.Error())})
			continue
		}
		u.showPast(e)
	}
	for _, c := range p.cards {
		c.drop("the session ended before")
	}
}

// showPast shows one entry of a session.
func (u *ui) showPast(e session.Entry) {
	switch e := e.(type) {
	case *session.MessageEntry:
		if m, ok := e.Message.(*ai.AssistantMessage); !ok || m.StopReason != ai.StopError || !u.pasts.again[e.ID] {
			u.replayMessage(e.Message, e.ID)
		}
	case *session.CustomMessageEntry:
		u.showCustom(&session.CustomMessage{CustomType: e.CustomType, Content: e.Content, Plain: e.Plain, Display: e.Display, Details: e.Details, Timestamp: e.Time.UnixMilli()}, e.ID)
	case *session.CustomEntry:
		u.showEntry(e)
	case *session.CompactionEntry:
		u.append(tui.Spacer(1))
		u.append(&folded{ui: u, title: fmt.Sprintf("Summed up from %s tokens", tokenCount(e.TokensBefore)), body: e.Summary, id: e.ID, at: e.Time})
	case *session.BranchSummaryEntry:
		if e.Summary != "" {
			u.append(tui.Spacer(1))
			u.append(&folded{ui: u, title: "What happened on the branch that was left", body: e.Summary, id: e.ID, at: e.Time})
		}
	}
}

func (u *ui) replayMessage(m agentcore.Message, id string) {
	switch m := m.(type) {
	case *ai.AssistantMessage:
		(&answer{ui: u, id: id}).finish(m)
	case *ai.ToolResultMessage:
		var took time.Duration
		if m.DurationMS != nil {
			took = time.Duration(*m.DurationMS) * time.Millisecond
		}
		u.card(m.ToolCallID, m.ToolName).end(agentcore.ToolResult{Content: m.Content, Details: m.Details, IsError: m.IsError}, took)
	default:
		u.showMessage(m, id)
	}
}

// pasts is the conversation from before.
type pasts struct {
	list []*past
	// again are failed answers that were tried again.
	again map[string]bool
	// omitted is how many at the beginning are left out.
	omitted int
}

// maxScrollback is about how many lines from before go to a terminal's scrollback:
// more than most keep, and few enough that a long session begins at once.
const maxScrollback = maxFarewell

// omit leaves out what is too far back for a scrollback. A screen of the program's
// own shows everything.
func (u *ui) omit(full bool) {
	l := &u.pasts
	l.omitted = 0
	if full {
		return
	}
	width, _ := u.p.Terminal().Size()
	lines := 0
	for i, p := range slices.Backward(l.list) {
		if lines += len(p.Render(width)); lines > maxScrollback {
			l.omitted = i
			return
		}
	}
}

// omission says, at its place, that the beginning is left out.
type omission struct{ ui *ui }

// Render gives the lines.
func (o omission) Render(width int) []string {
	n := o.ui.pasts.omitted
	if n == 0 {
		return nil
	}
	n = len(o.ui.pasts.list) - n
	said := fmt.Sprintf("The conversation is long: only its last %d parts are here. A screen of its own shows all of it: /settings, Screen.", n)
	lines := []string{""}
	for _, line := range text.Wrap(said, max(width-1, 1)) {
		lines = append(lines, " "+o.ui.look.fg("dim", line))
	}
	return fit(lines, width)
}

// replay shows the conversation as it is kept.
func (u *ui) replay() {
	s := u.session().Session()
	u.pasts, u.unsent.said = pasts{again: map[string]bool{}}, nil
	path, err := s.PathTo("")
	u.counted = lastCounted(u.ctx, s, path)
	if err != nil {
		u.failure("the conversation can not be shown: " + err.Error())
		return
	}
	if len(path) == 0 {
		return
	}
	u.append(omission{u})
	u.pasts.add(u, s, path)
	if n := len(u.pasts.list); n > 0 {
		last := u.pasts.list[n-1]
		last.build()
		for id, c := range last.cards { // what was interrupted may go on
			u.cards[id] = c
		}
	}
	u.omit(u.p.Terminal().FullScreen())
	u.unsent.recall(s, path)
}

// add puts all entries that can be seen into the transcript.
func (l *pasts) add(u *ui, s *session.Session, path []session.Stub) {
	var calls *past // the answer whose results may follow
	for i := range path {
		stub := &path[i]
		if stub.Type == session.TypeContextEdit {
			l.edited(u, s, stub.ID)
		}
		if !visibleStub(stub) {
			continue
		}
		if stub.Type == session.TypeMessage && stub.Role == ai.RoleToolResult && calls != nil {
			calls.ids = append(calls.ids, stub.ID)
			calls.results++
			continue
		}
		p := &past{ui: u, from: s, ids: []string{stub.ID}, at: len(l.list), size: stub.Size}
		p.item = u.append(p)
		l.list = append(l.list, p)
		if stub.Type == session.TypeMessage {
			switch stub.Role {
			case ai.RoleAssistant:
				calls = p
			case ai.RoleUser:
				p.item.SetStop(true)
			}
		}
	}
}

func visibleStub(stub *session.Stub) bool {
	switch stub.Type {
	case session.TypeMessage, session.TypeCustomMessage, session.TypeCustom, session.TypeCompaction, session.TypeBranchSummary:
		return true
	}
	return false
}

// edited notes an answer that was taken back, which is how one ends that was tried
// again.
func (l *pasts) edited(u *ui, s *session.Session, id string) {
	e, err := s.Entry(u.ctx, id)
	if err != nil {
		return // what it takes back is shown
	}
	if edit, ok := e.(*session.ContextEditEntry); ok && edit.Replacement == nil {
		l.again[edit.TargetID] = true
	}
}
