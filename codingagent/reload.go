package codingagent

import (
	"context"
	"errors"
	"slices"

	"github.com/pi-go/pi/agentcore/session"
	"github.com/pi-go/pi/codingagent/extension"
	"github.com/pi-go/pi/codingagent/resource"
	"github.com/pi-go/pi/codingagent/settings"
	"github.com/pi-go/pi/codingagent/tools"
)

// shape is what files say about a session. It is not changed once it is in
// force; a reload puts another one in its place.
type shape struct {
	settings settings.Settings
	// extensions are those that were set up; never nil.
	extensions *extension.Runner
	known      []known            // all tools
	tools      []tools.Definition // those that are offered, in order
	undeclared []string           // of these, what the model is not told of
	files      []resource.ContextFile
	// resources are skills, templates and files of the prompt.
	resources resource.Set
	notes     []resource.Diagnostic
}

// read looks at the files.
func (s *AgentSession) read(ctx context.Context, with settings.Settings, conversation *session.Session) (*shape, error) {
	out := &shape{settings: with, extensions: extension.Load(ctx, s.opts.Extensions)}
	if s.opts.OnFault != nil {
		out.extensions.OnFault(s.opts.OnFault)
	}
	if err := out.extensions.SetFlags(s.opts.Flags); err != nil {
		return nil, err
	}
	out.known = s.toolset(conversation, with, out.extensions)
	var err error
	if out.tools, err = s.initial(out.known, with); err != nil {
		return nil, err
	}
	out.present()
	if s.opts.Resources != nil {
		out.resources = s.opts.Resources(ctx, s.env)
		out.notes = append(out.notes, out.resources.Notes...)
	}
	if !s.opts.NoContextFiles {
		var notes []resource.Diagnostic
		out.files, notes = resource.ContextFiles(ctx, s.env, s.opts.AgentDir, s.opts.Home)
		out.notes = append(out.notes, notes...)
	}
	return out, nil
}

// ErrBusy says that something can not be done while a prompt is under way.
var ErrBusy = errors.New("the agent is at work")

// Reload reads the files again that shape the session: settings, skills,
// templates, instructions; and sets extensions up anew. The next prompt is the first that they count for.
// Only where sessions are kept, and what a conversation begins with, stays until the
// next one. While a prompt is under way the
// error is [ErrBusy]; on any error all stays as it was. See Diagnostics for
// what was wrong with the files.
func (s *AgentSession) Reload(ctx context.Context) error {
	if s.Busy() {
		return ErrBusy
	}
	with := s.shape.Load().settings
	if s.opts.Load != nil {
		with = s.opts.Load(ctx, s.opts.Dir)
	}
	next, err := s.read(ctx, with, s.harness.Session())
	if err != nil {
		return err
	}
	s.shutdown(ctx, extension.SessionShutdown{Reason: extension.Reload})
	s.reshape(func(now *shape) {
		next.tools = pick(next.known, stillActive(now, next))
		*now = *next
	})
	next.extensions.Bind(&host{s})
	s.begin(ctx, extension.SessionStart{Reason: extension.Reload})
	if s.opts.shell != nil {
		s.opts.shell.choose(shellPath(s.env, &with))
	}
	s.harness.SetRetry(retryPolicy(&with))
	s.harness.SetSteeringMode(with.SteeringMode)
	s.harness.SetFollowUpMode(with.FollowUpMode)
	return ctx.Err()
}

// Adjust changes settings of this session, as a person does while it goes on. They
// count from the next request on. Nothing is written to a file, and the next
// [AgentSession.Reload] reads what files say.
func (s *AgentSession) Adjust(change func(set *settings.Settings)) {
	s.reshape(func(next *shape) { change(&next.settings) })
	s.refreshTools()
}

// Settings gives the settings that are in force.
func (s *AgentSession) Settings() settings.Settings { return s.shape.Load().settings }

// stillActive gives the tools to offer after a reload: those that were offered,
// and those that are new and offered unless somebody says otherwise. Where no
// extension has a say, the settings do.
func stillActive(before, next *shape) []string {
	var names []string
	for _, d := range next.tools {
		names = append(names, d.Name)
	}
	if len(before.extensions.Extensions()) == 0 {
		return names
	}
	var out []string
	for _, d := range before.tools {
		out = append(out, d.Name)
	}
	for _, n := range names {
		if !slices.ContainsFunc(before.known, func(k known) bool { return k.Name == n }) {
			out = append(out, n)
		}
	}
	return out
}
