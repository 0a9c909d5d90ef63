package ai

import (
	"fmt"
	"slices"
	"strings"
)

// SystemMode says what a vendor can be told in the middle of a conversation.
type SystemMode int

// The modes, from least to most able. In all but SystemToolChanges the tools to
// declare with the request are those of the first message after [Transform].
const (
	// SystemCollapse merges all system messages into one at the start.
	SystemCollapse SystemMode = iota
	// SystemTexts leaves the texts of later system messages where they are.
	// All current tools move to the start.
	SystemTexts
	// SystemToolAdditions leaves texts and added tools where they are. Tools
	// that were in place when a tool was last removed or declared anew move to
	// the start.
	SystemToolAdditions
	// SystemToolChanges leaves everything where it is.
	SystemToolChanges
)

// arrange gives the messages with their system messages as the mode has them:
// one at the start, if there is any prompt or tool, and later ones only with
// what goes out there. Messages without system messages, or with one at the
// start, are returned as they are.
func (mode SystemMode) arrange(messages []Message) []Message {
	first := slices.IndexFunc(messages, isSystem)
	if first < 0 || mode == SystemToolChanges {
		return messages
	}
	later := slices.ContainsFunc(messages[first+1:], isSystem)
	if first == 0 && !later {
		return messages
	}
	if mode == SystemCollapse {
		return lead(ReplaySystem(messages).Message, slices.DeleteFunc(slices.Clone(messages), isSystem))
	}
	head, seen := &SystemMessage{}, 0
	if first == 0 {
		c := *messages[0].(*SystemMessage)
		head, seen = &c, 1
	}
	base, fixed := declaredAtStart(messages, mode, seen)
	head.ToolsAdded, head.ToolsRemoved = base, nil
	messages = messages[seen:]
	rest := make([]Message, 0, len(messages))
	for _, m := range messages {
		s, ok := m.(*SystemMessage)
		if !ok {
			rest = append(rest, m)
			continue
		}
		seen++
		keepsTools := seen > fixed
		if keepsTools && len(s.ToolsRemoved) == 0 || len(s.ToolsAdded) == 0 && len(s.ToolsRemoved) == 0 {
			rest = append(rest, s)
			continue
		}
		c := *s
		c.ToolsRemoved = nil
		if !keepsTools {
			c.ToolsAdded = nil
		}
		if c.UpdateText() != "" || len(c.ToolsAdded) > 0 {
			rest = append(rest, &c)
		}
	}
	return lead(head, rest)
}

// declaredAtStart gives the tools for the start of the request, and how many of
// the system messages they cover: at least the leading one, if there is one.
func declaredAtStart(messages []Message, mode SystemMode, leading int) (tools []Tool, fixed int) {
	var systems []Message
	for _, m := range messages {
		if isSystem(m) {
			systems = append(systems, m)
		}
	}
	fixed = len(systems)
	if mode == SystemToolAdditions {
		fixed = leading
		known := make(map[string]bool)
		for i, m := range systems {
			s := m.(*SystemMessage)
			for _, name := range s.ToolsRemoved {
				if known[name] {
					fixed = i + 1
				}
			}
			for _, t := range s.ToolsAdded {
				if known[t.Name] {
					fixed = i + 1
				}
				known[t.Name] = true
			}
		}
	}
	return ReplaySystem(systems[:fixed]).Tools, fixed
}

// lead puts a system message in front unless it says nothing.
func lead(s *SystemMessage, rest []Message) []Message {
	if blank(s.Text()) && len(s.ToolsAdded) == 0 {
		return rest
	}
	return append([]Message{s}, rest...)
}

func isSystem(m Message) bool { _, ok := m.(*SystemMessage); return ok }

// UpdateText renders a later system message as the change it makes: its content,
// then each section that it sets or removes, named.
func (m *SystemMessage) UpdateText() string {
	var parts []string
	if m.Content != "" {
		parts = append(parts, m.Content)
	}
	for _, s := range m.Sections {
		if s.Text == nil {
			parts = append(parts, fmt.Sprintf("The section %q of the instructions no longer applies.", s.Name))
		} else {
			parts = append(parts, fmt.Sprintf("The section %q of the instructions now reads:\n\n%s", s.Name, *s.Text))
		}
	}
	return strings.Join(parts, "\n\n")
}
