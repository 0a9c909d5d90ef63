package azureopenairesponses

import (
	"fmt"
	"net/url"
	"strings"

	"github.com/pi-go/pi/ai"
)

// Target is where a model of Azure is reached.
type Target struct {
	// Base is the address without the operation's path and without a query.
	Base string
	// Version is the value of api-version.
	Version string
	// Deployment is sent as the model's name.
	Deployment string
}

// URL is the address of an operation, such as "/responses".
func (t Target) URL(operation string) string {
	return t.Base + operation + "?api-version=" + url.QueryEscape(t.Version)
}

// Locate finds out where the model of a call is reached, from the options and
// the environment.
func Locate(call *ai.Call, o Options) (Target, error) {
	env := call.Env.Lookup
	first := func(values ...string) string {
		for _, v := range values {
			if v = strings.TrimSpace(v); v != "" {
				return v
			}
		}
		return ""
	}
	t := Target{Version: first(o.APIVersion, env("AZURE_OPENAI_API_VERSION"), "v1")}
	base := first(o.BaseURL, env("AZURE_OPENAI_BASE_URL"))
	if name := first(o.ResourceName, env("AZURE_OPENAI_RESOURCE_NAME")); base == "" && name != "" {
		if strings.ContainsAny(name, "/.:@?#") {
			return t, ai.Errorf(ai.KindConfig, "AZURE_OPENAI_RESOURCE_NAME is %q; it must be the bare name of the resource, not an address", name)
		}
		base = "https://" + name + ".openai.azure.com/openai/v1"
	}
	if base = first(base, call.BaseURL); base == "" {
		return t, ai.Errorf(ai.KindConfig, "no address for Azure OpenAI: set AZURE_OPENAI_BASE_URL or AZURE_OPENAI_RESOURCE_NAME")
	}
	var err error
	if t.Base, err = normalize(base); err != nil {
		return t, ai.Errorf(ai.KindConfig, "address of Azure OpenAI: %w", err)
	}
	t.Deployment = first(o.Deployment, deployment(env("AZURE_OPENAI_DEPLOYMENT_NAME_MAP"), call.Model.ID), call.Model.ID)
	return t, nil
}

// normalize completes the address of a resource as the portal shows it. Other
// hosts are proxies of the user and keep their path.
func normalize(base string) (string, error) {
	u, err := url.Parse(base)
	if err != nil || u.Host == "" {
		return "", fmt.Errorf("%q is no address", base)
	}
	u.RawQuery, u.Fragment = "", ""
	path := strings.TrimRight(u.Path, "/")
	host := strings.ToLower(u.Hostname())
	azure := false
	for _, suffix := range []string{".openai.azure.com", ".cognitiveservices.azure.com", ".ai.azure.com"} {
		azure = azure || strings.HasSuffix(host, suffix)
	}
	if azure && (path == "" || path == "/openai" || path == "/openai/v1/responses") {
		path = "/openai/v1"
	}
	u.Path, u.RawPath = path, ""
	return u.String(), nil
}

// deployment looks a model up in "model=deployment,…".
func deployment(list, model string) string {
	for pair := range strings.SplitSeq(list, ",") {
		name, to, ok := strings.Cut(pair, "=")
		if ok && strings.TrimSpace(name) == model {
			return strings.TrimSpace(to)
		}
	}
	return ""
}
