package openaicompletions

import (
	"encoding/json"
	"maps"
	"slices"

	"github.com/pi-go/pi/ai"
	"github.com/pi-go/pi/ai/internal/history"
	"github.com/pi-go/pi/ai/internal/wire"
	"github.com/pi-go/pi/ai/jsonobj"
)

// request is a call in the words of the protocol.
type request struct {
	call    *ai.Call
	t       *traits
	customs map[string]*customTool
	effort  string // the vendor's word for the thinking level
	body    [][]byte
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
	r.customs = customTools(messages, t)
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
	e := &encoder{t: r.t, model: r.call.Model, customs: r.customs, role: "system", sysMarker: r.marker()}
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
	settings := wire.Settings(r.call.Model, r.call.BaseURL+"\n"+e.role+"\n"+e.sysMarker+"\n"+customKey(r.customs))
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
	own := optionsOf(call)
	var b params
	b.setString("model", call.Model.ID)
	b.set("stream", json.RawMessage("true"))
	if t.usageInStream {
		b.set("stream_options", json.RawMessage(`{"include_usage":true}`))
	}
	if t.store {
		b.set("store", json.RawMessage("false"))
	}
	r.setCache(&b)
	if opts.MaxTokens > 0 {
		b.setJSON(t.maxTokensField, opts.MaxTokens)
	}
	if opts.Temperature != nil {
		b.set("temperature", jsonobj.AppendFloat(nil, *opts.Temperature))
	}
	if err := r.setTools(&b, messages, st, own); err != nil {
		return nil, err
	}
	if len(t.priority) > 0 {
		b.set("priority", t.priority)
	}
	if call.Model.Reasoning {
		e := effortOf(call, own)
		r.effort = b.setThinking(t, &e)
		b.setBudget(t, &e, opts.MaxTokens)
	}
	if len(t.routing) > 0 {
		b.set("provider", t.routing)
	}
	if t.gateway != nil {
		b.setJSON("providerOptions", map[string]any{"gateway": t.gateway})
	}
	for _, more := range []map[string]json.RawMessage{
		call.Model.SamplingParams, call.Model.SamplingParamsByThinkingLevel[opts.Thinking], opts.SamplingParams,
	} {
		for _, name := range slices.Sorted(maps.Keys(more)) {
			if name == "messages" {
				continue
			}
			if !json.Valid(more[name]) {
				return nil, ai.Errorf(ai.KindConfig, "sampling parameter %q is not JSON: %s", name, more[name])
			}
			b.set(name, more[name])
		}
	}
	head := b.appendTo([]byte{'{'})
	return append(head, `"messages":[`...), nil
}

// cacheKeyLength is how many characters of a cache key OpenAI takes.
const cacheKeyLength = 64

func (r *request) setCache(b *params) {
	cache, t := r.call.Options.Cache, r.t
	if cache == ai.CacheNone {
		return
	}
	long := cache == ai.CacheLong && t.longCache
	send := t.cacheKeyMode == "enabled" || t.cacheKeyMode != "disabled" && (t.openAIHost || long)
	if id := []rune(r.call.SessionID); send && len(id) > 0 {
		b.setString("prompt_cache_key", string(id[:min(len(id), cacheKeyLength)]))
	}
	if long {
		b.setString("prompt_cache_retention", "24h")
	}
}

func (r *request) setTools(b *params, messages []ai.Message, st *state, own *Options) error {
	var tools []ai.Tool
	if len(messages) > 0 {
		if lead, ok := messages[0].(*ai.SystemMessage); ok {
			tools = lead.ToolsAdded
		}
	}
	if len(tools) == 0 {
		if r.t.emptyTools && hasToolHistory(messages) {
			b.set("tools", json.RawMessage("[]"))
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
	b.set("tools", value)
	if r.t.zaiToolStream {
		b.set("tool_stream", json.RawMessage("true"))
	}
	choice := toolChoice(r.call.Options.ToolChoice, r.customs)
	if len(own.ToolChoice) > 0 {
		choice = own.ToolChoice
	}
	if choice != nil {
		b.set("tool_choice", choice)
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
