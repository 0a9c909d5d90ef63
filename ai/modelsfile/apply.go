package modelsfile

import (
	"context"
	"fmt"
	"maps"
	"slices"

	"github.com/pi-go/pi/ai"
	"github.com/pi-go/pi/ai/provider/radius"
)

// Protocols are what models may speak, by what the models are for.
type Protocols struct {
	Chat        []ai.API
	Images      []ai.ImageAPI
	Classifiers []ai.ClassifierAPI
}

// Config says what the entries of a file are made of.
type Config struct {
	// Protocols are those that models may name.
	Protocols Protocols
	// Resolve expands "$NAME" and "!command" in keys and headers before each request;
	// nil leaves them as they are.
	Resolve func(ctx context.Context, value string) (string, error)
}

// Apply changes the providers that the file speaks of and adds those that only it has.
// The list it is given stays as it is. changed are those of the result that the file has
// to do with, by id; their Amend belongs into the collection's. An entry that can not be
// used is told in faults, and its provider left as it was, or out.
func (f *File) Apply(c Config, providers []ai.Provider) (all []ai.Provider, changed map[string]*Provider, faults []error) {
	all, changed = slices.Clone(providers), make(map[string]*Provider)
	for _, id := range slices.Sorted(maps.Keys(f.Providers)) {
		entry := f.Providers[id]
		at := slices.IndexFunc(all, func(p ai.Provider) bool { return p.ID() == id })
		p := &Provider{id: id, file: f, entry: entry, protocols: c.Protocols, resolve: c.Resolve}
		switch {
		case entry.OAuth == "radius":
			p.base = radius.Gateway{ID: id, Name: entry.Name, Address: entry.BaseURL}.New()
		case at >= 0:
			p.base = all[at]
		}
		var builtin []*ai.Model
		if p.base != nil {
			builtin = p.base.Models()
		}
		var err error
		if p.models, p.own, err = entry.build(f, id, builtin); err != nil {
			outcome := "left as it was"
			if at < 0 {
				outcome = "left out"
			}
			faults = append(faults, fmt.Errorf("%w; the provider is %s", err, outcome))
			continue
		}
		faults = append(faults, p.check()...)
		changed[id] = p
		if at >= 0 {
			all[at] = p
		} else {
			all = append(all, p)
		}
	}
	return all, changed, faults
}
