// Package compact is the form in which the catalog is embedded: text that is
// decoded several times faster than JSON, because strings are parts of the
// embedded text and what many models share is decoded once.
//
// The first line names the format. Then come lines of tab-separated fields:
//
//	v  a shared value: text, or JSON without line breaks
//	m  a model: id, name (empty: the id), and the fields of [Append] in order,
//	   where a number that refers to a shared value counts from 1 and an empty
//	   field is a zero value
//
// A value stands before the first model that refers to it.
package compact

import (
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/pi-go/pi/ai"
)

const header = "pi-models 1"

var errColumns = errors.New("a model has 20 fields")

// Append writes the models of one provider.
func Append(dst []byte, models []*ai.Model) ([]byte, error) {
	dst = append(dst, header+"\n"...)
	values := make(map[string]int)
	ref := func(text string) string {
		if text == "" {
			return ""
		}
		n, ok := values[text]
		if !ok {
			n = len(values) + 1
			values[text] = n
			dst = append(dst, "v\t"+text+"\n"...)
		}
		return strconv.Itoa(n)
	}
	var encodeErr error
	object := func(v any, absent bool) string {
		if absent {
			return ""
		}
		b, err := json.Marshal(v)
		if err != nil {
			encodeErr = err
		}
		return ref(string(b))
	}
	for _, m := range models {
		name := m.Name
		if name == m.ID {
			name = ""
		}
		if len(m.SamplingParams) > 0 || len(m.SamplingParamsByThinkingLevel) > 0 {
			return nil, fmt.Errorf("model %s: sampling parameters have no place in the catalog", m.ID)
		}
		fields := []string{
			"m", m.ID, name, ref(string(m.Type)), ref(m.API), ref(m.BaseURL), flag(m.Reasoning),
			ref(strings.Join(m.Input, " ")), ref(strings.Join(m.Output, " ")), integer(m.ContextWindow), integer(m.MaxTokens),
			number(m.Cost.Input), number(m.Cost.Output), number(m.Cost.CacheRead), number(m.Cost.CacheWrite),
			object(m.Cost.Tiers, len(m.Cost.Tiers) == 0),
			object(m.ThinkingLevels, m.ThinkingLevels == nil),
			ref(string(m.Compat)),
			object(m.InputLimits, m.InputLimits == nil),
			object(shared{m.PromptCache, m.Headers}, m.PromptCache == nil && len(m.Headers) == 0),
		}
		for _, f := range fields {
			if strings.ContainsAny(f, "\t\n") {
				return nil, fmt.Errorf("model %s: line break or tab in %q", m.ID, f)
			}
		}
		dst = append(dst, strings.Join(fields, "\t")+"\n"...)
	}
	return dst, encodeErr
}

// shared is what few models have.
type shared struct {
	PromptCache *ai.CacheLifetimes `json:"promptCache,omitempty"`
	Headers     map[string]string  `json:"headers,omitempty"`
}

func flag(b bool) string {
	if b {
		return "1"
	}
	return ""
}

func integer(n int64) string {
	if n == 0 {
		return ""
	}
	return strconv.FormatInt(n, 10)
}

func number(f float64) string {
	if f == 0 {
		return ""
	}
	return strconv.FormatFloat(f, 'g', -1, 64)
}

// Decode reads what [Append] wrote; provider is set in each model. The
// strings of the models are parts of text.
func Decode(text, provider string) ([]*ai.Model, error) {
	first, rest, _ := strings.Cut(text, "\n")
	if first != header {
		return nil, fmt.Errorf("model catalog of %s: the first line is %q, want %q", provider, first, header)
	}
	d := decoder{provider: provider, models: make([]*ai.Model, 0, strings.Count(rest, "\nm\t")+1)}
	for n := 2; rest != ""; n++ {
		var line string
		line, rest, _ = strings.Cut(rest, "\n")
		if err := d.line(line); err != nil {
			return nil, fmt.Errorf("model catalog of %s, line %d: %w", provider, n, err)
		}
	}
	return d.models, nil
}

type decoder struct {
	provider string
	models   []*ai.Model
	slab     []ai.Model // models are made many at a time
	values   []value
}

// value is a shared value with what it has been decoded to.
type value struct {
	text   string
	words  []string
	raw    json.RawMessage
	tiers  *[]ai.RateTier
	levels *map[ai.ThinkingLevel]*string
	limits *ai.InputLimits
	shared *shared
}

func (d *decoder) line(line string) error {
	if text, ok := strings.CutPrefix(line, "v\t"); ok {
		d.values = append(d.values, value{text: text})
		return nil
	}
	f := fields{rest: line, more: true}
	if f.next() != "m" {
		return fmt.Errorf("neither a value nor a model")
	}
	if len(d.slab) == 0 {
		d.slab = make([]ai.Model, 64)
	}
	m := &d.slab[0]
	d.slab = d.slab[1:]
	m.Provider = d.provider
	m.ID, m.Name = f.next(), f.next()
	if m.Name == "" {
		m.Name = m.ID
	}
	m.Type = ai.ModelType(d.ref(&f).text)
	m.API, m.BaseURL = d.ref(&f).text, d.ref(&f).text
	m.Reasoning = f.next() == "1"
	m.Input, m.Output = d.ref(&f).list(), d.ref(&f).list()
	m.ContextWindow, m.MaxTokens = f.integer(), f.integer()
	m.Cost = ai.Rates{Input: f.number(), Output: f.number(), CacheRead: f.number(), CacheWrite: f.number()}
	v := d.ref(&f)
	if t := decode(&f, v, &v.tiers); t != nil {
		m.Cost.Tiers = *t
	}
	v = d.ref(&f)
	if l := decode(&f, v, &v.levels); l != nil {
		m.ThinkingLevels = *l
	}
	m.Compat = d.ref(&f).object()
	v = d.ref(&f)
	m.InputLimits = decode(&f, v, &v.limits)
	v = d.ref(&f)
	if s := decode(&f, v, &v.shared); s != nil {
		m.PromptCache, m.Headers = s.PromptCache, s.Headers
	}
	if f.more {
		f.fail(errColumns)
	}
	d.models = append(d.models, m)
	return f.err
}

// ref gives the value that the next field names; never nil.
func (d *decoder) ref(f *fields) *value {
	text := f.next()
	if text == "" {
		return &value{}
	}
	n, err := strconv.Atoi(text)
	if err != nil || n < 1 || n > len(d.values) {
		f.fail(fmt.Errorf("field %d refers to value %q", f.n, text))
		return &value{}
	}
	return &d.values[n-1]
}

func (v *value) list() []string {
	if v.words == nil && v.text != "" {
		v.words = strings.Fields(v.text)
	}
	return v.words
}

func (v *value) object() json.RawMessage {
	if v.raw == nil && v.text != "" { // by all who refer to it
		v.raw = json.RawMessage(v.text)
	}
	return v.raw
}

// decode gives the value as a T, decoded at its first use; nil when there is
// none.
func decode[T any](f *fields, v *value, into **T) *T {
	if v.text != "" && *into == nil {
		*into = new(T)
		if err := json.Unmarshal([]byte(v.text), *into); err != nil {
			f.fail(fmt.Errorf("field %d: %w", f.n, err))
		}
	}
	return *into
}

// fields reads the fields of a line one after the other.
type fields struct {
	rest string
	n    int
	more bool
	err  error
}

func (f *fields) next() string {
	if !f.more {
		f.fail(errColumns)
		return ""
	}
	var s string
	s, f.rest, f.more = strings.Cut(f.rest, "\t")
	f.n++
	return s
}

func (f *fields) fail(err error) {
	if f.err == nil {
		f.err = err
	}
}

func (f *fields) integer() int64 {
	s := f.next()
	if s == "" {
		return 0
	}
	n, err := strconv.ParseInt(s, 10, 64)
	if err != nil {
		f.fail(fmt.Errorf("field %d: %w", f.n, err))
	}
	return n
}

func (f *fields) number() float64 {
	s := f.next()
	if s == "" {
		return 0
	}
	n, err := strconv.ParseFloat(s, 64)
	if err != nil {
		f.fail(fmt.Errorf("field %d: %w", f.n, err))
	}
	return n
}
