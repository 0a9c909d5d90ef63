package wire

import (
	"net/url"
	"strings"

	"github.com/pi-go/pi/ai"
)

// HostMatches reports whether the host of an address is the given one or lies
// below it: api.example.com matches example.com, example.com.evil.org and
// other.org/example.com do not. Case does not matter.
func HostMatches(address, host string) bool {
	u, err := url.Parse(address)
	if err != nil {
		return false
	}
	h := strings.TrimSuffix(strings.ToLower(u.Hostname()), ".")
	return h == host || strings.HasSuffix(h, "."+host)
}

// Endpoint is the address of a call's request: the base URL with path behind
// its own path, unless it ends so already. A query of the base URL stays.
func Endpoint(call *ai.Call, path string) (string, error) {
	base := call.BaseURL
	if base == "" {
		return "", ai.Errorf(ai.KindConfig, "model %s has no base URL", call.Model.Ref())
	}
	base, query, hasQuery := strings.Cut(base, "?")
	base = strings.TrimRight(base, "/")
	if !strings.HasSuffix(base, path) {
		base += path
	}
	if hasQuery {
		base += "?" + query
	}
	return base, nil
}
