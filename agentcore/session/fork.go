package session

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"os"
	"slices"

	"github.com/pi-go/pi/ai"
	"github.com/pi-go/pi/ai/jsonobj"
)

// ForkOptions say what to copy, and into what.
type ForkOptions struct {
	// Entry is the last entry to copy; "" means the leaf.
	Entry string
	// Before copies up to the entry before Entry, which must be a message of a
	// user: the new session is where it was asked, and it can be asked in
	// other words.
	Before bool
	// Header of the new session. An empty Cwd is taken from the source, and so
	// is an empty Parent: what the source can be opened by, if it is kept
	// anywhere.
	Header Header
	// Options of the new session.
	Options Options
}

// Fork copies the branch that leads to an entry into a new session. Entries
// keep their ids; labels are put at the end, for those that have their entry
// in the copy. The source is not changed and may be open for reading only.
func Fork(ctx context.Context, src *Session, to Repo, o ForkOptions) (*Session, error) {
	lines, err := src.branchLines(ctx, o.Entry, o.Before)
	if err != nil {
		return nil, fmt.Errorf("fork session %s: %w", src.ID(), err)
	}
	return src.copyTo(ctx, to, o.Header, lines, o.Options)
}

// Copy copies all of a session, every branch, into a new one. Entries are
// copied as they are stored. What [ForkOptions] says of an empty header holds
// here too.
func Copy(ctx context.Context, src *Session, to Repo, h Header, o Options) (*Session, error) {
	return src.copyTo(ctx, to, h, src.storedLines(ctx), o)
}

func (s *Session) copyTo(ctx context.Context, to Repo, h Header, lines iter.Seq2[[]byte, error], o Options) (*Session, error) {
	if h.Cwd == "" {
		h.Cwd = s.Header().Cwd
	}
	if h.Parent == "" {
		h.Parent = s.Ref()
	}
	st, err := to.Create(ctx, h, lines)
	if err != nil {
		return nil, fmt.Errorf("copy session %s: %w", s.ID(), err)
	}
	return Load(ctx, st, o)
}

// Ref is what the session's repo opens it by, as [Info.Ref]; "" for a session
// that is not kept anywhere, or not yet.
func (s *Session) Ref() string {
	switch st := s.st.(type) {
	case *File:
		if _, err := os.Stat(st.path); err == nil {
			return st.path
		}
	case interface{ Ref() string }:
		return st.Ref()
	}
	return ""
}

// storedLines gives all entries as they are stored.
func (s *Session) storedLines(ctx context.Context) iter.Seq2[[]byte, error] {
	return func(yield func([]byte, error) bool) {
		var buf []byte
		for i := 0; ; i++ {
			s.mu.Lock()
			if i >= len(s.tree.nodes) {
				s.mu.Unlock()
				return
			}
			var err error
			if s.closed {
				err = ErrClosed
			} else {
				buf, err = s.st.Read(ctx, s.tree.nodes[i].Stub, buf[:0])
			}
			s.mu.Unlock()
			if !yield(buf, err) || err != nil {
				return
			}
		}
	}
}

// branchLines gives the stored text of a branch as a session of its own has
// it.
func (s *Session) branchLines(ctx context.Context, id string, before bool) (iter.Seq2[[]byte, error], error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return nil, ErrClosed
	}
	end := s.tree.leaf
	if id != "" {
		var err error
		if end, err = s.lookup(id); err != nil {
			return nil, err
		}
	}
	if before {
		if end < 0 {
			return nil, errors.New("there is no entry to fork before")
		}
		if n := &s.tree.nodes[end]; n.Type != TypeMessage || n.Role != ai.RoleUser {
			return nil, fmt.Errorf("entry %q is not a message of a user", n.ID)
		}
		end = s.tree.parent(end)
	}
	if err := s.loadLabels(ctx); err != nil {
		return nil, err
	}
	var path []int // hidden ones included
	for i := end; i >= 0; i = s.tree.parent(i) {
		path = append(path, i)
	}
	slices.Reverse(path)
	texts := make([][]byte, len(path)) // nil for what is left out
	moved := make(map[string]string)   // id of what is left out to the entry behind it
	instead := ""
	for k, i := range slices.Backward(path) {
		n := &s.tree.nodes[i]
		text, err := s.st.Read(ctx, n.Stub, nil)
		if err != nil {
			return nil, err
		}
		if n.hidden() || n.Type == TypeLabel || !json.Valid(text) {
			moved[n.ID] = instead
			continue
		}
		texts[k], instead = text, n.ID
	}
	var lines [][]byte
	last := ""
	inCopy := make(map[string]bool)
	for k, i := range path {
		if texts[k] == nil {
			continue
		}
		n := &s.tree.nodes[i]
		text, err := moveEntry(n, texts[k], last, moved)
		if err != nil {
			return nil, err
		}
		lines = append(lines, text)
		last = n.ID
		inCopy[n.ID] = true
	}
	for _, i := range path {
		target := s.tree.nodes[i].ID
		l, ok := s.labels[target]
		if !ok || !inCopy[target] {
			continue
		}
		e := &LabelEntry{TargetID: target, Label: l.text}
		e.ID = newEntryID(func(id string) bool { return s.tree.has(id) || inCopy[id] })
		e.Parent, e.Time = last, l.at
		text, err := encodeLine(e)
		if err != nil {
			return nil, err
		}
		lines = append(lines, text)
		last = e.ID
		inCopy[e.ID] = true
	}
	return eachOf(lines), nil
}

// moveEntry gives the stored text of an entry under another parent. What it
// keeps of entries that were left out goes to the entries behind them.
func moveEntry(n *node, text []byte, parent string, moved map[string]string) ([]byte, error) {
	if n.Parent != parent {
		var err error
		if text, err = setMember(text, "parentId", quotedOrNull(parent)); err != nil {
			return nil, err
		}
	}
	if n.Type != TypeCompaction {
		return text, nil
	}
	kept, err := memberText(text, "firstKeptEntryId")
	if err != nil {
		return nil, err
	}
	if next, ok := moved[kept]; ok {
		if next == "" {
			next = n.ID
		}
		return setMember(text, "firstKeptEntryId", jsonobj.AppendString(nil, next))
	}
	return text, nil
}

func quotedOrNull(id string) []byte {
	if id == "" {
		return []byte("null")
	}
	return jsonobj.AppendString(nil, id)
}

func eachOf(lines [][]byte) iter.Seq2[[]byte, error] {
	return func(yield func([]byte, error) bool) {
		for _, l := range lines {
			if !yield(l, nil) {
				return
			}
		}
	}
}
