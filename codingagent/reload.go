package codingagent

import (
	"context"
	"errors"

	"github.com/pi-go/pi/agentcore/session"
	"github.com/pi-go/pi/codingagent/resource"
	"github.com/pi-go/pi/codingagent/settings"
	"github.com/pi-go/pi/codingagent/tools"
)

// shape is what files say about a session. It is not changed once it is in
// force; a reload puts another one in its place.
type shape struct {
	settings settings.Settings
	tools    []tools.Definition // offered, in order
	files    []resource.ContextFile
	// resources are skills, templates and files of the prompt.
	resources resource.Set
	notes     []resource.Diagnostic
}

// read looks at the files.
func (s *AgentSession) read(ctx context.Context, with settings.Settings, conversation *session.Session) (*shape, error) {
	out := &shape{settings: with}
	var err error
	if out.tools, err = s.selectTools(conversation, with); err != nil {
		return nil, err
	}
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
// templates, instructions. The next prompt is the first that they count for.
// What a session is made with stays until the next one: the shell, time-outs
// and how often failed answers are tried again. While a prompt is under way the
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
	s.shape.Store(next)
	s.harness.SetTools(coreTools(next.tools)...)
	s.harness.SetSteeringMode(with.SteeringMode)
	s.harness.SetFollowUpMode(with.FollowUpMode)
	return ctx.Err()
}

// Settings gives the settings that are in force.
func (s *AgentSession) Settings() settings.Settings { return s.shape.Load().settings }
