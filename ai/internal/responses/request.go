package responses

import (
	"encoding/json"

	"github.com/pi-go/pi/ai"
	"github.com/pi-go/pi/ai/internal/history"
	"github.com/pi-go/pi/ai/internal/openai"
	"github.com/pi-go/pi/ai/internal/wire"
	"github.com/pi-go/pi/ai/jsonobj"
)

// State is what a conversation keeps for these protocols. The zero value is
// empty.
type State struct {
	items, tools history.Prefix
}

// Request is a call in the words of the protocol.
type Request struct {
	// Effort is the vendor's word for the thinking level, empty when nothing
	// was said.
	Effort string
	// Tier is the service tier that was asked for.
	Tier string
	// Head is the body up to the input items; Input are those items.
	Head  []byte
	Input [][]byte
	// Messages is the transcript as it is sent, and Units its parts.
	Messages []ai.Message
	Units    []history.Unit

	call     *ai.Call
	dialect  *Dialect
	opts     *Options
	t        *traits
	grammars openai.Grammars
	encoder  *encoder
	thinks   bool // the model was asked to
}

// minOutputTokens is the least cap that the protocol takes.
const minOutputTokens = 16

// NewRequest makes the request of a call.
func NewRequest(call *ai.Call, d *Dialect, opts *Options, st *State) (*Request, error) {
	t, err := traitsOf(call, d)
	if err != nil {
		return nil, err
	}
	r := &Request{call: call, dialect: d, opts: opts, t: t}
	mode := ai.SystemCollapse
	switch {
	case t.midSystem && t.additionalTools:
		mode = ai.SystemToolChanges
	case t.midSystem && t.toolSearch:
		mode = ai.SystemToolAdditions
	case t.midSystem:
		mode = ai.SystemTexts
	}
	r.Messages = ai.Transform(call.Model, call.Messages, ai.TransformOptions{ToolCallID: idRule(d.PairedIDs), UniqueID: callID, System: mode})
	if mode == ai.SystemToolChanges {
		r.Messages = announceTools(r.Messages)
	}
	if t.grammar {
		r.grammars = openai.GrammarsOf(r.Messages)
	}
	if err := r.setHead(st, mode == ai.SystemToolChanges); err != nil {
		return nil, err
	}
	return r, r.encode(st)
}

// Body is the whole request.
func (r *Request) Body() [][]byte {
	return append(append([][]byte{r.Head}, r.Input...), []byte(`]}`))
}

// From gives the input items from a unit on, as they would stand alone.
func (r *Request) From(unit int) ([]byte, error) {
	out := r.encoder.all(nil, r.Units[unit:])
	out = r.encoder.end(out)
	return out, r.encoder.err
}

func (r *Request) encode(st *State) error {
	r.Units = make([]history.Unit, len(r.Messages))
	for i := range r.Messages {
		r.Units[i] = history.Unit{At: i, Messages: r.Messages[i : i+1 : i+1]}
	}
	role := "system"
	if r.t.developerRole && r.call.Model.Reasoning {
		role = "developer"
	}
	e := &encoder{model: r.call.Model, t: r.t, dialect: r.dialect, grammars: r.grammars, role: role}
	if r.t.midEffort && r.thinks {
		e.effort = r.Effort
	}
	r.encoder = e
	settings := wire.Settings(r.call.Model, r.call.BaseURL+"\n"+role+"\n"+r.grammars.Key()+boolKey(e.effort != "")+boolKey(r.t.login))
	old := st.items.Encode(settings, r.Units, e.unit)
	if e.err != nil {
		st.items = history.Prefix{} // it may hold half an item
		return e.err
	}
	var end []byte
	if last := e.end(nil); len(last) > 0 {
		if len(old) > 0 {
			end = append(end, ',')
		}
		end = append(end, last...)
	}
	r.Input = [][]byte{old, end}
	return nil
}

func boolKey(b bool) string {
	if b {
		return "+"
	}
	return "-"
}

// setHead writes everything but the items.
func (r *Request) setHead(st *State, toolsAsItems bool) error {
	call, t, opts := r.call, r.t, &r.call.Options
	var b openai.Params
	b.SetString("model", call.Model.ID)
	if r.dialect.Model != "" {
		b.SetString("model", r.dialect.Model)
	}
	b.Set("stream", json.RawMessage("true"))
	b.Set("store", json.RawMessage("false"))
	r.setCache(&b)
	if t.maxTokens && opts.MaxTokens > 0 {
		b.SetJSON("max_output_tokens", max(opts.MaxTokens, minOutputTokens))
	}
	if opts.Temperature != nil && !t.login {
		b.Set("temperature", jsonobj.AppendFloat(nil, *opts.Temperature))
	}
	if r.dialect.ServiceTier && r.opts.ServiceTier != "" {
		r.Tier = r.opts.ServiceTier
		b.SetString("service_tier", r.Tier)
	}
	if r.dialect.Codex {
		verbosity := r.opts.TextVerbosity
		if verbosity == "" {
			verbosity = "low"
		}
		b.SetJSON("text", map[string]string{"verbosity": verbosity})
		b.Set("parallel_tool_calls", json.RawMessage("true"))
	}
	if err := r.setTools(&b, st, toolsAsItems); err != nil {
		return err
	}
	r.setReasoning(&b)
	if err := b.SetSampling(call, "input"); err != nil {
		return err
	}
	r.Head = append(b.AppendTo([]byte{'{'}), `"input":[`...)
	return nil
}

func (r *Request) setCache(b *openai.Params) {
	cache, t := r.call.Options.Cache, r.t
	if cache != ai.CacheNone && t.cacheKey && r.call.SessionID != "" {
		b.SetString("prompt_cache_key", openai.CacheKey(r.call.SessionID))
	}
	if t.login || !r.dialect.Retention {
		return
	}
	switch {
	case t.explicitCache && cache == ai.CacheNone:
		b.SetJSON("prompt_cache_options", map[string]string{"mode": "explicit"})
	case t.explicitCache && cache == ai.CacheLong && t.longCache:
		b.SetJSON("prompt_cache_options", map[string]string{"ttl": "30m"})
	case !t.explicitCache && cache == ai.CacheLong && t.longCache:
		b.SetString("prompt_cache_retention", "24h")
	}
}

// fixedEffort is the effort of requests whose real one stands among the items,
// so that the beginning of the prompt stays the same when it changes.
const fixedEffort = "medium"

func (r *Request) setReasoning(b *openai.Params) {
	m, level := r.call.Model, r.call.Options.Thinking
	include := r.t.alwaysInclude
	if m.Reasoning {
		on := level != ai.ThinkingOff && level != "" || r.opts.ReasoningEffort != ""
		word := string(level)
		if w := m.ThinkingLevels[level]; w != nil {
			word = *w
		}
		if r.opts.ReasoningEffort != "" {
			word = r.opts.ReasoningEffort
		}
		off, mapped := m.ThinkingLevels[ai.ThinkingOff]
		switch {
		case on:
			r.Effort, r.thinks, include = word, true, true
			reasoning := map[string]string{"effort": word}
			if r.t.midEffort {
				reasoning["effort"] = fixedEffort
			}
			switch s := r.opts.ReasoningSummary; s {
			case "", "on", "auto":
				reasoning["summary"] = "auto"
			case "off", "none":
			default:
				reasoning["summary"] = s
			}
			b.SetJSON("reasoning", reasoning)
		case mapped && off == nil || r.t.noOff:
		default:
			r.Effort = "none"
			if off != nil {
				r.Effort = *off
			}
			b.SetJSON("reasoning", map[string]string{"effort": r.Effort})
		}
	}
	if include {
		b.Set("include", json.RawMessage(`["reasoning.encrypted_content"]`))
	}
}

// AffinityHeaders keep a session on one machine, where its cache is.
func (r *Request) AffinityHeaders() map[string]string {
	id := r.call.SessionID
	if id == "" || r.call.Options.Cache == ai.CacheNone {
		return nil
	}
	switch r.t.affinity {
	case "openrouter":
		return map[string]string{"x-session-id": id}
	case "openai-nosession":
		return map[string]string{"x-client-request-id": id}
	}
	return map[string]string{"session-id": id, "x-client-request-id": id}
}
