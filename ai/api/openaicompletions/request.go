package openaicompletions

import (
	"encoding/json"
	"slices"

	"github.com/pi-go/pi/ai"
	"github.com/pi-go/pi/ai/internal/history"
	"github.com/pi-go/pi/ai/internal/openai"
	"github.com/pi-go/pi/ai/internal/wire"
	"github.com/pi-go/pi/ai/jsonobj"
)

// request is a call in the words of the protocol.
type request struct {
	call     *ai.Call
	t        *traits
	grammars openai.Grammars
	effort   string // the vendor's word for the thinking level
	body     [][]byte
}

func newRequest(call *ai.Call, st *state) (*request, error) {
	t, err := traitsOf(call.Model, call.BaseURL)
	if err != nil {
		return nil, err
	}
	r := &request{call: call, t: t}
	mode := ai.SystemCollapse
	switch {
	case t.midSystem && t.midTools:
		mode = ai.SystemToolAdditions
	case t.midSystem:
		mode = ai.SystemTexts
	}
	messages := ai.Transform(call.Model, call.Messages, ai.TransformOptions{ToolCallID: toolCallID, System: mode})
	r.grammars = grammarsOf(messages, t)
	head, err := r.params(messages, st)
	if err != nil {
		return nil, err
	}
	if err := r.encode(head, messages, st); err != nil {
		return nil, err
	}
	return r, nil
}

// marker is the cache_control member, with its comma, "" when none is sent.
func (r *request) marker() string {
	cache := r.call.Options.Cache
	switch {
	case !r.t.cacheMarkers || cache == ai.CacheNone:
		return ""
	case cache == ai.CacheLong && r.t.longCache:
		return `,"cache_control":{"type":"ephemeral","ttl":"1h"}`
	}
	return `,"cache_control":{"type":"ephemeral"}`
}

// encode makes the body: the parameters, then the messages. Those that a later
// request will hold unchanged come from the conversation's encoded history.
func (r *request) encode(head []byte, messages []ai.Message, st *state) error {
	e := &encoder{t: r.t, model: r.call.Model, grammars: r.grammars, role: "system", sysMarker: r.marker()}
	if r.t.developerRole && r.call.Model.Reasoning {
		e.role = "developer"
	}
	units := unitsOf(messages, r.t)
	tail := len(units)
	if e.sysMarker != "" {
		for tail > 0 && lastText(units[tail-1]) < 0 {
			tail--
		}
		tail = max(tail-1, 0)
	}
	settings := wire.Settings(r.call.Model, r.call.BaseURL+"\n"+e.role+"\n"+e.sysMarker+"\n"+r.grammars.Key())
	old := st.messages.Encode(settings, units[:tail], e.unit)
	end := make([]byte, 0, 512)
	for i, u := range units[tail:] {
		e.marker = ""
		if i == 0 {
			e.marker = e.sysMarker
		}
		if element := e.unit(nil, u); len(element) > 0 {
			if len(end) > 0 || len(old) > 0 {
				end = append(end, ',')
			}
			end = append(end, element...)
		}
	}
	if e.err != nil {
		st.messages = history.Prefix{} // it may hold half a message
		return e.err
	}
	r.body = [][]byte{head, old, append(end, `]}`...)}
	return nil
}

// params writes everything but the messages.
func (r *request) params(messages []ai.Message, st *state) ([]byte, error) {
	call, t, opts := r.call, r.t, &r.call.Options
	own := wire.Options[Options](call)
	var b openai.Params
	b.SetString("model", call.Model.ID)
	b.Set("stream", json.RawMessage("true"))
	if t.usageInStream {
		b.Set("stream_options", json.RawMessage(`{"include_usage":true}`))
	}
	if t.store {
		b.Set("store", json.RawMessage("false"))
	}
	r.setCache(&b)
	if opts.MaxTokens > 0 {
		b.SetJSON(t.maxTokensField, opts.MaxTokens)
	}
	if opts.Temperature != nil {
		b.Set("temperature", jsonobj.AppendFloat(nil, *opts.Temperature))
	}
	if err := r.setTools(&b, messages, st, &own); err != nil {
		return nil, err
	}
	if len(t.priority) > 0 {
		b.Set("priority", t.priority)
	}
	if call.Model.Reasoning {
		e := effortOf(call, &own)
		r.effort = setThinking(&b, t, &e)
		setBudget(&b, t, &e, opts.MaxTokens)
	}
	if len(t.routing) > 0 {
		b.Set("provider", t.routing)
	}
	if t.gateway != nil {
		b.SetJSON("providerOptions", map[string]any{"gateway": t.gateway})
	}
	if err := b.SetSampling(call, "messages"); err != nil {
		return nil, err
	}
	head := b.AppendTo([]byte{'{'})
	return append(head, `"messages":[`...), nil
}

func (r *request) setCache(b *openai.Params) {
	cache, t := r.call.Options.Cache, r.t
	if cache == ai.CacheNone {
		return
	}
	long := cache == ai.CacheLong && t.longCache
	send := t.cacheKeyMode == "enabled" || t.cacheKeyMode != "disabled" && (t.openAIHost || long)
	if id := r.call.SessionID; send && id != "" {
		b.SetString("prompt_cache_key", openai.CacheKey(id))
	}
	if long {
		b.SetString("prompt_cache_retention", "24h")
	}
}

func (r *request) setTools(b *openai.Params, messages []ai.Message, st *state, own *Options) error {
	var tools []ai.Tool
	if len(messages) > 0 {
		if lead, ok := messages[0].(*ai.SystemMessage); ok {
			tools = lead.ToolsAdded
		}
	}
	if len(tools) == 0 {
		if r.t.emptyTools && hasToolHistory(messages) {
			b.Set("tools", json.RawMessage("[]"))
		}
		return nil
	}
	var failed error
	unit := history.Unit{Messages: []ai.Message{&ai.SystemMessage{ToolsAdded: tools}}}
	settings := wire.Settings(r.call.Model, r.call.BaseURL+"\n"+r.marker())
	encoded := st.tools.Encode(settings, []history.Unit{unit}, func(dst []byte, _ history.Unit) []byte {
		out, err := appendTools(dst, tools, r.t, r.marker())
		if err != nil {
			failed = err
			return dst
		}
		return out
	})
	if failed != nil {
		st.tools = history.Prefix{}
		return failed
	}
	value := append(append([]byte{'['}, encoded...), ']')
	b.Set("tools", value)
	if r.t.zaiToolStream {
		b.Set("tool_stream", json.RawMessage("true"))
	}
	choice := toolChoice(r.call.Options.ToolChoice, r.grammars)
	if len(own.ToolChoice) > 0 {
		choice = own.ToolChoice
	}
	if choice != nil {
		b.Set("tool_choice", choice)
	}
	return nil
}

func hasToolHistory(messages []ai.Message) bool {
	return slices.ContainsFunc(messages, func(m ai.Message) bool {
		a, ok := m.(*ai.AssistantMessage)
		return isResult(m) || ok && len(a.ToolCalls()) > 0
	})
}

// headers are those that keep a session on one machine, where its cache is.
func (r *request) headers() map[string]string {
	id := r.call.SessionID
	if !r.t.affinity || id == "" || r.call.Options.Cache == ai.CacheNone {
		return nil
	}
	switch r.t.affinityFormat {
	case "openrouter":
		return map[string]string{"x-session-id": id}
	case "openai-nosession":
		return map[string]string{"x-client-request-id": id, "x-session-affinity": id}
	}
	return map[string]string{"session_id": id, "x-client-request-id": id, "x-session-affinity": id}
}
