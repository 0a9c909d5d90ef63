package gemini

import (
	"encoding/json"
	"fmt"
	"strconv"
	"strings"

	"github.com/pi-go/pi/ai"
	"github.com/pi-go/pi/ai/jsonobj"
)

// streamedCall is a tool call whose arguments come in parts.
type streamedCall struct {
	w    *ai.BlockWriter
	root node
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
	text    string
	members []member
	items   []*node
}

type member struct {
	name  string
	value *node
}

// add puts a partial argument in its place.
func (c *streamedCall) add(p *partialArg) error {
	n, err := c.root.at(p.Path)
	if err != nil {
		return err
	}
	switch {
	case p.String != nil && n.kind == 's' && n.open:
		n.text += *p.String
	case p.String != nil:
		*n = node{kind: 's', text: *p.String}
	case len(p.Number) > 0:
		*n = node{kind: 'r', text: string(p.Number)}
	case p.Bool != nil:
		*n = node{kind: 'r', text: strconv.FormatBool(*p.Bool)}
	case len(p.Null) > 0:
		*n = node{kind: 'r', text: "null"}
	}
	n.open = p.Continue
	return nil
}

// mostItems bounds an array index: a wrong one must not fill the memory.
const mostItems = 100_000

// at finds the node of a path such as $.files[0].name or $['odd name'], and makes
// what is missing on the way.
func (n *node) at(path string) (*node, error) {
	rest, ok := strings.CutPrefix(path, "$")
	if !ok {
		return nil, fmt.Errorf("path %q does not begin with $", path)
	}
	for rest != "" {
		var name string
		switch {
		case strings.HasPrefix(rest, "['"):
			end := strings.Index(rest, "']")
			if end < 0 {
				return nil, fmt.Errorf("path %q has an open bracket", path)
			}
			name, rest = rest[2:end], rest[end+2:]
		case rest[0] == '[':
			end := strings.IndexByte(rest, ']')
			if end < 0 {
				return nil, fmt.Errorf("path %q has an open bracket", path)
			}
			i, err := strconv.Atoi(rest[1:end])
			if err != nil || i < 0 || i > mostItems {
				return nil, fmt.Errorf("path %q has a bad index", path)
			}
			n, rest = n.item(i), rest[end+1:]
			continue
		case rest[0] == '.':
			rest = rest[1:]
			end := strings.IndexAny(rest, ".[")
			if end < 0 {
				end = len(rest)
			}
			name, rest = rest[:end], rest[end:]
		default:
			return nil, fmt.Errorf("path %q can not be read at %q", path, rest)
		}
		n = n.member(name)
	}
	return n, nil
}

func (n *node) member(name string) *node {
	if n.kind != 'o' {
		*n = node{kind: 'o'}
	}
	for _, m := range n.members {
		if m.name == name {
			return m.value
		}
	}
	v := &node{}
	n.members = append(n.members, member{name, v})
	return v
}

func (n *node) item(i int) *node {
	if n.kind != 'a' {
		*n = node{kind: 'a'}
	}
	for len(n.items) <= i {
		n.items = append(n.items, &node{})
	}
	return n.items[i]
}

// set takes whole arguments, to which partial ones may be added.
func (n *node) set(object json.RawMessage) error {
	return jsonobj.Walk(object, func(name string, value json.RawMessage) error {
		*n.member(name) = node{kind: 'r', text: string(value)}
		return nil
	})
}

func (n *node) appendJSON(dst []byte) []byte {
	switch n.kind {
	case 's':
		return jsonobj.AppendString(dst, n.text)
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
