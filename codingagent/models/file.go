package models

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/pi-go/pi/ai"
	"github.com/pi-go/pi/ai/jsonobj"
)

// Defaults of a model in models.json that leaves them out.
const (
	defaultContextWindow = 128_000
	defaultMaxTokens     = 16_384
)

// File is a models.json: providers that are added, and changes to built-in
// ones.
type File struct {
	Providers map[string]*FileProvider
}

// FileProvider is one entry of a models.json.
type FileProvider struct {
	Name    string `json:"name"`
	BaseURL string `json:"baseUrl"`
	// APIKey and the values of Headers may be literals, "$NAME" or
	// "!command"; see [github.com/pi-go/pi/ai/auth.Resolver].
	APIKey  string            `json:"apiKey"`
	API     string            `json:"api"`
	Headers map[string]string `json:"headers"`
	// AuthHeader sends the key as "Authorization: Bearer" in every protocol.
	AuthHeader bool `json:"authHeader"`
	// OAuthClientID is who signs in, where a vendor wants programs to be registered.
	OAuthClientID string `json:"oauthClientId"`
	// Compat holds defaults for all its models.
	Compat         json.RawMessage            `json:"compat"`
	Models         []json.RawMessage          `json:"models"`
	ModelOverrides map[string]json.RawMessage `json:"modelOverrides"`
}

// fileModel is a model as the file writes it; pointers tell what is set.
type fileModel struct {
	ID             string                                          `json:"id"`
	Name           *string                                         `json:"name"`
	API            *string                                         `json:"api"`
	BaseURL        *string                                         `json:"baseUrl"`
	Reasoning      *bool                                           `json:"reasoning"`
	ThinkingLevels map[ai.ThinkingLevel]*string                    `json:"thinkingLevelMap"`
	Input          []string                                        `json:"input"`
	InputLimits    json.RawMessage                                 `json:"inputLimits"`
	Cost           json.RawMessage                                 `json:"cost"`
	PromptCache    *ai.CacheLifetimes                              `json:"promptCache"`
	ContextWindow  *int64                                          `json:"contextWindow"`
	MaxTokens      *int64                                          `json:"maxTokens"`
	Sampling       map[string]json.RawMessage                      `json:"samplingParams"`
	SamplingLevels map[ai.ThinkingLevel]map[string]json.RawMessage `json:"samplingParamsByThinkingLevel"`
	Headers        map[string]string                               `json:"headers"`
	Compat         json.RawMessage                                 `json:"compat"`
}

// ParseFile reads a models.json. Comments, trailing commas and a byte order
// mark are fine. Errors name the file, the line and what was expected.
func ParseFile(path string, data []byte) (*File, error) {
	strict, err := jsonobj.Relax(data)
	if err != nil {
		return nil, fmt.Errorf("%s:%w", path, err)
	}
	if len(strings.TrimSpace(string(strict))) == 0 {
		return &File{}, nil
	}
	var top struct {
		Providers map[string]json.RawMessage `json:"providers"`
	}
	if err := json.Unmarshal(strict, &top); err != nil {
		return nil, located(path, data, err)
	}
	if top.Providers == nil {
		return nil, fmt.Errorf("%s:1: expected an object with the key \"providers\"", path)
	}
	f := &File{Providers: make(map[string]*FileProvider, len(top.Providers))}
	if err := json.Unmarshal(strict, &struct {
		Providers *map[string]*FileProvider `json:"providers"`
	}{&f.Providers}); err != nil {
		return nil, located(path, data, err)
	}
	for _, id := range slices.Sorted(maps.Keys(f.Providers)) {
		if err := f.Providers[id].check(id); err != nil {
			return nil, fmt.Errorf("%s:%d: %w", path, lineOf(data, id), err)
		}
	}
	return f, nil
}

func (p *FileProvider) check(id string) error {
	if p == nil {
		return fmt.Errorf("provider %q: expected an object", id)
	}
	for i, m := range p.Models {
		var fm fileModel
		if err := json.Unmarshal(m, &fm); err != nil {
			return fmt.Errorf("provider %q, model %d: %w", id, i+1, expected(err))
		}
		switch {
		case fm.ID == "":
			return fmt.Errorf("provider %q, model %d: expected an \"id\"", id, i+1)
		case fm.ContextWindow != nil && *fm.ContextWindow <= 0:
			return fmt.Errorf("provider %q, model %q: contextWindow: expected a number above 0", id, fm.ID)
		case fm.MaxTokens != nil && *fm.MaxTokens <= 0:
			return fmt.Errorf("provider %q, model %q: maxTokens: expected a number above 0", id, fm.ID)
		}
	}
	for model, o := range p.ModelOverrides {
		var fm fileModel
		if err := json.Unmarshal(o, &fm); err != nil {
			return fmt.Errorf("provider %q, override of %q: %w", id, model, expected(err))
		}
	}
	return nil
}

// expected puts a type error into words a person can act on.
func expected(err error) error {
	var typ *json.UnmarshalTypeError
	if !errors.As(err, &typ) {
		return err
	}
	want := map[string]string{
		"string": "a text", "bool": "true or false", "int64": "a whole number", "float64": "a number",
		"slice": "a list", "map": "an object", "struct": "an object",
	}[typ.Type.Kind().String()]
	if want == "" {
		want = typ.Type.String()
	}
	if typ.Field == "" {
		return fmt.Errorf("expected %s, found %s", want, withArticle(typ.Value))
	}
	return fmt.Errorf("%s: expected %s, found %s", typ.Field, want, withArticle(typ.Value))
}

func withArticle(noun string) string {
	if strings.HasPrefix(noun, "array") || strings.HasPrefix(noun, "object") {
		return "an " + noun
	}
	return "a " + noun
}

// located names the line of an error of encoding/json. Relax keeps offsets.
func located(path string, data []byte, err error) error {
	var typ *json.UnmarshalTypeError
	if errors.As(err, &typ) {
		return fmt.Errorf("%s:%d: %w", path, lineAt(data, int(typ.Offset)), expected(err))
	}
	return fmt.Errorf("%s: %w", path, err)
}

func lineAt(data []byte, offset int) int {
	return strings.Count(string(data[:min(max(offset, 0), len(data))]), "\n") + 1
}

// lineOf is the line on which a key first appears.
func lineOf(data []byte, key string) int {
	quoted, err := json.Marshal(key)
	if err != nil {
		return 1
	}
	return lineAt(data, strings.Index(string(data), string(quoted)))
}

// isAddress reports whether a baseUrl may be one. What follows the scheme is not
// looked at, since vendors have placeholders in it.
func isAddress(s string) bool {
	scheme, _, ok := strings.Cut(strings.ToLower(s), "://")
	return s == "" || ok && (scheme == "http" || scheme == "https")
}

// ids are those of the models that the file defines.
func (p *FileProvider) ids() map[string]bool {
	ids := make(map[string]bool, len(p.Models))
	for _, m := range p.Models {
		var fm fileModel
		if json.Unmarshal(m, &fm) == nil { // it was checked
			ids[fm.ID] = true
		}
	}
	return ids
}

// models gives the models of a provider: the built-in ones with overrides,
// then those the file adds or replaces.
func (p *FileProvider) models(id string, builtin []*ai.Model) ([]*ai.Model, error) {
	if builtin == nil && len(p.Models) == 0 {
		return nil, fmt.Errorf("provider %s: no \"models\" are listed", id)
	}
	if !isAddress(p.BaseURL) {
		return nil, fmt.Errorf("provider %s: baseUrl is %q; it must begin with http:// or https://", id, p.BaseURL)
	}
	var out []*ai.Model
	for _, m := range builtin {
		m := new(*m)
		if p.BaseURL != "" {
			m.BaseURL = p.BaseURL
		}
		m.Compat = mergeObjects(p.Compat, m.Compat)
		if o, ok := p.ModelOverrides[m.ID]; ok {
			var fm fileModel
			if err := json.Unmarshal(o, &fm); err != nil {
				return nil, fmt.Errorf("override of %s/%s: %w", id, m.ID, err)
			}
			fm.apply(m)
		}
		out = append(out, m)
	}
	for _, raw := range p.Models {
		var fm fileModel
		if err := json.Unmarshal(raw, &fm); err != nil {
			return nil, fmt.Errorf("model of %s: %w", id, err)
		}
		m := &ai.Model{
			ID: fm.ID, Name: fm.ID, Provider: id, Input: []string{"text"},
			ContextWindow: defaultContextWindow, MaxTokens: defaultMaxTokens, Compat: p.Compat,
		}
		m.API, m.BaseURL = p.origin(fm, builtin)
		fm.apply(m)
		if m.API == "" {
			return nil, fmt.Errorf("model %s/%s: no \"api\" is given, for the model or the provider; openai-completions and anthropic-messages are the usual ones", id, fm.ID)
		}
		if m.BaseURL == "" {
			return nil, fmt.Errorf("model %s/%s: no \"baseUrl\" is given, for the model or the provider", id, fm.ID)
		}
		if !isAddress(m.BaseURL) {
			return nil, fmt.Errorf("model %s/%s: baseUrl is %q; it must begin with http:// or https://", id, fm.ID, m.BaseURL)
		}
		if at := slices.IndexFunc(out, func(o *ai.Model) bool { return o.ID == m.ID }); at >= 0 {
			out[at] = m
		} else {
			out = append(out, m)
		}
	}
	return out, nil
}

// origin gives protocol and address for a model that does not name its own:
// the provider's, else those of the built-in model it replaces, else those of
// a built-in model of the same protocol, else those of any.
func (p *FileProvider) origin(fm fileModel, builtin []*ai.Model) (api, baseURL string) {
	api, baseURL = p.API, p.BaseURL
	if fm.API != nil {
		api = *fm.API
	}
	for _, rule := range []func(m *ai.Model) bool{
		func(m *ai.Model) bool { return m.ID == fm.ID },
		func(m *ai.Model) bool { return m.API == api },
		func(m *ai.Model) bool { return api == "" && m.API == "openai-completions" },
		func(m *ai.Model) bool { return api == "" },
	} {
		for _, m := range builtin {
			if rule(m) {
				if api == "" {
					api = m.API
				}
				if baseURL == "" {
					baseURL = m.BaseURL
				}
			}
		}
	}
	return api, baseURL
}

// apply sets what the file says on a model.
func (fm *fileModel) apply(m *ai.Model) {
	set(&m.Name, fm.Name)
	set(&m.API, fm.API)
	set(&m.BaseURL, fm.BaseURL)
	set(&m.Reasoning, fm.Reasoning)
	set(&m.ContextWindow, fm.ContextWindow)
	set(&m.MaxTokens, fm.MaxTokens)
	if fm.Input != nil {
		m.Input = fm.Input
	}
	m.ThinkingLevels = mergeMaps(m.ThinkingLevels, fm.ThinkingLevels)
	m.Headers = mergeMaps(m.Headers, fm.Headers)
	m.SamplingParams = mergeMaps(m.SamplingParams, fm.Sampling)
	m.SamplingParamsByThinkingLevel = mergeMaps(m.SamplingParamsByThinkingLevel, fm.SamplingLevels)
	m.Compat = mergeObjects(m.Compat, fm.Compat)
	if fm.PromptCache != nil {
		m.PromptCache = fm.PromptCache
	}
	if len(fm.Cost) > 0 {
		// Rates that the file leaves out keep their value; errors were
		// reported when the file was read.
		_ = json.Unmarshal(fm.Cost, &m.Cost)
	}
	if len(fm.InputLimits) > 0 {
		limits := new(ai.InputLimits)
		if m.InputLimits != nil {
			*limits = *m.InputLimits
		}
		if json.Unmarshal(fm.InputLimits, limits) == nil {
			m.InputLimits = limits
		}
	}
}

func set[T any](p *T, v *T) {
	if v != nil {
		*p = *v
	}
}

func mergeMaps[K comparable, V any](base, over map[K]V) map[K]V {
	if len(over) == 0 {
		return base
	}
	out := maps.Clone(base)
	if out == nil {
		out = make(map[K]V, len(over))
	}
	maps.Copy(out, over)
	return out
}

// mergeObjects merges two JSON objects key by key; objects inside them merge
// too, anything else is replaced.
func mergeObjects(base, over json.RawMessage) json.RawMessage {
	if len(over) == 0 {
		return base
	}
	if len(base) == 0 {
		return over
	}
	var b, o map[string]json.RawMessage
	if json.Unmarshal(base, &b) != nil || json.Unmarshal(over, &o) != nil {
		return over
	}
	for k, v := range o {
		if old, ok := b[k]; ok && len(old) > 0 && old[0] == '{' && len(v) > 0 && v[0] == '{' {
			v = mergeObjects(old, v)
		}
		b[k] = v
	}
	out, err := json.Marshal(b) // sorted keys: the same bytes each time
	if err != nil {
		return over
	}
	return out
}
