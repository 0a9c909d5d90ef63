package agentcore

import (
	"context"
	"errors"
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

// call is one call of a batch.
type call struct {
	source *ai.ToolCall
	tool   *Tool
	before BeforeToolCall
	parent string
	began  time.Time

	settled  bool // the result stands; ToolEnd was sent
	result   ToolResult
	duration *int64

	// returned is set by the call's goroutine when the tool has returned, and
	// by the run when it stops waiting: whoever is first owns the result.
	returned atomic.Bool
}

// report is what a tool's goroutine tells the run: an update, or the end.
type report struct {
	c      *call
	update bool
	result ToolResult
	ended  time.Time
}

func newBatch(r *run, answer *ai.AssistantMessage, calls []*ai.ToolCall) *batch {
	b := &batch{r: r, answer: answer, over: make(chan struct{}), reports: make(chan report)}
	for _, c := range calls {
		b.calls = append(b.calls, &call{source: c, tool: findTool(r.c.Tools, c.Name)})
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
	b.r.emit(&ToolStart{CallID: c.source.ID, Name: c.source.Name, Arguments: c.source.Arguments, ParentCallID: c.parent})
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
			c.result = ErrorResult(b.r.stopText("it was not started"))
			b.settle(c)
		}
		return
	}
	for _, c := range calls {
		c.began = b.r.now()
		go b.execute(c)
	}
	stopped := b.r.ctx.Done()
	var grace <-chan time.Time
	for left := len(calls); left > 0; {
		select {
		case rep := <-b.reports:
			if rep.c.settled {
				continue
			}
			if rep.update {
				b.r.emit(&ToolUpdate{
					CallID: rep.c.source.ID, Name: rep.c.source.Name, Arguments: rep.c.source.Arguments,
					Partial: rep.result, ParentCallID: rep.c.parent,
				})
				continue
			}
			b.finish(rep.c, rep.result, rep.ended)
			left--
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
					c.returned.Store(true)
					b.finish(c, ErrorResult(b.r.stopText("the tool did not stop in time; what it did is unknown")), b.r.now())
				}
			}
			return
		}
	}
}

// finish settles a call that ran.
func (b *batch) finish(c *call, result ToolResult, ended time.Time) {
	c.result = result
	c.duration = new(max(ended.Sub(c.began).Milliseconds(), 0))
	b.settle(c)
}

func (b *batch) settle(c *call) {
	c.settled = true
	b.r.emit(&ToolEnd{CallID: c.source.ID, Name: c.source.Name, Result: c.result, DurationMS: c.duration, ParentCallID: c.parent})
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
	result := b.call(c)
	if c.returned.Swap(true) {
		return // too late: the run went on without it
	}
	if r.cfg.AfterToolCall != nil {
		result = b.after(c, result)
	}
	select {
	case b.reports <- report{c: c, result: result, ended: r.now()}:
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
		select {
		case b.reports <- report{c: c, update: true, result: partial}:
		case <-b.over:
		}
	}
	var result ToolResult
	err := r.contain("tool "+c.tool.Name, func() (err error) {
		result, err = c.tool.Execute(r.ctx, ToolCall{ID: c.source.ID, Name: c.tool.Name, Arguments: c.before.Arguments}, update)
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
	return patch.apply(result)
}

// apply gives the result with the fields that the patch sets.
func (p *ToolResultPatch) apply(result ToolResult) ToolResult {
	if p == nil {
		return result
	}
	if p.Content != nil {
		result.Content, result.Structured = p.Content, nil
	}
	if p.Details != nil {
		result.Details = p.Details
	}
	if p.Structured != nil {
		result.Structured = p.Structured
	}
	if p.IsError != nil {
		result.IsError = *p.IsError
	}
	if p.Usage != nil {
		result.Usage = p.Usage
	}
	if p.Terminate != nil {
		result.Terminate = *p.Terminate
	}
	return result
}
