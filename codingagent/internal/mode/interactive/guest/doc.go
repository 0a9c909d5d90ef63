// Package guest shows components that extensions wrote. Their code may panic,
// block, or draw what is no line of text; the screen stays as it should be.
//
//	h := &guest.Host{Late: redraw, Fault: report}
//	c := h.Component("widget todo", made)
//	container.Add(c)
//	...
//	c.Close()
//
// What a component does runs on a goroutine of its own, one call at a time and in
// order. The screen waits for it for a moment only: a component that takes longer
// is shown as it was, and drawn when it is done; see [Calls].
package guest
