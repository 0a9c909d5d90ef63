package cli

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"time"

	"github.com/pi-go/pi/ai"
	"github.com/pi-go/pi/ai/auth"
)

// authReport is what pi auth check finds, in the form of --json.
type authReport struct {
	Status      string `json:"status"`
	Provider    string `json:"provider"`
	AuthType    string `json:"authType,omitempty"`
	Reason      string `json:"reason,omitempty"`
	Credentials string `json:"credentials,omitempty"`

	detail error // for people
}

// The states and reasons of a report.
const (
	authReady    = "ready"
	authNotReady = "not_ready"
	authInvalid  = "invalid"

	reasonNotConfigured = "credentials_not_configured"
	reasonNoProvider    = "provider_not_found"
	reasonNotAvailable  = "credential_not_available"
	reasonInvalid       = "invalid_state"
)

// whose finds the provider that --provider or --model means.
func (p *program) whose(ctx context.Context) (id string, reason string, err error) {
	a := p.args.Auth
	switch {
	case a.Provider != "":
		v, err := p.findProvider(a.Provider)
		if err != nil {
			return a.Provider, reasonNoProvider, err
		}
		return v.ID(), "", nil
	case a.Model != "":
		c, err := p.models.Catalog(ctx).Resolve(a.Model, "")
		if err != nil {
			return a.Model, reasonInvalid, err
		}
		return c.Model.Provider, "", nil
	}
	return "", "", coded{exitInvalid, errors.New("name a provider with --provider, or a model with --model")}
}

// authCheck says whether a provider can be used, for scripts.
func (p *program) authCheck(ctx context.Context) error {
	id, reason, err := p.whose(ctx)
	if err != nil && reason == "" {
		return err
	}
	r := authReport{Status: authNotReady, Provider: id, Reason: reason, detail: err}
	switch reason {
	case reasonInvalid:
		r.Status = authInvalid
	case "":
		r = p.reportAuth(ctx, id)
	}
	if r.detail != nil {
		fmt.Fprintf(p.sys.Err, "%s\n", r.detail)
	}
	switch {
	case p.args.JSON:
		err = p.writeJSONLine(r)
	case p.args.Auth.Credentials && r.Status == authReady:
		_, err = fmt.Fprintln(p.sys.Out, r.Credentials)
	default:
		_, err = fmt.Fprintln(p.sys.Out, r.Status)
	}
	if err != nil {
		return err
	}
	switch r.Status {
	case authReady:
		return nil
	case authInvalid:
		return coded{code: exitInvalid}
	}
	return coded{code: exitNotReady}
}

// reportAuth looks at a provider that is known.
func (p *program) reportAuth(ctx context.Context, id string) authReport {
	r := authReport{Status: authNotReady, Provider: id}
	status, err := p.models.Models.CheckAuth(ctx, id)
	switch {
	case err != nil:
		r.Status, r.Reason, r.detail = authInvalid, reasonInvalid, err
		return r
	case !status.Configured():
		r.Reason = reasonNotConfigured
		// A file that can not be read may hold what is missing.
		if _, err := auth.NewFileStore(filepath.Join(p.agentDir, "auth.json")).List(ctx); err != nil {
			r.Status, r.Reason = authInvalid, reasonInvalid // newProgram has said it
		}
		return r
	}
	r.AuthType = authType(status.OAuth)
	resolved, err := p.resolveAuth(ctx, id, status.OAuth)
	if err != nil {
		r.Reason, r.detail = reasonNotAvailable, err
		return r
	}
	r.Status, r.AuthType = authReady, authType(resolved.OAuth)
	if p.args.Auth.Credentials {
		r.Credentials = resolved.APIKey
	}
	return r
}

// resolveAuth gives the credential, renewed if that is allowed.
func (p *program) resolveAuth(ctx context.Context, id string, oauth bool) (auth.Resolved, error) {
	if !oauth || !p.args.Auth.NoRefresh {
		return p.models.Models.Auth(ctx, id, ai.Options{})
	}
	c, err := auth.NewFileStore(filepath.Join(p.agentDir, "auth.json")).Read(ctx, id)
	switch {
	case err != nil:
		return auth.Resolved{}, err
	case c == nil:
		return auth.Resolved{}, fmt.Errorf("nobody is signed in to %s", id)
	case c.Expires != 0 && time.UnixMilli(c.Expires).Before(time.Now()):
		return auth.Resolved{}, fmt.Errorf("the sign-in to %s has ended, and may not be renewed here", id)
	}
	r, err := p.models.Models.Provider(id).Auth().OAuth.ToAuth(c)
	if err != nil {
		return auth.Resolved{}, err
	}
	r.OAuth = true
	return *r, nil
}

// printKey is pi auth print-api-key.
func (p *program) printKey(ctx context.Context) error {
	id, _, err := p.whose(ctx)
	if err != nil {
		return err
	}
	r, err := p.models.Models.Auth(ctx, id, ai.Options{})
	switch {
	case err != nil:
		return err
	case r.OAuth:
		return fmt.Errorf("you are signed in to %s, which is no key; pi auth print-bearer-token gives the token", id)
	case r.APIKey == "":
		return fmt.Errorf("%s is used without a key (%s)", id, r.Source)
	}
	_, err = fmt.Fprintln(p.sys.Out, r.APIKey)
	return err
}

// printToken is pi auth print-bearer-token.
func (p *program) printToken(ctx context.Context) error {
	id, _, err := p.whose(ctx)
	if err != nil {
		return err
	}
	token, err := p.models.Models.Token(ctx, id, p.args.Auth.MinExpiry)
	if err != nil {
		return err
	}
	_, err = fmt.Fprintln(p.sys.Out, token)
	return err
}
