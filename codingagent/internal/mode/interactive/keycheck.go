package interactive

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/pi-go/pi/ai"
	"github.com/pi-go/pi/ai/auth"
)

// checkTime is how long a vendor may take to say what it thinks of a key.
const checkTime = 20 * time.Second

// answers keeps what a person answers, so that the login can be run twice: once for
// what is to be checked, and then, with the same answers, to store it.
type answers struct {
	auth.Interaction
	given []string
}

// Prompt asks the person.
func (a *answers) Prompt(ctx context.Context, p auth.Prompt) (string, error) {
	s, err := a.Interaction.Prompt(ctx, p)
	if err == nil {
		a.given = append(a.given, s)
	}
	return s, err
}

// again gives the same answers.
func (a *answers) again() auth.Interaction {
	return &repeated{a.Interaction, slices.Clone(a.given)}
}

type repeated struct {
	auth.Interaction
	left []string
}

// Prompt gives the next answer.
func (r *repeated) Prompt(ctx context.Context, p auth.Prompt) (string, error) {
	if len(r.left) == 0 {
		return r.Interaction.Prompt(ctx, p)
	}
	s := r.left[0]
	r.left = r.left[1:]
	return s, nil
}

// connect asks for what a provider needs, checks a key with the vendor, and stores
// it. It is called on a goroutine of its own.
func (u *ui) connect(ctx context.Context, models *ai.Models, c loginChoice, ui auth.Interaction) error {
	login, ok := c.provider.Auth().APIKey.(auth.KeyLogin)
	if c.kind != auth.TypeAPIKey || !ok {
		return models.Login(ctx, c.provider.ID(), c.kind, ui)
	}
	asked := &answers{Interaction: ui}
	credential, err := login.Login(ctx, asked)
	if err != nil {
		return err
	}
	u.p.Do(func() { u.hint("Asking " + oneLine(c.provider.Name()) + " whether the key is good…") })
	switch verdict, why := checkKey(ctx, models, c.provider.ID(), credential); verdict {
	case keyRefused:
		return fmt.Errorf("%s does not take this key, so nothing was stored: %s", c.provider.Name(), why)
	case keyUnknown:
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		store, err := ui.Prompt(ctx, auth.Prompt{
			Kind: auth.PromptSelect, Message: "the key could not be checked: " + why,
			Options: []auth.Option{{ID: "no", Label: "Do not store it"}, {ID: "yes", Label: "Store it all the same"}},
		})
		if err != nil {
			return err
		}
		if store != "yes" {
			return errCancelled
		}
	}
	return models.Login(ctx, c.provider.ID(), c.kind, asked.again())
}

// keyVerdict is what came of a check.
type keyVerdict uint8

const (
	keyGood keyVerdict = iota
	keyRefused
	keyUnknown
)

// checkKey asks the provider's cheapest model for a word or two. Whatever comes back
// from the vendor but a refusal of the key shows that it knows the key.
func checkKey(ctx context.Context, models *ai.Models, provider string, c *auth.Credential) (keyVerdict, string) {
	if c.Key == "" || strings.HasPrefix(c.Key, "$") || strings.HasPrefix(c.Key, "!") {
		return keyGood, "" // not the key itself, but where it comes from
	}
	model := ai.Cheapest(models.List(provider))
	if model == nil {
		return keyGood, "" // nothing to ask
	}
	ctx, cancel := context.WithTimeoutCause(ctx, checkTime, fmt.Errorf("no answer within %v", checkTime))
	defer cancel()
	_, err := models.Complete(ctx, model, ai.Request{Messages: []ai.Message{ai.UserText("Say OK.")}}, ai.Options{APIKey: c.Key, Env: c.Env, MaxTokens: 16})
	var e *ai.APIError
	switch {
	case err == nil:
		return keyGood, ""
	case !errors.As(err, &e):
		return keyUnknown, oneLine(err.Error())
	case e.Kind == ai.KindAuth && e.Status == http.StatusForbidden, e.Kind == ai.KindNetwork, e.Kind == ai.KindTimeout, e.Kind == ai.KindConfig, ctx.Err() != nil:
		return keyUnknown, oneLine(e.Message)
	case e.Kind == ai.KindAuth:
		return keyRefused, oneLine(e.Message)
	}
	return keyGood, ""
}
