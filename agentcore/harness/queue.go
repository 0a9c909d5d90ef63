package harness

import (
	"context"

	"github.com/pi-go/pi/agentcore"
	"github.com/pi-go/pi/ai"
)

// Steer queues a message for the next request of the run that is under way.
// Without one it waits for the next prompt.
func (h *Harness) Steer(ctx context.Context, message agentcore.Message) {
	h.agent.Steer(message)
	h.late()
	h.tellQueue(ctx)
}

// FollowUp queues a message for when the agent is done. Without a run it waits
// for the next prompt.
func (h *Harness) FollowUp(ctx context.Context, message agentcore.Message) {
	h.agent.FollowUp(message)
	h.late()
	h.tellQueue(ctx)
}

// late notes that a message was queued after a run's last look at the queues.
// After an abort that changes nothing: what is queued waits.
func (h *Harness) late() {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.deferred = h.deferred || h.phase == PhaseSettling && !h.aborted
}

// ClearQueue empties both queues and gives back what was in them.
func (h *Harness) ClearQueue(ctx context.Context) (steering, followUp []agentcore.Message) {
	steering, followUp = h.agent.ClearSteering(), h.agent.ClearFollowUp()
	h.tellQueue(ctx)
	return steering, followUp
}

// SetSteeringMode says how many steering messages are delivered at a time.
func (h *Harness) SetSteeringMode(m agentcore.QueueMode) { h.agent.SetSteeringMode(m) }

// SetFollowUpMode says how many follow-up messages are delivered at a time.
func (h *Harness) SetFollowUpMode(m agentcore.QueueMode) { h.agent.SetFollowUpMode(m) }

// Queued gives the texts of the queued user messages.
func (h *Harness) Queued() (steering, followUp []string) {
	s, f := h.agent.Queued()
	return texts(s), texts(f)
}

// Waiting gives the queued messages of all kinds, the steering ones first.
func (h *Harness) Waiting() []agentcore.Message {
	steering, followUp := h.agent.Queued()
	return append(steering, followUp...)
}

func (h *Harness) tellQueue(ctx context.Context) {
	steering, followUp := h.Queued()
	h.mu.Lock()
	h.shown = len(steering) + len(followUp)
	h.mu.Unlock()
	h.bus.post(ctx, &QueueUpdate{Steering: steering, FollowUp: followUp})
}

// tellQueueAfterDelivery tells the queue when a message has left it.
func (h *Harness) tellQueueAfterDelivery(ctx context.Context) {
	steering, followUp := h.Queued()
	h.mu.Lock()
	delivered := len(steering)+len(followUp) < h.shown
	h.shown = len(steering) + len(followUp)
	h.mu.Unlock()
	if delivered {
		h.bus.post(ctx, &QueueUpdate{Steering: steering, FollowUp: followUp})
	}
}

// texts gives the texts of user messages; others are not for people.
func texts(messages []agentcore.Message) []string {
	var out []string
	for _, m := range messages {
		if u, ok := m.(*ai.UserMessage); ok {
			out = append(out, ai.TextOf(u.Content, "\n"))
		}
	}
	return out
}
