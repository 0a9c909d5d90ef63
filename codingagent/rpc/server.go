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
	"github.com/pi-go/pi/codingagent/extension"
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
	ui      clientUI
	jobs    sync.WaitGroup
	// taken ends the wait for the command that is being taken: it is called when a
	// compaction begins, or a person is asked something.
	taken atomic.Pointer[func()]
	// noAnswers is closed when the input has ended: nobody answers any more.
	noAnswers chan struct{}
	// ending is closed when an extension wants the program to end.
	ending chan struct{}
	end    func()

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
	s.ui.s, s.noAnswers, s.ending = s, make(chan struct{}), make(chan struct{})
	s.end = sync.OnceFunc(func() { close(s.ending) })
	defer s.Runtime.Subscribe(s.hear)()
	s.Runtime.Attach(codingagent.Front{Mode: extension.ModeRPC, UI: &s.ui, Shutdown: s.end, Cleared: s.ui.clear})
	s.background(func() { s.Runtime.Start(ctx) })
	lines := readLines(ctx, in, s.ui.answer)
	for {
		select {
		case <-s.ending:
			close(s.noAnswers)
			return s.finish(ctx)
		case line, more := <-lines:
			if !more {
				close(s.noAnswers)
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

// ahead is how many commands are read before they are taken. The answers of
// people are taken at once: a command may wait for one that comes behind others.
const ahead = 256

// readLines splits the input at line feeds only; a last line without one
// counts. Answers to questions are handed over, all else comes in order.
func readLines(ctx context.Context, in io.Reader, answer func(line []byte)) <-chan inputLine {
	lines := make(chan inputLine, ahead)
	send := func(l inputLine) bool {
		select {
		case lines <- l:
			return true
		case <-ctx.Done():
			return false
		}
	}
	go func() {
		defer close(lines)
		r := bufio.NewReaderSize(in, 64<<10)
		for {
			text, err := r.ReadBytes('\n')
			switch {
			case len(text) == 0:
			case isAnswer(text):
				answer(text)
			case !send(inputLine{text: text}):
				return
			}
			if err != nil {
				if err != io.EOF {
					send(inputLine{err: fmt.Errorf("read commands: %w", err)})
				}
				return
			}
		}
	}()
	return lines
}

// Fault tells the client what an extension did wrong.
func (s *Server) Fault(f *extension.Fault) {
	_ = s.out.Write(func(dst []byte) ([]byte, bool, error) {
		body, err := marshal(struct {
			Type      string `json:"type"`
			Extension string `json:"extensionPath"`
			Event     string `json:"event"`
			Error     string `json:"error"`
		}{"extension_error", f.Path, f.Event, f.Err.Error()})
		return append(dst, body...), true, err
	})
}

// release lets the commands that follow be taken.
func (s *Server) release() {
	if taken := s.taken.Load(); taken != nil {
		(*taken)()
	}
}

// hear writes an event.
func (s *Server) hear(_ context.Context, ev agentcore.Event) error {
	if _, ok := ev.(*harness.CompactionStart); ok {
		defer s.release()
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
