package ai

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"slices"
	"sync"
)

// RefreshOptions say what [Models.Refresh] does.
type RefreshOptions struct {
	// AllowNetwork asks the vendors; otherwise only the stored lists are read.
	AllowNetwork bool
	// Providers are those to refresh; nil means all.
	Providers []string
	// Force asks also when the list there is counts as new; do so after a login,
	// as a list may depend on the account.
	Force bool
}

// RefreshResult says how a refresh went.
type RefreshResult struct {
	// Errors are the failures by provider. A provider that failed keeps the list it
	// had.
	Errors map[string]error
	// Updated are the providers whose list has changed, sorted.
	Updated []string
	// Aborted says that the context ended before all was done.
	Aborted bool
}

// Refresh brings the lists of models up to date: those that were stored, and then,
// if it may, what the vendors say. Only providers that can be asked take part, and
// only configured ones are asked. One that fails does not disturb the others. A newer
// refresh of a provider ends an older one that still runs, which then changes
// nothing.
func (m *Models) Refresh(ctx context.Context, opts RefreshOptions) RefreshResult {
	result := RefreshResult{Errors: make(map[string]error)}
	var mu sync.Mutex
	var wg sync.WaitGroup
	for _, t := range m.turns(opts.Providers) {
		wg.Go(func() {
			p := t.p
			updated, err := t.refresh(ctx, opts)
			mu.Lock()
			defer mu.Unlock()
			if updated {
				result.Updated = append(result.Updated, p.ID())
			}
			if err != nil {
				result.Errors[p.ID()] = err
			}
		})
	}
	wg.Wait()
	slices.Sort(result.Updated)
	result.Aborted = ctx.Err() != nil
	for _, id := range opts.Providers {
		if m.Provider(id) == nil {
			result.Errors[id] = Errorf(KindConfig, "unknown provider %q%s", id, DidYouMean(id, m.providerIDs()))
		}
	}
	return result
}

// turn is one refresh of one provider.
type turn struct {
	m          *Models
	p          Provider
	l          *list
	source     *ListSource
	generation int
}

// turns gives what is to be refreshed; nil means all providers.
func (m *Models) turns(providers []string) []*turn {
	m.mu.RLock()
	defer m.mu.RUnlock()
	var all []*turn
	for _, id := range m.order {
		p := m.providers[id]
		lp, ok := p.(ListProvider)
		if !ok || lp.ListSource() == nil || providers != nil && !slices.Contains(providers, id) {
			continue
		}
		all = append(all, &turn{m: m, p: p, l: m.lists[id], source: lp.ListSource()})
	}
	return all
}

// begin ends an older refresh and gives the list there is.
func (t *turn) begin(cancel context.CancelFunc) *ModelList {
	t.m.mu.Lock()
	defer t.m.mu.Unlock()
	if t.l.cancel != nil {
		t.l.cancel()
	}
	t.l.generation++
	t.l.cancel, t.generation = cancel, t.l.generation
	return t.l.stored
}

func (t *turn) refresh(ctx context.Context, opts RefreshOptions) (updated bool, err error) {
	m, p := t.m, t.p
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	have := t.begin(cancel)
	defer func() {
		if r := recover(); r != nil {
			err = Errorf(KindInternal, "list the models of %s: panic: %v", p.ID(), r)
		}
		m.mu.Lock()
		defer m.mu.Unlock()
		if t.current() {
			t.l.cancel = nil
		} else {
			err = nil // a newer one took over, whose errors count
		}
	}()

	var stored *ModelList
	if m.cfg.Lists != nil {
		if stored, err = m.cfg.Lists.ReadList(ctx, p.ID()); err != nil {
			err = fmt.Errorf("read the stored models of %s: %w", p.ID(), err)
		}
	}
	if stored != nil && (have == nil || stored.CheckedAt > have.CheckedAt) {
		stored.clean(p.ID())
		updated, have = t.publish(stored), stored
	}
	if !opts.AllowNetwork {
		return updated, err
	}
	more, fetchErr := t.ask(ctx, have, opts.Force)
	return updated || more, errors.Join(err, fetchErr)
}

// ask asks the vendor, unless the list there is counts as new.
func (t *turn) ask(ctx context.Context, have *ModelList, force bool) (updated bool, err error) {
	m := t.m
	interval := t.source.Interval
	if interval <= 0 {
		interval = listInterval
	}
	if age := m.cfg.Now().UnixMilli(); !force && have != nil && age >= have.CheckedAt && age-have.CheckedAt < interval.Milliseconds() {
		return false, nil
	}
	if s, err := m.CheckAuth(ctx, t.p.ID()); err != nil || !s.Configured() {
		return false, err
	}
	ctx, cancel := context.WithTimeoutCause(ctx, listTime, fmt.Errorf("no list within %v", listTime))
	defer cancel()
	in, err := m.authInput(ctx, t.p, nil)
	if err != nil {
		return false, err
	}
	resolved, err := m.resolveAuth(ctx, t.p, Options{})
	if err != nil {
		return false, err
	}
	r := &ListRequest{Auth: resolved, Env: in.Env, HTTP: m.http.HTTPClient(), UserAgent: m.cfg.Identity.UserAgent}
	if have != nil {
		r.ETag = have.ETag
	}
	fetched, err := t.source.Fetch(ctx, r)
	switch {
	case errors.Is(err, ErrNotModified) && have != nil:
		same := *have
		same.CheckedAt = m.cfg.Now().UnixMilli()
		return false, t.keep(ctx, &same)
	case errors.Is(err, ErrNoList):
		err := t.keep(ctx, nil)
		return have != nil, err
	case err != nil:
		if ctx.Err() != nil {
			err = context.Cause(ctx)
		}
		secrets := newRedactor(&Call{Model: &Model{Provider: t.p.ID()}, Auth: resolved})
		return false, fmt.Errorf("list the models of %s: %w", t.p.ID(), secrets.error(withoutAddress(err)))
	case fetched == nil:
		return false, fmt.Errorf("list the models of %s: the answer is empty", t.p.ID())
	}
	fetched.CheckedAt = m.cfg.Now().UnixMilli()
	fetched.clean(t.p.ID())
	return true, t.keep(ctx, fetched)
}

// withoutAddress drops the wrapping of net/http, which repeats the address with its
// query, where some vendors want the key.
func withoutAddress(err error) error {
	var failed *url.Error
	if errors.As(err, &failed) {
		return failed.Err
	}
	return err
}

// keep stores a list, nil for none, and then publishes it, unless this turn is over.
// A list that can not be stored is used all the same.
func (t *turn) keep(ctx context.Context, l *ModelList) error {
	t.m.mu.RLock()
	current := t.current()
	t.m.mu.RUnlock()
	if !current {
		return nil
	}
	var err error
	if t.m.cfg.Lists != nil {
		if err = t.m.cfg.Lists.WriteList(context.WithoutCancel(ctx), t.p.ID(), l); err != nil {
			err = fmt.Errorf("store the models of %s: %w", t.p.ID(), err)
		}
	}
	t.publish(l)
	return err
}

// publish makes a list the one that counts; false when this turn is over.
func (t *turn) publish(l *ModelList) bool {
	var merged []*Model
	if l != nil {
		merged = merge(t.p, t.source, l.Models)
	}
	t.m.mu.Lock()
	defer t.m.mu.Unlock()
	if !t.current() {
		return false
	}
	t.l.stored, t.l.merged = l, merged
	return true
}

// current reports whether no newer refresh has begun and the provider is still
// there. m.mu is held.
func (t *turn) current() bool {
	return t.m.lists[t.p.ID()] == t.l && t.l.generation == t.generation
}
