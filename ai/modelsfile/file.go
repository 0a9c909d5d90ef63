package modelsfile

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"
	"unicode"

	"github.com/pi-go/pi/ai"
	"github.com/pi-go/pi/ai/jsonobj"
)

// File is a models.json: providers that are added, and changes to built-in
// ones.
type File struct {
	// Providers are the entries that can be used.
	Providers map[string]*Entry
	// Faults say what is wrong with the others, Notes which keys are not known. Each
	// names file, line and column.
	Faults, Notes []error

	doc *jsonobj.Document
}

// Entry is one entry of a models.json.
type Entry struct {
	Name    string `json:"name"`
	BaseURL string `json:"baseUrl"`
	// APIKey and the values of Headers may be literals, "$NAME" or
	// "!command"; see [github.com/pi-go/pi/ai/auth.Resolver].
	APIKey  string            `json:"apiKey"`
	API     string            `json:"api"`
	Headers map[string]string `json:"headers"`
	// AuthHeader sends the key as "Authorization: Bearer" in every protocol.
	AuthHeader bool `json:"authHeader"`
	// OAuth is the login of the provider: "radius" for a gateway of one's own.
	OAuth string `json:"oauth"`
	// OAuthClientID is who signs in, where a vendor wants programs to be registered.
	OAuthClientID string `json:"oauthClientId"`
	// Compat holds defaults for all its models.
	Compat         json.RawMessage   `json:"compat"`
	Models         []Model           `json:"models"`
	ModelOverrides map[string]*Model `json:"modelOverrides"`
}

// Model is a model, or what is changed of one, as a models.json writes it; nil
// and empty mean that nothing is said.
type Model struct {
	ID             string                                          `json:"id"`
	Type           ai.ModelType                                    `json:"type"`
	Name           *string                                         `json:"name"`
	API            *string                                         `json:"api"`
	BaseURL        *string                                         `json:"baseUrl"`
	Reasoning      *bool                                           `json:"reasoning"`
	ThinkingLevels map[ai.ThinkingLevel]*string                    `json:"thinkingLevelMap"`
	Input          []string                                        `json:"input"`
	Output         []string                                        `json:"output"`
	InputLimits    json.RawMessage                                 `json:"inputLimits"`
	Cost           json.RawMessage                                 `json:"cost"`
	PromptCache    json.RawMessage                                 `json:"promptCache"`
	ContextWindow  *tokenCount                                     `json:"contextWindow"`
	MaxTokens      *tokenCount                                     `json:"maxTokens"`
	Sampling       map[string]json.RawMessage                      `json:"samplingParams"`
	SamplingLevels map[ai.ThinkingLevel]map[string]json.RawMessage `json:"samplingParamsByThinkingLevel"`
	// Headers have values like those of a provider.
	Headers map[string]string `json:"headers"`
	Compat  json.RawMessage   `json:"compat"`
}

// tokenCount is a whole number however JSON writes it, 1e6 included.
type tokenCount int64

// UnmarshalJSON implements [json.Unmarshaler].
func (n *tokenCount) UnmarshalJSON(data []byte) error {
	var f float64
	if err := json.Unmarshal(data, &f); err != nil {
		return err
	}
	if f != math.Trunc(f) || math.Abs(f) > 1<<53 {
		return fmt.Errorf("%v is no whole number", f)
	}
	*n = tokenCount(f)
	return nil
}

// Parse reads the text of a models.json. Comments, trailing commas and a byte order
// mark are fine. The error is for a file that can not be read at all; an entry that
// can not be used is left out and told in the file's Faults. Both name file, line and
// column, and what was expected.
func Parse(path string, data []byte) (*File, error) {
	doc, err := jsonobj.Open(path, data, jsonobj.Relaxed)
	if err != nil {
		return nil, err
	}
	f := &File{Providers: make(map[string]*Entry), doc: doc}
	var content map[string]any
	if err := doc.Decode(&content); err != nil {
		return nil, err
	}
	if blankFile(data) {
		return f, nil
	}
	providers, ok := content["providers"].(map[string]any)
	if !ok {
		return nil, doc.ErrorAt(`expected an object with the providers in it, in the key "providers"`, "providers")
	}
	c := &checker{doc: doc}
	object(map[string]rule{"$schema": text, "providers": anyObject})(c, nil, content)
	entry := providerRule()
	for _, id := range slices.Sorted(maps.Keys(providers)) {
		before := len(c.faults)
		at := []any{"providers", id}
		switch {
		case id == "":
			c.fault(at, "the id of the provider is empty")
		case strings.ContainsFunc(id, unicode.IsControl):
			c.fault(at, "the id of the provider has a character that controls terminals")
		}
		entry(c, at, providers[id])
		if len(c.faults) > before {
			continue
		}
		raw, _ := doc.Get("providers", id)
		p := new(Entry)
		if err := json.Unmarshal(raw, p); err != nil {
			c.fault(at, "%v", err)
			continue
		}
		f.Providers[id] = p
	}
	f.Faults, f.Notes = c.faults, c.notes
	return f, nil
}

// blankFile reports whether a file holds nothing.
func blankFile(data []byte) bool {
	strict, err := jsonobj.Relax(data)
	return err == nil && len(bytes.TrimSpace(strict)) == 0
}

// errorAt is an error about a value of the file.
func (f *File) errorAt(message string, path ...any) error { return f.doc.ErrorAt(message, path...) }
