package tools

import (
	"context"
	"fmt"
	"slices"
	"unicode/utf8"

	"github.com/pi-go/pi/agentcore/execenv"
	"github.com/pi-go/pi/codingagent/tools/truncate"
)

const (
	// keepTail is how much of the readable output is kept in memory, at least: twice
	// what is shown, so that whole lines can be cut from it.
	keepTail = 2 * truncate.MaxBytes
	// keepEnd is how much of the start and of the end is kept for programs.
	keepEnd = 512 << 10
)

// collector takes the output of a command as it comes and keeps what is needed to
// show its end, to give a program its start and end, and to find all of it in a
// file. It is not safe for concurrent use.
type collector struct {
	ctx     context.Context
	env     execenv.Env
	prefix  string // of the name of the log file
	cleaner cleaner
	decoder decoder
	// cleanLog puts the readable output into the log file and not the raw bytes.
	cleanLog bool

	tail       []byte // the end of the readable output
	lines      int    // line breaks in the readable output
	bytes      int    // readable bytes
	lineBytes  int    // readable bytes since the last line break
	lastLine   int    // readable bytes of the last line that has ended
	rawBytes   int
	head, rest []byte // the first and the last of the decoded output
	headFull   bool   // everything goes into rest
	restTotal  int    // bytes that went into rest

	held    []byte // what the log file will begin with
	log     execenv.TempFile
	logErr  error
	scratch []byte
}

func newCollector(ctx context.Context, env execenv.Env, prefix string) *collector {
	// The log is written also when the command is being aborted.
	return &collector{ctx: context.WithoutCancel(ctx), env: env, prefix: prefix}
}

// write takes a piece of output and returns its readable text as far as it is
// settled, which is valid until the next call.
func (c *collector) write(b []byte) []byte {
	decoded := c.decoder.decode(c.scratch[:0], b)
	c.scratch = decoded
	return c.add(b, decoded, false)
}

// close takes the end of the output and closes the log file.
func (c *collector) close() {
	c.add(nil, c.decoder.flush(nil), true)
	if c.log != nil {
		if err := c.log.Close(); err != nil && c.logErr == nil {
			c.logErr = err
		}
	}
}

func (c *collector) add(raw, decoded []byte, last bool) []byte {
	start := len(c.tail)
	c.tail = c.cleaner.clean(c.tail, string(decoded))
	if last {
		c.tail = c.cleaner.flush(c.tail)
	}
	fresh := c.tail[start:]
	c.count(fresh)
	c.rawBytes += len(raw)
	c.keep(decoded)
	if c.cleanLog {
		c.toLog(fresh)
	} else {
		c.toLog(raw)
	}
	if len(c.tail) > 2*keepTail {
		from := truncate.RuneStart(string(c.tail[len(c.tail)-keepTail:][:4]), 0) + len(c.tail) - keepTail
		c.tail = append(c.tail[:0], c.tail[from:]...)
		fresh = c.tail[max(0, len(c.tail)-len(fresh)):]
	}
	return fresh
}

func (c *collector) count(text []byte) {
	c.bytes += len(text)
	for _, b := range text {
		if b == '\n' {
			c.lines++
			c.lastLine, c.lineBytes = c.lineBytes, 0
			continue
		}
		c.lineBytes++
	}
}

// keep stores the decoded output for programs.
func (c *collector) keep(decoded []byte) {
	if !c.headFull {
		n := min(keepEnd-len(c.head), len(decoded))
		for n < len(decoded) && n > 0 && !utf8.RuneStart(decoded[n]) {
			n--
		}
		c.head = append(c.head, decoded[:n]...)
		decoded = decoded[n:]
		c.headFull = len(decoded) > 0
	}
	c.rest = append(c.rest, decoded...)
	c.restTotal += len(decoded)
	if len(c.rest) > 2*keepEnd {
		c.rest = append(c.rest[:0], c.rest[len(c.rest)-keepEnd:]...)
	}
}

// toLog writes to the log file once there is more output than is shown.
func (c *collector) toLog(b []byte) {
	if c.log == nil {
		c.held = append(c.held, b...)
		if c.rawBytes > truncate.MaxBytes || c.bytes > truncate.MaxBytes || c.lines > truncate.MaxLines {
			c.openLog()
		}
		return
	}
	c.writeLog(b)
}

func (c *collector) writeLog(b []byte) {
	if c.logErr != nil || len(b) == 0 {
		return
	}
	_, c.logErr = c.log.Write(b)
}

// openLog makes the log file with all output so far.
func (c *collector) openLog() {
	if c.log != nil || c.logErr != nil {
		return
	}
	c.log, c.logErr = c.env.FS.CreateTemp(c.ctx, c.env.Temp, c.prefix+"-*.log")
	if c.logErr != nil {
		c.held = nil
		return
	}
	c.writeLog(c.held)
	c.held = nil
}

// logName is the path of the log file, "" if there is none.
func (c *collector) logName() string {
	if c.log == nil {
		return ""
	}
	return c.log.Name()
}

// late is asked for a file for the output of background processes.
func (c *collector) late() string {
	c.openLog()
	return c.logName()
}

// shown returns the end of the readable output, cut to the limits.
func (c *collector) shown() truncate.Result {
	text := string(c.cleaner.pending(slices.Clip(c.tail)))
	r := truncate.Tail(text, truncate.Limits{})
	pending := len(text) - len(c.tail)
	r.TotalBytes = c.bytes + pending
	r.TotalLines = c.lines
	if c.lineBytes+pending > 0 {
		r.TotalLines++
	}
	return r
}

// hint tells what is not shown and where it is. It is empty if all is shown.
func (c *collector) hint(r truncate.Result) string {
	if !r.Truncated {
		return ""
	}
	where := "The full output could not be saved."
	switch {
	case c.logErr != nil:
		where = fmt.Sprintf("The full output could not be saved: %v.", c.logErr)
	case c.log != nil:
		where = "Full output: " + c.log.Name()
	}
	switch {
	case r.LastLinePartial:
		size := c.lineBytes + len(c.cleaner.pending(nil))
		if size == 0 {
			size = c.lastLine
		}
		return fmt.Sprintf("[Last %s of line %d shown, which has %s. %s]", truncate.FormatSize(int64(r.OutputBytes)),
			r.TotalLines, truncate.FormatSize(int64(size)), where)
	case r.TruncatedBy == truncate.ByBytes:
		return fmt.Sprintf("[Lines %d-%d of %d shown (%s limit). %s]", r.TotalLines-r.OutputLines+1, r.TotalLines,
			r.TotalLines, truncate.FormatSize(int64(r.MaxBytes)), where)
	default:
		return fmt.Sprintf("[Lines %d-%d of %d shown. %s]", r.TotalLines-r.OutputLines+1, r.TotalLines, r.TotalLines, where)
	}
}

// forPrograms returns the decoded output, as the command wrote it, with a mark in
// place of the middle of a very long one.
func (c *collector) forPrograms() (text string, cut bool) {
	rest := c.rest
	if len(rest) > keepEnd {
		rest = rest[len(rest)-keepEnd:]
	}
	omitted := c.restTotal - len(rest)
	if omitted == 0 {
		return string(c.head) + string(rest), false
	}
	from := 0
	for from < len(rest) && !utf8.RuneStart(rest[from]) {
		from++
	}
	return fmt.Sprintf("%s\n[... %d bytes left out ...]\n%s", c.head, omitted+from, rest[from:]), true
}
