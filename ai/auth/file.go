package auth

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"strings"

	"github.com/pi-go/pi/ai/jsonobj"
	"github.com/pi-go/pi/ai/lockfile"
)

// FileStore keeps credentials in a JSON file that other programs may use at the
// same time: an object with one credential per provider. The file is readable by
// its owner only and is replaced whole; what an edit does not mean stays as it is,
// byte for byte. A file that is no JSON is an error with its place, and is never
// overwritten. Make one with [NewFileStore].
type FileStore struct {
	path    string
	options lockfile.Options
}

// NewFileStore gives the store in the file at path, which need not exist.
func NewFileStore(path string) *FileStore {
	return &FileStore{path: path, options: lockfile.Options{Perm: 0o600, DirPerm: 0o700}}
}

// Path is where the file is.
func (s *FileStore) Path() string { return s.path }

// Read gives a provider's credential, nil when there is none.
func (s *FileStore) Read(ctx context.Context, provider string) (*Credential, error) {
	doc, err := s.load(ctx)
	if err != nil || doc == nil {
		return nil, err
	}
	return s.credential(doc, provider)
}

// List says which providers have credentials, in the order of the file. Entries
// that are no credentials are left out; Read says what is wrong with them.
func (s *FileStore) List(ctx context.Context) ([]Info, error) {
	doc, err := s.load(ctx)
	if err != nil || doc == nil {
		return nil, err
	}
	var list []Info
	for _, provider := range doc.Keys() {
		if c, err := s.credential(doc, provider); err == nil && c != nil {
			list = append(list, Info{provider, c.Type})
		}
	}
	return list, nil
}

// Modify changes a provider's credential under the lock of the file; see [Store].
// The context bounds the wait for the lock: once change runs, what it gives is
// stored, so that a token that was just renewed is not lost.
func (s *FileStore) Modify(ctx context.Context, provider string, change func(*Credential) (*Credential, error)) (*Credential, error) {
	var result *Credential
	err := lockfile.Update(ctx, s.path, s.options, func(text []byte) ([]byte, error) {
		doc, err := s.open(text)
		if err != nil {
			return nil, err
		}
		old, err := s.credential(doc, provider)
		if err != nil {
			return nil, err
		}
		if result, err = change(old.Clone()); err != nil {
			return nil, err
		}
		if result == nil {
			if _, there := doc.Get(provider); !there {
				return nil, nil
			}
			_, err = doc.Delete(provider)
			return doc.Bytes(), err
		}
		err = setCredential(doc, provider, result)
		return doc.Bytes(), err
	})
	if err != nil {
		return nil, err
	}
	return result, nil
}

// setCredential stores a credential field by field, so that fields keep their
// places.
func setCredential(doc *jsonobj.Document, provider string, c *Credential) error {
	if raw, ok := doc.Get(provider); !ok || raw[0] != '{' {
		return doc.Set(json.RawMessage(c.AppendJSON(nil)), provider)
	}
	keep := make(map[string]bool)
	for _, m := range c.members() {
		keep[m.name] = true
		if err := doc.Set(m.value, provider, m.name); err != nil {
			return err
		}
	}
	for _, name := range doc.Keys(provider) {
		if !keep[name] {
			if _, err := doc.Delete(provider, name); err != nil {
				return err
			}
		}
	}
	return nil
}

// load reads the file; nil when there is none. It takes the lock only when what
// it sees may be half of what another program is writing in place.
func (s *FileStore) load(ctx context.Context) (*jsonobj.Document, error) {
	text, err := lockfile.ReadFile(s.path)
	if err == nil && strings.TrimSpace(string(text)) != "" {
		if doc, err := s.open(text); err == nil {
			return doc, nil
		}
	}
	if err == nil {
		text, err = lockfile.Read(ctx, s.path, s.options)
	}
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, nil
	case err != nil:
		return nil, fmt.Errorf("read credentials: %w", err)
	}
	return s.open(text)
}

func (s *FileStore) open(text []byte) (*jsonobj.Document, error) {
	doc, err := jsonobj.Open(s.path, text, jsonobj.Strict)
	if err != nil {
		return nil, fmt.Errorf("the file of credentials can not be read, correct or remove it: %w", err)
	}
	return doc, nil
}

func (s *FileStore) credential(doc *jsonobj.Document, provider string) (*Credential, error) {
	raw, ok := doc.Get(provider)
	if !ok || string(raw) == "null" {
		return nil, nil
	}
	c, err := DecodeCredential(raw)
	if err != nil {
		return nil, fmt.Errorf("credential of %s in %s: %w", provider, s.path, err)
	}
	return c, nil
}
