package schema

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"regexp"
	"strings"
	"sync"

	"github.com/santhosh-tekuri/jsonschema/v5"
)

// Schema is a compiled JSON Schema (draft 2020-12 unless it says otherwise).
// It is safe for concurrent use.
type Schema struct {
	root *jsonschema.Schema
	doc  any // the schema itself, to say what was expected
}

// location is the address of every schema: they are alone in their world and
// references to other documents are refused.
const location = "mem:///schema.json"

// Compile compiles a schema. Regular expressions that only JavaScript
// understands are ignored; references to other documents are an error.
func Compile(text json.RawMessage) (*Schema, error) {
	doc, err := decode(text)
	if err != nil {
		return nil, fmt.Errorf("read JSON schema: %w", err)
	}
	if dropForeignPatterns(doc) {
		if text, err = json.Marshal(doc); err != nil {
			return nil, fmt.Errorf("read JSON schema: %w", err)
		}
	}
	c := jsonschema.NewCompiler()
	c.Draft = jsonschema.Draft2020
	c.LoadURL = func(url string) (io.ReadCloser, error) {
		return nil, fmt.Errorf("%s: references to other documents are not supported; put the definition into $defs", url)
	}
	if err := c.AddResource(location, bytes.NewReader(text)); err != nil {
		return nil, fmt.Errorf("read JSON schema: %w", err)
	}
	root, err := c.Compile(location)
	if err != nil {
		return nil, fmt.Errorf("compile JSON schema: %w", plainCompileError(err))
	}
	return &Schema{root: root, doc: doc}, nil
}

// plainCompileError takes the invented address out of a message.
func plainCompileError(err error) error {
	var se *jsonschema.SchemaError
	if errors.As(err, &se) && se.Err != nil {
		err = se.Err
	}
	var ve *jsonschema.ValidationError
	if errors.As(err, &ve) {
		for len(ve.Causes) > 0 {
			ve = ve.Causes[0]
		}
		return fmt.Errorf("%s: %s", dotted(ve.InstanceLocation), ve.Message)
	}
	text := strings.ReplaceAll(err.Error(), location, "")
	return errors.New(strings.TrimPrefix(text, "jsonschema: "))
}

// dropForeignPatterns removes patterns that Go can not compile, such as those
// with look-ahead: a schema written for JavaScript should not make its tool
// unusable. It reports whether it changed anything.
func dropForeignPatterns(v any) bool {
	changed := false
	switch v := v.(type) {
	case map[string]any:
		if p, ok := v["pattern"].(string); ok {
			if _, err := regexp.Compile(p); err != nil {
				delete(v, "pattern")
				changed = true
			}
		}
		if props, ok := v["patternProperties"].(map[string]any); ok {
			for p := range props {
				if _, err := regexp.Compile(p); err != nil {
					delete(props, p)
					changed = true
				}
			}
		}
		for _, e := range v {
			changed = dropForeignPatterns(e) || changed
		}
	case []any:
		for _, e := range v {
			changed = dropForeignPatterns(e) || changed
		}
	}
	return changed
}

// decode reads JSON with exact numbers.
func decode(text []byte) (any, error) {
	d := json.NewDecoder(bytes.NewReader(text))
	d.UseNumber()
	var v any
	if err := d.Decode(&v); err != nil {
		return nil, err
	}
	if _, err := d.Token(); err != io.EOF {
		return nil, errors.New("text after the JSON value")
	}
	return v, nil
}

// Cache compiles each schema once. The zero value is ready; it is safe for
// concurrent use.
type Cache struct {
	mu      sync.Mutex
	entries map[string]*entry
}

type entry struct {
	once   sync.Once
	schema *Schema
	err    error
}

// Get gives the compiled schema, compiling it at the first call.
func (c *Cache) Get(text json.RawMessage) (*Schema, error) {
	c.mu.Lock()
	e := c.entries[string(text)]
	if e == nil {
		if c.entries == nil {
			c.entries = make(map[string]*entry)
		}
		e = new(entry)
		c.entries[string(text)] = e
	}
	c.mu.Unlock()
	e.once.Do(func() { e.schema, e.err = Compile(text) })
	return e.schema, e.err
}
