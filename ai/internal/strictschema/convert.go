// Package strictschema rewrites the JSON Schema of a tool into the subset by
// which vendors sample arguments that are sure to fit: every object lists all
// its properties as required and allows no others, and what was optional may be
// null instead.
//
//	strict, err := strictschema.Convert(tool.Schema())
//
// Not every schema has such a form; the error says which keyword stands in the
// way, and where.
package strictschema

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/pi-go/pi/ai/jsonobj"
)

// Convert gives the strict form of a schema whose root is an object. Members
// keep their order and their text.
func Convert(schema json.RawMessage) (json.RawMessage, error) {
	if !json.Valid(schema) {
		return nil, fmt.Errorf("the schema is not JSON")
	}
	n, err := parse(schema, "")
	if err != nil {
		return nil, err
	}
	if !n.is("object") || len(n.types) != 1 {
		return nil, fmt.Errorf("the root of the schema is not an object")
	}
	return n.append(nil)
}

// refused lists the keywords that no strict schema can have.
const refused = `$ref $defs definitions allOf oneOf patternProperties dependentSchemas dependencies
	unevaluatedProperties propertyNames contains prefixItems not if then else`

// node is one schema.
type node struct {
	path    string
	members []member
	types   []string
	props   []member
	needed  []string // property names that were required
	enum    bool
	anyOf   []json.RawMessage
}

type member struct {
	name  string
	value json.RawMessage
}

func (n *node) is(t string) bool { return slices.Contains(n.types, t) }

func parse(schema json.RawMessage, path string) (*node, error) {
	n := &node{path: path}
	if len(schema) == 0 || schema[0] != '{' {
		return nil, fmt.Errorf("%sa schema that is no object can not be strict", n.at())
	}
	err := jsonobj.Walk(schema, func(key string, value json.RawMessage) error {
		if slices.Contains(strings.Fields(refused), key) {
			return fmt.Errorf("%sthe keyword %q can not be strict", n.at(), key)
		}
		n.members = append(n.members, member{key, value})
		return n.note(key, value)
	})
	if err != nil {
		return nil, err
	}
	if len(n.types) == 0 && len(n.anyOf) == 0 && !n.enum {
		return nil, fmt.Errorf("%sa schema without type, anyOf or enum can not be strict", n.at())
	}
	for _, name := range n.needed {
		if !slices.ContainsFunc(n.props, func(p member) bool { return p.name == name }) {
			return nil, fmt.Errorf("%s%q is required but is no property", n.at(), name)
		}
	}
	return n, nil
}

func (n *node) at() string {
	if n.path == "" {
		return ""
	}
	return n.path + ": "
}

func (n *node) sub(name string) string {
	return strings.TrimPrefix(n.path+"."+name, ".")
}

// note takes what the conversion needs from a member.
func (n *node) note(key string, value json.RawMessage) error {
	switch key {
	case "type":
		var one string
		if json.Unmarshal(value, &one) == nil {
			n.types = []string{one}
			return nil
		}
		if json.Unmarshal(value, &n.types) != nil {
			return fmt.Errorf("%stype is neither a name nor a list of names", n.at())
		}
	case "enum":
		n.enum = true
	case "anyOf":
		if err := json.Unmarshal(value, &n.anyOf); err != nil {
			return fmt.Errorf("%sanyOf is no list", n.at())
		}
	case "properties":
		err := jsonobj.Walk(value, func(name string, v json.RawMessage) error {
			n.props = append(n.props, member{name, v})
			return nil
		})
		if err != nil {
			return fmt.Errorf("%sproperties: %w", n.at(), err)
		}
	case "required":
		if json.Unmarshal(value, &n.needed) != nil {
			return fmt.Errorf("%srequired is no list of names", n.at())
		}
	case "additionalProperties":
		if string(value) != "false" {
			return fmt.Errorf("%sadditionalProperties can not be strict", n.at())
		}
	case "items":
		if len(value) > 0 && value[0] == '[' {
			return fmt.Errorf("%sa list of items schemas can not be strict", n.at())
		}
	}
	return nil
}

// append writes the strict form.
func (n *node) append(dst []byte) ([]byte, error) {
	dst = append(dst, '{')
	var err error
	for _, m := range n.members {
		switch m.name {
		case "required", "additionalProperties":
			if n.is("object") {
				continue // written at the end
			}
		}
		dst = next(dst, m.name)
		switch m.name {
		case "properties":
			dst, err = n.appendProperties(dst)
		case "items":
			dst, err = appendSub(dst, m.value, n.sub("items"))
		case "anyOf":
			dst, err = n.appendAnyOf(dst)
		default:
			dst = append(dst, m.value...)
		}
		if err != nil {
			return nil, err
		}
	}
	if n.is("object") {
		if !slices.ContainsFunc(n.members, func(m member) bool { return m.name == "properties" }) {
			dst = append(next(dst, "properties"), "{}"...)
		}
		dst = append(next(dst, "required"), '[')
		for i, p := range n.props {
			if i > 0 {
				dst = append(dst, ',')
			}
			dst = jsonobj.AppendString(dst, p.name)
		}
		dst = append(dst, ']')
		dst = append(next(dst, "additionalProperties"), "false"...)
	}
	return append(dst, '}'), nil
}

// next begins a member.
func next(dst []byte, name string) []byte {
	if dst[len(dst)-1] != '{' {
		dst = append(dst, ',')
	}
	return append(jsonobj.AppendString(dst, name), ':')
}

func (n *node) appendProperties(dst []byte) ([]byte, error) {
	dst = append(dst, '{')
	for _, p := range n.props {
		dst = next(dst, p.name)
		sub, err := parse(p.value, n.sub(p.name))
		if err != nil {
			return nil, err
		}
		optional := !slices.Contains(n.needed, p.name) && !sub.takesNull()
		if optional {
			dst = append(dst, `{"anyOf":[`...)
		}
		if dst, err = sub.append(dst); err != nil {
			return nil, err
		}
		if optional {
			dst = append(dst, `,{"type":"null"}]}`...)
		}
	}
	return append(dst, '}'), nil
}

// takesNull reports whether null fits the schema already.
func (n *node) takesNull() bool {
	if n.enum || len(n.anyOf) == 0 {
		return n.is("null") && !n.enum
	}
	for _, branch := range n.anyOf {
		var b struct{ Type string }
		if json.Unmarshal(branch, &b) == nil && b.Type == "null" {
			return true
		}
	}
	return false
}

func (n *node) appendAnyOf(dst []byte) ([]byte, error) {
	dst = append(dst, '[')
	for i, branch := range n.anyOf {
		if i > 0 {
			dst = append(dst, ',')
		}
		sub, err := parse(branch, n.sub(fmt.Sprintf("anyOf.%d", i)))
		if err != nil {
			return nil, err
		}
		if sub.is("object") || sub.is("array") {
			return nil, fmt.Errorf("%sanyOf with objects or arrays can not be strict", n.at())
		}
		if dst, err = sub.append(dst); err != nil {
			return nil, err
		}
	}
	return append(dst, ']'), nil
}

func appendSub(dst []byte, schema json.RawMessage, path string) ([]byte, error) {
	sub, err := parse(schema, path)
	if err != nil {
		return nil, err
	}
	return sub.append(dst)
}
