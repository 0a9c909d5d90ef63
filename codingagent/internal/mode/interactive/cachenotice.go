package interactive

import (
	"context"
	"slices"

	"github.com/pi-go/pi/agentcore/session"
	"github.com/pi-go/pi/ai"
	"github.com/pi-go/pi/codingagent"
)

// noticeMiss says that the vendor's cache was missed, if the person wants to know.
func (u *ui) noticeMiss(m *ai.AssistantMessage) {
	if m.StopReason == ai.StopError || m.StopReason == ai.StopAborted {
		return // it counts little of what was read, or nothing
	}
	before := u.counted
	u.counted = m
	if !u.cfg.Settings.CacheMissNotices {
		return
	}
	model, err := u.session().Models().Model(m.Provider, m.Model)
	if err != nil {
		model = nil // without prices
	}
	if missed := codingagent.MissedCache(before, m, model); missed != nil {
		u.note("dim", missed.String())
	}
}

// lastCounted gives the newest answer of a conversation whose prompt the next one goes
// on with; nil if there is none.
func lastCounted(ctx context.Context, s *session.Session, path []session.Stub) *ai.AssistantMessage {
	for _, stub := range slices.Backward(path) {
		switch {
		case stub.Type == session.TypeCompaction, stub.Type == session.TypeContextEdit:
			return nil
		case stub.Type == session.TypeMessage && stub.Role == ai.RoleAssistant:
			e, err := s.Entry(ctx, stub.ID)
			if err != nil {
				return nil
			}
			if e, ok := e.(*session.MessageEntry); ok {
				m, _ := e.Message.(*ai.AssistantMessage)
				return m
			}
		}
	}
	return nil
}
