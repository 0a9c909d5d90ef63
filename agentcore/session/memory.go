package session

import (
	"bytes"
	"context"
	"fmt"
	"iter"
	"slices"
	"strings"
	"sync"
	"time"
)

// Memory is a [Repo] that keeps its sessions in memory: for tests, and for
// programs that leave nothing behind. A session that is closed can be opened
// again. The zero value is ready to use.
type Memory struct {
	// Now is the clock; nil means [time.Now].
	Now func() time.Time

	ids      IDs
	mu       sync.Mutex
	sessions []*memorySession // in order of creation
}

// memorySession is a session that is in memory.
type memorySession struct {
	header Header

	mu      sync.Mutex
	writing bool
	lines   [][]byte
}

// NewMemory makes an empty repo.
func NewMemory() *Memory { return new(Memory) }

// Create implements [Repo].
func (r *Memory) Create(_ context.Context, h Header, lines iter.Seq2[[]byte, error]) (Storage, error) {
	now := r.Now
	if now == nil {
		now = time.Now
	}
	h, err := h.Complete(&r.ids, now())
	if err != nil {
		return nil, err
	}
	m := &memorySession{header: h, writing: true}
	if lines != nil {
		for text, err := range lines {
			if err != nil {
				return nil, fmt.Errorf("create session %s: %w", h.ID, err)
			}
			m.lines = append(m.lines, slices.Clone(text))
		}
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if slices.ContainsFunc(r.sessions, func(o *memorySession) bool { return o.header.ID == h.ID }) {
		return nil, fmt.Errorf("create session %s: %w", h.ID, ErrTaken)
	}
	r.sessions = append(r.sessions, m)
	return &memoryStorage{s: m}, nil
}

// find finds a session by its id or the beginning of it.
func (r *Memory) find(ref string) (*memorySession, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	var found *memorySession
	for _, m := range r.sessions {
		if m.header.ID == ref {
			return m, nil
		}
		if ref != "" && strings.HasPrefix(m.header.ID, ref) {
			found = m
		}
	}
	if found == nil {
		return nil, fmt.Errorf("session %q: %w", ref, ErrNotFound)
	}
	return found, nil
}

// Open implements [Repo].
func (r *Memory) Open(_ context.Context, ref string, mode Mode) (Storage, error) {
	m, err := r.find(ref)
	if err != nil {
		return nil, err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if mode == ReadWrite {
		if m.writing {
			return nil, &LockedError{Ref: m.header.ID}
		}
		m.writing = true
	}
	return &memoryStorage{s: m, mode: mode}, nil
}

// List implements [Repo].
func (r *Memory) List(ctx context.Context, o ListOptions) iter.Seq2[Info, error] {
	return func(yield func(Info, error) bool) {
		r.mu.Lock()
		all := slices.Clone(r.sessions)
		r.mu.Unlock()
		same := SameDir(o.Cwd)
		for i, m := range slices.Backward(all) {
			if same(m.header.Cwd) {
				if !yield(m.info(ctx, o)) {
					return
				}
			}
			if o.Progress != nil {
				o.Progress(len(all)-i, len(all))
			}
		}
	}
}

func (m *memorySession) info(ctx context.Context, o ListOptions) (Info, error) {
	m.mu.Lock()
	text := append(m.header.AppendJSON(nil), '\n')
	for _, l := range m.lines {
		text = append(append(text, l...), '\n')
	}
	m.mu.Unlock()
	info, err := describe(ctx, bytes.NewReader(text), make([]byte, scanChunk), o.Text)
	info.Ref, info.Size = m.header.ID, int64(len(text))
	return info, err
}

// Delete implements [Repo].
func (r *Memory) Delete(_ context.Context, ref string) error {
	m, err := r.find(ref)
	if err != nil {
		return err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.writing {
		return &LockedError{Ref: m.header.ID}
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.sessions = slices.DeleteFunc(r.sessions, func(o *memorySession) bool { return o == m })
	return nil
}

// memoryStorage is a session in memory while it is open.
type memoryStorage struct {
	s      *memorySession
	mode   Mode
	closed bool
}

// Header implements [Storage].
func (m *memoryStorage) Header() Header { return m.s.header }

// Scan implements [Storage]. The position of an entry is its number, from 1.
func (m *memoryStorage) Scan(ctx context.Context, after int64) iter.Seq2[Stub, error] {
	return func(yield func(Stub, error) bool) {
		for i := max(after, 1); ; i++ {
			m.s.mu.Lock()
			var text []byte
			if i <= int64(len(m.s.lines)) {
				text = m.s.lines[i-1]
			}
			closed := m.closed
			m.s.mu.Unlock()
			if closed {
				yield(Stub{}, ErrClosed)
				return
			}
			if text == nil {
				return
			}
			s := StubOf(text)
			s.Pos, s.Next = i, i+1
			if !yield(s, context.Cause(ctx)) {
				return
			}
		}
	}
}

// Read implements [Storage].
func (m *memoryStorage) Read(_ context.Context, at Stub, dst []byte) ([]byte, error) {
	m.s.mu.Lock()
	defer m.s.mu.Unlock()
	switch {
	case m.closed:
		return dst, ErrClosed
	case at.Pos < 1 || at.Pos > int64(len(m.s.lines)):
		return dst, fmt.Errorf("read entry %d of session %s: %w", at.Pos, m.s.header.ID, ErrNotFound)
	}
	return append(dst, m.s.lines[at.Pos-1]...), nil
}

// Append implements [Storage].
func (m *memoryStorage) Append(_ context.Context, s Stub, text []byte) (Stub, error) {
	m.s.mu.Lock()
	defer m.s.mu.Unlock()
	switch {
	case m.closed:
		return s, ErrClosed
	case m.mode == ReadOnly:
		return s, ErrReadOnly
	}
	m.s.lines = append(m.s.lines, slices.Clone(text))
	s.Pos = int64(len(m.s.lines))
	s.Next, s.Size = s.Pos+1, len(text)
	return s, nil
}

// Sync implements [Storage]; there is nothing to do.
func (m *memoryStorage) Sync(context.Context) error { return nil }

// Close implements [Storage].
func (m *memoryStorage) Close() error {
	m.s.mu.Lock()
	defer m.s.mu.Unlock()
	if !m.closed && m.mode == ReadWrite {
		m.s.writing = false
	}
	m.closed = true
	return nil
}
