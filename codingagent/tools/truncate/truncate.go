// Package truncate cuts text to what fits into a model's context: whole lines
// from the start ([Head]) or from the end ([Tail]), within a number of lines and
// a number of bytes, with an account of what was left out ([Result]).
//
//	res := truncate.Head(text, truncate.Limits{})
//	if res.Truncated {
//		fmt.Printf("%d of %d lines shown\n", res.OutputLines, res.TotalLines)
//	}
//
// A newline at the very end of a text does not begin another line: "a\nb\n" has
// two lines. The newlines between lines count as one byte each.
package truncate

import (
	"encoding/json"
	"fmt"
	"strings"
	"unicode/utf16"
	"unicode/utf8"
)

const (
	// MaxLines is the number of lines kept where Limits says nothing.
	MaxLines = 2000
	// MaxBytes is the number of bytes kept where Limits says nothing (50 KiB).
	MaxBytes = 50 << 10
	// Unlimited is how "no limit" is written in a Result: the largest integer that
	// every JSON reader can hold.
	Unlimited = 1<<53 - 1
)

// Limits says how much to keep. A zero field means the default, Unlimited means
// no limit.
type Limits struct {
	Lines int
	Bytes int
}

func (l Limits) filled() Limits {
	if l.Lines == 0 {
		l.Lines = MaxLines
	}
	if l.Bytes == 0 {
		l.Bytes = MaxBytes
	}
	return l
}

// Reason is the limit that cut a text. The zero value, null in JSON, is none.
type Reason string

// The reasons.
const (
	ByLines Reason = "lines"
	ByBytes Reason = "bytes"
)

// MarshalJSON writes null for no reason.
func (r Reason) MarshalJSON() ([]byte, error) {
	if r == "" {
		return []byte("null"), nil
	}
	return json.Marshal(string(r))
}

// Result is a cut text and the account of the cut. Its JSON form is what tools
// store in their details.
type Result struct {
	// Content is the text that was kept. Tools empty it before storing, as the text
	// of the tool result holds it already.
	Content     string `json:"content"`
	Truncated   bool   `json:"truncated"`
	TruncatedBy Reason `json:"truncatedBy"`
	TotalLines  int    `json:"totalLines"`
	TotalBytes  int    `json:"totalBytes"`
	OutputLines int    `json:"outputLines"`
	OutputBytes int    `json:"outputBytes"`
	// LastLinePartial is set by Tail when the last line alone is over the byte limit
	// and only its end was kept.
	LastLinePartial bool `json:"lastLinePartial"`
	// FirstLineExceedsLimit is set by Head when the first line alone is over the byte
	// limit, so that nothing was kept.
	FirstLineExceedsLimit bool `json:"firstLineExceedsLimit"`
	MaxLines              int  `json:"maxLines"`
	MaxBytes              int  `json:"maxBytes"`
}

// CountLines is the number of lines of a text.
func CountLines(text string) int {
	n := strings.Count(text, "\n")
	if text != "" && !strings.HasSuffix(text, "\n") {
		n++
	}
	return n
}

// whole returns the result for a text that fits, and false if it does not.
func whole(text string, l Limits) (Result, bool) {
	r := Result{
		TotalLines: CountLines(text), TotalBytes: len(text),
		MaxLines: l.Lines, MaxBytes: l.Bytes,
	}
	if r.TotalLines > l.Lines || len(strings.TrimSuffix(text, "\n")) > l.Bytes {
		return r, false
	}
	r.Content, r.OutputLines, r.OutputBytes = text, r.TotalLines, r.TotalBytes
	return r, true
}

// Head keeps the first whole lines that fit. A text that fits is returned as it
// is, with its last newline.
func Head(text string, l Limits) Result {
	l = l.filled()
	r, fits := whole(text, l)
	if fits {
		return r
	}
	r.Truncated, r.TruncatedBy = true, ByLines
	kept := 0
	for pos := 0; r.OutputLines < l.Lines; {
		end := len(text)
		if i := strings.IndexByte(text[pos:], '\n'); i >= 0 {
			end = pos + i
		}
		if end > l.Bytes {
			r.TruncatedBy = ByBytes
			break
		}
		kept = end
		r.OutputLines++
		pos = end + 1
	}
	r.Content, r.OutputBytes = text[:kept], kept
	r.FirstLineExceedsLimit = r.OutputLines == 0
	return r
}

// Tail keeps the last whole lines that fit. If the last line alone does not, its
// end is kept, cut between characters.
func Tail(text string, l Limits) Result {
	l = l.filled()
	r, fits := whole(text, l)
	if fits {
		return r
	}
	text = strings.TrimSuffix(text, "\n")
	r.Truncated, r.TruncatedBy = true, ByLines
	kept := len(text)
	for end := len(text); end >= 0 && r.OutputLines < l.Lines; {
		start := strings.LastIndexByte(text[:end], '\n') + 1
		if len(text)-start > l.Bytes {
			r.TruncatedBy = ByBytes
			break
		}
		kept = start
		r.OutputLines++
		end = start - 1
	}
	if r.OutputLines == 0 {
		r.LastLinePartial, r.OutputLines = true, 1
		kept = RuneStart(text, len(text)-l.Bytes)
	}
	r.Content = text[kept:]
	r.OutputBytes = len(r.Content)
	return r
}

// RuneStart returns the first position at or behind i where a character begins.
func RuneStart(text string, i int) int {
	for i < len(text) && !utf8.RuneStart(text[i]) {
		i++
	}
	return i
}

// LineMark is what Line puts at the end of a line that it cut.
const LineMark = "... [line cut]"

// Line cuts a line to at most limit UTF-16 code units, the measure of programs in
// JavaScript, and marks the cut. Characters are not split.
func Line(line string, limit int) (text string, cut bool) {
	if len(line) <= limit {
		return line, false
	}
	units := 0
	for i, r := range line {
		units += max(utf16.RuneLen(r), 1)
		if units > limit {
			return line[:i] + LineMark, true
		}
	}
	return line, false
}

// FormatSize writes a number of bytes for people: 512B, 1.5KB, 2.0MB.
func FormatSize(n int64) string {
	switch {
	case n < 1<<10:
		return fmt.Sprintf("%dB", n)
	case n < 1<<20:
		return fmt.Sprintf("%.1fKB", float64(n)/(1<<10))
	default:
		return fmt.Sprintf("%.1fMB", float64(n)/(1<<20))
	}
}
