package harness

import (
	"context"
	"fmt"

	"github.com/pi-go/pi/agentcore"
	"github.com/pi-go/pi/agentcore/session"
)

// appendEntries adds entries of a hook to the session, and tells of them.
func (h *Harness) appendEntries(ctx context.Context, entries []session.Entry) error {
	for _, e := range entries {
		if err := h.AddEntry(context.WithoutCancel(ctx), e); err != nil {
			return err
		}
		h.edited = true
	}
	return nil
}

// takeEdits takes the transcript from the session if a hook added entries to it.
func (h *Harness) takeEdits(ctx context.Context) error {
	if !h.edited {
		return nil
	}
	h.edited = false
	return h.reload(ctx)
}

// finishTurn asks the loop's own hook, then the one that may add entries.
func (h *Harness) finishTurn(ctx context.Context, t agentcore.Turn) (agentcore.TurnAction, error) {
	action := agentcore.TurnNormal
	if own := h.cfg.Loop.FinishTurn; own != nil {
		var err error
		if action, err = own(ctx, t); err != nil {
			return action, err
		}
	}
	hook := h.cfg.Hooks.AfterTurn
	if hook == nil {
		return action, nil
	}
	var d *TurnDecision
	err := h.ask("AfterTurn", func() (err error) {
		d, err = hook(ctx, t)
		return err
	})
	if err != nil || d == nil {
		return action, err
	}
	if err := h.appendEntries(ctx, d.Entries); err != nil {
		return action, err
	}
	if d.Continue {
		c, err := h.session.Context(context.WithoutCancel(ctx))
		if err != nil {
			return action, fmt.Errorf("read session: %w", err)
		}
		if h.Answerable(c.Messages) {
			action = agentcore.TurnContinue
		}
	}
	return action, nil
}
