package codingagent

import (
	"context"
	"slices"

	"github.com/pi-go/pi/agentcore"
	"github.com/pi-go/pi/agentcore/session"
	"github.com/pi-go/pi/codingagent/extension"
	"github.com/pi-go/pi/codingagent/settings"
	"github.com/pi-go/pi/codingagent/tools"
)

// known is a tool that the session has, offered or not.
type known struct {
	tools.Definition
	origin   extension.Origin
	exposure extension.Exposure
	// asked says that it is offered only when somebody asks for it.
	asked bool
	// from is what an extension registered, nil for other tools.
	from *extension.ToolEntry
	// builtin says that it is one of the program's own, or stands for one.
	builtin bool
}

// toolset lists the tools there are: the built-in ones, those of the options,
// those of extensions. A later one takes the place of a built-in one with its
// name.
func (s *AgentSession) toolset(conversation *session.Session, with settings.Settings, runner *extension.Runner) []known {
	var set []known
	for _, d := range tools.New(tools.Options{
		Env: s.env, Queue: s.opts.FileQueue, Model: s.modelFacts, SessionEnv: s.sessionEnv(conversation),
		CommandPrefix: with.ShellCommandPrefix, KeepImageSize: !with.Images.AutoResize,
	}) {
		set = append(set, known{Definition: d, origin: builtIn(), builtin: true})
	}
	places := make(map[string]int)
	for i, k := range set {
		places[k.Name] = i
	}
	add := func(k known) {
		at, taken := places[k.Name]
		switch {
		case !taken:
			places[k.Name] = len(set)
			set = append(set, k)
		case set[at].origin == builtIn():
			k.builtin = true
			set[at] = k
		}
	}
	for _, t := range s.opts.CustomTools {
		add(known{Definition: tools.Definition{Tool: t, Snippet: firstLine(t.Description)}, origin: extension.Origin{Path: "CustomTools", Source: "sdk", Scope: extension.ScopeTemporary}})
	}
	for _, t := range runner.Tools() {
		add(known{
			Definition: tools.Definition{Tool: runnable(t), Snippet: t.Snippet, Guidelines: t.Guidelines},
			origin:     t.Origin, exposure: t.Exposure, asked: !t.Active(), from: &t,
		})
	}
	return set
}

// builtIn is where the program's own tools are from.
func builtIn() extension.Origin {
	return extension.Origin{Path: "<builtin>", Source: "builtin", Scope: extension.ScopeUser}
}

// runnable makes the tool that the loop runs.
func runnable(t extension.ToolEntry) *agentcore.Tool {
	tool := t.Tool.Tool
	if run := t.Execute; run != nil {
		x := t.Context()
		tool.Execute = func(ctx context.Context, call agentcore.ToolCall, update func(agentcore.ToolResult)) (agentcore.ToolResult, error) {
			return run(ctx, x, call, update)
		}
	}
	return &tool
}

// initial picks the tools to begin with.
func (s *AgentSession) initial(set []known, with settings.Settings) ([]tools.Definition, error) {
	var builtin, custom, asked []string
	for _, k := range set {
		switch {
		case k.exposure == extension.ExposeHidden:
		case k.asked:
			asked = append(asked, k.Name)
		case k.builtin:
			builtin = append(builtin, k.Name)
		default:
			custom = append(custom, k.Name)
		}
	}
	selection := s.opts.Tools
	if selection.Default == nil {
		selection.Default = with.DefaultTools
	}
	names, err := selection.Select(builtin, custom, asked...)
	if err != nil {
		return nil, err
	}
	return pick(set, names), nil
}

// pick gives the tools of some names, in the order of the names.
func pick(set []known, names []string) []tools.Definition {
	open := make(map[string]int, len(set))
	for i, k := range set {
		if k.exposure != extension.ExposeHidden {
			open[k.Name] = i
		}
	}
	chosen := make([]tools.Definition, 0, len(names))
	for _, n := range names {
		if i, ok := open[n]; ok {
			delete(open, n) // once is enough
			chosen = append(chosen, set[i].Definition)
		}
	}
	return chosen
}

// SetActiveTools says which tools are offered, from the next request on. Names
// of tools that there are not, or that are hidden, are ignored.
func (s *AgentSession) SetActiveTools(names []string) {
	s.reshape(func(next *shape) { next.tools = pick(next.known, names) })
}

// ActiveTools lists the tools that are offered, in order.
func (s *AgentSession) ActiveTools() []string {
	var names []string
	for _, d := range s.shape.Load().tools {
		names = append(names, d.Name)
	}
	return names
}

// Tools lists all tools of the session, offered or not.
func (s *AgentSession) Tools() []extension.ToolInfo { return s.shape.Load().infos() }

// reshape puts a changed shape in force.
func (s *AgentSession) reshape(change func(next *shape)) {
	s.shaping.Lock()
	defer s.shaping.Unlock()
	next := *s.shape.Load()
	change(&next)
	next.present()
	s.shape.Store(&next)
	s.harness.SetTools(coreTools(next.tools)...)
}

// refreshTools takes in tools that were registered late.
func (s *AgentSession) refreshTools() {
	s.reshape(func(next *shape) {
		before := next.known
		next.known = s.toolset(s.harness.Session(), next.settings, next.extensions)
		var names []string
		for _, d := range next.tools {
			names = append(names, d.Name)
		}
		// New ones are offered if they had been from the beginning.
		wanted, err := s.initial(next.known, next.settings)
		for _, d := range wanted {
			if err == nil && !slices.ContainsFunc(before, func(o known) bool { return o.Name == d.Name }) {
				names = append(names, d.Name)
			}
		}
		next.tools = pick(next.known, names)
	})
}
