package jsonobj

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
)

// Document is a file that holds one JSON object and is edited member by member.
// An edit changes the bytes of that member and nothing else: the order of keys,
// comments, odd white space, number formats and everything unknown stay. A file as
// JSON.stringify(value, null, 2) writes it stays such a file.
//
// A path is a sequence of keys, from the root object inwards. Where a key comes
// twice in an object, the last one counts, as in encoding/json.
type Document struct {
	file   string
	syntax Syntax
	t      *tree
}

// Open parses src, the content of file. A blank file is an empty object. What is
// no object is a *SyntaxError. The file's name is used in errors only; src must
// not change afterwards.
func Open(file string, src []byte, syntax Syntax) (*Document, error) {
	if blank(src) {
		src = []byte("{}")
	}
	t, err := parse(file, src, syntax)
	if err != nil {
		return nil, err
	}
	d := &Document{file: file, syntax: syntax, t: t}
	if src[t.root.start] != '{' {
		return nil, newError(file, src, t.root.start, "expected an object, found "+t.kind(t.root))
	}
	return d, nil
}

// Bytes returns the text. It must not be changed.
func (d *Document) Bytes() []byte { return d.t.src }

// Decode reads the whole document into v; see the function Decode.
func (d *Document) Decode(v any) error { return d.t.decode(d.file, v) }

// Get returns the value at path as strict JSON, and whether there is one. Without
// a path that is the whole document.
func (d *Document) Get(path ...string) (json.RawMessage, bool) {
	n := d.value(path)
	if n == nil {
		return nil, false
	}
	return d.t.strict()[n.start:n.end:n.end], true
}

// Keys returns the keys of the object at path in order, each once; none if there
// is no object.
func (d *Document) Keys(path ...string) []string {
	n := d.value(path)
	if n == nil {
		return nil
	}
	var keys []string
	for _, m := range n.members {
		if !slices.Contains(keys, m.key) {
			keys = append(keys, m.key)
		}
	}
	return keys
}

// Set gives the member at path, which must not be empty, a value: any Go value
// that encoding/json can write, or JSON in a json.RawMessage. Missing objects on
// the way are made, a null in their place is replaced. When the member has that
// value already, no byte changes. It is an error, and nothing is changed, when
// the value can not be written, or something on the way is no object.
func (d *Document) Set(value any, path ...string) error {
	if len(path) == 0 {
		return fmt.Errorf("set a value in %s: no key given", d.name())
	}
	raw, err := Marshal(value)
	if err != nil {
		return fmt.Errorf("set %s in %s: %w", joinPath(path), d.name(), err)
	}
	n := &d.t.root
	for i, key := range path {
		m := n.member(key)
		last := i == len(path)-1
		switch {
		case m == nil:
			return d.insert(n, i, key, wrap(raw, path[i+1:]))
		case last:
			return d.replace(n, m, i, raw)
		case d.t.src[m.value.start] == 'n':
			return d.replace(n, m, i, wrap(raw, path[i+1:]))
		case d.t.src[m.value.start] != '{':
			return newError(d.file, d.t.src, m.value.start, fmt.Sprintf("%s: expected an object, found %s", joinPath(path[:i+1]), d.t.kind(m.value)))
		}
		n = &m.value
	}
	return nil
}

// Delete removes the member at path and reports whether there was one. A comment
// behind it on its line goes with it.
func (d *Document) Delete(path ...string) (bool, error) {
	found := false
	for {
		n, i := d.find(path)
		if n == nil {
			return found, nil
		}
		if err := d.remove(n, i); err != nil {
			return found, err
		}
		found = true
	}
}

// find returns the object that holds the member at path, and its index there; nil
// if there is none.
func (d *Document) find(path []string) (*node, int) {
	if len(path) == 0 {
		return nil, 0
	}
	n := d.value(path[:len(path)-1])
	if n == nil {
		return nil, 0
	}
	for i, m := range n.members {
		if m.key == path[len(path)-1] {
			return n, i
		}
	}
	return nil, 0
}

// value returns the value at path, nil if there is none.
func (d *Document) value(path []string) *node {
	n := &d.t.root
	for _, key := range path {
		m := n.member(key)
		if m == nil {
			return nil
		}
		n = &m.value
	}
	return n
}

func (d *Document) name() string {
	if d.file == "" {
		return "the document"
	}
	return d.file
}

// member returns the last member with a key, nil if there is none.
func (n *node) member(key string) *member {
	for i := len(n.members) - 1; i >= 0; i-- {
		if n.members[i].key == key {
			return &n.members[i]
		}
	}
	return nil
}

// wrap puts a value into objects with the given keys.
func wrap(raw []byte, keys []string) []byte {
	for _, key := range slices.Backward(keys) {
		raw = slices.Concat([]byte("{"), AppendString(nil, key), []byte(":"), raw, []byte("}"))
	}
	return raw
}

// Marshal encodes v as encoding/json does, but leaves <, > and & as they are. A
// json.RawMessage comes out compact.
func Marshal(v any) ([]byte, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		return nil, err
	}
	return bytes.TrimSuffix(b.Bytes(), []byte{'\n'}), nil
}
