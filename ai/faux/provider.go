package faux

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/pi-go/pi/ai"
	"github.com/pi-go/pi/ai/auth"
)

// APIID is the protocol that models of this provider name.
const APIID = "faux"

// Config describes a scripted provider. The zero value is right for tests.
type Config struct {
	// ID names the provider; empty means "faux".
	ID string
	// Models are its models; Provider and API are filled in where empty. None
	// means one model, "faux-1", that thinks, sees images and costs nothing.
	Models []*ai.Model
	// Auth is how it pretends to authenticate; the zero value needs nothing.
	Auth auth.Methods
	// Chunk is the number of characters of one delta; 0 means 8, negative
	// sends each text whole.
	Chunk int
	// Delay is the pause before each delta; 0 means none.
	Delay time.Duration
	// Sleep makes the pauses; nil means a timer. It returns early with the
	// context's error when that is cancelled.
	Sleep func(ctx context.Context, d time.Duration) error
}

// Provider answers from a script. It is safe for concurrent use; requests at
// the same time take responses in the order in which they begin.
type Provider struct {
	cfg    Config
	models []*ai.Model

	mu       sync.Mutex
	queue    []Response
	respond  func(Request) Response
	requests []Request
	calls    int
}

// Request is a recorded request.
type Request struct {
	// N counts the requests of the provider from 1.
	N int
	// Call is what the protocol was given. Do not change it.
	Call *ai.Call
	// Deferred is the handle that the request fetches, nil for a question; Cancel
	// says that it gives it up instead.
	Deferred *ai.DeferredHandle
	Cancel   bool
	// Time is when it began, by the stream's clock.
	Time time.Time
}

// Last gives the newest message of the request, nil when there is none.
func (r Request) Last() ai.Message {
	if len(r.Call.Messages) == 0 {
		return nil
	}
	return r.Call.Messages[len(r.Call.Messages)-1]
}

// New makes a scripted provider without responses.
func New(cfg Config) *Provider {
	if cfg.ID == "" {
		cfg.ID = "faux"
	}
	if cfg.Chunk == 0 {
		cfg.Chunk = 8
	}
	if cfg.Sleep == nil {
		cfg.Sleep = sleep
	}
	p := &Provider{cfg: cfg}
	for _, m := range cfg.Models {
		c := *m
		if c.Provider == "" {
			c.Provider = cfg.ID
		}
		if c.API == "" {
			c.API = APIID
		}
		p.models = append(p.models, &c)
	}
	if len(p.models) == 0 {
		p.models = []*ai.Model{{
			ID: "faux-1", Name: "Faux 1", API: APIID, Provider: cfg.ID, Reasoning: true,
			Input: []string{"text", "image"}, ContextWindow: 200_000, MaxTokens: 32_000,
		}}
	}
	return p
}

// Queue adds responses; each answers one request.
func (p *Provider) Queue(responses ...Response) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.queue = append(p.queue, responses...)
}

// Respond sets the function that answers when the queue is empty; nil makes
// such a request fail. It is called on the goroutine of the request.
func (p *Provider) Respond(f func(Request) Response) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.respond = f
}

// Pending is the number of queued responses that no request has taken.
func (p *Provider) Pending() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return len(p.queue)
}

// Requests lists the requests so far, oldest first.
func (p *Provider) Requests() []Request {
	p.mu.Lock()
	defer p.mu.Unlock()
	return slices.Clone(p.requests)
}

// Model gives the first model.
func (p *Provider) Model() *ai.Model { return p.models[0] }

// ID gives the configured id.
func (p *Provider) ID() string { return p.cfg.ID }

// Name gives the id.
func (p *Provider) Name() string { return p.cfg.ID }

// Auth gives the configured methods.
func (p *Provider) Auth() auth.Methods { return p.cfg.Auth }

// Models lists the models.
func (p *Provider) Models() []*ai.Model { return p.models }

// API gives the scripted protocol, whatever the model names.
func (p *Provider) API(*ai.Model) (ai.API, error) { return api{p}, nil }

type api struct{ p *Provider }

func (a api) ID() string { return APIID }

// Stream takes the next response and plays it.
func (a api) Stream(ctx context.Context, call *ai.Call, out *ai.Emitter) error {
	r, err := a.p.next(Request{Call: call, Time: out.Now()})
	if err != nil {
		return err
	}
	return r.play(ctx, a.p, call, out)
}

// FetchDeferred takes the next response and plays it; the script says whether that
// is the answer or a later look. It does not wait.
func (a api) FetchDeferred(ctx context.Context, call *ai.Call, h ai.DeferredHandle, _ time.Duration, out *ai.Emitter) error {
	r, err := a.p.next(Request{Call: call, Time: out.Now(), Deferred: &h})
	if err != nil {
		return err
	}
	return r.play(ctx, a.p, call, out)
}

// CancelDeferred records the request; it takes no response.
func (a api) CancelDeferred(_ context.Context, call *ai.Call, h ai.DeferredHandle) error {
	a.p.mu.Lock()
	defer a.p.mu.Unlock()
	a.p.record(Request{Call: call, Deferred: &h, Cancel: true})
	return nil
}

// record numbers and keeps a request; p.mu is held.
func (p *Provider) record(req Request) Request {
	req.N = len(p.requests) + 1
	p.requests = append(p.requests, req)
	return req
}

func (p *Provider) next(req Request) (Response, error) {
	p.mu.Lock()
	req = p.record(req)
	respond := p.respond
	if len(p.queue) > 0 {
		r := p.queue[0]
		p.queue = p.queue[1:]
		p.mu.Unlock()
		return r, nil
	}
	p.mu.Unlock()
	if respond == nil {
		return Response{}, ai.Errorf(ai.KindConfig, "the script of provider %s has no response left for request %d", p.cfg.ID, req.N)
	}
	return respond(req), nil
}

// callID numbers tool calls over the life of the provider.
func (p *Provider) callID() string {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.calls++
	return fmt.Sprintf("call_%d", p.calls)
}

func sleep(ctx context.Context, d time.Duration) error {
	if d <= 0 {
		return ctx.Err()
	}
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}
