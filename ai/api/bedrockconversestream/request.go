package bedrockconversestream

import (
	"encoding/json"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/pi-go/pi/ai"
	"github.com/pi-go/pi/ai/internal/claude"
	"github.com/pi-go/pi/ai/internal/history"
	"github.com/pi-go/pi/ai/internal/strictschema"
	"github.com/pi-go/pi/ai/internal/wire"
	"github.com/pi-go/pi/ai/jsonobj"
)

// Compat says which features a model has. It is the shape of [ai.Model].Compat for
// this protocol.
type Compat struct {
	// SupportsStrictMode: tools can ask for arguments sampled to fit.
	SupportsStrictMode bool `json:"supportsStrictMode,omitempty"`
}

// Options are what only this protocol knows; see [ai.Options].Protocol. The zero
// value is right for most.
type Options struct {
	// Region names the region; empty means that of the environment.
	Region string
	// ThinkingDisplay is "summarized", the default, or "omitted".
	ThinkingDisplay string
	// NoInterleavedThinking keeps models that think by budget from thinking
	// between tool calls.
	NoInterleavedThinking bool
	// RequestMetadata goes into the vendor's log: at most 50 pairs, keys of up to
	// 64 and values of up to 256 characters.
	RequestMetadata map[string]string
}

func optionsOf(call *ai.Call) Options {
	o := wire.Options[Options](call)
	if o.ThinkingDisplay == "" {
		o.ThinkingDisplay = "summarized"
	}
	return o
}

// state is what a conversation keeps for one model.
type state struct {
	prefix    history.Prefix
	strictOff bool // the vendor refused the strict tools as too many or too large
}

// request is one call, encoded.
type request struct {
	call    *ai.Call
	opts    Options
	version version
	state   *state
	region  string
	strict  bool
	cache   string // the cache point; "" caches nothing
}

func newRequest(call *ai.Call, o Options, st *state, region string) (*request, error) {
	var c Compat
	if len(call.Model.Compat) > 0 {
		if err := json.Unmarshal(call.Model.Compat, &c); err != nil {
			return nil, ai.Errorf(ai.KindConfig, "compat of model %s: %w", call.Model.Ref(), err)
		}
	}
	r := &request{call: call, opts: o, version: versionOf(call.Model), state: st, region: region, strict: c.SupportsStrictMode && !st.strictOff}
	retention := call.Options.Cache
	if retention == "" && call.Env.Lookup("PI_CACHE_RETENTION") == "long" {
		retention = ai.CacheLong
	}
	nova := strings.Contains(strings.ToLower(call.Model.ID), "nova")
	if retention != ai.CacheNone && !nova && (r.version.caches() || call.Env.Lookup("AWS_BEDROCK_FORCE_CACHE") == "1") {
		r.cache = `{"cachePoint":{"type":"default"}}`
		if retention == ai.CacheLong {
			r.cache = `{"cachePoint":{"type":"default","ttl":"1h"}}`
		}
	}
	return r, checkMetadata(o.RequestMetadata)
}

func checkMetadata(m map[string]string) error {
	if len(m) > 50 {
		return ai.Errorf(ai.KindConfig, "request metadata has %d pairs, at most 50 are allowed", len(m))
	}
	for k, v := range m {
		if k == "" || len(k) > 64 || len(v) > 256 {
			return ai.Errorf(ai.KindConfig, "request metadata %q: keys have 1 to 64 and values up to 256 characters", k)
		}
	}
	return nil
}

// saysNothing reports whether an answer holds only reasoning that can not be sent
// back. Its place is then none: the turns around it are one.
func saysNothing(m ai.Message, e *encoder) bool {
	a, ok := m.(*ai.AssistantMessage)
	if !ok || slices.ContainsFunc(a.Content, func(b ai.Block) bool { return b.Type() != ai.BlockThinking }) {
		return false
	}
	var w wire.Elements
	for _, b := range a.Content {
		e.answerBlock(&w, b)
	}
	return !w.More
}

// body writes the request.
func (r *request) body() ([][]byte, error) {
	m := r.call.Model
	messages := ai.Transform(m, r.call.Messages, ai.TransformOptions{ToolCallID: ai.PlainIDs(64), UserFirst: true})
	messages = slices.DeleteFunc(messages, func(m ai.Message) bool {
		return saysNothing(m, &encoder{model: r.call.Model, claude: r.version.claude})
	})
	list := alternating(history.Turns(messages), messages)
	if len(list) == 0 {
		return nil, ai.Errorf(ai.KindBadRequest, "the conversation has nothing to send: add a message of the user")
	}
	head := wire.Elements{Dst: []byte{'{'}}
	if lead, ok := messages[0].(*ai.SystemMessage); ok {
		if text := lead.Text(); strings.TrimSpace(text) != "" {
			head.Next()
			head.Raw(`"system":[{"text":`)
			head.Str(text)
			head.Raw("}")
			if r.cache != "" {
				head.Raw("," + r.cache)
			}
			head.Raw("]")
		}
		if err := r.tools(&head, lead.ToolsAdded); err != nil {
			return nil, err
		}
	}
	maxTokens := r.thinking(&head)
	r.inference(&head, maxTokens)
	if len(r.opts.RequestMetadata) > 0 {
		head.Next()
		head.Raw(`"requestMetadata":{`)
		in := wire.Elements{Dst: head.Dst}
		for _, k := range slices.Sorted(maps.Keys(r.opts.RequestMetadata)) {
			in.Next()
			in.Str(k)
			in.Raw(":")
			in.Str(r.opts.RequestMetadata[k])
		}
		head.Dst = append(in.Dst, '}')
	}
	head.Next()
	head.Raw(`"messages":[`)
	e := &encoder{model: m, claude: r.version.claude}
	last := len(list) - 1
	old := r.state.prefix.Encode(wire.Settings(m, ""), list[:last], e.unit)
	tail := e.ending(nil, list[last], r.cache)
	if len(old) > 0 && len(tail) > 0 {
		tail = append([]byte{','}, tail...)
	}
	if e.err != nil {
		return nil, e.err
	}
	return [][]byte{head.Dst, old, append(tail, "]}"...)}, nil
}

func (r *request) tools(w *wire.Elements, tools []ai.Tool) error {
	choice := r.call.Options.ToolChoice
	if len(tools) == 0 || choice == ai.ToolChoiceNone {
		return nil
	}
	w.Next()
	w.Raw(`"toolConfig":{"tools":[`)
	in := wire.Elements{Dst: w.Dst}
	for i := range tools {
		t := &tools[i]
		schema, strict, err := r.schema(t)
		if err != nil {
			return err
		}
		in.Next()
		in.Raw(`{"toolSpec":{"name":`)
		in.Str(t.Name)
		if t.Description != "" {
			in.Raw(`,"description":`)
			in.Str(t.Description)
		}
		in.Raw(`,"inputSchema":{"json":`)
		in.Dst = append(in.Dst, schema...)
		in.Raw("}")
		if strict {
			in.Raw(`,"strict":true`)
		}
		in.Raw("}}")
	}
	w.Dst = in.Dst
	w.Raw("]")
	switch choice {
	case "":
	case ai.ToolChoiceAuto:
		w.Raw(`,"toolChoice":{"auto":{}}`)
	case ai.ToolChoiceRequired:
		w.Raw(`,"toolChoice":{"any":{}}`)
	default:
		w.Raw(`,"toolChoice":{"tool":{"name":`)
		w.Str(string(choice))
		w.Raw("}}")
	}
	w.Raw("}")
	return nil
}

func (r *request) schema(t *ai.Tool) (schema json.RawMessage, strict bool, err error) {
	if s := t.Sampling; s != nil && s.Type == ai.SamplingJSONSchema {
		converted, err := strictschema.Convert(t.Schema())
		if err == nil {
			err = claude.Samplable(converted)
		}
		switch {
		case r.strict && err == nil:
			return converted, true, nil
		case s.Strict == "require" && err != nil:
			return nil, false, ai.Errorf(ai.KindConfig, "tool %s must be strict, but its schema can not be: %w", t.Name, err)
		case s.Strict == "require":
			return nil, false, ai.Errorf(ai.KindConfig, "tool %s must be strict, but the model does not support that", t.Name)
		}
	}
	return t.Schema(), false, nil
}

// thinking writes what asks for thinking, which each family of models has in its
// own way, and gives the cap of the answer.
func (r *request) thinking(w *wire.Elements) (maxTokens int64) {
	m, level := r.call.Model, r.call.Options.Thinking
	maxTokens = r.call.Options.MaxTokens
	if !m.Reasoning || level == ai.ThinkingOff || level == "" {
		return maxTokens
	}
	extra := func(json string) {
		w.Next()
		w.Raw(`"additionalModelRequestFields":` + json)
	}
	quote := func(s string) string { return string(jsonobj.AppendString(nil, s)) }
	gov := strings.HasPrefix(r.region, "us-gov-")
	display := ""
	if !gov {
		display = `,"display":` + quote(r.opts.ThinkingDisplay)
	}
	switch {
	case r.version.adaptive():
		binding, betas := "", ""
		if r.version.binds() && !gov {
			binding = `,"block_binding":{"prefix_mismatch_behavior":"drop_block"}`
			betas = `,"anthropic_beta":["thinking-binding-controls-2026-08-01"]`
		}
		extra(`{"thinking":{"type":"adaptive"` + display + binding + `},"output_config":{"effort":` + quote(claude.Effort(m, level)) + `}` + betas + `}`)
	case r.version.claude:
		var budget int64
		if budget, maxTokens = claude.Budget(r.call); budget < claude.MinBudget {
			return maxTokens
		}
		betas := ""
		if !r.opts.NoInterleavedThinking {
			betas = `,"anthropic_beta":["interleaved-thinking-2025-05-14"]`
		}
		extra(`{"thinking":{"type":"enabled","budget_tokens":` + strconv.FormatInt(budget, 10) + display + `}` + betas + `}`)
	case strings.Contains(m.ID, "gpt-oss"):
		extra(`{"reasoning_effort":` + quote(gptEffort(level, true)) + `}`)
	case strings.Contains(m.ID, "gpt-"):
		word := gptEffort(level, false)
		if mapped := m.ThinkingLevels[level]; mapped != nil {
			word = *mapped
		}
		extra(`{"reasoning":{"effort":` + quote(word) + `}}`)
	}
	return maxTokens
}

func gptEffort(level ai.ThinkingLevel, capped bool) string {
	switch level {
	case ai.ThinkingMinimal:
		return "low"
	case ai.ThinkingXHigh, ai.ThinkingMax:
		if capped {
			return "high"
		}
	}
	return string(level)
}

// inference writes the cap and the temperature.
func (r *request) inference(w *wire.Elements, maxTokens int64) {
	t := r.call.Options.Temperature
	thinks := r.version.claude && r.call.Model.Reasoning && r.call.Options.Thinking != ai.ThinkingOff && r.call.Options.Thinking != ""
	if thinks {
		t = nil // the vendor refuses it together with thinking
	}
	if maxTokens <= 0 && t == nil {
		return
	}
	w.Next()
	w.Raw(`"inferenceConfig":{`)
	in := wire.Elements{Dst: w.Dst}
	if maxTokens > 0 {
		in.Next()
		in.Raw(`"maxTokens":` + strconv.FormatInt(maxTokens, 10))
	}
	if t != nil {
		in.Next()
		in.Raw(`"temperature":`)
		in.Dst = jsonobj.AppendFloat(in.Dst, *t)
	}
	w.Dst = append(in.Dst, '}')
}
