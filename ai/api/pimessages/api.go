package pimessages

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/pi-go/pi/ai"
	"github.com/pi-go/pi/ai/internal/history"
	"github.com/pi-go/pi/ai/internal/openai"
	"github.com/pi-go/pi/ai/internal/sse"
	"github.com/pi-go/pi/ai/internal/wire"
	"github.com/pi-go/pi/ai/jsonobj"
)

// ID is the name of the protocol.
const ID = "pi-messages"

// Options are what only this protocol has; see [ai.Options].Protocol.
type Options struct {
	// Debug asks the gateway to say more in its answer.
	Debug bool
}

// New gives the protocol. It holds no state and may be shared.
func New() ai.API { return api{} }

type api struct{}

func (api) ID() string { return ID }

// state is what a conversation keeps.
type state struct{ messages history.Prefix }

func (api) Stream(ctx context.Context, call *ai.Call, out *ai.Emitter) error {
	st, release := wire.State[state](call)
	defer release()
	url, err := wire.Endpoint(call, "/messages")
	if err != nil {
		return err
	}
	if wire.Options[Options](call).Debug {
		url += "?debug=1"
	}
	body, err := newBody(call, st)
	if err != nil {
		return err
	}
	d := &decoder{out: out, msg: out.Message(), call: call}
	d.msg.Usage.Unknown = true
	err = wire.Stream(ctx, out, &wire.Request{Call: call, URL: url, Auth: wire.Bearer(call), Body: body},
		func(f sse.Frame) (bool, error) { return d.frame(f.Data) })
	if err != nil || d.ended {
		return err
	}
	return ai.Errorf(ai.KindCutStream, "the gateway's stream ended without a done or error event")
}

// newBody writes the request: the conversation, and options as they were given.
func newBody(call *ai.Call, st *state) ([][]byte, error) {
	o := &call.Options
	var opts openai.Params
	if o.Temperature != nil {
		opts.Set("temperature", jsonobj.AppendFloat(nil, *o.Temperature))
	}
	// The gateway knows the model behind it and fits the cap itself; one that
	// the caller did not choose is left to it.
	if o.MaxTokens > 0 && o.MaxTokens != call.FitMaxTokens(0) {
		opts.SetJSON("maxTokens", o.MaxTokens)
	}
	if o.Thinking != "" && o.Thinking != ai.ThinkingOff {
		opts.SetString("reasoning", string(o.Thinking))
	}
	if o.Cache != "" {
		opts.SetString("cacheRetention", string(o.Cache))
	}
	if call.SessionID != "" {
		opts.SetString("sessionId", call.SessionID)
	}
	switch o.ToolChoice {
	case "":
	case ai.ToolChoiceAuto, ai.ToolChoiceNone, ai.ToolChoiceRequired:
		opts.SetString("toolChoice", string(o.ToolChoice))
	default:
		return nil, ai.Errorf(ai.KindConfig, "this gateway takes the tool choices auto, none and required, not %q", o.ToolChoice)
	}
	options := opts.AppendTo([]byte{'{'})
	if last := len(options) - 1; options[last] == ',' {
		options = options[:last]
	}
	head := jsonobj.AppendString([]byte(`{"model":`), call.Model.ID)
	head = append(head, `,"options":`...)
	head = append(head, options...)
	head = append(head, `},"context":{"messages":[`...)
	units := make([]history.Unit, len(call.Messages))
	for i := range call.Messages {
		units[i] = history.Unit{At: i, Messages: call.Messages[i : i+1 : i+1]}
	}
	var odd error
	old := st.messages.Encode(wire.Settings(call.Model, call.BaseURL), units, func(dst []byte, u history.Unit) []byte {
		m, err := plain(u.Messages[0])
		if err != nil {
			odd = err
			return dst
		}
		return m.AppendJSON(dst)
	})
	if odd != nil {
		st.messages = history.Prefix{}
		return nil, odd
	}
	return [][]byte{head, old, []byte(`]}}`)}, nil
}

// plain is a message without what no model needs. It is an error when it could
// not be written as JSON.
func plain(m ai.Message) (ai.Message, error) {
	switch m := m.(type) {
	case *ai.SystemMessage:
		c := *m
		c.Extra = nil
		c.ToolsAdded = make([]ai.Tool, len(m.ToolsAdded))
		for i, tool := range m.ToolsAdded {
			if !json.Valid(tool.Schema()) {
				return nil, ai.Errorf(ai.KindConfig, "the parameters of tool %q are not JSON", tool.Name)
			}
			tool.Extra = nil
			c.ToolsAdded[i] = tool
		}
		return &c, nil
	case *ai.UserMessage:
		c := *m
		c.Content, c.Extra = plainBlocks(m.Content), nil
		return &c, nil
	case *ai.AssistantMessage:
		c := *m
		c.Content, c.Extra = plainBlocks(m.Content), nil
		c.Diagnostics, c.Deferred, c.Usage.Extra = nil, nil, nil
		c.DurationMS, c.EndTurn = nil, nil
		return &c, nil
	case *ai.ToolResultMessage:
		c := *m
		c.Content, c.Extra = plainBlocks(m.Content), nil
		c.Details, c.NestedCalls, c.Usage, c.DurationMS = nil, nil, nil, nil
		return &c, nil
	}
	return nil, fmt.Errorf("a message of role %s can not be sent", m.Role())
}

func plainBlocks(blocks []ai.Block) []ai.Block {
	out := make([]ai.Block, 0, len(blocks))
	for _, b := range blocks {
		switch b := b.(type) {
		case *ai.Text:
			c := *b
			c.Extra = nil
			out = append(out, &c)
		case *ai.Thinking:
			c := *b
			c.Extra = nil
			out = append(out, &c)
		case *ai.Image:
			c := *b
			c.Extra = nil
			out = append(out, &c)
		case *ai.ToolCall:
			c := *b
			c.Extra = nil
			if args := c.Arguments; len(args) == 0 || args[0] != '{' || !json.Valid(args) {
				c.Arguments = json.RawMessage("{}") // the gateway takes an object only
			}
			out = append(out, &c)
		}
	}
	return out
}
