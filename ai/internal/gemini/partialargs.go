package gemini

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strconv"
	"strings"

	"github.com/pi-go/pi/ai"
	"github.com/pi-go/pi/ai/jsonobj"
)

// streamedCall is a tool call whose arguments come in parts.
type streamedCall struct {
	w     *ai.BlockWriter
	root  node
	nodes int // that were made
}

// partialArg is one value, or a piece of a text, and where it belongs.
type partialArg struct {
	Path     string          `json:"jsonPath"`
	String   *string         `json:"stringValue"`
	Number   json.RawMessage `json:"numberValue"`
	Bool     *bool           `json:"boolValue"`
	Null     json.RawMessage `json:"nullValue"`
	Continue bool            `json:"willContinue"`
}

// node is a value being put together. Members keep the order in which they came.
type node struct {
	kind    byte // 0 nothing yet, 's' text, 'r' raw JSON, 'o' object, 'a' array
	open    bool // more of the text is to come
	text    []byte
	members []member
	named   map[string]*node // the members, once there are many
	items   []*node
}

type member struct {
	name  string
	value *node
}

// add puts a partial argument in its place.
func (c *streamedCall) add(p *partialArg) error {
	n, err := c.at(p.Path)
	if err != nil {
		return err
	}
	switch {
	case p.String != nil && n.kind == 's' && n.open:
		n.text = append(n.text, *p.String...)
	case p.String != nil:
		*n = node{kind: 's', text: []byte(*p.String)}
	case len(p.Number) > 0:
		*n = node{kind: 'r', text: bytes.Clone(p.Number)}
	case p.Bool != nil:
		*n = node{kind: 'r', text: strconv.AppendBool(nil, *p.Bool)}
	case len(p.Null) > 0:
		*n = node{kind: 'r', text: []byte("null")}
	}
	n.open = p.Continue
	return nil
}

const (
	// mostNodes bounds the values of a call: a wrong index must not fill the memory.
	mostNodes = 100_000
	// mostDepth bounds a path: what is nested deeper than that overflows stacks.
	mostDepth = 500
)

// at finds the node of a path such as $.files[0].name or $['odd name'], and makes
// what is missing on the way.
func (c *streamedCall) at(path string) (*node, error) {
	rest, ok := strings.CutPrefix(path, "$")
	if !ok {
		return nil, fmt.Errorf("path %.100q does not begin with $", path)
	}
	n := &c.root
	for depth := 0; rest != ""; depth++ {
		if depth == mostDepth {
			return nil, fmt.Errorf("path %.100q… is more than %d levels deep", path, mostDepth)
		}
		var name string
		switch {
		case strings.HasPrefix(rest, "['"):
			end := strings.Index(rest, "']")
			if end < 0 {
				return nil, fmt.Errorf("path %.100q has an open bracket", path)
			}
			name, rest = rest[2:end], rest[end+2:]
		case rest[0] == '[':
			end := strings.IndexByte(rest, ']')
			if end < 0 {
				return nil, fmt.Errorf("path %.100q has an open bracket", path)
			}
			i, err := strconv.Atoi(rest[1:end])
			if err != nil || i < 0 || i > mostNodes {
				return nil, fmt.Errorf("path %.100q has a bad index", path)
			}
			if n, err = c.item(n, i); err != nil {
				return nil, err
			}
			rest = rest[end+1:]
			continue
		case rest[0] == '.':
			rest = rest[1:]
			end := strings.IndexAny(rest, ".[")
			if end < 0 {
				end = len(rest)
			}
			name, rest = rest[:end], rest[end:]
		default:
			return nil, fmt.Errorf("path %.100q can not be read at %.100q", path, rest)
		}
		var err error
		if n, err = c.member(n, name); err != nil {
			return nil, err
		}
	}
	return n, nil
}

// make counts a new node.
func (c *streamedCall) make() (*node, error) {
	if c.nodes++; c.nodes > mostNodes {
		return nil, fmt.Errorf("there are more than %d values", mostNodes)
	}
	return &node{}, nil
}

// fewMembers is up to how many members are looked for one by one.
const fewMembers = 16

func (c *streamedCall) member(n *node, name string) (*node, error) {
	if n.kind != 'o' {
		*n = node{kind: 'o'}
	}
	if v := n.named[name]; v != nil {
		return v, nil
	}
	if n.named == nil {
		for _, m := range n.members {
			if m.name == name {
				return m.value, nil
			}
		}
	}
	v, err := c.make()
	if err != nil {
		return nil, err
	}
	n.members = append(n.members, member{name, v})
	if n.named != nil {
		n.named[name] = v
	} else if len(n.members) > fewMembers {
		n.named = make(map[string]*node)
		for _, m := range n.members {
			n.named[m.name] = m.value
		}
	}
	return v, nil
}

func (c *streamedCall) item(n *node, i int) (*node, error) {
	if n.kind != 'a' {
		*n = node{kind: 'a'}
	}
	for len(n.items) <= i {
		v, err := c.make()
		if err != nil {
			return nil, err
		}
		n.items = append(n.items, v)
	}
	return n.items[i], nil
}

// set takes whole arguments, to which partial ones may be added.
func (c *streamedCall) set(object json.RawMessage) error {
	return jsonobj.Walk(object, func(name string, value json.RawMessage) error {
		n, err := c.member(&c.root, name)
		if err == nil {
			*n = node{kind: 'r', text: bytes.Clone(value)}
		}
		return err
	})
}

func (n *node) appendJSON(dst []byte) []byte {
	switch n.kind {
	case 's':
		return jsonobj.AppendString(dst, string(n.text))
	case 'r':
		return append(dst, n.text...)
	case 'a':
		dst = append(dst, '[')
		for i, item := range n.items {
			if i > 0 {
				dst = append(dst, ',')
			}
			dst = item.appendJSON(dst)
		}
		return append(dst, ']')
	case 'o':
		dst = append(dst, '{')
		for i, m := range n.members {
			if i > 0 {
				dst = append(dst, ',')
			}
			dst = jsonobj.AppendString(dst, m.name)
			dst = append(dst, ':')
			dst = m.value.appendJSON(dst)
		}
		return append(dst, '}')
	}
	return append(dst, "null"...)
}
