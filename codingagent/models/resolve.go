package models

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/pi-go/pi/ai"
)

// Choice is a model someone asked for.
type Choice struct {
	Model *ai.Model
	// Thinking is the level that was named with it, "" if none was.
	Thinking ai.ThinkingLevel
}

// Catalog is what references are resolved against.
type Catalog struct {
	// Models are all chat models that are known.
	Models []*ai.Model
	// Providers are the ids of all providers.
	Providers []string
	// Configured reports whether a provider has credentials. It breaks ties;
	// nil means that none has.
	Configured func(provider string) bool
}

// Resolve finds the model that a reference means: [provider/]id-or-text with
// an optional :level at the end. Exact ids come before parts of ids and
// names; among several, those of configured providers; then a plain name
// before a dated one, and the higher version. A tie between providers is an
// error that lists them. provider, if not empty, restricts the search.
func (c Catalog) Resolve(ref, provider string) (Choice, error) {
	if provider != "" {
		id := c.providerID(provider)
		if id == "" {
			return Choice{}, fmt.Errorf("unknown provider %q%s", provider, ai.DidYouMean(provider, c.Providers))
		}
		c.Models = slices.DeleteFunc(slices.Clone(c.Models), func(m *ai.Model) bool { return m.Provider != id })
		// The provider may be named twice.
		if rest, ok := cutFold(ref, id+"/"); ok && c.exact(ref) == nil {
			ref = rest
		}
	}
	return c.resolve(ref, ref)
}

func (c Catalog) resolve(ref, asked string) (Choice, error) {
	if strings.TrimSpace(ref) == "" {
		return Choice{}, fmt.Errorf("the model's name is empty")
	}
	if found := c.candidates(ref); len(found) > 0 {
		m, err := c.pick(found, asked)
		return Choice{Model: m}, err
	}
	if at := strings.LastIndexByte(ref, ':'); at > 0 && slices.Contains(ai.ThinkingLevels(), ai.ThinkingLevel(ref[at+1:])) {
		choice, err := c.resolve(ref[:at], asked)
		choice.Thinking = ai.ThinkingLevel(ref[at+1:])
		return choice, err
	}
	return Choice{}, c.notFound(ref, asked)
}

// candidates gives the models a reference can mean: exact matches if there
// are any, else those of the best kind of partial match.
func (c Catalog) candidates(ref string) []*ai.Model {
	if found := c.exact(ref); found != nil {
		return found
	}
	if provider, text := c.cutProvider(ref); provider != "" {
		return c.partial(text, provider)
	}
	return c.partial(ref, "")
}

func (c Catalog) exact(ref string) []*ai.Model {
	var found []*ai.Model
	for _, m := range c.Models {
		if strings.EqualFold(m.ID, ref) || strings.EqualFold(m.Ref(), ref) {
			found = append(found, m)
		}
	}
	return found
}

// partial finds models whose id or name contains text, best first.
func (c Catalog) partial(text, provider string) []*ai.Model {
	if text == "" {
		return nil
	}
	low := strings.ToLower(text)
	var found []*ai.Model
	for _, m := range c.Models {
		if provider != "" && m.Provider != provider {
			continue
		}
		if strings.Contains(strings.ToLower(m.ID), low) || strings.Contains(strings.ToLower(m.Name), low) {
			found = append(found, m)
		}
	}
	if len(found) == 0 {
		return nil
	}
	if known := c.configured(found); len(known) > 0 {
		found = known
	}
	slices.SortStableFunc(found, better)
	best := found[0]
	// The same id at several providers stays ambiguous; pick decides.
	return slices.DeleteFunc(found, func(m *ai.Model) bool { return m.ID != best.ID })
}

func (c Catalog) configured(list []*ai.Model) []*ai.Model {
	var out []*ai.Model
	for _, m := range list {
		if c.Configured != nil && c.Configured(m.Provider) {
			out = append(out, m)
		}
	}
	return out
}

// pick chooses among candidates of equal rank.
func (c Catalog) pick(found []*ai.Model, asked string) (*ai.Model, error) {
	if len(found) == 1 {
		return found[0], nil
	}
	known := c.configured(found)
	if len(known) == 1 {
		return known[0], nil
	}
	// "provider/id" names one of them outright.
	for _, m := range found {
		if strings.EqualFold(m.Ref(), asked) || strings.HasPrefix(strings.ToLower(asked), strings.ToLower(m.Ref())+":") {
			if len(known) == 0 || slices.Contains(known, m) {
				return m, nil
			}
		}
	}
	var refs []string
	for _, m := range found {
		refs = append(refs, m.Ref())
	}
	why := "none of them has credentials"
	if len(known) > 1 {
		why = "more than one of them has credentials"
	}
	return nil, fmt.Errorf("model %q is ambiguous (%s): %s", asked, why, strings.Join(refs, ", "))
}

func (c Catalog) notFound(ref, asked string) error {
	var ids []string
	text := ref
	provider, rest := c.cutProvider(ref)
	if provider != "" {
		text = rest
	}
	for _, m := range c.Models {
		if provider == "" || m.Provider == provider {
			ids = append(ids, m.ID)
		}
	}
	near := ai.Nearest(text, ids, 3)
	if provider != "" {
		for i, id := range near {
			near[i] = provider + "/" + id
		}
	}
	if len(near) == 0 && provider == "" {
		if head, _, ok := strings.Cut(ref, "/"); ok {
			if p := ai.Nearest(head, c.Providers, 1); len(p) > 0 && !slices.Contains(c.Providers, head) {
				return fmt.Errorf("model %q is not known: there is no provider %q; did you mean %s? --list-models shows the models", asked, head, p[0])
			}
			return fmt.Errorf("model %q is not known: there is no provider %q; models.json can add one; --list-models shows the models", asked, head)
		}
	}
	msg := fmt.Sprintf("model %q is not known; ", asked)
	if len(near) > 0 {
		msg += "did you mean " + strings.Join(near, ", ") + "? "
	}
	if provider != "" {
		msg += fmt.Sprintf("a model that %s has and this program does not know can be added to models.json; ", provider)
	}
	return errors.New(msg + "--list-models shows the models")
}

// cutProvider splits "provider/rest" at the longest known provider id.
func (c Catalog) cutProvider(ref string) (provider, rest string) {
	for _, p := range c.Providers {
		if tail, ok := cutFold(ref, p+"/"); ok && len(p) > len(provider) {
			provider, rest = p, tail
		}
	}
	return provider, rest
}

func (c Catalog) providerID(name string) string {
	for _, p := range c.Providers {
		if strings.EqualFold(p, name) {
			return p
		}
	}
	return ""
}

func cutFold(s, prefix string) (string, bool) {
	if len(s) >= len(prefix) && strings.EqualFold(s[:len(prefix)], prefix) {
		return s[len(prefix):], true
	}
	return s, false
}

// better orders models of a partial match: plain names before dated ones and
// variants, then the higher version, then the shorter id.
func better(a, b *ai.Model) int {
	return cmp.Or(
		cmp.Compare(oddness(a.ID), oddness(b.ID)),
		-compareVersions(a.ID, b.ID),
		cmp.Compare(len(a.ID), len(b.ID)),
		cmp.Compare(a.ID, b.ID),
	)
}

// oddness counts what makes an id a special form: a date, a :variant.
func oddness(id string) int {
	n := 0
	if strings.Contains(id, ":") {
		n += 2
	}
	if dated(id) {
		n++
	}
	return n
}

// dated reports whether an id ends in a date (-20251101 or -2025-11-01).
func dated(id string) bool {
	digits := strings.ReplaceAll(id[max(0, len(id)-10):], "-", "")
	if len(digits) < 8 {
		return false
	}
	digits = digits[len(digits)-8:]
	for _, r := range digits {
		if r < '0' || r > '9' {
			return false
		}
	}
	return strings.HasPrefix(digits, "20")
}

// compareVersions compares ids with runs of digits taken as numbers, so that
// claude-sonnet-10 comes after claude-sonnet-5.
func compareVersions(a, b string) int {
	for a != "" && b != "" {
		na, ra := leadingNumber(a)
		nb, rb := leadingNumber(b)
		if na >= 0 && nb >= 0 {
			if na != nb {
				return cmp.Compare(na, nb)
			}
			a, b = ra, rb
			continue
		}
		if a[0] != b[0] {
			return cmp.Compare(a[0], b[0])
		}
		a, b = a[1:], b[1:]
	}
	return cmp.Compare(len(a), len(b))
}

// leadingNumber gives the number at the start of s, -1 when there is none.
func leadingNumber(s string) (n int, rest string) {
	i := 0
	for i < len(s) && i < 9 && s[i] >= '0' && s[i] <= '9' {
		n = n*10 + int(s[i]-'0')
		i++
	}
	if i == 0 {
		return -1, s
	}
	return n, s[i:]
}
