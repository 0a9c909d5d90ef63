package auth

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"

	"github.com/pi-go/pi/ai/jsonobj"
)

// member is one field of a stored object.
type member struct {
	name  string
	value json.RawMessage
}

func members(data []byte) ([]member, error) {
	var list []member
	err := jsonobj.Walk(data, func(name string, value json.RawMessage) error {
		list = append(list, member{name, value})
		return nil
	})
	return list, err
}

func appendMembers(dst []byte, list []member) []byte {
	dst = append(dst, '{')
	for i, m := range list {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = jsonobj.AppendString(dst, m.name)
		dst = append(dst, ':')
		dst = append(dst, m.value...)
	}
	return append(dst, '}')
}

// DecodeCredential reads a stored credential. Fields that this package does not
// know are kept in Extra.
func DecodeCredential(data []byte) (*Credential, error) {
	list, err := members(data)
	if err != nil {
		return nil, fmt.Errorf("decode credential: %w", err)
	}
	c := &Credential{}
	for _, m := range list {
		var into any
		switch m.name {
		case "type":
			into = &c.Type
		case "key":
			into = &c.Key
		case "env":
			into = &c.Env
		case "access":
			into = &c.Access
		case "refresh":
			into = &c.Refresh
		case "expires":
			var ms float64 // JavaScript writes 1e12 too
			if err := json.Unmarshal(m.value, &ms); err != nil {
				return nil, fmt.Errorf("decode credential: field %q is not a number", m.name)
			}
			c.Expires = int64(ms)
			continue
		default:
			if !json.Valid(m.value) {
				return nil, fmt.Errorf("decode credential: field %q is not JSON", m.name)
			}
			if c.Extra == nil {
				c.Extra = make(map[string]json.RawMessage)
			}
			c.Extra[m.name] = slices.Clone(m.value)
			continue
		}
		if err := json.Unmarshal(m.value, into); err != nil {
			// The value may be a secret: say only which field it is.
			return nil, fmt.Errorf("decode credential: field %q has the wrong type", m.name)
		}
	}
	if c.Type == "" {
		return nil, errors.New(`decode credential: it has no "type"`)
	}
	return c, nil
}

// members gives the fields to store.
func (c *Credential) members() []member {
	var list []member
	text := func(name, value string) {
		list = append(list, member{name, jsonobj.AppendString(nil, value)})
	}
	text("type", string(c.Type))
	if c.Key != "" {
		text("key", c.Key)
	}
	if len(c.Env) > 0 {
		var env []member
		for _, name := range slices.Sorted(maps.Keys(c.Env)) {
			env = append(env, member{name, jsonobj.AppendString(nil, c.Env[name])})
		}
		list = append(list, member{"env", appendMembers(nil, env)})
	}
	if c.Type == TypeOAuth || c.Access != "" || c.Refresh != "" || c.Expires != 0 {
		text("access", c.Access)
		text("refresh", c.Refresh)
		list = append(list, member{"expires", fmt.Appendf(nil, "%d", c.Expires)})
	}
	for _, name := range slices.Sorted(maps.Keys(c.Extra)) {
		list = append(list, member{name, c.Extra[name]})
	}
	return list
}

// AppendJSON appends the credential as it is stored.
func (c *Credential) AppendJSON(dst []byte) []byte { return appendMembers(dst, c.members()) }

// MarshalJSON implements [json.Marshaler].
func (c *Credential) MarshalJSON() ([]byte, error) { return c.AppendJSON(nil), nil }

// UnmarshalJSON implements [json.Unmarshaler].
func (c *Credential) UnmarshalJSON(data []byte) error {
	d, err := DecodeCredential(data)
	if err == nil {
		*c = *d
	}
	return err
}

// String names the kind of the credential and none of its secrets.
func (c Credential) String() string { return "credential(" + string(c.Type) + ")" }

// GoString is [Credential.String], so that no format prints secrets.
func (c Credential) GoString() string { return c.String() }

// String names the source and none of the secrets.
func (r Resolved) String() string { return "auth(" + r.Source + ")" }

// GoString is [Resolved.String], so that no format prints secrets.
func (r Resolved) GoString() string { return r.String() }

// Clone copies the credential.
func (c *Credential) Clone() *Credential {
	if c == nil {
		return nil
	}
	d := *c
	d.Env, d.Extra = maps.Clone(c.Env), maps.Clone(c.Extra)
	return &d
}
