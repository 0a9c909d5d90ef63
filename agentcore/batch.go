package agentcore

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"sync/atomic"
	"time"

	"github.com/pi-go/pi/ai"
)

// defaultToolGrace is how long a cancelled tool may go on: long enough to kill
// a process and collect its output, short enough that a person who pressed a
// key sees it work.
const defaultToolGrace = 250 * time.Millisecond

// batch is the calls of one answer on their way to results. It belongs to the
// run's goroutine; the tools' goroutines report over a channel.
type batch struct {
	r        *run
	answer   *ai.AssistantMessage
	calls    []*call
	messages []*ai.ToolResultMessage

	reports chan report
	over    chan struct{} // closed when nobody listens to reports any more
}

// call is one call of a batch, or one that a tool of the batch makes.
type call struct {
	source   *ai.ToolCall
	tool     *Tool
	before   BeforeToolCall
	ctx      context.Context
	began    time.Time
	parent   *call // nil for a call of the model
	children []*call
	onUpdate func(ToolResult)
	done     chan struct{} // closed when settled; only with a parent

	settled  bool // the result stands; ToolEnd was sent
	result   ToolResult
	duration *int64
	nested   nestedRecord

	// returned is set by the call's goroutine when the tool has returned, and
	// by the run when it stops waiting: whoever is first owns the result.
	returned atomic.Bool
}

func (c *call) parentID() string {
	if c.parent == nil {
		return ""
	}
	return c.parent.source.ID
}

// report is what a tool's goroutine tells the run.
type report struct {
	kind   reportKind
	c      *call
	result ToolResult
	ended  time.Time
}

type reportKind int

const (
	toolUpdated reportKind = iota
	toolReturned
	toolInvokes // c is the new call
)

func newBatch(r *run, answer *ai.AssistantMessage, calls []*ai.ToolCall) *batch {
	b := &batch{r: r, answer: answer, over: make(chan struct{}), reports: make(chan report)}
	for _, c := range calls {
		b.calls = append(b.calls, &call{source: c, tool: findTool(r.c.Tools, c.Name), ctx: r.ctx})
	}
	return b
}

func findTool(tools []*Tool, name string) *Tool {
	for _, t := range tools {
		if t != nil && t.Name == name {
			return t
		}
	}
	return nil
}

// sequential reports whether the calls must run one after the other.
func (b *batch) sequential() bool {
	if b.r.cfg.Execution == ExecuteSequential {
		return true
	}
	for _, c := range b.calls {
		if c.tool != nil && c.tool.Sequential {
			return true
		}
	}
	return false
}

// run runs the batch. Each call has a result message in the transcript
// afterwards.
func (b *batch) run() {
	defer close(b.over)
	if b.sequential() {
		for _, c := range b.calls {
			if b.start(c) {
				b.wait(c)
			}
			b.record(c)
		}
		return
	}
	var runnable []*call
	for _, c := range b.calls {
		if b.start(c) {
			runnable = append(runnable, c)
		}
	}
	b.wait(runnable...)
	for _, c := range b.calls {
		b.record(c)
	}
}

// terminates reports whether every result asks to end the run.
func (b *batch) terminates() bool {
	for _, c := range b.calls {
		if !c.result.Terminate {
			return false
		}
	}
	return true
}

// start announces a call and prepares it. A call that can not be run is
// settled at once.
func (b *batch) start(c *call) (runnable bool) {
	b.r.emit(&ToolStart{CallID: c.source.ID, Name: c.source.Name, Arguments: c.source.Arguments, ParentCallID: c.parentID()})
	if refusal := b.prepare(c); refusal != nil {
		c.result = *refusal
		b.settle(c)
		return false
	}
	return true
}

// wait runs calls side by side until each is settled. After the run was
// stopped it goes on for the grace period and then settles what is left; the
// goroutines of those tools end when the tools return.
func (b *batch) wait(calls ...*call) {
	if b.r.stopped() { // by a hook or a listener of a later call
		for _, c := range calls {
			c.result = loopError(b.r.stopText("it was not started"))
			b.settle(c)
		}
		return
	}
	for _, c := range calls {
		b.launch(c)
	}
	stopped := b.r.ctx.Done()
	var grace <-chan time.Time
	for slices.ContainsFunc(calls, func(c *call) bool { return !c.settled }) {
		select {
		case rep := <-b.reports:
			b.hear(rep)
		case <-stopped:
			stopped = nil
			wait := b.r.cfg.ToolGrace
			if wait == 0 {
				wait = defaultToolGrace
			}
			timer := time.NewTimer(wait)
			defer timer.Stop()
			grace = timer.C
		case <-grace:
			for _, c := range calls {
				if !c.settled {
					b.abandon(c, "the tool did not stop in time; what it did is unknown")
				}
			}
		}
	}
}

// launch starts the goroutine of a call.
func (b *batch) launch(c *call) {
	c.began = b.r.now()
	go b.execute(c)
}

// hear acts on what a tool's goroutine reports.
func (b *batch) hear(rep report) {
	c := rep.c
	switch {
	case rep.kind == toolInvokes:
		b.invoke(c)
	case c.settled: // too late
	case rep.kind == toolUpdated:
		b.r.emit(&ToolUpdate{
			CallID: c.source.ID, Name: c.source.Name, Arguments: c.source.Arguments,
			Partial: rep.result, ParentCallID: c.parentID(),
		})
	default:
		b.finish(c, rep.result, rep.ended)
	}
}

// abandon settles a call whose tool has not returned.
func (b *batch) abandon(c *call, why string) {
	c.returned.Store(true)
	b.finish(c, loopError(b.r.stopText(why)), b.r.now())
}

// finish settles a call that ran.
func (b *batch) finish(c *call, result ToolResult, ended time.Time) {
	c.result = result
	c.duration = new(max(ended.Sub(c.began).Milliseconds(), 0))
	b.settle(c)
}

// settle ends a call; the calls that its tool made end before it.
func (b *batch) settle(c *call) {
	for _, child := range c.children {
		if !child.settled {
			child.nested.unfinished = true
			child.returned.Store(true)
			b.finish(child, loopError("Tool call aborted: the tool that made it has ended"), b.r.now())
		}
	}
	c.settled = true
	c.account()
	b.r.emit(&ToolEnd{CallID: c.source.ID, Name: c.source.Name, Result: c.result, DurationMS: c.duration, ParentCallID: c.parentID()})
	if c.done != nil {
		close(c.done)
	}
}

// record adds the result to the transcript.
func (b *batch) record(c *call) {
	r := b.r
	var m Message = resultMessage(c, r.now())
	r.emit(&MessageStart{Message: m})
	m = r.finished(m)
	r.keep(m)
	r.emit(&MessageEnd{Message: m})
	if m, ok := m.(*ai.ToolResultMessage); ok {
		b.messages = append(b.messages, m)
	}
}

// execute runs a tool on its own goroutine and reports.
func (b *batch) execute(c *call) {
	r := b.r
	ended := false
	defer func() {
		if !ended { // runtime.Goexit, as the Fatal methods of tests call it
			b.report(c, loopError("tool "+c.tool.Name+" ended its goroutine without a result"))
		}
	}()
	result := b.call(c)
	ended = true
	if c.returned.Swap(true) {
		return // too late: the run went on without it
	}
	if r.cfg.AfterToolCall != nil {
		result = b.after(c, result)
	}
	b.report(c, result)
}

// report tells the run that a call is over.
func (b *batch) report(c *call, result ToolResult) {
	select {
	case b.reports <- report{kind: toolReturned, c: c, result: result, ended: b.r.now()}:
	case <-b.over:
	}
}

// call runs the tool and makes one result of whatever it does.
func (b *batch) call(c *call) ToolResult {
	r := b.r
	update := func(partial ToolResult) {
		if c.returned.Load() {
			return
		}
		if c.onUpdate != nil {
			c.onUpdate(partial)
		}
		select {
		case b.reports <- report{kind: toolUpdated, c: c, result: partial}:
		case <-b.over:
		}
	}
	var result ToolResult
	err := r.contain("tool "+c.tool.Name, func() (err error) {
		result, err = c.tool.Execute(c.ctx, ToolCall{
			ID: c.source.ID, Name: c.tool.Name, Arguments: c.before.Arguments, caller: &caller{b: b, c: c},
		}, update)
		if err != nil {
			return toolError{err}
		}
		return nil
	})
	if err == nil {
		return result
	}
	return r.toolFailure(err)
}

// toolError carries an error of a tool through contain: the model should read
// the tool's own words.
type toolError struct{ error }

func (e toolError) Unwrap() error { return e.error }

// toolFailure makes a result of an error.
func (r *run) toolFailure(err error) ToolResult {
	text := err.Error()
	var own toolError
	if errors.As(err, &own) {
		text = own.Error()
		if r.stopped() && (errors.Is(own, context.Cause(r.ctx)) || errors.Is(own, r.ctx.Err())) {
			text = r.stopText("")
		}
	}
	return loopError(text)
}

// loopError is the result of a call that has none of its own. Readers of the
// stored format expect details in it.
func loopError(text string) ToolResult {
	result := ErrorResult(text)
	result.Details = struct{}{}
	return result
}

// stopText tells the model why a call has no proper result. Tools' goroutines
// call it too, so it looks at nothing but the contexts.
func (r *run) stopText(more string) string {
	text := "Tool call aborted"
	if r.parent.Err() == nil {
		text = "Tool call aborted: the run failed"
	}
	if more != "" {
		text += ": " + more
	}
	return text
}

// after passes a result through AfterToolCall.
func (b *batch) after(c *call, result ToolResult) ToolResult {
	r := b.r
	var patch *ToolResultPatch
	err := r.contain("AfterToolCall", func() (err error) {
		patch, err = r.cfg.AfterToolCall(r.ctx, AfterToolCall{BeforeToolCall: c.before, Result: result})
		return err
	})
	if err != nil {
		return r.toolFailure(err)
	}
	return patch.Apply(result)
}

// Then gives a patch that does what p does, then what next does; both may be
// nil.
func (p *ToolResultPatch) Then(next *ToolResultPatch) *ToolResultPatch {
	if p == nil || next == nil {
		return cmp.Or(p, next)
	}
	out := *p
	if next.Content != nil {
		out.Content, out.Structured = next.Content, nil
	}
	if next.Details != nil {
		out.Details = next.Details
	}
	if next.Structured != nil {
		out.Structured = next.Structured
	}
	out.IsError = cmp.Or(next.IsError, p.IsError)
	out.Usage = cmp.Or(next.Usage, p.Usage)
	out.Terminate = cmp.Or(next.Terminate, p.Terminate)
	return &out
}

// Apply gives the result with the fields that the patch sets; a nil patch sets none.
func (p *ToolResultPatch) Apply(result ToolResult) ToolResult {
	if p == nil {
		return result
	}
	whole := (&ToolResultPatch{
		Content: result.Content, Details: result.Details, Structured: result.Structured, IsError: &result.IsError, Usage: result.Usage, Terminate: &result.Terminate,
	}).Then(p)
	result.Content, result.Details, result.Structured, result.Usage = whole.Content, whole.Details, whole.Structured, whole.Usage
	result.IsError, result.Terminate = *whole.IsError, *whole.Terminate
	return result
}
