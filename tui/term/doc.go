// Package term puts a terminal into the state a program with a user interface
// needs, and brings it back, whatever happens.
//
//	t, err := term.Open(term.Options{FullScreen: true})
//	if err != nil { ... }             // no terminal, or TERM=dumb; see also Options.Output
//	if err := t.Start(); err != nil { ... }
//	defer t.Stop()
//
// [Terminal.Stop] is the one way back. It may be called from any goroutine, any
// number of times: at the normal end, from a signal handler, while panicking, and
// before another program gets the terminal. After it, writes are refused, so that
// a late frame can not spoil what the shell shows.
//
// [Facts] tell what the environment says about the terminal, [Capabilities] what
// the terminal itself says when asked. Nothing is assumed: a terminal that does
// not answer is one that can do little.
package term
