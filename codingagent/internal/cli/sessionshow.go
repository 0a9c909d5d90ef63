package cli

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/pi-go/pi/agentcore/session"
	"github.com/pi-go/pi/ai"
)

// openForReading opens a session that may be in use elsewhere.
func (p *program) openForReading(ctx context.Context, ref string) (*session.Session, error) {
	st, err := p.sessionDir().Open(ctx, p.sessionRef(ref), session.ReadOnly)
	if err != nil {
		return nil, err
	}
	return session.Load(ctx, st, p.sessionOptions())
}

// showSession prints what was said on the current branch.
func (p *program) showSession(ctx context.Context, ref string) (err error) {
	s, err := p.openForReading(ctx, ref)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, s.Close()) }()
	entries, err := s.Branch(ctx, "")
	if err != nil {
		return err
	}
	h := s.Header()
	if p.args.JSON {
		return p.showJSON(ctx, s, entries)
	}
	fmt.Fprintf(p.sys.Out, "Session %s\nOf %s, begun %s\n", h.ID, p.clean(h.Cwd), h.Time.Local().Format(time.DateTime))
	for _, e := range entries {
		said := session.Said(e)
		if said == "" {
			continue
		}
		who := string(e.Type())
		if m, ok := e.(*session.MessageEntry); ok {
			who = string(m.Message.Role())
			if m.Message.Role() == ai.RoleSystem {
				continue
			}
		}
		if _, err := fmt.Fprintf(p.sys.Out, "\n── %s %s %s\n%s\n", who, e.Head().ID, e.Head().Time.Local().Format(time.TimeOnly), strings.TrimSpace(p.clean(said))); err != nil {
			return err
		}
	}
	return nil
}

// showJSON prints the header and the entries of the branch as they are stored.
func (p *program) showJSON(ctx context.Context, s *session.Session, entries []session.Entry) error {
	out := struct {
		Path    string            `json:"path"`
		Header  json.RawMessage   `json:"header"`
		LeafID  string            `json:"leafId"`
		Entries []json.RawMessage `json:"entries"`
	}{s.Path(), s.Header().AppendJSON(nil), s.Leaf(), []json.RawMessage{}}
	for _, e := range entries {
		raw, err := s.Raw(ctx, e.Head().ID)
		if err != nil {
			return err
		}
		out.Entries = append(out.Entries, raw)
	}
	return p.writeJSONLine(out)
}
