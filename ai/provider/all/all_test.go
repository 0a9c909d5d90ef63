package all_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/pi-go/pi/ai"
	"github.com/pi-go/pi/ai/auth"
	"github.com/pi-go/pi/ai/catalog"
	"github.com/pi-go/pi/ai/provider/all"
)

// Every provider of the catalog is here, except those whose protocol is not, and
// each of its chat models has a protocol.
func TestProviders(t *testing.T) {
	var missing []string
	list := all.Providers()
	for _, c := range catalog.All() {
		at := slices.IndexFunc(list, func(p ai.Provider) bool { return p.ID() == c.ID() })
		if at < 0 {
			missing = append(missing, c.ID())
			continue
		}
		p := list[at]
		if p.Name() != c.Name() {
			t.Errorf("%s is named %q, want %q", p.ID(), p.Name(), c.Name())
		}
		if (c.Login().Name != "") != (p.Auth().OAuth != nil) {
			t.Errorf("%s: the catalog offers the login %q", p.ID(), c.Login().Name)
		}
		if m := p.Auth().OAuth; m != nil && m.Name() != c.Login().Name {
			t.Errorf("%s: the login is named %q, want %q", p.ID(), m.Name(), c.Login().Name)
		}
		if _, ok := p.Auth().APIKey.(auth.KeyLogin); !ok && p.Auth().APIKey != nil {
			t.Errorf("%s: a key can not be stored", p.ID())
		}
		for _, m := range p.Models() {
			if m.Type != "" {
				continue
			}
			if _, err := p.API(m); err != nil {
				t.Error(err)
			}
		}
	}
	want := []string{"typesafe"}
	if !slices.Equal(missing, want) {
		t.Errorf("missing %v, want %v", missing, want)
	}
	if !slices.IsSortedFunc(list, func(a, b ai.Provider) int { return strings.Compare(a.ID(), b.ID()) }) {
		t.Error("the list is not sorted")
	}
}

// Each protocol that a provider speaks can also be named by a person's own models.
func TestAPIs(t *testing.T) {
	var names []string
	for _, api := range all.APIs() {
		names = append(names, api.ID())
	}
	if !slices.IsSorted(names) {
		t.Errorf("the list is not sorted: %v", names)
	}
	for _, p := range all.Providers() {
		for _, m := range p.Models() {
			if m.Type == "" && !slices.Contains(names, m.API) {
				t.Fatalf("%s/%s speaks %s, which is not among %v", p.ID(), m.ID, m.API, names)
			}
		}
	}
}

// What starting a program with every provider costs.
func BenchmarkProviders(b *testing.B) {
	b.ReportAllocs()
	for b.Loop() {
		if len(all.Providers()) == 0 {
			b.Fatal("none")
		}
	}
}
