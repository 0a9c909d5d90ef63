package auth

import (
	"context"
	"slices"
	"strings"
	"sync"
)

// MemoryStore keeps credentials in memory. Make one with [NewMemoryStore].
type MemoryStore struct {
	mu     sync.Mutex
	stored map[string]*Credential
	turns  map[string]chan struct{} // holds one token while a Modify runs
}

// NewMemoryStore makes a store with copies of these credentials; nil is an
// empty one.
func NewMemoryStore(credentials map[string]*Credential) *MemoryStore {
	s := &MemoryStore{stored: make(map[string]*Credential), turns: make(map[string]chan struct{})}
	for provider, c := range credentials {
		s.stored[provider] = c.Clone()
	}
	return s
}

// Read gives a copy of a provider's credential, nil when there is none. It
// does not wait for a Modify that runs.
func (s *MemoryStore) Read(_ context.Context, provider string) (*Credential, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.stored[provider].Clone(), nil
}

// List says which providers have credentials, sorted by provider.
func (s *MemoryStore) List(context.Context) ([]Info, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	var list []Info
	for provider, c := range s.stored {
		list = append(list, Info{provider, c.Type})
	}
	slices.SortFunc(list, func(a, b Info) int { return strings.Compare(a.Provider, b.Provider) })
	return list, nil
}

// Modify changes a provider's credential; see [Store].
func (s *MemoryStore) Modify(ctx context.Context, provider string, change func(*Credential) (*Credential, error)) (*Credential, error) {
	s.mu.Lock()
	turn := s.turns[provider]
	if turn == nil {
		turn = make(chan struct{}, 1)
		s.turns[provider] = turn
	}
	s.mu.Unlock()
	select {
	case turn <- struct{}{}:
		defer func() { <-turn }()
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
	old, err := s.Read(ctx, provider)
	if err != nil {
		return nil, err
	}
	c, err := change(old)
	if err != nil {
		return nil, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if c == nil {
		delete(s.stored, provider)
		return nil, nil
	}
	s.stored[provider] = c.Clone()
	return c, nil
}
