package interactive

import (
	"context"
	"errors"
	"strings"

	"github.com/pi-go/pi/agentcore/session"
	"github.com/pi-go/pi/ai"
	"github.com/pi-go/pi/codingagent"
	"github.com/pi-go/pi/tui"
	"github.com/pi-go/pi/tui/text"
)

// previewRows is how many lines are shown of a session.
const previewRows = 8

// preview shows what was said last in the session that is marked.
type preview struct {
	on     bool
	ref    string
	said   []saidLine
	failed error
	cancel context.CancelFunc
}

// saidLine is something that was said.
type saidLine struct{ who, text string }

// look reads what was said last in a session.
func (r *resumePicker) look(it tui.ListItem) {
	u, p := r.ui, &r.preview
	if p.ref == it.Value {
		return
	}
	if p.cancel != nil {
		p.cancel()
	}
	ctx, cancel := context.WithCancel(u.ctx)
	p.ref, p.said, p.failed, p.cancel = it.Value, nil, nil, cancel
	repo := u.cfg.Repo
	u.spawn(func() {
		defer cancel()
		said, err := lastSaid(ctx, repo, it.Value)
		u.p.Do(func() {
			if p.ref == it.Value {
				p.said, p.failed = said, err
			}
		})
	})
}

// lastSaid gives the last things that were said on the branch a session was left
// at, the oldest of them first.
func lastSaid(ctx context.Context, repo session.Repo, ref string) (_ []saidLine, err error) {
	st, err := repo.Open(ctx, ref, session.ReadOnly)
	if err != nil {
		return nil, err
	}
	s, err := session.Load(ctx, st, session.Options{Codec: codingagent.Codec()})
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, s.Close()) }()
	path, err := s.PathTo(s.Leaf())
	if err != nil {
		return nil, err
	}
	var out []saidLine
	for i := len(path) - 1; i >= 0 && len(out) < previewRows; i-- {
		e, err := s.Entry(ctx, path[i].ID)
		if err != nil {
			return nil, err
		}
		m, ok := e.(*session.MessageEntry)
		if !ok {
			continue
		}
		if t := strings.TrimSpace(session.Said(e)); t != "" {
			who := "pi"
			if m.Message.Role() == ai.RoleUser {
				who = "you"
			}
			out = append([]saidLine{{who, t}}, out...)
		}
	}
	return out, nil
}

// render gives the lines below the list.
func (p *preview) render(u *ui) func(width int) []string {
	return func(width int) []string {
		if !p.on {
			return nil
		}
		l := u.look
		rule := tui.Rule{Style: l.theme.Fg("borderMuted"), Title: l.fg("muted", "said last")}
		out := append([]string(nil), rule.Render(width)...)
		var lines []string
		for _, s := range p.said {
			lead := l.fg("accent", text.Pad(s.who, 4))
			for i, line := range text.Wrap(Clean(clip(s.text, 2000)), max(width-7, 1)) {
				if i > 0 {
					lead = "    "
				}
				if strings.TrimSpace(line) != "" {
					lines = append(lines, " "+lead+" "+l.fg("text", line))
				}
			}
		}
		switch {
		case p.failed != nil:
			lines = []string{" " + l.fg("error", oneLine(p.failed.Error()))}
		case len(lines) == 0:
			lines = []string{" " + l.fg("dim", "…")}
		}
		if n := len(lines) - previewRows; n > 0 {
			lines = lines[n:]
		}
		for len(lines) < previewRows {
			lines = append(lines, "") // the list above does not jump
		}
		return fit(append(out, lines...), width)
	}
}
