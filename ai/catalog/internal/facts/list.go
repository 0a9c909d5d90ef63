package facts

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/pi-go/pi/ai/jsonobj"
)

// listed is a model in a list of the shape of models.dev: an object of providers by
// id, each with an object of models by id. Prices are US dollars per 1,000,000 tokens.
type listed struct {
	ID         string `json:"id"`
	Name       string `json:"name"`
	Reasoning  bool   `json:"reasoning"`
	ToolCall   bool   `json:"tool_call"`
	Status     string `json:"status"` // "deprecated", or nothing of concern
	Modalities struct {
		Input  []string `json:"input"`
		Output []string `json:"output"`
	} `json:"modalities"`
	Limit struct {
		Context int64 `json:"context"`
		Output  int64 `json:"output"`
	} `json:"limit"`
	Cost *struct {
		listedRates
		Over200k *listedRates `json:"context_over_200k"`
	} `json:"cost"`
}

type listedRates struct {
	Input      float64 `json:"input"`
	Output     float64 `json:"output"`
	CacheRead  float64 `json:"cache_read"`
	CacheWrite float64 `json:"cache_write"`
}

// ImportOptions say what an import may do besides bringing facts up to date.
type ImportOptions struct {
	// Prune removes chat models that their provider's list does not have; otherwise
	// they stay.
	Prune bool
}

// Import brings the facts of a folder up to date with a list in the shape of
// models.dev: windows, caps, prices, inputs and whether a model thinks; models that
// can call tools and are not there yet are added. Providers, and what a list does not
// know (names given here, protocols, flags, levels, limits), stay as they are, and so
// do providers that the list does not have. The same list gives the same bytes. It
// tells what it left out, a line each.
func Import(dir string, list []byte, opt ImportOptions) (notes []string, err error) {
	var providers map[string]struct {
		Models map[string]listed `json:"models"`
	}
	if err := json.Unmarshal(list, &providers); err != nil {
		return nil, fmt.Errorf("read the list of models: %w", err)
	}
	files, err := LoadDir(dir)
	if err != nil {
		return nil, err
	}
	known := 0
	written := make(map[string][]byte)
	for _, f := range files {
		p, ok := providers[f.Provider]
		if !ok || len(p.Models) == 0 {
			continue
		}
		known++
		path := filepath.Join(dir, f.Provider+".json")
		old, err := os.ReadFile(path)
		if err != nil {
			return nil, fmt.Errorf("read model facts: %w", err)
		}
		data, more, err := merged(old, f.Provider, p.Models, opt)
		if err != nil {
			return nil, fmt.Errorf("import into %s: %w", path, err)
		}
		notes = append(notes, more...)
		if !bytes.Equal(data, old) {
			written[path] = data
		}
	}
	if known == 0 {
		return nil, fmt.Errorf("the list names none of the %d providers of %s: it should be an object of providers by id, each with \"models\" by id", len(files), dir)
	}
	// Nothing is written unless all of it is good.
	for path, data := range written {
		if err := os.WriteFile(path+".new", data, 0o644); err != nil {
			return nil, fmt.Errorf("write model facts: %w", err)
		}
		if _, err = Load(path + ".new"); err != nil {
			break
		}
	}
	for path := range written {
		if err != nil {
			_ = os.Remove(path + ".new")
		} else if err = os.Rename(path+".new", path); err != nil {
			err = fmt.Errorf("write model facts: %w", err)
		}
	}
	return notes, err
}

const (
	linesBegin = "\"models\":[\n"
	linesEnd   = "\n]}\n"
)

// merged gives the bytes of a file of facts with a provider's list in it. Each model is
// a line.
func merged(file []byte, provider string, list map[string]listed, opt ImportOptions) (data []byte, notes []string, err error) {
	head, body, found := bytes.Cut(file, []byte(linesBegin))
	body, whole := bytes.CutSuffix(body, []byte(linesEnd))
	if !found || !whole {
		return nil, nil, fmt.Errorf("the models do not stand one a line between %q and %q", linesBegin, linesEnd)
	}
	var lines []*jsonobj.Object
	for text := range bytes.Lines(body) {
		text = bytes.TrimSuffix(bytes.TrimSuffix(text, []byte("\n")), []byte(","))
		o, err := jsonobj.Parse(text)
		if err != nil {
			return nil, nil, fmt.Errorf("read the line %.80s: %w", text, err)
		}
		lines = append(lines, o)
	}
	chat, here := 0, make(map[string]bool)
	kept := lines[:0:0]
	for _, o := range lines {
		id := textOf(o, "id")
		if o.Get("kind") != nil {
			kept = append(kept, o)
			continue
		}
		here[id] = true
		m, ok := list[id]
		switch {
		case ok:
			if err := m.update(o); err != nil {
				return nil, nil, fmt.Errorf("model %s: %w", id, err)
			}
			if m.Status == "deprecated" {
				notes = append(notes, fmt.Sprintf("deprecated  %s/%s: kept", provider, id))
			}
		case opt.Prune:
			continue
		default:
			notes = append(notes, fmt.Sprintf("not listed  %s/%s: kept", provider, id))
		}
		kept = append(kept, o)
		chat++
	}
	lines = kept
	ids := make([]string, 0, len(list))
	for id := range list {
		if !here[id] {
			ids = append(ids, id)
		}
	}
	slices.Sort(ids)
	for _, id := range ids {
		m := list[id]
		if why := m.unusable(); why != "" {
			notes = append(notes, fmt.Sprintf("left out    %s/%s: %s", provider, id, why))
			continue
		}
		o, err := m.entry(id)
		if err != nil {
			return nil, nil, fmt.Errorf("model %s: %w", id, err)
		}
		at := 0
		for at < chat && textOf(lines[at], "id") < id {
			at++
		}
		lines = slices.Insert(lines, at, o)
		chat++
	}
	data = append(bytes.Clone(head), linesBegin...)
	for i, o := range lines {
		if i > 0 {
			data = append(data, ",\n"...)
		}
		data = o.AppendJSON(data)
	}
	return append(data, linesEnd...), notes, nil
}

func textOf(o *jsonobj.Object, key string) string {
	var s string
	if json.Unmarshal(o.Get(key), &s) != nil {
		return ""
	}
	return s
}

// unusable says why a model is not one that an agent can be run with; "" when it is.
func (m *listed) unusable() string {
	switch {
	case !m.ToolCall:
		return "it calls no tools"
	case m.Status == "deprecated":
		return "it is deprecated"
	case m.Limit.Context <= 0 || m.Limit.Output <= 0:
		return "its window or cap is not known"
	case !slices.Contains(m.Modalities.Output, "text") && len(m.Modalities.Output) > 0:
		return "it gives no text"
	}
	return ""
}

// entry makes the line of a model that is new.
func (m *listed) entry(id string) (*jsonobj.Object, error) {
	o := new(jsonobj.Object)
	if err := o.Set("id", id); err != nil {
		return nil, err
	}
	if m.Name != "" && m.Name != id {
		if err := o.Set("name", strings.Join(strings.Fields(m.Name), " ")); err != nil {
			return nil, err
		}
	}
	return o, m.update(o)
}

// update sets what the list knows. Defaults are left out.
func (m *listed) update(o *jsonobj.Object) error {
	set := func(key string, value any, given bool) error {
		if !given {
			o.Delete(key)
			return nil
		}
		return o.Set(key, value)
	}
	if err := set("reasoning", true, m.Reasoning); err != nil {
		return err
	}
	if len(m.Modalities.Input) > 0 {
		image := slices.Contains(m.Modalities.Input, "image")
		if err := set("input", []string{"text", "image"}, image); err != nil {
			return err
		}
	}
	if n := m.Limit.Context; n > 0 {
		if err := o.Set("contextWindow", n); err != nil {
			return err
		}
	}
	if n := m.Limit.Output; n > 0 {
		if err := o.Set("maxTokens", n); err != nil {
			return err
		}
	}
	if m.Cost == nil {
		return nil
	}
	cost := new(jsonobj.Object)
	if raw := o.Get("cost"); raw != nil {
		var err error
		if cost, err = jsonobj.Parse(raw); err != nil {
			return fmt.Errorf("cost: %w", err)
		}
	}
	if err := m.Cost.listedRates.update(cost); err != nil {
		return err
	}
	if more := m.Cost.Over200k; more != nil {
		tier := new(jsonobj.Object)
		if err := tier.Set("above", 200_000); err != nil {
			return err
		}
		if err := more.update(tier); err != nil {
			return err
		}
		if err := cost.Set("tiers", []*jsonobj.Object{tier}); err != nil {
			return err
		}
	}
	return set("cost", cost, cost.Len() > 0)
}

func (r *listedRates) update(o *jsonobj.Object) error {
	for _, f := range []struct {
		key  string
		rate float64
	}{{"input", r.Input}, {"output", r.Output}, {"cacheRead", r.CacheRead}, {"cacheWrite", r.CacheWrite}} {
		if f.rate == 0 {
			o.Delete(f.key)
			continue
		}
		if err := o.Set(f.key, f.rate); err != nil {
			return err
		}
	}
	return nil
}
