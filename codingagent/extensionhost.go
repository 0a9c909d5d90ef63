package codingagent

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/pi-go/pi/agentcore/execenv"
	"github.com/pi-go/pi/agentcore/harness"
	"github.com/pi-go/pi/agentcore/session"
	"github.com/pi-go/pi/ai"
	"github.com/pi-go/pi/codingagent/extension"
	"github.com/pi-go/pi/codingagent/models"
	"github.com/pi-go/pi/codingagent/settings"
)

// host is a session as its extensions see it.
type host struct{ s *AgentSession }

var _ extension.Host = (*host)(nil)

func (h *host) Mode() extension.Mode {
	return cmp.Or(h.s.front.Load().Mode, extension.ModePrint)
}

func (h *host) UI() extension.UI {
	if ui := h.s.front.Load().UI; ui != nil {
		return ui
	}
	return extension.NoUI{}
}

// ScopedModels gives the models that a person cycles through.
func (h *host) ScopedModels() []extension.ScopedModel {
	var list []extension.ScopedModel
	for _, c := range h.s.ScopedModels() {
		list = append(list, extension.ScopedModel{Model: c.Model, Thinking: c.Thinking})
	}
	return list
}

func (h *host) Env() execenv.Env                                { return h.s.env }
func (h *host) ProjectTrusted() bool                            { return h.s.opts.ProjectTrusted }
func (h *host) Session() *session.Session                       { return h.s.Session() }
func (h *host) Models() *ai.Models                              { return h.s.opts.Models }
func (h *host) Model() *ai.Model                                { return h.s.Model() }
func (h *host) Thinking() ai.ThinkingLevel                      { return h.s.Thinking() }
func (h *host) Settings() settings.Settings                     { return h.s.Settings() }
func (h *host) Idle() bool                                      { return !h.s.Busy() }
func (h *host) Tools() []extension.ToolInfo                     { return h.s.Tools() }
func (h *host) SetActiveTools(names []string)                   { h.s.SetActiveTools(names) }
func (h *host) Refresh()                                        { h.s.refreshTools() }
func (h *host) SetProvider(p ai.Provider)                       { h.s.lent.set(h.s.opts.Models, p) }
func (h *host) RemoveProvider(id string)                        { h.s.lent.remove(h.s.opts.Models, id) }
func (h *host) WaitIdle(ctx context.Context) error              { return h.s.WaitIdle(ctx) }
func (h *host) SetModel(ctx context.Context, m *ai.Model) error { return h.s.SetModel(ctx, m) }

func (h *host) SetVirtualModel(v models.VirtualModel) error {
	return h.s.lent.setVirtual(h.s.opts.ModelRuntime, v)
}

func (h *host) RemoveVirtualModel(provider, id string) {
	h.s.lent.removeVirtual(h.s.opts.ModelRuntime, provider, id)
}

func (h *host) SystemPrompt() string {
	var parts []string
	for _, sec := range h.s.system() {
		if sec.Text != nil {
			parts = append(parts, *sec.Text)
		}
	}
	return strings.Join(parts, "\n\n")
}

// PromptParts gives what the prompt is made of.
func (h *host) PromptParts() extension.PromptParts {
	in, _ := h.s.promptInput()
	p := extension.PromptParts{Custom: in.Custom, Append: in.Append, Manual: in.Docs, Skills: in.Skills, Dir: in.CWD}
	for _, t := range in.Tools {
		p.Tools = append(p.Tools, extension.PromptTool{Name: t.Name, Snippet: t.Snippet, Guidelines: t.Rules})
	}
	for _, f := range in.ContextFiles {
		p.Files = append(p.Files, extension.PromptFile{Path: f.Path, Text: f.Content})
	}
	return p
}

func (h *host) ContextUsage() (extension.ContextUsage, bool) {
	m := h.s.LimitsModel()
	if m == nil || m.ContextWindow <= 0 {
		return extension.ContextUsage{}, false
	}
	tokens, known := h.s.harness.ContextTokens()
	return extension.ContextUsage{Tokens: tokens, Known: known, Window: m.ContextWindow}, true
}

func (h *host) Pending() bool {
	steering, followUp := h.s.harness.Queued()
	return len(steering)+len(followUp) > 0
}

// aside does something that a handler must not wait for: it may wait for the
// handler.
func (h *host) aside(what string, f func(ctx context.Context) error) {
	go func() {
		if err := f(h.s.closing); err != nil && h.s.closing.Err() == nil && h.s.opts.OnFault != nil {
			h.s.opts.OnFault(&extension.Fault{Extension: "pi", Path: "<program>", Event: what, Err: err})
		}
	}()
}

func (h *host) Abort() { h.aside("abort", h.s.Abort) }

func (h *host) Shutdown() {
	h.s.running.mu.Lock()
	h.s.running.ending = true
	h.s.running.mu.Unlock()
	if !h.s.Busy() {
		h.s.maybeEnd()
	}
}

func (h *host) Compact(o extension.CompactOptions) {
	h.aside("compact", func(ctx context.Context) error {
		r, err := h.s.Compact(ctx, o.Focus)
		if o.Done != nil {
			o.Done(r, err)
			return nil
		}
		return err
	})
}

// Send puts a message of an extension into the conversation.
func (h *host) Send(ctx context.Context, m *session.CustomMessage, o extension.SendOptions) error {
	if m == nil || m.CustomType == "" {
		return errors.New("send message: it has no custom type")
	}
	r := &h.s.running
	switch busy := h.s.harness.Running(); {
	case o.Delivery == extension.DeliverNextTurn:
		r.mu.Lock()
		defer r.mu.Unlock()
		r.nextTurn = append(r.nextTurn, m)
	case busy && o.Trigger != nil && !*o.Trigger:
		r.mu.Lock()
		defer r.mu.Unlock()
		r.late = append(r.late, m)
	case busy && o.Delivery == extension.DeliverFollowUp:
		h.s.harness.FollowUp(ctx, m)
	case busy:
		h.s.harness.Steer(ctx, m)
	case o.Trigger != nil && *o.Trigger:
		return h.begin(func(accepted func()) error {
			_, err := h.s.harness.Prompt(h.s.closing, m, harness.PromptOptions{WhenBusy: harness.DeliverSteer, Accepted: accepted})
			return err
		})
	default:
		return h.s.harness.AddTold(ctx, m)
	}
	return nil
}

// begin runs a prompt and returns once it is known what becomes of it.
func (h *host) begin(run func(accepted func()) error) error {
	known := make(chan error, 2)
	h.aside("prompt", func(context.Context) error {
		accepted := false
		err := run(func() { accepted = true; known <- nil })
		known <- err
		if !accepted {
			return nil // it is the caller's
		}
		return err
	})
	return <-known
}

// SendUser says something in the person's name.
func (h *host) SendUser(_ context.Context, content []ai.Block, o extension.UserOptions) error {
	p := Prompt{Literal: !o.Expand, Source: extension.FromExtension}
	var texts []string
	for _, b := range content {
		switch b := b.(type) {
		case *ai.Text:
			texts = append(texts, b.Text)
		case *ai.Image:
			p.Images = append(p.Images, b)
		default:
			return fmt.Errorf("say in the person's name: %T is neither a text nor an image", b)
		}
	}
	p.Text = strings.Join(texts, "\n")
	var when harness.Delivery
	switch o.Delivery {
	case "":
		if h.s.harness.Phase() == harness.PhaseSettling {
			when = harness.DeliverFollowUp // what is said at the end comes after it
		}
	case extension.DeliverSteer:
		when = harness.DeliverSteer
	case extension.DeliverFollowUp:
		when = harness.DeliverFollowUp
	default:
		return fmt.Errorf("say in the person's name: %q is no way to deliver it", o.Delivery)
	}
	return h.begin(func(accepted func()) error {
		_, err := h.s.Prompt(h.s.closing, p, PromptOptions{WhenBusy: when, Accepted: accepted, Handling: accepted})
		return err
	})
}

func (h *host) Append(ctx context.Context, e session.Entry) (string, error) {
	if err := h.s.harness.AddEntry(ctx, e); err != nil {
		return "", err
	}
	return e.Head().ID, nil
}

func (h *host) SetName(ctx context.Context, name string) error { return h.s.harness.SetName(ctx, name) }

func (h *host) SetLabel(ctx context.Context, entry, label string) error {
	return h.s.harness.SetLabel(ctx, entry, label)
}

func (h *host) SetThinking(ctx context.Context, l ai.ThinkingLevel) error {
	return h.s.SetThinking(ctx, l)
}

func (h *host) Commands() []extension.CommandSummary {
	var out []extension.CommandSummary
	for _, c := range h.s.Commands() {
		out = append(out, extension.CommandSummary{
			Name: c.Name, Description: c.Description, Source: c.Source,
			Origin: extension.Origin{Path: c.Path, Scope: extension.Scope(c.Scope)},
		})
	}
	return out
}

// Navigate goes on from another entry.
func (h *host) Navigate(ctx context.Context, entry string, o harness.NavigateOptions) (harness.NavigateResult, error) {
	r, err := h.s.Navigate(ctx, entry, o)
	if show := h.s.front.Load().Replaced; err == nil && r.Moved && show != nil {
		show()
	}
	return r, err
}

// runtime gives what can replace the session.
func (h *host) runtime() (*Runtime, error) {
	if r := h.s.control.Load(); r != nil {
		return r, nil
	}
	return nil, extension.ErrNoControl
}

// replaced tells how a replacement went, and goes on with the new session.
func replaced(ctx context.Context, r *Runtime, err error, then func(ctx context.Context, x *extension.CommandContext) error) (bool, error) {
	if errors.Is(err, ErrCancelled) {
		return true, nil
	}
	if err == nil && then != nil {
		err = then(ctx, r.Session().Extensions().CommandContext())
	}
	return false, err
}

func (h *host) NewSession(ctx context.Context, o extension.NewSessionOptions) (bool, error) {
	r, err := h.runtime()
	if err != nil {
		return false, err
	}
	return replaced(ctx, r, r.newSession(ctx, o.Parent, o.Setup), o.Then)
}

func (h *host) Fork(ctx context.Context, entry string, o extension.ForkOptions) (bool, error) {
	r, err := h.runtime()
	if err != nil {
		return false, err
	}
	if o.At {
		return replaced(ctx, r, r.copy(ctx, session.ForkOptions{Entry: entry}), o.Then)
	}
	_, err = r.Fork(ctx, entry)
	return replaced(ctx, r, err, o.Then)
}

func (h *host) Switch(ctx context.Context, file string, o extension.SwitchOptions) (bool, error) {
	r, err := h.runtime()
	if err != nil {
		return false, err
	}
	return replaced(ctx, r, r.Open(ctx, file), o.Then)
}

func (h *host) Reload(ctx context.Context) error { return h.s.Reload(ctx) }
