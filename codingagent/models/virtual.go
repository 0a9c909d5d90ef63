package models

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"runtime/debug"
	"slices"

	"github.com/pi-go/pi/agentcore"
	"github.com/pi-go/pi/ai"
	"github.com/pi-go/pi/ai/auth"
)

// VirtualAPI is the protocol that a virtual model names: nobody speaks it.
const VirtualAPI = "pi-virtual"

// VirtualModel can be selected like any model, and lets another one answer each
// request: see [Runtime.RegisterVirtual].
type VirtualModel struct {
	// Provider is where it is listed: any id, also that of a provider with models of
	// its own. Then it can be used when that provider has credentials, else always.
	Provider, ID string
	Name         string // for people; empty means ID
	// ThinkingLevels can be selected with it; nil means off only. What they mean is
	// up to Route.
	ThinkingLevels []ai.ThinkingLevel
	// ContextWindow and MaxTokens are shown before the first answer; 0 means unknown.
	ContextWindow, MaxTokens int64
	// Input is what can be sent, "text" and "image"; nil means both.
	Input []string
	// Route chooses who answers. It is called before each request, and must return
	// soon after ctx is cancelled. An error ends the request with that error. It may
	// be called on several goroutines at once.
	Route func(ctx context.Context, r RouteRequest) (Route, error)
}

// RouteReason says why a request is made.
type RouteReason string

// The reasons.
const (
	RouteUser         RouteReason = "user"         // the first one after something a person said
	RouteContinuation RouteReason = "continuation" // any other of a run: after tool results, say
	RouteRetry        RouteReason = "retry"        // once more after a failure
	RouteDirect       RouteReason = "direct"       // outside of a run: a summary, say
)

// Dispatch is a model that answered or is to answer, and how hard it thinks.
type Dispatch struct {
	Model    *ai.Model
	Thinking ai.ThinkingLevel
}

// Failure is a request that failed.
type Failure struct {
	Dispatch
	// Message tells why. It is not among the messages of the request any more.
	Message *ai.AssistantMessage
}

// RouteRequest is a request that somebody has to answer.
type RouteRequest struct {
	// Model and Thinking are what is selected: the virtual model, and its level.
	Model    *ai.Model
	Thinking ai.ThinkingLevel
	Reason   RouteReason
	// Previous is what gave the newest good answer in Messages; nil when there is none.
	Previous *Dispatch
	// Failed is what is tried again; nil unless Reason is RouteRetry, and when it was
	// the routing that failed.
	Failed *Failure
	// State is what Route last gave on this branch of the session; nil when it gave
	// none, and for RouteDirect.
	State json.RawMessage
	// Messages is the conversation, with its system messages. It must not be changed.
	Messages []agentcore.Message
}

// Route is who answers a request.
type Route struct {
	Dispatch
	// State, if not nil, is kept on this branch of the session, before the request is
	// made. It must be JSON. Giving back the State of the request keeps it.
	State json.RawMessage
}

// virtual is a registered model.
type virtual struct {
	VirtualModel
	model *ai.Model
}

// RegisterVirtual adds a virtual model to the lists of models, or replaces the one of
// that provider and id. A model of the provider with the same id is hidden.
func (r *Runtime) RegisterVirtual(v VirtualModel) error {
	switch {
	case v.Provider == "" || v.ID == "":
		return errors.New("register a virtual model: it needs a provider and an id")
	case v.Route == nil:
		return fmt.Errorf("register the virtual model %s/%s: it has no route", v.Provider, v.ID)
	}
	m, err := v.listing()
	if err != nil {
		return fmt.Errorf("register the virtual model %s/%s: %w", v.Provider, v.ID, err)
	}
	r.mu.Lock()
	r.removeVirtual(v.Provider, v.ID)
	r.virtuals[v.Provider] = append(slices.Clip(r.virtuals[v.Provider]), &virtual{v, m})
	r.mu.Unlock()
	r.listVirtual(v.Provider)
	return nil
}

// UnregisterVirtual removes a virtual model, and reports whether there was one.
func (r *Runtime) UnregisterVirtual(provider, id string) bool {
	r.mu.Lock()
	found := r.removeVirtual(provider, id)
	last := len(r.virtuals[provider]) == 0
	r.mu.Unlock()
	if _, own := r.Models.Provider(provider).(virtualProvider); own && last {
		r.Models.DeleteProvider(provider)
	}
	return found
}

// DeleteProvider removes a provider. Virtual models that are listed under its id stay.
func (r *Runtime) DeleteProvider(id string) {
	r.Models.DeleteProvider(id)
	r.listVirtual(id)
}

// removeVirtual is called with the lock held.
func (r *Runtime) removeVirtual(provider, id string) bool {
	before := r.virtuals[provider]
	after := slices.DeleteFunc(slices.Clone(before), func(v *virtual) bool { return v.ID == id })
	r.virtuals[provider] = after
	return len(after) < len(before)
}

// listVirtual makes a provider for virtual models of an id that no other has.
func (r *Runtime) listVirtual(provider string) {
	r.mu.Lock()
	some := len(r.virtuals[provider]) > 0
	r.mu.Unlock()
	if some && r.Models.Provider(provider) == nil {
		r.Models.SetProvider(virtualProvider(provider))
	}
}

// listing is how the model stands in lists.
func (v *VirtualModel) listing() (*ai.Model, error) {
	m := &ai.Model{
		ID: v.ID, Name: v.Name, Provider: v.Provider, API: VirtualAPI, ContextWindow: v.ContextWindow, MaxTokens: v.MaxTokens,
		Input: slices.Clone(v.Input), ThinkingLevels: make(map[ai.ThinkingLevel]*string),
	}
	if m.Name == "" {
		m.Name = m.ID
	}
	if v.Input == nil {
		m.Input = []string{"text", "image"}
	}
	all := ai.ThinkingLevels()
	for _, l := range v.ThinkingLevels {
		if !slices.Contains(all, l) {
			return nil, fmt.Errorf("%q is no thinking level", l)
		}
		m.Reasoning = m.Reasoning || l != ai.ThinkingOff
	}
	for _, l := range all {
		m.ThinkingLevels[l] = nil
		if slices.Contains(v.ThinkingLevels, l) {
			m.ThinkingLevels[l] = new(string(l))
		}
	}
	if !m.Reasoning {
		m.ThinkingLevels = nil
	}
	return m, nil
}

// virtualProvider lists virtual models under an id of their own.
type virtualProvider string

func (p virtualProvider) ID() string        { return string(p) }
func (p virtualProvider) Name() string      { return string(p) }
func (virtualProvider) Auth() auth.Methods  { return auth.Methods{} }
func (virtualProvider) Models() []*ai.Model { return nil }
func (p virtualProvider) API(m *ai.Model) (ai.API, error) {
	return nil, ai.Errorf(ai.KindConfig, "%s is a virtual model: ask it through the runtime it is registered with", m.Ref())
}

// IsVirtual reports whether a model is virtual.
func (r *Runtime) IsVirtual(provider, id string) bool { return r.virtual(provider, id) != nil }

func (r *Runtime) virtual(provider, id string) *virtual {
	if r == nil {
		return nil
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, v := range r.virtuals[provider] {
		if v.ID == id {
			return v
		}
	}
	return nil
}

// withVirtual lays the virtual models of a provider beside its own.
func (r *Runtime) withVirtual(provider string, list []*ai.Model) []*ai.Model {
	r.mu.Lock()
	defer r.mu.Unlock()
	list = slices.Clip(list)
	for i, v := range r.virtuals[provider] {
		if i == 0 {
			list = slices.Clone(list)
		}
		if at := slices.IndexFunc(list, v.model.Same); at >= 0 {
			list[at] = v.model
		} else {
			list = append(list, v.model)
		}
	}
	return list
}

// Route asks the virtual model req.Model who answers. What it chooses is checked: a
// model with credentials that is not virtual itself. The level is one that model has.
// The error is an *[ai.APIError], or that of ctx.
func (r *Runtime) Route(ctx context.Context, req RouteRequest) (_ Route, err error) {
	v := r.virtual(req.Model.Provider, req.Model.ID)
	if v == nil {
		return Route{}, ai.Errorf(ai.KindConfig, "%s is no virtual model", req.Model.Ref())
	}
	if req.Reason == RouteDirect {
		req.State = nil
	}
	route, err := v.route(ctx, req)
	if ctx.Err() != nil {
		return Route{}, context.Cause(ctx)
	}
	if api, ok := errors.AsType[*ai.APIError](err); ok {
		return Route{}, api
	}
	switch {
	case err != nil:
		return Route{}, ai.Errorf(ai.KindConfig, "%s: %w", req.Model.Ref(), err)
	case route.Model == nil:
		return Route{}, ai.Errorf(ai.KindConfig, "%s chose no model", req.Model.Ref())
	case r.IsVirtual(route.Model.Provider, route.Model.ID):
		return Route{}, ai.Errorf(ai.KindConfig, "%s chose %s, which is a virtual model, too", req.Model.Ref(), route.Model.Ref())
	case route.State != nil && !json.Valid(route.State):
		return Route{}, ai.Errorf(ai.KindConfig, "%s: its state is no JSON", req.Model.Ref())
	}
	if err := r.checkCredentials(ctx, route.Model.Provider); err != nil {
		return Route{}, &ai.APIError{
			Kind: ai.KindAuth, Phase: ai.PhaseSetup, Provider: route.Model.Provider, Err: err,
			Message: fmt.Sprintf("%s chose %s, which can not be used: %v", req.Model.Ref(), route.Model.Ref(), err),
		}
	}
	route.Thinking = route.Model.ClampThinking(route.Thinking)
	if req.Reason == RouteDirect || same(route.State, req.State) {
		route.State = nil
	}
	return route, nil
}

// checkCredentials says how to get credentials for a provider that has none. It has
// no side effects.
func (r *Runtime) checkCredentials(ctx context.Context, provider string) error {
	status, err := r.Models.CheckAuth(ctx, provider)
	if err != nil || status.Configured() {
		return err
	}
	if _, err = r.Models.Auth(ctx, provider, ai.Options{}); err != nil {
		return err // it names the ways
	}
	return fmt.Errorf("provider %s is not configured", provider)
}

// same reports whether both are one value, not two that are equal.
func same(a, b json.RawMessage) bool { return len(a) == len(b) && len(a) > 0 && &a[0] == &b[0] }

// route calls the router; a panic of it is an error.
func (v *virtual) route(ctx context.Context, req RouteRequest) (_ Route, err error) {
	defer func() {
		if p := recover(); p != nil {
			err = &agentcore.PanicError{In: "route of " + v.model.Ref(), Value: p, Stack: debug.Stack()}
		}
	}()
	return v.Route(ctx, req)
}

// Stream asks a model, like [ai.Models.Stream]; a virtual one is asked who answers
// first, for the reason [RouteDirect].
func (r *Runtime) Stream(ctx context.Context, model *ai.Model, req ai.Request, opts ai.Options) *ai.Stream {
	if model == nil || !r.IsVirtual(model.Provider, model.ID) {
		return r.Models.Stream(ctx, model, req, opts)
	}
	messages := make([]agentcore.Message, 0, len(req.Messages)+1)
	for _, m := range req.Transcript() {
		messages = append(messages, m)
	}
	route, err := r.Route(ctx, RouteRequest{Model: model, Thinking: model.ClampThinking(opts.Thinking), Reason: RouteDirect, Messages: messages})
	if err != nil {
		return ai.FailedStream(ctx, ai.StreamInfo{Model: model, Thinking: opts.Thinking}, err)
	}
	if route.Model.Provider != model.Provider {
		opts.APIKey = "" // it is for another provider
	}
	opts.Thinking = route.Thinking
	return r.Models.Stream(ctx, route.Model, req, opts)
}
