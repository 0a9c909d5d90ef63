package harness

import (
	"context"
	"fmt"

	"github.com/pi-go/pi/agentcore"
	"github.com/pi-go/pi/agentcore/session"
	"github.com/pi-go/pi/ai"
)

// SetModel chooses the model of the next request, records the choice, and
// fits the thinking level to it.
func (h *Harness) SetModel(ctx context.Context, m *ai.Model) error {
	return h.Select(ctx, m, h.Thinking())
}

// Select is SetModel with another thinking level.
func (h *Harness) Select(ctx context.Context, m *ai.Model, level ai.ThinkingLevel) error {
	entry := &session.ModelEntry{Provider: m.Provider, ModelID: m.ID}
	if _, err := h.session.Append(ctx, entry); err != nil {
		return fmt.Errorf("record model %s: %w", m.Ref(), err)
	}
	h.mu.Lock()
	h.model = m
	h.mu.Unlock()
	h.agent.SetModel(m)
	return h.SetThinking(ctx, level)
}

// SetThinking chooses the thinking level of the next request, clamped to what
// the model has; a change is recorded and told.
func (h *Harness) SetThinking(ctx context.Context, level ai.ThinkingLevel) error {
	h.mu.Lock()
	level = clamp(h.model, level)
	changed := level != h.level
	h.level = level
	h.mu.Unlock()
	if !changed {
		return nil
	}
	if _, err := h.session.Append(ctx, &session.ThinkingEntry{Level: level}); err != nil {
		return fmt.Errorf("record thinking level %s: %w", level, err)
	}
	h.agent.SetThinking(level)
	h.bus.post(ctx, &ThinkingChanged{Level: level})
	return nil
}

// SetTools replaces the tools; the model is told with the next request.
func (h *Harness) SetTools(tools ...*agentcore.Tool) { h.agent.SetTools(tools...) }

// SetName names the session; an empty name removes it.
func (h *Harness) SetName(ctx context.Context, name string) error {
	if _, err := h.session.Append(ctx, &session.InfoEntry{Name: name}); err != nil {
		return fmt.Errorf("name session: %w", err)
	}
	h.bus.post(ctx, &InfoChanged{Name: name})
	return nil
}

// SetLabel names an entry; an empty label removes the name.
func (h *Harness) SetLabel(ctx context.Context, entry, label string) error {
	if err := h.session.SetLabel(ctx, entry, label); err != nil {
		return fmt.Errorf("label entry %s: %w", entry, err)
	}
	return nil
}

// recordSettings notes model and thinking level where the branch does not
// imply them.
func (h *Harness) recordSettings(ctx context.Context) error {
	have, err := h.session.Restore(ctx, h.cfg.Virtual)
	if err != nil {
		return fmt.Errorf("read session: %w", err)
	}
	model, level := h.Model(), h.Thinking()
	if model != nil && (have.Model == nil || have.Model.Provider != model.Provider || have.Model.ModelID != model.ID) {
		if _, err := h.session.Append(ctx, &session.ModelEntry{Provider: model.Provider, ModelID: model.ID}); err != nil {
			return fmt.Errorf("record model %s: %w", model.Ref(), err)
		}
	}
	if have.Thinking != level {
		if _, err := h.session.Append(ctx, &session.ThinkingEntry{Level: level}); err != nil {
			return fmt.Errorf("record thinking level %s: %w", level, err)
		}
	}
	return nil
}
