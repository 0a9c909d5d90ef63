package execenv

import "sync"

// Groups is the set of process trees that are running right now. Give one value
// to every shell of a program (LocalOptions.Groups) and call KillAll when the
// program is told to end. The zero value is empty and ready; a Groups must not be
// copied. All methods may be called from several goroutines.
type Groups struct {
	mu     sync.Mutex
	closed bool
	live   map[*tree]struct{}
}

// KillAll kills every process tree that is still running and every one that is
// started later, so that nothing slips through between the signal and the exit.
// It returns when they have been killed; a program waits for that before it exits.
func (g *Groups) KillAll() {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.closed = true
	killTrees(g.live)
}

// Len is the number of process trees that are running.
func (g *Groups) Len() int {
	g.mu.Lock()
	defer g.mu.Unlock()
	return len(g.live)
}

func (g *Groups) add(t *tree) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.live == nil {
		g.live = map[*tree]struct{}{}
	}
	g.live[t] = struct{}{}
	if g.closed {
		t.kill()
	}
}

// remove takes t out. It returns only when no KillAll is at work on t, so that
// the caller may then let the system reuse the process id.
func (g *Groups) remove(t *tree) {
	g.mu.Lock()
	defer g.mu.Unlock()
	delete(g.live, t)
}
