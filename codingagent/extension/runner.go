package extension

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"runtime/debug"
	"slices"
	"strings"
	"sync"

	"github.com/pi-go/pi/ai"
)

// Fault is something that an extension did wrong. Nothing else was disturbed.
type Fault struct {
	Extension string
	Path      string
	// Event says at what: the name of an event, "setup", "tool", "command:" and a
	// name.
	Event string
	Err   error
	// Stack is that of a panic.
	Stack []byte
}

// Error says what went wrong where.
func (f *Fault) Error() string {
	return fmt.Sprintf("extension %s, %s: %s", f.Path, f.Event, f.Err)
}

// Unwrap gives the cause.
func (f *Fault) Unwrap() error { return f.Err }

// panicked is a panic of an extension.
type panicked struct {
	value any
	stack []byte
}

func (p *panicked) Error() string { return fmt.Sprintf("it panicked: %v", p.value) }

// contained runs code of an extension; a panic is an error.
func contained(f func() error) (err error) {
	defer func() {
		if v := recover(); v != nil {
			err = &panicked{v, debug.Stack()}
		}
	}()
	return f()
}

// Runner holds the extensions of one session and asks them. Its methods may be
// called from any goroutine.
type Runner struct {
	apis []*API // in load order
	own  *API   // of the program
	bus  bus
	// results keeps handlers of results from running beside one another.
	results sync.Mutex
	prompts prompts
	waiting waiting

	mu      sync.Mutex
	host    Host
	values  map[string]any // of flags
	onFault []*faultListener
	early   []*Fault // before there was a listener
}

type faultListener struct{ f func(*Fault) }

// Load sets extensions up, one after the other. One that fails is left out; why
// is told to the first listener of OnFault.
func Load(ctx context.Context, list []Extension) *Runner {
	r := &Runner{values: make(map[string]any)}
	r.own = &API{r: r, ext: &Extension{Name: "pi"}, origin: Origin{Path: "<program>", Source: "builtin"}}
	r.own.phase.Store(phaseActive)
	for i := range list {
		a := &API{r: r, ext: &list[i], origin: list[i].origin()}
		err := r.bounded(ctx, func(ctx context.Context) error {
			if list[i].Setup == nil {
				return errors.New("it has no Setup")
			}
			return list[i].Setup(ctx, a)
		})
		if err != nil {
			a.phase.Store(phaseLeftOut)
			a.end()
			r.report(a, "setup", err)
			continue
		}
		r.apis = append(r.apis, a)
	}
	r.giveWay()
	r.conflicts()
	for _, a := range r.apis {
		a.phase.Store(phaseActive)
	}
	return r
}

// end ends the subscriptions of an extension.
func (a *API) end() {
	a.mu.Lock()
	defer a.mu.Unlock()
	for _, f := range a.unsubscribed {
		f()
	}
	a.unsubscribed = nil
}

// names are what an extension registered that others may take the place of.
func (a *API) names() []string {
	a.mu.Lock()
	defer a.mu.Unlock()
	var out []string
	for _, t := range a.tools {
		out = append(out, "tool "+t.Name)
	}
	for _, c := range a.commands {
		out = append(out, "command "+c.name)
	}
	for _, f := range a.flags {
		out = append(out, "flag "+f.name)
	}
	return out
}

// giveWay leaves out replaceable extensions that another one stands for.
func (r *Runner) giveWay() {
	taken := make(map[string]*API)
	for _, a := range r.apis {
		if !a.ext.Replaceable {
			for _, n := range a.names() {
				taken[n] = a
			}
		}
	}
	r.apis = slices.DeleteFunc(r.apis, func(a *API) bool {
		if !a.ext.Replaceable {
			return false
		}
		for _, n := range a.names() {
			if by := taken[n]; by != nil {
				a.phase.Store(phaseLeftOut)
				a.end()
				r.report(a, "setup", fmt.Errorf("it is left out: %s has a %s too", by, n))
				return true
			}
		}
		return false
	})
}

// conflicts reports tools and flags that have a name which was taken.
func (r *Runner) conflicts() {
	taken := make(map[string]*API)
	for _, a := range r.apis {
		for _, n := range a.names() {
			if strings.HasPrefix(n, "command ") {
				continue // all are kept, under names of their own
			}
			if by := taken[n]; by != nil {
				r.report(a, "setup", fmt.Errorf("its %s is not used: %s has one of that name", n, by))
				continue
			}
			taken[n] = a
		}
	}
	r.sharedKeys()
}

// sharedKeys reports shortcuts that another extension takes over.
func (r *Runner) sharedKeys() {
	last := make(map[string]*API)
	for _, a := range r.apis {
		for _, s := range a.shortcuts {
			key := strings.ToLower(s.key)
			if before := last[key]; before != nil && before != a {
				r.report(before, "setup", fmt.Errorf("its shortcut %s is not used: %s has it too, and comes later", key, a))
			}
			last[key] = a
		}
	}
}

// Bind gives the extensions their session: from now on they can act.
func (r *Runner) Bind(h Host) {
	r.mu.Lock()
	r.host = h
	r.mu.Unlock()
	for _, a := range r.apis {
		a.mu.Lock()
		providers, virtual := slices.Clone(a.providers), slices.Clone(a.virtual)
		a.mu.Unlock()
		for _, p := range providers {
			h.SetProvider(p)
		}
		for _, v := range virtual {
			if err := h.SetVirtualModel(v); err != nil {
				r.report(a, "register_virtual_model", err)
			}
		}
	}
}

func (r *Runner) bound() Host {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.host
}

// Invalidate ends the extensions' session: what they hold of it is stale.
func (r *Runner) Invalidate() {
	for _, a := range r.apis {
		a.phase.Store(phaseStale)
		a.end()
	}
	r.own.phase.Store(phaseStale)
}

// Live reports whether the session has not ended.
func (r *Runner) Live() bool { return r.own.phase.Load() == phaseActive }

// Extensions lists those that were set up, in load order.
func (r *Runner) Extensions() []Extension {
	var out []Extension
	for _, a := range r.apis {
		e := *a.ext
		e.Origin = a.origin
		out = append(out, e)
	}
	return out
}

// OnFault adds a listener for what goes wrong; the returned function removes
// it. The first one is told what happened before.
func (r *Runner) OnFault(f func(*Fault)) (remove func()) {
	l := &faultListener{f}
	r.mu.Lock()
	early := r.early
	r.early = nil
	r.onFault = append(slices.Clone(r.onFault), l)
	r.mu.Unlock()
	for _, fault := range early {
		f(fault)
	}
	return func() {
		r.mu.Lock()
		defer r.mu.Unlock()
		r.onFault = slices.DeleteFunc(slices.Clone(r.onFault), func(o *faultListener) bool { return o == l })
	}
}

// report tells what went wrong.
func (r *Runner) report(a *API, event string, err error) {
	f := &Fault{Extension: a.ext.Name, Path: a.origin.Path, Event: event, Err: err}
	var p *panicked
	if errors.As(err, &p) {
		f.Stack = p.stack
	}
	r.mu.Lock()
	listeners := r.onFault
	if len(listeners) == 0 {
		r.early = append(r.early, f)
	}
	r.mu.Unlock()
	for _, l := range listeners {
		l.f(f)
	}
}

// ToolEntry is a tool and where it is from.
type ToolEntry struct {
	Tool
	Origin Origin
	api    *API
}

// Tools lists the tools of all extensions in load order. Of two with the same
// name the first counts.
func (r *Runner) Tools() []ToolEntry {
	var out []ToolEntry
	taken := make(map[string]bool)
	for _, a := range r.apis {
		a.mu.Lock()
		for _, t := range a.tools {
			if !taken[t.Name] {
				taken[t.Name] = true
				out = append(out, ToolEntry{t, a.origin, a})
			}
		}
		a.mu.Unlock()
	}
	return out
}

// Active reports whether the tool is offered unless somebody says otherwise.
func (t *ToolEntry) Active() bool { return t.Exposure.active() && !t.Inactive }

// Context gives what the tool's Execute is called with.
func (t *ToolEntry) Context() *Context { return &Context{api: t.api} }

// Commands lists the commands of all extensions in load order. Where several
// have a name, all of them get a number behind it.
func (r *Runner) Commands() []CommandInfo {
	var out []CommandInfo
	count := make(map[string]int)
	for _, a := range r.apis {
		a.mu.Lock()
		for _, c := range a.commands {
			count[c.name]++
			out = append(out, CommandInfo{c.name, c.Command, a.origin, a})
		}
		a.mu.Unlock()
	}
	used := make(map[string]bool)
	for name, n := range count {
		used[name] = n == 1
	}
	next := make(map[string]int)
	for i := range out {
		name := out[i].Name
		if count[name] == 1 {
			continue
		}
		for {
			next[name]++
			if numbered := fmt.Sprintf("%s:%d", name, next[name]); !used[numbered] {
				used[numbered] = true
				out[i].Name = numbered
				break
			}
		}
	}
	return out
}

// RunCommand runs a command by its name; known is false when there is none of
// that name. What goes wrong is told to the listeners.
func (r *Runner) RunCommand(ctx context.Context, name, args string) (known bool) {
	list := r.Commands()
	i := slices.IndexFunc(list, func(c CommandInfo) bool { return c.Name == name })
	if i < 0 {
		return false
	}
	a := list[i].api
	err := r.bounded(ctx, func(ctx context.Context) error { return list[i].Run(ctx, &CommandContext{Context{api: a}}, args) })
	if err != nil {
		r.report(a, "command:"+name, err)
	}
	return true
}

// Shortcuts lists the keys of all extensions; of two for the same key the last
// counts.
func (r *Runner) Shortcuts() []ShortcutInfo {
	var out []ShortcutInfo
	for _, a := range r.apis {
		a.mu.Lock()
		for _, s := range a.shortcuts {
			key := strings.ToLower(s.key)
			out = append(slices.DeleteFunc(out, func(o ShortcutInfo) bool { return o.Key == key }), ShortcutInfo{key, s.Shortcut, a.origin, a})
		}
		a.mu.Unlock()
	}
	return out
}

// RunShortcut does what a key is for.
func (r *Runner) RunShortcut(ctx context.Context, s ShortcutInfo) {
	if err := r.bounded(ctx, func(ctx context.Context) error { return s.Run(ctx, &Context{api: s.api}) }); err != nil {
		r.report(s.api, "shortcut:"+s.Key, err)
	}
}

// Flags lists the options of all extensions; of two with the same name the
// first counts.
func (r *Runner) Flags() []FlagInfo {
	var out []FlagInfo
	for _, a := range r.apis {
		a.mu.Lock()
		for _, f := range a.flags {
			if !slices.ContainsFunc(out, func(o FlagInfo) bool { return o.Name == f.name }) {
				out = append(out, FlagInfo{f.name, f.Flag, a.origin})
			}
		}
		a.mu.Unlock()
	}
	return out
}

// SetFlags sets what the command line gave, by name: "" stands for a flag
// without a value. Names that no extension has are an error, and so is a value
// where none is wanted, or none where one is.
func (r *Runner) SetFlags(given map[string]string) error {
	flags := r.Flags()
	var unknown []string
	for _, name := range slices.Sorted(maps.Keys(given)) {
		i := slices.IndexFunc(flags, func(f FlagInfo) bool { return f.Name == name })
		switch value := given[name]; {
		case i < 0:
			unknown = append(unknown, "--"+name)
		case flags[i].Text && value == "":
			return fmt.Errorf("option --%s needs a value", name)
		case flags[i].Text:
			r.setFlag(name, value)
		case value == "" || value == "true":
			r.setFlag(name, true)
		case value == "false":
			r.setFlag(name, false)
		default:
			return fmt.Errorf("option --%s takes no value, and was given %q", name, value)
		}
	}
	if len(unknown) > 0 {
		return &UnknownFlags{Names: unknown}
	}
	return nil
}

// UnknownFlags is the error of options that nobody knows.
type UnknownFlags struct{ Names []string } // with their dashes

// Error lists them.
func (e *UnknownFlags) Error() string {
	if len(e.Names) == 1 {
		return "unknown option: " + e.Names[0]
	}
	return "unknown options: " + strings.Join(e.Names, ", ")
}

func (r *Runner) setFlag(name string, v any) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.values[name] = v
}

func (r *Runner) flagValue(name string) (any, bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	v, ok := r.values[name]
	return v, ok
}

// MessageRenderer gives what shows messages of a custom type, nil if nothing
// does: the first extension's that has one.
func (r *Runner) MessageRenderer(customType string) MessageRenderer {
	for _, a := range r.apis {
		a.mu.Lock()
		f := a.messages[customType]
		a.mu.Unlock()
		if f != nil {
			return f
		}
	}
	return nil
}

// EntryRenderer gives what shows entries of a custom type, nil if nothing does.
func (r *Runner) EntryRenderer(customType string) EntryRenderer {
	for _, a := range r.apis {
		a.mu.Lock()
		f := a.entries[customType]
		a.mu.Unlock()
		if f != nil {
			return f
		}
	}
	return nil
}

// ToolRenderers gives what shows calls of a tool: the tool's own functions, with
// what other extensions put in their place. Fields are nil where the program is
// to do it.
func (r *Runner) ToolRenderers(tool string) ToolRenderers {
	var out ToolRenderers
	for _, t := range r.Tools() {
		if t.Name == tool {
			out.Call, out.OwnFrame = t.RenderCall, t.OwnFrame
			if show := t.RenderResult; show != nil {
				out.Result = func(v ToolView, res ToolResult) Component { return show(v, res.Result) }
			}
		}
	}
	for _, a := range r.apis {
		a.mu.Lock()
		show := slices.Clone(a.toolShow)
		a.mu.Unlock()
		for _, f := range show {
			var got *ToolRenderers
			if err := contained(func() error { got = f(tool, out); return nil }); err != nil {
				r.report(a, "tool renderer", err)
			}
			if got == nil {
				continue
			}
			if got.OwnFrame != out.OwnFrame { // parts for a frame do not fit without it
				out = ToolRenderers{OwnFrame: got.OwnFrame}
			}
			if got.Call != nil {
				out.Call = got.Call
			}
			if got.Result != nil {
				out.Result = got.Result
			}
		}
	}
	return out
}

// TransformsMarkdown reports whether a text of a type may change on its way through
// [Runner.Markdown].
func (r *Runner) TransformsMarkdown(t MarkdownType) bool {
	return slices.ContainsFunc(r.apis, func(a *API) bool { return a.transformer(t) != nil })
}

// transformer gives what changes texts of a type, nil if nothing does.
func (a *API) transformer(t MarkdownType) MarkdownTransformer {
	a.mu.Lock()
	defer a.mu.Unlock()
	if !slices.Contains(a.markdown.types, t) {
		return nil
	}
	return a.markdown.f
}

// Markdown passes a text through the transformers. One that panics leaves it as
// it was.
func (r *Runner) Markdown(text string, v MarkdownView) string {
	for _, a := range r.apis {
		f := a.transformer(v.MessageType)
		if f == nil {
			continue
		}
		changed := text
		if err := contained(func() error { changed = f(text, v); return nil }); err != nil {
			r.report(a, "markdown transformer", err)
			continue
		}
		text = changed
	}
	return text
}

// Providers lists the vendors that extensions registered, in load order.
func (r *Runner) Providers() []ai.Provider {
	return gather(r, func(a *API) []ai.Provider { return a.providers })
}

// MCPServers lists the servers that extensions registered.
func (r *Runner) MCPServers() []MCPServer {
	return gather(r, func(a *API) []MCPServer { return a.mcp })
}

// gather lists what extensions registered, in load order; of is called with the lock of
// the API held.
func gather[T any](r *Runner, of func(a *API) []T) []T {
	var out []T
	for _, a := range r.apis {
		a.mu.Lock()
		out = append(out, of(a)...)
		a.mu.Unlock()
	}
	return out
}

// checkMCP finds what is wrong with a server.
func (r *Runner) checkMCP(a *API, name string, config json.RawMessage) error {
	var entry struct{ Command, URL string }
	if err := CheckMCPName(name); err != nil {
		return fmt.Errorf("register MCP server: %w", err)
	}
	switch {
	case json.Unmarshal(config, &entry) != nil:
		return fmt.Errorf("register MCP server %s: the configuration is no JSON object", name)
	case (entry.Command == "") == (entry.URL == ""):
		return fmt.Errorf("register MCP server %s: the configuration needs either a command or a url", name)
	}
	for _, o := range r.apis {
		o.mu.Lock()
		servers := o.mcp
		o.mu.Unlock()
		for _, s := range servers {
			if SameMCPName(s.Name, name) && (o != a || s.Name != name) {
				return fmt.Errorf("register MCP server %s: %s has one called %s", name, o, s.Name)
			}
		}
	}
	return nil
}
