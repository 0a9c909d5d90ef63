package interactive

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"sync"

	"github.com/pi-go/pi/agentcore"
	"github.com/pi-go/pi/agentcore/harness"
	"github.com/pi-go/pi/ai"
	"github.com/pi-go/pi/codingagent"
	"github.com/pi-go/pi/tui/term"
	"github.com/pi-go/pi/tui/text"
)

// view writes what happens as plain lines: for the run while one is under way, for
// the chat otherwise, and for questions of extensions at any time.
type view struct {
	mu    sync.Mutex // of open and failed
	out   io.Writer
	color bool
	ascii bool
	// open says that the cursor is in the middle of a line.
	open bool
	// failed is the error of the last write; there is nobody to tell it to.
	failed error
}

// Styles, as SGR parameters.
const (
	styleDim   = "2"
	styleBold  = "1"
	styleError = "31"
)

func (v *view) write(s string) {
	v.mu.Lock()
	defer v.mu.Unlock()
	if s == "" || v.failed != nil {
		return
	}
	out := s
	if v.ascii {
		out = string(term.ASCII([]byte(s)))
	}
	_, v.failed = io.WriteString(v.out, out)
	v.open = !strings.HasSuffix(s, "\n")
}

// styled writes text in a style; nothing in the text reaches the terminal as
// a control sequence.
func (v *view) styled(style, s string) {
	s = text.Sanitize(s)
	if v.color && style != "" {
		s = "\x1b[" + style + "m" + s + "\x1b[0m"
	}
	v.write(s)
}

// fresh begins a new line unless one is begun.
func (v *view) fresh() {
	v.mu.Lock()
	open := v.open
	v.mu.Unlock()
	if open {
		v.write("\n")
	}
}

// begun says whether the cursor is in the middle of a line.
func (v *view) begun(open bool) {
	v.mu.Lock()
	defer v.mu.Unlock()
	v.open = open
}

func (v *view) line(s string) {
	v.styled("", s)
	v.write("\n")
}

func (v *view) notice(s string) {
	v.fresh()
	v.styled(styleDim, s)
	v.write("\n")
}

func (v *view) prompt() {
	v.fresh()
	v.styled(styleBold, "> ")
}

func (v *view) failure(err error) {
	v.fresh()
	v.styled(styleError, "Error: "+err.Error())
	v.write("\n")
}

// ended says how a prompt ended when that was not well.
func (v *view) ended(r codingagent.Result) {
	v.fresh()
	switch {
	case r.Aborted:
		v.notice("(stopped)")
	case r.Answer != nil && r.Answer.Err() != nil:
		v.failure(r.Answer.Err())
	case r.Answer != nil && r.Answer.StopReason == ai.StopLength:
		v.notice("(cut off at the model's output limit)")
	}
}

// hear shows one event.
func (v *view) hear(_ context.Context, ev agentcore.Event) error {
	switch ev := ev.(type) {
	case *agentcore.MessageUpdate:
		v.delta(ev.Stream)
	case *agentcore.ToolStart:
		v.fresh()
		v.styled(styleDim, "* "+callLine(ev.Name, ev.Arguments))
		v.write("\n")
	case *agentcore.ToolEnd:
		v.result(ev)
	case *harness.RetryStart:
		v.notice(fmt.Sprintf("%s; trying again in %s (%d of %d)", ev.ErrorMessage, ev.Delay, ev.Attempt, ev.MaxAttempts))
	}
	return nil
}

func (v *view) delta(ev ai.Event) {
	switch ev.Type {
	case ai.EventTextDelta:
		v.styled("", ev.Delta)
	case ai.EventThinkingDelta:
		v.styled(styleDim, ev.Delta)
	case ai.EventTextEnd, ai.EventThinkingEnd:
		v.fresh()
	}
}

// maxResultLines is how much of a tool's result is shown.
const maxResultLines = 8

func (v *view) result(ev *agentcore.ToolEnd) {
	shown := strings.TrimSpace(ai.TextOf(ev.Result.Content, "\n"))
	if shown == "" {
		return
	}
	lines := strings.Split(shown, "\n")
	more := ""
	if len(lines) > maxResultLines {
		more = fmt.Sprintf("  … %d more lines", len(lines)-maxResultLines)
		lines = lines[:maxResultLines]
	}
	style := styleDim
	if ev.Result.IsError {
		style = styleError
	}
	for _, l := range lines {
		v.styled(style, "  "+text.Truncate(text.Sanitize(l), 200, "…"))
		v.write("\n")
	}
	if more != "" {
		v.styled(styleDim, more)
		v.write("\n")
	}
}

// callLine describes a call in one line: the tool and its most telling
// argument.
func callLine(name string, args json.RawMessage) string {
	var fields map[string]json.RawMessage
	if json.Unmarshal(args, &fields) == nil {
		for _, key := range []string{"command", "path", "pattern"} {
			var s string
			if json.Unmarshal(fields[key], &s) == nil && s != "" {
				first, _, cut := strings.Cut(s, "\n")
				if cut {
					first += " …"
				}
				return name + " " + first
			}
		}
	}
	return name
}
