package mcp

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/modelcontextprotocol/go-sdk/auth"
	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/pi-go/pi/agentcore/execenv"
)

// State says how a server is.
type State string

// The states.
const (
	Disabled   State = "disabled"
	Connecting State = "connecting"
	Connected  State = "connected"
	Gone       State = "disconnected" // it was connected, and will be again when it is called
	Failed     State = "failed"
	NeedsLogin State = "needs sign-in"
)

// ErrNeedsLogin says that a server wants a person to sign in.
var ErrNeedsLogin = errors.New("it wants you to sign in")

// connection is a server that is talked to.
type connection struct {
	server Server
	opts   *Options
	// registered says that an extension wants it.
	registered bool
	// changed is called when the tools are others than before.
	changed func(c *connection)

	// dialing is held while it is being connected.
	dialing sync.Mutex

	mu      sync.Mutex
	state   State
	err     error
	session *sdk.ClientSession
	tools   []*sdk.Tool
	ready   chan struct{} // closed once it was tried to connect for the first time
	errors  tail          // of a program
	program *exec.Cmd
}

func newConnection(s Server, o *Options, changed func(*connection)) *connection {
	c := &connection{server: s, opts: o, changed: changed, state: Connecting, ready: make(chan struct{})}
	if s.Disabled {
		c.state = Disabled
		close(c.ready)
	}
	return c
}

// timeout limits a request.
func (c *connection) timeout() time.Duration {
	if c.server.Timeout > 0 {
		return c.server.Timeout
	}
	return DefaultTimeout
}

// dial connects the server unless it is connected.
func (c *connection) dial(ctx context.Context) (*sdk.ClientSession, error) {
	c.dialing.Lock()
	defer c.dialing.Unlock()
	c.mu.Lock()
	have, disabled := c.session, c.state == Disabled
	c.mu.Unlock()
	switch {
	case disabled:
		return nil, fmt.Errorf("MCP server %s is disabled", c.server.Name)
	case have != nil:
		return have, nil
	}
	defer c.tried()
	session, tools, err := c.connect(ctx)
	c.mu.Lock()
	if err != nil {
		c.state, c.err = Failed, err
		if errors.Is(err, ErrNeedsLogin) {
			c.state = NeedsLogin
		}
		c.mu.Unlock()
		return nil, fmt.Errorf("connect MCP server %s: %w", c.server.Name, err)
	}
	c.state, c.err, c.session, c.tools = Connected, nil, session, tools
	c.mu.Unlock()
	go c.watch(session)
	c.changed(c)
	return session, nil
}

// tried notes that it was tried to connect: what tools there are, is known.
func (c *connection) tried() {
	select {
	case <-c.ready:
	default:
		close(c.ready)
	}
}

// watch waits for the end of a session.
func (c *connection) watch(session *sdk.ClientSession) {
	c.lost(session, session.Wait())
}

// lost notes that a session is over.
func (c *connection) lost(session *sdk.ClientSession, err error) {
	c.mu.Lock()
	over := c.session == session
	if over {
		c.session, c.state, c.err = nil, Gone, err
	}
	c.mu.Unlock()
	if over {
		go session.Close() // one that is not over yet would hold its connection
		c.killRest()
	}
}

// connect opens a session and asks for the tools.
func (c *connection) connect(ctx context.Context) (*sdk.ClientSession, []*sdk.Tool, error) {
	transport, err := c.transport(ctx)
	if err != nil {
		return nil, nil, err
	}
	client := sdk.NewClient(&sdk.Implementation{Name: "pi", Title: "pi", Version: c.opts.Version}, &sdk.ClientOptions{
		Capabilities: &sdk.ClientCapabilities{},
		ToolListChangedHandler: func(ctx context.Context, r *sdk.ToolListChangedRequest) {
			go c.refresh(context.WithoutCancel(ctx), r.Session)
		},
	})
	ctx, cancel := c.limited(ctx)
	defer cancel()
	if p, ok := transport.(*programTransport); ok {
		defer p.answered()
	}
	session, err := client.Connect(ctx, transport, nil)
	if err != nil {
		c.killRest()
		return nil, nil, c.explain(ctx, err)
	}
	tools, err := list(ctx, session)
	if err != nil {
		err = c.explain(ctx, err)
		_ = session.Close() // how a program ends that does not work says less
		c.killRest()
		return nil, nil, err
	}
	return session, tools, nil
}

// limited ends a request that takes too long.
func (c *connection) limited(ctx context.Context) (context.Context, context.CancelFunc) {
	return context.WithTimeoutCause(ctx, c.timeout(), fmt.Errorf("MCP server %s did not answer within %s", c.server.Name, c.timeout()))
}

// killRest ends what a program that is over has started.
func (c *connection) killRest() {
	c.mu.Lock()
	program := c.program
	c.program = nil
	c.mu.Unlock()
	if program != nil && program.Process != nil {
		execenv.KillRest(program.Process)
	}
}

// explain says why a request was given up, and adds what the program said.
func (c *connection) explain(ctx context.Context, err error) error {
	if errors.Is(err, sdk.ErrConnectionClosed) || errors.Is(err, io.EOF) {
		err = fmt.Errorf("the server has ended: %w", err)
	}
	if ctx.Err() != nil && errors.Is(err, ctx.Err()) {
		err = context.Cause(ctx)
	}
	if said := strings.TrimSpace(c.errors.String()); said != "" {
		return fmt.Errorf("%w; it said: %s", err, said)
	}
	return err
}

// mostTools is how many tools of a server are taken.
const mostTools = 1000

func list(ctx context.Context, session *sdk.ClientSession) ([]*sdk.Tool, error) {
	if caps := session.InitializeResult(); caps != nil && caps.Capabilities != nil && caps.Capabilities.Tools == nil {
		return nil, nil
	}
	var out []*sdk.Tool
	for t, err := range session.Tools(ctx, nil) {
		if err != nil {
			return nil, fmt.Errorf("list its tools: %w", err)
		}
		if out = append(out, t); len(out) == mostTools {
			break
		}
	}
	return out, nil
}

// refresh asks for the tools again.
func (c *connection) refresh(ctx context.Context, session *sdk.ClientSession) {
	ctx, cancel := context.WithTimeout(ctx, c.timeout())
	defer cancel()
	tools, err := list(ctx, session)
	if err != nil {
		return // the old ones may still be there
	}
	c.mu.Lock()
	c.tools = tools
	c.mu.Unlock()
	c.changed(c)
}

// transport makes the way to the server.
func (c *connection) transport(ctx context.Context) (sdk.Transport, error) {
	s := &c.server
	if s.URL != "" {
		headers, err := c.resolveAll(ctx, s.Headers)
		if err != nil {
			return nil, err
		}
		client, err := c.httpClient(headers)
		if err != nil {
			return nil, err
		}
		t := &sdk.StreamableClientTransport{Endpoint: s.URL, HTTPClient: client, MaxRetries: 2}
		if c.opts.Auth != nil && !signs(headers) {
			if t.OAuthHandler, err = c.opts.Auth(ctx, *s); err != nil {
				return nil, err
			}
		}
		return t, nil
	}
	env, err := c.resolveAll(ctx, s.Env)
	if err != nil {
		return nil, err
	}
	home := func(v string) string {
		if rest, ok := strings.CutPrefix(v, "~/"); ok && c.opts.Home != "" {
			return filepath.Join(c.opts.Home, rest)
		}
		return v
	}
	args := make([]string, len(s.Args))
	for i, a := range s.Args {
		args[i] = home(a)
	}
	// The program outlives the call that connects it; closing the session ends it.
	cmd := exec.Command(home(s.Command), args...)
	cmd.Dir = c.opts.Dir
	if cwd := home(s.Cwd); filepath.IsAbs(cwd) {
		cmd.Dir = cwd
	} else if cwd != "" {
		cmd.Dir = filepath.Join(c.opts.Dir, cwd)
	}
	cmd.Env = slices.Clone(c.opts.Environ)
	for name, v := range env {
		cmd.Env = append(cmd.Env, name+"="+v)
	}
	c.errors.reset()
	cmd.Stderr = io.MultiWriter(&c.errors, c.opts.logOf(s.Name))
	cmd.WaitDelay = time.Second // what it has started may keep its output open
	execenv.OwnSession(cmd)
	c.mu.Lock()
	c.program = cmd
	c.mu.Unlock()
	return &programTransport{CommandTransport: sdk.CommandTransport{Command: cmd, TerminateDuration: terminate}}, nil
}

// terminate is how long a program may take to end when its input has ended, and again
// when it was told to: both fit into the time that pi has after a signal.
const terminate = 700 * time.Millisecond

// programTransport starts a program. One that is given up while it starts is killed: it
// has nothing to put in order, and waiting for it would hold up the end of pi.
type programTransport struct {
	sdk.CommandTransport
	stop func() bool
}

// Connect starts the program.
func (t *programTransport) Connect(ctx context.Context) (sdk.Connection, error) {
	c, err := t.CommandTransport.Connect(ctx)
	if err == nil {
		t.stop = context.AfterFunc(ctx, func() {
			_ = execenv.KillTree(t.Command.Process) // it may have ended by itself
		})
	}
	return c, err
}

// answered says that the program has started, or that it is ended otherwise.
func (t *programTransport) answered() {
	if t.stop != nil {
		t.stop()
	}
}

func (c *connection) resolveAll(ctx context.Context, values map[string]string) (map[string]string, error) {
	out := make(map[string]string, len(values))
	for name, v := range values {
		var err error
		if c.opts.Resolve != nil {
			if v, err = c.opts.Resolve(ctx, v); err != nil {
				return nil, fmt.Errorf("%s: %w", name, err)
			}
		}
		out[name] = v
	}
	return out, nil
}

// httpClient adds headers to what goes to the server, and to nobody else.
func (c *connection) httpClient(headers map[string]string) (*http.Client, error) {
	address, err := url.Parse(c.server.URL)
	if err != nil {
		return nil, err
	}
	base := c.opts.HTTPClient
	if base == nil {
		base = new(http.Client)
	}
	client := *base
	next := client.Transport
	if next == nil {
		next = http.DefaultTransport
	}
	client.Transport = &headerTransport{next: next, headers: headers, host: address.Host, agent: "pi-go/" + c.opts.Version}
	return &client, nil
}

// signs reports whether headers say who is asking.
func signs(headers map[string]string) bool {
	for name := range headers {
		if strings.EqualFold(name, "Authorization") {
			return true
		}
	}
	return false
}

type headerTransport struct {
	next    http.RoundTripper
	headers map[string]string
	host    string
	agent   string
}

func (t *headerTransport) RoundTrip(r *http.Request) (*http.Response, error) {
	r = r.Clone(r.Context())
	r.Header.Set("User-Agent", t.agent)
	if r.URL.Host == t.host { // a redirect may lead elsewhere
		for name, v := range t.headers {
			r.Header.Set(name, v)
		}
	}
	return t.next.RoundTrip(r)
}

// call runs a request, on a new connection if the old one is gone.
func (c *connection) call(ctx context.Context, f func(ctx context.Context, s *sdk.ClientSession) error) error {
	unsent, err := c.try(ctx, f)
	if unsent {
		_, err = c.try(ctx, f)
	}
	return err
}

// try runs a request once; unsent says that it never reached the server.
func (c *connection) try(ctx context.Context, f func(ctx context.Context, s *sdk.ClientSession) error) (unsent bool, err error) {
	session, err := c.dial(ctx)
	if err != nil {
		return false, err
	}
	ctx, cancel := c.limited(ctx)
	defer cancel()
	if err = f(ctx, session); err == nil {
		return false, nil
	}
	_, isAnswer := errors.AsType[*jsonrpc.Error](err)
	if errors.Is(err, sdk.ErrConnectionClosed) {
		// The SDK says this too of a server that answers with the code which it
		// has for closed connections itself (-32003): only then a ping comes through.
		unsent = errors.Is(session.Ping(ctx, nil), sdk.ErrConnectionClosed)
		if !unsent {
			isAnswer, err = true, errors.New(strings.TrimPrefix(err.Error(), sdk.ErrConnectionClosed.Error()+": "))
		}
	}
	switch {
	case ctx.Err() != nil:
		return false, context.Cause(ctx)
	case !isAnswer:
		c.lost(session, err)
	}
	return unsent, c.explain(ctx, err)
}

// status tells how the server is.
func (c *connection) status() Status {
	c.mu.Lock()
	defer c.mu.Unlock()
	s := Status{Server: c.server, State: c.state, Err: c.err}
	for _, t := range c.tools {
		s.Tools = append(s.Tools, t.Name)
	}
	return s
}

// close ends the session.
func (c *connection) close() error {
	c.mu.Lock()
	session := c.session
	c.session = nil
	if c.state == Connected {
		c.state = Gone
	}
	c.mu.Unlock()
	if session == nil {
		return nil
	}
	err := session.Close()
	c.killRest()
	return err
}

// Authorizer gives what signs requests to a server, nil for nothing.
type Authorizer func(ctx context.Context, s Server) (auth.OAuthHandler, error)

// tail keeps the end of what a program says.
type tail struct {
	mu   sync.Mutex
	text []byte
}

const mostTail = 2 << 10

func (t *tail) Write(p []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.text = append(t.text, p...)
	if over := len(t.text) - mostTail; over > 0 {
		t.text = append(t.text[:0], t.text[over:]...)
	}
	return len(p), nil
}

func (t *tail) String() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return strings.ToValidUTF8(string(t.text), "\uFFFD")
}

func (t *tail) reset() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.text = nil
}
