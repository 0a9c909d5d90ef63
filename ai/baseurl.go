package ai

import (
	"net/url"
	"strings"

	"github.com/pi-go/pi/ai/auth"
)

// fillBaseURL replaces {NAME} in a base URL by the variable NAME, for vendors
// whose address holds an account. Placeholders in lower case are the protocol's
// own business.
func fillBaseURL(base string, env auth.Environment) (string, error) {
	var b strings.Builder
	rest := base
	for {
		text, after, found := strings.Cut(rest, "{")
		b.WriteString(text)
		if !found {
			return b.String(), nil
		}
		name, tail, closed := strings.Cut(after, "}")
		if !closed || !isPlaceholder(name) {
			b.WriteByte('{')
			rest = after
			continue
		}
		value := env.Lookup(name)
		if value == "" {
			return "", Errorf(KindConfig, "the address %s needs the variable %s, which is not set", base, name)
		}
		b.WriteString(url.PathEscape(value))
		rest = tail
	}
}

func isPlaceholder(name string) bool {
	for _, c := range []byte(name) {
		if c != '_' && (c < 'A' || c > 'Z') && (c < '0' || c > '9') {
			return false
		}
	}
	return name != ""
}
