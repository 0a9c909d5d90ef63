package jsonobj

import (
	"bytes"
	"encoding/json"
	"fmt"
	"iter"
	"slices"
)

// Object is a JSON object that keeps what its user does not know: all members, in
// order, with their values as they were written. Parsed from compact JSON and
// written again it is the same text; white space between members is not kept. The
// zero value is an empty object.
//
// Keys that come twice are kept until they are set or deleted; the last one
// counts. Look-ups go through the members one by one, which is right for objects
// of some dozens. An Object is not safe for concurrent changes.
type Object struct {
	members []field
}

type field struct {
	key   string
	name  []byte // the key as it was written, with its quotes
	value json.RawMessage
}

// Parse reads an object. The values point into data, which must not change
// afterwards. What is no object is a *SyntaxError.
func Parse(data []byte) (*Object, error) {
	o := new(Object)
	if err := o.parse(data); err != nil {
		return nil, err
	}
	return o, nil
}

func (o *Object) parse(data []byte) error {
	if !json.Valid(data) {
		_, err := parse("", data, Strict)
		if err == nil { // a byte order mark, which is fine in files only
			err = newError("", data, 0, "expected an object, found a byte order mark")
		}
		return err
	}
	if start := skipSpace(data, 0); data[start] != '{' {
		t, err := parse("", data, Strict)
		if err != nil {
			return err
		}
		return newError("", data, start, "expected an object, found "+t.kind(t.root))
	}
	o.members = o.members[:0]
	return walk(data, func(name []byte, value json.RawMessage) error {
		key, err := unquote(name)
		o.members = append(o.members, field{key, name, value})
		return err
	})
}

// Len returns the number of members.
func (o *Object) Len() int { return len(o.members) }

// All returns keys and values in order.
func (o *Object) All() iter.Seq2[string, json.RawMessage] {
	return func(yield func(string, json.RawMessage) bool) {
		for _, m := range o.members {
			if !yield(m.key, m.value) {
				return
			}
		}
	}
}

// Get returns the value of a key, nil if there is none. It must not be changed.
func (o *Object) Get(key string) json.RawMessage {
	if i := o.index(key); i >= 0 {
		return o.members[i].value
	}
	return nil
}

// index returns the place of the last member with a key, or -1.
func (o *Object) index(key string) int {
	for i := len(o.members) - 1; i >= 0; i-- {
		if o.members[i].key == key {
			return i
		}
	}
	return -1
}

// Set gives a key a value, in its place or else at the end: any Go value that
// encoding/json can write, or JSON in a json.RawMessage, which is checked and made
// compact. On an error nothing is changed.
func (o *Object) Set(key string, value any) error {
	raw, err := Marshal(value)
	if err != nil {
		return fmt.Errorf("set %q: %w", key, err)
	}
	if i := o.index(key); i >= 0 {
		o.members[i].value = raw
		earlier := slices.DeleteFunc(o.members[:i], func(m field) bool { return m.key == key })
		o.members = append(earlier, o.members[i:]...)
		return nil
	}
	o.members = append(o.members, field{key, AppendString(nil, key), raw})
	return nil
}

// Delete removes a key and reports whether it was there.
func (o *Object) Delete(key string) bool {
	before := len(o.members)
	o.members = slices.DeleteFunc(o.members, func(m field) bool { return m.key == key })
	return len(o.members) < before
}

// Clone returns a copy that can be changed apart. The values are shared, as no
// method changes one in place.
func (o *Object) Clone() *Object { return &Object{members: slices.Clone(o.members)} }

// AppendJSON appends the object to dst.
func (o *Object) AppendJSON(dst []byte) []byte {
	dst = append(dst, '{')
	for i, m := range o.members {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = append(append(dst, m.name...), ':')
		dst = append(dst, m.value...)
	}
	return append(dst, '}')
}

// MarshalJSON writes the object. Called through encoding/json, which escapes
// HTML, the text may differ from AppendJSON's in that.
func (o *Object) MarshalJSON() ([]byte, error) { return o.AppendJSON(nil), nil }

// UnmarshalJSON reads the object from a copy of data; null makes it empty.
func (o *Object) UnmarshalJSON(data []byte) error {
	if string(data) == "null" {
		o.members = nil
		return nil
	}
	o.members = nil
	return o.parse(bytes.Clone(data))
}
