package api_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"net/url"
	"os"
	"reflect"
	"regexp"
	"slices"
	"strings"
)

// jsonSchema is the part of JSON Schema (draft 7) that the vendors' schemas use; see
// testdata/schema. A file with anything else is not read, so that nothing of what a
// vendor says is passed over.
type jsonSchema struct {
	Ref        string                 `json:"$ref"`
	Type       any                    `json:"type"` // a word, or a list of them
	Const      any                    `json:"const"`
	Enum       []any                  `json:"enum"`
	Pattern    string                 `json:"pattern"`
	Properties map[string]*jsonSchema `json:"properties"`
	Required   []string               `json:"required"`
	Additional json.RawMessage        `json:"additionalProperties"` // false, true, or a schema
	Items      *jsonSchema            `json:"items"`
	AnyOf      []*jsonSchema          `json:"anyOf"`
	OneOf      []*jsonSchema          `json:"oneOf"`
	AllOf      []*jsonSchema          `json:"allOf"`
	Not        *jsonSchema            `json:"not"`

	additional *jsonSchema // nil when all or none are taken
	closed     bool        // no other properties are taken
	pattern    *regexp.Regexp
}

// schemaFile is a schema with what it refers to.
type schemaFile struct {
	Draft       string                 `json:"$schema"`
	Source      string                 `json:"$comment"`
	Root        string                 `json:"$ref"`
	Definitions map[string]*jsonSchema `json:"definitions"`
}

func readSchema(path string) (*schemaFile, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	f := new(schemaFile)
	if err := strictly(text, f); err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	for name, s := range f.Definitions {
		if err := f.prepare(s); err != nil {
			return nil, fmt.Errorf("%s: %s: %w", path, name, err)
		}
	}
	return f, f.prepare(&jsonSchema{Ref: f.Root})
}

func strictly(text []byte, into any) error {
	d := json.NewDecoder(bytes.NewReader(text))
	d.DisallowUnknownFields()
	return d.Decode(into)
}

func (f *schemaFile) prepare(s *jsonSchema) error {
	if s == nil {
		return nil
	}
	if s.Ref != "" && f.Definitions[refName(s.Ref)] == nil {
		return fmt.Errorf("%s is not there", s.Ref)
	}
	if s.Pattern != "" {
		var err error
		if s.pattern, err = regexp.Compile(s.Pattern); err != nil {
			return err
		}
	}
	switch additional := string(s.Additional); additional {
	case "", "true":
	case "false":
		s.closed = true
	default:
		if err := strictly(s.Additional, &s.additional); err != nil {
			return err
		}
	}
	parts := slices.Concat([]*jsonSchema{s.Items, s.Not, s.additional}, s.AnyOf, s.OneOf, s.AllOf, slices.Collect(maps.Values(s.Properties)))
	for _, part := range parts {
		if err := f.prepare(part); err != nil {
			return err
		}
	}
	return nil
}

func refName(ref string) string {
	name, err := url.PathUnescape(strings.TrimPrefix(ref, "#/definitions/"))
	if err != nil {
		return ref
	}
	return name
}

// fault is a place where a value is not as its schema says: the path to it, the
// definition, and what is wrong.
type fault struct {
	at, of, text string
	tag          bool // it is a word that says which alternative is meant
}

func (f fault) String() string { return f.of + ": " + f.text }

// check gives the faults of a value. Of alternatives those of the one count that the
// value comes nearest to. excused are left out.
func (f *schemaFile) check(s *jsonSchema, value any, at, of string, excused func(fault) bool) []fault {
	var all []fault
	say := func(tag bool, format string, args ...any) {
		if one := (fault{at, of, fmt.Sprintf(format, args...), tag}); !excused(one) {
			all = append(all, one)
		}
	}
	within := func(s *jsonSchema, value any, at string) []fault { return f.check(s, value, at, of, excused) }
	if s.Ref != "" {
		name := refName(s.Ref)
		all = f.check(f.Definitions[name], value, at, name, excused)
	}
	if s.Type != nil && !hasType(s.Type, value) {
		say(false, "%T is no %v", value, s.Type)
		return all
	}
	if s.Const != nil && !reflect.DeepEqual(s.Const, value) {
		say(true, "%v is not %v", value, s.Const)
	}
	if s.Enum != nil && !slices.ContainsFunc(s.Enum, func(e any) bool { return reflect.DeepEqual(e, value) }) {
		say(true, "%v is none of %v", value, s.Enum)
	}
	if text, ok := value.(string); ok && s.pattern != nil && !s.pattern.MatchString(text) {
		say(false, "%q does not match %s", text, s.Pattern)
	}
	if o, ok := value.(map[string]any); ok {
		for _, name := range s.Required {
			if _, there := o[name]; !there {
				say(false, "%s is missing", name)
			}
		}
		for _, name := range slices.Sorted(maps.Keys(o)) {
			switch known := s.Properties[name]; {
			case known != nil:
				all = append(all, within(known, o[name], at+"/"+name)...)
			case s.additional != nil:
				all = append(all, within(s.additional, o[name], at+"/"+name)...)
			case s.closed:
				say(false, "%s is not known", name)
			}
		}
	}
	if list, ok := value.([]any); ok && s.Items != nil {
		for i, item := range list {
			all = append(all, within(s.Items, item, fmt.Sprintf("%s/%d", at, i))...)
		}
	}
	for _, part := range s.AllOf {
		all = append(all, within(part, value, at)...)
	}
	if s.Not != nil && within(s.Not, value, at) == nil {
		say(false, "it is what it must not be")
	}
	if s.AnyOf != nil {
		all = append(all, nearest(s.AnyOf, func(part *jsonSchema) []fault { return within(part, value, at) })...)
	}
	if s.OneOf != nil {
		fit := 0
		for _, part := range s.OneOf {
			if within(part, value, at) == nil {
				fit++
			}
		}
		if fit != 1 {
			say(false, "it fits %d of the alternatives, not one", fit)
		}
	}
	return all
}

// nearest are the faults by the alternative that a value comes nearest to: its tag fits,
// and little else is wrong.
func nearest(alternatives []*jsonSchema, check func(*jsonSchema) []fault) []fault {
	var best []fault
	least := -1
	for _, part := range alternatives {
		faults := check(part)
		distance := len(faults)
		for _, f := range faults {
			if f.tag {
				distance += 100
			}
		}
		if least < 0 || distance < least {
			best, least = faults, distance
		}
	}
	return best
}

func hasType(types, value any) bool {
	if list, ok := types.([]any); ok {
		return slices.ContainsFunc(list, func(t any) bool { return hasType(t, value) })
	}
	switch v := value.(type) {
	case nil:
		return types == "null"
	case bool:
		return types == "boolean"
	case string:
		return types == "string"
	case float64:
		return types == "number" || types == "integer" && v == float64(int64(v))
	case []any:
		return types == "array"
	case map[string]any:
		return types == "object"
	}
	return false
}
