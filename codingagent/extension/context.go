package extension

import (
	"context"
	"fmt"

	"github.com/pi-go/pi/agentcore/execenv"
	"github.com/pi-go/pi/agentcore/harness"
	"github.com/pi-go/pi/agentcore/session"
	"github.com/pi-go/pi/ai"
)

// Context is the session as a handler sees it. Its methods tell how things are
// when they are called. After the session was replaced or reloaded Err is
// [ErrStale], and everything else is as before a session starts: empty.
type Context struct {
	api *API
	// limited is set for project_trust, where there is no session.
	limited *limitedHost
}

type limitedHost struct {
	mode Mode
	ui   UI
	env  execenv.Env
}

// host gives the session, nil when there is none any more.
func (x *Context) host() Host {
	h, err := x.api.host()
	if err != nil {
		return nil
	}
	return h
}

// Err says why there is no session: [ErrStale], mostly.
func (x *Context) Err() error {
	if x.limited != nil {
		return ErrNotStarted
	}
	_, err := x.api.host()
	return err
}

// ask gives what the session says, or the zero value without one.
func ask[T any](x *Context, f func(h Host) T) T {
	if h := x.host(); h != nil {
		return f(h)
	}
	var zero T
	return zero
}

// Mode says how the program talks.
func (x *Context) Mode() Mode {
	if x.limited != nil {
		return x.limited.mode
	}
	return ask(x, Host.Mode)
}

// UI talks to the person; it is never nil.
func (x *Context) UI() UI {
	if x.limited != nil {
		return x.limited.ui
	}
	if h := x.host(); h != nil {
		ui := h.UI()
		if a, ok := ui.(Attributed); ok {
			ui = a.For(x.api.ext.Name, x.api.origin)
		}
		return x.api.r.promptUI(ui)
	}
	return NoUI{}
}

// HasUI reports whether a person can be asked.
func (x *Context) HasUI() bool { m := x.Mode(); return m == ModeTUI || m == ModeRPC }

// Env gives the place where the agent works: its directory, files and shell.
func (x *Context) Env() execenv.Env {
	if x.limited != nil {
		return x.limited.env
	}
	return ask(x, Host.Env)
}

// Dir is the working directory of the session.
func (x *Context) Dir() string { return x.Env().Dir }

// ProjectTrusted reports whether the project's files may be used.
func (x *Context) ProjectTrusted() bool { return ask(x, Host.ProjectTrusted) }

// Session gives the conversation, for reading; nil without a session.
func (x *Context) Session() *session.Session { return ask(x, Host.Session) }

// Models gives the models the session can use; nil without a session.
func (x *Context) Models() *ai.Models { return ask(x, Host.Models) }

// Model gives the model of the next request, nil if none was chosen.
func (x *Context) Model() *ai.Model { return ask(x, Host.Model) }

// ScopedModels are those a person cycles through; none means all.
func (x *Context) ScopedModels() []ScopedModel { return ask(x, Host.ScopedModels) }

// Thinking gives the thinking level of the next request.
func (x *Context) Thinking() ai.ThinkingLevel { return ask(x, Host.Thinking) }

// SystemPrompt gives the text of the prompt in force.
func (x *Context) SystemPrompt() string { return ask(x, Host.SystemPrompt) }

// ContextUsage tells how full the model's window is; ok is false when that is
// not known.
func (x *Context) ContextUsage() (u ContextUsage, ok bool) {
	if h := x.host(); h != nil {
		return h.ContextUsage()
	}
	return ContextUsage{}, false
}

// Idle reports whether nothing is under way.
func (x *Context) Idle() bool { return ask(x, Host.Idle) }

// Pending reports whether messages are queued.
func (x *Context) Pending() bool { return ask(x, Host.Pending) }

// Abort stops what is under way and returns at once.
func (x *Context) Abort() {
	if h := x.host(); h != nil {
		h.Abort()
	}
}

// Shutdown asks the program to end once nothing is under way.
func (x *Context) Shutdown() {
	if h := x.host(); h != nil {
		h.Shutdown()
	}
}

// Compact begins to sum up the conversation and returns at once.
func (x *Context) Compact(o CompactOptions) {
	if done := o.Done; done != nil {
		o.Done = func(c harness.CompactionResult, failure error) {
			if err := contained(func() error { done(c, failure); return nil }); err != nil {
				x.api.r.report(x.api, "compact", err)
			}
		}
	}
	if h := x.host(); h != nil {
		h.Compact(o)
	}
}

// CommandContext is the session as a command sees it, which may replace it.
// Event handlers do not get it: what they wait for may wait for them.
type CommandContext struct{ Context }

// control gives the session, or why there is none.
func (x *CommandContext) control() (Host, error) { return x.api.host() }

// WaitIdle waits until nothing is under way.
func (x *CommandContext) WaitIdle(ctx context.Context) error {
	h, err := x.control()
	if err != nil {
		return err
	}
	return h.WaitIdle(ctx)
}

// NewSession replaces the session by a new one.
func (x *CommandContext) NewSession(ctx context.Context, o NewSessionOptions) (cancelled bool, err error) {
	h, err := x.control()
	if err != nil {
		return false, err
	}
	return h.NewSession(ctx, o)
}

// Fork replaces the session by a copy of its branch up to an entry.
func (x *CommandContext) Fork(ctx context.Context, entry string, o ForkOptions) (cancelled bool, err error) {
	h, err := x.control()
	if err != nil {
		return false, err
	}
	return h.Fork(ctx, entry, o)
}

// Switch replaces the session by one that is kept in a file.
func (x *CommandContext) Switch(ctx context.Context, file string, o SwitchOptions) (cancelled bool, err error) {
	h, err := x.control()
	if err != nil {
		return false, err
	}
	return h.Switch(ctx, file, o)
}

// Navigate goes on from another entry of the tree.
func (x *CommandContext) Navigate(ctx context.Context, entry string, o harness.NavigateOptions) (harness.NavigateResult, error) {
	h, err := x.control()
	if err != nil {
		return harness.NavigateResult{}, err
	}
	return h.Navigate(ctx, entry, o)
}

// Reload reads settings, resources and extensions again. The handler that calls
// it goes on, with a context that is stale.
func (x *CommandContext) Reload(ctx context.Context) error {
	h, err := x.control()
	if err != nil {
		return err
	}
	return h.Reload(ctx)
}

// Send and SendUser are for what follows a replacement: they act on the session
// of this context.

// Send puts a message into the conversation; see [API.Send].
func (x *CommandContext) Send(ctx context.Context, m *session.CustomMessage, o SendOptions) error {
	return x.api.Send(ctx, m, o)
}

// SendUser says something in the person's name; see [API.SendUser].
func (x *CommandContext) SendUser(ctx context.Context, content []ai.Block, o UserOptions) error {
	return x.api.SendUser(ctx, content, o)
}

// CommandContext makes the context of a program's own actions: what an option's
// Then is given.
func (r *Runner) CommandContext() *CommandContext {
	return &CommandContext{Context{api: r.own}}
}

// String names the extension, for messages.
func (a *API) String() string { return fmt.Sprintf("%s (%s)", a.ext.Name, a.origin.Path) }
