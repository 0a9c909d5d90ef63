package interactive

import (
	"fmt"
	"time"

	"github.com/pi-go/pi/agentcore/harness"
)

// tryAgain shows that a failed answer will be tried again: one line in the place of
// all that was seen of it, and of the line for the try before.
func (u *ui) tryAgain(ev *harness.RetryStart) {
	if u.last != nil {
		for _, p := range u.last.parts {
			if p.card != nil {
				delete(u.cards, p.card.id)
			}
		}
		for _, it := range u.last.items {
			it.Remove()
		}
		u.last = nil
	}
	u.forgetRetry()
	u.retry = u.append(&note{ui: u, token: "warning", body: fmt.Sprintf("\n%s\n(try %d of %d failed)", Clean(ev.ErrorMessage), ev.Attempt, ev.MaxAttempts+1)})
	u.status.work(fmt.Sprintf("Trying again in %s (%d of %d)", duration(ev.Delay+time.Second/2), ev.Attempt, ev.MaxAttempts))
}

// triedAgain ends that: with an answer, with the last failure, which is shown by
// itself, or because the person has stopped it.
func (u *ui) triedAgain(ev *harness.RetryEnd) {
	switch {
	case ev.Success:
		u.status.work("Working")
		u.forgetRetry()
	case u.last != nil && len(u.last.items) > 0:
		u.forgetRetry()
	default:
		u.retry = nil // it stays, as all that is known of the failure
	}
}

func (u *ui) forgetRetry() {
	if u.retry != nil {
		u.retry.Remove()
		u.retry = nil
	}
}
