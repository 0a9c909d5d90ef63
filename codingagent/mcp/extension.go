package mcp

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"sync"
	"time"

	"github.com/pi-go/pi/codingagent/extension"
)

// Options say what to connect, and how.
type Options struct {
	Servers []Server
	// Find, if not nil, finds further servers when a session begins in a directory.
	// What is wrong with some of them does not keep the others away.
	Find func(ctx context.Context, dir string) ([]Server, error)
	// Dir is the directory that programs run in, "" is that of the session. Home
	// stands for ~, Environ is their environment.
	Dir, Home string
	Environ   []string
	Version   string // of this program, which servers are told
	// Resolve expands "$NAME" and "!command" in values of env and headers; nil
	// leaves them as they are.
	Resolve func(ctx context.Context, value string) (string, error)
	// Auth signs requests to servers that want a person to sign in; nil signs none.
	Auth Authorizer
	// Credentials keep what /mcp login signs in to; nil signs nobody in.
	Credentials *Credentials
	// Browser opens a page, if it can; nil opens none.
	Browser    func(address string) bool
	HTTPClient *http.Client // nil is one without options
	Log        *Log         // nil keeps nothing
	// Patience is how long the first prompt waits for servers whose tools the
	// model is offered from the beginning; 0 means 10 s.
	Patience time.Duration
}

// Status tells how a server is.
type Status struct {
	Server Server
	State  State
	Err    error
	Tools  []string // the server's own names
}

// connections are the servers of a session.
type connections struct {
	opts Options
	api  *extension.API

	mu      sync.Mutex
	list    []*connection
	offered map[string]*connection // tools that were registered, by whom they are of
	ctx     context.Context        // of the session
	stop    context.CancelFunc
	work    sync.WaitGroup
	told    bool // what was wrong at the beginning
	finder  bool // there is a tool that finds tools
}

// Extension makes an extension that connects servers: those of the options, and
// those that other extensions register.
func Extension(o Options) extension.Extension {
	if o.Patience == 0 {
		o.Patience = 10 * time.Second
	}
	return extension.Extension{
		Name: "mcp", Origin: extension.Origin{Path: "builtin:mcp", Source: "builtin", Scope: extension.ScopeUser},
		Setup: func(_ context.Context, api *extension.API) error {
			m := &connections{opts: o, api: api, offered: make(map[string]*connection)}
			return m.setup()
		},
	}
}

func (m *connections) setup() error {
	e := &m.api.Events
	e.SessionStart.Listen(func(ctx context.Context, x *extension.Context, _ *extension.SessionStart) error {
		return m.begin(ctx, x)
	})
	e.SessionShutdown.Listen(func(context.Context, *extension.Context, *extension.SessionShutdown) error { return m.end() })
	e.MCPServersChange.Listen(func(_ context.Context, x *extension.Context, ev *extension.MCPServers) error {
		return m.take(x, ev.Servers)
	})
	e.BeforeAgentStart.Handle(func(ctx context.Context, x *extension.Context, _ *extension.BeforeAgentStart) (*extension.StartDecision, error) {
		m.wait(ctx, func(s *Server) bool { return s.offers() })
		m.tell(x)
		return nil, nil
	})
	e.ToolCall.Handle(func(ctx context.Context, _ *extension.Context, ev *extension.ToolCall) (*extension.ToolCallDecision, error) {
		return nil, m.awaitReach(ctx, ev)
	})
	return m.api.RegisterCommand("mcp", m.command())
}

// offers reports whether the model may be offered tools from the beginning.
func (s *Server) offers() bool {
	direct := s.Exposure == extension.ExposeDirect
	for _, x := range s.ToolExposure {
		direct = direct || x == extension.ExposeDirect
	}
	return direct
}

// begin connects the servers in the background. The error tells of those that can
// not be used.
func (m *connections) begin(ctx context.Context, x *extension.Context) error {
	servers := m.opts.Servers
	if m.opts.Dir == "" {
		m.opts.Dir = x.Dir()
	}
	var wrong error
	if m.opts.Find != nil {
		var found []Server
		found, wrong = m.opts.Find(ctx, x.Dir())
		servers = slices.Concat(servers, found)
	}
	m.mu.Lock()
	m.ctx, m.stop = context.WithCancel(context.Background())
	m.mu.Unlock()
	for _, s := range servers {
		m.add(s, false)
	}
	if len(servers) > 0 {
		wrong = errors.Join(wrong, m.registerSearch(servers), m.registerResources())
	}
	m.work.Go(func() {
		m.wait(m.ctx, func(*Server) bool { return true })
		if m.ctx.Err() == nil {
			m.tell(x)
		}
	})
	return wrong
}

// add connects a server, one of the options or one that an extension registered.
func (m *connections) add(s Server, registered bool) {
	m.mu.Lock()
	ctx := m.ctx
	c := newConnection(s, &m.opts, m.offer)
	c.registered = registered
	m.list = append(m.list, c)
	m.mu.Unlock()
	if !s.Disabled && ctx != nil {
		m.work.Go(func() { _, _ = c.dial(ctx) }) // why it failed is in its status
	}
}

// take connects servers that extensions registered, but for names that mcp.json
// has, and forgets those that are not registered any more.
func (m *connections) take(_ *extension.Context, servers []extension.MCPServer) error {
	var errs []error
	for _, s := range servers {
		if m.find(s.Name) != nil {
			continue
		}
		parsed, err := Parse(s.Name, s.Config)
		if err != nil {
			errs = append(errs, err)
			continue
		}
		m.add(parsed, true)
		if !m.searchable() {
			errs = append(errs, m.registerSearch([]Server{parsed}), m.registerResources())
		}
	}
	for _, c := range m.all() {
		gone := c.registered && !slices.ContainsFunc(servers, func(s extension.MCPServer) bool { return s.Name == c.server.Name })
		if gone {
			m.mu.Lock()
			m.list = slices.DeleteFunc(m.list, func(o *connection) bool { return o == c })
			m.mu.Unlock()
			m.withdraw(c, nil)
			errs = append(errs, c.close())
		}
	}
	return errors.Join(errs...)
}

func (m *connections) all() []*connection {
	m.mu.Lock()
	defer m.mu.Unlock()
	return slices.Clone(m.list)
}

// find gives a server by its name.
func (m *connections) find(name string) *connection {
	for _, c := range m.all() {
		if extension.SameMCPName(c.server.Name, name) {
			return c
		}
	}
	return nil
}

// offer registers the tools of a server, and hides those that are gone.
func (m *connections) offer(c *connection) {
	c.mu.Lock()
	tools := slices.Clone(c.tools)
	c.mu.Unlock()
	have := names(c.server.Name, tools)
	m.withdraw(c, have)
	var all []extension.Tool
	var wrong []error
	for i, t := range tools {
		tool, err := m.tool(c, have[i], t)
		if err != nil {
			wrong = append(wrong, err)
			continue
		}
		all = append(all, tool)
	}
	if err := m.api.RegisterTools(all...); !errors.Is(err, extension.ErrStale) {
		wrong = append(wrong, err)
	}
	if err := errors.Join(wrong...); err != nil {
		c.mu.Lock()
		c.err = errors.Join(c.err, err)
		c.mu.Unlock()
	}
}

// withdraw hides the tools of a server but those it has now.
func (m *connections) withdraw(c *connection, have []string) {
	m.mu.Lock()
	var gone []extension.Tool
	for name, of := range m.offered {
		if of == c && !slices.Contains(have, name) {
			gone = append(gone, extension.Tool{Tool: hiddenTool(name), Exposure: extension.ExposeHidden})
			delete(m.offered, name)
		}
	}
	for _, name := range have {
		m.offered[name] = c
	}
	m.mu.Unlock()
	_ = m.api.RegisterTools(gone...) // it fails only when the session is over
}

// wait waits until it was tried to connect some servers, but not for ever.
func (m *connections) wait(ctx context.Context, which func(s *Server) bool) {
	timer := time.NewTimer(m.opts.Patience)
	defer timer.Stop()
	for _, c := range m.all() {
		if !which(&c.server) {
			continue
		}
		select {
		case <-c.ready:
		case <-timer.C:
			return
		case <-ctx.Done():
			return
		}
	}
}

// awaitReach waits for the servers whose tools a call may reach.
func (m *connections) awaitReach(ctx context.Context, ev *extension.ToolCall) error {
	known, err := m.api.Tools()
	if err != nil {
		return err
	}
	i := slices.IndexFunc(known, func(t extension.ToolInfo) bool { return t.Name == ev.Name })
	if i < 0 || known[i].ReachesTools == nil {
		return nil
	}
	reach := known[i].ReachesTools(ev.Arguments)
	m.wait(ctx, func(s *Server) bool { return reach.Has(s.Name) })
	return nil
}

// tell says once what was wrong at the beginning.
func (m *connections) tell(x *extension.Context) {
	var wrong []string
	for _, c := range m.all() {
		switch s := c.status(); s.State {
		case Connecting:
			return // later
		case NeedsLogin:
			wrong = append(wrong, fmt.Sprintf("MCP server %s wants you to sign in: run /mcp login %s", s.Server.Name, s.Server.Name))
		case Failed:
			wrong = append(wrong, fmt.Sprintf("MCP server %s: %v", s.Server.Name, s.Err))
		}
	}
	m.mu.Lock()
	told := m.told
	m.told = true
	m.mu.Unlock()
	if told {
		return
	}
	for _, text := range wrong {
		if x.HasUI() {
			x.UI().Notify(text, extension.Warning)
		} else {
			m.api.Report("connect", errors.New(text))
		}
	}
}

// end closes everything.
func (m *connections) end() error {
	m.mu.Lock()
	if m.stop != nil {
		m.stop()
	}
	m.mu.Unlock()
	m.work.Wait()
	var closing sync.WaitGroup
	errs := make(chan error, len(m.all()))
	for _, c := range m.all() {
		closing.Go(func() { errs <- c.close() })
	}
	closing.Wait()
	close(errs)
	var all []error
	for err := range errs {
		all = append(all, err)
	}
	return errors.Join(all...)
}

// Statuses tells how the servers are.
func (m *connections) statuses() []Status {
	var out []Status
	for _, c := range m.all() {
		out = append(out, c.status())
	}
	return out
}
