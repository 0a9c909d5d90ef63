// Package modelstore keeps the lists of models that vendors gave, so that the next
// start has them without asking.
//
//	models := ai.ModelsConfig{Lists: modelstore.New("/home/me/.pi/agent/models-store.json")}.New(all.Providers()...)
//	models.Refresh(ctx, ai.RefreshOptions{})                   // what was stored
//	models.Refresh(ctx, ai.RefreshOptions{AllowNetwork: true}) // and what is new
//
// The file is an object with one list per provider, as pi writes it: both programs
// can share it.
package modelstore

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strings"
	"sync"

	"github.com/pi-go/pi/ai"
	"github.com/pi-go/pi/ai/jsonobj"
	"github.com/pi-go/pi/ai/lockfile"
)

// maxFile caps what is read: it is a cache, and a larger one is none of ours.
const maxFile = 64 << 20

// File is a store in a file that other programs may use at the same time. Lists of
// other providers stay as they are, byte for byte.
type File struct {
	path    string
	options lockfile.Options
}

// New gives the store in the file at path, which need not exist.
func New(path string) *File {
	return &File{path: path, options: lockfile.Options{Perm: 0o600, DirPerm: 0o700}}
}

// Path is where the file is.
func (f *File) Path() string { return f.path }

// ReadList gives the list of a provider, nil when there is none.
func (f *File) ReadList(ctx context.Context, provider string) (*ai.ModelList, error) {
	doc, err := f.load(ctx)
	if err != nil || doc == nil {
		return nil, err
	}
	raw, ok := doc.Get(provider)
	if !ok || string(raw) == "null" {
		return nil, nil
	}
	return decode(raw)
}

// load reads the file; nil when there is none. It takes the lock only when what it
// sees may be half of what another program is writing in place.
func (f *File) load(ctx context.Context) (*jsonobj.Document, error) {
	info, err := os.Stat(f.path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, nil
	case err != nil:
		return nil, fmt.Errorf("read the stored models: %w", err)
	case info.Size() > maxFile:
		return nil, fmt.Errorf("the stored models in %s are larger than %d MiB; remove the file", f.path, maxFile>>20)
	}
	text, err := os.ReadFile(f.path)
	if err == nil && strings.TrimSpace(string(text)) != "" {
		if doc, err := jsonobj.Open(f.path, text, jsonobj.Strict); err == nil {
			return doc, nil
		}
	}
	if text, err = lockfile.Read(ctx, f.path, f.options); err != nil {
		if errors.Is(err, fs.ErrNotExist) {
			return nil, nil
		}
		return nil, fmt.Errorf("read the stored models: %w", err)
	}
	return f.open(text)
}

func (f *File) open(text []byte) (*jsonobj.Document, error) {
	doc, err := jsonobj.Open(f.path, text, jsonobj.Strict)
	if err != nil {
		return nil, fmt.Errorf("the stored models can not be read, remove the file: %w", err)
	}
	return doc, nil
}

// WriteList stores the list of a provider; nil removes it.
func (f *File) WriteList(ctx context.Context, provider string, list *ai.ModelList) error {
	return lockfile.Update(ctx, f.path, f.options, func(text []byte) ([]byte, error) {
		doc, err := f.open(text)
		if err != nil {
			return nil, err
		}
		if list == nil {
			if _, there := doc.Get(provider); !there {
				return nil, nil
			}
			_, err = doc.Delete(provider)
			return doc.Bytes(), err
		}
		if err := doc.Set(list, provider); err != nil {
			return nil, err
		}
		return doc.Bytes(), nil
	})
}

// Memory is a store that ends with the program. The zero value is empty. It is safe
// for concurrent use.
type Memory struct {
	mu    sync.Mutex
	lists map[string]ai.ModelList
}

// ReadList gives the list of a provider, nil when there is none.
func (s *Memory) ReadList(_ context.Context, provider string) (*ai.ModelList, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	l, ok := s.lists[provider]
	if !ok {
		return nil, nil
	}
	return &l, nil
}

// WriteList stores the list of a provider; nil removes it.
func (s *Memory) WriteList(_ context.Context, provider string, list *ai.ModelList) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if list == nil {
		delete(s.lists, provider)
		return nil
	}
	if s.lists == nil {
		s.lists = make(map[string]ai.ModelList)
	}
	s.lists[provider] = *list
	return nil
}
