package auth

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
)

// EnvKey is the common [APIKeyMethod]: a stored key, or the first of some
// environment variables that is set.
type EnvKey struct {
	// Vars are the variables, in order.
	Vars []string
	// BearerVars are those of Vars whose value goes into the Authorization
	// header even if the protocol has a header of its own for keys.
	BearerVars []string
	// Optional says that requests without a key are fine (local servers).
	Optional bool
	// Needs are further variables that requests can not do without, such as an
	// account id. A stored credential can hold them in its Env.
	Needs []string
}

// Name is "API key".
func (k EnvKey) Name() string { return "API key" }

// EnvVars gives Vars.
func (k EnvKey) EnvVars() []string { return k.Vars }

// Check says where the key would come from, "" when something that requests need
// is missing.
func (k EnvKey) Check(in Input) string {
	if len(k.missing(in.Env)) > 0 {
		return ""
	}
	if c := in.Credential; c != nil {
		if c.Type == TypeAPIKey && (c.Key != "" || k.fromEnv(in.Env) != "") {
			return "stored credential"
		}
		return ""
	}
	if name := k.fromEnv(in.Env); name != "" {
		return name
	}
	if k.Optional {
		return "no key needed"
	}
	return ""
}

// Advice names the variables that are missing.
func (k EnvKey) Advice(in Input) string {
	var parts []string
	stored := in.Credential != nil && in.Credential.Key != ""
	if !stored && len(k.Vars) > 0 && k.fromEnv(in.Env) == "" {
		vars := slices.Clone(k.Vars)
		slices.SortStableFunc(vars, func(a, b string) int { // what most people have comes first
			return cmp.Compare(keyRank(a), keyRank(b))
		})
		parts = append(parts, strings.Join(vars, " or "))
	}
	if parts = append(parts, k.missing(in.Env)...); len(parts) == 0 {
		return ""
	}
	return "set " + strings.Join(parts, " and ")
}

func keyRank(variable string) int {
	if strings.HasSuffix(variable, "_API_KEY") {
		return 0
	}
	return 1
}

// Login asks for the key and for what else is needed.
func (k EnvKey) Login(ctx context.Context, ui Interaction) (*Credential, error) {
	c := &Credential{Type: TypeAPIKey}
	key, err := ui.Prompt(ctx, Prompt{Kind: PromptSecret, Message: "API key", Placeholder: "the key, $VARIABLE, or !command that prints it"})
	if err != nil {
		return nil, fmt.Errorf("ask for the key: %w", err)
	}
	if c.Key = strings.TrimSpace(key); c.Key == "" {
		return nil, errors.New("no key was given, nothing was stored")
	}
	if strings.ContainsFunc(c.Key, func(r rune) bool { return r < ' ' || r == 0x7f }) {
		return nil, errors.New("the key holds control characters, nothing was stored; paste it again")
	}
	for _, name := range k.Needs {
		value, err := ui.Prompt(ctx, Prompt{Kind: PromptText, Message: name})
		if err != nil {
			return nil, fmt.Errorf("ask for %s: %w", name, err)
		}
		if value = strings.TrimSpace(value); value != "" {
			if c.Env == nil {
				c.Env = make(map[string]string)
			}
			c.Env[name] = value
		}
	}
	return c, nil
}

// Resolve gives the key.
func (k EnvKey) Resolve(ctx context.Context, in Input) (*Resolved, error) {
	r, err := k.resolve(ctx, in)
	if r != nil && err == nil {
		if missing := k.missing(in.Env); len(missing) > 0 {
			return nil, fmt.Errorf("also set %s, in the environment or in the env of the stored credential", strings.Join(missing, " and "))
		}
	}
	return r, err
}

func (k EnvKey) missing(env Environment) []string {
	var names []string
	for _, name := range k.Needs {
		if env.Lookup(name) == "" {
			names = append(names, name)
		}
	}
	return names
}

func (k EnvKey) resolve(ctx context.Context, in Input) (*Resolved, error) {
	if c := in.Credential; c != nil && c.Key != "" {
		key := c.Key
		if in.Resolve != nil {
			v, err := in.Resolve(ctx, key)
			if err != nil {
				return nil, err
			}
			key = v
		}
		return &Resolved{APIKey: key, Env: c.Env, Source: "stored credential"}, nil
	}
	if c := in.Credential; c != nil && c.Type != TypeAPIKey {
		return nil, nil // what is stored owns the provider, as Check says
	}
	name := k.fromEnv(in.Env)
	if name == "" {
		if k.Optional {
			return &Resolved{Source: "no key needed"}, nil
		}
		return nil, nil
	}
	r := &Resolved{APIKey: in.Env.Lookup(name), Source: name}
	for _, b := range k.BearerVars {
		r.Bearer = r.Bearer || b == name
	}
	if in.Credential != nil {
		r.Env = in.Credential.Env
	}
	return r, nil
}

func (k EnvKey) fromEnv(env Environment) string {
	for _, name := range k.Vars {
		if env.Lookup(name) != "" {
			return name
		}
	}
	return ""
}
