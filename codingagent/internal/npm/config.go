package npm

import (
	"encoding/base64"
	"fmt"
	"net/url"
	"strings"

	"github.com/pi-go/pi/codingagent/internal/webaddress"
)

// PublicRegistry is where packages are if nothing else is configured.
const PublicRegistry = "https://registry.npmjs.org/"

// Config says where registries are and who asks. The zero value is the public
// registry, without a login. Values are those of npm
// (https://docs.npmjs.com/cli/v11/configuring-npm/npmrc).
type Config struct {
	values map[string]string
}

// lookup gives the value of a key, "" if there is none.
func (c Config) lookup(key string) string { return c.values[key] }

// ParseConfig puts the text of an .npmrc file under what c holds: of a key that
// is there already the value stays. variable gives the values that ${NAME} stands
// for. It is nil for files that are not the user's own: such values are left out
// then, and so are registries without TLS, to which a login of the user's would
// go in the clear.
func (c Config) ParseConfig(text string, variable func(name string) string) Config {
	out := c.clone()
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(strings.TrimPrefix(line, "\uFEFF"))
		key, value, ok := strings.Cut(line, "=")
		if !ok || strings.HasPrefix(line, ";") || strings.HasPrefix(line, "#") {
			continue
		}
		key, value = strings.TrimSpace(key), strings.TrimSpace(value)
		if n := len(value); n >= 2 && (value[0] == '"' || value[0] == '\'') && value[n-1] == value[0] {
			value = value[1 : n-1]
		}
		if value, ok = expand(value, variable); !ok || variable == nil && strings.HasSuffix(key, "registry") && !private(value) {
			continue
		}
		if _, have := out.values[key]; !have {
			out.values[key] = value
		}
	}
	return out
}

// private reports whether nobody on the way can read what is sent to an address.
func private(address string) bool {
	u, err := url.Parse(address)
	if err != nil {
		return false
	}
	return webaddress.Private(u)
}

// ParseEnviron puts npm_config_ variables ("NAME=value" each) under what c holds.
func (c Config) ParseEnviron(environ []string) Config {
	out := c.clone()
	const prefix = "npm_config_"
	for _, kv := range environ {
		name, value, _ := strings.Cut(kv, "=")
		if value == "" || len(name) <= len(prefix) || !strings.EqualFold(name[:len(prefix)], prefix) {
			continue
		}
		key := name[len(prefix):]
		if !strings.HasPrefix(key, "//") && !strings.HasPrefix(key, "@") { // those name servers and scopes
			key = strings.ReplaceAll(strings.ToLower(key), "_", "-")
		}
		if _, have := out.values[key]; !have {
			out.values[key] = value
		}
	}
	return out
}

func (c Config) clone() Config {
	out := Config{make(map[string]string, len(c.values))}
	for k, v := range c.values {
		out.values[k] = v
	}
	return out
}

// expand puts the values of variables in; ok is false if one has none.
func expand(s string, variable func(string) string) (string, bool) {
	var b strings.Builder
	for {
		before, rest, found := strings.Cut(s, "${")
		b.WriteString(before)
		if !found {
			return b.String(), true
		}
		name, after, closed := strings.Cut(rest, "}")
		optional := strings.HasSuffix(name, "?")
		if !closed || variable == nil {
			return "", false
		}
		v := variable(strings.TrimSuffix(name, "?"))
		if v == "" && !optional {
			return "", false
		}
		b.WriteString(v)
		s = after
	}
}

// UserConfig is the path of the user's .npmrc, if it is configured, else "".
func (c Config) UserConfig() string { return c.lookup("userconfig") }

// Registry gives the address of the registry of a package, with a slash at its end.
func (c Config) Registry(name string) (*url.URL, error) {
	raw, key := "", "registry"
	if scope, _, ok := strings.Cut(name, "/"); ok {
		if raw = c.lookup(scope + ":registry"); raw != "" {
			key = scope + ":registry"
		}
	}
	if raw == "" {
		raw = c.lookup("registry")
	}
	if raw == "" {
		raw = PublicRegistry
	}
	u, err := url.Parse(raw)
	if err != nil || u.Host == "" || u.Scheme != "https" && u.Scheme != "http" {
		return nil, fmt.Errorf("npm is configured with %s=%s, which is no http address", key, hidePassword(raw))
	}
	if !strings.HasSuffix(u.Path, "/") {
		u.Path += "/"
	}
	return u, nil
}

// hidePassword takes what may be a password out of an address.
func hidePassword(raw string) string {
	if u, err := url.Parse(raw); err == nil {
		return u.Redacted()
	}
	return "an address that can not be read"
}

// authorization gives the header for a request, "" for none. A login counts for
// the server and the directory it is configured for, and for no other.
func (c Config) authorization(u *url.URL) string {
	dir := u.EscapedPath()
	for {
		i := strings.LastIndexByte(dir, '/')
		if i < 0 {
			return ""
		}
		dir = dir[:i]
		for _, base := range []string{"//" + u.Host + dir + "/", "//" + u.Host + dir} {
			if token := c.lookup(base + ":_authToken"); token != "" {
				return "Bearer " + token
			}
			if pair := c.lookup(base + ":_auth"); pair != "" {
				return "Basic " + pair
			}
			user, password := c.lookup(base+":username"), c.lookup(base+":_password")
			if user != "" && password != "" {
				if plain, err := base64.StdEncoding.DecodeString(password); err == nil {
					return "Basic " + base64.StdEncoding.EncodeToString([]byte(user+":"+string(plain)))
				}
			}
		}
	}
}
