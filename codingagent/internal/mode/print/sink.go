package print

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"sync"
	"time"

	"github.com/pi-go/pi/agentcore"
	"github.com/pi-go/pi/codingagent"
	"github.com/pi-go/pi/codingagent/rpc"
)

// sink writes output on a goroutine of its own: a write to a reader that has
// stopped reading can not be interrupted, but it can be left behind. What
// gathers while a write runs goes out together, so that a fast stream does not
// cost a system call for each event.
type sink struct {
	ctx     context.Context // its end is the end of patience with the reader
	w       io.Writer
	gone    func()
	encoder rpc.EventEncoder
	// terminal says that a terminal shows the JSON.
	terminal bool

	mu      sync.Mutex
	pending []byte
	spare   []byte
	idle    chan struct{} // closed when the writer is done; nil when it does not run
	err     error
}

// maxPending is how many bytes may wait before the run waits for the reader.
const maxPending = 256 << 10

// grace is how long a reader may still take to read once the run has been
// stopped.
const grace = 200 * time.Millisecond

func (k *sink) header(s *codingagent.AgentSession) {
	k.mu.Lock()
	k.pending = append(s.Header().AppendJSON(k.pending), '\n')
	k.mu.Unlock()
	k.kick()
}

// add writes a text and ends the line.
func (k *sink) add(text string) {
	k.mu.Lock()
	k.pending = append(append(k.pending, text...), '\n')
	k.mu.Unlock()
}

// hear writes one event. Once the reader has been given up, events are
// dropped: the run is ending, and must not fail for that.
func (k *sink) hear(_ context.Context, ev agentcore.Event) error {
	k.mu.Lock()
	if k.err != nil {
		err := k.err
		k.mu.Unlock()
		if k.ctx.Err() != nil {
			return nil
		}
		return err
	}
	before := len(k.pending)
	buf, ok, err := k.encoder.Append(k.pending, ev)
	if err != nil || !ok {
		k.pending = buf[:before]
	} else {
		if k.terminal {
			buf = append(buf[:before], escapeControls(buf[before:])...)
		}
		k.pending = append(buf, '\n')
	}
	full := len(k.pending) > maxPending
	k.mu.Unlock()
	if err != nil {
		return err
	}
	if ok {
		k.kick()
	}
	if full {
		if err := k.flush(); k.ctx.Err() == nil {
			return err
		}
	}
	return nil
}

// escapeControls writes the control characters that JSON allows in its texts
// (DEL and C1) as escapes: some terminals obey them.
func escapeControls(line []byte) []byte {
	if bytes.IndexByte(line, 0x7f) < 0 && bytes.IndexByte(line, 0xc2) < 0 { // 0xc2 begins C1 in UTF-8
		return line
	}
	out := make([]byte, 0, len(line)+16)
	for _, r := range string(line) {
		if r >= 0x7f && r <= 0x9f {
			out = fmt.Appendf(out, `\u%04x`, r)
			continue
		}
		out = append(out, string(r)...)
	}
	return out
}

// kick starts the writer unless it runs.
func (k *sink) kick() {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.idle == nil && k.err == nil && len(k.pending) > 0 {
		k.idle = make(chan struct{})
		go k.drain()
	}
}

// drain writes what is pending until nothing is.
func (k *sink) drain() {
	k.mu.Lock()
	defer k.mu.Unlock()
	for len(k.pending) > 0 && k.err == nil {
		batch := k.pending
		k.pending = k.spare[:0]
		k.spare = nil
		k.mu.Unlock()
		_, err := k.w.Write(batch)
		k.mu.Lock()
		k.spare = batch
		if err != nil && k.err == nil {
			k.err = readerGone(err)
			if errors.Is(k.err, ErrReaderGone) {
				k.gone()
			}
		}
	}
	close(k.idle)
	k.idle = nil
}

// flush waits until everything is written, or until the reader has been given
// up.
func (k *sink) flush() error {
	k.kick()
	k.mu.Lock()
	idle := k.idle
	k.mu.Unlock()
	if idle != nil && !k.await(idle) {
		k.mu.Lock()
		defer k.mu.Unlock()
		k.err = errors.Join(k.err, context.Cause(k.ctx))
		return k.err
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.err
}

// await waits for the writer, for a moment only once the context has ended.
func (k *sink) await(idle <-chan struct{}) bool {
	select {
	case <-idle:
		return true
	case <-k.ctx.Done():
	}
	patience := time.NewTimer(grace)
	defer patience.Stop()
	select {
	case <-idle:
		return true
	case <-patience.C:
		return false
	}
}
