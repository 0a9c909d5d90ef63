package codingagent

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"time"

	"github.com/pi-go/pi/agentcore"
	"github.com/pi-go/pi/agentcore/execenv"
	"github.com/pi-go/pi/agentcore/session"
	"github.com/pi-go/pi/ai"
	"github.com/pi-go/pi/codingagent/extension"
	"github.com/pi-go/pi/codingagent/models"
	"github.com/pi-go/pi/codingagent/resource"
	"github.com/pi-go/pi/codingagent/settings"
	"github.com/pi-go/pi/codingagent/tools"
)

// Options describe a session. Dir, Models and Model are required.
type Options struct {
	// Dir is the working directory, absolute.
	Dir string
	// AgentDir is where the user's instructions (AGENTS.md) are; "" means that
	// there are none.
	AgentDir string
	// Home is the home directory, for ~ in paths.
	Home string
	// Env is where the tools work; nil means this machine, in Dir.
	Env *execenv.Env
	// Environ is the environment of commands, and Groups gets their processes;
	// both only for a nil Env. nil means that of this process, and a private
	// set.
	Environ []string
	Groups  *execenv.Groups

	// FileQueue orders changes of files; sessions that work on the same files
	// share one. nil means a private one.
	FileQueue *tools.FileQueue

	Models *ai.Models
	Model  *ai.Model
	// ModelRuntime, if not nil, is where Models come from: its virtual models can be
	// selected then. Models may be left out.
	ModelRuntime *models.Runtime
	// ScopedModels are those that [AgentSession.CycleModel] goes through, each with
	// the level it begins with; none means all that are available.
	ScopedModels []models.Choice
	// Thinking is clamped to the model; "" means the session's last level,
	// else the settings'.
	Thinking ai.ThinkingLevel
	// Settings, if not nil, replace the defaults.
	Settings *settings.Settings
	// Load, if not nil, reads the settings for a directory, in place of Settings:
	// for a session that works elsewhere than the one before it, and at a
	// [AgentSession.Reload].
	Load func(ctx context.Context, dir string) settings.Settings

	// Session says which conversation to work on; the zero value is a new one
	// that is kept in memory.
	Session SessionSource
	// Sessions, if not nil, gives where the sessions of a directory are kept, for a
	// [Runtime] that goes to another one; nil keeps all in the same place.
	Sessions func(ctx context.Context, dir string) session.Repo
	// Name, if not empty, names the session.
	Name string

	// Tools says which tools are offered, CustomTools adds some.
	Tools       ToolSelection
	CustomTools []*agentcore.Tool

	// SystemPrompt replaces the prompt, AppendSystemPrompt adds to it.
	SystemPrompt       string
	AppendSystemPrompt []string
	NoContextFiles     bool
	// Resources finds skills, templates and files of the prompt for the place
	// where the session works; nil means that there are none. SystemPrompt and
	// AppendSystemPrompt win over what it finds. See [resource.Load].
	Resources func(ctx context.Context, env execenv.Env) resource.Set

	// Extensions change what the session does; see package extension. Flags are
	// the options of the command line that they read, by name; "" stands for a
	// flag without a value. OnFault, if not nil, learns of what they do wrong,
	// from any goroutine.
	Extensions []extension.Extension
	Flags      map[string]string
	OnFault    func(*extension.Fault)
	// Front is what extensions know of the program and the person before it.
	Front Front
	// ProjectTrusted tells extensions that the project's files may be used.
	ProjectTrusted bool

	// Offline makes no requests but those that somebody asked for: prompt caches are
	// not kept alive.
	Offline bool
	// APIKey is used for every request, instead of what is configured.
	APIKey string
	// Loop adds hooks to the runs. Stream, Options and the queue functions
	// are the session's own.
	Loop agentcore.LoopConfig

	shell *chosenShell // of an Env that was left out
}

// Front is what a session knows of the program it runs in. The zero value is a
// program that nobody looks at.
type Front struct {
	Mode extension.Mode // "" means [extension.ModePrint]
	UI   extension.UI   // nil means that nobody can be asked
	// Shutdown ends the program; nil does nothing.
	Shutdown func()
	// Cleared, if not nil, is called when extensions have heard that their session
	// ends: what they show goes. Others may show something from then on.
	Cleared func()
	// Replaced, if not nil, is called when another session, or another branch of the
	// conversation that an extension went to, is to be shown; the extensions of
	// another session have not heard of its beginning then.
	Replaced func()
}

// SessionSource opens the conversation of a session.
type SessionSource func(ctx context.Context, h session.Header, o session.Options) (*session.Session, error)

// InMemory is a new conversation that is kept nowhere.
func InMemory() SessionSource { return NewIn(session.NewMemory()) }

// NewIn is a new conversation in a repository.
func NewIn(r session.Repo) SessionSource {
	return func(ctx context.Context, h session.Header, o session.Options) (*session.Session, error) {
		return session.Create(ctx, r, h, o)
	}
}

// OpenIn is a conversation that is in a repository: a path, an id or the
// beginning of one.
func OpenIn(r session.Repo, ref string) SessionSource {
	return func(ctx context.Context, _ session.Header, o session.Options) (*session.Session, error) {
		return session.Open(ctx, r, ref, o)
	}
}

// NewAt is a new conversation in the file at path, which must not be there.
func NewAt(path string) SessionSource {
	return func(ctx context.Context, h session.Header, o session.Options) (*session.Session, error) {
		h, err := h.Complete(new(session.IDs), time.Now())
		if err != nil {
			return nil, err
		}
		storage, err := session.CreateFile(ctx, path, h, nil)
		if err != nil {
			return nil, err
		}
		return session.Load(ctx, storage, o)
	}
}

// Existing is a conversation that is open already. The session closes it.
func Existing(s *session.Session) SessionSource {
	return func(context.Context, session.Header, session.Options) (*session.Session, error) { return s, nil }
}

// check finds what is missing.
func (o *Options) check() error {
	if o.Models == nil && o.ModelRuntime != nil {
		o.Models = o.ModelRuntime.Models
	}
	switch {
	case o.Dir == "":
		return errors.New("make session: no directory is given")
	case !filepath.IsAbs(o.Dir):
		return fmt.Errorf("make session: the directory %q is not absolute", o.Dir)
	case o.Models == nil:
		return errors.New("make session: no models are given")
	}
	return nil
}

// virtual tells which models stand for others that answer.
func (o *Options) virtual(ref session.ModelRef) bool {
	return o.ModelRuntime.IsVirtual(ref.Provider, ref.ModelID)
}

// defaults fills in what was left out.
func (o *Options) defaults(ctx context.Context) error {
	if o.Load != nil {
		o.Settings = new(o.Load(ctx, o.Dir))
	}
	if o.Settings == nil {
		s := settings.Defaults()
		o.Settings = &s
	}
	if o.Session == nil {
		o.Session = InMemory()
	}
	if o.Env == nil {
		env, err := execenv.Local(o.Dir, execenv.LocalOptions{Home: o.Home})
		if err != nil {
			return fmt.Errorf("make session: %w", err)
		}
		o.shell = &chosenShell{o: execenv.LocalShellOptions{Environ: o.Environ, Groups: o.Groups}}
		o.shell.choose(shellPath(env, o.Settings))
		env.Shell = o.shell
		o.Env = &env
	}
	return nil
}
