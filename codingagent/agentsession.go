package codingagent

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/pi-go/pi/agentcore"
	"github.com/pi-go/pi/agentcore/compaction"
	"github.com/pi-go/pi/agentcore/execenv"
	"github.com/pi-go/pi/agentcore/harness"
	"github.com/pi-go/pi/agentcore/session"
	"github.com/pi-go/pi/ai"
	"github.com/pi-go/pi/codingagent/extension"
	"github.com/pi-go/pi/codingagent/manual"
	"github.com/pi-go/pi/codingagent/models"
	"github.com/pi-go/pi/codingagent/resource"
	"github.com/pi-go/pi/codingagent/tools"
	"github.com/pi-go/pi/codingagent/tools/picture"
)

// AgentSession is the coding agent at work on one conversation. It is a
// [harness.Harness] with what the product adds: the tools, the prompt and the
// instruction files of the directory.
//
// All methods may be called from any goroutine. Close it.
type AgentSession struct {
	opts    Options
	env     execenv.Env
	harness *harness.Harness
	router  *router
	warm    warmer
	scope   atomic.Pointer[[]models.Choice]
	shape   atomic.Pointer[shape]
	shaping sync.Mutex // of changes of the shape
	running running
	front   atomic.Pointer[Front]
	control atomic.Pointer[Runtime] // that can replace the session, if any
	lent    lentProviders
	start   sync.Once
	begun   atomic.Bool // extensions have been told of the beginning

	// commands are those of the person that run; closing ends them.
	commands sync.WaitGroup
	closing  context.Context
	close    context.CancelFunc
}

// NewSession opens the conversation that o.Session names and sets the agent
// up on it.
func NewSession(ctx context.Context, o Options) (*AgentSession, error) {
	s, err := newSession(ctx, o)
	if err == nil {
		s.extensions().Bind(&host{s})
	}
	return s, err
}

// newSession is NewSession, but extensions can not act yet.
func newSession(ctx context.Context, o Options) (_ *AgentSession, err error) {
	if err := o.check(); err != nil {
		return nil, err
	}
	if err := o.defaults(ctx); err != nil {
		return nil, err
	}
	conversation, err := o.Session(ctx, session.Header{Cwd: o.Dir}, session.Options{Codec: Codec()})
	if err != nil {
		return nil, err
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, conversation.Close())
		}
	}()
	s := &AgentSession{opts: o, env: o.Env.WithMount(manual.Scheme, manual.Files())}
	s.closing, s.close = context.WithCancel(context.Background())
	s.front.Store(&o.Front)
	shape, err := s.read(ctx, *o.Settings, conversation)
	if err != nil {
		return nil, err
	}
	s.shape.Store(shape)
	level, err := s.initialThinking(ctx, conversation)
	if err != nil {
		return nil, err
	}
	loop := o.Loop
	loop.Options = ai.Options{APIKey: o.APIKey}
	config := harness.Config{
		Session: conversation, Loop: loop, Env: &s.env, Model: o.Model, Thinking: level, Tools: coreTools(shape.tools), System: s.system,
		Retry: retryPolicy(o.Settings), Compaction: s.compaction, Policy: compaction.Policy{Files: touchedFiles},
		SteeringMode: o.Settings.SteeringMode, FollowUpMode: o.Settings.FollowUpMode,
	}
	s.scope.Store(&o.ScopedModels)
	s.router = &router{s: s, runtime: o.ModelRuntime}
	s.router.wire(&config)
	if len(o.Extensions) > 0 {
		s.hookLoop(&config.Loop)
		config.Hooks = s.hooks()
	}
	if s.harness, err = harness.New(ctx, config); err != nil {
		return nil, err
	}
	if len(o.Extensions) > 0 {
		s.Subscribe(s.hear) // before all others
	}
	s.router.answered = s.router.previous(s.State().Messages)
	s.Subscribe(s.router.hear)
	s.warm.s = s
	s.Subscribe(s.warm.hear)
	if o.Name != "" {
		if err := s.harness.SetName(ctx, o.Name); err != nil {
			return nil, err
		}
	}
	return s, nil
}

// sessionEnv tells commands about the session they run in.
func (s *AgentSession) sessionEnv(conversation *session.Session) func() []string {
	return func() []string {
		env := []string{"PI_SESSION_ID=" + conversation.ID()}
		if path := conversation.Path(); path != "" {
			env = append(env, "PI_SESSION_FILE="+path)
		}
		if h := s.harness; h != nil {
			if m := h.Model(); m != nil {
				env = append(env, "PI_PROVIDER="+m.Provider, "PI_MODEL="+m.ID)
			}
			env = append(env, "PI_REASONING_LEVEL="+string(h.Thinking()))
		}
		return env
	}
}

// modelFacts tells tools which images the model takes.
func (s *AgentSession) modelFacts() tools.ModelFacts {
	m := s.LimitsModel()
	if m == nil {
		return tools.ModelFacts{}
	}
	facts := tools.ModelFacts{ID: m.ID, TextOnly: !m.Accepts("image")}
	if l := m.InputLimits; l != nil && l.Images != nil && l.Images.Resize != nil {
		r := l.Images.Resize
		facts.Images = picture.Limits{Width: r.MaxWidth, Height: r.MaxHeight, Bytes: int(r.MaxBytes), Quality: r.JPEGQuality}
	}
	return facts
}

func coreTools(list []tools.Definition) []*agentcore.Tool {
	out := make([]*agentcore.Tool, len(list))
	for i, d := range list {
		out[i] = d.Tool
	}
	return out
}

func firstLine(s string) string {
	line, _, _ := strings.Cut(s, "\n")
	return line
}

// initialThinking is the level to begin with: the one asked for, else the
// session's last, else the model's own, else the default.
func (s *AgentSession) initialThinking(ctx context.Context, conversation *session.Session) (ai.ThinkingLevel, error) {
	if s.opts.Thinking != "" || s.opts.Model == nil {
		return s.opts.Thinking, nil
	}
	have, err := conversation.Restore(ctx, s.opts.virtual)
	if err != nil {
		return "", fmt.Errorf("read session: %w", err)
	}
	if have.Thinking != "" {
		return have.Thinking, nil
	}
	if l, ok := s.opts.Settings.ModelThinkingLevels[s.opts.Model.Ref()]; ok {
		return l, nil
	}
	return s.opts.Settings.DefaultThinkingLevel, nil
}

// Harness gives the run controller, for what this type does not repeat.
func (s *AgentSession) Harness() *harness.Harness { return s.harness }

// Compact sums up the older part of the conversation; focus, if not empty,
// says what matters above all. It aborts what is under way first.
func (s *AgentSession) Compact(ctx context.Context, focus string) (harness.CompactionResult, error) {
	return s.harness.Compact(ctx, focus)
}

// Navigate goes on from another entry of the conversation's tree.
func (s *AgentSession) Navigate(ctx context.Context, entry string, o harness.NavigateOptions) (harness.NavigateResult, error) {
	return s.harness.Navigate(ctx, entry, o)
}

// Abort stops what is under way and waits until it has settled. A handler of an
// extension that does not stop is left behind after some seconds.
func (s *AgentSession) Abort(ctx context.Context) error {
	defer s.extensions().Hurry()()
	return s.harness.Abort(ctx)
}

// WaitIdle waits until nothing is under way.
func (s *AgentSession) WaitIdle(ctx context.Context) error { return s.harness.WaitIdle(ctx) }

// Busy reports whether a prompt is under way.
func (s *AgentSession) Busy() bool { return s.harness.Busy() }

// Subscribe adds a listener for the events of [agentcore] and [harness]; the
// returned function removes it. An error of a listener ends the run.
func (s *AgentSession) Subscribe(l agentcore.Listener) (unsubscribe func()) {
	return s.harness.Subscribe(l)
}

// SetThinking chooses the thinking level of the next request.
func (s *AgentSession) SetThinking(ctx context.Context, l ai.ThinkingLevel) error {
	before := s.Thinking()
	if err := s.harness.SetThinking(ctx, l); err != nil {
		return err
	}
	if now := s.Thinking(); now != before {
		s.extensions().ThinkingSelected(ctx, extension.ThinkingLevelSelect{Level: now, Previous: before})
	}
	return nil
}

// Models gives the models the session can use.
func (s *AgentSession) Models() *ai.Models { return s.opts.Models }

// Model gives the model of the next request.
func (s *AgentSession) Model() *ai.Model { return s.harness.Model() }

// Thinking gives the thinking level of the next request.
func (s *AgentSession) Thinking() ai.ThinkingLevel { return s.harness.Thinking() }

// State gives transcript, queues and the answer in the making.
func (s *AgentSession) State() agentcore.State { return s.harness.Agent() }

// Header gives the header of the conversation.
func (s *AgentSession) Header() session.Header { return s.harness.Session().Header() }

// Dir is the directory the session works in; mostly it is the one in the header.
func (s *AgentSession) Dir() string { return s.env.Dir }

// ID is the id of the conversation.
func (s *AgentSession) ID() string { return s.harness.Session().ID() }

// File is the path of the conversation's file, which may not be there yet; ""
// when it is not kept in a file.
func (s *AgentSession) File() string { return s.harness.Session().Path() }

// Session gives the conversation for reading.
func (s *AgentSession) Session() *session.Session { return s.harness.Session() }

// Diagnostics lists what was wrong with files that shape the session and was
// worked around.
func (s *AgentSession) Diagnostics() []resource.Diagnostic { return s.shape.Load().notes }

// Close aborts what is under way, writes everything to disk and frees what
// the session holds.
func (s *AgentSession) Close(ctx context.Context) error {
	s.close()
	s.commands.Wait() // they still have their results to keep
	defer s.extensions().Hurry()()
	s.warm.close()
	err := s.harness.Abort(ctx)
	s.shutdown(ctx, extension.SessionShutdown{Reason: extension.Quit})
	return errors.Join(err, s.harness.Close(ctx))
}
