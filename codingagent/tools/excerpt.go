package tools

import (
	"bytes"
	"context"
	"io"

	"github.com/pi-go/pi/codingagent/tools/truncate"
)

// window says which lines of a file are wanted.
type window struct {
	first  int // from 1
	most   int // -1 for all
	limits truncate.Limits
}

// excerpt is what a window shows of a file.
type excerpt struct {
	first     int
	text      string
	cut       truncate.Result
	fileLines int
	longLine  int64 // the size of the first line, if that is over the limit
}

// excerptReader goes through a file of any size with little memory.
type excerptReader struct {
	window
	out      bytes.Buffer // whole lines that are shown
	shown    int          // lines in out
	full     truncate.Reason
	line     []byte // the current line, as far as it can be of use
	lineSize int64
	number   int // of the current line
	selected int // bytes of the lines in the window, with their line breaks
	long     int64
	newline  bool // the last line shown has a line break
}

// excerpt reads the whole of a file, whose start has been read already, and keeps
// the lines of the window that fit.
func (w window) excerpt(ctx context.Context, head []byte, rest io.Reader) (excerpt, error) {
	r := &excerptReader{window: w, number: 1}
	r.take(head)
	buf := make([]byte, 64<<10)
	for {
		if ctx.Err() != nil {
			return excerpt{}, context.Cause(ctx)
		}
		n, err := rest.Read(buf)
		r.take(buf[:n])
		if err == io.EOF {
			return r.end(), nil
		}
		if err != nil {
			return excerpt{}, err
		}
	}
}

func (r *excerptReader) take(b []byte) {
	for len(b) > 0 {
		i := bytes.IndexByte(b, '\n')
		if i < 0 {
			r.piece(b)
			return
		}
		if r.lineSize == 0 && r.skipping() {
			end := bytes.LastIndexByte(b, '\n') + 1
			r.number += bytes.Count(b[:end], []byte("\n"))
			if r.most < 0 {
				r.selected += end
			}
			b = b[end:]
			continue
		}
		r.piece(b[:i])
		r.endLine(true)
		b = b[i+1:]
	}
}

func (r *excerptReader) wanted() bool {
	return r.number >= r.first && (r.most < 0 || r.number-r.first < r.most)
}

// skipping reports whether nothing but the number of lines and bytes is of
// interest from here on.
func (r *excerptReader) skipping() bool {
	if r.most < 0 {
		return r.full != ""
	}
	return r.number-r.first >= r.most
}

func (r *excerptReader) piece(b []byte) {
	r.lineSize += int64(len(b))
	if r.wanted() && r.full == "" && len(r.line) <= r.limits.Bytes {
		r.line = append(r.line, b...)
	}
}

func (r *excerptReader) endLine(newline bool) {
	if r.wanted() {
		r.selected += int(r.lineSize)
		if newline {
			r.selected++
		}
		if r.full == "" {
			r.show(newline)
		}
	}
	r.line, r.lineSize = r.line[:0], 0
	r.number++
}

// show adds the current line, if it fits.
func (r *excerptReader) show(newline bool) {
	if r.shown == r.limits.Lines {
		r.full = truncate.ByLines
		return
	}
	text := plainText(r.line)
	size := r.out.Len() + len(text)
	if r.shown > 0 {
		size++
	}
	if r.lineSize > int64(r.limits.Bytes) || size > r.limits.Bytes {
		r.full = truncate.ByBytes
		if r.shown == 0 {
			r.long = r.lineSize
		}
		return
	}
	if r.shown > 0 {
		r.out.WriteByte('\n')
	}
	r.out.WriteString(text)
	r.shown++
	r.newline = newline
}

func (r *excerptReader) end() excerpt {
	if r.lineSize > 0 {
		r.endLine(false)
	}
	lines := r.number - 1
	inWindow := max(0, lines-r.first+1)
	if r.most >= 0 {
		inWindow = min(inWindow, r.most)
	}
	e := excerpt{first: r.first, fileLines: lines, longLine: r.long}
	kept := r.out.Len()
	if r.full == "" && r.newline && r.first+r.shown > lines {
		r.out.WriteByte('\n') // the end of the file is in the window
	}
	e.text = r.out.String()
	if r.full == "" {
		kept = len(e.text)
	}
	e.cut = truncate.Result{
		Truncated: r.full != "", TruncatedBy: r.full,
		TotalLines: inWindow, TotalBytes: r.selected,
		OutputLines: r.shown, OutputBytes: kept,
		FirstLineExceedsLimit: r.full != "" && r.shown == 0,
		MaxLines:              r.limits.Lines, MaxBytes: r.limits.Bytes,
	}
	return e
}

// plainText is b as valid UTF-8 without NUL.
func plainText(b []byte) string {
	var d decoder
	return string(bytes.ReplaceAll(d.flush(d.decode(nil, b)), []byte{0}, []byte("\uFFFD")))
}
