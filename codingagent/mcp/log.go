package mcp

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"sync"
	"time"
)

// mostLog is how long a log grows before it is put aside.
const mostLog = 5 << 20

// Log is a file that servers' messages are appended to, a line each. It may be
// used from any goroutine. The zero value writes nothing.
type Log struct {
	// Path is the file. Once it is longer than 5 MB it becomes Path with ".1"
	// behind it, and a new one begins.
	Path string
	// Now is the clock; nil means [time.Now].
	Now func() time.Time

	mu sync.Mutex
}

// write appends lines of a server. A log that can not be written is no reason to
// disturb anybody.
func (l *Log) write(server string, text []byte) {
	if l == nil || l.Path == "" {
		return
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	now := time.Now
	if l.Now != nil {
		now = l.Now
	}
	if info, err := os.Stat(l.Path); err == nil && info.Size() > mostLog {
		_ = os.Rename(l.Path, l.Path+".1")
	}
	if os.MkdirAll(filepath.Dir(l.Path), 0o700) != nil {
		return
	}
	f, err := os.OpenFile(l.Path, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		return
	}
	defer f.Close()
	for line := range bytes.Lines(text) {
		fmt.Fprintf(f, "%s [%s] %s\n", now().UTC().Format(time.RFC3339), server, bytes.TrimRight(line, "\r\n"))
	}
}

// logOf gives a writer for what a server says.
func (o *Options) logOf(server string) io.Writer { return &logWriter{o.Log, server} }

type logWriter struct {
	log    *Log
	server string
}

func (w *logWriter) Write(p []byte) (int, error) {
	w.log.write(w.server, p)
	return len(p), nil
}
