package modelsfile

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"

	"github.com/pi-go/pi/ai"
)

// Defaults of a model in models.json that leaves them out.
const (
	defaultContextWindow = 128_000
	defaultMaxTokens     = 16_384
)

// build makes the models of a provider: the built-in ones with overrides, then those
// the file adds or replaces. own tells at which place in the file the latter are.
func (p *Entry) build(f *File, id string, builtin []*ai.Model) (models []*ai.Model, own map[*ai.Model]int, err error) {
	if builtin == nil && len(p.Models) == 0 && p.OAuth == "" {
		return nil, nil, f.errorAt(`no "models" are listed, and this is no built-in provider`, "providers", id)
	}
	own = make(map[*ai.Model]int)
	var list modelList
	for _, m := range builtin {
		list.add(p.changed(m))
	}
	for i := range p.Models {
		m, err := p.added(f, id, i, builtin)
		if err != nil {
			return nil, nil, err
		}
		own[m] = i
		list.replace(m)
	}
	return list.models, own, nil
}

// modelList is models in order, with where each id is: files may hold many.
type modelList struct {
	models []*ai.Model
	at     map[string][]int
}

// add puts a model at the end.
func (l *modelList) add(m *ai.Model) {
	if l.at == nil {
		l.at = make(map[string][]int)
	}
	l.at[m.ID] = append(l.at[m.ID], len(l.models))
	l.models = append(l.models, m)
}

// replace puts a model in the place of the one that is the same, or at the end.
func (l *modelList) replace(m *ai.Model) {
	for _, i := range l.at[m.ID] {
		if m.Same(l.models[i]) {
			l.models[i] = m
			return
		}
	}
	l.add(m)
}

// changed gives a model that is not the file's with what the file says about it.
func (p *Entry) changed(m *ai.Model) *ai.Model {
	m = new(*m)
	if p.BaseURL != "" && p.OAuth == "" { // a gateway says itself where its models are
		m.BaseURL = p.BaseURL
	}
	m.Compat = mergeObjects(m.Compat, p.Compat)
	if o := p.ModelOverrides[m.ID]; o != nil {
		o.apply(m)
	}
	return m
}

// added makes the model that the file lists at a place.
func (p *Entry) added(f *File, id string, i int, builtin []*ai.Model) (*ai.Model, error) {
	fm := &p.Models[i]
	m := &ai.Model{
		ID: fm.ID, Name: fm.ID, Type: fm.Type, Provider: id, Input: []string{"text"}, Output: fm.Output,
		ContextWindow: defaultContextWindow, MaxTokens: defaultMaxTokens, Compat: p.Compat,
	}
	m.API, m.BaseURL = p.origin(fm, builtin)
	fm.apply(m)
	if m.Type == ai.ModelChat {
		m.Type = "" // as everywhere else
	}
	example := "openai-completions and anthropic-messages are the usual ones"
	if m.Type == ai.ModelImage {
		example = "openrouter-images is one"
		if m.Output == nil {
			m.Output = []string{"image"}
		}
	} else if m.Type == ai.ModelClassifier {
		example = "typesafe-system-one and openai-decisions are some"
	}
	switch {
	case m.API == "":
		return nil, f.errorAt(fmt.Sprintf("model %s/%s: no \"api\" is given, for the model or the provider; %s", id, fm.ID, example), "providers", id, "models", i)
	case m.BaseURL == "":
		return nil, f.errorAt(fmt.Sprintf("model %s/%s: no \"baseUrl\" is given, for the model or the provider", id, fm.ID), "providers", id, "models", i)
	}
	return m, nil
}

// origin gives protocol and address for a model that does not name its own:
// the provider's, else those of the built-in model it replaces, else those of
// a built-in model of the same protocol, else those of any. A provider's protocol is
// one of chat models.
func (p *Entry) origin(fm *Model, builtin []*ai.Model) (api, baseURL string) {
	kind := func(t ai.ModelType) ai.ModelType { return cmp.Or(t, ai.ModelChat) }
	baseURL = p.BaseURL
	if kind(fm.Type) == ai.ModelChat {
		api = p.API
	}
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
			if kind(m.Type) == kind(fm.Type) && rule(m) {
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
func (fm *Model) apply(m *ai.Model) {
	set(&m.Name, fm.Name)
	set(&m.API, fm.API)
	set(&m.BaseURL, fm.BaseURL)
	set(&m.Reasoning, fm.Reasoning)
	set(&m.ContextWindow, (*int64)(fm.ContextWindow))
	set(&m.MaxTokens, (*int64)(fm.MaxTokens))
	if fm.Input != nil {
		m.Input = fm.Input
	}
	m.ThinkingLevels = mergeMaps(m.ThinkingLevels, fm.ThinkingLevels)
	m.Headers = mergeMaps(m.Headers, fm.Headers)
	m.SamplingParams = mergeMaps(m.SamplingParams, fm.Sampling)
	m.SamplingParamsByThinkingLevel = mergeMaps(m.SamplingParamsByThinkingLevel, fm.SamplingLevels)
	m.Compat = mergeObjects(m.Compat, fm.Compat)
	m.PromptCache = over(m.PromptCache, fm.PromptCache)
	m.InputLimits = over(m.InputLimits, fm.InputLimits)
	m.Cost = *over(&m.Cost, fm.Cost)
}

// over gives a copy of v with the fields that raw has; what raw leaves out keeps its
// value. The types were checked when the file was read.
func over[T any](v *T, raw json.RawMessage) *T {
	if len(raw) == 0 {
		return v
	}
	merged := new(T)
	if v != nil {
		if base, err := json.Marshal(v); err != nil || json.Unmarshal(base, merged) != nil { // a deep copy
			return v
		}
	}
	if json.Unmarshal(raw, merged) != nil {
		return v
	}
	return merged
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
