package session

import (
	"context"
	"slices"

	"github.com/pi-go/pi/agentcore"
	"github.com/pi-go/pi/ai"
)

// Context is a branch as a model should see it.
type Context struct {
	// Messages are those to go on from: the whole branch, or the latest
	// compaction and what it kept, with edits applied. [ModelMessages] converts
	// them.
	Messages []agentcore.Message
	// Entries has, for each message, the id of the entry it came from.
	Entries []string
	// Thinking is the level last chosen on the branch, off if none was.
	Thinking ai.ThinkingLevel
	// Model is the one last chosen or last heard from; nil if there is none.
	Model *ModelRef
}

// ModelRef names a model.
type ModelRef struct {
	Provider string
	ModelID  string
}

// Context gives what a model should see at the leaf.
func (s *Session) Context(ctx context.Context) (Context, error) { return s.ContextAt(ctx, "") }

// ContextAt gives what a model should see at an entry, or at the leaf for "".
func (s *Session) ContextAt(ctx context.Context, id string) (Context, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	path, err := s.pathTo(id)
	if err != nil {
		return Context{}, err
	}
	c := Context{Thinking: ai.ThinkingOff}
	if level, err := s.lastThinking(ctx, path); err != nil {
		return Context{}, err
	} else if level != "" {
		c.Thinking = level
	}
	if c.Model, err = s.lastModel(ctx, path, nil); err != nil {
		return Context{}, err
	}
	sel, err := s.selection(ctx, path)
	if err != nil {
		return Context{}, err
	}
	if id == "" { // the leaf's branch is the one that is asked for again
		s.keepDecoded(sel)
	}
	entries := make([]Entry, len(sel.entries))
	for i, it := range sel.entries {
		entries[i] = it.entry
	}
	for i, e := range Project(entries) {
		for _, m := range e {
			c.Messages = append(c.Messages, m)
			c.Entries = append(c.Entries, entries[i].Head().ID)
		}
	}
	return c, nil
}

type selected struct {
	place int
	entry Entry
}

// selection is what of a branch is in sight, decoded: the latest compaction
// first if there is one, then what it kept and what came after it.
type selection struct {
	entries []selected
}

// selection applies the rules for compaction: the latest one hides everything
// before it but what it kept; of that, system messages are hidden too, as the
// compaction carries their sum.
func (s *Session) selection(ctx context.Context, path []int) (selection, error) {
	at := -1
	var c *CompactionEntry
	for i := len(path) - 1; i >= 0 && c == nil; i-- {
		if s.tree.nodes[path[i]].Type != TypeCompaction {
			continue
		}
		e, err := s.read(ctx, path[i])
		if err != nil {
			return selection{}, err
		}
		if e, ok := e.(*CompactionEntry); ok { // a broken one hides nothing
			at, c = i, e
		}
	}
	var sel selection
	take := func(places []int, system bool) error {
		for _, p := range places {
			n := &s.tree.nodes[p]
			if !system && n.Type == TypeMessage && n.Role == ai.RoleSystem {
				continue
			}
			e, err := s.read(ctx, p)
			if err != nil {
				return err
			}
			sel.entries = append(sel.entries, selected{p, e})
		}
		return nil
	}
	if c == nil {
		return sel, take(path, true)
	}
	sel.entries = append(sel.entries, selected{path[at], c})
	for i, p := range path[:at] {
		if s.tree.nodes[p].ID == c.FirstKept {
			if err := take(path[i:at], false); err != nil {
				return sel, err
			}
			break
		}
	}
	return sel, take(path[at+1:], true)
}

// keepDecoded keeps the entries in sight decoded and lets go of all others.
func (s *Session) keepDecoded(sel selection) {
	for i := range s.tree.nodes {
		s.tree.nodes[i].entry = nil
	}
	for _, it := range sel.entries {
		s.tree.nodes[it.place].entry = it.entry
	}
}

// Project gives, for each entry in sight, the messages it puts into the
// context: edits among the entries are applied to the others, and a compaction
// counts only where it stands first.
func Project(entries []Entry) [][]agentcore.Message {
	edits := make(map[string]*ContextEditEntry)
	for _, e := range entries {
		if e, ok := e.(*ContextEditEntry); ok {
			edits[e.TargetID] = e
		}
	}
	out := make([][]agentcore.Message, len(entries))
	for i, e := range entries {
		var messages []agentcore.Message
		switch e := e.(type) {
		case *MessageEntry:
			messages = []agentcore.Message{e.Message}
		case *CustomMessageEntry:
			messages = []agentcore.Message{e.message()}
		case *BranchSummaryEntry:
			if e.Summary != "" {
				messages = []agentcore.Message{&BranchSummary{Summary: e.Summary, FromID: e.FromID, Timestamp: e.Time.UnixMilli()}}
			}
		case *CompactionEntry:
			if i == 0 {
				if e.System != nil {
					messages = append(messages, e.System)
				}
				messages = append(messages, &CompactionSummary{Summary: e.Summary, TokensBefore: e.TokensBefore, Timestamp: e.Time.UnixMilli()})
			}
		}
		if edit, ok := edits[e.Head().ID]; ok {
			messages = edit.apply(messages)
		}
		out[i] = messages
	}
	return out
}

func (e *CustomMessageEntry) message() *CustomMessage {
	return &CustomMessage{
		CustomType: e.CustomType, Content: e.Content, Plain: e.Plain, Display: e.Display,
		Details: e.Details, Timestamp: e.Time.UnixMilli(),
	}
}

// apply gives the messages with their content replaced, or none. Messages
// that have no content of blocks stay as they are.
func (e *ContextEditEntry) apply(messages []agentcore.Message) []agentcore.Message {
	if e.Replacement == nil {
		return nil
	}
	out := make([]agentcore.Message, len(messages))
	for i, m := range messages {
		switch m := m.(type) {
		case *ai.UserMessage:
			c := *m
			c.Content = e.Replacement.Content
			out[i] = &c
		case *ai.AssistantMessage:
			c := *m
			c.Content = e.Replacement.Content
			out[i] = &c
		case *ai.ToolResultMessage:
			c := *m
			c.Content = e.Replacement.Content
			out[i] = &c
		case *CustomMessage:
			c := *m
			c.Content = e.Replacement.Content
			out[i] = &c
		default:
			out[i] = m
		}
	}
	return out
}

// Visible reads the entries of the leaf's branch that are in sight of a model:
// the latest compaction first if there is one, then what it kept, then what
// came after it. [Project] gives their messages.
func (s *Session) Visible(ctx context.Context) ([]Entry, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.inSight(ctx)
}

func (s *Session) inSight(ctx context.Context) ([]Entry, error) {
	path, err := s.pathTo("")
	if err != nil {
		return nil, err
	}
	sel, err := s.selection(ctx, path)
	if err != nil {
		return nil, err
	}
	out := make([]Entry, len(sel.entries))
	for i, it := range sel.entries {
		out[i] = it.entry
	}
	return out, nil
}

// lastThinking finds the thinking level in force at the end of a branch, "" if
// none was chosen.
func (s *Session) lastThinking(ctx context.Context, path []int) (ai.ThinkingLevel, error) {
	for i := len(path) - 1; i >= 0; i-- {
		if s.tree.nodes[path[i]].Type != TypeThinkingChange {
			continue
		}
		e, err := s.read(ctx, path[i])
		if err != nil {
			return "", err
		}
		if e, ok := e.(*ThinkingEntry); ok {
			return e.Level, nil
		}
	}
	return "", nil
}

// lastModel finds the model in force at the end of a branch: the last one
// chosen or the last one that answered, whichever is later. A virtual model
// stands for others, which answer in its place, so if the last one chosen is
// virtual, it counts.
func (s *Session) lastModel(ctx context.Context, path []int, virtual func(ModelRef) bool) (*ModelRef, error) {
	var answered *ModelRef
	for i := len(path) - 1; i >= 0; i-- {
		n := &s.tree.nodes[path[i]]
		switch {
		case n.Type == TypeModelChange:
		case n.Type == TypeMessage && n.Role == ai.RoleAssistant && answered == nil:
		default:
			continue
		}
		e, err := s.read(ctx, path[i])
		if err != nil {
			return nil, err
		}
		switch e := e.(type) {
		case *ModelEntry:
			chosen := &ModelRef{e.Provider, e.ModelID}
			if answered == nil || virtual != nil && virtual(*chosen) {
				return chosen, nil
			}
			return answered, nil
		case *MessageEntry:
			if a, ok := e.Message.(*ai.AssistantMessage); ok {
				answered = &ModelRef{a.Provider, a.Model}
				if virtual == nil {
					return answered, nil
				}
			}
		}
	}
	return answered, nil
}

// Restored is what a branch says about how to go on with it.
type Restored struct {
	// Model is nil if the branch names none.
	Model *ModelRef
	// Thinking is "" if no level was ever chosen on the branch.
	Thinking ai.ThinkingLevel
	// Prompt is the prompt and the tools in force at the leaf.
	Prompt ai.Prompt
}

// Restore finds what was in force at the leaf. The function tells which models
// are virtual, that is, stand for others that answer in their place; nil means
// none.
func (s *Session) Restore(ctx context.Context, virtual func(ModelRef) bool) (Restored, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	path, err := s.pathTo("")
	if err != nil {
		return Restored{}, err
	}
	if virtual == nil {
		virtual = func(ModelRef) bool { return false }
	}
	var r Restored
	if r.Thinking, err = s.lastThinking(ctx, path); err != nil {
		return Restored{}, err
	}
	if r.Model, err = s.lastModel(ctx, path, virtual); err != nil {
		return Restored{}, err
	}
	// A compaction carries the sum of the system messages before it; older
	// files do not have it, so there the whole branch counts.
	var systems []ai.Message
	summed := false
	for i := len(path) - 1; i >= 0 && !summed; i-- {
		n := &s.tree.nodes[path[i]]
		if n.Type != TypeCompaction && (n.Type != TypeMessage || n.Role != ai.RoleSystem) {
			continue
		}
		e, err := s.read(ctx, path[i])
		if err != nil {
			return Restored{}, err
		}
		switch e := e.(type) {
		case *MessageEntry:
			if m, ok := e.Message.(*ai.SystemMessage); ok {
				systems = append(systems, m)
			}
		case *CompactionEntry:
			if e.System != nil {
				systems = append(systems, e.System)
				summed = true
			}
		}
	}
	slices.Reverse(systems)
	r.Prompt = ai.ReplaySystem(systems)
	return r, nil
}
