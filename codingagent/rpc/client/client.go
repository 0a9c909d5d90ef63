package client

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"sync"
)

// ErrClosed is the error of commands after the connection has ended.
var ErrClosed = errors.New("the connection to the agent has ended")

// Error is a command that the agent refused.
type Error struct {
	Command string
	Message string // the agent's words
}

// Error gives command and message.
func (e *Error) Error() string { return e.Command + ": " + e.Message }

// Client is a connection to one agent. Its methods may be called from any
// goroutine. Close it.
type Client struct {
	write  io.WriteCloser
	onAsk  func(ctx context.Context, d Dialog) Reply
	ended  chan struct{} // closed when the agent's output has ended
	ctx    context.Context
	cancel context.CancelFunc
	wait   func() error // ends the process, if it is ours

	writing sync.Mutex

	mu        sync.Mutex
	next      int
	pending   map[string]*call
	listeners []*listener
	failure   error
	closed    bool
}

type listener struct{ f func(Event) }

// call is a command that waits for its response.
type call struct {
	command string
	done    chan response
	output  func(string) // of a shell command
}

type response struct {
	data json.RawMessage
	err  error
}

// Options tune a connection.
type Options struct {
	// Ask answers the dialogs of extensions, each on a goroutine of its own;
	// nil cancels them all. The context ends with the connection.
	Ask func(ctx context.Context, d Dialog) Reply
}

// New speaks to an agent that reads commands from w and writes to r.
func New(w io.WriteCloser, r io.Reader, o Options) *Client {
	c := &Client{write: w, onAsk: o.Ask, ended: make(chan struct{}), pending: make(map[string]*call)}
	c.ctx, c.cancel = context.WithCancel(context.Background())
	go c.read(r)
	return c
}

// Subscribe adds a listener for events; the returned function removes it.
// Listeners are called in order, one event at a time: the agent waits for slow
// ones. They must not send commands and wait for the responses.
func (c *Client) Subscribe(f func(Event)) (unsubscribe func()) {
	l := &listener{f}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.listeners = append(slices.Clip(c.listeners), l)
	return func() {
		c.mu.Lock()
		defer c.mu.Unlock()
		c.listeners = slices.DeleteFunc(slices.Clone(c.listeners), func(o *listener) bool { return o == l })
	}
}

// Do sends a command with fields, which must encode as a JSON object or be
// nil, and decodes the data of the response into out, if that is not nil. A
// command that the agent refuses is an [Error].
func (c *Client) Do(ctx context.Context, command string, fields, out any) error {
	return c.do(ctx, command, fields, out, nil)
}

func (c *Client) do(ctx context.Context, command string, fields, out any, output func(string)) error {
	k := &call{command: command, done: make(chan response, 1), output: output}
	id, err := c.register(k)
	if err != nil {
		return err
	}
	line, err := encode(id, command, fields)
	if err == nil {
		err = c.send(line)
	}
	if err != nil {
		c.forget(id)
		return fmt.Errorf("send %s: %w", command, err)
	}
	select {
	case r := <-k.done:
		switch {
		case r.err != nil:
			return r.err
		case out == nil || r.data == nil:
			return nil
		}
		if err := json.Unmarshal(r.data, out); err != nil {
			return fmt.Errorf("decode the response to %s: %w", command, err)
		}
		return nil
	case <-ctx.Done():
		c.forget(id)
		return fmt.Errorf("%s: %w", command, context.Cause(ctx))
	}
}

func (c *Client) register(k *call) (string, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.failure != nil {
		return "", c.failure
	}
	c.next++
	id := "c" + strconv.Itoa(c.next)
	c.pending[id] = k
	return id, nil
}

func (c *Client) forget(id string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	delete(c.pending, id)
}

// encode makes the line of a command.
func encode(id, command string, fields any) ([]byte, error) {
	head := fmt.Sprintf(`{"id":%q,"type":%q`, id, command)
	if fields == nil {
		return []byte(head + "}\n"), nil
	}
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(fields); err != nil {
		return nil, err
	}
	body := bytes.TrimSpace(b.Bytes())
	if len(body) < 2 || body[0] != '{' {
		return nil, fmt.Errorf("the fields of a command must be an object, not %s", body)
	}
	if len(body) == 2 {
		return []byte(head + "}\n"), nil
	}
	return append(append([]byte(head+","), body[1:]...), '\n'), nil
}

func (c *Client) send(line []byte) error {
	c.writing.Lock()
	defer c.writing.Unlock()
	_, err := c.write.Write(line)
	return err
}

// read takes what the agent writes until that ends.
func (c *Client) read(r io.Reader) {
	defer close(c.ended)
	in := bufio.NewReaderSize(r, 64<<10)
	err := error(nil)
	for err == nil {
		var line []byte
		line, err = in.ReadBytes('\n')
		if line = bytes.TrimSpace(line); len(line) == 0 {
			continue
		}
		if fault := c.take(line); fault != nil {
			err = fault
		}
	}
	if err == io.EOF {
		err = ErrClosed
	} else {
		err = fmt.Errorf("%w: %w", ErrClosed, err)
	}
	c.fail(err)
}

// fail ends all calls.
func (c *Client) fail(err error) {
	c.cancel()
	c.mu.Lock()
	defer c.mu.Unlock()
	c.failure = err
	for id, k := range c.pending {
		k.done <- response{err: fmt.Errorf("%s: %w", k.command, err)}
		delete(c.pending, id)
	}
}

// take handles one line of the agent.
func (c *Client) take(line []byte) error {
	var head struct {
		Type    string
		ID      any
		Command string
		Success bool
		Error   string
		Data    json.RawMessage
		Delta   json.RawMessage
	}
	if err := json.Unmarshal(line, &head); err != nil {
		return fmt.Errorf("the agent wrote %.100q, which is no JSON object: %w", line, err)
	}
	id, _ := head.ID.(string)
	switch head.Type {
	case "response":
		c.resolve(id, head.Command, response{data: head.Data, err: refusal(head.Command, head.Success, head.Error)})
		return nil
	case "bash_execution_update":
		c.bashOutput(id, head.Delta)
	case "extension_ui_request":
		c.dialog(line)
	}
	ev := Event{Type: head.Type, Raw: line}
	c.mu.Lock()
	listeners := c.listeners
	c.mu.Unlock()
	for _, l := range listeners {
		l.f(ev)
	}
	return nil
}

func refusal(command string, success bool, message string) error {
	if success {
		return nil
	}
	return &Error{command, message}
}

func (c *Client) resolve(id, _ string, r response) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if k := c.pending[id]; k != nil {
		delete(c.pending, id)
		k.done <- r
	}
}

func (c *Client) bashOutput(id string, delta json.RawMessage) {
	c.mu.Lock()
	k := c.pending[id]
	c.mu.Unlock()
	var text string
	if k != nil && k.output != nil && json.Unmarshal(delta, &text) == nil {
		k.output(text)
	}
}

// Close tells the agent that no more commands come, waits until it has
// finished what is under way and its output has ended, and gives the error it
// ended with. To stop work that is under way call Abort first.
func (c *Client) Close() error {
	c.mu.Lock()
	first := !c.closed
	c.closed = true
	c.mu.Unlock()
	if !first {
		return nil
	}
	c.writing.Lock()
	err := c.write.Close()
	c.writing.Unlock()
	<-c.ended
	if c.wait != nil {
		err = errors.Join(err, c.wait())
	}
	return err
}
