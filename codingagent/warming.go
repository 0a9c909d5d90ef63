package codingagent

import (
	"cmp"
	"context"
	"slices"
	"sync"
	"time"

	"github.com/pi-go/pi/agentcore"
	"github.com/pi-go/pi/agentcore/harness"
	"github.com/pi-go/pi/agentcore/session"
	"github.com/pi-go/pi/ai"
	"github.com/pi-go/pi/codingagent/extension"
	"github.com/pi-go/pi/codingagent/models"
)

// warmer keeps the vendor's cache of the prompt alive while it pays: it makes the last
// request again, for an answer of one token, shortly before the cache would end. The
// next real request, and everything that makes the cache useless, ends that.
type warmer struct {
	s *AgentSession

	mu      sync.Mutex
	closed  bool
	request *warmRequest // the last real one; nil when there is nothing to keep
	timer   *time.Timer
	cancel  context.CancelFunc // of the request that is being made again
	making  sync.WaitGroup
	next    time.Time // when the timer ends
	last    models.Warming
	why     string // nothing is kept
}

// warmRequest is a request whose prompt is cached.
type warmRequest struct {
	model    *ai.Model
	selected *ai.Model
	req      ai.Request
	opts     ai.Options
	at       time.Time // when it was made
	used     ai.Usage
	leaf     string // the entry of its answer
	long     bool
}

// WarmingStatus says whether the vendor's cache of the prompt is kept alive.
type WarmingStatus struct {
	// Next is when it is decided next; the zero time means that nothing is kept, and
	// Reason says why.
	Next   time.Time
	Reason string
	// Decision is what would be decided now.
	Decision models.Warming
}

// CacheWarming says whether the vendor's cache of the prompt is kept alive.
func (s *AgentSession) CacheWarming() WarmingStatus {
	w := &s.warm
	running := s.harness.Running()
	mode := s.Settings().Network.CacheWarming
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.request == nil || w.timer == nil {
		reason := cmp.Or(w.why, "there was no request yet")
		if mode == "off" {
			reason = "the setting cacheWarming is off"
		}
		return WarmingStatus{Reason: reason, Decision: w.last}
	}
	return WarmingStatus{Next: w.next, Decision: w.request.decide(running)}
}

func (r *warmRequest) decide(running bool) models.Warming {
	return models.DecideWarming(r.model, r.used, r.long, running, time.Since(r.at))
}

// asked notes a real request.
func (w *warmer) asked(m *ai.Model, req ai.Request, opts ai.Options) {
	if opts.Cache == ai.CacheNone {
		return // a summary, which leaves the cache of the conversation as it is
	}
	selected := w.s.harness.Model()
	w.mu.Lock()
	defer w.mu.Unlock()
	w.halt("a request is under way")
	if w.closed || w.s.opts.Offline || w.s.Settings().Network.CacheWarming == "off" {
		return
	}
	w.request = &warmRequest{
		model: m, selected: selected, req: req, opts: opts, at: time.Now(),
		long: opts.Cache == ai.CacheLong || opts.Cache == "" && slices.Contains(w.s.opts.Environ, "PI_CACHE_RETENTION=long"),
	}
}

// halt ends what is under way. The lock is held.
func (w *warmer) halt(why string) {
	if w.timer != nil {
		w.timer.Stop()
	}
	if w.cancel != nil {
		w.cancel()
	}
	w.request, w.timer, w.cancel, w.why = nil, nil, nil, why
}

func (w *warmer) stop(why string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.halt(why)
}

// hear follows the conversation.
func (w *warmer) hear(_ context.Context, ev agentcore.Event) error {
	switch ev := ev.(type) {
	case *agentcore.MessageEnd:
		if a, ok := ev.Message.(*ai.AssistantMessage); ok {
			w.answered(a)
		}
	case *harness.CompactionEnd:
		if ev.Result != nil {
			w.stop("the conversation was compacted")
		}
	case *harness.ThinkingChanged:
		w.stop("the thinking level changed")
	}
	return nil
}

// answered begins to keep the prompt of an answer.
func (w *warmer) answered(a *ai.AssistantMessage) {
	leaf := w.s.harness.Session().Leaf()
	w.mu.Lock()
	defer w.mu.Unlock()
	r := w.request
	switch {
	case r == nil:
		return
	case a.Err() != nil:
		w.halt("the last request failed")
		return
	case !models.Replayable(r.model, r.opts.Thinking):
		w.halt("a request with a thinking budget can not be made again")
		return
	}
	r.used, r.leaf = a.Usage, leaf
	r.long = r.long || a.Usage.CacheWrite1h > 0
	w.schedule(r, r.at)
}

// schedule waits until the cache has to be used again, if that is known. The lock is
// held.
func (w *warmer) schedule(r *warmRequest, from time.Time) {
	delay, ok := models.WarmDelay(models.CacheLifetime(r.model, r.long))
	if !ok {
		w.halt("it is not known how long the vendor keeps prompts")
		return
	}
	w.next = from.Add(delay)
	w.timer = time.AfterFunc(time.Until(w.next), func() { w.fire(r) })
}

// fire decides, and makes the request again.
func (w *warmer) fire(r *warmRequest) {
	ctx, cancel := context.WithCancel(w.s.closing)
	defer cancel()
	w.mu.Lock()
	if w.closed || w.request != r {
		w.mu.Unlock()
		return
	}
	w.cancel = cancel
	w.making.Add(1)
	w.mu.Unlock()
	defer w.making.Done()
	if why := w.useless(r); why != "" {
		w.end(r, why)
		return
	}
	d := r.decide(w.s.harness.Running())
	if warm := w.s.extensions().Warm(ctx, extension.CacheWarming{
		WarmCost: d.WarmCost, MissCost: d.MissCost, ContinuationProbability: d.Chance, Warm: d.Warm,
	}); warm != d.Warm {
		d.Warm, d.Reason = warm, ""
		if !warm {
			d.Reason = "an extension does not want it"
		}
	}
	w.mu.Lock()
	w.last = d
	w.mu.Unlock()
	if !d.Warm {
		w.end(r, d.Reason)
		return
	}
	opts := r.opts
	opts.MaxTokens, opts.MaxRetries = 1, 0
	if opts.SessionID == "" {
		opts.SessionID = opts.Conversation.ID()
	}
	opts.Conversation = nil // what the vendor keeps of the conversation itself stays where it is
	// Extensions change it as they changed the first; what they put in was for that one.
	opts.OnPayload, opts.TransformHeaders, opts.OnResponse, opts.OnRetry, opts.OnWireEvent = nil, nil, nil, nil, nil
	opts = w.s.extensions().Requests(ctx, opts)
	answer := w.s.extensions().Stream(w.s.opts.Models.Stream(ctx, r.model, r.req, opts)).Result()
	if ctx.Err() != nil {
		return // something else has begun
	}
	if u := answer.Usage; u.ContextTokens() > 0 {
		entry := &session.UsageEntry{Kind: "cache_warm", Provider: r.model.Provider, Model: r.model.ID, Usage: u}
		if err := w.s.harness.AddEntry(context.WithoutCancel(ctx), entry); err != nil {
			w.end(r, "what it cost could not be written down: "+err.Error())
			return
		}
	}
	switch {
	case answer.Err() != nil:
		w.end(r, "the vendor refused it: "+answer.ErrorMessage)
	case answer.Usage.CacheRead == 0:
		w.end(r, "the vendor had not kept the prompt")
	default:
		w.mu.Lock()
		defer w.mu.Unlock()
		if w.request == r && !w.closed {
			w.schedule(r, time.Now())
		}
	}
}

// end gives a request up, unless another has taken its place.
func (w *warmer) end(r *warmRequest, why string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.request == r {
		w.halt(why)
	}
}

// useless says why the next request would not find the cache; "" when it would.
func (w *warmer) useless(r *warmRequest) string {
	mode := w.s.Settings().Network.CacheWarming
	switch {
	case mode == "off":
		return "the setting cacheWarming is off"
	case mode == "streaming" && !w.s.harness.Running():
		return "the agent is not at work, and the setting cacheWarming is streaming"
	case !r.selected.Same(w.s.harness.Model()):
		return "another model was chosen"
	}
	path, err := w.s.harness.Session().PathTo("")
	if err != nil {
		return err.Error()
	}
	for _, stub := range slices.Backward(path) {
		switch {
		case stub.ID == r.leaf:
			return ""
		case stub.Type == session.TypeCompaction || stub.Type == session.TypeContextEdit:
			return "the conversation was changed"
		}
	}
	return "the conversation goes on from another place"
}

// close ends everything, and waits for it.
func (w *warmer) close() {
	w.mu.Lock()
	w.halt("the session is closed")
	w.closed = true
	w.mu.Unlock()
	w.making.Wait()
}
