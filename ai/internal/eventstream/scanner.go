// Package eventstream reads Amazon's binary event stream, the framing in which
// Bedrock streams its answers.
//
// A message is its length and that of its headers, a checksum of these two, the
// headers, the payload, and a checksum of it all, numbers in network order. The
// package is on the path of every token: it reads into one buffer and hands out
// slices of it, so a frame is valid only until the next call of Next.
package eventstream

import (
	"bufio"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
)

// DefaultMaxMessage caps the bytes of one message: a broken or hostile server must
// not fill the memory.
const DefaultMaxMessage = 64 << 20

const (
	preludeSize  = 12 // the two lengths and their checksum
	checksumSize = 4
	readSize     = 16 << 10
)

// Frame is one message. Its slices point into the Scanner's buffer.
type Frame struct {
	// Type is the value of :message-type: "event", "exception" or "error".
	Type []byte
	// Name is the value of :event-type, :exception-type or :error-code.
	Name []byte
	// Text is the value of :error-message.
	Text    []byte
	Payload []byte
}

// DamageError says that the framing is not what the format demands.
type DamageError struct{ Problem string }

func (e *DamageError) Error() string { return "the event stream is damaged: " + e.Problem }

// TooLargeError says that a message is above the limit.
type TooLargeError struct{ Size, Limit int64 }

func (e *TooLargeError) Error() string {
	return fmt.Sprintf("event stream: a message of %d bytes is longer than %d", e.Size, e.Limit)
}

// Scanner splits a stream into frames. It belongs to one goroutine.
type Scanner struct {
	r     *bufio.Reader
	limit int64
	head  [preludeSize]byte
	buf   []byte
	err   error
}

// NewScanner reads from r, which it does not close. A limit of 0 or less means
// DefaultMaxMessage.
func NewScanner(r io.Reader, limit int64) *Scanner {
	if limit <= 0 {
		limit = DefaultMaxMessage
	}
	return &Scanner{r: bufio.NewReaderSize(r, readSize), limit: limit}
}

// Next returns the next frame; io.EOF at the end of the stream, and
// io.ErrUnexpectedEOF when it ends within a message. After an error it returns that
// error again.
func (s *Scanner) Next() (Frame, error) {
	if s.err != nil {
		return Frame{}, s.err
	}
	f, err := s.next()
	s.err = err
	return f, err
}

func (s *Scanner) next() (Frame, error) {
	head := s.head[:]
	if _, err := io.ReadFull(s.r, head); err != nil {
		return Frame{}, err
	}
	total, headers := int64(binary.BigEndian.Uint32(head)), int64(binary.BigEndian.Uint32(head[4:]))
	switch {
	case crc32.ChecksumIEEE(head[:8]) != binary.BigEndian.Uint32(head[8:]):
		return Frame{}, &DamageError{"the lengths of a message do not fit their checksum"}
	case total > s.limit:
		return Frame{}, &TooLargeError{total, s.limit}
	case total < preludeSize+headers+checksumSize:
		return Frame{}, &DamageError{"a message is shorter than its headers"}
	}
	rest := int(total) - preludeSize
	b, err := s.take(rest)
	if err != nil {
		return Frame{}, err
	}
	body := b[:rest-checksumSize]
	sum := crc32.Update(crc32.ChecksumIEEE(head), crc32.IEEETable, body)
	if sum != binary.BigEndian.Uint32(b[rest-checksumSize:]) {
		return Frame{}, &DamageError{"a message does not fit its checksum"}
	}
	f := Frame{Payload: body[headers:]}
	return f, f.headers(body[:headers])
}

// take reads n bytes. A length that was only announced takes no memory: the buffer
// grows with what came.
func (s *Scanner) take(n int) ([]byte, error) {
	for at := 0; at < n; {
		if at == cap(s.buf) {
			larger := make([]byte, min(max(2*at, readSize), n+n/4))
			copy(larger, s.buf[:at])
			s.buf = larger
		}
		to := min(n, cap(s.buf))
		m, err := io.ReadFull(s.r, s.buf[at:to])
		if at += m; errors.Is(err, io.EOF) {
			err = io.ErrUnexpectedEOF
		}
		if err != nil {
			return nil, err
		}
	}
	return s.buf[:n], nil
}

// headers takes the values of the headers that matter.
func (f *Frame) headers(b []byte) error {
	for len(b) > 0 {
		n := int(b[0])
		if len(b) < n+2 {
			return badHeaders()
		}
		name, kind := b[1:1+n], b[1+n]
		b = b[n+2:]
		size := 0
		switch kind {
		case 0, 1: // true and false
		case 2:
			size = 1
		case 3:
			size = 2
		case 4:
			size = 4
		case 5, 8:
			size = 8
		case 9:
			size = 16
		case 6, 7: // bytes and text
			if len(b) < 2 {
				return badHeaders()
			}
			size = int(binary.BigEndian.Uint16(b))
			b = b[2:]
		default:
			return badHeaders()
		}
		if len(b) < size {
			return badHeaders()
		}
		value := b[:size:size]
		b = b[size:]
		if kind != 7 {
			continue
		}
		switch string(name) {
		case ":message-type":
			f.Type = value
		case ":event-type", ":exception-type", ":error-code":
			f.Name = value
		case ":error-message":
			f.Text = value
		}
	}
	return nil
}

func badHeaders() error { return &DamageError{"the headers of a message can not be read"} }
