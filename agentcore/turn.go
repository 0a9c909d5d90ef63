package agentcore

import (
	"slices"

	"github.com/pi-go/pi/ai"
)

// turnOutcome says how the loop goes on after a turn.
type turnOutcome struct {
	turn  Turn
	end   bool // end the run without asking the queues
	more  bool // the model must be asked again
	again bool // FinishTurn wants one more request
}

// runTurn adds what waits, asks the model and runs the tools it calls. It
// leaves no turn open and no call without a result, whatever happens.
func (r *run) runTurn(next []pending) turnOutcome {
	r.emit(&TurnStart{})
	r.refresh()
	for _, m := range r.declare(next) {
		r.enter(m)
	}
	answer := r.answer()
	r.last = answer
	out := turnOutcome{turn: Turn{Message: answer}}
	if answer.StopReason != ai.StopError && answer.StopReason != ai.StopAborted {
		r.useTools(&out)
		r.finishTurn(&out)
	} else {
		out.end = true
	}
	r.emit(&TurnEnd{Message: answer, ToolResults: out.turn.ToolResults})
	return out
}

// useTools runs the calls of the answer.
func (r *run) useTools(out *turnOutcome) {
	answer := out.turn.Message
	if answer.StopReason == ai.StopDeferred {
		// The answer is still to be fetched: asking again would ask twice.
		out.end = true
		return
	}
	calls := answer.ToolCalls()
	if len(calls) == 0 {
		return
	}
	b := newBatch(r, answer, calls)
	b.run()
	out.turn.ToolResults = b.messages
	out.more = !b.terminates()
}

// finishTurn asks the hook how to go on.
func (r *run) finishTurn(out *turnOutcome) {
	out.turn.Context = r.context()
	out.turn.NewMessages = slices.Clip(r.added)
	if r.cfg.FinishTurn == nil || r.stopped() {
		return
	}
	action := TurnNormal
	err := r.contain("FinishTurn", func() (err error) {
		action, err = r.cfg.FinishTurn(r.ctx, out.turn)
		return err
	})
	if err != nil {
		r.fail(err)
		return
	}
	switch action {
	case TurnEndRun:
		out.end = true
	case TurnContinue:
		out.end, out.again = false, true
	}
}
