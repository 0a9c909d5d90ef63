// Package anthropic is the provider of Anthropic's own models.
//
//	models := ai.NewModels(anthropic.New())
//	model, err := models.Model("anthropic", "claude-sonnet-5")
//
// It takes a key from ANTHROPIC_API_KEY, a token of a gateway from
// ANTHROPIC_AUTH_TOKEN, or a token of a login from ANTHROPIC_OAUTH_TOKEN; the
// tokens win over the key and are sent as bearer tokens. A login needs a client id
// of the program's own, from [ai.ModelsConfig] or PI_OAUTH_CLIENT_ID_ANTHROPIC.
//
// Where a platform vouches for its programs, ANTHROPIC_FEDERATION_RULE_ID,
// ANTHROPIC_ORGANIZATION_ID and ANTHROPIC_IDENTITY_TOKEN_FILE (and, where the rule
// wants them, ANTHROPIC_SERVICE_ACCOUNT_ID and ANTHROPIC_WORKSPACE_ID) stand in for a
// key.
package anthropic

import (
	"github.com/pi-go/pi/ai"
	"github.com/pi-go/pi/ai/api/anthropicmessages"
	"github.com/pi-go/pi/ai/auth"
	"github.com/pi-go/pi/ai/auth/login"
	"github.com/pi-go/pi/ai/catalog"
)

// ID is the provider's id.
const ID = "anthropic"

// New gives the provider with the models of the catalog.
func New() ai.Provider {
	facts := catalog.Anthropic()
	return ai.NewProvider(ai.ProviderConfig{
		ID: ID, Name: facts.Name(),
		Auth: auth.Methods{
			APIKey: key{auth.EnvKey{Vars: facts.Env(), BearerVars: []string{"ANTHROPIC_AUTH_TOKEN", "ANTHROPIC_OAUTH_TOKEN"}}},
			OAuth:  login.Anthropic(),
		},
		LoadModels: facts.Models,
		APIs:       []ai.API{federatedAPI{anthropicmessages.New(), newTokens()}},
	})
}
