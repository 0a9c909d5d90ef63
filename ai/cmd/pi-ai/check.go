package main

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"time"

	"github.com/pi-go/pi/ai"
)

// atOnce is how many providers are tried at the same time.
const atOnce = 8

// check sends the smallest request to each provider that is configured, or to those
// that are named, and looks whether the models that settings.json names are known.
func (a *app) check(ctx context.Context, args []string) error {
	list, err := a.toCheck(ctx, args)
	if err != nil {
		return err
	}
	bad := a.tryAll(ctx, list)
	total := len(list)
	if len(args) == 0 {
		unknown, known := a.unknownModels()
		for _, line := range unknown {
			fmt.Fprintln(a.out, line)
		}
		bad, total = bad+len(unknown), total+len(unknown)+known
	}
	switch {
	case total == 0:
		return errors.New("no provider is configured; pi-ai status says how to")
	case bad > 0:
		return fmt.Errorf("%d of %d failed", bad, total)
	}
	return nil
}

// toCheck picks a model of each provider.
func (a *app) toCheck(ctx context.Context, args []string) ([]*ai.Model, error) {
	var list []*ai.Model
	for _, arg := range args {
		if strings.Contains(arg, "/") {
			m, err := a.model(arg)
			if err != nil {
				return nil, err
			}
			list = append(list, m)
			continue
		}
		p, err := a.provider([]string{arg})
		if err != nil {
			return nil, err
		}
		m := ai.Cheapest(a.models.List(p.ID()))
		if m == nil {
			return nil, fmt.Errorf("provider %s has no chat model to try", p.ID())
		}
		list = append(list, m)
	}
	if len(args) > 0 {
		return list, nil
	}
	available := make(map[string][]*ai.Model)
	for _, m := range a.models.Available(ctx) {
		available[m.Provider] = append(available[m.Provider], m)
	}
	for _, p := range a.models.Providers() {
		if m := ai.Cheapest(available[p.ID()]); m != nil {
			list = append(list, m)
		}
	}
	return list, nil
}

// tryAll tries the models at the same time, shows how it went in their order, and
// counts the failures.
func (a *app) tryAll(ctx context.Context, list []*ai.Model) (bad int) {
	type result struct {
		line string
		ok   bool
	}
	results := make([]chan result, len(list))
	slots := make(chan struct{}, atOnce)
	var wg sync.WaitGroup
	for i, m := range list {
		results[i] = make(chan result, 1)
		wg.Go(func() {
			slots <- struct{}{}
			defer func() { <-slots }()
			line, ok := a.try(ctx, m)
			results[i] <- result{line, ok}
		})
	}
	for _, r := range results {
		r := <-r
		fmt.Fprintln(a.out, r.line)
		if !r.ok {
			bad++
		}
	}
	wg.Wait()
	return bad
}

// try sends a very small request.
func (a *app) try(ctx context.Context, m *ai.Model) (line string, ok bool) {
	took, err := a.models.Probe(ctx, m)
	if err == nil {
		return fmt.Sprintf("%s  ok (%v)", m.Ref(), took.Round(time.Millisecond)), true
	}
	kind := ai.KindUnknown
	var failure *ai.APIError
	if errors.As(err, &failure) {
		kind = failure.Kind
	}
	return fmt.Sprintf("%s  FAILED (%s): %v", m.Ref(), kind, err), false
}

// unknownModels looks up the models that settings.json names. Those of providers that
// neither are built in nor stand in models.json are only told: an extension of pi may
// bring them.
func (a *app) unknownModels() (unknown []string, known int) {
	refs, err := a.home.configured()
	if err != nil {
		return []string{"settings.json  FAILED (config): " + err.Error()}, 0
	}
	for _, ref := range refs {
		provider, id, _ := strings.Cut(ref, "/")
		if a.models.Provider(provider) == nil {
			fmt.Fprintf(a.out, "%s  not checked: provider %s is neither built in nor in models.json; an extension of pi may add it\n", ref, provider)
			continue
		}
		_, err := a.models.Model(provider, id)
		if err != nil {
			if at := strings.LastIndexByte(id, ':'); at > 0 { // a level of thinking may follow
				_, err = a.models.Model(provider, id[:at])
			}
		}
		if err == nil {
			known++
			continue
		}
		unknown = append(unknown, fmt.Sprintf("%s  FAILED (config): settings.json names it, but %v", ref, err))
	}
	return unknown, known
}
