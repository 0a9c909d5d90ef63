package agentcore

import (
	"slices"

	"github.com/pi-go/pi/ai"
)

// declare gives the messages that open a turn, with what the model must be
// told about tools: the difference between those that the transcript declares
// and those that can be run. It is written into the last pending system
// message, or into a new one before the first other message.
func (r *run) declare(next []pending) []Message {
	messages := make([]Message, 0, len(next)+1)
	last := -1
	for _, p := range next {
		if _, ok := p.m.(*ai.SystemMessage); ok {
			last = len(messages)
		}
		messages = append(messages, p.m)
	}
	if r.declared && last < 0 {
		return messages
	}
	want := make([]ai.Tool, 0, len(r.c.Tools))
	for i, t := range r.c.Tools {
		if findTool(r.c.Tools[:i], t.Name) == nil { // the first of a name is the one that is run
			want = append(want, t.Declaration())
		}
	}
	r.declared = true
	known := declaredTools(r.c.Messages, messages)
	if added, removed := toolChanges(known, want); len(added)+len(removed) == 0 {
		return messages
	} else if last < 0 {
		at := slices.IndexFunc(messages, func(m Message) bool { return m.Role() != ai.RoleSystem })
		if at < 0 {
			at = len(messages)
		}
		m := &ai.SystemMessage{ToolsAdded: added, ToolsRemoved: removed}
		return slices.Insert(messages, at, Message(m))
	}
	// The message may carry declarations of its own; it gets those that are
	// right after everything before it.
	m := *messages[last].(*ai.SystemMessage)
	m.ToolsAdded, m.ToolsRemoved = toolChanges(declaredTools(r.c.Messages, messages[:last]), want)
	messages[last] = &m
	return messages
}

// declaredTools replays which tools the transcript declares.
func declaredTools(parts ...[]Message) []ai.Tool {
	var system []ai.Message
	for _, messages := range parts {
		for _, m := range messages {
			if m, ok := m.(*ai.SystemMessage); ok {
				system = append(system, m)
			}
		}
	}
	return ai.ReplaySystem(system).Tools
}

// toolChanges says what turns one set of declarations into the other. A tool
// whose declaration changed is removed and added.
func toolChanges(from, to []ai.Tool) (added []ai.Tool, removed []string) {
	for _, t := range from {
		at := slices.IndexFunc(to, func(o ai.Tool) bool { return o.Name == t.Name })
		if at < 0 || !sameTool(t, to[at]) {
			removed = append(removed, t.Name)
		}
	}
	for _, t := range to {
		at := slices.IndexFunc(from, func(o ai.Tool) bool { return o.Name == t.Name })
		if at < 0 || !sameTool(t, from[at]) {
			added = append(added, t)
		}
	}
	return added, removed
}

// sameTool compares what a model sees of two declarations. Fields that only
// some other program understands do not count: a session it wrote would be
// declared anew each time it is opened.
func sameTool(a, b ai.Tool) bool {
	a.Extra, b.Extra = nil, nil
	return a.Equal(&b)
}
