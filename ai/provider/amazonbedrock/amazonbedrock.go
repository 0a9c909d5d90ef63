// Package amazonbedrock is the provider of models on Amazon Bedrock.
//
//	models := ai.NewModels(amazonbedrock.New())
//
// It takes a Bedrock API key from AWS_BEARER_TOKEN_BEDROCK, else access keys the
// ways that Amazon's own tools find them: AWS_PROFILE, AWS_ACCESS_KEY_ID and
// AWS_SECRET_ACCESS_KEY, containers, and web identity. For a smaller program that
// takes keys from the environment only, make a provider of the protocol.
package amazonbedrock

import (
	"context"

	"github.com/pi-go/pi/ai"
	"github.com/pi-go/pi/ai/api/bedrockconversestream"
	"github.com/pi-go/pi/ai/auth"
	"github.com/pi-go/pi/ai/aws"
	"github.com/pi-go/pi/ai/catalog"
)

// ID is the provider's id.
const ID = "amazon-bedrock"

// New gives the provider with the models of the catalog.
func New() ai.Provider {
	facts := catalog.AmazonBedrock()
	chain := new(aws.Chain)
	return ai.NewProvider(ai.ProviderConfig{
		ID: ID, Name: facts.Name(),
		Auth:       auth.Methods{APIKey: credentials{auth.EnvKey{Vars: facts.Env()}}},
		LoadModels: facts.Models,
		APIs:       []ai.API{bedrockconversestream.Config{Credentials: chain.Credentials, Region: chain.Region}.New()},
	})
}

// credentials are a Bedrock API key, or what the surroundings offer.
type credentials struct{ auth.EnvKey }

// Name is "API key or AWS credentials".
func (credentials) Name() string { return "API key or AWS credentials" }

// ambient names the variable by which the surroundings offer access keys, "" for
// none.
func ambient(env auth.Environment) string {
	switch {
	case env.Lookup("AWS_PROFILE") != "":
		return "AWS_PROFILE"
	case env.Lookup("AWS_ACCESS_KEY_ID") != "" && env.Lookup("AWS_SECRET_ACCESS_KEY") != "":
		return "AWS_ACCESS_KEY_ID"
	}
	for _, name := range []string{"AWS_CONTAINER_CREDENTIALS_RELATIVE_URI", "AWS_CONTAINER_CREDENTIALS_FULL_URI", "AWS_WEB_IDENTITY_TOKEN_FILE"} {
		if env.Lookup(name) != "" {
			return name
		}
	}
	if env.Lookup("AWS_BEDROCK_SKIP_AUTH") == "1" {
		return "AWS_BEDROCK_SKIP_AUTH"
	}
	return ""
}

// Check says where the credentials would come from.
func (c credentials) Check(in auth.Input) string {
	if source := c.EnvKey.Check(in); source != "" {
		return source
	}
	return ambient(in.Env)
}

// Advice names the ways that most people have.
func (c credentials) Advice(in auth.Input) string {
	return c.EnvKey.Advice(in) + ", or AWS_PROFILE, or AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY"
}

// Resolve gives the key, or nothing but leave for access keys: the protocol signs
// with them.
func (c credentials) Resolve(ctx context.Context, in auth.Input) (*auth.Resolved, error) {
	if c.EnvKey.Check(in) != "" {
		return c.EnvKey.Resolve(ctx, in)
	}
	source := ambient(in.Env)
	if source == "" {
		return nil, nil
	}
	r := &auth.Resolved{Source: source}
	if in.Credential != nil {
		r.Env = in.Credential.Env
	}
	return r, nil
}
