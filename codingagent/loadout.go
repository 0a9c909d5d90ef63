package codingagent

import (
	"slices"

	"github.com/pi-go/pi/ai"
	"github.com/pi-go/pi/codingagent/extension"
	"github.com/pi-go/pi/codingagent/tools"
)

// present has tools say how the model is told of those that are offered.
func (next *shape) present() {
	if !next.extensions.PreparesLoadout() {
		next.undeclared = nil
		return
	}
	var names []string
	for _, d := range next.tools {
		names = append(names, d.Name)
	}
	next.tools = pick(next.known, names) // with their own descriptions
	changes := next.extensions.Loadout(next.infos())
	next.undeclared = changes.Undeclared
	for i, d := range next.tools {
		if text, ok := changes.Descriptions[d.Name]; ok {
			tool := *d.Tool
			tool.Description = text
			next.tools[i].Tool = &tool
		}
	}
}

// infos lists all tools, offered or not.
func (next *shape) infos() []extension.ToolInfo {
	var out []extension.ToolInfo
	for _, k := range next.known {
		_, active := tools.Find(next.tools, k.Name)
		info := extension.ToolInfo{
			Name: k.Name, Description: k.Description, Parameters: k.Parameters, Guidelines: k.Guidelines,
			Exposure: k.exposure, Active: active, Origin: k.origin,
		}
		if t := k.from; t != nil {
			info.Namespace, info.Annotations, info.OutputSchema, info.ReachesTools = t.Namespace, t.Annotations, t.OutputSchema, t.ReachesTools
		}
		out = append(out, info)
	}
	return out
}

// withoutUndeclared leaves out of a request what the model is not told of.
func (s *AgentSession) withoutUndeclared(req ai.Request) ai.Request {
	names := s.shape.Load().undeclared
	if len(names) == 0 {
		return req
	}
	hidden := func(t ai.Tool) bool { return slices.Contains(names, t.Name) }
	req.Tools = slices.DeleteFunc(slices.Clone(req.Tools), hidden)
	req.Messages = slices.Clone(req.Messages)
	for i, m := range req.Messages {
		if m, ok := m.(*ai.SystemMessage); ok && slices.ContainsFunc(m.ToolsAdded, hidden) {
			told := *m
			told.ToolsAdded = slices.DeleteFunc(slices.Clone(m.ToolsAdded), hidden)
			req.Messages[i] = &told
		}
	}
	return req
}
