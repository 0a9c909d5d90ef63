package codingagent

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/pi-go/pi/agentcore"
	"github.com/pi-go/pi/agentcore/session"
	"github.com/pi-go/pi/ai"
	"github.com/pi-go/pi/codingagent/extension"
)

// Runtime owns the current session of a program and replaces it whole: by a
// new one, another one, or a copy. Listeners stay. Only one replacement runs
// at a time; it stops what the old session has under way.
type Runtime struct {
	replacing sync.Mutex

	mu        sync.Mutex
	repo      session.Repo
	options   Options // of the next session
	current   *AgentSession
	listeners []*runtimeListener
	detach    func()
}

type runtimeListener struct{ f agentcore.Listener }

// NewRuntime opens the first session. repo is where further ones are made and
// found.
func NewRuntime(ctx context.Context, o Options, repo session.Repo) (*Runtime, error) {
	s, err := NewSession(ctx, o)
	if err != nil {
		return nil, err
	}
	r := &Runtime{repo: repo, options: o}
	r.options.Name = ""
	r.adopt(s)
	return r, nil
}

// Session gives the current session.
func (r *Runtime) Session() *AgentSession {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.current
}

// Repo gives where the sessions are kept.
func (r *Runtime) Repo() session.Repo {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.repo
}

// Subscribe adds a listener for the events of the current session and of all
// that follow it.
func (r *Runtime) Subscribe(l agentcore.Listener) (unsubscribe func()) {
	s := &runtimeListener{l}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.listeners = append(slices.Clip(r.listeners), s)
	return func() {
		r.mu.Lock()
		defer r.mu.Unlock()
		r.listeners = slices.DeleteFunc(slices.Clone(r.listeners), func(o *runtimeListener) bool { return o == s })
	}
}

func (r *Runtime) adopt(s *AgentSession) {
	s.control.Store(r)
	r.mu.Lock()
	defer r.mu.Unlock()
	r.current = s
	r.detach = s.Subscribe(r.hear)
}

func (r *Runtime) hear(ctx context.Context, ev agentcore.Event) error {
	r.mu.Lock()
	listeners := r.listeners
	r.mu.Unlock()
	var errs []error
	for _, l := range listeners {
		errs = append(errs, l.f(ctx, ev))
	}
	return errors.Join(errs...)
}

// ErrCancelled says that an extension kept the session from being replaced.
var ErrCancelled = errors.New("an extension kept the session as it is")

// Attach tells the current session, and those that follow, of the program they
// run in; see [AgentSession.Attach].
func (r *Runtime) Attach(f Front) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.options.Front = f
	r.current.Attach(f)
}

// Start tells extensions that the current session begins; see
// [AgentSession.Start]. Sessions that follow are started by the runtime.
func (r *Runtime) Start(ctx context.Context) { r.Session().Start(ctx) }

// New replaces the session by a new one. parent, if not empty, is recorded as
// where it came from. The model and the thinking level stay. The error is
// [ErrCancelled] when an extension does not want it, as for all replacements.
func (r *Runtime) New(ctx context.Context, parent string) error {
	return r.newSession(ctx, parent, nil)
}

// newSession is New; setup may put entries into the session before it begins.
func (r *Runtime) newSession(ctx context.Context, parent string, setup func(ctx context.Context, s *session.Session) error) error {
	if !r.Session().extensions().MaySwitch(ctx, extension.BeforeSwitch{Reason: extension.New}) {
		return ErrCancelled
	}
	return r.replace(ctx, extension.New, func(old *AgentSession, o *Options) error {
		keep(old, o)
		o.Session = func(ctx context.Context, h session.Header, so session.Options) (*session.Session, error) {
			h.Parent = parent
			s, err := session.Create(ctx, r.Repo(), h, so)
			if err != nil || setup == nil {
				return s, err
			}
			if err := setup(ctx, s); err != nil {
				return nil, errors.Join(fmt.Errorf("set up the new session: %w", err), s.Close())
			}
			return s, nil
		}
		return nil
	})
}

// MissingDirError says that the directory a session belongs to is gone.
type MissingDirError struct {
	ID, Dir string
	Err     error
}

// Error names both.
func (e *MissingDirError) Error() string {
	return fmt.Sprintf("session %s belongs to %s: %v", e.ID, e.Dir, e.Err)
}

// Unwrap gives the cause.
func (e *MissingDirError) Unwrap() error { return e.Err }

// Open replaces the session by one that is kept: a path, an id, or the
// beginning of one. It runs in the directory it belongs to, with its own model
// if that can be used. A path where nothing is becomes a new session. The error
// is a [MissingDirError] if the directory is gone; see OpenIn.
func (r *Runtime) Open(ctx context.Context, ref string) error { return r.OpenIn(ctx, ref, "") }

// OpenIn is like Open, but the session runs in dir, whatever directory it
// belongs to; "" is the one it belongs to.
func (r *Runtime) OpenIn(ctx context.Context, ref, dir string) error {
	if s := r.Session(); ref == s.File() || ref == s.ID() {
		return nil
	}
	if !r.Session().extensions().MaySwitch(ctx, extension.BeforeSwitch{Reason: extension.Resume, TargetFile: ref}) {
		return ErrCancelled
	}
	return r.replace(ctx, extension.Resume, func(old *AgentSession, o *Options) error {
		keep(old, o)
		isPath := strings.ContainsAny(ref, `/\`)
		if isPath {
			ref = old.env.Abs(ref)
		}
		s, err := session.Open(ctx, r.Repo(), ref, session.Options{Codec: Codec()})
		if errors.Is(err, session.ErrNotFound) && isPath {
			o.Session = NewAt(ref)
			return nil
		}
		if err != nil {
			return InUse(err, o.AgentDir)
		}
		if cwd := cmp.Or(dir, s.Header().Cwd); cwd != "" && cwd != o.Dir {
			if _, err := old.env.FS.Stat(ctx, cwd); err != nil {
				return errors.Join(&MissingDirError{s.ID(), cwd, err}, s.Close())
			}
			o.Dir, o.Env = cwd, nil
		}
		have, err := s.Restore(ctx, r.options.virtual)
		if err != nil {
			return errors.Join(err, s.Close())
		}
		if m := r.usable(ctx, have.Model); m != nil {
			o.Model = m
		}
		o.Thinking = have.Thinking
		o.Session = Existing(s)
		return nil
	})
}

// CopyTo replaces the session by a copy of one that is kept, for the directory
// dir. The one it is copied from stays as it is, and may be in use elsewhere.
func (r *Runtime) CopyTo(ctx context.Context, ref, dir string) error {
	if !r.Session().extensions().MaySwitch(ctx, extension.BeforeSwitch{Reason: extension.Resume, TargetFile: ref}) {
		return ErrCancelled
	}
	return r.replace(ctx, extension.Resume, func(old *AgentSession, o *Options) error {
		keep(old, o)
		st, err := r.Repo().Open(ctx, ref, session.ReadOnly)
		if err != nil {
			return err
		}
		src, err := session.Load(ctx, st, session.Options{Codec: Codec()})
		if err != nil {
			return err
		}
		s, err := session.Fork(ctx, src, r.Repo(), session.ForkOptions{Header: session.Header{Cwd: dir}, Options: session.Options{Codec: Codec()}})
		if err = errors.Join(err, src.Close()); err != nil {
			return err
		}
		if dir != o.Dir {
			o.Dir, o.Env = dir, nil
		}
		o.Session = Existing(s)
		return nil
	})
}

// usable gives a model if it is known and its provider is configured.
func (r *Runtime) usable(ctx context.Context, ref *session.ModelRef) *ai.Model {
	if ref == nil {
		return nil
	}
	models := r.options.Models
	m, err := models.Model(ref.Provider, ref.ModelID)
	if err != nil {
		return nil
	}
	if status, err := models.CheckAuth(ctx, ref.Provider); err != nil || !status.Configured() {
		return nil
	}
	return m
}

// Fork replaces the session by a copy of the branch up to a message of the
// user, so that it can be said differently; it gives the message's text.
func (r *Runtime) Fork(ctx context.Context, entry string) (text string, err error) {
	e, err := r.Session().Session().Entry(ctx, entry)
	if err != nil {
		return "", err
	}
	m, ok := e.(*session.MessageEntry)
	if !ok || m.Message.Role() != ai.RoleUser {
		return "", fmt.Errorf("entry %s is not a message of the user", entry)
	}
	if u, ok := m.Message.(*ai.UserMessage); ok {
		text = ai.TextOf(u.Content, "\n")
	}
	return text, r.copy(ctx, session.ForkOptions{Entry: entry, Before: true})
}

// Clone replaces the session by a copy of its branch.
func (r *Runtime) Clone(ctx context.Context) error { return r.copy(ctx, session.ForkOptions{}) }

func (r *Runtime) copy(ctx context.Context, fork session.ForkOptions) error {
	said := func(m agentcore.Message) bool {
		switch m.Role() {
		case ai.RoleUser, ai.RoleAssistant, session.RoleCompactionSummary: // the latter of what was said before
			return true
		}
		return false
	}
	if s := r.Session(); !slices.ContainsFunc(s.State().Messages, said) && fork.Entry == "" {
		return errors.New("there is nothing to copy yet: send a message first")
	}
	if !r.Session().extensions().MayFork(ctx, extension.BeforeFork{EntryID: fork.Entry, Before: fork.Before}) {
		return ErrCancelled
	}
	return r.replace(ctx, extension.Fork, func(old *AgentSession, o *Options) error {
		keep(old, o)
		fork.Options = session.Options{Codec: Codec()}
		s, err := session.Fork(ctx, old.Session(), r.Repo(), fork)
		if err != nil {
			return err
		}
		o.Session = Existing(s)
		return nil
	})
}

// keep carries the model, the thinking level and the models to cycle through over.
func keep(old *AgentSession, o *Options) {
	o.Model, o.Thinking, o.ScopedModels = old.Model(), old.Thinking(), old.ScopedModels()
}

// replace stops the old session, makes the new one, and closes the old one.
// When the new one can not be made, the old one stays: its extensions hear of
// the end only when the others are set up.
func (r *Runtime) replace(ctx context.Context, why extension.Reason, prepare func(old *AgentSession, o *Options) error) error {
	r.replacing.Lock()
	defer r.replacing.Unlock()
	old := r.Session()
	if err := old.Abort(ctx); err != nil {
		return err
	}
	r.mu.Lock()
	o := r.options
	r.mu.Unlock()
	if err := prepare(old, &o); err != nil {
		return err
	}
	s, err := newSession(ctx, o)
	if err != nil {
		return err
	}
	old.shutdown(ctx, extension.SessionShutdown{Reason: why, TargetFile: s.File()})
	s.extensions().Bind(&host{s})
	r.mu.Lock()
	r.detach()
	if o.Dir != r.options.Dir && o.Sessions != nil {
		r.repo = o.Sessions(ctx, o.Dir)
	}
	r.options.Dir, r.options.Env = o.Dir, o.Env
	r.mu.Unlock()
	r.adopt(s)
	if show := s.front.Load().Replaced; show != nil {
		show()
	}
	err = old.Close(context.WithoutCancel(ctx))
	s.startAs(ctx, extension.SessionStart{Reason: why, PreviousFile: old.File()})
	return err
}

// List describes the sessions of the current session's directory, or all that
// are kept in the same place, the newest first.
func (r *Runtime) List(ctx context.Context, all bool) ([]session.Info, error) {
	o := session.ListOptions{}
	if !all {
		o.Cwd = r.Session().Header().Cwd
	}
	var list []session.Info
	for info, err := range r.Repo().List(ctx, o) {
		switch {
		case ctx.Err() != nil:
			return nil, context.Cause(ctx)
		case err == nil: // an error is about one session, and others follow
			list = append(list, info)
		}
	}
	session.SortByTime(list)
	return list, nil
}

// Close closes the current session.
func (r *Runtime) Close(ctx context.Context) error { return r.Session().Close(ctx) }
