package sse

import (
	"bytes"
	"fmt"
	"io"
	"iter"
)

// Default limits. A frame that carries an image inline runs to several MiB, so
// they are generous; they exist so that a broken or hostile server can not fill
// the memory.
const (
	DefaultMaxLine  = 64 << 20
	DefaultMaxEvent = 64 << 20
)

const (
	readSize   = 16 << 10 // room offered to each Read
	emptyReads = 100      // Reads without data or error before giving up
)

// Options sets the limits of a Scanner. The zero value means the defaults.
type Options struct {
	MaxLine  int // longest line in bytes, without its end; 0 means DefaultMaxLine
	MaxEvent int // most data in one event in bytes; 0 means DefaultMaxEvent
}

// Frame is one event. Its slices point into the Scanner's buffer and are valid
// until the next call of Next; copy what must live longer.
type Frame struct {
	Event []byte // value of the last event field; empty when there was none
	Data  []byte // data lines joined by LF, never blank
	ID    []byte // the last id seen in the stream, in this event or before; empty when there was none
}

// TooLargeError says that a server sent a line or an event above the limit.
type TooLargeError struct {
	What  string // "line" or "event"
	Limit int    // in bytes
}

func (e *TooLargeError) Error() string {
	return fmt.Sprintf("event stream: %s is longer than %d bytes", e.What, e.Limit)
}

// Scanner splits an event stream into frames. Make one with NewScanner.
type Scanner struct {
	r    io.Reader
	opt  Options
	rerr error // what the reader said last; io.EOF included
	err  error // what Next says from now on
	size int   // room wanted for a Read; tests make it small

	// buf[d0:d1] is the data gathered for the event in hand, already joined;
	// buf[pos:end] is what was read and not looked at yet. d1 <= pos.
	buf      []byte
	d0, d1   int
	pos, end int

	// lf and cr are the first LF and CR at or after pos, or end if there is
	// none in what was read: each byte is searched once for either.
	lf, cr int

	hasData bool // a data field was seen
	skipLF  bool // the last line ended in CR; an LF right here belongs to it
	begun   bool // the first line is behind us
	event   []byte
	hasName bool
	id      []byte
	hasID   bool
}

// NewScanner returns a Scanner that reads from r. It does not close r.
func NewScanner(r io.Reader, opt Options) *Scanner {
	if opt.MaxLine <= 0 {
		opt.MaxLine = DefaultMaxLine
	}
	if opt.MaxEvent <= 0 {
		opt.MaxEvent = DefaultMaxEvent
	}
	return &Scanner{r: r, opt: opt, size: readSize}
}

// All returns the frames as an iterator. A failure is yielded once, as the last
// element; the end of the stream just ends the iteration.
func (s *Scanner) All() iter.Seq2[Frame, error] {
	return func(yield func(Frame, error) bool) {
		for {
			f, err := s.Next()
			if err == io.EOF {
				return
			}
			if !yield(f, err) || err != nil {
				return
			}
		}
	}
}

// Next returns the next frame that carries data. At the end of the stream it
// returns io.EOF; after any error it returns that error again. Frames that came
// whole before an error are delivered first; the event begun by then is lost,
// except when the stream ended with io.EOF.
func (s *Scanner) Next() (Frame, error) {
	for s.err == nil {
		s.reset()
		f, ok, err := s.gather()
		s.err = err
		if ok {
			return f, nil
		}
	}
	return Frame{}, s.err
}

// gather reads lines up to the end of one event. ok is false when the event has
// nothing to deliver; err may come along with the last frame of the stream.
func (s *Scanner) gather() (f Frame, ok bool, err error) {
	for {
		from, to, err := s.line()
		switch {
		case err == io.EOF:
			f, ok = s.frame()
			return f, ok, err
		case err != nil:
			return Frame{}, false, err
		case from == to:
			f, ok = s.frame()
			return f, ok, nil
		}
		if err := s.field(from, to); err != nil {
			return Frame{}, false, err
		}
	}
}

// reset forgets the event in hand.
func (s *Scanner) reset() {
	s.d0, s.d1 = 0, 0
	s.hasData, s.hasName = false, false
}

// frame returns the event in hand if it carries anything.
func (s *Scanner) frame() (Frame, bool) {
	data := s.buf[s.d0:s.d1:s.d1]
	if !s.hasData || keepalive(data) {
		return Frame{}, false
	}
	f := Frame{Data: data}
	if s.hasName {
		f.Event = s.event
	}
	if s.hasID {
		f.ID = s.id
	}
	return f, true
}

func keepalive(data []byte) bool {
	for _, c := range data {
		switch c {
		case ' ', '\t', '\n':
		case ':':
			return true
		default:
			return false
		}
	}
	return true
}

// field takes buf[from:to], a line that is not blank, into the event in hand.
func (s *Scanner) field(from, to int) error {
	line := s.buf[from:to]
	name, at := line, to
	if i := bytes.IndexByte(line, ':'); i >= 0 {
		name, at = line[:i], from+i+1
		if at < to && s.buf[at] == ' ' {
			at++
		}
	}
	switch string(name) {
	case "data":
		return s.data(at, to)
	case "event":
		s.event, s.hasName = append(s.event[:0], s.buf[at:to]...), true
	case "id":
		if value := s.buf[at:to]; bytes.IndexByte(value, 0) < 0 {
			s.id, s.hasID = append(s.id[:0], value...), true
		}
	}
	// An empty name is a comment; retry and unknown names mean nothing to us.
	return nil
}

// data adds the data line buf[from:to] to the event, in place: from the second
// line on the text moves down over the line ends and field names between it and
// the data before it. A line's own "data" makes room for the LF that joins.
func (s *Scanner) data(from, to int) error {
	if !s.hasData {
		s.hasData = true
		s.d0, s.d1 = from, to
	} else {
		s.buf[s.d1] = '\n'
		s.d1 += 1 + copy(s.buf[s.d1+1:], s.buf[from:to])
	}
	if s.d1-s.d0 > s.opt.MaxEvent {
		return &TooLargeError{What: "event", Limit: s.opt.MaxEvent}
	}
	return nil
}

// line returns the next line as offsets into buf, without its end. What is left
// when the reader says io.EOF is a line too; then err is io.EOF.
func (s *Scanner) line() (from, to int, err error) {
	for {
		if s.skipLF && s.pos < s.end {
			s.skipLF = false
			if s.lf == s.pos {
				s.pos++
				s.lf = s.find('\n', s.pos)
			}
		}
		if n := min(s.lf, s.cr); n < s.end {
			from, to = s.pos, n
			s.pos = n + 1
			if n == s.cr {
				s.skipLF = true
				s.cr = s.find('\r', s.pos)
			} else {
				s.lf = s.find('\n', s.pos)
			}
			break
		}
		if s.end-s.pos > s.opt.MaxLine || s.rerr != nil {
			if s.rerr != nil && s.rerr != io.EOF {
				return 0, 0, s.rerr
			}
			from, to = s.pos, s.end
			if from == to {
				return 0, 0, io.EOF
			}
			s.pos = s.end
			break
		}
		s.fill()
	}
	if to-from > s.opt.MaxLine {
		return 0, 0, &TooLargeError{What: "line", Limit: s.opt.MaxLine}
	}
	if !s.begun {
		s.begun = true
		if bytes.HasPrefix(s.buf[from:to], byteOrderMark) {
			from += len(byteOrderMark)
		}
	}
	return from, to, nil
}

// byteOrderMark is U+FEFF in UTF-8.
var byteOrderMark = []byte("\xEF\xBB\xBF")

func (s *Scanner) find(c byte, from int) int {
	if i := bytes.IndexByte(s.buf[from:s.end], c); i >= 0 {
		return from + i
	}
	return s.end
}

// fill reads once more, behind what is there. It keeps the data in hand and
// what was not looked at, and nothing else.
func (s *Scanner) fill() {
	s.makeRoom()
	for range emptyReads {
		n, err := s.r.Read(s.buf[s.end:])
		if n < 0 || n > len(s.buf)-s.end {
			n, err = 0, fmt.Errorf("event stream: reader returned an impossible count %d", n)
		}
		s.rerr = err
		if n > 0 {
			s.grow(n)
			return
		}
		if err != nil {
			return
		}
	}
	s.rerr = io.ErrNoProgress
}

// grow takes n bytes that were just read behind end into account.
func (s *Scanner) grow(n int) {
	was := s.end
	s.end += n
	if s.lf == was {
		s.lf = s.find('\n', was)
	}
	if s.cr == was {
		s.cr = s.find('\r', was)
	}
}

// makeRoom sees to it that a read has room. What is kept moves only when less
// than a quarter of a read's room is left and the move frees half the buffer,
// so each byte moves a bounded number of times however small the reads are.
func (s *Scanner) makeRoom() {
	kept := s.d1 - s.d0 + s.end - s.pos
	if kept > 0 && len(s.buf)-s.end >= s.size/4 {
		return
	}
	to := s.buf
	if kept > len(s.buf)/2 || s.buf == nil {
		to = make([]byte, max(2*len(s.buf), 2*s.size))
	}
	n := copy(to, s.buf[s.d0:s.d1])
	m := copy(to[n:], s.buf[s.pos:s.end])
	shift := s.pos - n
	s.buf, s.d0, s.d1 = to, 0, n
	s.pos, s.end = n, n+m
	s.lf -= shift
	s.cr -= shift
}
