package session

import (
	"context"
	"errors"
	"fmt"
	"reflect"
)

// Preview reads the entries that would be in sight of a model if some were appended
// at the leaf, in order: see [Session.Visible]; none shows things as they are. It
// fails where appending one of them would. Nothing is stored, and the entries are not
// changed: those in the answer are copies, with ids of their own where they had none.
func (s *Session) Preview(ctx context.Context, entries ...Entry) ([]Entry, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return nil, ErrClosed
	}
	defer s.tree.cut(len(s.tree.nodes), s.tree.leaf)
	for i, e := range entries {
		c, err := copyOf(e)
		if err != nil {
			return nil, fmt.Errorf("entry %d: %w", i, err)
		}
		if _, err := s.prepare(s.tree.leaf, c); err != nil {
			return nil, fmt.Errorf("entry %d: %w", i, err)
		}
		s.hang(s.tree.leaf, stubOf(c), c)
	}
	return s.inSight(ctx)
}

// copyOf copies an entry, but not what it points to, which nobody changes.
func copyOf(e Entry) (Entry, error) {
	v := reflect.ValueOf(e)
	if v.Kind() != reflect.Pointer || v.IsNil() {
		return nil, errors.New("there is none")
	}
	c := reflect.New(v.Elem().Type())
	c.Elem().Set(v.Elem())
	out, ok := c.Interface().(Entry)
	if !ok {
		return nil, fmt.Errorf("a %T can not be copied", e)
	}
	return out, nil
}

// cut takes the newest nodes away again, and puts the leaf back.
func (t *tree) cut(length, leaf int) {
	for i := range t.nodes[length:] {
		n := &t.nodes[length+i]
		delete(t.byID, n.ID)
		if n.hidden() {
			t.hidden--
		}
		*n = node{} // what it holds is free
	}
	t.nodes, t.leaf = t.nodes[:length], leaf
}
