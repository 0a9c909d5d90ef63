package rpc

import (
	"errors"
	"fmt"
	"io"
	"sync"
	"syscall"
)

// ErrReaderGone says that whoever read the output has closed it.
var ErrReaderGone = errors.New("the reader of the output has gone")

// maxPending is how many bytes may wait before a writer waits for the reader.
const maxPending = 256 << 10

// LineWriter writes JSON lines in order. Lines gather while a write runs and
// go out together, so that a fast stream does not cost a system call a line;
// nothing is delayed by a timer. A reader that is slow slows the writer down.
// It is safe for concurrent use.
type LineWriter struct {
	w io.Writer
	// failed is called once when nothing more can be written.
	failed func(error)

	mu      sync.Mutex
	idle    *sync.Cond
	pending []byte
	spare   []byte
	writing bool
	err     error
}

// NewLineWriter makes a writer to w. failed, if not nil, is called once when
// nothing more can be written, with [ErrReaderGone] when the reader has closed
// its end.
func NewLineWriter(w io.Writer, failed func(error)) *LineWriter {
	l := &LineWriter{w: w, failed: failed}
	l.idle = sync.NewCond(&l.mu)
	return l
}

// Write appends one line: build gets a buffer, appends the line without line
// feed, and says whether there is one. It returns the error of an earlier
// write, [ErrReaderGone] when the reader has gone.
func (l *LineWriter) Write(build func(dst []byte) ([]byte, bool, error)) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.err != nil {
		return l.err
	}
	before := len(l.pending)
	buf, ok, err := build(l.pending)
	if err != nil || !ok {
		l.pending = buf[:before]
		return err
	}
	l.pending = append(buf, '\n')
	l.kick()
	for len(l.pending) > maxPending && l.err == nil {
		l.idle.Wait()
	}
	return l.err
}

// kick starts the goroutine that writes, unless it runs. It ends when there
// is nothing left. The lock is held.
func (l *LineWriter) kick() {
	if !l.writing && l.err == nil && len(l.pending) > 0 {
		l.writing = true
		go l.drain()
	}
}

func (l *LineWriter) drain() {
	l.mu.Lock()
	defer l.mu.Unlock()
	for len(l.pending) > 0 && l.err == nil {
		batch := l.pending
		l.pending = l.spare[:0]
		l.idle.Broadcast()
		l.mu.Unlock()
		_, err := l.w.Write(batch)
		l.mu.Lock()
		l.spare = batch
		if err != nil {
			l.fail(err)
		}
	}
	l.writing = false
	l.idle.Broadcast()
}

func (l *LineWriter) fail(err error) {
	if l.err != nil {
		return
	}
	l.err = fmt.Errorf("write output: %w", err)
	if errors.Is(err, syscall.EPIPE) || errors.Is(err, io.ErrClosedPipe) {
		l.err = ErrReaderGone
	}
	if l.failed != nil {
		l.failed(l.err)
	}
}

// errAbandoned is the error of writes after Abandon.
var errAbandoned = errors.New("the output was given up")

// Abandon drops what waits to be written and lets go of whoever waits for the
// reader. A write that is under way goes on.
func (l *LineWriter) Abandon() {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.err == nil {
		l.err = errAbandoned
	}
	l.pending = nil
	l.idle.Broadcast()
}

// Flush waits until everything is written and gives the first error.
func (l *LineWriter) Flush() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.kick()
	for l.writing && !errors.Is(l.err, errAbandoned) {
		l.idle.Wait()
	}
	return l.err
}
