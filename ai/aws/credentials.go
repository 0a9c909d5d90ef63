// Package aws finds access keys the ways that Amazon's own tools do: profiles with
// roles and sign-in (SSO), containers, web identity, and the machine's role. It is
// apart from the protocol because it links Amazon's configuration library, about
// 3 MB.
//
//	api := bedrockconversestream.Config{Credentials: new(aws.Chain).Credentials}.New()
package aws

import (
	"context"
	"fmt"
	"sync"
	"time"

	sdk "github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/config"

	"github.com/pi-go/pi/ai"
	"github.com/pi-go/pi/ai/auth"
)

// Chain finds access keys and keeps them until they expire. The zero value is
// ready; it is safe for concurrent use.
//
// A profile that is named (AWS_PROFILE) wins over keys in the environment; then come
// the profile called default, containers, web identity and the machine. What the
// call's environment holds counts for profile and keys; the files and the other
// sources are those of the process.
type Chain struct {
	mu   sync.Mutex
	kept map[string]*source
}

// source is where the keys of one profile come from.
type source struct {
	provider sdk.CredentialsProvider
	region   string
}

// Credentials gives the keys for a call; see bedrockconversestream.Config.
func (c *Chain) Credentials(ctx context.Context, call *ai.Call) (sdk.Credentials, error) {
	profile := call.Env.Lookup("AWS_PROFILE")
	if id, secret := call.Env.Lookup("AWS_ACCESS_KEY_ID"), call.Env.Lookup("AWS_SECRET_ACCESS_KEY"); profile == "" && id != "" && secret != "" {
		return sdk.Credentials{AccessKeyID: id, SecretAccessKey: secret, SessionToken: call.Env.Lookup("AWS_SESSION_TOKEN"), Source: "environment"}, nil
	}
	s, err := c.source(ctx, profile, call.Env)
	if err != nil {
		return sdk.Credentials{}, err
	}
	keys, err := s.provider.Retrieve(ctx)
	if err != nil {
		return keys, fmt.Errorf("%s: %w", named(profile), err)
	}
	return keys, nil
}

// Region gives the region of the profile that the environment names, "" when it
// names none.
func (c *Chain) Region(ctx context.Context, call *ai.Call) string {
	profile := call.Env.Lookup("AWS_PROFILE")
	if profile == "" {
		return ""
	}
	s, err := c.source(ctx, profile, call.Env)
	if err != nil {
		return "" // Credentials tells
	}
	return s.region
}

func named(profile string) string {
	if profile == "" {
		return "the default profile and the surroundings"
	}
	return "profile " + profile
}

// source loads the configuration of a profile at its first use.
func (c *Chain) source(ctx context.Context, profile string, env auth.Environment) (*source, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	key := profile + "\x00" + env.Lookup("AWS_CONFIG_FILE") + "\x00" + env.Lookup("AWS_SHARED_CREDENTIALS_FILE")
	if s := c.kept[key]; s != nil {
		return s, nil
	}
	var options []func(*config.LoadOptions) error
	if profile != "" {
		options = append(options, config.WithSharedConfigProfile(profile))
	}
	if path := env.Lookup("AWS_CONFIG_FILE"); path != "" {
		options = append(options, config.WithSharedConfigFiles([]string{path}))
	}
	if path := env.Lookup("AWS_SHARED_CREDENTIALS_FILE"); path != "" {
		options = append(options, config.WithSharedCredentialsFiles([]string{path}))
	}
	loading, cancel := context.WithTimeout(ctx, 30*time.Second)
	defer cancel()
	loaded, err := config.LoadDefaultConfig(loading, options...)
	if err != nil {
		return nil, fmt.Errorf("load %s: %w", named(profile), err)
	}
	s := &source{provider: loaded.Credentials, region: loaded.Region}
	if c.kept == nil {
		c.kept = make(map[string]*source)
	}
	c.kept[key] = s
	return s, nil
}
