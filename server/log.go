package server

import (
	"crypto/rand"
	"encoding/hex"
	"slices"
	"strconv"
	"strings"
	"sync"
)

// log keeps the newest events of a session, each with a number from 1 on.
// Adding never waits for readers; a reader is a number and asks for what comes
// after it.
type log struct {
	epoch string // tells this log's ids from those of another one
	limit int    // of bytes

	mu      sync.Mutex
	events  [][]byte // the newest
	first   uint64   // number of events[0]
	size    int      // of events, in bytes
	closed  bool
	changed chan struct{} // closed and replaced when something was added
}

func newLog(limit int) *log {
	var b [6]byte
	_, _ = rand.Read(b[:]) // never fails
	return &log{epoch: hex.EncodeToString(b[:]), limit: limit, first: 1, changed: make(chan struct{})}
}

// add adds the event that produce gives, nil for none. It is called while
// nobody can read the log; the data is kept.
func (l *log) add(produce func() []byte) {
	l.mu.Lock()
	defer l.mu.Unlock()
	data := produce()
	if data == nil || l.closed {
		return
	}
	l.push(data)
	l.wake()
}

func (l *log) push(data []byte) {
	l.events = append(l.events, data)
	l.size += len(data)
	drop := 0
	for l.size > l.limit && drop < len(l.events)-1 {
		l.size -= len(l.events[drop])
		l.events[drop] = nil
		drop++
	}
	l.events = l.events[drop:]
	l.first += uint64(drop)
}

func (l *log) wake() {
	close(l.changed)
	l.changed = make(chan struct{})
}

// close adds a last event; later ones are ignored.
func (l *log) close(last []byte) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.closed {
		return
	}
	l.closed = true
	l.push(last)
	l.wake()
}

// look runs f while nothing can be added, and gives the number of the newest
// event that f can know of: the last event of a closed log comes after all else.
func (l *log) look(f func()) uint64 {
	l.mu.Lock()
	defer l.mu.Unlock()
	f()
	if l.closed {
		return l.last() - 1
	}
	return l.last()
}

func (l *log) last() uint64 { return l.first + uint64(len(l.events)) - 1 }

// page is what a reader gets.
type page struct {
	events [][]byte
	first  uint64 // number of events[0]
	gone   bool   // what comes next for the reader is not kept
	rest   bool   // there are more events now
	end    bool   // nothing will come after these
	// more is closed when there is something new; no use if rest is set.
	more <-chan struct{}
}

// pageSize is about how many bytes a reader gets at a time.
const pageSize = 256 << 10

// after gives what comes after the event with this number.
func (l *log) after(n uint64) page {
	l.mu.Lock()
	defer l.mu.Unlock()
	p := page{first: n + 1, more: l.changed}
	if n+1 < l.first || n > l.last() {
		p.gone = true
		return p
	}
	rest := l.events[n+1-l.first:]
	size, count := 0, 0
	for count < len(rest) && size < pageSize {
		size += len(rest[count])
		count++
	}
	p.events = slices.Clone(rest[:count])
	p.rest = count < len(rest)
	p.end = l.closed && !p.rest
	return p
}

// id is the name of an event on the wire.
func (l *log) id(n uint64) string { return l.epoch + "." + strconv.FormatUint(n, 10) }

// number reads an id; false means that it is not of this log.
func (l *log) number(id string) (uint64, bool) {
	epoch, digits, ok := strings.Cut(id, ".")
	if !ok || epoch != l.epoch {
		return 0, false
	}
	n, err := strconv.ParseUint(digits, 10, 63)
	return n, err == nil
}
