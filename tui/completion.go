package tui

import (
	"context"
	"slices"
	"strings"

	"github.com/pi-go/pi/tui/edit"
	"github.com/pi-go/pi/tui/input"
)

// CompletionRequest is what a [Completer] is asked.
type CompletionRequest struct {
	// Lines is the text, Cursor the place in it. Do not change Lines.
	Lines  []string
	Cursor edit.Pos
	// Before is the line up to the cursor.
	Before string
	// Forced tells that the user asked with a key; otherwise the request came
	// with typing.
	Forced bool
}

// Suggestions are what a [Completer] found.
type Suggestions struct {
	// Prefix is the part of Before that an item replaces.
	Prefix string
	Items  []ListItem
	// Apply, if not nil, gives the text with an item in it and the place of the cursor
	// there; ok is false to put the item's value in the place of Prefix as usual. It is
	// called with the editor's goroutine, and must not change lines.
	Apply func(lines []string, cursor edit.Pos, it ListItem) (text string, at edit.Pos, ok bool)
}

// Completer finds ways to go on with what is being typed. It is called on a
// goroutine of its own; the context ends as soon as the answer is no longer
// wanted. Nil suggestions, or none, mean that there is nothing.
type Completer interface {
	Complete(ctx context.Context, r CompletionRequest) (*Suggestions, error)
}

// CompleterFunc is a function that is a [Completer].
type CompleterFunc func(ctx context.Context, r CompletionRequest) (*Suggestions, error)

// Complete calls the function.
func (f CompleterFunc) Complete(ctx context.Context, r CompletionRequest) (*Suggestions, error) {
	return f(ctx, r)
}

// Runner gets functions to the goroutine that components belong to. [Program] is
// one.
type Runner interface {
	Do(f func()) bool
	Go(f func())
}

// completion is the state of completing.
type completion struct {
	completer Completer
	runner    Runner
	triggers  string
	maxRows   int
	// onError gets what goes wrong.
	onError func(error)

	list   *SelectList
	prefix string
	apply  func(lines []string, cursor edit.Pos, it ListItem) (text string, at edit.Pos, ok bool)
	before string // the line up to the cursor that the list is for
	cancel context.CancelFunc
	asked  int // the number of the last question: answers to others are stale
}

// CompletionOptions say how an [Editor] completes.
type CompletionOptions struct {
	Completer Completer
	Runner    Runner
	// Triggers are characters that ask for suggestions when they are typed at the
	// beginning of a word, "/@" if empty. A slash counts only at the beginning of
	// the text.
	Triggers string
	// MaxRows is how many suggestions are seen at a time, 5 if 0.
	MaxRows int
	OnError func(error)
}

// SetCompletion makes the editor complete.
func (e *Editor) SetCompletion(o CompletionOptions) {
	e.closeCompletion()
	if o.Triggers == "" {
		o.Triggers = "/@"
	}
	if o.MaxRows <= 0 {
		o.MaxRows = 5
	}
	// The count goes on, so that what was asked before is known to be old.
	e.complete = completion{
		completer: o.Completer, runner: o.Runner, triggers: o.Triggers, maxRows: o.MaxRows, onError: o.OnError, asked: e.complete.asked,
	}
}

// Completing reports whether suggestions are shown.
func (e *Editor) Completing() bool { return e.complete.list != nil }

func (e *Editor) closeCompletion() {
	c := &e.complete
	c.list = nil
	c.asked++
	if c.cancel != nil {
		c.cancel()
		c.cancel = nil
	}
}

// typed asks for suggestions after a character that triggers them, and again
// while they are shown.
func (e *Editor) typed(s string) {
	if e.complete.completer == nil {
		return
	}
	if e.complete.list != nil || e.triggered() {
		e.ask(false)
	}
}

// afterEdit asks again after an edit other than typing.
func (e *Editor) afterEdit() {
	if e.complete.list == nil {
		return
	}
	if e.buf.Empty() {
		e.closeCompletion()
		return
	}
	e.ask(false)
}

// triggered reports whether the word before the cursor begins with a trigger.
func (e *Editor) triggered() bool {
	p := e.buf.Cursor()
	before := e.buf.Lines()[p.Row][:p.Col]
	word := before[strings.LastIndexAny(before, " \t")+1:]
	if word == "" {
		return false
	}
	if strings.HasPrefix(before, "/") && p.Row == 0 && strings.Contains(e.complete.triggers, "/") {
		return true // arguments of a command complete, too
	}
	return word[0] != '/' && strings.IndexByte(e.complete.triggers, word[0]) >= 0
}

// forceCompletion asks because of a key.
func (e *Editor) forceCompletion() bool {
	if e.complete.completer == nil {
		return false
	}
	e.ask(true)
	return true
}

func (e *Editor) ask(forced bool) {
	c := &e.complete
	if c.cancel != nil {
		c.cancel()
	}
	c.asked++
	asked := c.asked
	ctx, cancel := context.WithCancel(context.Background())
	c.cancel = cancel
	p := e.buf.Cursor()
	lines := append([]string(nil), e.buf.Lines()...)
	r := CompletionRequest{Lines: lines, Cursor: p, Before: lines[p.Row][:p.Col], Forced: forced}
	completer, runner := c.completer, c.runner
	runner.Go(func() {
		defer cancel()
		s, err := completer.Complete(ctx, r)
		runner.Do(func() {
			if asked != c.asked || ctx.Err() != nil && s == nil {
				return
			}
			if err != nil {
				if c.onError != nil {
					c.onError(err)
				}
				s = nil
			}
			e.suggest(s, r.Before, forced)
		})
	})
}

// suggest shows suggestions. A single one that was asked for with a key is taken
// at once.
func (e *Editor) suggest(s *Suggestions, before string, forced bool) {
	c := &e.complete
	if s == nil || len(s.Items) == 0 {
		c.list = nil
		return
	}
	c.prefix, c.before, c.apply = s.Prefix, before, s.Apply
	if forced && len(s.Items) == 1 && c.list == nil {
		e.accept(s.Items[0])
		return
	}
	old := c.list
	c.list = NewSelectList(e.bindings, s.Items...)
	c.list.MaxRows, c.list.Style = c.maxRows, e.Style.List
	if old != nil {
		if it, ok := old.Selected(); ok && old.selected > 0 {
			c.list.Select(it.Value)
		}
	}
}

// completionKey handles a key while suggestions are shown.
func (e *Editor) completionKey(k input.Key) bool {
	list := e.complete.list
	switch e.bindings.First(k, "tui.select.up", "tui.select.down", "tui.select.pageUp", "tui.select.pageDown",
		"tui.input.tab", "tui.select.confirm", "tui.select.cancel") {
	case "tui.select.up", "tui.select.down", "tui.select.pageUp", "tui.select.pageDown":
		list.HandleInput(k)
		return true
	case "tui.input.tab":
		if it, ok := list.Selected(); ok {
			e.accept(it)
		}
		return true
	case "tui.select.confirm":
		it, ok := list.Selected()
		if !ok {
			return false
		}
		command := strings.HasPrefix(e.complete.prefix, "/") && e.buf.Cursor().Row == 0
		if !e.accept(it) {
			return false // nothing was left to complete: the key is for the text
		}
		// A command that is chosen is also sent, unless it is a path to go on with.
		if !command || strings.HasSuffix(it.Value, "/") {
			return true
		}
		if p := e.buf.Cursor(); strings.HasSuffix(it.Value, " ") && p.Col == len(e.buf.Lines()[p.Row]) {
			e.buf.DeleteLeft() // the blank is for arguments, and there are none
		}
		return false
	case "tui.select.cancel":
		e.closeCompletion()
		return true
	}
	return false
}

// accept puts an item in the place of what was typed, and reports whether that was
// another text.
func (e *Editor) accept(it ListItem) bool {
	prefix, asked := e.complete.prefix, e.complete.before
	e.closeCompletion()
	p := e.buf.Cursor()
	if before := e.buf.Lines()[p.Row][:p.Col]; before != asked || !strings.HasSuffix(before, prefix) {
		return false // the text has changed meanwhile
	}
	if e.complete.apply != nil {
		if done, changed := e.applied(it); done {
			return changed
		}
	}
	e.buf.Replace(edit.Pos{Row: p.Row, Col: p.Col - len(prefix)}, p, it.Value)
	e.changed()
	if strings.HasSuffix(it.Value, "/") && e.complete.completer != nil {
		e.ask(false) // a directory: go on inside it
	}
	return it.Value != prefix
}

// applied lets the completer put an item into the text; done is false if it does not.
func (e *Editor) applied(it ListItem) (done, changed bool) {
	lines := e.buf.Lines()
	text, at, ok := e.complete.apply(slices.Clone(lines), e.buf.Cursor(), it)
	if !ok {
		return false, false
	}
	changed = text != strings.Join(lines, "\n")
	e.buf.Rewrite(text, at)
	e.changed()
	return true, changed
}
