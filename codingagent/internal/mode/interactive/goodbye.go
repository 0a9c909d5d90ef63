package interactive

import (
	"context"
	"fmt"
	"time"

	"github.com/pi-go/pi/tui/text"
)

// maxFarewell is about how many lines of the conversation are left on the main
// screen at the end.
const maxFarewell = 2000

// quitTime is how long the program may take for a last look at the
// conversation when it is told to end from outside.
const quitTime = time.Second

// quit ends the program. Its goroutine only.
func (u *ui) quit(err error) {
	u.status.rest()
	if u.wasRegular && !u.settings.ResumeHint {
		u.setScreen(false) // the main screen has the beginning already
	}
	if u.p.Terminal().FullScreen() {
		u.p.PrintOnExit(u.farewell()...)
	} else if hint := u.resumeHint(); hint != "" {
		u.note("dim", hint)
	}
	u.p.Quit(err)
}

// untilTold gives a context for the program that ends a little after ctx, so
// that there is time for a good-bye.
func (u *ui) untilTold(ctx context.Context) (context.Context, context.CancelFunc) {
	later, cancel := context.WithCancelCause(context.WithoutCancel(ctx))
	stop := context.AfterFunc(ctx, func() {
		u.p.Do(func() { u.quit(context.Cause(ctx)) })
		select {
		case <-later.Done():
		case <-time.After(quitTime):
			cancel(context.Cause(ctx))
		}
	})
	return later, func() { stop(); cancel(nil) }
}

// farewell is what is left on the main screen when the full screen is left: the
// conversation, and how to come back.
func (u *ui) farewell() []string {
	width, _ := u.p.Size()
	width = max(width, 1)
	var lines []string
	if !u.settings.ResumeHint {
		t := u.p.Transcript
		first, total := t.Len(), 0
		for first > u.greeting && total < maxFarewell {
			first--
			total += len(t.Item(first).Component().Render(width))
		}
		if first > u.greeting {
			lines = append(lines, u.look.fg("dim", "… the beginning is left out"))
		}
		for i := first; i < t.Len(); i++ {
			lines = append(lines, t.Item(i).Component().Render(width)...)
		}
		for len(lines) > 0 && text.Width(lines[0]) == 0 {
			lines = lines[1:]
		}
	}
	if hint := u.resumeHint(); hint != "" {
		lines = append(lines, "", u.look.fg("dim", text.Truncate(hint, width, "…")))
	}
	return lines
}

// resumeHint says how to go on with the session, "" if there is nothing to go
// on with.
func (u *ui) resumeHint() string {
	s := u.session()
	if s.File() == "" || u.untouched() {
		return ""
	}
	return fmt.Sprintf("To go on: pi -c, or pi --session %s", s.ID())
}
