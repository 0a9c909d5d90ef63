package rpc

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"sync"

	"github.com/pi-go/pi/agentcore"
	"github.com/pi-go/pi/agentcore/harness"
	"github.com/pi-go/pi/ai"
	"github.com/pi-go/pi/codingagent"
	"github.com/pi-go/pi/codingagent/extension"
)

// handler answers one command, now or later.
type handler func(s *Server, c command)

// now makes a handler that answers at once.
func now(f func(ctx context.Context, s *Server, c command) (any, error)) handler {
	return func(s *Server, c command) { s.answer(c, f) }
}

// later makes a handler that answers when it is done, beside other commands.
func later(f func(ctx context.Context, s *Server, c command) (any, error)) handler {
	return func(s *Server, c command) { s.background(func() { s.answer(c, f) }) }
}

// taking makes a handler that the commands behind it wait for, unless a person is
// asked something meanwhile.
func taking(f func(ctx context.Context, s *Server, c command) (any, error)) handler {
	return func(s *Server, c command) { s.backgroundUntil(func(func()) { s.answer(c, f) }) }
}

func (s *Server) answer(c command, f func(ctx context.Context, s *Server, c command) (any, error)) {
	data, err := f(s.ctx, s, c)
	if err != nil {
		s.fail(c, err)
		return
	}
	s.Runtime.Session().Harness().Delivered() // what it caused comes first
	s.reply(c, data)
}

// handlers are the commands by name.
var handlers = sync.OnceValue(func() map[string]handler {
	return map[string]handler{
		"prompt": (*Server).prompt, "bash": (*Server).bash, "abort_bash": (*Server).abortBash,
		"steer": taking(steer), "follow_up": taking(followUp), "clear_queue": now(clearQueue),
		"abort": later(abort), "abort_retry": now(abortRetry), "abort_compaction": now(abortCompaction),
		"new_session": taking(newSession), "switch_session": taking(switchSession), "fork": taking(fork), "clone": taking(clone),
		"get_state": now(getState), "get_messages": now(getMessages),
		"set_model": now(setModel), "cycle_model": now(cycleModel), "get_available_models": now(availableModels),
		"set_thinking_level": now(setThinking), "cycle_thinking_level": now(cycleThinking), "get_available_thinking_levels": now(thinkingLevels),
		"set_steering_mode": now(steeringMode), "set_follow_up_mode": now(followUpMode),
		"compact": (*Server).compact, "set_auto_compaction": now(autoCompaction), "set_auto_retry": now(autoRetry),
		"get_session_stats": now(sessionStats), "export_html": now(exportHTML),
		"get_fork_messages": now(forkMessages), "get_entries": now(getEntries), "get_tree": now(getTree),
		"get_last_assistant_text": now(lastText), "set_session_name": now(setName), "get_commands": now(getCommands),
		// Further ones than the reference has.
		"navigate_tree": later(navigateTree), "set_label": now(setLabel), "list_sessions": later(listSessions),
	}
})

// message makes the prompt of a steer or follow_up command.
func message(c command) (codingagent.Prompt, error) {
	text, err := need("message", c.Message)
	if err != nil {
		return codingagent.Prompt{}, err
	}
	images, err := c.images()
	p := codingagent.Prompt{Text: text, Images: images, Source: extension.FromRPC}
	if err == nil && p.Empty() {
		err = errors.New("the message is empty")
	}
	return p, err
}

func steer(ctx context.Context, s *Server, c command) (any, error) {
	return s.queue(ctx, c, harness.DeliverSteer)
}

func followUp(ctx context.Context, s *Server, c command) (any, error) {
	return s.queue(ctx, c, harness.DeliverFollowUp)
}

func (s *Server) queue(ctx context.Context, c command, d harness.Delivery) (any, error) {
	p, err := message(c)
	if err != nil {
		return nil, err
	}
	handled, err := s.Runtime.Session().Queue(ctx, p, d)
	disposition := "queued"
	if handled {
		disposition = "handled"
	}
	return map[string]string{"disposition": disposition}, err
}

func clearQueue(ctx context.Context, s *Server, _ command) (any, error) {
	steering, followUp := s.Runtime.Session().Harness().ClearQueue(ctx)
	texts := func(list []agentcore.Message) []string {
		out := []string{}
		for _, m := range list {
			if u, ok := m.(*ai.UserMessage); ok {
				out = append(out, ai.TextOf(u.Content, "\n"))
			}
		}
		return out
	}
	return map[string][]string{"steering": texts(steering), "followUp": texts(followUp)}, nil
}

func abort(ctx context.Context, s *Server, _ command) (any, error) {
	return nil, s.Runtime.Session().Abort(ctx)
}

func abortRetry(_ context.Context, s *Server, _ command) (any, error) {
	s.Runtime.Session().Harness().AbortRetry()
	return nil, nil
}

func abortCompaction(_ context.Context, s *Server, _ command) (any, error) {
	s.Runtime.Session().Harness().AbortCompaction()
	return nil, nil
}

// outcome tells whether an extension kept the session as it is.
func outcome(err error) (any, error) {
	cancelled := errors.Is(err, codingagent.ErrCancelled)
	if cancelled {
		err = nil
	}
	return map[string]bool{"cancelled": cancelled}, err
}

func newSession(ctx context.Context, s *Server, c command) (any, error) {
	return outcome(s.Runtime.New(ctx, c.ParentSession))
}

func switchSession(ctx context.Context, s *Server, c command) (any, error) {
	path, err := need("sessionPath", c.SessionPath)
	if err != nil {
		return nil, err
	}
	return outcome(s.Runtime.Open(ctx, path))
}

func fork(ctx context.Context, s *Server, c command) (any, error) {
	id, err := need("entryId", c.EntryID)
	if err != nil {
		return nil, err
	}
	text, err := s.Runtime.Fork(ctx, id)
	if errors.Is(err, codingagent.ErrCancelled) {
		return outcome(err)
	}
	return map[string]any{"text": text, "cancelled": false}, err
}

func clone(ctx context.Context, s *Server, _ command) (any, error) {
	return outcome(s.Runtime.Clone(ctx))
}

// State is the answer of get_state.
type State struct {
	Model                 *ai.Model           `json:"model,omitempty"`
	ThinkingLevel         ai.ThinkingLevel    `json:"thinkingLevel"`
	IsStreaming           bool                `json:"isStreaming"`
	IsCompacting          bool                `json:"isCompacting"`
	SteeringMode          agentcore.QueueMode `json:"steeringMode"`
	FollowUpMode          agentcore.QueueMode `json:"followUpMode"`
	SessionFile           string              `json:"sessionFile,omitempty"`
	SessionID             string              `json:"sessionId"`
	SessionName           string              `json:"sessionName,omitempty"`
	AutoCompactionEnabled bool                `json:"autoCompactionEnabled"`
	MessageCount          int                 `json:"messageCount"`
	PendingMessageCount   int                 `json:"pendingMessageCount"`
}

func getState(ctx context.Context, s *Server, _ command) (any, error) {
	a := s.Runtime.Session()
	st, h := a.State(), a.Harness()
	name, err := a.Session().Name(ctx)
	if err != nil {
		return nil, err
	}
	return State{
		Model: a.Model(), ThinkingLevel: a.Thinking(), IsStreaming: h.Running(), IsCompacting: h.Compacting(),
		SteeringMode: st.SteeringMode, FollowUpMode: st.FollowUpMode, SessionFile: a.File(), SessionID: a.ID(), SessionName: name,
		AutoCompactionEnabled: h.AutoCompaction(), MessageCount: len(st.Messages), PendingMessageCount: len(st.Steering) + len(st.FollowUp),
	}, nil
}

func getMessages(_ context.Context, s *Server, _ command) (any, error) {
	list := []json.RawMessage{}
	for _, m := range s.Runtime.Session().State().Messages {
		text, err := AppendMessage(nil, m)
		if err != nil {
			return nil, err
		}
		list = append(list, text)
	}
	return map[string]any{"messages": list}, nil
}

func setModel(ctx context.Context, s *Server, c command) (any, error) {
	provider, err := need("provider", c.Provider)
	if err != nil {
		return nil, err
	}
	id, err := need("modelId", c.ModelID)
	if err != nil {
		return nil, err
	}
	a := s.Runtime.Session()
	m, err := a.Models().Model(provider, id)
	if err != nil {
		return nil, err
	}
	return m, a.SetModel(ctx, m)
}

func cycleModel(ctx context.Context, s *Server, _ command) (any, error) {
	c, scoped, err := s.Runtime.Session().CycleModel(ctx, false, s.models(ctx))
	if errors.Is(err, codingagent.ErrNoOtherModel) {
		return json.RawMessage("null"), nil
	}
	if err != nil {
		return nil, err
	}
	return map[string]any{"model": c.Model, "thinkingLevel": c.Thinking, "isScoped": scoped}, nil
}

func (s *Server) models(ctx context.Context) []*ai.Model {
	if s.Models != nil {
		return s.Models(ctx)
	}
	return s.Runtime.Session().Models().Available(ctx)
}

func availableModels(ctx context.Context, s *Server, _ command) (any, error) {
	list := s.models(ctx)
	if list == nil {
		list = []*ai.Model{}
	}
	return map[string]any{"models": list}, nil
}

func setThinking(ctx context.Context, s *Server, c command) (any, error) {
	var names []string
	for _, l := range ai.ThinkingLevels() {
		names = append(names, string(l))
	}
	level, err := needOf("level", c.Level, names...)
	if err != nil {
		return nil, err
	}
	return nil, s.Runtime.Session().SetThinking(ctx, ai.ThinkingLevel(level))
}

func cycleThinking(ctx context.Context, s *Server, _ command) (any, error) {
	a := s.Runtime.Session()
	levels := levelsOf(a)
	if len(levels) < 2 {
		return json.RawMessage("null"), nil
	}
	next := levels[(slices.Index(levels, a.Thinking())+1)%len(levels)]
	return map[string]ai.ThinkingLevel{"level": next}, a.SetThinking(ctx, next)
}

func levelsOf(a *codingagent.AgentSession) []ai.ThinkingLevel {
	if m := a.Model(); m != nil {
		return m.SupportedThinking()
	}
	return []ai.ThinkingLevel{ai.ThinkingOff}
}

func thinkingLevels(_ context.Context, s *Server, _ command) (any, error) {
	return map[string]any{"levels": levelsOf(s.Runtime.Session())}, nil
}

func queueMode(c command) (agentcore.QueueMode, error) {
	mode, err := needOf("mode", c.Mode, string(agentcore.QueueAll), string(agentcore.QueueOneAtATime))
	return agentcore.QueueMode(mode), err
}

func steeringMode(ctx context.Context, s *Server, c command) (any, error) {
	mode, err := queueMode(c)
	if err != nil {
		return nil, err
	}
	s.Runtime.Session().Harness().SetSteeringMode(mode)
	return nil, s.save(ctx, "steeringMode", mode)
}

func followUpMode(ctx context.Context, s *Server, c command) (any, error) {
	mode, err := queueMode(c)
	if err != nil {
		return nil, err
	}
	s.Runtime.Session().Harness().SetFollowUpMode(mode)
	return nil, s.save(ctx, "followUpMode", mode)
}

func (s *Server) save(ctx context.Context, key string, value any) error {
	if s.Save == nil {
		return nil
	}
	return s.Save(ctx, key, value)
}

func enabled(c command) (bool, error) {
	if c.Enabled == nil {
		return false, errors.New(`field "enabled" is missing`)
	}
	return *c.Enabled, nil
}

func autoCompaction(ctx context.Context, s *Server, c command) (any, error) {
	on, err := enabled(c)
	if err != nil {
		return nil, err
	}
	s.Runtime.Session().Harness().SetAutoCompaction(on)
	return nil, s.save(ctx, "compaction.enabled", on)
}

func autoRetry(ctx context.Context, s *Server, c command) (any, error) {
	on, err := enabled(c)
	if err != nil {
		return nil, err
	}
	s.Runtime.Session().Harness().SetAutoRetry(on)
	return nil, s.save(ctx, "retry.enabled", on)
}
