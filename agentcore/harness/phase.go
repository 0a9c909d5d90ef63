package harness

// Phase says what a harness is doing.
//
//	             Prompt                     nothing left to do
//	PhaseIdle ─────────▶ PhaseRunning ───────────────────────▶ PhaseSettling
//	 ▲  │ ▲               │ ▲    │ ▲                            │       │
//	 │  │ │        failed │ │    │ │ too long                   │       │ a prompt came
//	 │  │ │               ▼ │    ▼ │                            │       ▼ meanwhile
//	 │  │ │     PhaseRetrying  PhaseCompacting                  │  PhaseRunning
//	 │  │ └─────────────────────────────────────────────────────┘
//	 │  ▼ Compact, Navigate                             Settled heard
//	PhaseCompacting
//
// An abort leads from every phase of a prompt to PhaseSettling. PhaseClosed
// follows PhaseIdle and is the last.
//
//	                 Prompt, no delivery  Prompt, delivery  Steer, FollowUp  Compact            Navigate  Add
//	PhaseIdle        runs                 runs              next prompt      runs               runs      at once
//	PhaseRunning     ErrBusy              queued            queued           aborts, then runs  ErrBusy   when settled
//	PhaseRetrying    ErrBusy              queued            queued           aborts, then runs  ErrBusy   when settled
//	PhaseCompacting  ErrBusy              queued            queued           aborts, then runs  ErrBusy   when settled
//	PhaseSettling    ErrBusy              after Settled     after Settled    after Settled      ErrBusy   after Settled
//	PhaseClosed      ErrClosed            ErrClosed         nothing          ErrClosed          ErrClosed ErrClosed
//
// While Compact or Navigate make a summary that somebody asked for, Prompt and
// Compact are refused with [ErrCompacting]: no run would deliver the message.
type Phase int

// The phases.
const (
	PhaseIdle       Phase = iota
	PhaseRunning          // a run: requests and tools
	PhaseRetrying         // waiting for the next try
	PhaseCompacting       // summing up, or moving to another branch
	PhaseSettling         // writing the rest, telling listeners of the end
	PhaseClosed
)

// String gives the name in lower case.
func (p Phase) String() string {
	switch p {
	case PhaseIdle:
		return "idle"
	case PhaseRunning:
		return "running"
	case PhaseRetrying:
		return "retrying"
	case PhaseCompacting:
		return "compacting"
	case PhaseSettling:
		return "settling"
	case PhaseClosed:
		return "closed"
	}
	return "unknown"
}

// Phase gives what the harness is doing. It may be something else by the time
// the caller looks at it, except in a listener or a hook.
func (h *Harness) Phase() Phase {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.phase
}

// Busy reports whether a prompt, a compaction or a move is under way, waits
// for a retry included.
func (h *Harness) Busy() bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.phase != PhaseIdle && h.phase != PhaseClosed
}

// Compacting reports whether a summary is being made.
func (h *Harness) Compacting() bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.phase == PhaseCompacting
}

// Running reports whether a prompt is under way, with its retries and the
// compactions it needs.
func (h *Harness) Running() bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.phase != PhaseIdle && h.phase != PhaseClosed && !h.exclusive
}

func (h *Harness) setPhase(p Phase) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.phase != PhaseClosed {
		h.phase = p
	}
}

// Retrying reports whether a failed answer waits to be tried again.
func (h *Harness) Retrying() bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.phase == PhaseRetrying
}
