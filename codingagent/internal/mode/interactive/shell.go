package interactive

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"time"

	"github.com/pi-go/pi/codingagent"
	"github.com/pi-go/pi/tui"
	"github.com/pi-go/pi/tui/text"
)

// maxLive is how much of the output of a running command is kept for the
// screen.
const maxLive = 64 << 10

// shellRun shows a command that the person ran.
type shellRun struct {
	ui      *ui
	item    *tui.Item
	command string
	hidden  bool // kept from the model
	cancel  context.CancelFunc
	began   time.Time

	mu   sync.Mutex // guards live, which the command's goroutine fills
	live strings.Builder

	done  *codingagent.BashExecution // nil while it runs
	lines []string
	width int
	open  bool
}

func finishedShell(u *ui, m *codingagent.BashExecution) *shellRun {
	return &shellRun{ui: u, command: m.Command, hidden: m.ExcludeFromContext, done: m}
}

// runShell runs "!command", or "!!command", which the model does not hear of.
func (u *ui) runShell(line string) {
	command, hidden := strings.CutPrefix(line, "!!")
	command = strings.TrimSpace(strings.TrimPrefix(command, "!"))
	switch {
	case command == "":
		u.hint("Write a command behind the !, such as !git status. With !! the model does not hear of it.")
		return
	case u.shell != nil:
		u.hint("A command is running already; " + u.keys.Text("app.interrupt") + " stops it.")
		u.editor.SetText(line)
		return
	}
	ctx, cancel := context.WithCancel(u.ctx)
	r := &shellRun{ui: u, command: command, hidden: hidden, cancel: cancel, began: time.Now()}
	u.shell = r
	r.item = u.append(r)
	r.item.SetLive(true)
	u.status.work("Running")
	s := u.session()
	u.spawn(func() {
		defer cancel()
		m, err := s.Bash(ctx, command, hidden, r.write)
		u.p.Do(func() {
			u.shell = nil
			r.done = m
			r.item.SetLive(false)
			r.lines = nil
			if !s.Busy() {
				u.status.rest()
			}
			if m == nil {
				r.done = &codingagent.BashExecution{Command: command, Cancelled: ctx.Err() != nil}
			}
			u.fail(err)
		})
	})
}

// write takes output, on the command's goroutine.
func (r *shellRun) write(s string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.live.WriteString(s)
	if r.live.Len() > 2*maxLive {
		rest := r.live.String()[r.live.Len()-maxLive:]
		r.live.Reset()
		r.live.WriteString(rest)
	}
}

// Render gives the lines: of a running command at every frame.
func (r *shellRun) Render(width int) []string {
	if r.done != nil && r.lines != nil && r.width == width && r.open == r.ui.expanded {
		return r.lines
	}
	r.width, r.open = width, r.ui.expanded
	l := r.ui.look
	title := "$ " + strings.Join(splitLines(Clean(r.command)), "\n  ")
	var lines []string
	lines = append(lines, "")
	for _, t := range text.Wrap(title, max(width-2, 1)) {
		lines = append(lines, " "+l.bold("bashMode", t))
	}
	output, facts := "", []string{}
	if r.done == nil {
		r.mu.Lock()
		output = r.live.String()
		r.mu.Unlock()
		facts = append(facts, "running for "+duration(time.Since(r.began)))
	} else {
		output = r.done.Output
		switch {
		case r.done.Cancelled:
			facts = append(facts, "stopped")
		case r.done.ExitCode != nil && *r.done.ExitCode != 0:
			facts = append(facts, fmt.Sprintf("exit code %d", *r.done.ExitCode))
		}
		if r.done.Truncated && r.done.FullOutputPath != "" {
			facts = append(facts, "all output is in "+oneLine(r.done.FullOutputPath))
		}
	}
	if r.hidden {
		facts = append(facts, "not shown to the model")
	}
	c := toolCard{ui: r.ui, width: width, open: r.open}
	for _, b := range c.block("toolOutput", strings.Trim(output, "\n"), 2*outputLines, true) {
		lines = append(lines, "   "+b)
	}
	if len(facts) > 0 {
		lines = append(lines, "   "+l.fg("dim", strings.Join(facts, ", ")))
	}
	r.lines = fit(lines, width)
	return r.lines
}

// Invalidate makes it be drawn anew.
func (r *shellRun) Invalidate() { r.lines = nil }
