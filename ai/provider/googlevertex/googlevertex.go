// Package googlevertex is the provider of Gemini on Google Cloud.
//
//	models := ai.NewModels(googlevertex.New())
//
// It takes a key from GOOGLE_CLOUD_API_KEY, else application default credentials
// together with GOOGLE_CLOUD_PROJECT and GOOGLE_CLOUD_LOCATION.
package googlevertex

import (
	"context"
	"errors"
	"strings"

	"github.com/pi-go/pi/ai"
	"github.com/pi-go/pi/ai/api/googlegenerativeai"
	"github.com/pi-go/pi/ai/api/googlevertex"
	"github.com/pi-go/pi/ai/auth"
	"github.com/pi-go/pi/ai/catalog"
)

// ID is the provider's id.
const ID = "google-vertex"

// New gives the provider with the models of the catalog.
func New() ai.Provider {
	facts := catalog.GoogleVertex()
	return ai.NewProvider(ai.ProviderConfig{
		ID: ID, Name: facts.Name(),
		Auth:       auth.Methods{APIKey: credentials{auth.EnvKey{Vars: facts.Env()}}},
		LoadModels: facts.Models,
		APIs:       []ai.API{googlevertex.New(), googlegenerativeai.New()},
	})
}

// credentials are a key, or what the environment offers.
type credentials struct{ key auth.EnvKey }

// Name is "API key or application default credentials".
func (credentials) Name() string { return "API key or application default credentials" }

// EnvVars lists the variables of the key.
func (c credentials) EnvVars() []string { return c.key.EnvVars() }

// Login asks for a key.
func (c credentials) Login(ctx context.Context, ui auth.Interaction) (*auth.Credential, error) {
	return c.key.Login(ctx, ui)
}

const ambient = "application default credentials"

// Check says where the credentials would come from.
func (c credentials) Check(in auth.Input) string {
	if c.hasKey(in) {
		return c.key.Check(in)
	}
	if len(missing(in)) > 0 {
		return ""
	}
	return ambient
}

// hasKey reports whether there is a key that is no placeholder.
func (c credentials) hasKey(in auth.Input) bool {
	if in.Credential != nil && in.Credential.Key != "" {
		return googlevertex.RealKey(in.Credential.Key)
	}
	for _, name := range c.key.Vars {
		if key := in.Env.Lookup(name); key != "" {
			return googlevertex.RealKey(key)
		}
	}
	return false
}

// missing lists what ambient credentials lack.
func missing(in auth.Input) []string {
	var list []string
	if file := googlevertex.CredentialsFile(in.Env); in.FileExists == nil || !in.FileExists(file) {
		list = append(list, "the credentials in "+file+" (gcloud auth application-default login writes them)")
	}
	if googlevertex.Project(in.Env) == "" {
		list = append(list, "GOOGLE_CLOUD_PROJECT")
	}
	if in.Env.Lookup("GOOGLE_CLOUD_LOCATION") == "" {
		list = append(list, "GOOGLE_CLOUD_LOCATION")
	}
	return list
}

// Advice names both ways to credentials.
func (c credentials) Advice(in auth.Input) string {
	return "set GOOGLE_CLOUD_API_KEY, or provide " + strings.Join(missing(in), " and ")
}

// Resolve gives the key, or nothing but leave for ambient credentials: the protocol
// fetches their token with the client of the call.
func (c credentials) Resolve(ctx context.Context, in auth.Input) (*auth.Resolved, error) {
	if c.hasKey(in) {
		return c.key.Resolve(ctx, in)
	}
	if len(missing(in)) > 0 {
		return nil, errors.New(c.Advice(in))
	}
	r := &auth.Resolved{Source: ambient}
	if in.Credential != nil {
		r.Env = in.Credential.Env
	}
	return r, nil
}
