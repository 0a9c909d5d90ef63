// Package azure is the provider of models in a resource of Azure OpenAI.
//
//	models := ai.NewModels(azure.New())
//
// It takes a key from AZURE_OPENAI_API_KEY and the address from
// AZURE_OPENAI_BASE_URL or AZURE_OPENAI_RESOURCE_NAME. Deployments that are not
// named like their model are listed in AZURE_OPENAI_DEPLOYMENT_NAME_MAP as
// model=deployment, separated by commas.
package azure

import (
	"context"
	"fmt"
	"strings"

	"github.com/pi-go/pi/ai"
	"github.com/pi-go/pi/ai/api/azureopenairesponses"
	"github.com/pi-go/pi/ai/api/openaicompletions"
	"github.com/pi-go/pi/ai/auth"
	"github.com/pi-go/pi/ai/catalog"
)

// ID is the provider's id.
const ID = "azure"

// New gives the provider with the models of the catalog.
func New() ai.Provider {
	facts := catalog.Azure()
	return ai.NewProvider(ai.ProviderConfig{
		ID: ID, Name: facts.Name(),
		Auth:       auth.Methods{APIKey: key{auth.EnvKey{Vars: facts.Env()}}},
		LoadModels: facts.Models,
		APIs:       []ai.API{azureopenairesponses.New(), completions{openaicompletions.New()}},
	})
}

// key is a key together with the address of a resource, without which it is of no use.
type key struct{ auth.EnvKey }

const (
	addressVar  = "AZURE_OPENAI_BASE_URL"
	resourceVar = "AZURE_OPENAI_RESOURCE_NAME"
)

func hasAddress(in auth.Input) bool {
	return in.BaseURL != "" || in.Env.Lookup(addressVar) != "" || in.Env.Lookup(resourceVar) != ""
}

// Check says where the key would come from, "" while there is no address.
func (k key) Check(in auth.Input) string {
	if !hasAddress(in) {
		return ""
	}
	return k.EnvKey.Check(in)
}

// Advice names what is missing of key and address.
func (k key) Advice(in auth.Input) string {
	advice := k.EnvKey.Advice(in)
	switch {
	case hasAddress(in):
		return advice
	case advice == "":
		return "set " + resourceVar + " or " + addressVar
	}
	return advice + ", and " + resourceVar + " or " + addressVar
}

// Login asks for the key and for the resource, which may be left to the environment.
func (k key) Login(ctx context.Context, ui auth.Interaction) (*auth.Credential, error) {
	c, err := k.EnvKey.Login(ctx, ui)
	if err != nil {
		return nil, err
	}
	resource, err := ui.Prompt(ctx, auth.Prompt{
		Kind: auth.PromptText, Message: "Resource", Placeholder: "its name or address; empty if the environment has it",
	})
	if err != nil {
		return nil, fmt.Errorf("ask for the resource: %w", err)
	}
	switch resource = strings.TrimSpace(resource); {
	case resource == "":
	case strings.Contains(resource, "/"):
		c.Env = map[string]string{addressVar: resource}
	default:
		c.Env = map[string]string{resourceVar: resource}
	}
	return c, nil
}

// completions is Chat Completions at the address of the resource, with the name of
// the deployment for the model's and the key where Azure wants it.
type completions struct{ ai.API }

// Stream sends the call and writes the answer.
func (c completions) Stream(ctx context.Context, call *ai.Call, out *ai.Emitter) error {
	target, err := azureopenairesponses.Locate(call, azureopenairesponses.Options{})
	if err != nil {
		return err
	}
	there, model := *call, *call.Model
	model.ID = target.Deployment
	there.Model, there.BaseURL = &model, target.Base
	if key := call.Auth.APIKey; key != "" && !call.Auth.Bearer && !call.Auth.OAuth {
		headers := map[string]string{"api-key": key}
		for name, value := range call.Auth.Headers {
			headers[name] = value
		}
		there.Auth.Headers = headers
		there.Auth.RemoveHeaders = append([]string{"Authorization"}, call.Auth.RemoveHeaders...)
	}
	return c.API.Stream(ctx, &there, out)
}
