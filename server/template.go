package server

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/pi-go/pi/agentcore/session"
	"github.com/pi-go/pi/ai"
	"github.com/pi-go/pi/codingagent"
	"github.com/pi-go/pi/codingagent/models"
)

// OpenRequest says which session a client wants. All but Dir may be left out.
type OpenRequest struct {
	// Dir is the working directory, absolute.
	Dir string `json:"dir"`
	// Model is PROVIDER/ID, an id or a part of one, with an optional :LEVEL.
	Model string `json:"model,omitempty"`
	// ThinkingLevel is clamped to the model.
	ThinkingLevel ai.ThinkingLevel `json:"thinkingLevel,omitempty"`
	// Name names the session.
	Name string `json:"name,omitempty"`
	// Session is the id of a saved session of this directory, or the beginning
	// of one, to go on with; "" begins a new one.
	Session string `json:"session,omitempty"`
	// InMemory keeps a new session nowhere.
	InMemory bool `json:"inMemory,omitempty"`
	// Tools are the tools to offer; nil means the default ones.
	Tools []string `json:"tools,omitempty"`
}

// Template makes sessions that are alike but for what a client asks for. Its
// Open method is a [Config].Open.
type Template struct {
	// Options are those of every session. Models is required; Dir, Session
	// and Name come from the client, Model, Thinking and Tools are used where
	// it names none. Give all sessions one FileQueue.
	Options codingagent.Options
	// Default gives the model for clients that name none; nil means
	// Options.Model.
	Default func(ctx context.Context) (*ai.Model, error)
	// Repo says where the sessions of a directory are kept; nil keeps them in
	// memory.
	Repo func(dir string) session.Repo
}

// Open makes a session, or opens a saved one.
func (t Template) Open(ctx context.Context, r OpenRequest) (*codingagent.AgentSession, error) {
	if err := r.check(); err != nil {
		return nil, err
	}
	choice := models.Choice{Thinking: t.Options.Thinking}
	if r.Model != "" {
		var err error
		catalog := (&models.Runtime{Models: t.Options.Models}).Catalog(ctx)
		if choice, err = catalog.Resolve(r.Model, ""); err != nil {
			return nil, err
		}
	}
	if r.ThinkingLevel != "" {
		choice.Thinking = r.ThinkingLevel
	}
	conversation, err := t.conversation(ctx, r)
	if err != nil {
		return nil, err
	}
	o := t.Options
	o.Dir, o.Name, o.Thinking, o.Model = r.Dir, r.Name, choice.Thinking, choice.Model
	taken := false
	o.Session = func(context.Context, session.Header, session.Options) (*session.Session, error) {
		taken = true
		return conversation, nil
	}
	if r.Tools != nil {
		o.Tools.Allow = r.Tools
	}
	if o.Model == nil {
		if o.Model, err = t.model(ctx, conversation); err != nil {
			return nil, errors.Join(err, conversation.Close())
		}
	}
	s, err := codingagent.NewSession(ctx, o)
	if err != nil && !taken { // else it was closed there
		err = errors.Join(err, conversation.Close())
	}
	return s, err
}

// check finds what can not work.
func (r OpenRequest) check() error {
	switch {
	case r.Dir == "":
		return errors.New("dir is missing: name the directory to work in")
	case strings.ContainsRune(r.Dir, 0) || !filepath.IsAbs(r.Dir):
		return fmt.Errorf("dir is %.200q; it must be an absolute path", r.Dir)
	case r.Session != "" && r.InMemory:
		return errors.New("session and inMemory do not go together: a saved session stays saved")
	}
	if level := r.ThinkingLevel; level != "" && !known(level) {
		return fmt.Errorf("thinkingLevel is %.40q; it may be one of %v", string(level), ai.ThinkingLevels())
	}
	info, err := os.Stat(r.Dir)
	if err != nil {
		return fmt.Errorf("dir: %w", err)
	}
	if !info.IsDir() {
		return fmt.Errorf("dir: %s is no directory", r.Dir)
	}
	return nil
}

func known(level ai.ThinkingLevel) bool {
	for _, l := range ai.ThinkingLevels() {
		if l == level {
			return true
		}
	}
	return false
}

// conversation makes or opens what the session works on.
func (t Template) conversation(ctx context.Context, r OpenRequest) (*session.Session, error) {
	var repo session.Repo = session.NewMemory()
	if t.Repo != nil && !r.InMemory {
		repo = t.Repo(r.Dir)
	}
	o := session.Options{Codec: codingagent.Codec()}
	if r.Session == "" {
		return session.Create(ctx, repo, session.Header{Cwd: r.Dir}, o)
	}
	if strings.ContainsAny(r.Session, `/\`) {
		return nil, fmt.Errorf("session is %.200q; it is an id, not a path", r.Session)
	}
	s, err := session.Open(ctx, repo, r.Session, o)
	if err != nil {
		return nil, fmt.Errorf("open session %.80q: %w", r.Session, err)
	}
	return s, nil
}

// model is the one to go on with when the client names none: the session's if
// it is known, else the default.
func (t Template) model(ctx context.Context, s *session.Session) (*ai.Model, error) {
	have, err := s.Restore(ctx, func(ref session.ModelRef) bool { return t.Options.ModelRuntime.IsVirtual(ref.Provider, ref.ModelID) })
	if err != nil {
		return nil, fmt.Errorf("read session: %w", err)
	}
	if have.Model != nil {
		if m, err := t.Options.Models.Model(have.Model.Provider, have.Model.ModelID); err == nil {
			return m, nil
		}
	}
	m := t.Options.Model
	if t.Default != nil {
		if m, err = t.Default(ctx); err != nil {
			return nil, err
		}
	}
	if m == nil {
		return nil, errors.New("model is missing, and there is no default: name one")
	}
	return m, nil
}
