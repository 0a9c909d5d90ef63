package rpc

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/pi-go/pi/agentcore"
	"github.com/pi-go/pi/agentcore/harness"
	"github.com/pi-go/pi/ai"
	"github.com/pi-go/pi/ai/jsonobj"
	"github.com/pi-go/pi/codingagent"
)

// Server drives a runtime by commands, one JSON object a line, and writes
// responses and events, one JSON object a line.
//
// Commands are taken in the order in which they come, each before the next:
// two prompts in a row can not lose one another. What takes long (a prompt
// that was accepted, a shell command, a compaction) goes on beside the
// commands that follow, and is answered when it is done. Each command gets
// exactly one response.
type Server struct {
	Runtime *codingagent.Runtime
	// NoModel explains to a client how to get a model; it is asked when a
	// prompt comes and there is none.
	NoModel func() error
	// Models lists the models to offer and to cycle through; nil means all
	// that are configured.
	Models func(ctx context.Context) []*ai.Model
	// Save keeps a setting for later sessions; nil keeps none.
	Save func(ctx context.Context, key string, value any) error
	// Export writes the conversation as HTML and gives the path; nil refuses.
	Export func(ctx context.Context, s *codingagent.AgentSession, path string) (string, error)

	ctx     context.Context
	out     *LineWriter
	encoder EventEncoder
	jobs    sync.WaitGroup
	// compacting is called when a compaction begins: it ends the wait for the
	// prompt that is being taken.
	compacting atomic.Pointer[func()]

	mu     sync.Mutex
	shells map[int]context.CancelFunc // running bash commands
	next   int
}

// Serve reads commands from in until it ends, finishes what is under way, and
// returns. It returns early with the cause of ctx, or with the reason why
// nothing more can be written: [ErrReaderGone], mostly.
func (s *Server) Serve(ctx context.Context, in io.Reader, out io.Writer) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	s.ctx = ctx
	s.shells = make(map[int]context.CancelFunc)
	s.out = NewLineWriter(out, func(err error) { cancel(err) })
	defer s.Runtime.Subscribe(s.hear)()
	lines := readLines(ctx, in)
	for {
		select {
		case line, more := <-lines:
			if !more {
				return s.finish(ctx)
			}
			if line.err != nil {
				return line.err
			}
			s.take(line.text)
		case <-ctx.Done():
			return s.stop(context.Cause(ctx))
		}
	}
}

// finish waits for what is under way after the input has ended.
func (s *Server) finish(ctx context.Context) error {
	done := make(chan struct{})
	go func() { defer close(done); s.jobs.Wait() }()
	select {
	case <-done:
		return s.out.Flush()
	case <-ctx.Done():
		return s.stop(context.Cause(ctx))
	}
}

// farewell is how long a client that does not read may hold up the end.
const farewell = 2 * time.Second

// stop ends everything that is under way.
func (s *Server) stop(cause error) error {
	timer := time.AfterFunc(farewell, s.out.Abandon)
	defer timer.Stop()
	s.jobs.Wait() // all of them end with the context
	if err := s.out.Flush(); err != nil && !errors.Is(cause, err) && !errors.Is(err, errAbandoned) {
		return errors.Join(cause, err)
	}
	return cause
}

type inputLine struct {
	text []byte
	err  error
}

// readLines splits the input at line feeds only; a last line without one
// counts.
func readLines(ctx context.Context, in io.Reader) <-chan inputLine {
	lines := make(chan inputLine)
	go func() {
		defer close(lines)
		r := bufio.NewReaderSize(in, 64<<10)
		for {
			text, err := r.ReadBytes('\n')
			if len(text) > 0 {
				select {
				case lines <- inputLine{text: text}:
				case <-ctx.Done():
					return
				}
			}
			if err != nil {
				if err != io.EOF {
					select {
					case lines <- inputLine{err: fmt.Errorf("read commands: %w", err)}:
					case <-ctx.Done():
					}
				}
				return
			}
		}
	}()
	return lines
}

// hear writes an event.
func (s *Server) hear(_ context.Context, ev agentcore.Event) error {
	if _, ok := ev.(*harness.CompactionStart); ok {
		if taken := s.compacting.Load(); taken != nil {
			defer (*taken)()
		}
	}
	return s.out.Write(func(dst []byte) ([]byte, bool, error) { return s.encoder.Append(dst, ev) })
}

// take handles one line.
func (s *Server) take(line []byte) {
	line = bytes.TrimSuffix(bytes.TrimSuffix(line, []byte("\n")), []byte("\r"))
	if len(bytes.TrimSpace(line)) == 0 {
		s.fail(command{Type: "parse"}, errors.New("this line is empty"))
		return
	}
	c, err := parseCommand(bytes.TrimSpace(line))
	if err != nil {
		s.fail(c, err)
		return
	}
	h, ok := handlers()[c.Type]
	if !ok {
		s.fail(c, unknownCommand(c.Type))
		return
	}
	h(s, c)
}

func unknownCommand(name string) error {
	known := slices.Sorted(maps.Keys(handlers()))
	if near := ai.Nearest(name, known, 3); len(near) > 0 {
		return fmt.Errorf("unknown command: %s; did you mean %s?", name, strings.Join(near, ", "))
	}
	return fmt.Errorf("unknown command: %s", name)
}

// reply answers a command; nil data is left out.
func (s *Server) reply(c command, data any) {
	var body json.RawMessage
	if data != nil {
		var err error
		if body, err = marshal(data); err != nil {
			s.fail(c, fmt.Errorf("encode the answer: %w", err))
			return
		}
	}
	s.respond(c, body, nil)
}

// fail answers a command with an error.
func (s *Server) fail(c command, err error) {
	switch {
	case errors.Is(err, harness.ErrNoModel) && s.NoModel != nil:
		err = s.NoModel()
	case errors.Is(err, harness.ErrBusy):
		err = errors.New(`the agent is at work: set "streamingBehavior" to "steer" or "followUp" to queue the message, or send abort first`)
	}
	s.respond(c, nil, err)
}

func (s *Server) respond(c command, data json.RawMessage, failure error) {
	// A write that fails is noticed by the next event, and ends the server.
	_ = s.out.Write(func(dst []byte) ([]byte, bool, error) {
		dst = append(dst, '{')
		if len(c.ID) > 0 {
			dst = append(append(append(dst, `"id":`...), c.ID...), ',')
		}
		dst = append(dst, `"type":"response","command":`...)
		dst = jsonobj.AppendString(dst, c.Type)
		if failure != nil {
			dst = append(dst, `,"success":false,"error":`...)
			dst = jsonobj.AppendString(dst, failure.Error())
			return append(dst, '}'), true, nil
		}
		dst = append(dst, `,"success":true`...)
		if data != nil {
			dst = append(append(dst, `,"data":`...), data...)
		}
		return append(dst, '}'), true, nil
	})
}

// marshal encodes without escaping HTML, as the rest of the wire does.
func marshal(v any) (json.RawMessage, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		return nil, err
	}
	return bytes.TrimSuffix(b.Bytes(), []byte("\n")), nil
}

// background runs a job beside the commands that follow.
func (s *Server) background(job func()) { s.jobs.Go(job) }
