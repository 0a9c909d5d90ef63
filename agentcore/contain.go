package agentcore

import (
	"fmt"
	"runtime/debug"
)

// PanicError is a panic of foreign code (a tool, a hook, a listener) that was
// contained. Its text holds no stack: it may reach a model.
type PanicError struct {
	In    string // what panicked, such as "tool read" or "PrepareRequest"
	Value any    // what was passed to panic
	Stack []byte // as of [debug.Stack]
}

// Error says what panicked and with what value.
func (e *PanicError) Error() string { return fmt.Sprintf("%s panicked: %v", e.In, e.Value) }

// Unwrap gives the value of the panic if it was an error.
func (e *PanicError) Unwrap() error {
	err, _ := e.Value.(error)
	return err
}

// contain runs foreign code. Its error says in which part it was made; its
// panic becomes an error.
func (r *run) contain(in string, f func() error) (err error) {
	defer func() {
		if v := recover(); v != nil {
			err = r.panicked(in, v)
		}
	}()
	if err := f(); err != nil {
		return fmt.Errorf("%s: %w", in, err)
	}
	return nil
}

func (r *run) panicked(in string, value any) *PanicError {
	return newPanicError(in, value, r.cfg.OnPanic)
}

// newPanicError is called while the panic unwinds.
func newPanicError(in string, value any, tell func(*PanicError)) *PanicError {
	p := &PanicError{In: in, Value: value, Stack: debug.Stack()}
	if tell != nil {
		func() {
			defer func() { _ = recover() }() // of tell itself: there is nobody left to ask
			tell(p)
		}()
	}
	return p
}
