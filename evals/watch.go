package evals

import (
	"context"

	"github.com/pi-go/pi/agentcore"
	"github.com/pi-go/pi/ai"
)

// watch counts what an agent does, and stops it at the limit. It is used by the
// run's goroutine only.
type watch struct {
	outcome *Outcome
	most    int
	stopped bool
}

// finishTurn is the hook behind the tools of each turn.
func (w *watch) finishTurn(_ context.Context, t agentcore.Turn) (agentcore.TurnAction, error) {
	// This turn is counted by its end, which comes behind the hook.
	if w.outcome.Turns+1 >= w.most && t.Message.StopReason == ai.StopToolUse {
		w.stopped = true
		return agentcore.TurnEndRun, nil
	}
	return agentcore.TurnNormal, nil
}

// hear is the listener.
func (w *watch) hear(_ context.Context, ev agentcore.Event) error {
	o := w.outcome
	switch ev := ev.(type) {
	case *agentcore.TurnEnd:
		o.Turns++
	case *agentcore.MessageEnd:
		if a, ok := ev.Message.(*ai.AssistantMessage); ok {
			o.Usage = o.Usage.Add(a.Usage)
		}
	case *agentcore.ToolEnd:
		c := o.Calls[ev.Name]
		if c == nil {
			c = new(Calls)
			o.Calls[ev.Name] = c
		}
		c.Made++
		if ev.Result.IsError {
			c.Failed++
		}
	}
	return nil
}
