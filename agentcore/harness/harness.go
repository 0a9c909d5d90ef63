package harness

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/pi-go/pi/agentcore"
	"github.com/pi-go/pi/agentcore/compaction"
	"github.com/pi-go/pi/agentcore/execenv"
	"github.com/pi-go/pi/agentcore/session"
	"github.com/pi-go/pi/ai"
)

// Config describes a harness. Session, Model and Loop.Stream are required.
type Config struct {
	// Session is written by the harness alone from now on, and closed by it.
	Session *session.Session
	// Loop is the policy of the runs. Its Options.Conversation is set by the
	// harness, its queue functions are asked after the harness's own queues.
	Loop     agentcore.LoopConfig
	Model    *ai.Model
	Thinking ai.ThinkingLevel
	// Limits gives the model whose limits count while another is selected that
	// stands for several; nil, the function or what it gives, means the selected one.
	// It must not call the harness.
	Limits func(selected *ai.Model) *ai.Model
	// Virtual tells which models stand for others that answer in their place; nil
	// means none.
	Virtual func(session.ModelRef) bool
	Tools   []*agentcore.Tool
	// Env, if not nil, is where tools find files and processes: their context carries
	// it, see [execenv.FromContext]. Tools that were made with an environment of their
	// own need none.
	Env *execenv.Env
	// System gives the prompt in named sections; it is asked before each
	// prompt, and what changed is declared to the model. nil means no prompt.
	System func() []ai.Section
	// Compaction gives the settings for a model; nil never compacts without
	// being asked.
	Compaction func(m *ai.Model) compaction.Settings
	// Policy is what compaction has to know of the conversation.
	Policy compaction.Policy
	// Hooks may stop, change or replace what the harness does.
	Hooks Hooks
	// Retry says how failed answers are tried again; the zero value never does.
	// [ai.DefaultRetryPolicy] suits most programs.
	Retry        ai.RetryPolicy
	SteeringMode agentcore.QueueMode
	FollowUpMode agentcore.QueueMode
	// Wait waits before a retry; nil means [ai.Wait]. Tests put their own.
	Wait func(ctx context.Context, d time.Duration) error
	// Random gives numbers in [0,1) that spread retries; nil spreads nothing.
	Random func() float64
}

// Harness is an agent at work on a session.
type Harness struct {
	cfg          Config
	session      *session.Session
	agent        *agentcore.Agent
	conversation *ai.Conversation
	bus          bus

	mu      sync.Mutex
	phase   Phase
	cancel  context.CancelFunc // of the active prompt
	done    chan struct{}      // closed when the active prompt has settled
	ending  bool               // done is closed as soon as listeners have heard Settled
	aborted bool               // the active prompt was aborted by Abort or its context
	// exclusive says that no prompt is active but a compaction or a move that
	// somebody asked for; seized, that one waits for the prompt to settle.
	exclusive, seized bool
	// deferred says that a message came when the prompt had nothing left to
	// do: it is worked on once listeners have heard Settled. closing says that
	// nothing may begin any more.
	deferred, closing bool
	cancelRetry       context.CancelFunc // of the wait for the next try
	cancelSummary     context.CancelFunc // of the summary that is made
	model             *ai.Model
	level             ai.ThinkingLevel
	policy            ai.RetryPolicy // how failed answers are tried again; Enabled is auto-retry
	attempt           int            // of the retry that is under way, 0 when none is
	// waiting are messages to add when the prompt has settled.
	waiting []agentcore.Message
	// noCompaction says that nothing is compacted without being asked.
	noCompaction bool
	// floor is what the last compaction left, in tokens: a further one is not
	// tried before the context has grown.
	floor int64
	// counted says that the newest answer counted the context as it is.
	counted bool
	// recovered says that this prompt was saved from an overflow once. Like
	// last it belongs to the goroutine of the prompt.
	recovered bool
	last      entryOf
	// unsaved says that a message of this prompt could not be written. It
	// belongs to the goroutine of the prompt, too.
	unsaved bool
	// edited says that a hook added entries that the transcript does not show yet.
	// It belongs to that goroutine as well.
	edited bool
	shown  int // queued texts at the last QueueUpdate
}

// entryOf remembers where the newest answer is stored.
type entryOf struct {
	answer *ai.AssistantMessage
	id     string
}

// New makes a harness and records model and thinking level in a session that
// does not say them yet. The context is used for that only.
func New(ctx context.Context, cfg Config) (*Harness, error) {
	switch {
	case cfg.Session == nil:
		return nil, errors.New("make harness: no session is given")
	case cfg.Loop.Stream == nil:
		return nil, errors.New("make harness: Loop.Stream is nil; set it to the Stream method of a model collection")
	}
	if cfg.Wait == nil {
		cfg.Wait = ai.Wait
	}
	if cfg.Loop.Now == nil {
		cfg.Loop.Now = time.Now
	}
	if cfg.Loop.ConvertToLLM == nil {
		cfg.Loop.ConvertToLLM = session.ModelMessages // summaries are for the model too
	}
	if cfg.Policy.Convert == nil {
		cfg.Policy.Convert = cfg.Loop.ConvertToLLM
	}
	h := &Harness{cfg: cfg, session: cfg.Session, model: cfg.Model, policy: cfg.Retry}
	h.conversation = ai.NewConversation(h.session.ID())
	cfg.Loop.Options.Conversation = h.conversation
	h.level = clamp(cfg.Model, cfg.Thinking)
	c, err := h.session.Context(ctx)
	if err != nil {
		return nil, fmt.Errorf("make harness: %w", err)
	}
	loop := cfg.Loop
	loop.PrepareNextTurn = h.compactBetweenTurns
	if cfg.Hooks.AfterTurn != nil {
		loop.FinishTurn = h.finishTurn
	}
	h.cfg = cfg
	h.agent = agentcore.New(agentcore.AgentConfig{
		Loop: loop, Messages: c.Messages, Tools: cfg.Tools, Model: cfg.Model, Thinking: h.level,
		SteeringMode: cfg.SteeringMode, FollowUpMode: cfg.FollowUpMode,
	})
	h.bus.onPanic = cfg.Loop.OnPanic
	h.agent.Subscribe(h.hear)
	if err := h.recordSettings(ctx); err != nil {
		return nil, err
	}
	if h.counted, err = counted(ctx, h.session); err != nil {
		return nil, fmt.Errorf("make harness: %w", err)
	}
	return h, nil
}

func clamp(m *ai.Model, level ai.ThinkingLevel) ai.ThinkingLevel {
	if m == nil {
		return ai.ThinkingOff
	}
	return m.ClampThinking(level)
}

// Subscribe adds a listener; the returned function removes it. Listeners hear
// the events of runs and those of this package, in the order in which they
// were added. An error of a listener ends the run.
func (h *Harness) Subscribe(l agentcore.Listener) (unsubscribe func()) { return h.bus.subscribe(l) }

// Session gives the session for reading. Write through the harness.
func (h *Harness) Session() *session.Session { return h.session }

// Agent gives the agent's state: transcript, queues, the answer in the making.
func (h *Harness) Agent() agentcore.State { return h.agent.State() }

// Model gives the model of the next request.
func (h *Harness) Model() *ai.Model {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.model
}

// Thinking gives the thinking level of the next request.
func (h *Harness) Thinking() ai.ThinkingLevel {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.level
}

// begin makes the harness busy without a prompt; the returned function makes
// it idle again, and adds to failed what goes wrong with that.
func (h *Harness) begin(ctx context.Context, failed *error) (context.Context, func(), error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	switch {
	case h.phase == PhaseClosed || h.closing:
		return ctx, nil, ErrClosed
	case h.phase != PhaseIdle || h.seized:
		return ctx, nil, ErrBusy
	}
	return h.beginLocked(ctx, failed)
}

// seize is begin, but aborts a prompt that is under way and waits until it has
// settled. Nothing else can begin in between.
func (h *Harness) seize(ctx context.Context, failed *error) (context.Context, func(), error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	switch {
	case h.phase == PhaseClosed || h.closing:
		return ctx, nil, ErrClosed
	case h.exclusive || h.seized:
		return ctx, nil, ErrCompacting
	}
	h.seized = true
	defer func() { h.seized = false }()
	for h.phase != PhaseIdle {
		if h.phase == PhaseClosed {
			return ctx, nil, ErrClosed
		}
		h.aborted = true
		h.cancel()
		done := h.done
		h.mu.Unlock()
		select {
		case <-done:
			h.mu.Lock()
		case <-ctx.Done():
			h.mu.Lock()
			return ctx, nil, context.Cause(ctx)
		}
	}
	return h.beginLocked(ctx, failed)
}

func (h *Harness) beginLocked(ctx context.Context, failed *error) (context.Context, func(), error) {
	ctx, cancel := context.WithCancel(ctx)
	h.phase, h.cancel, h.done, h.aborted, h.attempt = PhaseCompacting, cancel, make(chan struct{}), false, 0
	h.exclusive, h.cancelSummary = true, cancel
	return ctx, func() {
		cancel()
		h.mu.Lock()
		defer h.mu.Unlock()
		if err := h.addWaitingLocked(context.WithoutCancel(ctx)); err != nil {
			*failed = errors.Join(*failed, err)
		}
		h.rest()
	}, nil
}

// rest makes the harness idle. The lock is held.
func (h *Harness) rest() {
	if h.phase != PhaseClosed {
		h.phase = PhaseIdle
	}
	close(h.done)
	h.cancel, h.done, h.ending, h.exclusive, h.cancelSummary, h.deferred = nil, nil, false, false, nil, false
}

// SetAutoRetry switches retries on or off, from the next failure on.
func (h *Harness) SetAutoRetry(on bool) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.policy.Enabled = on
}

// SetRetry replaces the way in which failed answers are tried again, from the next
// failure on.
func (h *Harness) SetRetry(p ai.RetryPolicy) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.policy = p
}

// retryPolicy gives the way that is in force.
func (h *Harness) retryPolicy() ai.RetryPolicy {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.policy
}

// Abort stops the prompt that is under way and waits until it has settled, or
// until ctx ends. Queued messages stay queued. Without a prompt it does
// nothing.
func (h *Harness) Abort(ctx context.Context) error {
	h.mu.Lock()
	if h.cancel != nil {
		h.aborted, h.deferred = true, false
		h.cancel()
	}
	h.mu.Unlock()
	return h.WaitIdle(ctx)
}

// AbortRetry stops waiting for the next try: the prompt ends with the failure.
// While nothing waits it does nothing.
func (h *Harness) AbortRetry() {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.cancelRetry != nil {
		h.cancelRetry()
	}
}

// AbortCompaction stops making a summary; a prompt that needed it goes on
// without. While none is made it does nothing.
func (h *Harness) AbortCompaction() {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.cancelSummary != nil {
		h.cancelSummary()
	}
}

// Delivered waits until listeners have heard all events so far. A listener
// must not call it.
func (h *Harness) Delivered() { h.bus.drained() }

// WaitSettled waits, while listeners are told that a prompt has settled, until they have
// been told; while a prompt is at work it does not wait. It is for those who act on what a
// listener has passed on, such as a program that reads [Settled] and sends the next
// prompt at once: without it they could be refused with [ErrBusy]. A listener must not
// call it.
func (h *Harness) WaitSettled(ctx context.Context) error {
	h.mu.Lock()
	ending := h.ending
	h.mu.Unlock()
	if !ending {
		return nil
	}
	return h.WaitIdle(ctx)
}

// WaitIdle waits until no prompt is under way, or until ctx ends.
func (h *Harness) WaitIdle(ctx context.Context) error {
	h.mu.Lock()
	done := h.done
	h.mu.Unlock()
	if done == nil {
		return nil
	}
	select {
	case <-done:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// Close aborts what is under way, syncs and closes the session, and frees the
// model's connections. It returns the first error; closing twice is fine.
func (h *Harness) Close(ctx context.Context) error {
	h.mu.Lock()
	h.closing = true
	h.mu.Unlock()
	abortErr := h.Abort(ctx)
	h.mu.Lock()
	if h.phase == PhaseClosed {
		h.mu.Unlock()
		return nil
	}
	h.phase = PhaseClosed
	h.mu.Unlock()
	return errors.Join(abortErr, h.session.Sync(ctx), h.session.Close(), h.conversation.Close())
}
