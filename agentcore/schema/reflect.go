package schema

import (
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"strings"

	"github.com/invopop/jsonschema"

	"github.com/pi-go/pi/ai/jsonobj"
)

// Union is implemented by a type that may hold one of several. Its schema is
// anyOf the schemas of the alternatives, given as values of their types. The
// type also implements [json.Unmarshaler].
type Union interface {
	Alternatives() []any
}

// Of derives the schema of a Go type: the same text for the same type, always.
//
// Names and omissions are those of encoding/json. A field is required unless
// it is a pointer or has omitempty or omitzero. More is said by tags:
//
//	Path  string `json:"path" jsonschema_description:"File to read, relative or absolute"`
//	Limit *int   `json:"limit" jsonschema:"minimum=1,default=2000"`
//	Mode  string `json:"mode,omitempty" jsonschema:"enum=fast,enum=thorough"`
//
// The tag grammar is that of github.com/invopop/jsonschema. Unsigned integers
// have a minimum of 0; types with a method JSONSchema or JSONSchemaAlias give
// their own schema; see also [Union]. Objects say nothing about other
// properties: models add some, and refusing them helps nobody.
//
// The type must be a struct, a map with string keys or a pointer to one, and
// hold nothing that JSON can not express.
func Of(t reflect.Type) (text json.RawMessage, err error) {
	base := t
	for base != nil && base.Kind() == reflect.Pointer {
		base = base.Elem()
	}
	if base == nil || base.Kind() != reflect.Struct && (base.Kind() != reflect.Map || base.Key().Kind() != reflect.String) {
		return nil, fmt.Errorf("derive a JSON schema: the arguments of a tool are an object, so the type must be a struct or a map with string keys, not %v", t)
	}
	defer func() {
		// The library panics for types that JSON can not express.
		if v := recover(); v != nil {
			text, err = nil, fmt.Errorf("derive a JSON schema of %v: %v", t, v)
		}
	}()
	d := deriver{recursive: recursive(base, nil), names: map[reflect.Type]string{}, seen: map[*jsonschema.Schema]bool{}}
	return appendSchema(nil, d.root(base)), nil
}

// deriver derives one schema. Types that contain themselves need definitions
// and references; all others are written out in place, which every vendor
// understands.
type deriver struct {
	recursive bool
	names     map[reflect.Type]string
	seen      map[*jsonschema.Schema]bool
}

func (d *deriver) root(t reflect.Type) *jsonschema.Schema {
	s := d.reflector().ReflectFromType(t)
	defs := s.Definitions
	d.finish(t, s, defs)
	if s.Ref != "" {
		// A root must be an object for vendors, not a reference to one.
		root := *defs[d.name(t)]
		s = &root
		s.Definitions = defs
	}
	s.Version = ""
	return s
}

func (d *deriver) reflector() *jsonschema.Reflector {
	return &jsonschema.Reflector{
		Anonymous: true, AllowAdditionalProperties: true, DoNotReference: !d.recursive,
		Namer: d.name, Mapper: d.union,
	}
}

// name gives each type a name of its own: two packages may use the same one.
func (d *deriver) name(t reflect.Type) string {
	if t.Name() == "" {
		return ""
	}
	if n, ok := d.names[t]; ok {
		return n
	}
	base := strings.Map(func(r rune) rune {
		if r == '/' || r == '.' || r == '[' || r == ']' || r == ',' || r == '*' {
			return '_'
		}
		return r
	}, t.Name())
	name := base
	for i := 2; slices.Contains(mapValues(d.names), name); i++ {
		name = fmt.Sprintf("%s%d", base, i)
	}
	d.names[t] = name
	return name
}

func mapValues(m map[reflect.Type]string) []string {
	var list []string
	for _, v := range m {
		list = append(list, v)
	}
	return list
}

// union gives the schema of a [Union], nil for other types.
func (d *deriver) union(t reflect.Type) *jsonschema.Schema {
	u, ok := reflect.New(t).Interface().(Union)
	if !ok {
		return nil
	}
	s := &jsonschema.Schema{}
	for _, a := range u.Alternatives() {
		at := reflect.TypeOf(a)
		if at == nil {
			s.AnyOf = append(s.AnyOf, &jsonschema.Schema{Type: "null"})
			continue
		}
		for at.Kind() == reflect.Pointer {
			at = at.Elem()
		}
		// On its own, so that definitions of the outer schema are not touched.
		inner := deriver{recursive: false, names: d.names, seen: d.seen}
		if recursive(at, nil) {
			panic(fmt.Sprintf("alternative %v of %v contains itself", at, t))
		}
		b := inner.reflector().ReflectFromType(at)
		b.Version = ""
		inner.finish(at, b, nil)
		s.AnyOf = append(s.AnyOf, b)
	}
	return s
}

// recursive reports whether a type contains itself.
func recursive(t reflect.Type, path []reflect.Type) bool {
	switch t.Kind() {
	case reflect.Pointer, reflect.Slice, reflect.Array, reflect.Map:
		if t.Name() != "" {
			if slices.Contains(path, t) {
				return true
			}
			path = append(path, t)
		}
		return recursive(t.Elem(), path)
	case reflect.Struct:
		if slices.Contains(path, t) {
			return true
		}
		if ownSchema(t) {
			return false
		}
		path = append(slices.Clip(path), t)
		for f := range t.Fields() {
			if (f.IsExported() || f.Anonymous) && f.Tag.Get("json") != "-" && recursive(f.Type, path) {
				return true
			}
		}
	}
	return false
}

// ownSchema reports whether a type says itself what its schema is.
func ownSchema(t reflect.Type) bool {
	v := reflect.New(t).Interface()
	switch v.(type) {
	case Union, interface{ JSONSchema() *jsonschema.Schema }, interface{ JSONSchemaAlias() any }:
		return true
	}
	return false
}

// finish puts right what the library sees differently: pointers are optional,
// unsigned integers are not negative.
func (d *deriver) finish(t reflect.Type, s *jsonschema.Schema, defs jsonschema.Definitions) {
	for t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	if s == nil || ownSchema(t) {
		return
	}
	if s.Ref != "" {
		s = defs[d.name(t)]
	}
	if s == nil || d.seen[s] {
		return
	}
	d.seen[s] = true
	switch t.Kind() {
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64:
		if s.Minimum == "" && s.Type == "integer" {
			s.Minimum = "0"
		}
	case reflect.Slice, reflect.Array:
		d.finish(t.Elem(), s.Items, defs)
	case reflect.Map:
		d.finish(t.Elem(), s.AdditionalProperties, defs)
	case reflect.Struct:
		d.fields(t, s, defs)
	}
}

func (d *deriver) fields(t reflect.Type, s *jsonschema.Schema, defs jsonschema.Definitions) {
	if s.Properties == nil {
		return
	}
	for f := range t.Fields() {
		name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		if f.Anonymous && name == "" {
			e := f.Type
			for e.Kind() == reflect.Pointer {
				e = e.Elem()
			}
			if e.Kind() == reflect.Struct {
				d.fields(e, s, defs)
				continue
			}
		}
		if name == "" {
			name = f.Name
		}
		p, ok := s.Properties.Get(name)
		if !ok {
			continue
		}
		if f.Type.Kind() == reflect.Pointer {
			s.Required = slices.DeleteFunc(s.Required, func(r string) bool { return r == name })
		}
		if len(p.OneOf) == 2 && p.OneOf[1].Type == "null" { // tag nullable
			p = p.OneOf[0]
		}
		d.finish(f.Type, p, defs)
	}
}

// appendSchema writes a schema with its parts in the order in which people
// read them. Where the library would write true, it writes {}: some vendors
// refuse the short form.
func appendSchema(dst []byte, s *jsonschema.Schema) []byte {
	if s == jsonschema.FalseSchema {
		return append(dst, "false"...)
	}
	dst = append(dst, '{')
	first := true
	member := func(name string) {
		if !first {
			dst = append(dst, ',')
		}
		first = false
		dst = jsonobj.AppendString(dst, name)
		dst = append(dst, ':')
	}
	text := func(name, value string) {
		if value != "" {
			member(name)
			dst = jsonobj.AppendString(dst, value)
		}
	}
	list := func(name string, schemas []*jsonschema.Schema) {
		if len(schemas) == 0 {
			return
		}
		member(name)
		for i, e := range schemas {
			dst = append(dst, "[,"[min(i, 1)])
			dst = appendSchema(dst, e)
		}
		dst = append(dst, ']')
	}
	text("$ref", s.Ref)
	text("type", s.Type)
	text("description", s.Description)
	if s.Properties != nil {
		member("properties")
		dst = append(dst, '{')
		for p := s.Properties.Oldest(); p != nil; p = p.Next() {
			if p != s.Properties.Oldest() {
				dst = append(dst, ',')
			}
			dst = jsonobj.AppendString(dst, p.Key)
			dst = append(dst, ':')
			dst = appendSchema(dst, p.Value)
		}
		dst = append(dst, '}')
	}
	for i, r := range s.Required {
		if i == 0 {
			member("required")
		}
		dst = append(dst, "[,"[min(i, 1)])
		dst = jsonobj.AppendString(dst, r)
	}
	if len(s.Required) > 0 {
		dst = append(dst, ']')
	}
	if s.AdditionalProperties != nil {
		member("additionalProperties")
		dst = appendSchema(dst, s.AdditionalProperties)
	}
	if s.Items != nil {
		member("items")
		dst = appendSchema(dst, s.Items)
	}
	list("anyOf", s.AnyOf)
	list("oneOf", s.OneOf)
	list("allOf", s.AllOf)

	// What is left is rare and has no schemas of ours inside.
	rest := *s
	rest.Ref, rest.Type, rest.Description, rest.Properties, rest.Required = "", "", "", nil, nil
	rest.AdditionalProperties, rest.Items, rest.AnyOf, rest.OneOf, rest.AllOf, rest.Definitions = nil, nil, nil, nil, nil, nil
	if b, err := json.Marshal(&rest); err == nil {
		_ = jsonobj.Walk(b, func(name string, value json.RawMessage) error { // true when nothing is left
			member(name)
			dst = append(dst, value...)
			return nil
		})
	}
	if len(s.Definitions) > 0 {
		member("$defs")
		dst = append(dst, '{')
		names := make([]string, 0, len(s.Definitions))
		for n := range s.Definitions {
			names = append(names, n)
		}
		slices.Sort(names)
		for i, n := range names {
			if i > 0 {
				dst = append(dst, ',')
			}
			dst = jsonobj.AppendString(dst, n)
			dst = append(dst, ':')
			dst = appendSchema(dst, s.Definitions[n])
		}
		dst = append(dst, '}')
	}
	return append(dst, '}')
}
