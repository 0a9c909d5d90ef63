package session

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"strings"
	"sync"
	"time"

	"github.com/pi-go/pi/agentcore"
	"github.com/pi-go/pi/ai"
)

// Options are what a [Session] needs to know of its program. The zero value
// is ready to use.
type Options struct {
	// Codec reads messages of the program's own kinds.
	Codec Codec
	// Mode says whether the session can be appended to.
	Mode Mode
	// Now is the clock; nil means [time.Now].
	Now func() time.Time
}

// Session is an open session. It is safe for concurrent use. Close it.
type Session struct {
	st    Storage
	codec Codec
	mode  Mode
	now   func() time.Time
	syncs syncer

	mu       sync.Mutex // guards all below
	closed   bool
	tree     tree
	next     int64 // position behind the last entry known
	problems []Problem
	reported map[reported]bool // what problems are about: each once
	labels   map[string]label  // nil until asked for
	name     *string           // nil until asked for
	stats    *Stats            // nil until asked for
}

// Problem is something wrong with a stored session that did not keep it from
// being opened.
type Problem struct {
	// Pos is where it is: the offset in bytes in a file.
	Pos int64
	// ID is the entry it is about, "" for text that is no entry.
	ID string
	// Text says what is wrong, for people.
	Text string
}

type reported struct {
	pos int64
	id  string
}

// Create makes a session in a repo. An empty header will do.
func Create(ctx context.Context, r Repo, h Header, o Options) (*Session, error) {
	st, err := r.Create(ctx, h, nil)
	if err != nil {
		return nil, err
	}
	return Load(ctx, st, o)
}

// Open opens a session of a repo; see [Repo] for what ref may be.
func Open(ctx context.Context, r Repo, ref string, o Options) (*Session, error) {
	st, err := r.Open(ctx, ref, o.Mode)
	if err != nil {
		return nil, err
	}
	return Load(ctx, st, o)
}

// Load makes a session of a storage and takes it over: closing the session
// closes it, and so does an error.
func Load(ctx context.Context, st Storage, o Options) (*Session, error) {
	if o.Now == nil {
		o.Now = time.Now
	}
	s := &Session{st: st, codec: o.Codec, mode: o.Mode, now: o.Now}
	if err := s.load(ctx); err != nil {
		return nil, errors.Join(fmt.Errorf("load session %s: %w", st.Header().ID, err), st.Close())
	}
	return s, nil
}

func (s *Session) load(ctx context.Context) error {
	if c, ok := s.st.(interface{ Count() int }); ok {
		s.tree.grow(c.Count())
	}
	for stub, err := range s.st.Scan(ctx, 0) {
		if err != nil {
			return err
		}
		s.next = stub.Next
		if stub.Fault != "" {
			s.problem(stub.Pos, "", "skipped: "+stub.Fault)
			continue
		}
		s.tree.add(stub)
	}
	s.tree.link(s.problem)
	s.tree.leaf = s.tree.visible(len(s.tree.nodes) - 1)
	return nil
}

func (s *Session) problem(pos int64, id, text string) {
	key := reported{pos, id}
	if s.reported[key] {
		return
	}
	if s.reported == nil {
		s.reported = make(map[reported]bool)
	}
	s.reported[key] = true
	s.problems = append(s.problems, Problem{pos, id, text})
}

// ID is the id in the header.
func (s *Session) ID() string { return s.st.Header().ID }

// Header gives the header.
func (s *Session) Header() Header { return s.st.Header() }

// Path is the path of the session's file, which may not be there yet; "" for
// a session that is not kept in a file of its own.
func (s *Session) Path() string {
	if f, ok := s.st.(interface{ Path() string }); ok {
		return f.Path()
	}
	return ""
}

// Problems lists what is wrong with the stored session, as far as it was
// looked at.
func (s *Session) Problems() []Problem {
	s.mu.Lock()
	defer s.mu.Unlock()
	return append([]Problem(nil), s.problems...)
}

// Skipped counts stored text that is no entry.
func (s *Session) Skipped() int {
	n := 0
	for _, p := range s.Problems() {
		if p.ID == "" {
			n++
		}
	}
	return n
}

// Leaf is the id of the entry that the next one will follow, "" at the root.
func (s *Session) Leaf() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.tree.id(s.tree.leaf)
}

// Len is the number of entries on all branches.
func (s *Session) Len() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.tree.nodes) - s.tree.hidden
}

// Stub tells what is known of an entry without reading it.
func (s *Session) Stub(id string) (Stub, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	i, ok := s.tree.find(id)
	if !ok {
		return Stub{}, false
	}
	return s.tree.nodes[i].Stub, true
}

// Stubs lists all entries in the order in which they were appended, without
// reading them.
func (s *Session) Stubs() []Stub {
	s.mu.Lock()
	defer s.mu.Unlock()
	out := make([]Stub, 0, len(s.tree.nodes)-s.tree.hidden)
	for i := range s.tree.nodes {
		if n := &s.tree.nodes[i]; !n.hidden() {
			out = append(out, n.Stub)
		}
	}
	return out
}

// Entry reads an entry; [ErrNotFound] if there is none of that id.
func (s *Session) Entry(ctx context.Context, id string) (Entry, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	i, err := s.lookup(id)
	if err != nil {
		return nil, err
	}
	return s.read(ctx, i)
}

// Raw reads the stored JSON of an entry, byte for byte.
func (s *Session) Raw(ctx context.Context, id string) ([]byte, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	i, err := s.lookup(id)
	if err != nil {
		return nil, err
	}
	return s.st.Read(ctx, s.tree.nodes[i].Stub, nil)
}

func (s *Session) lookup(id string) (int, error) {
	if s.closed {
		return -1, ErrClosed
	}
	i, ok := s.tree.find(id)
	if !ok {
		return -1, fmt.Errorf("entry %q of session %s: %w", id, s.ID(), ErrNotFound)
	}
	return i, nil
}

// Entries reads all entries in the order in which they were appended. The
// session may be used while the loop runs; entries that are appended
// meanwhile are included.
func (s *Session) Entries(ctx context.Context) iter.Seq2[Entry, error] {
	return func(yield func(Entry, error) bool) {
		for i := 0; ; i++ {
			switch e, more, err := s.entryAt(ctx, i); {
			case !more:
				return
			case err != nil:
				yield(nil, err)
				return
			case e != nil && !yield(e, nil):
				return
			}
		}
	}
}

// entryAt reads the i-th entry; nil for one that is not shown.
func (s *Session) entryAt(ctx context.Context, i int) (e Entry, more bool, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case i >= len(s.tree.nodes):
		return nil, false, nil
	case s.closed:
		return nil, true, ErrClosed
	case s.tree.nodes[i].hidden():
		return nil, true, nil
	}
	e, err = s.read(ctx, i)
	return e, true, err
}

// read decodes an entry. One that can not be decoded is an [UnknownEntry] and
// a problem: a broken entry must not take the session with it.
func (s *Session) read(ctx context.Context, i int) (Entry, error) {
	n := &s.tree.nodes[i]
	if n.entry != nil {
		return n.entry, nil
	}
	text, err := s.st.Read(ctx, n.Stub, nil)
	if err != nil {
		return nil, err
	}
	e, err := DecodeEntry(text, s.codec)
	if err != nil {
		s.problem(n.Pos, n.ID, "left out: "+err.Error())
		e = &UnknownEntry{Meta: Meta{ID: n.ID, Parent: n.Parent, Time: n.Time()}, Kind: n.Type, Raw: text, Err: err}
	}
	return e, nil
}

// Append adds an entry under the leaf and makes it the leaf. It fills in the
// entry's Meta and gives its id; the entry must not be changed afterwards.
// When it returns without an error, the entry survives the end of the process.
// When it fails, nothing has changed. That ctx was cancelled does not stop it:
// what was said before a run was aborted is stored like all else.
func (s *Session) Append(ctx context.Context, e Entry) (string, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.appendUnder(ctx, s.tree.leaf, e)
}

// AppendMessage adds a message; see [Session.Append]. The summaries of this
// package are made from entries of their own kinds and are refused; a
// [CustomMessage] is stored as a [CustomMessageEntry].
func (s *Session) AppendMessage(ctx context.Context, m agentcore.Message) (string, error) {
	switch m := m.(type) {
	case *CustomMessage:
		return s.Append(ctx, m.Entry())
	case *CompactionSummary, *BranchSummary:
		return "", fmt.Errorf("append %s message: it stands for an entry; append that", m.Role())
	}
	return s.Append(ctx, &MessageEntry{Message: m})
}

// appendUnder stores an entry as a child of a node, and moves the leaf to it.
func (s *Session) appendUnder(ctx context.Context, parent int, e Entry) (id string, err error) {
	switch {
	case s.closed:
		return "", ErrClosed
	case s.mode == ReadOnly:
		return "", ErrReadOnly
	}
	before := *e.Head()
	defer func() {
		if err != nil {
			*e.Head() = before
		}
	}()
	text, err := s.prepare(parent, e)
	if err != nil {
		return "", err
	}
	ctx = context.WithoutCancel(ctx)
	stub, err := s.st.Append(ctx, stubOf(e), text)
	if err != nil {
		return "", err
	}
	if stub.Pos != s.next {
		s.catchUp(ctx, stub.Pos)
	}
	s.next = stub.Next
	s.noted(s.hang(parent, stub, e), e)
	return e.Head().ID, nil
}

// prepare fills in what all entries have, and encodes one that is to be stored as a
// child of a node.
func (s *Session) prepare(parent int, e Entry) ([]byte, error) {
	m := e.Head()
	if m.ID == "" {
		m.ID = newEntryID(s.tree.has)
	} else if s.tree.has(m.ID) {
		return nil, fmt.Errorf("append %s entry: the id %q is taken", e.Type(), m.ID)
	}
	if m.Time.IsZero() {
		m.Time = s.now()
	}
	m.Time = m.Time.UTC().Truncate(time.Millisecond)
	m.Parent = s.tree.id(parent)
	if err := s.validate(e); err != nil {
		return nil, fmt.Errorf("append %s entry: %w", e.Type(), err)
	}
	text, err := encodeLine(e)
	if err != nil {
		return nil, fmt.Errorf("append %s entry: %w", e.Type(), err)
	}
	return text, nil
}

// hang takes an entry into the tree as a child of a node, and moves the leaf to it.
func (s *Session) hang(parent int, stub Stub, e Entry) int {
	i := s.tree.add(stub)
	s.tree.nodes[i].parent = int32(parent)
	s.tree.nodes[i].entry = e
	s.tree.leaf = i
	return i
}

// stubOf is the stub of an entry that is about to be stored.
func stubOf(e Entry) Stub {
	m := e.Head()
	s := Stub{Type: e.Type(), ID: m.ID, Parent: m.Parent, At: m.Time.UnixMilli()}
	switch e := e.(type) {
	case *MessageEntry:
		s.Role = e.Message.Role()
	case *CustomEntry:
		s.CustomType = e.CustomType
	case *CustomMessageEntry:
		s.CustomType = e.CustomType
	}
	return s
}

// catchUp takes in what another program wrote behind our last entry, up to a
// position. That it can not be read does not undo what we have stored.
func (s *Session) catchUp(ctx context.Context, until int64) {
	from := len(s.tree.nodes)
	for stub, err := range s.st.Scan(ctx, s.next) {
		switch {
		case err != nil:
			s.problem(s.next, "", "could not read what another program wrote: "+err.Error())
			return
		case stub.Pos >= until:
		case stub.Fault != "":
			s.problem(stub.Pos, "", "skipped: "+stub.Fault)
			continue
		default:
			s.tree.add(stub)
			continue
		}
		break
	}
	s.tree.linkFrom(from, s.problem)
	if len(s.tree.nodes) > from {
		s.problem(s.tree.nodes[from].Pos, s.tree.nodes[from].ID, "another program wrote to the session while it was open; its entries are on a branch of their own")
	}
	s.labels, s.name, s.stats = nil, nil, nil
}

// Refresh takes in what other programs appended since, and gives the number of
// new entries. In a session opened for reading the leaf follows them.
func (s *Session) Refresh(ctx context.Context) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return 0, ErrClosed
	}
	from := len(s.tree.nodes)
	for stub, err := range s.st.Scan(ctx, s.next) {
		if err != nil {
			return 0, err
		}
		s.next = stub.Next
		if stub.Fault != "" {
			s.problem(stub.Pos, "", "skipped: "+stub.Fault)
			continue
		}
		s.tree.add(stub)
	}
	added := len(s.tree.nodes) - from
	if added == 0 {
		return 0, nil
	}
	s.tree.linkFrom(from, s.problem)
	if s.mode == ReadOnly {
		s.tree.leaf = s.tree.visible(len(s.tree.nodes) - 1)
	}
	s.labels, s.name, s.stats = nil, nil, nil
	return added, nil
}

// validate refuses entries that would make no sense to a reader.
func (s *Session) validate(e Entry) error {
	switch e := e.(type) {
	case *MessageEntry:
		if e.Message == nil {
			return errors.New("it holds no message")
		}
		if a, ok := e.Message.(*ai.AssistantMessage); ok && a.StopReason == ai.StopPending {
			return errors.New("the answer is still streaming")
		}
	case *CompactionEntry:
		if e.FirstKept == "" {
			e.FirstKept = e.ID
		}
	case *LabelEntry:
		if !s.tree.has(e.TargetID) {
			return fmt.Errorf("entry %q to be labelled: %w", e.TargetID, ErrNotFound)
		}
		e.Label = strings.TrimSpace(e.Label)
	case *ContextEditEntry:
		return s.editable(e)
	case *InfoEntry:
		e.Name = CleanName(e.Name)
	case *UnknownEntry:
		return errors.New("only entries of known types can be appended")
	}
	return nil
}

// editable says whether the target of an edit can be edited: a message with
// content, on the branch.
func (s *Session) editable(e *ContextEditEntry) error {
	i, ok := s.tree.find(e.TargetID)
	if !ok {
		return fmt.Errorf("entry %q to be edited: %w", e.TargetID, ErrNotFound)
	}
	n := &s.tree.nodes[i]
	switch {
	case n.Type == TypeCustomMessage:
	case n.Type == TypeMessage && (n.Role == ai.RoleUser || n.Role == ai.RoleAssistant || n.Role == ai.RoleToolResult || n.Role == RoleCustom):
	default:
		return fmt.Errorf("entry %q can not be edited: only messages of users, assistants, tools and programs can", e.TargetID)
	}
	for j := s.tree.leaf; j >= 0; j = s.tree.parent(j) {
		if j == i {
			return nil
		}
	}
	return fmt.Errorf("entry %q can not be edited: it is not on the active branch", e.TargetID)
}

// noted keeps what was computed before in step with a new entry.
func (s *Session) noted(i int, e Entry) {
	switch e := e.(type) {
	case *LabelEntry:
		if s.labels != nil {
			setLabel(s.labels, e)
		}
	case *InfoEntry:
		if s.name != nil {
			s.name = &e.Name
		}
	}
	if s.stats != nil && !s.tree.nodes[i].hidden() {
		s.stats.add(e)
	}
}

// StartSync begins to make what was appended safe against a loss of power and
// returns at once; an error shows up in the next [Session.Sync]. Calls while
// one is running are gathered into one more.
func (s *Session) StartSync() { s.syncs.start(s.st) }

// Sync returns when all that was appended before survives a loss of power.
func (s *Session) Sync(ctx context.Context) error {
	s.mu.Lock()
	closed := s.closed
	s.mu.Unlock()
	if closed {
		return ErrClosed
	}
	return s.syncs.wait(ctx, s.st)
}

// Close syncs and frees the session for other writers. Closing it again does
// nothing.
func (s *Session) Close() error {
	s.mu.Lock()
	if s.closed {
		s.mu.Unlock()
		return nil
	}
	s.closed = true
	s.mu.Unlock()
	// Not bound to any caller's patience: giving up here would give up
	// durability that was promised.
	var err error
	if s.mode != ReadOnly {
		err = s.syncs.wait(context.Background(), s.st)
	}
	return errors.Join(err, s.st.Close())
}
