package search

import (
	"bytes"
	"context"
	"encoding/binary"
	"fmt"
	"io"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/pi-go/pi/codingagent/tools/linematch"
	"github.com/pi-go/pi/codingagent/tools/truncate"
)

const (
	// firstRead is how much of a file is read at first. Most files are shorter.
	firstRead = 64 << 10
	// mostContext is how much is kept of the lines before a match.
	mostContext = 1 << 20
	// maxLine is the length of a line beyond which it is searched in pieces.
	maxLine = 64 << 20
)

// searcher searches one file after the other. It belongs to one goroutine.
type searcher struct {
	ctx    context.Context
	walker walker // for its source and path arithmetic
	scan   *linematch.Scanner
	q      Query
	binary bool // search binary files too
	buf    []byte
}

func newSearcher(ctx context.Context, tree Tree, m *linematch.Matcher, q Query) *searcher {
	if q.LineUnits == 0 {
		q.LineUnits = 500
	}
	return &searcher{
		ctx: ctx, scan: m.Scanner(), q: q, buf: make([]byte, firstRead),
		walker: walker{Tree: tree, src: newSource(tree.Env, tree.Root)},
	}
}

// run searches a batch.
func (s *searcher) run(b *batch) {
	defer close(b.done)
	for _, path := range b.paths {
		if s.ctx.Err() != nil {
			return
		}
		lines, err := s.file(s.walker.below(s.walker.Root, path))
		if err != nil {
			b.unreadable++
			continue
		}
		if len(lines) > 0 {
			b.found = append(b.found, FileMatches{path, lines})
		}
	}
}

// file returns the lines of a file: one more match than the limit, at most, and
// the lines around them.
func (s *searcher) file(path string) ([]Line, error) {
	f, err := s.walker.src.open(s.ctx, path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	n, eof, err := s.fill(f, 0)
	if err != nil {
		return nil, fmt.Errorf("read %s: %w", path, err)
	}
	head := s.buf[:n]
	if bytes.HasPrefix(head, []byte("\xff\xfe")) || bytes.HasPrefix(head, []byte("\xfe\xff")) {
		return s.utf16(f, head)
	}
	if bytes.IndexByte(head, 0) >= 0 && !s.binary {
		return nil, nil
	}
	l := lineCollector{s: s, number: 1, shownNumber: 1}
	from := len(head) - len(bytes.TrimPrefix(head, []byte("\uFEFF")))
	l.counted, l.shown = from, from
	for {
		end := n // of the lines that are complete
		if !eof && n < maxLine {
			end = bytes.LastIndexByte(s.buf[from:n], '\n') + 1 + from
		}
		if end > from || eof {
			l.lines(s.buf[:end], from)
		}
		if eof || l.full() {
			return l.list, nil
		}
		if s.ctx.Err() != nil {
			return nil, context.Cause(s.ctx)
		}
		// Keep the incomplete line and those that may be wanted as context.
		keep := l.keepFrom(s.buf, end)
		copy(s.buf, s.buf[keep:n])
		n, from = n-keep, end-keep
		l.shift(keep)
		if n == len(s.buf) {
			s.buf = append(s.buf, make([]byte, len(s.buf))...)
		}
		more := n
		if n, eof, err = s.fill(f, n); err != nil {
			return nil, fmt.Errorf("read %s: %w", path, err)
		}
		if i := bytes.IndexByte(s.buf[more:n], 0); i >= 0 && !s.binary {
			// The text has ended; what follows is not for reading.
			n, eof = more+i, true
		}
	}
}

// fill reads into the buffer behind the first n bytes and returns the new number.
func (s *searcher) fill(f io.Reader, n int) (int, bool, error) {
	for n < len(s.buf) {
		got, err := f.Read(s.buf[n:])
		short := n+got < len(s.buf)
		n += got
		if err == io.EOF {
			return n, true, nil
		}
		if err != nil {
			return n, false, err
		}
		if short && !s.walker.src.shortReads() {
			return n, true, nil
		}
	}
	return n, false, nil
}

// utf16 searches a file with a byte order mark of UTF-16.
func (s *searcher) utf16(f io.Reader, head []byte) ([]Line, error) {
	data, err := io.ReadAll(io.LimitReader(f, maxLine))
	if err != nil {
		return nil, err
	}
	data = append(bytes.Clone(head), data...)
	var order binary.ByteOrder = binary.LittleEndian
	if data[0] == 0xfe {
		order = binary.BigEndian
	}
	units := make([]uint16, 0, len(data)/2)
	for data = data[2:]; len(data) >= 2; data = data[2:] {
		units = append(units, order.Uint16(data))
	}
	text := []byte(string(utf16.Decode(units)))
	l := lineCollector{s: s, number: 1, shownNumber: 1}
	l.lines(text, 0)
	return l.list, nil
}

// lineCollector collects the matching lines of one file and those around them.
// Positions are in the buffer, which moves on under it.
type lineCollector struct {
	s       *searcher
	list    []Line
	matches int

	counted, number    int // a position, and the number of the line that begins there
	shown, shownNumber int // the same for the first line that is not in list
	after              int // how many lines behind the last match are still wanted
}

// full reports whether nothing more is wanted of the file.
func (l *lineCollector) full() bool { return l.matches > l.s.q.Limit && l.after == 0 }

// lines looks at complete lines of buf, from a position on.
func (l *lineCollector) lines(buf []byte, from int) {
	scan := l.s.scan
	scan.Reset(buf[from:])
	for l.matches <= l.s.q.Limit {
		start, end, ok := scan.Next()
		if !ok {
			break
		}
		start, end = start+from, end+from
		l.following(buf, start)
		l.count(buf, start)
		l.before(buf, start)
		l.add(buf[start:end], l.number, true)
		l.matches++
		l.shown, l.shownNumber = min(end+1, len(buf)), l.number+1
		l.after = l.s.q.Context
	}
	l.following(buf, len(buf))
}

// count moves the line count on to the line that begins at pos.
func (l *lineCollector) count(buf []byte, pos int) {
	l.number += bytes.Count(buf[l.counted:pos], []byte("\n"))
	l.counted = pos
}

// before adds the lines wanted before the line at pos.
func (l *lineCollector) before(buf []byte, pos int) {
	from, n := pos, 0
	for n < l.s.q.Context && from > l.shown {
		from = max(l.shown, bytes.LastIndexByte(buf[:from-1], '\n')+1)
		n++
	}
	for n > 0 {
		end := from + bytes.IndexByte(buf[from:], '\n')
		l.add(buf[from:end], l.number-n, false)
		from = end + 1
		n--
	}
}

// following adds the lines wanted behind the last match, as far as they come
// before limit.
func (l *lineCollector) following(buf []byte, limit int) {
	for l.after > 0 && l.shown < limit {
		end := len(buf)
		if i := bytes.IndexByte(buf[l.shown:], '\n'); i >= 0 {
			end = l.shown + i
		}
		l.add(buf[l.shown:end], l.shownNumber, false)
		l.shown, l.shownNumber = min(end+1, len(buf)), l.shownNumber+1
		l.after--
	}
}

// keepFrom is the position from which on the buffer is still needed, if its lines
// have been looked at up to end.
func (l *lineCollector) keepFrom(buf []byte, end int) int {
	l.count(buf, end)
	from := end
	for range l.s.q.Context {
		if from <= l.shown || end-from > mostContext {
			break
		}
		from = bytes.LastIndexByte(buf[:from-1], '\n') + 1
	}
	return max(from, 0)
}

// shift is called when the buffer has lost its first n bytes.
func (l *lineCollector) shift(n int) {
	l.counted -= n
	l.shown = max(0, l.shown-n)
}

func (l *lineCollector) add(raw []byte, number int, match bool) {
	text, cut := l.s.text(raw)
	l.list = append(l.list, Line{number, text, match, cut})
}

// text makes a line of a file presentable.
func (s *searcher) text(raw []byte) (line string, cut bool) {
	raw = bytes.TrimSuffix(raw, []byte("\r"))
	// A code unit takes up three bytes at most, so nothing that is shown is lost.
	if most := 4 * s.q.LineUnits; len(raw) > most {
		raw = raw[:most]
	}
	clean := make([]byte, 0, len(raw)+8)
	for len(raw) > 0 {
		r, n := utf8.DecodeRune(raw)
		if r == 0 {
			r = utf8.RuneError
		}
		clean, raw = utf8.AppendRune(clean, r), raw[n:]
	}
	return truncate.Line(string(clean), s.q.LineUnits)
}
