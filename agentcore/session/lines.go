package session

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
)

// scanChunk is how much of a file is read at a time.
const scanChunk = 256 << 10

// line is one line of a session file, seen by the scanner.
type line struct {
	Stub
	number    int  // counted from 1 at where the reading began
	hasParent bool // the entry names its parent, null included
	ended     bool // by a line feed
	// text is the line, valid until the next one; nil when it did not fit
	// into one piece and must be read again.
	text []byte
	// version and messageAt are numbers as text.
	version, messageAt []byte
}

// lineReader reads the lines of a session file in bounded memory, however
// long they are.
type lineReader struct {
	r    io.ReaderAt
	buf  []byte
	scan scanner
	prev string // id of the entry before, to share the string with its child
}

// each calls fn for each line from the offset on until it says no. Lines of
// white space are left out.
func (lr *lineReader) each(ctx context.Context, offset int64, fn func(l *line) bool) error {
	if lr.buf == nil {
		lr.buf = make([]byte, scanChunk)
	}
	var l line
	lr.scan.reset()
	start := offset // of the line
	blank := true
	number := 0
	finish := func(end int64, ended bool, text []byte) bool {
		ok := true
		number++
		if !blank {
			lr.fill(&l, start, end, ended, text)
			l.number = number
			ok = fn(&l)
		}
		lr.scan.reset()
		blank = true
		return ok
	}
	for {
		if err := ctx.Err(); err != nil {
			return context.Cause(ctx)
		}
		n, err := lr.r.ReadAt(lr.buf, offset)
		chunk := lr.buf[:n]
		if offset == 0 {
			if trimmed, ok := bytes.CutPrefix(chunk, []byte("\uFEFF")); ok { // editors on Windows leave one
				offset, start, chunk = offset+3, 3, trimmed
			}
		}
		for len(chunk) > 0 {
			end := bytes.IndexByte(chunk, '\n')
			piece := chunk
			if end >= 0 {
				piece = chunk[:end]
			}
			if !isBlank(piece) {
				blank = false
				lr.scan.feed(piece)
			}
			if end < 0 {
				offset += int64(len(chunk))
				break
			}
			at := offset + int64(end)
			var text []byte
			if start == offset {
				text = piece
			}
			if !finish(at, true, text) {
				return nil
			}
			offset, start = at+1, at+1
			chunk = chunk[end+1:]
		}
		switch {
		case errors.Is(err, io.EOF):
			if start < offset {
				finish(offset, false, nil)
			}
			return nil
		case err != nil:
			return err
		}
	}
}

// session reads a session file from its beginning: head is called with the
// header, which is the first JSON object, and fn for each other line, those
// before the header included; either may end it. Without a header it is
// [ErrNotSession].
func (lr *lineReader) session(ctx context.Context, head func(Header) bool, fn func(*line) bool) error {
	found := false
	failed := fmt.Errorf("%w: it has no session header", ErrNotSession)
	err := lr.each(ctx, 0, func(l *line) bool {
		if found || l.Fault != "" {
			return fn(l)
		}
		text, err := readLine(lr.r, l.Stub, nil)
		if err == nil && !json.Valid(text) {
			l.Fault = faultInvalid
			return fn(l)
		}
		found = true
		var h Header
		if err == nil {
			h, err = ParseHeader(text)
		}
		failed = err
		return err == nil && head(h)
	})
	if err != nil {
		return err
	}
	return failed
}

func (lr *lineReader) fill(l *line, start, end int64, ended bool, text []byte) {
	s := &lr.scan
	*l = line{hasParent: s.hasParent, ended: ended, text: text, version: s.version, messageAt: s.messageAt}
	if fault := s.fault(); fault != "" {
		l.Fault = fault
	} else {
		l.Stub = s.stub()
		if parent := s.text(s.parent, memberParent); len(parent) > 0 {
			if string(parent) == lr.prev {
				l.Parent = lr.prev
			} else {
				l.Parent = string(parent)
			}
		}
		lr.prev = l.ID
	}
	l.Pos, l.Next, l.Size = start, end, int(end-start)
	if ended {
		l.Next++
	}
}

func isBlank(b []byte) bool {
	for _, c := range b {
		if c != ' ' && c != '\t' && c != '\r' {
			return false
		}
	}
	return true
}

// readLine reads a line that the scanner saw.
func readLine(r io.ReaderAt, at Stub, dst []byte) ([]byte, error) {
	n := len(dst)
	if cap(dst)-n < at.Size {
		grown := make([]byte, n, n+at.Size)
		copy(grown, dst)
		dst = grown
	}
	dst = dst[:n+at.Size]
	if m, err := r.ReadAt(dst[n:], at.Pos); m < at.Size {
		if errors.Is(err, io.EOF) || err == nil {
			err = io.ErrUnexpectedEOF
		}
		return dst[:n], err
	}
	return dst, nil
}

// unnamed says that a line is an entry but for the id that it lacks, as in
// files of version 1.
func (l *line) unnamed(text []byte) bool {
	return l.Fault == "" && l.ID == "" && l.Type != "" && json.Valid(text)
}

// StubOf gives the stub of a stored entry, without its position: for back
// ends that keep lines as they are.
func StubOf(text []byte) Stub {
	var s scanner
	if !isBlank(text) {
		s.feed(text)
	}
	if fault := s.fault(); fault != "" {
		return Stub{Fault: fault, Size: len(text)}
	}
	stub := s.stub()
	stub.Parent = string(s.text(s.parent, memberParent))
	stub.Size = len(text)
	return stub.checked()
}
