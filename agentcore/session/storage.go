package session

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"time"
)

// Storage is one session as a back end keeps it: a header and entries in the
// order in which they were appended. It knows nothing of trees. A [Session]
// calls it from one goroutine at a time, but for Sync, which may run beside
// anything else. Package sessiontest has the suite an implementation must
// pass.
//
// Two more methods are used where a storage has them: Ref() string tells what
// its repo opens it by, Count() int how many entries to expect.
type Storage interface {
	// Header gives the header.
	Header() Header
	// Scan lists the entries behind the position after, in order; 0 begins
	// with the first. Entries of other writers that came since may be among
	// them. Each has at least Pos, Next and either Fault or Type and ID.
	Scan(ctx context.Context, after int64) iter.Seq2[Stub, error]
	// Read appends the stored JSON of an entry that Scan or Append gave.
	Read(ctx context.Context, at Stub, dst []byte) ([]byte, error)
	// Append stores one entry, whole or not at all, and fills in Pos, Next and
	// Size. The line is valid JSON without line feeds and is not kept.
	Append(ctx context.Context, s Stub, line []byte) (Stub, error)
	// Sync returns when all that was appended before survives a loss of power.
	Sync(ctx context.Context) error
	// Close frees the session for other writers. It does not sync.
	Close() error
}

// Repo is a collection of sessions. Its methods are safe for concurrent use.
// Most programs use it through [Create], [Open], [Fork] and [Copy].
type Repo interface {
	// Create makes a session of a header and entries that are there already,
	// as a copy has them. Missing parts of the header are filled in (see
	// [Header.Complete]). An id that is taken is [ErrTaken].
	Create(ctx context.Context, h Header, lines iter.Seq2[[]byte, error]) (Storage, error)
	// Open opens a session by the Ref of an [Info], by its id, or by the
	// beginning of its id (of several the latest); [ErrNotFound] if there is
	// none. A session that is written elsewhere is a [LockedError] unless it is
	// opened for reading only.
	Open(ctx context.Context, ref string, mode Mode) (Storage, error)
	// List describes the sessions, roughly the latest first. An error belongs
	// to one session, the others follow.
	List(ctx context.Context, o ListOptions) iter.Seq2[Info, error]
	// Delete removes a session for good; [ErrNotFound] if there is none, a
	// [LockedError] if it is being written.
	Delete(ctx context.Context, ref string) error
}

// Mode says what a session is opened for.
type Mode int

// The modes.
const (
	ReadWrite Mode = iota
	ReadOnly
)

// ListOptions narrows a list and says how much to find out.
type ListOptions struct {
	// Cwd lists only sessions of this working directory; "" lists all.
	Cwd string
	// Text fills in [Info.Text], which means reading every message.
	Text bool
	// Progress, if not nil, is told how many sessions were looked at, of how
	// many. It is called on the goroutine that consumes the list.
	Progress func(done, total int)
}

// Info describes a session without opening it.
type Info struct {
	// Ref opens the session: the path of its file, or what the repo uses.
	Ref string
	// ID, Cwd, Parent and Created are from the header.
	ID, Cwd, Parent string
	Created         time.Time
	// Name is the one given by people, "" if none.
	Name string
	// Modified is the time of the newest user or assistant message, or what
	// comes closest.
	Modified time.Time
	// Messages counts messages of any role, on all branches.
	Messages int
	// First is the first text a user wrote, "" if none.
	First string
	// Text joins what users and assistants wrote, for searching; only when
	// asked for.
	Text string
	// Size is in bytes.
	Size int64
	// Skipped counts stored text that is no entry.
	Skipped int
}

// ErrNotFound says that there is no such session or entry.
var ErrNotFound = errors.New("not found")

// ErrTaken says that there is a session of that id already.
var ErrTaken = errors.New("the id is taken")

// ErrReadOnly says that a session that was opened for reading was to be
// changed.
var ErrReadOnly = errors.New("session is open for reading only")

// ErrClosed says that a session was used after Close.
var ErrClosed = errors.New("session is closed")

// ErrOvertaken says that another program has removed, replaced or cut the file of a
// session that is open: nothing can be added to it any more.
var ErrOvertaken = errors.New("another program has changed the file")

// ErrLocked is what every [LockedError] is.
var ErrLocked = errors.New("session is being written elsewhere")

// LockedError says that another program, or another part of this one, has the
// session open for writing. The caller may open it for reading ([ReadOnly]) or
// copy it ([Fork], [Copy]); when the holder ends, however it ends, the session
// is free.
type LockedError struct {
	// Ref is the session.
	Ref string
	// PID and Host are the holder's, as far as they are known.
	PID  int
	Host string
}

// Error names the session and its holder.
func (e *LockedError) Error() string {
	by := "another program"
	if e.PID != 0 {
		by = fmt.Sprintf("process %d", e.PID)
		if e.Host != "" {
			by += " on " + e.Host
		}
	}
	return fmt.Sprintf("session %s is being written by %s: end it, or open the session for reading only, or fork it", e.Ref, by)
}

// Is matches [ErrLocked].
func (e *LockedError) Is(target error) bool { return target == ErrLocked }

// conversational says that an entry is worth keeping a session for.
func (s *Stub) conversational() bool {
	return s.Type == TypeMessage && (s.Role == "user" || s.Role == "assistant")
}
