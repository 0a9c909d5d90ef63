package session

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/pi-go/pi/ai/jsonobj"
)

// rootID stands for the root where an entry names the leaf that was left.
const rootID = "root"

// PathTo lists the entries from the root to one, or to the leaf for "", without
// reading them.
func (s *Session) PathTo(id string) ([]Stub, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	path, err := s.pathTo(id)
	if err != nil {
		return nil, err
	}
	out := make([]Stub, len(path))
	for i, p := range path {
		out[i] = s.tree.nodes[p].Stub
	}
	return out, nil
}

func (s *Session) pathTo(id string) ([]int, error) {
	if s.closed {
		return nil, ErrClosed
	}
	i := s.tree.leaf
	if id != "" {
		var err error
		if i, err = s.lookup(id); err != nil {
			return nil, err
		}
	}
	return s.tree.path(i), nil
}

// Branch reads the entries from the root to one, or to the leaf for "".
func (s *Session) Branch(ctx context.Context, id string) ([]Entry, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	path, err := s.pathTo(id)
	if err != nil {
		return nil, err
	}
	return s.readAll(ctx, path)
}

func (s *Session) readAll(ctx context.Context, places []int) ([]Entry, error) {
	out := make([]Entry, len(places))
	for i, p := range places {
		e, err := s.read(ctx, p)
		if err != nil {
			return nil, err
		}
		out[i] = e
	}
	return out, nil
}

// MoveTo makes an entry the leaf, so that the next one becomes its child; ""
// moves to the root. The move is recorded and found again when the session is
// opened. Moving to where the leaf is does nothing.
func (s *Session) MoveTo(ctx context.Context, id string) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	target, err := s.target(id)
	if err != nil {
		return err
	}
	if target == s.tree.leaf {
		return nil
	}
	from := []byte("null")
	if s.tree.leaf >= 0 {
		from = jsonobj.AppendString(nil, s.tree.id(s.tree.leaf))
	}
	data := json.RawMessage(fmt.Sprintf(`{"from":%s}`, from))
	if _, err := s.appendUnder(ctx, target, &CustomEntry{CustomType: LeafType, Data: data}); err != nil {
		return err
	}
	s.tree.leaf = target
	return nil
}

// MoveWithSummary makes an entry (or, for "", the root) the place to go on
// from, and puts a summary of what is left behind under it, which becomes the
// leaf. FromID is filled in.
func (s *Session) MoveWithSummary(ctx context.Context, id string, e *BranchSummaryEntry) (string, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	target, err := s.target(id)
	if err != nil {
		return "", err
	}
	before := e.FromID
	if e.FromID = s.tree.id(s.tree.leaf); e.FromID == "" {
		e.FromID = rootID
	}
	made, err := s.appendUnder(ctx, target, e)
	if err != nil {
		e.FromID = before
	}
	return made, err
}

func (s *Session) target(id string) (int, error) {
	if id == "" {
		if s.closed {
			return -1, ErrClosed
		}
		return -1, nil
	}
	i, err := s.lookup(id)
	return s.tree.visible(i), err
}

// Left reads the entries that a move of the leaf to an entry would leave
// behind: those from the leaf up to where both branches part, oldest first.
// "" stands for the root.
func (s *Session) Left(ctx context.Context, target string) ([]Entry, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	to, err := s.target(target)
	if err != nil {
		return nil, err
	}
	here, there := s.tree.path(s.tree.leaf), s.tree.path(to)
	n := 0
	for n < len(here) && n < len(there) && here[n] == there[n] {
		n++
	}
	return s.readAll(ctx, here[n:])
}
