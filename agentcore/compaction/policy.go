package compaction

import (
	"encoding/json"
	"slices"

	"github.com/pi-go/pi/agentcore"
	"github.com/pi-go/pi/agentcore/session"
	"github.com/pi-go/pi/ai"
)

// Policy is what a product knows about its conversations. Nil fields have
// neutral defaults.
type Policy struct {
	// Convert turns a transcript into what the model sees; nil means
	// [session.ModelMessages].
	Convert func(messages []agentcore.Message) []ai.Message
	// Weigh estimates the tokens of a message; nil estimates what Convert
	// makes of it.
	Weigh func(m agentcore.Message) int64
	// StartsTurn reports whether a message begins a turn: a request, and what
	// is done about it. nil means every message that is neither an answer, a
	// tool result nor a system message.
	StartsTurn func(m agentcore.Message) bool
	// Files tells which files messages read and changed; nil means that there
	// are no files to speak of.
	Files func(messages []agentcore.Message) Files
	// Instructions replace the texts that ask for a summary.
	Instructions Instructions
}

// Files are the files a conversation was about, by path.
type Files struct {
	Read     []string `json:"readFiles"`
	Modified []string `json:"modifiedFiles"`
}

// merge gives both, sorted, each path once; a modified file is not listed as
// read.
func (f Files) merge(o Files) Files {
	modified := slices.Compact(slices.Sorted(slices.Values(slices.Concat(f.Modified, o.Modified))))
	read := slices.Compact(slices.Sorted(slices.Values(slices.Concat(f.Read, o.Read))))
	read = slices.DeleteFunc(read, func(p string) bool { return slices.Contains(modified, p) })
	return Files{Read: read, Modified: modified}
}

// details is the stored form; lists are never null.
func (f Files) details() json.RawMessage {
	if f.Read == nil {
		f.Read = []string{}
	}
	if f.Modified == nil {
		f.Modified = []string{}
	}
	b, err := json.Marshal(f)
	if err != nil { // lists of strings always encode
		return nil
	}
	return b
}

// filesOf reads the lists of an earlier summary; one that an extension made
// says nothing about files.
func filesOf(details json.RawMessage, fromHook *bool) Files {
	var f Files
	if fromHook != nil && *fromHook || json.Unmarshal(details, &f) != nil {
		return Files{}
	}
	return f
}

func (p Policy) convert(messages ...agentcore.Message) []ai.Message {
	if p.Convert != nil {
		return p.Convert(messages)
	}
	return session.ModelMessages(messages)
}

// Tokens estimates the tokens of messages.
func (p Policy) Tokens(messages ...agentcore.Message) int64 {
	var n int64
	for _, m := range messages {
		if p.Weigh != nil {
			n += p.Weigh(m)
			continue
		}
		for _, c := range p.convert(m) {
			n += ai.EstimateMessage(c)
		}
	}
	return n
}

// startsTurn reports whether a message begins a turn.
func (p Policy) startsTurn(m agentcore.Message) bool {
	if p.StartsTurn != nil {
		return p.StartsTurn(m)
	}
	switch m.Role() {
	case ai.RoleAssistant, ai.RoleToolResult, ai.RoleSystem:
		return false
	}
	return true
}

// cutBefore reports whether the kept part may begin with a message: never
// with a tool result, whose call would be gone.
func cutBefore(m agentcore.Message) bool {
	return m.Role() != ai.RoleToolResult && m.Role() != ai.RoleSystem
}

func (p Policy) files(messages []agentcore.Message) Files {
	if p.Files == nil {
		return Files{}
	}
	return p.Files(messages)
}
