package server

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"strconv"
	"time"
)

// Why a client gets a resync.
const (
	resyncStart   = "start"   // it named no event
	resyncUnknown = "unknown" // the event it named is not of this session
	resyncGone    = "gone"    // what comes after that event is not kept any more
)

// events streams events to a client until one of them leaves.
func (s *Server) events(w http.ResponseWriter, r *http.Request) error {
	h, err := s.find(r)
	if err != nil {
		return err
	}
	beat, err := s.heartbeat(r)
	if err != nil {
		return err
	}
	last, reason := h.position(r)
	w.Header().Set("Content-Type", "text/event-stream")
	w.Header().Set("X-Accel-Buffering", "no") // for proxies that would hold events back
	w.WriteHeader(http.StatusOK)
	if r.Method == http.MethodHead {
		return nil
	}
	out := &eventWriter{w: w, control: http.NewResponseController(w)}
	h.feed(r.Context(), out, last, reason, beat)
	return nil
}

// heartbeat is the longest silence that suits the client and us.
func (s *Server) heartbeat(r *http.Request) (time.Duration, error) {
	text := r.URL.Query().Get("heartbeat")
	if text == "" {
		return s.cfg.Heartbeat, nil
	}
	const most = 3600
	seconds, err := strconv.Atoi(text)
	if err != nil || seconds < 1 || seconds > most {
		return 0, invalid("heartbeat=%.20s: want a number of seconds from 1 to %d", text, most)
	}
	return min(s.cfg.Heartbeat, time.Duration(seconds)*time.Second), nil
}

// position says after which event a client goes on, or why it can not.
func (h *hosted) position(r *http.Request) (last uint64, reason string) {
	id := r.Header.Get("Last-Event-ID")
	if id == "" {
		id = r.URL.Query().Get("after")
	}
	if id == "" {
		return 0, resyncStart
	}
	last, ok := h.log.number(id)
	if !ok {
		return 0, resyncUnknown
	}
	return last, ""
}

// feed writes what comes after the event with number last; a reason asks for a
// resync first. It returns when the session was closed or the client has left, and
// tells a client that is behind of a closed session in any case.
func (h *hosted) feed(ctx context.Context, out *eventWriter, last uint64, reason string, beat time.Duration) {
	silence := time.NewTimer(beat)
	defer silence.Stop()
	for {
		p := h.log.after(last)
		if p.gone && reason == "" {
			reason = resyncGone
		}
		if reason != "" {
			n, data, err := h.resync(reason)
			if err != nil {
				h.logger.Error("a client could not be told the state", "error", err)
				return
			}
			if out.event(h.log.id(n), data) != nil || out.flush() != nil {
				return
			}
			last, reason = n, ""
			continue
		}
		for i, data := range p.events {
			if out.event(h.log.id(p.first+uint64(i)), data) != nil {
				return
			}
		}
		last += uint64(len(p.events))
		// What there is already is sent even if the context has ended: that may only
		// mean that the client has closed its side, and writing tells if it has left.
		if p.rest {
			continue
		}
		if out.flush() != nil || p.end {
			return
		}
		select {
		case <-p.more:
			continue
		default:
		}
		silence.Reset(beat)
		select {
		case <-p.more:
		case <-silence.C:
			out.comment()
			if out.flush() != nil {
				return
			}
		case <-ctx.Done():
			return
		}
	}
}

// resync gives the event that replaces all a client knows.
func (h *hosted) resync(reason string) (uint64, []byte, error) {
	state, n, err := h.state()
	if err != nil {
		return 0, nil, err
	}
	data, err := encode(struct {
		Type   string `json:"type"`
		Reason string `json:"reason"`
		State  State  `json:"state"`
	}{"resync", reason, state})
	return n, bytes.TrimSpace(data), err
}

// eventWriter writes server-sent events. An error of its methods means that the
// client has left.
type eventWriter struct {
	w       http.ResponseWriter
	control *http.ResponseController
	buf     bytes.Buffer
}

// event adds an event.
func (o *eventWriter) event(id string, data []byte) error {
	fmt.Fprintf(&o.buf, "id: %s\ndata: ", id)
	// A line feed between tokens of the JSON would end the data.
	if bytes.ContainsAny(data, "\r\n") {
		if err := json.Compact(&o.buf, data); err != nil {
			return fmt.Errorf("event %s: %w", id, err)
		}
	} else {
		o.buf.Write(data)
	}
	o.buf.WriteString("\n\n")
	const enough = 64 << 10
	if o.buf.Len() > enough {
		return o.write()
	}
	return nil
}

// comment adds a sign of life.
func (o *eventWriter) comment() { o.buf.WriteString(":\n\n") }

func (o *eventWriter) write() error {
	// Not every ResponseWriter has deadlines; those of Serve do.
	_ = o.control.SetWriteDeadline(time.Now().Add(stall))
	_, err := o.w.Write(o.buf.Bytes())
	o.buf.Reset()
	return err
}

// flush sends what was added.
func (o *eventWriter) flush() error {
	if o.buf.Len() > 0 {
		if err := o.write(); err != nil {
			return err
		}
	}
	return o.control.Flush()
}
