package extension

import (
	"context"
	"maps"
	"slices"
	"strings"
)

// ToolNamespace is a group of tools, such as those of one MCP server.
type ToolNamespace struct {
	Name string
	// Aliases are other names it goes by.
	Aliases []string
	// Description is a short summary, shown where tools are listed; Instructions tell at
	// length how to use them, for who asks.
	Description, Instructions string
}

// ToolAnnotations are hints of a tool's author about what it does, with the meaning of
// those of MCP. Nobody has checked them; nil is unknown.
type ToolAnnotations struct {
	// ReadOnly says that it changes nothing; Destructive, if it is not, that it may delete or
	// overwrite; Idempotent that a second call with the same arguments changes nothing more.
	ReadOnly, Destructive, Idempotent *bool
	// OpenWorld says that it deals with the world outside, such as the web.
	OpenWorld *bool
}

// Reach says which tools a call may reach.
type Reach struct {
	All bool
	// Words are parts of the arguments that may name tools or namespaces; a word means all
	// whose name it contains.
	Words []string
}

// Has reports whether something of a name may be reached.
func (r Reach) Has(name string) bool {
	return r.All || name != "" && slices.ContainsFunc(r.Words, func(w string) bool { return strings.Contains(w, name) })
}

// Loadout are the tools of a session as a tool sees them that has a PrepareLoadout.
type Loadout struct {
	// Tools are all tools, with their own descriptions; those that are Active are offered.
	Tools []ToolInfo
}

// LoadoutChanges say what the model is told differently.
type LoadoutChanges struct {
	// Descriptions take the place of those of tools that are offered, by name.
	Descriptions map[string]string
	// Undeclared are tools that are offered and that requests do not tell of, nor does the
	// prompt. They can still be called, and stay offered.
	Undeclared []string
}

// Loadout asks the tools that are offered how the model is to be told of all. Where
// several say something of a tool, the last counts.
func (r *Runner) Loadout(tools []ToolInfo) LoadoutChanges {
	out := LoadoutChanges{Descriptions: make(map[string]string)}
	for _, t := range r.Tools() {
		if t.PrepareLoadout == nil || !slices.ContainsFunc(tools, func(i ToolInfo) bool { return i.Active && i.Name == t.Name && i.Origin == t.Origin }) {
			continue
		}
		got := new(*LoadoutChanges)
		err := r.boundedBy(context.Background(), busPatience, 0, func(context.Context) error {
			*got = t.PrepareLoadout(Loadout{slices.Clone(tools)})
			return nil
		})
		if err != nil {
			r.report(t.api, "loadout of "+t.Name, err)
			continue
		}
		if *got != nil {
			maps.Copy(out.Descriptions, (*got).Descriptions)
			out.Undeclared = append(out.Undeclared, (*got).Undeclared...)
		}
	}
	return out
}

// PreparesLoadout reports whether any tool has something to say of how tools are told of.
func (r *Runner) PreparesLoadout() bool {
	return slices.ContainsFunc(r.Tools(), func(t ToolEntry) bool { return t.PrepareLoadout != nil })
}
