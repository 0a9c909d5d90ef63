package gemini

import (
	"encoding/json"
	"slices"

	"github.com/pi-go/pi/ai/jsonobj"
)

// constToEnum rewrites "const" of strings and numbers, which Google does not
// know, as an enum of one value, in the schema and all schemas inside it. What is
// not a schema (a default, an example) stays as it is.
func constToEnum(schema json.RawMessage) (json.RawMessage, error) {
	if len(schema) == 0 || schema[0] != '{' {
		return schema, nil
	}
	dst := []byte{'{'}
	err := jsonobj.Walk(schema, func(name string, value json.RawMessage) error {
		var err error
		switch name {
		case "const":
			if value[0] == '"' || value[0] == '-' || value[0] >= '0' && value[0] <= '9' {
				name, value = "enum", slices.Concat(json.RawMessage("["), value, json.RawMessage("]"))
			}
		case "properties", "$defs", "definitions", "patternProperties", "dependentSchemas":
			value, err = eachMember(value, constToEnum)
		case "anyOf", "oneOf", "allOf", "prefixItems":
			value, err = eachElement(value, constToEnum)
		case "items":
			if len(value) > 0 && value[0] == '[' {
				value, err = eachElement(value, constToEnum)
			} else {
				value, err = constToEnum(value)
			}
		case "additionalProperties", "additionalItems", "not", "if", "then", "else", "contains", "propertyNames", "unevaluatedProperties", "unevaluatedItems":
			value, err = constToEnum(value)
		}
		if len(dst) > 1 {
			dst = append(dst, ',')
		}
		dst = jsonobj.AppendString(dst, name)
		dst = append(dst, ':')
		dst = append(dst, value...)
		return err
	})
	return append(dst, '}'), err
}

func eachMember(object json.RawMessage, f func(json.RawMessage) (json.RawMessage, error)) (json.RawMessage, error) {
	if len(object) == 0 || object[0] != '{' {
		return object, nil
	}
	dst := []byte{'{'}
	err := jsonobj.Walk(object, func(name string, value json.RawMessage) error {
		value, err := f(value)
		if len(dst) > 1 {
			dst = append(dst, ',')
		}
		dst = jsonobj.AppendString(dst, name)
		dst = append(dst, ':')
		dst = append(dst, value...)
		return err
	})
	return append(dst, '}'), err
}

func eachElement(array json.RawMessage, f func(json.RawMessage) (json.RawMessage, error)) (json.RawMessage, error) {
	var list []json.RawMessage
	if json.Unmarshal(array, &list) != nil {
		return array, nil
	}
	dst := []byte{'['}
	for i, value := range list {
		value, err := f(value)
		if err != nil {
			return nil, err
		}
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = append(dst, value...)
	}
	return append(dst, ']'), nil
}
