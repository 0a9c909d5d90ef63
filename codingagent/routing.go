package codingagent

import (
	"context"
	"encoding/json"
	"slices"
	"sync"

	"github.com/pi-go/pi/agentcore"
	"github.com/pi-go/pi/agentcore/harness"
	"github.com/pi-go/pi/agentcore/session"
	"github.com/pi-go/pi/ai"
	"github.com/pi-go/pi/codingagent/models"
)

// virtualStateType marks entries of a session that keep the state of a virtual model.
const virtualStateType = "pi.virtual-model-state"

// virtualState is what such an entry holds.
type virtualState struct {
	Provider string          `json:"provider"`
	ModelID  string          `json:"modelId"`
	State    json.RawMessage `json:"state"`
}

// router lets virtual models choose who answers.
type router struct {
	s       *AgentSession
	runtime *models.Runtime // nil: there are no virtual models

	mu sync.Mutex
	// answered is who gave the newest good answer, routed who was chosen last for
	// which selection.
	answered *models.Dispatch
	routed   *models.Dispatch
	selected *ai.Model
	// newest is the newest answer, retry says that it is being tried again.
	newest *ai.AssistantMessage
	retry  bool
	// problem is why nobody could be chosen for the request that is about to be made.
	problem error
}

// virtual reports whether a model is virtual.
func (r *router) virtual(m *ai.Model) bool { return m != nil && r.runtime.IsVirtual(m.Provider, m.ID) }

// isVirtual is the same of a model's name.
func (r *router) isVirtual(ref session.ModelRef) bool {
	return r.runtime.IsVirtual(ref.Provider, ref.ModelID)
}

// wire puts the router into the configuration of a harness.
func (r *router) wire(c *harness.Config) {
	c.Loop.Stream = r.stream
	c.Loop.PrepareRequest = r.prepare(c.Loop.PrepareRequest)
	c.Limits, c.Virtual = r.limits, r.isVirtual
}

// dispatch finds the model that gave an answer; nil when it is not known any more.
func (r *router) dispatch(a *ai.AssistantMessage) *models.Dispatch {
	m, err := r.s.opts.Models.Model(a.Provider, a.Model)
	if err != nil || r.virtual(m) {
		return nil
	}
	return &models.Dispatch{Model: m, Thinking: a.ThinkingLevel}
}

// previous finds who gave the newest good answer of a transcript.
func (r *router) previous(messages []agentcore.Message) *models.Dispatch {
	for _, m := range slices.Backward(messages) {
		if a, ok := m.(*ai.AssistantMessage); ok && a.StopReason != ai.StopError && a.StopReason != ai.StopAborted {
			return r.dispatch(a)
		}
	}
	return nil
}

// hear follows the conversation.
func (r *router) hear(_ context.Context, ev agentcore.Event) error {
	switch ev := ev.(type) {
	case *agentcore.MessageEnd:
		a, ok := ev.Message.(*ai.AssistantMessage)
		if !ok {
			return nil
		}
		var by *models.Dispatch
		if a.StopReason != ai.StopError && a.StopReason != ai.StopAborted {
			by = r.dispatch(a)
		}
		r.mu.Lock()
		defer r.mu.Unlock()
		r.newest = a
		if by != nil {
			r.answered = by
		}
	case *harness.RetryStart:
		r.again()
	case *harness.CompactionEnd:
		if ev.WillRetry {
			r.again()
		}
	case *harness.Settled:
		r.mu.Lock()
		defer r.mu.Unlock()
		r.retry, r.newest, r.problem = false, nil, nil
	}
	return nil
}

func (r *router) again() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.retry = true
}

// limits gives the model whose limits count: of a virtual one that of the newest
// answer, be it from before it was selected.
func (r *router) limits(selected *ai.Model) *ai.Model {
	if !r.virtual(selected) {
		return nil
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.answered == nil {
		return nil
	}
	return r.answered.Model
}

// prepare lets a virtual model choose before each request, after the hook of the
// program.
func (r *router) prepare(own func(context.Context, agentcore.Context) (*agentcore.ContextUpdate, error)) func(context.Context, agentcore.Context) (*agentcore.ContextUpdate, error) {
	return func(ctx context.Context, c agentcore.Context) (u *agentcore.ContextUpdate, err error) {
		if own != nil {
			if u, err = own(ctx, c); err != nil {
				return u, err
			}
		}
		selected, level := r.s.harness.Model(), r.s.harness.Thinking()
		if u != nil && u.Model != nil {
			selected = u.Model
		}
		if u != nil && u.Thinking != "" {
			level = u.Thinking
		}
		if !r.virtual(selected) {
			r.mu.Lock()
			r.routed, r.selected, r.retry = nil, nil, false
			r.mu.Unlock()
			return u, nil
		}
		if u == nil {
			u = new(agentcore.ContextUpdate)
		} else {
			u = new(*u)
		}
		messages := c.Messages
		if u.Messages != nil {
			messages = u.Messages
		}
		return u, r.choose(ctx, models.RouteRequest{Model: selected, Thinking: level, Messages: messages}, u)
	}
}

// choose asks the virtual model and puts what it chose into u. That it can not choose
// is said by the answer to the request, which fails as if a provider had refused it.
func (r *router) choose(ctx context.Context, req models.RouteRequest, u *agentcore.ContextUpdate) error {
	req.Previous = r.previous(req.Messages)
	req.Reason, req.Failed = r.reason(req.Messages)
	var err error
	if req.State, err = r.state(ctx, req.Model); err != nil {
		return err
	}
	route, err := r.runtime.Route(ctx, req)
	if err != nil {
		if ctx.Err() != nil {
			return err
		}
		r.mu.Lock()
		defer r.mu.Unlock()
		r.problem, r.routed, r.selected = err, nil, nil
		u.Model, u.Thinking = req.Model, req.Thinking
		return nil
	}
	if route.State != nil {
		data, err := json.Marshal(virtualState{req.Model.Provider, req.Model.ID, route.State})
		if err != nil {
			return err
		}
		if err := r.s.harness.AddEntry(ctx, &session.CustomEntry{CustomType: virtualStateType, Data: data}); err != nil {
			return err
		}
	}
	room, err := r.s.harness.MakeRoom(ctx, route.Model)
	if err != nil {
		return err
	}
	if room != nil {
		u.Messages = room.Messages
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.routed, r.selected = new(route.Dispatch), req.Model
	u.Model, u.Thinking = route.Model, route.Thinking
	return nil
}

// reason says why a request is made, and what failed before it.
func (r *router) reason(messages []agentcore.Message) (models.RouteReason, *models.Failure) {
	r.mu.Lock()
	again, newest := r.retry, r.newest
	r.retry = false
	r.mu.Unlock()
	if again {
		if newest != nil {
			if by := r.dispatch(newest); by != nil {
				return models.RouteRetry, &models.Failure{Dispatch: *by, Message: newest}
			}
		}
		return models.RouteRetry, nil
	}
	for _, m := range slices.Backward(messages) {
		switch m.Role() {
		case ai.RoleUser:
			return models.RouteUser, nil
		case ai.RoleAssistant:
			return models.RouteContinuation, nil
		}
	}
	return models.RouteContinuation, nil
}

// state gives what a virtual model last left on the branch.
func (r *router) state(ctx context.Context, m *ai.Model) (json.RawMessage, error) {
	conversation := r.s.harness.Session()
	path, err := conversation.PathTo("")
	if err != nil {
		return nil, err
	}
	for _, stub := range slices.Backward(path) {
		if stub.Type != session.TypeCustom || stub.CustomType != virtualStateType {
			continue
		}
		e, err := conversation.Entry(ctx, stub.ID)
		if err != nil {
			return nil, err
		}
		custom, ok := e.(*session.CustomEntry)
		if !ok {
			continue
		}
		var have virtualState
		if json.Unmarshal(custom.Data, &have) == nil && have.Provider == m.Provider && have.ModelID == m.ID {
			return have.State, nil
		}
	}
	return nil, nil
}

// stream asks a model. A virtual one comes here from outside of a run, or when nobody
// could be chosen.
func (r *router) stream(ctx context.Context, m *ai.Model, req ai.Request, opts ai.Options) *ai.Stream {
	req, opts = r.s.tuned(req, opts)
	if selected := r.s.harness.Model(); r.virtual(selected) && m.Provider != selected.Provider {
		opts.APIKey = "" // it was given for the provider of what is selected
	}
	if !r.virtual(m) {
		r.s.warm.asked(m, req, opts)
		return r.s.extensions().Stream(r.s.opts.Models.Stream(ctx, m, req, opts))
	}
	r.mu.Lock()
	problem := r.problem
	r.problem = nil
	r.mu.Unlock()
	if problem != nil {
		return ai.FailedStream(ctx, ai.StreamInfo{Model: m, Thinking: opts.Thinking}, problem)
	}
	return r.s.extensions().Stream(r.runtime.Stream(ctx, m, req, opts))
}

// RoutedModel gives who was chosen to answer the newest request, while a virtual model
// is selected; nil before its first request, and while another model is selected.
func (s *AgentSession) RoutedModel() *models.Dispatch {
	selected := s.harness.Model()
	r := s.router
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.routed == nil || !selected.Same(r.selected) {
		return nil
	}
	return new(*r.routed)
}

// LimitsModel gives the model whose context window and images limits count: the
// selected one, or, of a virtual one, that of the newest answer.
func (s *AgentSession) LimitsModel() *ai.Model {
	selected := s.harness.Model()
	if m := s.router.limits(selected); m != nil {
		return m
	}
	return selected
}
