package googlevertex

import (
	"context"
	"net/url"
	"strings"

	"github.com/pi-go/pi/ai"
	"github.com/pi-go/pi/ai/auth"
	"github.com/pi-go/pi/ai/internal/gemini"
	"github.com/pi-go/pi/ai/internal/wire"
)

// ID is the protocol's name.
const ID = "google-vertex"

// Options are what only this protocol knows; see [ai.Options].Protocol. Empty
// fields are taken from GOOGLE_CLOUD_PROJECT (or GCLOUD_PROJECT) and
// GOOGLE_CLOUD_LOCATION.
type Options struct {
	Project  string
	Location string
}

// New gives the protocol. It keeps the access tokens that it was given, for as long
// as they are valid, and nothing else.
func New() ai.API { return &api{tokens: newTokens()} }

type api struct{ tokens *tokens }

func (*api) ID() string { return ID }

// Stream sends the call and writes the answer.
func (a *api) Stream(ctx context.Context, call *ai.Call, out *ai.Emitter) error {
	o := optionsOf(call)
	to := gemini.Endpoint{}
	var err error
	if key := call.Auth.APIKey; RealKey(key) {
		to.Auth = map[string]string{"x-goog-api-key": key}
		to.URL, err = keyURL(call, o)
	} else {
		to.URL, err = projectURL(call, o)
		if err == nil {
			var token string
			if token, err = a.tokens.get(ctx, call, out.Now()); err == nil {
				call.Hide(token)
				to.Auth = map[string]string{"Authorization": "Bearer " + token}
			}
		}
	}
	if err != nil {
		return err
	}
	return gemini.Stream(ctx, call, out, to)
}

// RealKey reports whether a key is one. Configuration files hold placeholders such
// as <your key>, or a marker for the other kind of credentials.
func RealKey(key string) bool {
	return key != "" && key != "gcp-vertex-credentials" && !(strings.HasPrefix(key, "<") && strings.HasSuffix(key, ">"))
}

func optionsOf(call *ai.Call) Options {
	o := wire.Options[Options](call)
	if o.Project == "" {
		o.Project = Project(call.Env)
	}
	if o.Location == "" {
		o.Location = call.Env.Lookup("GOOGLE_CLOUD_LOCATION")
	}
	return o
}

// Project gives the project that the environment names, "" for none.
func Project(env auth.Environment) string {
	if p := env.Lookup("GOOGLE_CLOUD_PROJECT"); p != "" {
		return p
	}
	return env.Lookup("GCLOUD_PROJECT")
}

// base gives the address with its location and version. Locations have hosts of
// their own; "global" and none share one.
func base(call *ai.Call, location string) string {
	b := call.BaseURL
	if b == "" {
		b = "https://{location}-aiplatform.googleapis.com"
	}
	if location == "" || location == "global" {
		b = strings.ReplaceAll(b, "{location}-", "")
	}
	b = strings.ReplaceAll(b, "{location}", url.PathEscape(location))
	if u, err := url.Parse(b); err == nil && versioned(u.Path) {
		return strings.TrimRight(b, "/")
	}
	return strings.TrimRight(b, "/") + "/v1"
}

// versioned reports whether a path has a version such as v1 or v1beta1 in it.
func versioned(path string) bool {
	for part := range strings.SplitSeq(path, "/") {
		if len(part) > 1 && part[0] == 'v' && part[1] >= '0' && part[1] <= '9' {
			return true
		}
	}
	return false
}

func keyURL(call *ai.Call, o Options) (string, error) {
	return base(call, o.Location) + modelPath(call), nil
}

func projectURL(call *ai.Call, o Options) (string, error) {
	var missing []string
	if o.Project == "" {
		missing = append(missing, "GOOGLE_CLOUD_PROJECT")
	}
	if o.Location == "" {
		missing = append(missing, "GOOGLE_CLOUD_LOCATION")
	}
	if len(missing) > 0 {
		return "", ai.Errorf(ai.KindConfig, "requests to Google Cloud without an API key need %s", strings.Join(missing, " and "))
	}
	return base(call, o.Location) + "/projects/" + url.PathEscape(o.Project) + "/locations/" + url.PathEscape(o.Location) + modelPath(call), nil
}

func modelPath(call *ai.Call) string {
	return "/publishers/google/models/" + gemini.PathModel(call.Model.ID) + ":streamGenerateContent"
}
