package codingagent

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/pi-go/pi/agentcore/harness"
	"github.com/pi-go/pi/ai"
	"github.com/pi-go/pi/codingagent/extension"
	"github.com/pi-go/pi/codingagent/models"
)

// CredentialsError says that the model can not be asked, and what to do about it.
type CredentialsError struct {
	Provider string
	// Expired says that there is a login, which does not work any more or could not be
	// renewed.
	Expired bool
	Err     error
}

// Error says what to do.
func (e *CredentialsError) Error() string {
	if e.Expired {
		return fmt.Sprintf("the login of %s can not be used: %v; it may have expired, or the network is away: sign in again with /login %[1]s", e.Provider, e.Err)
	}
	return e.Err.Error()
}

// Unwrap gives the cause.
func (e *CredentialsError) Unwrap() error { return e.Err }

// checkCredentials finds out whether the model can be asked before anything of a prompt
// is kept. A login is renewed if it is time.
func (s *AgentSession) checkCredentials(ctx context.Context) error {
	m := s.harness.Model()
	if m == nil || s.opts.APIKey != "" && !s.router.virtual(m) {
		return nil // without a model the harness says so
	}
	if err := s.credentials(ctx, m); err != nil {
		return err
	}
	if status, err := s.opts.Models.CheckAuth(ctx, m.Provider); err != nil || !status.OAuth {
		return err
	}
	_, err := s.opts.Models.Auth(ctx, m.Provider, ai.Options{})
	if err != nil && ctx.Err() == nil {
		return &CredentialsError{Provider: m.Provider, Expired: true, Err: err}
	}
	return err
}

// credentials finds out whether the provider of a model is configured. It has no side
// effects.
func (s *AgentSession) credentials(ctx context.Context, m *ai.Model) error {
	status, err := s.opts.Models.CheckAuth(ctx, m.Provider)
	if err != nil || status.Configured() {
		return err
	}
	if _, err = s.opts.Models.Auth(ctx, m.Provider, ai.Options{}); err == nil {
		err = fmt.Errorf("provider %s has no credentials", m.Provider)
	}
	return &CredentialsError{Provider: m.Provider, Err: err} // Auth has named the ways
}

// SetModel chooses the model of the next request. The thinking level becomes the one
// that the settings have for the model, else their default if a person set one or the
// model before had no levels, else it stays; the model gets the nearest that it has. Without credentials for the model's
// provider it is a *[CredentialsError].
func (s *AgentSession) SetModel(ctx context.Context, m *ai.Model) error {
	return s.selectModel(ctx, models.Choice{Model: m}, "set")
}

// CycleTo chooses the model of the next request, as [AgentSession.SetModel] does, with
// the level that was chosen with it if one was; it tells extensions that a person goes
// from one model to the next.
func (s *AgentSession) CycleTo(ctx context.Context, c models.Choice) error {
	return s.selectModel(ctx, c, "cycle")
}

func (s *AgentSession) selectModel(ctx context.Context, c models.Choice, source string) error {
	if c.Model == nil {
		return harness.ErrNoModel
	}
	if s.opts.APIKey == "" {
		if err := s.credentials(ctx, c.Model); err != nil {
			return err
		}
	}
	before, level := s.Model(), s.Thinking()
	if err := s.harness.Select(ctx, c.Model, s.levelFor(c)); err != nil {
		return err
	}
	if now := s.Thinking(); now != level {
		s.extensions().ThinkingSelected(ctx, extension.ThinkingLevelSelect{Level: now, Previous: level})
	}
	if before == nil || !before.Same(c.Model) {
		s.extensions().ModelSelected(ctx, extension.ModelSelect{Model: c.Model, Previous: before, Source: source})
	}
	return nil
}

// levelFor is the level that a model begins with.
func (s *AgentSession) levelFor(c models.Choice) ai.ThinkingLevel {
	set := s.Settings()
	if c.Thinking != "" {
		return c.Thinking
	}
	if l, ok := set.ModelThinkingLevels[c.Model.Ref()]; ok {
		return l
	}
	have := s.harness.Model()
	if set.ThinkingChosen || have == nil || len(have.SupportedThinking()) < 2 {
		return set.DefaultThinkingLevel // where nothing could be chosen there is nothing to keep
	}
	return s.harness.Thinking()
}

// SetScopedModels replaces the models that [AgentSession.CycleModel] goes through; none
// means all that are available.
func (s *AgentSession) SetScopedModels(scope []models.Choice) {
	scope = slices.Clone(scope)
	s.scope.Store(&scope)
}

// ScopedModels lists the models that [AgentSession.CycleModel] goes through; none means
// all that are available.
func (s *AgentSession) ScopedModels() []models.Choice { return slices.Clone(*s.scope.Load()) }

// ErrNoOtherModel says that there is no model to change to.
var ErrNoOtherModel = errors.New("there is no other model to change to")

// CycleModel changes to the next model, or the one before: of the scope if there is
// one, as far as it can be used, else of all; nil means all that are available. It
// gives what was chosen and whether it is of the scope; the error is
// [ErrNoOtherModel] when there is no other.
func (s *AgentSession) CycleModel(ctx context.Context, back bool, all []*ai.Model) (c models.Choice, scoped bool, err error) {
	scope := s.ScopedModels()
	scoped = len(scope) > 0
	if scoped {
		configured := s.opts.Models.Configured(ctx)
		scope = slices.DeleteFunc(scope, func(c models.Choice) bool { return !configured[c.Model.Provider] })
	} else {
		if all == nil {
			all = s.opts.Models.Available(ctx)
		}
		for _, m := range all {
			scope = append(scope, models.Choice{Model: m})
		}
	}
	next, ok := models.Next(scope, s.harness.Model(), back)
	if !ok {
		return models.Choice{}, scoped, ErrNoOtherModel
	}
	if err := s.CycleTo(ctx, next); err != nil {
		return models.Choice{}, scoped, err
	}
	return models.Choice{Model: next.Model, Thinking: s.harness.Thinking()}, scoped, nil
}
