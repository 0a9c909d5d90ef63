package mockllm

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"time"
)

// dialect is how a protocol writes what an [Answer] says.
type dialect struct {
	frames  func(*Request, Answer) []Frame
	whole   func(*Request, Answer) string // to a request that wants no stream
	failure func(*Error) string
	binary  bool // the stream is Amazon's binary one instead of server-sent events
}

func dialectOf(api string) dialect {
	switch api {
	case Anthropic:
		return dialect{frames: anthropic, whole: anthropicWhole, failure: anthropicError}
	case Google:
		return dialect{frames: google, whole: googleWhole, failure: googleError}
	case Responses:
		return dialect{frames: responses, whole: responsesWhole, failure: responsesError}
	case Bedrock:
		return dialect{frames: bedrock, whole: bedrockWhole, failure: bedrockError, binary: true}
	case PiMessages:
		return dialect{frames: piMessages, whole: completionsWhole, failure: piMessagesError}
	case Mistral:
		return dialect{frames: mistral, whole: completionsWhole, failure: completionsError}
	}
	return dialect{frames: completions, whole: completionsWhole, failure: completionsError}
}

// deliver sends an answer; false means that the connection is to be broken.
func (s *Server) deliver(ctx context.Context, w http.ResponseWriter, r *Request, a Answer) bool {
	d := a.Delivery
	if d.Drop {
		return false
	}
	if d.HoldHeader != nil && !hold(ctx, d.HoldHeader) {
		return false
	}
	status := a.Status
	if status == 0 {
		status = http.StatusOK
	}
	h := w.Header()
	for k, v := range a.Header {
		h[k] = v
	}
	setDefault := func(name, value string) {
		if h.Get(name) == "" {
			h.Set(name, value)
		}
	}
	switch {
	case status != http.StatusOK:
		body := a.Body
		if body == "" && a.Error != nil {
			setDefault("content-type", "application/json")
			body = dialectOf(r.API).failure(a.Error)
		}
		w.WriteHeader(status)
		return r.write(w, []byte(body))
	case a.Body != "":
		setDefault("content-type", "application/json")
		return r.write(w, []byte(a.Body))
	case !r.Stream && a.Raw == "":
		setDefault("content-type", "application/json")
		return r.write(w, []byte(dialectOf(r.API).whole(r, a)))
	}
	if dialectOf(r.API).binary {
		setDefault("content-type", "application/vnd.amazon.eventstream")
	}
	setDefault("content-type", "text/event-stream; charset=utf-8")
	setDefault("cache-control", "no-cache")
	w.WriteHeader(status)
	flush(w)
	return s.stream(ctx, w, r, a)
}

// stream sends the bytes of the event stream in the pieces the delivery asks
// for.
func (s *Server) stream(ctx context.Context, w http.ResponseWriter, r *Request, a Answer) bool {
	d := a.Delivery
	data, events := s.encode(r, a)
	if d.CutAt < 0 { // a scenario: before the frames that end the answer
		d.CutAt = events[max(len(events)-4, 0)]
	}
	end, whole := len(data), true
	if d.EndAt > 0 && d.EndAt < end {
		end = d.EndAt
	}
	if d.CutAt > 0 && d.CutAt < end {
		end, whole = d.CutAt, false
	}
	at := 0
	var due time.Time // of the next piece: a late one is made up for
	for next := range pieceEnds(d, events, end) {
		if d.Hold != nil && at <= d.HoldAt && d.HoldAt < next {
			if d.HoldAt > at {
				if !r.write(w, data[at:d.HoldAt]) {
					return false
				}
				at = d.HoldAt
			}
			if !hold(ctx, d.Hold) {
				return false
			}
			due = time.Time{}
		}
		if at > 0 && d.Pace > 0 {
			if due.IsZero() {
				due = time.Now()
			}
			due = due.Add(d.Pace)
			if !pause(ctx, time.Until(due)) {
				return false
			}
		}
		if !r.write(w, data[at:next]) {
			return false
		}
		at = next
	}
	if d.Hold != nil && d.HoldAt >= end && !hold(ctx, d.Hold) {
		return false
	}
	return whole
}

// pieceEnds gives the offsets at which writes end, the last one being end.
func pieceEnds(d Delivery, events []int, end int) func(func(int) bool) {
	return func(yield func(int) bool) {
		offsets := events
		switch {
		case len(d.SplitAt) > 0:
			offsets = d.SplitAt
		case d.Chunk < 0:
			offsets = nil
		case d.Chunk > 0:
			for at := d.Chunk; at < end; at += d.Chunk {
				if !yield(at) {
					return
				}
			}
			offsets = nil
		}
		last := 0
		for _, at := range offsets {
			if at > last && at < end {
				if !yield(at) {
					return
				}
				last = at
			}
		}
		if end > 0 {
			yield(end)
		}
	}
}

// encode gives the bytes of an answer and the offsets at which its events end.
func (s *Server) encode(r *Request, a Answer) (data []byte, events []int) {
	dialect := dialectOf(r.API)
	if a.Raw != "" {
		return []byte(a.Raw), EventEnds(r.API, []byte(a.Raw))
	}
	key := ""
	if a.scenario != nil && a.Edit == nil {
		key = fmt.Sprintf("%s %s %+v", r.API, r.Model, *a.scenario)
		s.mu.Lock()
		data = s.rendered[key]
		s.mu.Unlock()
	}
	if data == nil {
		list := dialect.frames(r, a)
		if a.Edit != nil {
			list = a.Edit(list)
		}
		if dialect.binary {
			data = EncodeBinary(list)
		} else {
			data = Encode(list, a.Delivery)
		}
	}
	if key != "" {
		s.mu.Lock()
		s.rendered[key] = data
		s.mu.Unlock()
		if a.Delivery.Chunk > 0 && a.Delivery.CutAt == 0 {
			return data, nil
		}
	}
	return data, EventEnds(r.API, data)
}

// EventEnds gives the offsets at which the events of a stream end.
func EventEnds(api string, stream []byte) []int {
	if dialectOf(api).binary {
		return binaryEnds(stream)
	}
	return blankLines(stream)
}

// Stream gives the bytes of the event stream that a server would send for an
// answer to a request of this protocol and model.
func Stream(api, model string, a Answer) []byte {
	data, _ := New().encode(&Request{API: api, Model: model, N: 1, Stream: true}, a)
	return data
}

// blankLines gives the offsets behind the blank lines that end events.
func blankLines(data []byte) []int {
	var ends []int
	line := 0
	for i, c := range data {
		if c != '\n' {
			continue
		}
		if i == line || i == line+1 && data[line] == '\r' {
			ends = append(ends, i+1)
		}
		line = i + 1
	}
	if len(ends) == 0 || ends[len(ends)-1] != len(data) {
		ends = append(ends, len(data))
	}
	return ends
}

// write sends bytes and hands them to the socket.
func (r *Request) write(w http.ResponseWriter, b []byte) bool {
	n, err := w.Write(b)
	r.mu.Lock()
	r.sent += n
	r.mu.Unlock()
	flush(w)
	return err == nil
}

func flush(w io.Writer) {
	if f, ok := w.(http.Flusher); ok {
		f.Flush()
	}
}

func hold(ctx context.Context, release <-chan struct{}) bool {
	select {
	case <-release:
		return true
	case <-ctx.Done():
		return false
	}
}

func pause(ctx context.Context, d time.Duration) bool {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		return true
	case <-ctx.Done():
		return false
	}
}
