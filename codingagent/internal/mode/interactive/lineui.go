package interactive

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/pi-go/pi/codingagent/extension"
)

// lineUI is how extensions ask a person in the line mode: a question, its options
// with numbers, and the next line as the answer. What needs a screen is left out.
// The goroutine of the chat shows and reads everything, so a line that is typed
// answers one question only.
type lineUI struct {
	extension.NoUI
	c *chat
}

// lineQuestion is a question that waits for the chat.
type lineQuestion struct {
	ctx    context.Context
	lines  []string
	prompt string
	answer chan lineAnswer
}

type lineAnswer struct {
	text string
	ok   bool
}

// ask waits for a line; ok is false when the time is over or the input has ended.
func (u *lineUI) ask(ctx context.Context, o extension.DialogOptions, prompt string, lines ...string) (string, bool) {
	ctx, end, _ := limited(ctx, o)
	defer end()
	q := lineQuestion{ctx: ctx, lines: lines, prompt: prompt, answer: make(chan lineAnswer, 1)}
	select {
	case u.c.questions <- q:
	case <-ctx.Done():
		return "", false
	case <-u.c.ended:
		return "", false
	}
	select {
	case a := <-q.answer:
		return a.text, a.ok
	case <-ctx.Done():
	case <-u.c.ended:
	}
	return "", false
}

// Select asks for the number of an option, or its text.
func (u *lineUI) Select(ctx context.Context, title string, options []string, o extension.DialogOptions) (string, bool) {
	if len(options) == 0 {
		return "", false
	}
	lines := []string{title}
	for i, opt := range options {
		lines = append(lines, fmt.Sprintf("  %d. %s", i+1, oneLine(opt)))
	}
	for {
		got, ok := u.ask(ctx, o, fmt.Sprintf("1 to %d, or nothing to cancel: ", len(options)), lines...)
		if got = strings.TrimSpace(got); !ok || got == "" {
			return "", false
		}
		if n, err := strconv.Atoi(got); err == nil && n >= 1 && n <= len(options) {
			return options[n-1], true
		}
		if i := slices.IndexFunc(options, func(s string) bool { return strings.EqualFold(s, got) }); i >= 0 {
			return options[i], true
		}
		lines = []string{fmt.Sprintf("%q is none of them.", got)}
	}
}

// Confirm asks for a yes.
func (u *lineUI) Confirm(ctx context.Context, title, message string, o extension.DialogOptions) bool {
	lines := []string{title}
	if message != "" {
		lines = append(lines, message)
	}
	got, ok := u.ask(ctx, o, "yes or no: ", lines...)
	got = strings.ToLower(strings.TrimSpace(got))
	return ok && (got == "y" || got == "yes")
}

// Input asks for a line; an empty one is an answer.
func (u *lineUI) Input(ctx context.Context, title, placeholder string, o extension.DialogOptions) (string, bool) {
	prompt := "> "
	if placeholder != "" {
		prompt = "(" + oneLine(placeholder) + ") > "
	}
	return u.ask(ctx, o, prompt, title)
}

// Notify writes a notice.
func (u *lineUI) Notify(message string, level extension.Level) {
	prefix := map[extension.Level]string{extension.Warning: "Warning: ", extension.Error: "Error: "}[level]
	u.c.tell(prefix + message)
}

// tell writes a notice from any goroutine: at once while an answer is made, else
// when the chat comes to it.
func (c *chat) tell(s string) {
	c.notices.Lock()
	defer c.notices.Unlock()
	c.waiting = append(c.waiting, s)
	select {
	case c.noticed <- struct{}{}:
	default:
	}
}

// showNotices writes what waits to be told; the goroutine of the chat.
func (c *chat) showNotices() (some bool) {
	c.notices.Lock()
	list := c.waiting
	c.waiting = nil
	c.notices.Unlock()
	for _, s := range list {
		c.view.notice(s)
	}
	return len(list) > 0
}

// put asks a question, and takes the next line for its answer.
func (c *chat) put(ctx context.Context, q lineQuestion) {
	if q.ctx.Err() != nil {
		return
	}
	c.showNotices()
	for _, l := range q.lines {
		c.view.notice(l)
	}
	c.view.fresh()
	c.view.styled(styleBold, q.prompt)
	for {
		select {
		case in := <-c.lines:
			c.view.begun(in.err != nil)
			q.answer <- lineAnswer{in.text, in.err == nil}
			c.inputEnd = in.err
			return
		case <-c.o.Interrupts:
			c.view.line("")
			q.answer <- lineAnswer{}
			return
		case <-q.ctx.Done():
			c.view.line("")
			c.view.notice("(not answered)")
			return
		case <-ctx.Done():
			return
		}
	}
}
