package codingagent

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/pi-go/pi/agentcore/harness"
	"github.com/pi-go/pi/ai"
	"github.com/pi-go/pi/codingagent/extension"
	"github.com/pi-go/pi/codingagent/tools"
)

// Prompt is what a person says.
type Prompt struct {
	Text   string
	Images []*ai.Image
	// Literal sends the text as it is; otherwise "/name arguments" runs the
	// command, or is replaced by the template or the skill, of that name.
	Literal bool
	// Source says who speaks; "" means a person.
	Source extension.Source
}

// Empty reports whether there is nothing to say.
func (p Prompt) Empty() bool { return strings.TrimSpace(p.Text) == "" && len(p.Images) == 0 }

// message makes the message of a prompt.
func (p Prompt) message() *ai.UserMessage {
	m := ai.UserText(p.Text)
	for _, img := range p.Images {
		m.Content = append(m.Content, img)
	}
	return m
}

// PromptOptions tune one prompt.
type PromptOptions struct {
	// WhenBusy says what to do while another prompt is under way; the zero value
	// refuses it.
	WhenBusy harness.Delivery
	// Accepted, if not nil, is called as soon as the session is taken by this
	// prompt: from then on others are queued or refused. A compaction may come
	// before the prompt itself.
	Accepted func()
	// Started, if not nil, is called before the first event of the run.
	Started func()
	// Handling, if not nil, is called before a command of an extension runs.
	Handling func()
}

// Result says how a prompt ended.
type Result struct {
	harness.Result
	// Handled says that a command or an extension has done what there was to do;
	// nothing else is set then.
	Handled bool
}

// Prompt works on what a person said until everything is settled. An error
// says why it could not be worked on; a failure of the model is in the
// result's answer.
func (s *AgentSession) Prompt(ctx context.Context, p Prompt, o PromptOptions) (Result, error) {
	if p.Empty() {
		return Result{}, errors.New("the prompt is empty")
	}
	s.Start(ctx)
	if s.runCommand(ctx, p, o.Handling) {
		return Result{Handled: true}, nil
	}
	if s.harness.Compacting() && !s.harness.Running() {
		return Result{}, harness.ErrCompacting
	}
	var delivery harness.Delivery
	if s.harness.Running() {
		delivery = o.WhenBusy
	}
	p, handled, err := s.heard(ctx, p, delivery)
	if handled || err != nil {
		return Result{Handled: handled}, err
	}
	if !s.harness.Running() {
		if err := s.checkCredentials(ctx); err != nil {
			return Result{}, err
		}
	}
	r, err := s.harness.Prompt(ctx, p.message(), harness.PromptOptions{WhenBusy: o.WhenBusy, Accepted: o.Accepted, Started: o.Started})
	return Result{Result: r}, err
}

// Queue queues a message for what is under way, or for the next prompt; handled
// says that an extension has done what there was to do. The error is
// [ErrNoCommand], or says that a command can not wait.
func (s *AgentSession) Queue(ctx context.Context, p Prompt, d harness.Delivery) (handled bool, err error) {
	if name, _, ok := s.commandOf(p); ok {
		return false, fmt.Errorf("/%s runs at once and can not be queued", name)
	}
	p, handled, err = s.heard(ctx, p, d)
	if handled || err != nil {
		return handled, err
	}
	if d == harness.DeliverFollowUp {
		s.harness.FollowUp(ctx, p.message())
	} else {
		s.harness.Steer(ctx, p.message())
	}
	return false, nil
}

// Steer queues a message for the next request of what is under way; see
// [AgentSession.Queue].
func (s *AgentSession) Steer(ctx context.Context, p Prompt) error {
	_, err := s.Queue(ctx, p, harness.DeliverSteer)
	return err
}

// FollowUp queues a message for when the agent is done; see
// [AgentSession.Queue].
func (s *AgentSession) FollowUp(ctx context.Context, p Prompt) error {
	_, err := s.Queue(ctx, p, harness.DeliverFollowUp)
	return err
}

// heard passes what was said to extensions, then puts skills and templates in.
func (s *AgentSession) heard(ctx context.Context, p Prompt, d harness.Delivery) (_ Prompt, handled bool, err error) {
	source := p.Source
	if source == "" {
		source = extension.FromPerson
	}
	in, handled := s.extensions().Input(ctx, extension.Input{Text: p.Text, Images: p.Images, Source: source, Delivery: d})
	if handled {
		return p, true, nil
	}
	p.Text, p.Images = in.Text, in.Images
	if p.Empty() {
		return p, false, errors.New("an extension left nothing of the prompt")
	}
	p, err = s.expand(p)
	return p, false, err
}

// commandOf gives the command of an extension that a prompt begins with.
func (s *AgentSession) commandOf(p Prompt) (name, args string, ok bool) {
	if p.Literal || !strings.HasPrefix(p.Text, "/") {
		return "", "", false
	}
	name, args, _ = strings.Cut(p.Text[1:], " ")
	for _, c := range s.extensions().Commands() {
		if c.Name == name {
			return name, args, true
		}
	}
	return "", "", false
}

// runCommand runs the command that a prompt begins with, if it begins with one.
func (s *AgentSession) runCommand(ctx context.Context, p Prompt, handling func()) bool {
	name, args, ok := s.commandOf(p)
	if !ok {
		return false
	}
	if handling != nil {
		handling()
	}
	return s.extensions().RunCommand(ctx, name, args)
}

// Bash runs a command of the person's own, and keeps it in the conversation:
// the model sees it with the next prompt, unless hidden is set. output, if not
// nil, gets what it prints as it comes.
func (s *AgentSession) Bash(ctx context.Context, command string, hidden bool, output func(text string)) (*BashExecution, error) {
	if strings.TrimSpace(command) == "" {
		return nil, errors.New("the command is empty")
	}
	s.Start(ctx)
	s.commands.Add(1)
	defer s.commands.Done()
	running, cancel := context.WithCancel(ctx)
	defer cancel()
	defer context.AfterFunc(s.closing, cancel)()
	got, err := s.runBash(running, command, hidden, output)
	if err != nil {
		return nil, fmt.Errorf("run command: %w", err)
	}
	m := &BashExecution{
		Command: command, Output: got.Output, ExitCode: got.ExitCode, Cancelled: got.Cancelled, Truncated: got.Truncated,
		FullOutputPath: got.FullOutputPath, ExcludeFromContext: hidden, Timestamp: time.Now().UnixMilli(),
	}
	return m, s.harness.Add(context.WithoutCancel(ctx), m)
}

// runBash runs a command where an extension wants it to be run, or here.
func (s *AgentSession) runBash(ctx context.Context, command string, hidden bool, output func(text string)) (tools.UserResult, error) {
	answer, err := s.extensions().UserBash(ctx, extension.UserBash{Command: command, Hidden: hidden, Dir: s.env.Dir})
	if err != nil {
		return tools.UserResult{}, err
	}
	env := s.env
	switch {
	case answer == nil:
	case answer.Result != nil:
		if output != nil && answer.Result.Output != "" {
			output(answer.Result.Output)
		}
		return *answer.Result, nil
	default:
		env.Shell = answer.Shell
	}
	if prefix := s.shape.Load().settings.ShellCommandPrefix; prefix != "" {
		command = prefix + "\n" + command
	}
	return tools.RunUserCommand(ctx, env, command, output)
}
