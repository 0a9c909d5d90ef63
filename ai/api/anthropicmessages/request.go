package anthropicmessages

import (
	"encoding/json"
	"fmt"
	"strconv"
	"strings"

	"github.com/pi-go/pi/ai"
	"github.com/pi-go/pi/ai/internal/history"
	"github.com/pi-go/pi/ai/internal/wire"
	"github.com/pi-go/pi/ai/jsonobj"
)

// request is one call, encoded.
type request struct {
	call   *ai.Call
	url    string
	opts   Options
	traits *traits
	state  *state
	think  thinking
	cache  string // the cache mark; "" caches nothing

	native   bool // tools can change in place
	messages []ai.Message
	units    []history.Unit
	encoder  *messageEncoder
	settings string

	system []byte // "system" and its value; empty without a prompt
	tools  []byte // "tools" and "tool_choice"
}

// retention is how long the vendor keeps the prompt.
func retention(call *ai.Call) ai.CacheRetention {
	switch {
	case call.Options.Cache != "":
		return call.Options.Cache
	case call.Env.Lookup("PI_CACHE_RETENTION") == "long":
		return ai.CacheLong
	}
	return ai.CacheShort
}

// newRequest prepares a call. What does not fit the protocol is an error.
func newRequest(call *ai.Call, t *traits, st *state) (*request, error) {
	url, err := endpoint(call)
	if err != nil {
		return nil, err
	}
	r := &request{call: call, url: url, opts: optionsOf(call), traits: t, state: st}
	r.think = thinkingOf(call, t, r.opts)
	switch retention(call) {
	case ai.CacheNone:
	case ai.CacheLong:
		r.cache = `{"type":"ephemeral"}`
		if t.longCache {
			r.cache = `{"type":"ephemeral","ttl":"1h"}`
		}
	default:
		r.cache = `{"type":"ephemeral"}`
	}
	mode := ai.SystemCollapse
	lead, leads := firstSystem(call.Messages)
	switch {
	case t.midSystem && t.midTools && leads && len(lead.ToolsAdded) > 0:
		mode, r.native = ai.SystemToolChanges, true
	case t.midSystem:
		mode = ai.SystemTexts
	}
	r.messages = ai.Transform(call.Model, call.Messages, ai.TransformOptions{ToolCallID: ai.PlainIDs(maxIDLength), System: mode, UserFirst: true})
	r.units = history.Turns(r.messages)
	tools := toolEncoder{eager: t.eager, strict: t.strict && !st.strictOff}
	r.encoder = &messageEncoder{model: call.Model, traits: t, tools: tools, toolChanges: r.native, effort: r.think.inSystem != ""}
	r.settings = wire.Settings(call.Model, fmt.Sprintf("%+v %v %v", tools, r.native, r.encoder.effort))
	if err := r.encodeHead(tools); err != nil {
		return nil, err
	}
	if len(r.units) == 0 {
		return nil, ai.Errorf(ai.KindBadRequest, "the conversation has nothing to send: add a message of the user")
	}
	return r, nil
}

// maxIDLength is the longest id of a tool call that the vendor takes.
const maxIDLength = 64

func firstSystem(messages []ai.Message) (*ai.SystemMessage, bool) {
	if len(messages) == 0 {
		return nil, false
	}
	s, ok := messages[0].(*ai.SystemMessage)
	return s, ok
}

// encodeHead writes prompt and tools.
func (r *request) encodeHead(tools toolEncoder) error {
	lead, ok := firstSystem(r.messages)
	if !ok {
		return nil
	}
	if text := lead.Text(); strings.TrimSpace(text) != "" {
		r.system = append(r.system, `"system":[{"type":"text","text":`...)
		r.system = jsonobj.AppendString(r.system, text)
		if r.cache != "" {
			r.system = append(r.system, `,"cache_control":`+r.cache...)
		}
		r.system = append(r.system, `}],`...)
	}
	if len(lead.ToolsAdded) == 0 {
		return nil
	}
	r.tools = append(r.tools, `"tools":[`...)
	for i := range lead.ToolsAdded {
		mark := ""
		if i == len(lead.ToolsAdded)-1 && r.traits.toolCache {
			mark = r.cache
		}
		if i > 0 {
			r.tools = append(r.tools, ',')
		}
		var err error
		if r.tools, err = tools.append(r.tools, &lead.ToolsAdded[i], mark); err != nil {
			return err
		}
	}
	if r.native {
		r.tools = append(r.tools, ","+reservedTool...)
	}
	r.tools = append(r.tools, `],`...)
	switch choice := r.call.Options.ToolChoice; choice {
	case "":
	case ai.ToolChoiceAuto, ai.ToolChoiceNone:
		r.tools = append(r.tools, `"tool_choice":{"type":"`+string(choice)+`"},`...)
	case ai.ToolChoiceRequired:
		r.tools = append(r.tools, `"tool_choice":{"type":"any"},`...)
	default:
		r.tools = append(r.tools, `"tool_choice":{"type":"tool","name":`...)
		r.tools = jsonobj.AppendString(r.tools, string(choice))
		r.tools = append(r.tools, `},`...)
	}
	return nil
}

// body writes the whole request in segments; from is the first unit to send, and
// thread the value of "thread", if any. A continued thread has prompt and tools
// already.
func (r *request) body(from int, thread string) ([][]byte, error) {
	head := append([]byte(`{"model":`), jsonobj.AppendString(nil, r.call.Model.ID)...)
	head = append(head, `,"max_tokens":`...)
	head = strconv.AppendInt(head, r.think.cap(), 10)
	head = append(head, `,"stream":true,`...)
	head = append(head, r.shared()...)
	if t := r.call.Options.Temperature; t != nil && !r.think.on && !r.traits.midEffort && r.traits.temperature {
		head = append(head, `"temperature":`...)
		head = append(jsonobj.AppendFloat(head, *t), ',')
	}
	if id := r.call.Options.Metadata["user_id"]; id != "" {
		head = append(head, `"metadata":{"user_id":`...)
		head = append(jsonobj.AppendString(head, id), "},"...)
	}
	if thread != "" {
		head = append(head, `"thread":`+thread+`,`...)
	}
	if from == 0 {
		head = append(head, r.system...)
		head = append(head, r.tools...)
	}
	head = append(head, `"messages":[`...)

	last := len(r.units) - 1
	var old []byte
	if from == 0 {
		old = r.state.prefix.Encode(r.settings, r.units[:last], r.encoder.unit)
	} else {
		w := elements{}
		for _, u := range r.units[from:last] {
			if b := r.encoder.unit(nil, u); len(b) > 0 {
				w.Next()
				w.Dst = append(w.Dst, b...)
			}
		}
		old = w.Dst
	}
	tail := r.encoder.marked(nil, r.units[last], r.cache)
	if len(old) > 0 && len(tail) > 0 {
		tail = append([]byte{','}, tail...)
	}
	if r.think.inSystem != "" {
		w := elements{wire.Elements{Dst: tail, More: len(old)+len(tail) > 0}}
		effortMessage(&w, r.think.inSystem)
		tail = w.Dst
	}
	if r.encoder.err != nil {
		return nil, r.encoder.err
	}
	return [][]byte{head, old, append(tail, "]}"...)}, nil
}

// shared writes what says how to think and what may answer instead.
func (r *request) shared() string {
	var b strings.Builder
	if r.think.json != "" {
		b.WriteString(`"thinking":` + r.think.json + `,`)
	}
	if r.think.effort != "" {
		b.WriteString(`"output_config":{"effort":` + string(jsonobj.AppendString(nil, r.think.effort)) + `},`)
	}
	if len(r.traits.fallbacks) > 0 {
		b.WriteString(`"fallbacks":[`)
		for i, f := range r.traits.fallbacks {
			if i > 0 {
				b.WriteByte(',')
			}
			b.WriteString(`{"model":` + string(jsonobj.AppendString(nil, f.Model)) + `}`)
		}
		b.WriteString(`],`)
	}
	return b.String()
}

// The betas of features that a request can use.
const (
	betaFineGrained  = "fine-grained-tool-streaming-2025-05-14"
	betaInterleaved  = "interleaved-thinking-2025-05-14"
	betaFallback     = "server-side-fallback-2026-07-01"
	betaOutputConfig = "mid-conversation-output-config-2026-07-01"
	betaBinding      = "thinking-binding-controls-2026-08-01"
	betaInlineTools  = "inline-tools-2026-09-15"
	betaThreads      = "message-threads-2026-08-12"
	betaOAuth        = "oauth-2025-04-20"
)

// betas lists what the request needs, in a fixed order.
func (r *request) betas(threads bool) []string {
	var list []string
	add := func(when bool, names ...string) {
		if when {
			list = append(list, names...)
		}
	}
	add(isOAuthToken(r.call.Auth.APIKey), betaOAuth)
	add(len(r.tools) > 0 && !r.traits.eager, betaFineGrained)
	add(r.think.on && !r.think.adaptive && !r.opts.NoInterleavedThinking, betaInterleaved)
	add(len(r.traits.fallbacks) > 0, betaFallback)
	add(r.traits.midEffort, betaOutputConfig, betaBinding)
	add(r.native, betaInlineTools)
	add(threads, betaThreads)
	return append(list, r.opts.Betas...)
}

// isOAuthToken recognises the tokens of a login by their prefix.
func isOAuthToken(key string) bool { return strings.Contains(key, "sk-ant-oat") }

// post makes the HTTP request of a body.
func (r *request) post(body [][]byte, threads bool) *wire.Request {
	headers := map[string]string{"anthropic-version": "2023-06-01"}
	if betas := r.betas(threads); len(betas) > 0 {
		headers["anthropic-beta"] = strings.Join(betas, ",")
	}
	if r.call.SessionID != "" && r.cache != "" && r.traits.affinity {
		headers[r.traits.affinityHeader] = r.call.SessionID
	}
	key := wire.Bearer(r.call)
	if key != nil && !r.call.Auth.Bearer && !r.call.Auth.OAuth && !isOAuthToken(r.call.Auth.APIKey) {
		key = map[string]string{"x-api-key": r.call.Auth.APIKey}
	}
	return &wire.Request{Call: r.call, URL: r.url, Headers: headers, Auth: key, Body: body}
}

// endpoint is where a call's request goes. Some write the version into the base
// URL, some do not.
func endpoint(call *ai.Call) (string, error) {
	path := "/v1/messages"
	if base, _, _ := strings.Cut(call.BaseURL, "?"); strings.HasSuffix(strings.TrimRight(base, "/"), "/v1") {
		path = "/messages"
	}
	url, err := wire.Endpoint(call, path)
	if err != nil {
		return "", err
	}
	if strings.Contains(url, "?") {
		return url + "&beta=true", nil
	}
	return url + "?beta=true", nil
}

// errorCode reads error.details.error_code of a vendor's error body.
func errorCode(e *ai.APIError) string {
	var body struct {
		Error struct {
			Details struct {
				ErrorCode string `json:"error_code"`
			} `json:"details"`
		} `json:"error"`
	}
	if json.Unmarshal([]byte(e.Body), &body) != nil {
		return ""
	}
	return body.Error.Details.ErrorCode
}
