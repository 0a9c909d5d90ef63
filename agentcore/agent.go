package agentcore

import (
	"context"
	"errors"
	"slices"
	"sync"

	"github.com/pi-go/pi/agentcore/schema"
	"github.com/pi-go/pi/ai"
)

// ErrBusy is the error of calls that need an agent at rest.
var ErrBusy = errors.New("the agent is running: queue the message with Steer (before its next request) or FollowUp (when it is done), stop the run with Abort, or wait for its end with WaitIdle")

// AgentConfig describes an agent. Only Loop.Stream and, to prompt, Model are
// required.
type AgentConfig struct {
	// Loop is the policy of its runs. SteeringMessages and FollowUpMessages
	// are asked when the agent's own queue of that kind is empty.
	Loop LoopConfig
	// System is the prompt. It enters the transcript with the first messages
	// of a transcript that has no system message.
	System string
	// Messages is the transcript to start with.
	Messages []Message
	Tools    []*Tool
	Model    *ai.Model
	Thinking ai.ThinkingLevel
	// SteeringMode and FollowUpMode say how many queued messages are delivered
	// at a time.
	SteeringMode QueueMode
	FollowUpMode QueueMode
}

// Listener gets the events of an agent, in order, on the goroutine of the run.
// The run waits for it, and an error or a panic ends the run; the other
// listeners still get the event. A listener may call every
// method of the agent except WaitIdle; those that need an agent at rest refuse.
type Listener func(ctx context.Context, ev Event) error

// Agent is a transcript with a loop: it runs one prompt after the other, takes
// messages while it works, and tells its listeners.
//
// All methods may be called from any goroutine at any time. Prompt and
// Continue run on the caller's goroutine.
type Agent struct {
	loop   LoopConfig
	system string

	mu        sync.Mutex
	messages  []Message
	tools     []*Tool
	model     *ai.Model
	thinking  ai.ThinkingLevel
	changed   settings // by setters, not yet taken over by the run
	steering  queue
	followUp  queue
	listeners []*subscription
	stream    *ai.AssistantMessage // our own copy of the answer in the making
	calls     []ai.ToolCall        // running
	lastErr   error
	cancel    context.CancelFunc // of the run; nil when idle
	idle      chan struct{}      // closed when the run is over; nil when idle
}

// settings are what setters change in a running loop.
type settings struct {
	model, thinking, tools bool
}

type subscription struct{ f Listener }

// New makes an agent. It starts nothing and needs no closing.
func New(c AgentConfig) *Agent {
	a := &Agent{
		loop: c.Loop, system: c.System,
		messages: slices.Clone(c.Messages), tools: slices.Clone(c.Tools), model: c.Model, thinking: c.Thinking,
		steering: queue{mode: c.SteeringMode}, followUp: queue{mode: c.FollowUpMode},
	}
	a.loop.schemas = new(schema.Cache)
	a.loop.refresh = a.refresh
	a.loop.replaced = a.replaced
	a.loop.SteeringMessages = a.drain(&a.steering, c.Loop.SteeringMessages)
	a.loop.FollowUpMessages = a.drain(&a.followUp, c.Loop.FollowUpMessages)
	a.loop.ReturnMessages = func(steering, followUp []Message) {
		a.mu.Lock()
		defer a.mu.Unlock()
		a.steering.unshift(steering)
		a.followUp.unshift(followUp)
	}
	return a
}

// Prompt adds messages to the transcript and runs the loop until it ends. It
// returns when the listeners of AgentEnd are done, with the last answer; the
// error is that of [Run], and wraps [ErrBusy] when the agent is running. The
// answer is nil only if the run could not start.
func (a *Agent) Prompt(ctx context.Context, messages ...Message) (*ai.AssistantMessage, error) {
	messages = slices.DeleteFunc(slices.Clone(messages), func(m Message) bool { return m == nil })
	if len(messages) == 0 {
		return nil, errors.New("prompt agent: no message was given; use Continue to go on without one")
	}
	return a.run(ctx, messages)
}

// Continue runs the loop on the transcript as it is. The transcript must not
// end with an answer, unless a message is queued: steering messages are taken
// first, else follow-ups. Otherwise the error is [ErrNothingToContinue].
func (a *Agent) Continue(ctx context.Context) (*ai.AssistantMessage, error) {
	return a.run(ctx, nil)
}

func (a *Agent) run(ctx context.Context, prompts []Message) (*ai.AssistantMessage, error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	a.mu.Lock()
	if a.idle != nil {
		a.mu.Unlock()
		return nil, ErrBusy
	}
	if a.model == nil && a.loop.PrepareRequest == nil {
		a.mu.Unlock()
		return nil, errNoModel
	}
	a.cancel, a.idle = cancel, make(chan struct{})
	a.changed = settings{}
	c := Context{Messages: slices.Clip(a.messages), Tools: a.tools, Model: a.model, Thinking: a.thinking}
	if a.system != "" && len(prompts) > 0 && !hasSystem(a.messages) && !hasSystem(prompts) {
		prompts = slices.Insert(prompts, 0, Message(&ai.SystemMessage{Content: a.system}))
	}
	a.mu.Unlock()
	defer a.rest()

	added, err := Run(ctx, prompts, c, a.loop, func(ev Event) error { return a.tell(ctx, ev) })
	for _, m := range slices.Backward(added) {
		if answer, ok := m.(*ai.AssistantMessage); ok {
			return answer, err
		}
	}
	return nil, err
}

func hasSystem(messages []Message) bool {
	return slices.ContainsFunc(messages, func(m Message) bool { return m.Role() == ai.RoleSystem })
}

// rest makes the agent idle.
func (a *Agent) rest() {
	a.mu.Lock()
	defer a.mu.Unlock()
	close(a.idle)
	a.cancel, a.idle = nil, nil
	a.stream, a.calls = nil, nil
}

// tell reduces the state by an event and passes the event on.
func (a *Agent) tell(ctx context.Context, ev Event) error {
	a.mu.Lock()
	a.reduce(ev)
	listeners := a.listeners
	a.mu.Unlock()
	// Each gets every event, whatever happens to another: a listener that
	// stores or shows the run must not miss the end of what it saw begin.
	var errs []error
	for _, l := range listeners {
		if err := a.call(ctx, l.f, ev); err != nil {
			errs = append(errs, err)
		}
	}
	if len(errs) == 1 {
		return errs[0]
	}
	return errors.Join(errs...)
}

func (a *Agent) call(ctx context.Context, l Listener, ev Event) (err error) {
	defer func() {
		if v := recover(); v != nil {
			err = newPanicError("listener", v, a.loop.OnPanic)
		}
	}()
	return l(ctx, ev)
}

// Subscribe adds a listener and returns the function that removes it.
// Listeners are called in the order in which they were added. One that is
// added or removed while an event is delivered takes part, or no longer takes
// part, from the next event on.
func (a *Agent) Subscribe(l Listener) (unsubscribe func()) {
	s := &subscription{l}
	a.mu.Lock()
	defer a.mu.Unlock()
	a.listeners = append(slices.Clip(a.listeners), s)
	return func() {
		a.mu.Lock()
		defer a.mu.Unlock()
		// The slice may be in use by tell.
		a.listeners = slices.DeleteFunc(slices.Clone(a.listeners), func(o *subscription) bool { return o == s })
	}
}

// Abort stops the run, if there is one, and returns at once: the run ends on
// its own goroutine, with the answer marked as aborted or the running calls
// with error results. Queued messages stay queued.
func (a *Agent) Abort() {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.cancel != nil {
		a.cancel()
	}
}

// WaitIdle waits until no run is active, which is when the listeners have had
// AgentEnd. It returns the cause of ctx if that ends first.
func (a *Agent) WaitIdle(ctx context.Context) error {
	a.mu.Lock()
	idle := a.idle
	a.mu.Unlock()
	if idle == nil {
		return nil
	}
	select {
	case <-idle:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// Reset empties the transcript and the queues. Model, tools and listeners
// stay. It returns [ErrBusy] during a run.
func (a *Agent) Reset() error {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.idle != nil {
		return ErrBusy
	}
	a.messages, a.lastErr = nil, nil
	a.steering.take(len(a.steering.list))
	a.followUp.take(len(a.followUp.list))
	return nil
}

// SetMessages replaces the transcript. It returns [ErrBusy] during a run: a
// hook may return a [ContextUpdate] then.
func (a *Agent) SetMessages(messages []Message) error {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.idle != nil {
		return ErrBusy
	}
	a.messages = slices.Clone(messages)
	return nil
}

// SetModel chooses the model. A run uses it from its next request on.
func (a *Agent) SetModel(m *ai.Model) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.model, a.changed.model = m, true
}

// SetThinking chooses the thinking level. A run uses it from its next request
// on.
func (a *Agent) SetThinking(l ai.ThinkingLevel) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.thinking, a.changed.thinking = l, true
}

// SetTools replaces the tools. A run tells the model with its next request;
// calls that are already made run the tools of their time.
func (a *Agent) SetTools(tools ...*Tool) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.tools, a.changed.tools = slices.Clone(tools), true
}

// refresh hands what setters changed to the run.
func (a *Agent) refresh(c *Context) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.changed.model {
		c.Model = a.model
	}
	if a.changed.thinking {
		c.Thinking = a.thinking
	}
	if a.changed.tools {
		c.Tools = a.tools
	}
	a.changed = settings{}
}

// replaced follows a hook that replaced the transcript.
func (a *Agent) replaced(messages []Message) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.messages = slices.Clone(messages)
}
