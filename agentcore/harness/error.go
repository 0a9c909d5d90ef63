package harness

import (
	"context"
	"errors"
	"fmt"
	"runtime/debug"

	"github.com/pi-go/pi/agentcore"
	"github.com/pi-go/pi/agentcore/compaction"
	"github.com/pi-go/pi/agentcore/session"
)

// Code names a kind of error for programs: it stays the same when texts
// change, and crosses a wire.
type Code string

// The codes of errors of a harness.
const (
	CodeBusy       Code = "busy"       // [ErrBusy]
	CodeCompacting Code = "compacting" // [ErrCompacting]
	CodeNoModel    Code = "no_model"   // [ErrNoModel]
	CodeClosed     Code = "closed"     // [ErrClosed], [session.ErrClosed]
	CodeCancelled  Code = "cancelled"  // [ErrCancelled]
	CodeHook       Code = "hook"       // a hook failed or panicked
	CodeListener   Code = "listener"   // a listener failed or panicked
	CodeSave       Code = "save"       // the session could not be written
	CodeNothing    Code = "nothing"    // [compaction.ErrNothing]
	CodeAlready    Code = "already"    // [compaction.ErrAlready]
	CodeNotFound   Code = "not_found"  // [session.ErrNotFound]
	CodeLocked     Code = "locked"     // [session.ErrLocked]
	CodeReadOnly   Code = "read_only"  // [session.ErrReadOnly]
	CodeAborted    Code = "aborted"    // the context ended, or somebody aborted
	CodeUnknown    Code = "unknown"    // none of these
)

// Error is an error with a code.
type Error struct {
	Code Code
	// Doing is what was being done, "" where Err says it all.
	Doing string
	Err   error
}

// Error gives the text for people.
func (e *Error) Error() string {
	if e.Doing == "" {
		return e.Err.Error()
	}
	return fmt.Sprintf("%s: %v", e.Doing, e.Err)
}

// Unwrap gives the cause.
func (e *Error) Unwrap() error { return e.Err }

// CodeOf finds the code of an error of this package, of those below it
// included. It is "" for nil and [CodeUnknown] for errors of others.
func CodeOf(err error) Code {
	if err == nil {
		return ""
	}
	if e, ok := errors.AsType[*Error](err); ok {
		return e.Code
	}
	for _, known := range []struct {
		err  error
		code Code
	}{
		{compaction.ErrNothing, CodeNothing},
		{compaction.ErrAlready, CodeAlready},
		{session.ErrNotFound, CodeNotFound},
		{session.ErrLocked, CodeLocked},
		{session.ErrReadOnly, CodeReadOnly},
		{session.ErrClosed, CodeClosed},
		{context.Canceled, CodeAborted},
		{context.DeadlineExceeded, CodeAborted},
	} {
		if errors.Is(err, known.err) {
			return known.code
		}
	}
	return CodeUnknown
}

func sentinel(code Code, text string) error { return &Error{Code: code, Err: errors.New(text)} }

// ErrBusy is the error of calls that need the harness at rest.
var ErrBusy = sentinel(CodeBusy, "the agent is at work: say how to queue the message (steer, or follow up), or abort first")

// ErrCompacting is the error of a prompt that comes while a summary is made:
// nothing could deliver it afterwards.
var ErrCompacting = sentinel(CodeCompacting, "a summary is being made: wait until it is done, or abort it")

// ErrNoModel is the error of a prompt before a model was chosen.
var ErrNoModel = sentinel(CodeNoModel, "no model was chosen")

// ErrClosed is the error of calls after Close.
var ErrClosed = sentinel(CodeClosed, "the session was closed")

// ErrCancelled says that a hook stopped what was asked for.
var ErrCancelled = sentinel(CodeCancelled, "cancelled by a hook")

// ask calls a hook; what it panics with is an error of it, too.
func (h *Harness) ask(name string, hook func() error) (err error) {
	defer func() {
		if v := recover(); v != nil {
			p := &agentcore.PanicError{In: name, Value: v, Stack: debug.Stack()}
			tellPanic(h.cfg.Loop.OnPanic, p)
			err = &Error{Code: CodeHook, Err: p}
		}
	}()
	if err := hook(); err != nil {
		return &Error{Code: CodeHook, Doing: name, Err: err}
	}
	return nil
}

// tellPanic tells of a panic; that tell panics itself is beyond help.
func tellPanic(tell func(*agentcore.PanicError), p *agentcore.PanicError) {
	if tell == nil {
		return
	}
	defer func() { _ = recover() }()
	tell(p)
}
