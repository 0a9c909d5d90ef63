package session

import (
	"context"
	"strings"
	"time"
)

type label struct {
	text string
	at   time.Time
}

// loadLabels replays the labels of all branches.
func (s *Session) loadLabels(ctx context.Context) error {
	if s.closed {
		return ErrClosed
	}
	if s.labels != nil {
		return nil
	}
	labels := make(map[string]label)
	for i := range s.tree.nodes {
		if s.tree.nodes[i].Type != TypeLabel {
			continue
		}
		e, err := s.read(ctx, i)
		if err != nil {
			return err
		}
		if e, ok := e.(*LabelEntry); ok {
			setLabel(labels, e)
		}
	}
	s.labels = labels
	return nil
}

func setLabel(labels map[string]label, e *LabelEntry) {
	if e.Label == "" {
		delete(labels, e.TargetID)
		return
	}
	labels[e.TargetID] = label{e.Label, e.Time}
}

// SetLabel labels an entry; "" removes its label. The entry that records it
// becomes the leaf.
func (s *Session) SetLabel(ctx context.Context, id, text string) error {
	_, err := s.Append(ctx, &LabelEntry{TargetID: id, Label: text})
	return err
}

// Label gives the label of an entry, "" if it has none.
func (s *Session) Label(ctx context.Context, id string) (string, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if err := s.loadLabels(ctx); err != nil {
		return "", err
	}
	return s.labels[id].text, nil
}

// SetName names the session; "" removes its name. Line ends become spaces.
func (s *Session) SetName(ctx context.Context, name string) error {
	_, err := s.Append(ctx, &InfoEntry{Name: name})
	return err
}

// Name is the session's name, "" if it has none.
func (s *Session) Name(ctx context.Context) (string, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return "", ErrClosed
	}
	if s.name != nil {
		return *s.name, nil
	}
	name := ""
	for i := len(s.tree.nodes) - 1; i >= 0; i-- {
		if s.tree.nodes[i].Type != TypeInfo {
			continue
		}
		e, err := s.read(ctx, i)
		if err != nil {
			return "", err
		}
		if e, ok := e.(*InfoEntry); ok {
			name = CleanName(e.Name)
			break
		}
	}
	s.name = &name
	return name, nil
}

// CleanName makes a session's name one line: line ends become spaces.
func CleanName(name string) string {
	parts := strings.FieldsFunc(name, func(r rune) bool { return r == '\r' || r == '\n' })
	return strings.TrimSpace(strings.Join(parts, " "))
}
