// Package facts reads the catalog's source: one JSON file of facts per
// provider, with defaults left out. It is used by the generator and by tests,
// never by programs.
package facts

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/pi-go/pi/ai"
	"github.com/pi-go/pi/ai/jsonobj"
)

// File is the facts of one provider.
type File struct {
	Schema      int                `json:"schema"`
	Provider    string             `json:"provider"`
	Name        string             `json:"name"`
	BaseURL     string             `json:"baseUrl"`
	Env         []string           `json:"env"`
	OAuth       *OAuth             `json:"oauth"`
	DefaultAPI  string             `json:"defaultApi"`
	APIs        map[string]API     `json:"apis"`
	InputLimits *ai.InputLimits    `json:"inputLimits"`
	PromptCache *ai.CacheLifetimes `json:"promptCache"`
	Headers     map[string]string  `json:"headers"`
	Models      []Entry            `json:"models"`
}

// OAuth names the login of a provider.
type OAuth struct {
	Name         string `json:"name"`
	Subscription bool   `json:"subscription"`
	Label        string `json:"label"`
}

// API is what entries of one protocol share.
type API struct {
	BaseURL string          `json:"baseUrl"`
	Compat  json.RawMessage `json:"compat"`
}

// Entry is one model.
type Entry struct {
	ID             string                       `json:"id"`
	Name           string                       `json:"name"`
	Kind           ai.ModelType                 `json:"kind"`
	API            string                       `json:"api"`
	BaseURL        *string                      `json:"baseUrl"`
	Reasoning      bool                         `json:"reasoning"`
	Input          []string                     `json:"input"`
	Output         []string                     `json:"output"`
	ContextWindow  int64                        `json:"contextWindow"`
	MaxTokens      int64                        `json:"maxTokens"`
	Cost           Cost                         `json:"cost"`
	ThinkingLevels map[ai.ThinkingLevel]*string `json:"thinkingLevels"`
	Compat         json.RawMessage              `json:"compat"`
	InputLimits    Limits                       `json:"inputLimits"`
	PromptCache    *ai.CacheLifetimes           `json:"promptCache"`
	Headers        map[string]string            `json:"headers"`
}

// Cost is the rates of an entry.
type Cost struct {
	Input      float64 `json:"input"`
	Output     float64 `json:"output"`
	CacheRead  float64 `json:"cacheRead"`
	CacheWrite float64 `json:"cacheWrite"`
	Tiers      []Tier  `json:"tiers"`
}

// Tier is the rates of prompts with more than Above tokens.
type Tier struct {
	Above      int64   `json:"above"`
	Input      float64 `json:"input"`
	Output     float64 `json:"output"`
	CacheRead  float64 `json:"cacheRead"`
	CacheWrite float64 `json:"cacheWrite"`
}

// Limits tells an absent value from null.
type Limits struct {
	Set   bool
	Value *ai.InputLimits
}

// UnmarshalJSON implements [json.Unmarshaler].
func (l *Limits) UnmarshalJSON(data []byte) error {
	l.Set = true
	return strict(data, &l.Value)
}

func strict(data []byte, v any) error {
	d := json.NewDecoder(bytes.NewReader(data))
	d.DisallowUnknownFields()
	return d.Decode(v)
}

// LoadDir reads all facts of a folder, sorted by provider.
func LoadDir(dir string) ([]*File, error) {
	paths, err := filepath.Glob(filepath.Join(dir, "*.json"))
	if err != nil {
		return nil, fmt.Errorf("list model facts: %w", err)
	}
	if len(paths) == 0 {
		return nil, fmt.Errorf("no model facts in %s", dir)
	}
	var files []*File
	for _, p := range paths {
		f, err := Load(p)
		if err != nil {
			return nil, err
		}
		files = append(files, f)
	}
	slices.SortFunc(files, func(a, b *File) int { return strings.Compare(a.Provider, b.Provider) })
	return files, nil
}

// Load reads and validates the facts of one provider. Fields that are not
// known are an error.
func Load(path string) (*File, error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, fmt.Errorf("read model facts: %w", err)
	}
	f := new(File)
	if err := strict(data, f); err != nil {
		return nil, fmt.Errorf("read model facts %s: %w", path, err)
	}
	if err := f.validate(); err != nil {
		return nil, fmt.Errorf("model facts %s: %w", path, err)
	}
	return f, nil
}

func (f *File) validate() error {
	var errs []error
	bad := func(format string, args ...any) { errs = append(errs, fmt.Errorf(format, args...)) }
	if f.Schema != 1 {
		bad("schema %d, want 1", f.Schema)
	}
	if f.Provider == "" || f.Name == "" || f.DefaultAPI == "" {
		bad("provider, name and defaultApi are required")
	}
	seen := make(map[string]bool)
	for i := range f.Models {
		e := &f.Models[i]
		switch e.Kind {
		case "", ai.ModelImage, ai.ModelClassifier:
		default:
			bad("model %q: unknown kind %q", e.ID, e.Kind)
		}
		key := string(e.Kind) + " " + e.ID
		switch {
		case e.ID == "":
			bad("model %d has no id", i)
		case seen[key]:
			bad("model %q appears twice", e.ID)
		case strings.ContainsAny(e.ID+e.Name, "\t\n\r"):
			bad("model %q: control characters in id or name", e.ID)
		case e.Kind == "" && (e.ContextWindow <= 0 || e.MaxTokens <= 0):
			bad("model %q: a chat model needs contextWindow and maxTokens", e.ID)
		case e.Kind == ai.ModelImage && !slices.Contains(e.Output, "image"):
			bad("model %q: an image model needs image output", e.ID)
		}
		seen[key] = true
		if api := f.apiOf(e); f.APIs[api].BaseURL == "" && e.BaseURL == nil {
			if _, ok := f.APIs[api]; !ok {
				bad("model %q: protocol %q is not in apis", e.ID, api)
			}
		}
		for level := range e.ThinkingLevels {
			if !slices.Contains(ai.ThinkingLevels(), level) {
				bad("model %q: unknown thinking level %q", e.ID, level)
			}
		}
		c := e.Cost
		for _, rate := range []float64{c.Input, c.Output, c.CacheRead, c.CacheWrite} {
			if rate < 0 {
				bad("model %q: negative price", e.ID)
			}
		}
		if _, err := merge(f.APIs[f.apiOf(e)].Compat, e.Compat); err != nil {
			bad("model %q: compat: %w", e.ID, err)
		}
	}
	return errors.Join(errs...)
}

func (f *File) apiOf(e *Entry) string {
	if e.API != "" {
		return e.API
	}
	return f.DefaultAPI
}

// Resolve applies the defaults and gives the models in file order.
func (f *File) Resolve() ([]*ai.Model, error) {
	models := make([]*ai.Model, 0, len(f.Models))
	for i := range f.Models {
		m, err := f.resolve(&f.Models[i])
		if err != nil {
			return nil, fmt.Errorf("model %s/%s: %w", f.Provider, f.Models[i].ID, err)
		}
		models = append(models, m)
	}
	return models, nil
}

func (f *File) resolve(e *Entry) (*ai.Model, error) {
	api := f.APIs[f.apiOf(e)]
	m := &ai.Model{
		ID: e.ID, Name: e.Name, Type: e.Kind, API: f.apiOf(e), Provider: f.Provider, BaseURL: api.BaseURL,
		Reasoning: e.Reasoning, Input: e.Input, Output: e.Output, ContextWindow: e.ContextWindow, MaxTokens: e.MaxTokens,
		ThinkingLevels: e.ThinkingLevels, PromptCache: f.PromptCache, Headers: f.Headers,
		Cost: ai.Rates{Input: e.Cost.Input, Output: e.Cost.Output, CacheRead: e.Cost.CacheRead, CacheWrite: e.Cost.CacheWrite},
	}
	if m.Name == "" {
		m.Name = m.ID
	}
	if e.BaseURL != nil {
		m.BaseURL = *e.BaseURL
	}
	if m.Input == nil {
		m.Input = []string{"text"}
	}
	for _, t := range e.Cost.Tiers {
		m.Cost.Tiers = append(m.Cost.Tiers, ai.RateTier{InputAbove: t.Above, Input: t.Input, Output: t.Output, CacheRead: t.CacheRead, CacheWrite: t.CacheWrite})
	}
	switch {
	case e.InputLimits.Set:
		m.InputLimits = e.InputLimits.Value
	case m.Accepts("image"):
		m.InputLimits = f.InputLimits
	}
	if e.PromptCache != nil {
		m.PromptCache = e.PromptCache
	}
	if e.Headers != nil {
		m.Headers = e.Headers
	}
	var err error
	m.Compat, err = merge(api.Compat, e.Compat)
	return m, err
}

// merge lays the members of over upon those of base, in order; nil when there
// are none.
func merge(base, over json.RawMessage) (json.RawMessage, error) {
	var names []string
	values := make(map[string]json.RawMessage)
	for _, object := range []json.RawMessage{base, over} {
		if len(object) == 0 {
			continue
		}
		err := jsonobj.Walk(object, func(name string, value json.RawMessage) error {
			if _, known := values[name]; !known {
				names = append(names, name)
			}
			values[name] = value
			return nil
		})
		if err != nil {
			return nil, err
		}
	}
	if len(names) == 0 {
		return nil, nil
	}
	out := []byte{'{'}
	for i, name := range names {
		if i > 0 {
			out = append(out, ',')
		}
		out = jsonobj.AppendString(out, name)
		out = append(out, ':')
		out = append(out, values[name]...)
	}
	var compact bytes.Buffer
	if err := json.Compact(&compact, append(out, '}')); err != nil {
		return nil, err
	}
	return compact.Bytes(), nil
}
