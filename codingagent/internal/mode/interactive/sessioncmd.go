package interactive

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/pi-go/pi/agentcore"
	"github.com/pi-go/pi/agentcore/session"
	"github.com/pi-go/pi/ai"
	"github.com/pi-go/pi/codingagent"
	"github.com/pi-go/pi/tui"
)

// replaced runs something that replaces the session, and shows the new one.
func (u *ui) replaced(work func(ctx context.Context) (text string, err error), said string) {
	u.replacedOr(work, said, nil)
}

// opening is another session that is on its way.
type opening struct {
	under int         // how many are
	held  []string    // what was queued for the session before
	typed []submitted // what was sent meanwhile, for the one that comes
}

// submitted is a text that was sent.
type submitted struct {
	text  string
	later bool
}

// replacedOr is like replaced; failed may deal with an error in its own way. What is
// queued for the present session comes back into the editor.
func (u *ui) replacedOr(work func(ctx context.Context) (text string, err error), said string, failed func(err error) bool) {
	u.opening.under++
	u.opening.held = append(u.opening.held, u.takeQueue()...)
	u.status.work("Opening")
	u.spawn(func() {
		text, err := work(u.ctx)
		u.p.Do(func() {
			u.restOrWork()
			defer u.opened(text, err == nil)
			if errors.Is(err, codingagent.ErrCancelled) {
				u.hint("An extension kept the session as it is.")
				return
			}
			if err != nil {
				if failed == nil || !failed(err) {
					u.fail(err)
				}
				return
			}
			if said != "" {
				u.hint(said)
			}
		})
	})
}

// opened puts text into the editor of a session that is there now, and what was held
// back for it, and sends it what was typed meanwhile. Without another session all of it
// comes back.
func (u *ui) opened(text string, ok bool) {
	u.opening.under--
	if u.opening.under > 0 {
		if text != "" {
			u.opening.held = append([]string{text}, u.opening.held...)
		}
		return
	}
	o := u.opening
	u.opening = opening{}
	var back []string
	if text != "" {
		back = append(back, text)
	}
	back = append(back, o.held...)
	if !ok {
		for _, t := range o.typed {
			back = append(back, t.text)
		}
		o.typed = nil
	}
	if len(back) > 0 {
		u.giveBack(back...)
	}
	for _, t := range o.typed {
		u.submit(t.text, t.later)
	}
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
