//go:build unix

package interactive

import (
	"context"
	"os"
	"os/signal"
	"syscall"
	"time"
)

// jobs are the signals of shells that stop and continue programs.
type jobs struct {
	stops, continued chan os.Signal
	back             time.Time // from the last stop of our own; the program's goroutine only
}

// ownTime is how long after a stop of our own a SIGCONT is taken to belong to it.
const ownTime = time.Second

// jobControl lets the shell stop and continue the program from outside: before a
// stop the terminal is given back, and afterwards it is taken and painted again.
func (u *ui) jobControl(ctx context.Context) {
	u.jobs = &jobs{stops: make(chan os.Signal, 1), continued: make(chan os.Signal, 1)}
	if signal.Ignored(syscall.SIGTSTP) {
		return // no shell would continue us
	}
	signal.Notify(u.jobs.stops, syscall.SIGTSTP)
	signal.Notify(u.jobs.continued, syscall.SIGCONT)
	u.p.Go(func() {
		defer signal.Stop(u.jobs.stops)
		defer signal.Stop(u.jobs.continued)
		for {
			select {
			case <-u.jobs.stops:
				u.p.Do(u.suspend)
			case <-u.jobs.continued:
				u.p.Do(func() {
					if time.Since(u.jobs.back) > ownTime {
						u.fail(u.p.HandOver(func() error { return nil }))
					}
				})
			case <-ctx.Done():
				return
			}
		}
	})
}

// suspend stops the program until the shell continues it.
func (u *ui) suspend() {
	err := u.p.Suspend()
	u.jobs.back = time.Now()
	u.fail(err)
}
