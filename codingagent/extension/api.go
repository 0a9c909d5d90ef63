package extension

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/pi-go/pi/agentcore/session"
	"github.com/pi-go/pi/ai"
	"github.com/pi-go/pi/codingagent/models"
	"github.com/pi-go/pi/codingagent/settings"
)

// Extension is a piece of program that changes what the coding agent does. It
// is a value: the same one may be given to many sessions.
type Extension struct {
	// Name is for messages.
	Name string
	// Origin says where it is from; a zero Origin is that of a program's own value.
	Origin Origin
	// Hidden leaves it out of what people are told is loaded.
	Hidden bool
	// Replaceable says that it gives way to another one that registers a tool, a
	// command or a flag of the same name.
	Replaceable bool
	// Setup registers what the extension has. It may run in a program that never
	// has a session: what holds resources belongs into a listener of SessionStart,
	// and is freed in one of SessionShutdown. It runs again for each session; an
	// error or a panic leaves the extension out.
	Setup func(ctx context.Context, api *API) error
}

// origin fills in what was left out.
func (e *Extension) origin() Origin {
	o := e.Origin
	if o.Path == "" {
		o.Path = "<inline:" + e.Name + ">"
	}
	if o.Source == "" {
		o.Source = "sdk"
	}
	if o.Scope == "" {
		o.Scope = ScopeTemporary
	}
	return o
}

// ErrNotStarted is the error of actions while an extension is being set up:
// there is no session yet. Do it in a listener of SessionStart.
var ErrNotStarted = errors.New("the session has not started: extensions can only register things while they are set up")

// ErrStale is the error of everything that belongs to a session that was
// replaced or reloaded.
var ErrStale = errors.New("this session was replaced or reloaded: use what the new one's handlers are given")

// ErrLeftOut is the error of everything of an extension whose Setup failed.
var ErrLeftOut = errors.New("this extension could not be set up and was left out")

// API is what an extension registers things with, and acts by. Each extension
// has its own, for each session. Registering works at any time, acting only
// while there is a session: see [ErrNotStarted] and [ErrStale]. All methods may
// be called from any goroutine.
type API struct {
	// Events take handlers. Those of a session that is gone are not called.
	Events Events

	r      *Runner
	ext    *Extension
	origin Origin
	phase  atomic.Int32

	mu           sync.Mutex
	tools        []Tool
	commands     []namedCommand
	shortcuts    []namedShortcut
	flags        []namedFlag
	messages     map[string]MessageRenderer
	entries      map[string]EntryRenderer
	toolShow     []func(name string, next ToolRenderers) *ToolRenderers
	markdown     markdownChange
	mcp          []MCPServer
	providers    []ai.Provider // in the order of their registration
	virtual      []models.VirtualModel
	unsubscribed []func() // of the bus
}

type (
	markdownChange struct {
		f     MarkdownTransformer // nil is none
		types []MarkdownType
	}
	namedCommand struct {
		name string
		Command
	}
	namedShortcut struct {
		key string
		Shortcut
	}
	namedFlag struct {
		name string
		Flag
	}
)

// phases of an API.
const (
	phaseLoading int32 = iota
	phaseActive
	phaseLeftOut
	phaseStale
)

// usable reports why nothing can be registered any more.
func (a *API) usable() error {
	switch a.phase.Load() {
	case phaseLeftOut:
		return fmt.Errorf("extension %s: %w", a.ext.Name, ErrLeftOut)
	case phaseStale:
		return fmt.Errorf("extension %s: %w", a.ext.Name, ErrStale)
	}
	return nil
}

// host gives the session.
func (a *API) host() (Host, error) {
	if err := a.usable(); err != nil {
		return nil, err
	}
	h := a.r.bound()
	if h == nil || a.phase.Load() == phaseLoading {
		return nil, fmt.Errorf("extension %s: %w", a.ext.Name, ErrNotStarted)
	}
	return h, nil
}

// register runs f under the lock, and tells the session if there is one.
func (a *API) register(f func()) error {
	if err := a.usable(); err != nil {
		return err
	}
	a.mu.Lock()
	f()
	a.mu.Unlock()
	if h, err := a.host(); err == nil {
		h.Refresh()
	}
	return nil
}

// Origin says where the extension is from.
func (a *API) Origin() Origin { return a.origin }

// RegisterTool adds a tool, or replaces the one of that name. One with the name
// of a built-in tool takes its place.
func (a *API) RegisterTool(t Tool) error { return a.RegisterTools(t) }

// RegisterTools is RegisterTool for many tools, which the session takes in at
// once. The error tells of those that are wrong; the others are registered.
func (a *API) RegisterTools(tools ...Tool) error {
	var wrong []error
	added := make(map[string]int, len(tools))
	var good []Tool
	for _, t := range tools {
		if err := t.check(); err != nil {
			wrong = append(wrong, err)
			continue
		}
		if i, ok := added[t.Name]; ok {
			good[i] = t
			continue
		}
		added[t.Name] = len(good)
		good = append(good, t)
	}
	if len(good) > 0 {
		wrong = append(wrong, a.register(func() {
			a.tools = append(slices.DeleteFunc(a.tools, func(o Tool) bool { _, again := added[o.Name]; return again }), good...)
		}))
	}
	return errors.Join(wrong...)
}

// RegisterCommand adds a command, or replaces the one of that name.
func (a *API) RegisterCommand(name string, c Command) error {
	switch {
	case name == "":
		return errors.New("register command: it has no name")
	case c.Run == nil:
		return fmt.Errorf("register command %s: Run is missing", name)
	}
	return a.register(func() {
		a.commands = append(slices.DeleteFunc(a.commands, func(o namedCommand) bool { return o.name == name }), namedCommand{name, c})
	})
}

// RegisterShortcut adds a key, written as key bindings are: "ctrl+shift+p".
func (a *API) RegisterShortcut(key string, s Shortcut) error {
	switch {
	case key == "":
		return errors.New("register shortcut: it has no key")
	case s.Run == nil:
		return fmt.Errorf("register shortcut %s: Run is missing", key)
	}
	return a.register(func() {
		a.shortcuts = append(slices.DeleteFunc(a.shortcuts, func(o namedShortcut) bool { return o.key == key }), namedShortcut{key, s})
	})
}

// RegisterFlag adds an option of the command line, --name.
func (a *API) RegisterFlag(name string, f Flag) error {
	if name == "" {
		return errors.New("register flag: it has no name")
	}
	if _, isText := f.Default.(string); f.Default != nil && isText != f.Text {
		return fmt.Errorf("register flag %s: the default %v is of the wrong type", name, f.Default)
	}
	if _, isBool := f.Default.(bool); f.Default != nil && !f.Text && !isBool {
		return fmt.Errorf("register flag %s: the default %v is of the wrong type", name, f.Default)
	}
	return a.register(func() {
		a.flags = append(slices.DeleteFunc(a.flags, func(o namedFlag) bool { return o.name == name }), namedFlag{name, f})
	})
}

// Flag gives the value of a flag that this extension registered: a bool or a
// string, nil when it was not given and has no default. During Setup that is the
// default: the command line is read afterwards.
func (a *API) Flag(name string) any {
	a.mu.Lock()
	i := slices.IndexFunc(a.flags, func(f namedFlag) bool { return f.name == name })
	var fallback any
	if i >= 0 {
		fallback = a.flags[i].Default
	}
	a.mu.Unlock()
	if i < 0 {
		return nil
	}
	if v, ok := a.r.flagValue(name); ok {
		return v
	}
	return fallback
}

// RegisterMessageRenderer shows messages of a custom type.
func (a *API) RegisterMessageRenderer(customType string, f MessageRenderer) error {
	return a.register(func() {
		if a.messages == nil {
			a.messages = make(map[string]MessageRenderer)
		}
		a.messages[customType] = f
	})
}

// RegisterEntryRenderer shows entries of a custom type.
func (a *API) RegisterEntryRenderer(customType string, f EntryRenderer) error {
	return a.register(func() {
		if a.entries == nil {
			a.entries = make(map[string]EntryRenderer)
		}
		a.entries[customType] = f
	})
}

// RegisterToolRenderer shows calls of tools that the extension need not have
// registered; nil leaves a tool to others. next gives what would be shown otherwise:
// what the extensions loaded before it, and the tool itself, have for it. A field that is
// nil in the answer is taken from there, unless OwnFrame differs.
func (a *API) RegisterToolRenderer(f func(tool string, next ToolRenderers) *ToolRenderers) error {
	return a.register(func() { a.toolShow = append(a.toolShow, f) })
}

// RegisterMarkdownTransformer changes texts of some types before they are shown; none
// means those of people and models: [MarkdownUser], [MarkdownAssistant] and
// [MarkdownThinking]. An extension has one transformer.
func (a *API) RegisterMarkdownTransformer(f MarkdownTransformer, types ...MarkdownType) error {
	for _, t := range types {
		if !slices.Contains(markdownTypes[:], t) {
			return fmt.Errorf("register markdown transformer: there are no texts of the type %q", t)
		}
	}
	if len(types) == 0 {
		types = markdownTypes[:usualMarkdown]
	}
	return a.register(func() { a.markdown = markdownChange{f, slices.Clone(types)} })
}

// RegisterProvider adds a vendor of models, or replaces the one of that id until
// it is unregistered or the session ends.
func (a *API) RegisterProvider(p ai.Provider) error {
	if p == nil || p.ID() == "" {
		return errors.New("register provider: it has no id")
	}
	err := a.register(func() {
		a.providers = append(slices.DeleteFunc(a.providers, func(o ai.Provider) bool { return o.ID() == p.ID() }), p)
	})
	if h, unbound := a.host(); err == nil && unbound == nil {
		h.SetProvider(p)
	}
	return err
}

// UnregisterProvider takes back what RegisterProvider did; what it replaced is
// there again. An unknown id changes nothing.
func (a *API) UnregisterProvider(id string) error {
	known := false
	err := a.register(func() {
		known = slices.ContainsFunc(a.providers, func(o ai.Provider) bool { return o.ID() == id })
		a.providers = slices.DeleteFunc(a.providers, func(o ai.Provider) bool { return o.ID() == id })
	})
	if h, unbound := a.host(); err == nil && unbound == nil && known {
		h.RemoveProvider(id)
	}
	return err
}

// RegisterVirtualModel adds a model that lets another one answer each request, or
// replaces the one of that provider and id; it is there until it is unregistered
// or the session ends.
func (a *API) RegisterVirtualModel(v models.VirtualModel) error {
	if v.Provider == "" || v.ID == "" || v.Route == nil {
		return errors.New("register virtual model: it needs a provider, an id and a Route")
	}
	v.Route = a.route(v.Provider+"/"+v.ID, v.Route)
	err := a.register(func() {
		a.virtual = append(slices.DeleteFunc(a.virtual, func(o models.VirtualModel) bool { return o.Provider == v.Provider && o.ID == v.ID }), v)
	})
	if h, unbound := a.host(); err == nil && unbound == nil {
		return h.SetVirtualModel(v)
	}
	return err
}

// UnregisterVirtualModel takes back what RegisterVirtualModel did.
func (a *API) UnregisterVirtualModel(provider, id string) error {
	err := a.register(func() {
		a.virtual = slices.DeleteFunc(a.virtual, func(o models.VirtualModel) bool { return o.Provider == provider && o.ID == id })
	})
	if h, unbound := a.host(); err == nil && unbound == nil {
		h.RemoveVirtualModel(provider, id)
	}
	return err
}

// RegisterMCPServer asks for a server to be connected; the configuration is an
// entry of mcp.json.
func (a *API) RegisterMCPServer(name string, config json.RawMessage) error {
	if err := a.r.checkMCP(a, name, config); err != nil {
		return err
	}
	err := a.register(func() {
		a.mcp = append(slices.DeleteFunc(a.mcp, func(o MCPServer) bool { return o.Name == name }), MCPServer{name, slices.Clone(config), a.ext.Name})
	})
	if err == nil {
		a.r.mcpChanged()
	}
	return err
}

// MCPServers lists the servers that extensions of the session have registered.
func (a *API) MCPServers() ([]MCPServer, error) {
	if err := a.usable(); err != nil {
		return nil, err
	}
	return a.r.MCPServers(), nil
}

// UnregisterMCPServer takes back what RegisterMCPServer did.
func (a *API) UnregisterMCPServer(name string) error {
	err := a.register(func() {
		a.mcp = slices.DeleteFunc(a.mcp, func(o MCPServer) bool { return o.Name == name })
	})
	if err == nil {
		a.r.mcpChanged()
	}
	return err
}

// Report tells the program that something went wrong that no handler can return,
// as what goes on beside them.
func (a *API) Report(what string, err error) {
	if err != nil {
		a.r.report(a, what, err)
	}
}

// Emit tells all extensions of the session something; On hears it. It waits for all who
// listen; one that does not return is left behind once somebody waits for what is under
// way to end, such as an abort.
func (a *API) Emit(channel string, data any) error {
	if err := a.usable(); err != nil {
		return err
	}
	a.r.bus.emit(channel, data)
	return nil
}

// On hears what extensions tell on a channel; the returned function ends that.
func (a *API) On(channel string, f func(data any) error) (remove func(), err error) {
	if err := a.usable(); err != nil {
		return nil, err
	}
	remove = a.r.bus.on(channel, func(data any) {
		if err := a.r.boundedBy(context.Background(), busPatience, 0, func(context.Context) error { return f(data) }); err != nil {
			a.r.report(a, "events:"+channel, err)
		}
	})
	a.mu.Lock()
	defer a.mu.Unlock()
	a.unsubscribed = append(a.unsubscribed, remove)
	return remove, nil
}

// Send puts a message of the extension's own into the conversation.
func (a *API) Send(ctx context.Context, m *session.CustomMessage, o SendOptions) error {
	h, err := a.host()
	if err != nil {
		return err
	}
	return h.Send(ctx, m, o)
}

// SendUser says something in the person's name. It returns as soon as it is
// known what becomes of it.
func (a *API) SendUser(ctx context.Context, content []ai.Block, o UserOptions) error {
	h, err := a.host()
	if err != nil {
		return err
	}
	return h.SendUser(ctx, content, o)
}

// AppendEntry keeps state of the extension's own in the session: any data that
// encodes as JSON. The model never sees it.
func (a *API) AppendEntry(ctx context.Context, customType string, data any) (id string, err error) {
	h, err := a.host()
	if err != nil {
		return "", err
	}
	body, err := entryData(data)
	if err != nil {
		return "", fmt.Errorf("append %s entry: %w", customType, err)
	}
	return h.Append(ctx, &session.CustomEntry{CustomType: customType, Data: body})
}

// SetSessionName names the session; "" removes its name.
func (a *API) SetSessionName(ctx context.Context, name string) error {
	h, err := a.host()
	if err != nil {
		return err
	}
	return h.SetName(ctx, name)
}

// SessionName gives the name of the session, "" if it has none.
func (a *API) SessionName(ctx context.Context) (string, error) {
	h, err := a.host()
	if err != nil {
		return "", err
	}
	return h.Session().Name(ctx)
}

// SetLabel names an entry; "" removes its label.
func (a *API) SetLabel(ctx context.Context, entry, label string) error {
	h, err := a.host()
	if err != nil {
		return err
	}
	return h.SetLabel(ctx, entry, label)
}

// Tools lists all tools of the session.
func (a *API) Tools() ([]ToolInfo, error) {
	h, err := a.host()
	if err != nil {
		return nil, err
	}
	return h.Tools(), nil
}

// ActiveTools lists the tools that are offered to the model.
func (a *API) ActiveTools() ([]string, error) {
	h, err := a.host()
	if err != nil {
		return nil, err
	}
	var names []string
	for _, t := range h.Tools() {
		if t.Active {
			names = append(names, t.Name)
		}
	}
	return names, nil
}

// SetActiveTools says which tools are offered to the model, from the next
// request on. Names that are unknown or hidden are ignored.
func (a *API) SetActiveTools(names []string) error {
	h, err := a.host()
	if err == nil {
		h.SetActiveTools(names)
	}
	return err
}

// Settings gives the settings in force.
func (a *API) Settings() (settings.Settings, error) {
	h, err := a.host()
	if err != nil {
		return settings.Settings{}, err
	}
	return h.Settings(), nil
}

// Commands lists what can be said with a slash before it: commands of
// extensions, templates, skills.
func (a *API) Commands() ([]CommandSummary, error) {
	h, err := a.host()
	if err != nil {
		return nil, err
	}
	return h.Commands(), nil
}

// SetModel chooses the model of the session; ok is false when its vendor has no
// key.
func (a *API) SetModel(ctx context.Context, m *ai.Model) (ok bool, err error) {
	h, err := a.host()
	if err != nil {
		return false, err
	}
	if status, err := h.Models().CheckAuth(ctx, m.Provider); err != nil || !status.Configured() {
		return false, err
	}
	return true, h.SetModel(ctx, m)
}

// Thinking gives the thinking level of the session.
func (a *API) Thinking() (ai.ThinkingLevel, error) {
	h, err := a.host()
	if err != nil {
		return "", err
	}
	return h.Thinking(), nil
}

// SetThinking chooses the thinking level of the session, clamped to what the
// model has.
func (a *API) SetThinking(ctx context.Context, level ai.ThinkingLevel) error {
	h, err := a.host()
	if err != nil {
		return err
	}
	return h.SetThinking(ctx, level)
}
