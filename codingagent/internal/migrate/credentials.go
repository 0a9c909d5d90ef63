package migrate

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"

	"github.com/pi-go/pi/ai/auth"
	"github.com/pi-go/pi/ai/jsonobj"
	"github.com/pi-go/pi/ai/lockfile"
)

// credentials brings the sign-ins of oauth.json and the keys of settings.json to
// auth.json, if there is none yet.
func (m *migration) credentials(ctx context.Context) {
	to, oauth, settings := m.path("auth.json"), m.path("oauth.json"), m.path("settings.json")
	if _, err := os.Lstat(to); !errors.Is(err, fs.ErrNotExist) {
		return
	}
	logins, err := readLogins(oauth)
	if err != nil {
		m.failed("the sign-ins of %s are not used: %v", oauth, err)
	}
	keys, err := readKeys(settings)
	if err != nil {
		return // whoever reads the settings says what is wrong with them
	}
	if logins == nil && keys == nil {
		return
	}
	wrote := false
	err = lockfile.Update(ctx, to, lockfile.Options{Perm: 0o600, DirPerm: 0o700}, func(old []byte) ([]byte, error) {
		if old != nil {
			return nil, nil // another program was faster
		}
		var all jsonobj.Object
		for provider, c := range logins.all() {
			if err := all.Set(provider, c); err != nil {
				return nil, err
			}
		}
		for provider, key := range keys.all() {
			if all.Get(provider) != nil {
				continue // a sign-in counted before a key
			}
			if err := all.Set(provider, map[string]string{"type": string(auth.TypeAPIKey), "key": key}); err != nil {
				return nil, err
			}
		}
		wrote = true
		return indented(&all)
	})
	if err != nil {
		m.failed("%s and the keys in %s are not used: %v", oauth, settings, err)
		return
	}
	if wrote {
		m.retire(ctx, oauth, settings, logins != nil, keys != nil)
	}
}

// retire takes what has been copied out of use.
func (m *migration) retire(ctx context.Context, oauth, settings string, logins, keys bool) {
	if logins {
		if err := moveNew(oauth, oauth+".migrated"); err != nil {
			m.failed("the sign-ins of %s are in auth.json now; it could not be renamed: %v", oauth, err)
		} else {
			m.done("the sign-ins of oauth.json are in auth.json now; the old file is %s.migrated", oauth)
		}
	}
	if !keys {
		return
	}
	err := lockfile.Update(ctx, settings, lockfile.Options{}, func(old []byte) ([]byte, error) {
		d, err := jsonobj.Open(settings, old, jsonobj.Strict)
		if err != nil {
			return nil, err
		}
		_, err = d.Delete("apiKeys")
		return d.Bytes(), err
	})
	if err != nil {
		m.failed("the keys of %s are in auth.json now; they could not be taken out: %v", settings, err)
		return
	}
	m.done("the keys of settings.json are in auth.json now, which only you can read")
}

// entries are values by provider, in the order of their file.
type entries[T any] struct {
	names  []string
	values map[string]T
}

func (e *entries[T]) add(name string, v T) {
	if e.values == nil {
		e.values = make(map[string]T)
	}
	e.names = append(e.names, name)
	e.values[name] = v
}

func (e *entries[T]) all() func(yield func(string, T) bool) {
	return func(yield func(string, T) bool) {
		if e == nil {
			return
		}
		for _, n := range e.names {
			if !yield(n, e.values[n]) {
				return
			}
		}
	}
}

// readLogins reads an oauth.json, nil if there is nothing in it.
func readLogins(path string) (*entries[json.RawMessage], error) {
	data, err := lockfile.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	file, err := jsonobj.Parse(data)
	if err != nil {
		return nil, err
	}
	out := new(entries[json.RawMessage])
	for provider, raw := range file.All() {
		login, err := jsonobj.Parse(raw)
		if err != nil {
			return nil, fmt.Errorf("%s: expected an object", provider)
		}
		if err := login.Set("type", string(auth.TypeOAuth)); err != nil {
			return nil, err
		}
		text := json.RawMessage(login.AppendJSON(nil))
		if _, err := auth.DecodeCredential(text); err != nil {
			return nil, fmt.Errorf("%s: %w", provider, err)
		}
		out.add(provider, text)
	}
	if len(out.names) == 0 {
		return nil, nil
	}
	return out, nil
}

// readKeys reads the keys in a settings.json, nil if there are none.
func readKeys(path string) (*entries[string], error) {
	data, err := lockfile.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	d, err := jsonobj.Open(path, data, jsonobj.Strict)
	if err != nil {
		return nil, err
	}
	out := new(entries[string])
	for _, provider := range d.Keys("apiKeys") {
		raw, _ := d.Get("apiKeys", provider)
		var key string
		if json.Unmarshal(raw, &key) == nil && key != "" {
			out.add(provider, key)
		}
	}
	if len(out.names) == 0 {
		return nil, nil
	}
	return out, nil
}

func indented(o *jsonobj.Object) ([]byte, error) {
	return json.MarshalIndent(o, "", "  ")
}
